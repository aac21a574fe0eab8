"""One candidate, everything a decision needs: the claim large, the passage beside the checks, what approving would meet."""

from __future__ import annotations

import json
from typing import Any

from pages.widgets.candidate_change import draw_previous, draw_questions, in_quote_line, newer_line
from pages.widgets.candidate_passage import draw_passage
from pages.widgets.candidate_words import CHECK_WORDS, ROUTE_DONE, exact, exact_day, interval, qualifiers_text, shorten, value_text, when
from pages.widgets.desk import person_name, record_link
from pages.widgets.language import language, later, listed, number, phrase, quote_store, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.status import badge, icon, word
from store import CandidateView, Decision, Near, spaced

_NOTHING = Markup("")
_MEND = {
    "owner": later("Set it under Terms."), "review_date": later("Set it under Terms."), "entity_resolved": later("Confirm it under Terms."), "scope": later("See Terms."),
    "recorded_dependencies": later("Answer below."), "source_bound": later("Amend it below, or reject."), "extraction_recorded": later("Reject it, or let its author record it."),
}  # fmt: skip


def draw_head(view: CandidateView) -> Markup:
    """Return the claim itself: what it says, which value, what stood before, where and when it would hold."""
    line = view.line
    marks = [badge(view.status, view.kind), tag("span", line.get("claim_type") or line.get("artifact_type"), cls="cc-chip")]
    if view.high_impact:
        marks.append(tag("span", icon("priority_high"), say("high impact"), cls="cc-chip cd-amber"))
    question = tag(
        "div",
        tag("span", view.title),
        *([tag("span", f"  {qualifiers_text(line.get('qualifiers'))}", cls="cd-muted")] if line.get("qualifiers") else []),
        cls="cc-question",
    )
    parts = [tag("div", question, tag("div", *marks, cls="cc-marks"), cls="cc-headline")]
    if view.kind == "claim":
        value = say("Withheld: it was rejected as too sensitive.") if view.withheld else value_text(line["value"])
        parts.append(tag("div", value, cls="cd-value cc-big" + (" cc-long" if len(value) > 160 else "") + (" ct-veiled" if view.veiled else "")))
        parts.append(draw_previous(view))
        if line.get("statement") and not view.veiled:
            parts.append(tag("p", line["statement"][:4000], cls="cc-statement"))
        if line["sensitivity"] != "normal" and not view.veiled:
            marked = say("Marked {sensitivity}.", sensitivity=line["sensitivity"])
            parts.append(tag("div", icon("visibility_lock"), marked, cls="cd-band cd-warnband"))
    else:
        parts.append(tag("div", (line.get("body") or say("It has no text."))[:6000], cls="cd-passage cc-body"))
    facts = [(say("scope"), line["scope"])]
    if view.kind == "claim":
        facts.append((say("valid"), interval(line["valid_from"], line["valid_to"])))
        facts += [(say("speaker"), line["speaker"]), (say("conditions"), line["conditions"])]
        if line["purposes"] != ["*"]:
            facts.append((say("only for"), ", ".join(line["purposes"])))
    facts += [
        (say("owner"), person_name(line["owner"]) if line["owner"] else say("nobody")), (say("expires"), exact_day(line["expires_at"])), (say("review"), exact_day(line["review_at"])),
    ]  # fmt: skip
    parts.append(tag("div", *(tag("span", tag("i", name), str(value)[:600]) for name, value in facts if value), cls="cc-inline"))
    return tag("div", *parts, cls="cc-head")


def _checks(view: CandidateView) -> Markup:
    failed = [check for check in view.checks if not check["ok"]]
    passed = [check for check in view.checks if check["ok"]]
    rows = [
        tag("li", icon("cancel"), tag("span", tag("b", say(CHECK_WORDS[check["name"]])), quote_store(check["message"][:600]), tag("i", say(_MEND.get(check["name"], "")))), cls="cc-bad")
        for check in failed
    ]  # fmt: skip
    rows += [tag("li", icon("check"), tag("span", say(CHECK_WORDS[check["name"]]), title=check["message"][:600] if language() == "en" else None), cls="cc-ok") for check in passed]
    title = say("All {n} checks pass", n=len(view.checks))
    if failed:
        title = say("{some} of {all} checks pass", some=len(passed), all=len(view.checks))
    return tag("section", tag("h2", title, cls="cc-head"), tag("ul", *rows, cls="cc-checklist"))


