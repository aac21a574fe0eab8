"""One candidate, everything a decision needs: the claim large, the passage beside the checks, what approving would meet."""

from __future__ import annotations

import json
from typing import Any

from pages.widgets.candidate_passage import draw_passage
from pages.widgets.candidate_words import CHECK_WORDS, ROUTE_DONE, exact, exact_day, interval, plural, qualifiers_text, shorten, value_text, when
from pages.widgets.desk import record_link
from pages.widgets.markup import Markup, join, tag
from pages.widgets.status import badge, icon
from store import CandidateView, Decision, Near

_NOTHING = Markup("")
_MEND = {
    "owner": "Set it under Terms.", "review_date": "Set it under Terms.", "entity_resolved": "Confirm it under Terms.", "scope": "See Terms.",
    "recorded_dependencies": "Answer below.", "source_bound": "Amend it below, or reject.", "extraction_recorded": "Reject it, or let its author record it.",
}  # fmt: skip


def draw_head(view: CandidateView) -> Markup:
    """Return the claim itself: what it says, which value, where and when it would hold."""
    line = view.line
    marks = [badge(view.status, view.kind), tag("span", line.get("claim_type") or line.get("artifact_type"), cls="cc-chip")]
    if view.high_impact:
        marks.append(tag("span", icon("priority_high"), "high impact", cls="cc-chip cd-amber"))
    question = tag(
        "div",
        tag("span", view.title),
        *([tag("span", f"  {qualifiers_text(line.get('qualifiers'))}", cls="cd-muted")] if line.get("qualifiers") else []),
        cls="cc-question",
    )
    parts = [tag("div", question, tag("div", *marks, cls="cc-marks"), cls="cc-headline")]
    if view.kind == "claim":
        sensitive = line["sensitivity"] != "normal"
        value = "Withheld: it was rejected as too sensitive." if view.withheld else value_text(line["value"])
        parts.append(tag("div", value, cls="cd-value cc-big" + (" cc-long" if len(value) > 160 else "")))
        if line.get("statement"):
            parts.append(tag("p", line["statement"][:4000], cls="cc-statement"))
        if sensitive:
            parts.append(tag("div", icon("visibility_lock"), f"Marked {line['sensitivity']}.", cls="cd-band cd-warnband"))
    else:
        parts.append(tag("div", (line.get("body") or "It has no text.")[:6000], cls="cd-passage cc-body"))
    facts = [("scope", line["scope"])]
    if view.kind == "claim":
        facts.append(("valid", interval(line["valid_from"], line["valid_to"])))
        facts += [("speaker", line["speaker"]), ("conditions", line["conditions"])]
        if line["purposes"] != ["*"]:
            facts.append(("only for", ", ".join(line["purposes"])))
    facts += [("owner", line["owner"] or "nobody"), ("expires", exact_day(line["expires_at"])), ("review", exact_day(line["review_at"]))]
    parts.append(tag("div", *(tag("span", tag("i", name), str(value)[:600]) for name, value in facts if value), cls="cc-inline"))
    return tag("div", *parts, cls="cc-head")


def _checks(view: CandidateView) -> Markup:
    failed = [check for check in view.checks if not check["ok"]]
    passed = [check for check in view.checks if check["ok"]]
    rows = [
        tag("li", icon("cancel"), tag("span", tag("b", CHECK_WORDS[check["name"]]), tag("span", check["message"][:600]), tag("i", _MEND.get(check["name"], ""))), cls="cc-bad")
        for check in failed
    ]  # fmt: skip
    rows += [tag("li", icon("check"), tag("span", CHECK_WORDS[check["name"]], title=check["message"][:600]), cls="cc-ok") for check in passed]
    title = f"{len(passed)} of {len(view.checks)} checks pass" if failed else f"All {len(view.checks)} checks pass"
    return tag("section", tag("h2", title, cls="cc-head"), tag("ul", *rows, cls="cc-checklist"))


def _origin(view: CandidateView) -> Markup:
    line = view.line
    by = line.get("proposed_by") or view.importer
    rows: list[tuple[str, Any]] = [("proposed by", tag("span", by, " ", tag("span", when(view.proposed_at), cls="cd-muted")))]
    if line.get("extraction"):
        rows.append(("taken by", " ".join(str(part) for part in line["extraction"].values())[:200]))
    rows += [("task", line.get("task")), ("authority", line.get("authority"))]
    roots = plural(view.independent_roots, "independent root")
    if view.roots != view.independent_roots:
        roots += f" ({view.roots:,} in all)"
    rows.append(("rests on", tag("span", roots, cls="" if view.independent_roots else "cd-red")))
    if view.waiting_on_it:
        rows.append(("waits for it", join((record_link(one.id, view.tenant) for one in view.waiting_on_it[:6]), ", ")))
    rows.append(("id", tag("span", record_link(view.id, view.tenant), tag("span", f" · version {view.version}", cls="cd-muted"))))
    return tag(
        "section",
        tag("h2", "Where it comes from", cls="cc-head"),
        tag("dl", *(join((tag("dt", name), tag("dd", value))) for name, value in rows if value), cls="cd-facts"),
    )


