"""The lists behind the counts of a preview, drawn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pages.widgets.candidate_words import qualifiers_text, value_text
from pages.widgets.desk import Desk, attempt, person_name, record_link
from pages.widgets.language import later, listed, number, phrase, quote_store, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.plan_state import PAGE_ROWS, Place
from pages.widgets.plan_words import exactly, several, when
from pages.widgets.status import badge, change, icon
from store import Rehearsal, RowPage, Verb, explain_plan_path, spaced

_CHANGES = {
    "opened": (later("Opens"), "compare_arrows", "violet"),
    "dissolved": (later("Dissolves"), "check_circle", "teal"),
    "changed": (later("Gets other sides"), "compare_arrows", "violet"),
}
_SHOWN_LABELS = 10
#: How records are different from a preview by now, and the word before their links.
DRIFTED = {"added": later("added: {records}"), "removed": later("gone: {records}"), "changed": later("changed: {records}")}
_SHOWN_DRIFTED = 12


def draw_rows(desk: Desk, found: Rehearsal, place: Place, page: RowPage) -> Markup:
    """Return one page of the open list."""
    drawing = {"delivered": _changing, "affected": _changing, "stale": _changing, "owners": _owners, "answers": _answers, "conflicts": _conflicts,
               "blocked": _plain, "untouched": _plain, "told": _told}[place.tab]  # fmt: skip
    return tag("div", drawing(desk, found, place, page), _hidden(page), cls="cd-rows")


def name_drifted(tenant: str, ids: Mapping[str, Sequence[str]], counts: Mapping[str, int] | None = None) -> list[Markup]:
    """Return lines that name what is different from a preview by now.

    Args:
        ids: for each of `DRIFTED`, the records.
        counts: how many there are, where `ids` are not all.
    """
    lines = []
    for name, words in DRIFTED.items():
        if ids[name]:
            links = [record_link(one, tenant) for one in ids[name][:_SHOWN_DRIFTED]]
            lines.append(tag("div", phrase(words, records=listed(links, None, counts[name] if counts else len(ids[name])))))
    return lines


def _hidden(page: RowPage) -> Markup | None:
    if not page.hidden:
        return None
    words = say_count("{n} more in scopes you may not see.", "{n} more in scopes you may not see.", page.hidden)
    return tag("div", icon("visibility_off"), words, cls="cd-muted cd-hiddenline")


def _value(text: str | None) -> str:
    if text is None:
        return ""
    try:
        value = json.loads(text)
    except ValueError:
        return text[:120]
    return value_text(value)[:120]


def _changing(desk: Desk, found: Rehearsal, place: Place, page: RowPage) -> Markup:
    return join(_changing_row(desk, found, place, row) for row in page.items)


def _changing_row(desk: Desk, found: Rehearsal, place: Place, row: dict[str, Any]) -> Markup:
    what = say("{kind}, edition {edition}", kind=spaced(row["label"]), edition=row["edition"]) if row["kind"] == "artifact" and (row["edition"] or 1) > 1 else spaced(row["label"])
    via, steps = row["via"], row["distance"]
    if via is None:
        cause: Markup | str = say("its passage is blacked out") if found.plan.verb is Verb.ERASE and row["to"] == "STALE" else say("chosen by you")
    else:
        through = record_link(via["id"], found.tenant, via["title"][:110].rstrip(".。")) if via["id"] else say("something you may not see")
        cause = phrase("through {record}, {steps}", record=through, steps=several(steps, "step"))
    open_path = place.why == row["id"]
    toggle = None
    if steps > 1:
        words = say("close the path") if open_path else say("whole path")
        toggle = tag("a", words, cls="cd-link", href=place.link(why=None if open_path else row["id"]))
    stays = row["from"] == row["to"]
    moved = (
        tag("span", badge(row["from"], row["kind"]), tag("small", say("stays so"), cls="cd-muted"), cls="cd-change")
        if stays
        else change(row["from"], row["to"], row["kind"])
    )
    owner = person_name(row["owner"]) if row["owner"] else tag("em", say("nobody"), cls="cd-amber")
    return tag(
        "div",
        tag("div", record_link(row["id"], found.tenant, row["title"][:220]), tag("small", f"{what} · ", cause, " · " if toggle else None, toggle, cls="cd-muted"), _delivery(row), cls="cd-main"),
        tag("div", moved, tag("small", phrase("owner {owner}", owner=owner), cls="cd-muted"), cls="cd-moved"),
        tag("div", _path(desk, found, row["id"]), cls="cd-pathrow") if open_path else None,
        cls="cd-row",
    )  # fmt: skip


def _delivery(row: dict[str, Any]) -> Markup | None:
    sent = row["deliveries"]
    if not sent:
        return None
    last = sent[0]
    all_of_them = say("; ").join(
        say("{recipient} by {channel}, {moment}", recipient=one["recipient"], channel=one["channel"], moment=exactly(one["at"])) for one in sent[:20]
    )
    pieces = {"day": when(last["at"]), "recipient": last["recipient"][:80]}
    if last["at"] is None:
        words = say_count("sent once, to {recipient}", "sent {n}×, last to {recipient}", len(sent), **pieces)
    else:
        words = say_count("sent once, on {day} to {recipient}", "sent {n}×, last on {day} to {recipient}", len(sent), **pieces)
    return tag("div", icon("outgoing_mail"), words, cls="cd-sent", title=all_of_them)


def _path(desk: Desk, found: Rehearsal, record_id: str) -> Markup:
    path = attempt(lambda: explain_plan_path(desk.store, found, record_id))
    if path is None:
        return tag("span", say("There is no path that you may see."), cls="cd-muted")
    steps = []
    for one in path:
        name = record_link(one["id"], found.tenant, one["title"][:140]) if one["id"] else tag("span", say("something you may not see"))
        steps.append(tag("li", name, " ", badge(one["to"], one["kind"]) if one["from"] == one["to"] else change(one["from"], one["to"], one["kind"])))
    return tag("ol", *steps, cls="cd-path")


def _some(named: Iterable[Markup], more: int) -> Markup:
    """Return links one after the other, and how many there are beside."""
    shown = join(named, " · ")
    return phrase("{some} and {n} more", some=shown, n=number(more)) if more > 0 else shown


def _owners(desk: Desk, found: Rehearsal, place: Place, page: RowPage) -> Markup:  # noqa: ARG001 - one signature for all lists
    rows = [
        tag(
            "div",
            tag("div", tag("b", person_name(row["owner"])), tag("small", _some((record_link(one["id"], found.tenant, one["title"][:90]) for one in row["named"]), row["artifacts"] - len(row["named"])), cls="cd-muted"), cls="cd-main"),
            tag("div", several(row["artifacts"], "artifact"), cls="cd-moved cd-num"), cls="cd-row cd-two-columns",
        )
        for row in page.items
    ]  # fmt: skip
    if found.unowned:
        missing = join((record_link(one, found.tenant, found.titles.get(one, one)[:90]) for one in found.unowned[:20]), ", ")
        rows.insert(0, tag("div", tag("div", tag("b", icon("person_off"), say("Nobody"), cls="cd-amber"), tag("small", missing, cls="cd-muted"), cls="cd-main"),
                           tag("div", several(len(found.unowned), "artifact"), cls="cd-moved cd-num"), cls="cd-row cd-two-columns"))  # fmt: skip
    return join(rows)


def key_words(row: dict[str, Any]) -> Markup:
    """Return what is asked, for people: subject, predicate, qualifiers."""
    more = qualifiers_text(row["qualifiers"])
    return join(
        (
            tag("b", row["subject"][:120]),
            " · ",
            spaced(row["predicate"])[:80],
            tag("small", f"{more[:160]}{' · ' if more else ''}{row['scope']}", cls="cd-muted"),
        )
    )


def _answers(desk: Desk, found: Rehearsal, place: Place, page: RowPage) -> Markup:  # noqa: ARG001
    return join(
        tag(
            "div",
            tag("div", key_words(row), cls="cd-main"),
            tag("div", change(row["before"], row["after"]), cls="cd-moved"),
            cls="cd-row cd-two-columns",
        )
        for row in page.items
    )


def _conflicts(desk: Desk, found: Rehearsal, place: Place, page: RowPage) -> Markup:  # noqa: ARG001
    rows = []
    for row in page.items:
        word, symbol, tone = _CHANGES[row["change"]]
        sides = [tag("li", tag("b", _value(side["text"])), " ", record_link(side["id"], found.tenant), " ",
                     badge(side["to"]) if side["from"] == side["to"] else change(side["from"], side["to"])) for side in row["sides"]]  # fmt: skip
        rows.append(
            tag(
                "div",
                tag("div", key_words(row), tag("ul", *sides, cls="cd-sides"), cls="cd-main"),
                tag("div", tag("span", icon(symbol), say(word), cls=f"cd-status cd-{tone}"), cls="cd-moved"),
                cls="cd-row cd-two-columns",
            )
        )
    return join(rows)


def _plain(desk: Desk, found: Rehearsal, place: Place, page: RowPage) -> Markup:  # noqa: ARG001
    rows = []
    for row in page.items:
        why = say("cannot be approved afterwards") if place.tab == "blocked" else quote_store(row["why"])
        what = tag("small", spaced(row["label"]), " · ", why, cls="cd-muted")
        rows.append(tag("div", tag("div", record_link(row["id"], found.tenant, row["title"][:220]), what, cls="cd-main"), tag("div", badge(row["status"], row["kind"]), tag("small", phrase("owner {owner}", owner=person_name(row["owner"]) if row["owner"] else say("nobody")), cls="cd-muted"), cls="cd-moved"),
                        cls="cd-row cd-two-columns"))  # fmt: skip
    return join(rows)


def _told(desk: Desk, found: Rehearsal, place: Place, page: RowPage) -> Markup:  # noqa: ARG001
    rows = []
    for row in page.items:
        asked = f"{row['subject']} · {spaced(row['predicate'])}" if row["subject"] else say("task {task}", task=row["task"]) if row["task"] else say("something")
        named = _some((record_link(one["id"], found.tenant, one["title"][:90]) for one in row["records"]), row["count"] - len(row["records"]))
        read = phrase("{who} read {what}", who=tag("b", row["by"] or say("somebody")), what=asked[:160])
        rows.append(tag("div", tag("div", read, tag("small", named, cls="cd-muted"), cls="cd-main"),
                        tag("div", several(row["count"], "record"), tag("small", when(row["at"]), title=exactly(row["at"])), cls="cd-moved cd-num"), cls="cd-row cd-two-columns"))  # fmt: skip
    return join(rows)


# --- folded -------------------------------------------------------------------------------------------------------


def draw_folded(found: Rehearsal, place: Place) -> Markup:
    """Return the groups of everything that changes: by distance, step and kind, within them by predicate; their counts sum to the total."""
    stale_only = place.tab == "stale"
    groups = [group for group in found.folded.groups if not stale_only or group.after == "STALE"]
    sections: dict[tuple[int, str, str, str], list[Any]] = {}
    for group in groups:
        sections.setdefault((group.distance, group.kind, group.before, group.after), []).append(group)
    lines = []
    for (distance, kind, before, after), some in sorted(sections.items(), key=lambda item: (item[0][0], item[0][1] != "artifact", item[0][1:])):
        count, numbers = sum(group.count for group in some), tuple(group.number for group in some)
        where = say("its passage is blacked out") if distance == 0 and after == "STALE" and found.plan.verb is Verb.ERASE else say("chosen by you") if distance == 0 else several(distance, "step")
        chips = [
            tag("a", spaced(group.label) or say("other"), tag("b", number(group.count)), cls="cd-link cd-fold cd-here" if place.groups == (group.number,) else "cd-link cd-fold",
                href=place.link(groups=() if place.groups == (group.number,) else (group.number,)))
            for group in some
        ]  # fmt: skip
        more = (
            tag("details", tag("summary", say("{n} more", n=number(len(chips) - _SHOWN_LABELS))), *chips[_SHOWN_LABELS:])
            if len(chips) > _SHOWN_LABELS + 2
            else None
        )
        shown = chips if more is None else chips[:_SHOWN_LABELS]
        here = place.groups == numbers
        head = tag("a", several(count, kind), cls="cd-link cd-here" if here else "cd-link", href=place.link(groups=() if here else numbers))
        lines.append(
            tag(
                "div",
                tag("div", head, tag("small", where, cls="cd-muted"), cls="cd-foldhead"),
                tag("div", change(before, after, kind), cls="cd-moved"),
                tag("div", *shown, more, cls="cd-folds"),
                cls="cd-foldrow",
            )
        )
    total = sum(group.count for group in groups)
    return tag("div", *lines, tag("div", say_count("Together {n} record, which is all of them.", "Together {n} records, which is all of them.", total), cls="cd-muted cd-small"), cls="cd-folded")


def pager(place: Place, page: RowPage) -> Markup:
    """Return where in the list one is, and the ways on and back."""
    visible = page.total - page.hidden
    last = max(1, -(-visible // PAGE_ROWS))
    if last == 1:
        return Markup("")
    first_row, last_row = (place.page - 1) * PAGE_ROWS + 1, min(place.page * PAGE_ROWS, visible)
    back = tag("a", icon("chevron_left"), say("Back"), cls="cd-link", href=place.link(page=place.page - 1)) if place.page > 1 else None
    on = tag("a", say("On"), icon("chevron_right"), cls="cd-link", href=place.link(page=place.page + 1)) if place.page < last else None
    where = say("{first}–{last} of {n}", first=number(first_row), last=number(last_row), n=number(visible))
    return tag("div", back, tag("span", where, cls="cd-muted"), on, cls="cd-pager")