def _origin(view: CandidateView) -> Markup:
    line = view.line
    by = line.get("proposed_by") or view.importer
    rows: list[tuple[str, Any]] = [(say("proposed by"), tag("span", person_name(by), " ", tag("span", when(view.proposed_at), cls="cd-muted")))]
    if line.get("extraction"):
        rows.append((say("taken by"), " ".join(str(part) for part in line["extraction"].values())[:200]))
    rows += [(say("task"), line.get("task")), (say("authority"), spaced(line.get("authority") or ""))]
    roots = say_count("{n} independent root", "{n} independent roots", view.independent_roots)
    if view.roots != view.independent_roots:
        roots = say("{roots} ({n} in all)", roots=roots, n=number(view.roots))
    rows.append((say("rests on"), tag("span", roots, cls="" if view.independent_roots else "cd-red")))
    if view.waiting_on_it:
        rows.append((say("waits for it"), join((record_link(one.id, view.tenant) for one in view.waiting_on_it[:6]), ", ")))
    version = tag("span", " · ", say("version {n}", n=view.version), cls="cd-muted")
    rows.append((say("id"), tag("span", record_link(view.id, view.tenant), version)))
    return tag(
        "section",
        tag("h2", say("Where it comes from"), cls="cc-head"),
        tag("dl", *(join((tag("dt", name), tag("dd", value))) for name, value in rows if value), cls="cd-facts"),
    )


def _first_approvals(view: CandidateView) -> Markup:
    if not view.first_approvals:
        return _NOTHING
    one = view.first_approvals[0]
    words = phrase("{who} {when} — {reason} It takes one more person.", who=tag("b", say("{name} approved it", name=one.name)), when=when(one.at), reason=f"“{one.reason}”" if one.reason else "")
    return tag("div", icon("how_to_reg"), tag("span", words), cls="cd-band")


def _before(view: CandidateView) -> Markup:
    """Return what was decided on the same claim before (R9)."""
    found = []
    for one in view.before:
        done = say(ROUTE_DONE[one.route]) if one.route in ROUTE_DONE else word(one.status) if one.status else one.action
        reason = f"“{shorten(one.reason, 300)}”" if one.reason else ""
        told = {"link": record_link(one.id, view.tenant), "done": done.lower(), "reason": reason}
        if one.name:
            words = phrase("{link} said the same and was {done} by {name} {when}. {reason}", name=tag("b", one.name), when=when(one.at), **told)
        else:
            words = phrase("{link} said the same and was {done}. {reason}", **told)
        found.append(tag("div", icon("history_toggle_off"), tag("span", tag("b", say("Decided before.")), " ", words), cls="cd-band cd-warnband"))
    return join(found)


def _against_band(view: CandidateView) -> Markup:
    """Return the line that says at once what would be contradicted; the comparison stands below the passage."""
    if not view.contradicts:
        return _NOTHING
    names = listed([join((tag("b", shorten(value_text(one.value), 60)), " (", record_link(one.id, view.tenant), ")")) for one in view.contradicts[:3]])
    words = phrase("It would contradict what is accepted: {names}. Approving asks how it is meant.", names=names)
    return tag("div", icon("compare_arrows"), tag("span", words), cls="cd-band cc-violetband")


def _too_band(view: CandidateView) -> Markup:
    """Return the other candidates of the same question."""
    if not view.proposed_too:
        return _NOTHING
    names = [join((tag("b", shorten(value_text(one.value), 60)), " (", record_link(one.id, view.tenant), ")")) for one in view.proposed_too]
    words = phrase("Also waiting with this question: {names}.", names=listed(names, most=4 if len(names) > 5 else None))
    return tag("div", icon("stacks"), tag("span", words), cls="cd-band")


