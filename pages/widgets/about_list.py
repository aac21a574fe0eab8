"""The claims about a subject as dense lists: by predicate, what stands shown and the rest behind its counts."""

from __future__ import annotations

from pages.widgets.about_place import Place
from pages.widgets.candidate_words import interval, moment, qualifiers_text, shorten, value_text
from pages.widgets.desk import record_link
from pages.widgets.language import phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, long_text, tag
from pages.widgets.moments import say_day
from pages.widgets.status import badge, icon, word
from store import GROUPS, ROWS, SubjectGroup, SubjectRow, SubjectView

#: Ways to look that are no status: (icon, words).
_FLAGS = {"contested": "compare_arrows", "expired": "event_busy", "served_now": "outgoing_mail"}


def state_words(state: str) -> str:
    """Return what a way to look at the claims is called."""
    if state == "held":
        return say("held")
    if state == "contested":
        return say("in an open conflict")
    if state == "expired":
        return say("expired")
    if state == "served_now":
        return say("served to agents now")
    return word(state.upper()).lower()


def draw_counts(view: SubjectView, place: Place) -> None:
    """Draw the counts, each a way to the list it counts."""
    links = []
    for state, count in view.counts.items():
        if not count:
            continue
        here = place.state == state or (state == "held" and place.state is None and place.predicate is None)
        target = place.link(state=None if state == "held" else state, predicate=None)
        links.append(
            tag("a", tag("b", f"{count:,}"), state_words(state), cls="cd-link ca-count ca-here" if here else "cd-link ca-count", href=target)
        )
    draw(tag("nav", *links, cls="ca-counts", label=say("What is shown")))


def _marks(row: SubjectRow) -> Markup:
    marks = [badge(row.status)]
    if row.same:
        marks.append(tag("span", say_count("{n} claim says so", "{n} claims say so", row.same + 1), cls="cd-muted cd-small"))
    if row.contested:
        marks.append(tag("span", icon(_FLAGS["contested"]), say("in conflict"), cls="cd-status cd-violet"))
    if row.expired:
        marks.append(tag("span", icon(_FLAGS["expired"]), say("expired"), cls="cd-status cd-amber"))
    return tag("div", *marks, cls="ca-marks")


def _sources(row: SubjectRow) -> Markup:
    parts = [title or say("a source outside your scopes") for title in row.sources[:3]]
    if len(row.sources) > 3:
        parts.append(say_count("and {n} more source", "and {n} more sources", len(row.sources) - 3))
    if row.derived:
        parts.append(say_count("worked out from {n} record", "worked out from {n} records", row.derived))
    return join(tag("span", shorten(part, 70), cls="ca-source") for part in parts or [say("no source")])


def _valid(row: SubjectRow) -> str:
    if row.valid_from or row.valid_to:
        return interval(row.valid_from, row.valid_to)
    return say("observed {day}", day=say_day(moment(row.observed_at))) if row.observed_at else say("always")


def _cells(row: SubjectRow, tenant: str) -> tuple[Markup, ...]:
    if row.withheld:
        value = record_link(row.id, tenant, say("not shown"))
    else:
        text = value_text(row.value)
        # A long value opens on the record's page; here it is one line of a list.
        value = record_link(row.id, tenant, shorten(text, 160))
    return (
        tag("td", value, cls="ca-value"), tag("td", long_text(qualifiers_text(row.qualifiers), 90), cls="cd-muted"), tag("td", _valid(row), cls="cd-muted ca-when"),
        tag("td", _sources(row), cls="cd-muted"), tag("td", _marks(row)),
    )  # fmt: skip


def _head(first: str | None) -> Markup:
    names = [say("value"), say("which"), say("holds"), say("source"), say("state")]
    return tag("thead", tag("tr", tag("th", first) if first else None, *(tag("th", name) for name in names)))


def _more(group: SubjectGroup, place: Place) -> Markup:
    """Return what a group does not show by itself, each count a way to its list."""
    here = place.link(predicate=group.predicate, state=None)
    links = [tag("a", say_count("{n} more like these", "{n} more like these", group.more), cls="cd-link", href=here)] if group.more else []
    shown = {row.status for row in group.rows}
    for status, count in group.states.items():
        if status not in shown:
            target = place.link(predicate=group.predicate, state=status.lower())
            links.append(tag("a", f"{count:,} ", word(status).lower(), cls="cd-link", href=target))
    return tag("div", *links, cls="ca-more") if links else Markup("")