def _first_approvals(view: CandidateView) -> Markup:
    if not view.first_approvals:
        return _NOTHING
    one = view.first_approvals[0]
    return tag(
        "div",
        icon("how_to_reg"),
        tag("span", tag("b", f"{one.name} approved it "), when(one.at), f" — “{one.reason}” " if one.reason else " ", "It takes one more person."),
        cls="cd-band",
    )


def _before(view: CandidateView) -> Markup:
    """Return what was decided on the same claim before (R9)."""
    found = []
    for one in view.before:
        words = ROUTE_DONE.get(one.route or "", "") or one.status.lower()
        by = join((" by ", tag("b", one.name), " ", when(one.at))) if one.name else _NOTHING
        found.append(
            tag(
                "div",
                icon("history_toggle_off"),
                tag(
                    "span",
                    tag("b", "Decided before. "),
                    record_link(one.id, view.tenant),
                    f" said the same and was {words.lower()}",
                    by,
                    f": “{shorten(one.reason, 300)}”" if one.reason else ".",
                ),
                cls="cd-band cd-warnband",
            )
        )
    return join(found)


def _cell(near: Near | None, name: str, view: CandidateView) -> Any:
    line = view.line
    if near is None:
        mine = {
            "value": tag("b", value_text(line["value"], 600)), "scope": line["scope"], "valid": interval(line["valid_from"], line["valid_to"]),
            "source": ", ".join(dict.fromkeys(passage.title for passage in view.passages)) or "what it rests on", "accepted": "waits", "rests on it": plural(len(view.waiting_on_it), "record") if view.waiting_on_it else "nothing",
        }  # fmt: skip
        return mine[name]
    theirs = {
        "value": tag("b", value_text(near.value, 600)), "scope": near.scope, "valid": interval(near.valid_from, near.valid_to),
        "source": ", ".join(dict.fromkeys(near.sources)) or "what it rests on",
        "accepted": tag("span", f"since {exact_day(near.since)}, by {near.since_by}" if near.since else "", title=exact(near.since)), "rests on it": plural(near.direct, "record") + " directly" if near.direct else "nothing",
    }  # fmt: skip
    return theirs[name]


def _side_by_side(view: CandidateView) -> Markup:
    """Return the candidate beside what it would contradict."""
    if not view.contradicts:
        return _NOTHING
    sides: list[Near | None] = [None, *view.contradicts[:3]]
    head = [
        tag("th", ""),
        tag("th", "this candidate"),
        *(tag("th", badge(one.status), " ", record_link(one.id, view.tenant)) for one in view.contradicts[:3]),
    ]
    rows = [tag("tr", *head)]
    for name in ("value", "scope", "valid", "source", "accepted", "rests on it"):
        rows.append(tag("tr", tag("th", name), *(tag("td", _cell(side, name, view)) for side in sides)))
    more = tag("p", f"and {len(view.contradicts) - 3:,} more", cls="cd-muted") if len(view.contradicts) > 3 else None
    title = "It would contradict what is accepted" if len(view.contradicts) == 1 else f"It would contradict {len(view.contradicts):,} accepted claims"
    return tag(
        "section",
        tag("h2", icon("compare_arrows"), title, cls="cc-head cd-violet"),
        tag("div", tag("table", *rows, cls="cd-table cc-sides"), cls="cd-scroll"),
        more,
        cls="cd-card cc-against",
    )


def _against_band(view: CandidateView) -> Markup:
    """Return the line that says at once what would be contradicted; the comparison stands below the passage."""
    if not view.contradicts:
        return _NOTHING
    names = join(
        (join((tag("b", shorten(value_text(one.value), 60)), " (", record_link(one.id, view.tenant), ")")) for one in view.contradicts[:3]), ", "
    )
    return tag(
        "div",
        icon("compare_arrows"),
        tag("span", "It would contradict what is accepted: ", names, ". Approving asks which it is."),
        cls="cd-band cc-violetband",
    )


def _follows(view: CandidateView) -> Markup:
    """Return what approving does to others by itself."""
    found = []
    for one in view.ends:
        found.append(
            tag(
                "div",
                icon("timeline"),
                tag(
                    "span",
                    "A series: approving ends the validity of ",
                    record_link(one.id, view.tenant),
                    f" ({value_text(one.value, 80)}) where this one begins, {exact_day(view.line['valid_from'])}.",
                ),
                cls="cd-band",
            )
        )
    if view.fits_until:
        found.append(
            tag(
                "div",
                icon("timeline"),
                tag("span", f"A series: a later figure is accepted, so this one will hold until {exact_day(view.fits_until)} only."),
                cls="cd-band",
            )
        )
    for one in view.answers:
        found.append(
            tag(
                "div",
                icon("published_with_changes"),
                tag(
                    "span",
                    "It answers ",
                    record_link(one.id, view.tenant),
                    f" ({value_text(one.value, 80)}), which needs re-validation: approving replaces it.",
                ),
                cls="cd-band",
            )
        )
    return join(found)