def _follows(view: CandidateView) -> Markup:
    """Return what approving does to others by itself."""
    found = []
    for one in view.ends:
        words = phrase(
            "A series: approving ends the validity of {link} ({value}) where this one begins, {day}.",
            link=record_link(one.id, view.tenant), value=value_text(one.value, 80), day=exact_day(view.line["valid_from"]),
        )  # fmt: skip
        found.append(tag("div", icon("timeline"), tag("span", words), cls="cd-band"))
    if view.fits_until:
        words = phrase("A series: a later figure is accepted, so this one will hold until {day} only.", day=exact_day(view.fits_until))
        found.append(tag("div", icon("timeline"), tag("span", words), cls="cd-band"))
    for one in view.answers:
        words = phrase(
            "It answers {link} ({value}), which needs re-validation: approving replaces it.",
            link=record_link(one.id, view.tenant), value=value_text(one.value, 80),
        )  # fmt: skip
        found.append(tag("div", icon("published_with_changes"), tag("span", words), cls="cd-band"))
    return join(found)


def _decided(view: CandidateView) -> Markup:
    if view.status == "CANDIDATE":
        return _NOTHING
    one: Decision | None = view.decided
    who = phrase("It came into the store settled.")
    if one is not None:
        words = {"approve": later("{name} approved it {when}. {reason}"), "reject": later("{name} rejected it {when}. {reason}")}
        told = words.get(one.action, later("{name} settled it {when}. {reason}"))
        who = phrase(told, name=tag("b", one.name), when=when(one.at), reason=f"“{one.reason}”" if one.reason else "")
    out = None
    if view.status == "DISPUTED":
        # Whoever asks how both are meant sets both aside; so does whoever suspends it later.
        out = phrase("It is set aside until somebody settles it: {record} says what waits.", record=record_link(view.id, view.tenant, say("its record")))
    return tag("div", icon("gavel"), tag("span", say("Nothing waits here any more."), " ", who, " ", out), cls="cd-band cd-goodband")


def draw_change(was: dict[str, Any], view: CandidateView) -> Markup:
    """Return what changed in a candidate since it was drawn, field by field."""
    rows = []
    for name in sorted({*was, *view.line}):
        before, after = was.get(name), view.line.get(name)
        if before != after and name != "contributors":
            shown = [json.dumps(one, ensure_ascii=False)[:400] if one is not None else "—" for one in (before, after)]
            rows.append(tag("tr", tag("th", name.replace("_", " ")), tag("td", tag("del", shown[0])), tag("td", tag("ins", shown[1]))))
    head = tag("tr", tag("th", ""), tag("th", say("you saw")), tag("th", say("now")))
    same = tag("div", say("Its content is the same; its version moved on."), cls="cd-muted")
    body = tag("table", head, *rows, cls="cd-table") if rows else same
    return tag("div", tag("b", say("It changed since you looked. Your decision was not saved.")), body, cls="cd-band cd-warnband")


def draw_top(view: CandidateView) -> Markup:
    """Return the claim itself and what must be known before anything else is read."""
    bands = (_decided(view), _against_band(view), _too_band(view), _first_approvals(view), _before(view), _follows(view), draw_questions(view))
    return join((draw_head(view), *bands))


def draw_evidence(view: CandidateView) -> Markup:
    """Return the passages; where there are none, what it rests on."""
    if view.passages:
        parts: list[Markup] = [in_quote_line(view.in_quote)]
        for place, one in enumerate(view.passages):
            parts += [*_newer(view, place), draw_passage(one, view.tenant)]
        return join(parts)
    if view.withheld:
        return tag("div", say("What it rested on is not shown."), cls="cd-card cd-muted")
    words = say("It gives no passage of its own; it is worked out from what it rests on.")
    if view.kind != "claim":
        words = say("It is made from claims and has no passage of its own.")
    nothing = tag("div", say("It rests on nothing."), cls="cd-card cd-muted")
    return join((tag("div", words, cls="cd-muted cd-small"), draw_parents(view) or nothing))


def _newer(view: CandidateView, place: int) -> list[Markup]:
    return [newer_line(view.newer[place], view.tenant)] if place < len(view.newer) else []


def draw_aside(view: CandidateView) -> Markup:
    """Return the checks and where it comes from."""
    return tag("aside", _checks(view) if view.status == "CANDIDATE" else _NOTHING, _origin(view), cls="cc-aside")


# --- what stands around it ----------------------------------------------------------------------------------------