def _group_rows(group: SubjectGroup, place: Place, tenant: str) -> list[Markup]:
    name = tag("a", group.predicate.replace("_", " ")[:120], cls="cd-link ca-predicate", href=place.link(predicate=group.predicate, state=None))
    first = tag("td", name, _more(group, place), cls="ca-name")
    return [
        tag("tr", first if at == 0 else tag("td"), *_cells(row, tenant), cls="ca-first" if at == 0 else "") for at, row in enumerate(group.rows)
    ]  # fmt: skip


def draw_groups(view: SubjectView, place: Place) -> None:
    """Draw everything held by predicate; scopes stand apart, because nothing in one speaks for another."""
    apart = len(view.scopes) > 1
    scope: str | None = None
    pieces: list[Markup] = []
    rows: list[Markup] = []

    def close() -> None:
        if rows:
            pieces.append(tag("div", tag("table", _head(say("what")), tag("tbody", *rows), cls="cd-table ca-table"), cls="cd-scroll"))
            rows.clear()

    for group in view.groups:
        if group.scope != scope:
            close()
            scope = group.scope
            if apart:
                count = say_count("{n} claim", "{n} claims", view.scopes[scope])
                pieces.append(
                    tag(
                        "h2", phrase("In {scope}", scope=tag("b", shorten(scope, 120))), tag("span", count, cls="cd-tally"), cls="cd-heading ca-scope"
                    )
                )
        rows.extend(_group_rows(group, place, view.tenant))
    close()
    draw(*([] if apart else [tag("h2", say("What is held"), cls="cd-heading")]), *pieces)
    _draw_pager(place, len(view.groups), view.groups_total, GROUPS, say_count("of {n} predicate", "of {n} predicates", view.groups_total))


def draw_rows(view: SubjectView, place: Place) -> None:
    """Draw the list asked for: one predicate, one state, or both."""
    assert view.rows is not None
    what = [tag("b", place.predicate.replace("_", " ")[:120])] if place.predicate else []
    if place.state:
        what.append(tag("span", state_words(place.state)))
    title = phrase_count("{n} claim: {what}", "{n} claims: {what}", view.rows_total, what=join(what, ", "))
    draw(
        tag("div", tag("a", say("← Everything about it"), cls="cd-link", href=place.link(predicate=None, state=None)), cls="cd-small"),
        tag("h2", title, cls="cd-heading"),
    )
    if not view.rows:
        draw(
            tag("div", tag("b", say("No claim about it is in this list")), say("Something may have changed since the link was made."), cls="cd-empty")
        )
        return
    apart = len(view.scopes) > 1
    rows = []
    for row in view.rows:
        name = tag("span", row.predicate.replace("_", " ")[:120], cls="ca-predicate")
        where = tag("div", shorten(row.scope, 60), cls="cd-muted cd-small") if apart else None
        rows.append(tag("tr", tag("td", name, where, cls="ca-name"), *_cells(row, view.tenant), cls="ca-first"))
    draw(tag("div", tag("table", _head(say("what")), tag("tbody", *rows), cls="cd-table ca-table"), cls="cd-scroll"))
    _draw_pager(place, len(view.rows), view.rows_total, ROWS, say_count("of {n} claim", "of {n} claims", view.rows_total))


def _draw_pager(place: Place, shown: int, total: int, page: int, of: str) -> None:
    if place.whole or total <= shown:
        return
    before = tag("a", say("← before"), cls="cd-link", href=place.link(start=max(0, place.start - page))) if place.start else None
    after = tag("a", say("after →"), cls="cd-link", href=place.link(start=place.start + page)) if place.start + shown < total else None
    draw(
        tag(
            "div",
            before,
            tag("span", say("{first}–{last} {of}", first=f"{place.start + 1:,}", last=f"{place.start + shown:,}", of=of), cls="cd-muted"),
            after,
            cls="cd-pager",
        )
    )