def _near_row(one: Near, view: CandidateView, last: Any) -> Markup:
    value = value_text(one.value, 160) if one.kind == "claim" and one.value is not None else ""
    return tag(
        "tr",
        tag("td", badge(one.status, one.kind), tag("span", f" {one.note}", cls="cd-red cd-small") if one.note else None),
        tag("td", record_link(one.id, view.tenant), tag("div", one.title, cls="cd-muted cd-small")),
        tag("td", value),
        tag("td", last, cls="cd-keep cd-muted"),
    )


def _parents(view: CandidateView) -> Markup:
    shown = [one for one in view.parents if one.kind != "evidence"] or ([] if view.passages else list(view.parents))
    if not shown:
        return _NOTHING
    rows = [_near_row(one, view, interval(one.valid_from, one.valid_to) if one.kind == "claim" else "") for one in shown]
    more = tag("p", f"and {view.parents_count - len(view.parents):,} more", cls="cd-muted") if view.parents_count > len(view.parents) else None
    return tag("section", tag("h2", "What it rests on", cls="cc-head"), tag("div", tag("table", *rows, cls="cd-table"), cls="cd-scroll"), more, cls="cd-card")


def _similar(view: CandidateView) -> Markup:
    if not view.similar:
        return _NOTHING
    rows = [
        _near_row(
            one,
            view,
            join(
                (
                    tag("span", one.scope),
                    tag("div", qualifiers_text(one.qualifiers) or interval(one.valid_from, one.valid_to), cls="cd-muted cd-small"),
                )
            ),
        )
        for one in view.similar
    ]
    return tag(
        "section",
        tag("h2", "Similar claims: same subject and predicate, other scope or figure", cls="cc-head"),
        tag("div", tag("table", *rows, cls="cd-table"), cls="cd-scroll"),
        cls="cd-card",
    )


def _decided(view: CandidateView) -> Markup:
    if view.status == "CANDIDATE":
        return _NOTHING
    one: Decision | None = view.decided
    what = {"approve": "approved", "reject": "rejected"}.get(one.action, one.action) if one else "settled"
    who = (
        join((tag("b", f"{one.name} {what} it "), when(one.at), f": “{one.reason}”" if one.reason else ""))
        if one
        else Markup("It came into the store settled.")
    )
    return tag("div", icon("gavel"), tag("span", "Nothing waits here any more. ", who), cls="cd-band cd-goodband")


def draw_change(was: dict[str, Any], view: CandidateView) -> Markup:
    """Return what changed in a candidate since it was drawn, field by field."""
    rows = []
    for name in sorted({*was, *view.line}):
        before, after = was.get(name), view.line.get(name)
        if before != after and name != "contributors":
            shown = [json.dumps(one, ensure_ascii=False)[:400] if one is not None else "—" for one in (before, after)]
            rows.append(tag("tr", tag("th", name.replace("_", " ")), tag("td", tag("del", shown[0])), tag("td", tag("ins", shown[1]))))
    head = tag("tr", tag("th", ""), tag("th", "you saw"), tag("th", "now"))
    body = tag("table", head, *rows, cls="cd-table") if rows else tag("div", "Its content is the same; its version moved on.", cls="cd-muted")
    return tag("div", tag("b", "It changed since you looked. Your decision was not saved. "), body, cls="cd-band cd-warnband")


def draw_top(view: CandidateView) -> Markup:
    """Return the claim itself and what must be known before anything else is read."""
    return join((draw_head(view), _decided(view), _against_band(view), _first_approvals(view), _before(view), _follows(view)))


def draw_evidence(view: CandidateView) -> Markup:
    """Return the passages; where there are none, what it rests on."""
    if view.passages:
        return join(draw_passage(one, view.tenant) for one in view.passages)
    if view.withheld:
        return tag("div", "What it rested on is not shown.", cls="cd-card cd-muted")
    words = (
        "It gives no passage of its own; it is worked out from what it rests on."
        if view.kind == "claim"
        else "It is made from claims and has no passage of its own."
    )
    return join((tag("div", words, cls="cd-muted cd-small"), _parents(view) or tag("div", "It rests on nothing.", cls="cd-card cd-muted")))


def draw_aside(view: CandidateView) -> Markup:
    """Return the checks and where it comes from."""
    return tag("aside", _checks(view) if view.status == "CANDIDATE" else _NOTHING, _origin(view), cls="cc-aside")


def draw_around(view: CandidateView) -> Markup:
    """Return the comparison with what it would contradict, its parents beside a passage, and similar claims."""
    return join((_side_by_side(view), _parents(view) if view.passages else _NOTHING, _similar(view)))