def _cell(near: Near | None, name: str, view: CandidateView) -> Any:
    line = view.line
    if near is None:
        count = len(view.waiting_on_it)
        mine = {
            "value": tag("b", value_text(line["value"], 600)), "scope": line["scope"], "valid": interval(line["valid_from"], line["valid_to"]),
            "source": ", ".join(dict.fromkeys(passage.title for passage in view.passages)) or say("what it rests on"), "accepted": say("waits"),
            "below": say_count("{n} record", "{n} records", count) if count else say("nothing"),
        }  # fmt: skip
        return mine[name]
    since = tag("span", say("since {day}, by {name}", day=exact_day(near.since), name=near.since_by), title=exact(near.since)) if near.since else ""
    theirs = {
        "value": tag("b", value_text(near.value, 600)), "scope": near.scope, "valid": interval(near.valid_from, near.valid_to),
        "source": ", ".join(dict.fromkeys(near.sources)) or say("what it rests on"), "accepted": since,
        "below": say_count("{n} record directly", "{n} records directly", near.direct) if near.direct else say("nothing"),
    }  # fmt: skip
    return theirs[name]


_SIDES = {
    "value": later("value"), "scope": later("scope"), "valid": later("valid"), "source": later("source"), "accepted": later("accepted"), "below": later("rests on it"),
}  # fmt: skip


def _side_by_side(view: CandidateView) -> Markup:
    """Return the candidate beside what it would contradict."""
    if not view.contradicts:
        return _NOTHING
    sides: list[Near | None] = [None, *view.contradicts[:3]]
    head = [
        tag("th", ""),
        tag("th", say("this candidate")),
        *(tag("th", badge(one.status), " ", record_link(one.id, view.tenant)) for one in view.contradicts[:3]),
    ]
    rows = [tag("tr", *head)]
    for name, words in _SIDES.items():
        rows.append(tag("tr", tag("th", say(words)), *(tag("td", _cell(side, name, view)) for side in sides)))
    left = len(view.contradicts) - 3
    more = tag("p", say_count("and {n} more", "and {n} more", left), cls="cd-muted") if left > 0 else None
    title = say_count("It would contradict what is accepted", "It would contradict {n} accepted claims", len(view.contradicts))
    return tag(
        "section",
        tag("h2", icon("compare_arrows"), title, cls="cc-head cd-violet"),
        tag("div", tag("table", *rows, cls="cd-table cc-sides"), cls="cd-scroll"),
        more,
        cls="cd-card cc-against",
    )


_NOTES = (later("expired"), later("in an open conflict"))


def _near_row(one: Near, view: CandidateView, last: Any) -> Markup:
    value = value_text(one.value, 160) if one.kind == "claim" and one.value is not None else ""
    note = say(one.note) if one.note in _NOTES else one.note
    return tag(
        "tr",
        tag("td", badge(one.status, one.kind), tag("span", " ", note, cls="cd-red cd-small") if note else None),
        tag("td", record_link(one.id, view.tenant), tag("div", one.title, cls="cd-muted cd-small")),
        tag("td", value),
        tag("td", last, cls="cd-keep cd-muted"),
    )


def _near_table(title: str, rows: list[Markup], more: Markup | None = None) -> Markup:
    return tag("section", tag("h2", title, cls="cc-head"), tag("div", tag("table", *rows, cls="cd-table"), cls="cd-scroll"), more, cls="cd-card")


def draw_parents(view: CandidateView) -> Markup:
    """Return what it rests on, with values; evidence only where there is no passage to show."""
    shown = [one for one in view.parents if one.kind != "evidence"] or ([] if view.passages else list(view.parents))
    if not shown:
        return _NOTHING
    rows = [_near_row(one, view, interval(one.valid_from, one.valid_to) if one.kind == "claim" else "") for one in shown]
    left = view.parents_count - len(view.parents)
    more = tag("p", say_count("and {n} more", "and {n} more", left), cls="cd-muted") if left > 0 else None
    return _near_table(say("What it rests on"), rows, more)


def _similar(view: CandidateView) -> Markup:
    if not view.similar:
        return _NOTHING
    rows = []
    for one in view.similar:
        where = qualifiers_text(one.qualifiers) or interval(one.valid_from, one.valid_to)
        rows.append(_near_row(one, view, join((tag("span", one.scope), tag("div", where, cls="cd-muted cd-small")))))
    return _near_table(say("Similar claims: same subject and predicate, other scope or figure"), rows)


def draw_around(view: CandidateView) -> Markup:
    """Return the comparison with what it would contradict, its parents beside a passage, and similar claims."""
    return join((_side_by_side(view), draw_parents(view) if view.passages else _NOTHING, _similar(view)))
