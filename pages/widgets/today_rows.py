"""The rows of the day: a record or a conflict, why it is here, and since when."""

from __future__ import annotations

from collections.abc import Sequence

from pages.widgets.desk import address, person_name, record_address
from pages.widgets.language import later, number, phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, say_day, say_minute, when
from pages.widgets.status import badge, icon
from pages.widgets.today_place import candidate_address
from store import AgendaRow, WaitingConflict, spaced

#: Why something needs re-validation, by the action that caused it.
_FELL = {
    "revoke": later("what it rests on was withdrawn by {name}"), "suspend": later("what it rests on was stopped by {name}"),
    "supersede": later("what it rests on was replaced by {name}"), "approve": later("what it rests on was replaced by {name}"),
    "resolve": later("a conflict below it was decided by {name}"), "settle": later("a conflict below it was decided by {name}"),
    "ask_which": later("{name} asked how what it rests on is meant"),
}  # fmt: skip
_LONGEST = 140


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def row_of(title: Markup, why: Markup | str, since: Markup | str, mark: Markup | None = None) -> Markup:
    """Return one row: a mark, what it is, why it is here, since when."""
    return tag("li", mark, tag("div", title, tag("div", why, cls="cy-why"), cls="cy-what"), tag("span", since, cls="cy-since"), cls="cy-row")


def list_of(rows: Sequence[Markup]) -> Markup:
    """Return rows as a list."""
    return tag("ul", *rows, cls="cy-rows")


def heading(words: str, count: int | None = None) -> Markup:
    """Return the heading of a section, with how many it holds."""
    return tag("h2", words, tag("span", number(count), cls="cd-tally") if count is not None else None, cls="cd-heading")


def note(*parts: Markup | str) -> Markup:
    """Return what is said of a section in small print."""
    return tag("p", join(parts, " · "), cls="cd-muted cd-small cy-note")


def more_link(shown: int, total: int, href: str) -> Markup | None:
    """Return the way to the whole list, where only its beginning is shown."""
    if total <= shown:
        return None
    return tag("div", tag("a", say_count("All {n}", "All {n}", total), cls="cd-link", href=href), cls="cy-more")


def draw_more(shown: int, total: int, href: str) -> None:
    """Draw the way to the whole list, where only its beginning is shown."""
    more = more_link(shown, total, href)
    if more is not None:
        draw(more)


def draw_section(*parts: Markup | None) -> None:
    """Draw a section as one piece."""
    draw(tag("section", *parts))


def _titled(row: AgendaRow, href: str | None) -> Markup:
    title = _short(row.title)
    return tag("a", title, cls="cd-link cy-title", href=href) if href else tag("span", title, cls="cy-title")


def candidate_row(row: AgendaRow, scope: str | None) -> Markup:
    """Return the row of a candidate that waits."""
    return row_of(_titled(row, candidate_address(row, scope)), row.scope, _since(row), icon("pending"))


def second_row(row: AgendaRow, scope: str | None) -> Markup:
    """Return the row of a candidate that takes a second approval."""
    why = phrase("{name} approved it; it takes a second person", name=tag("b", (row.by or "")[:60]))
    return row_of(_titled(row, candidate_address(row, scope)), why, _since(row), icon("how_to_reg"))


def stale_row(row: AgendaRow, scope: str | None) -> Markup:  # noqa: ARG001 - every row is drawn with the same arguments
    """Return the row of one's own record that needs re-validation."""
    href = record_address(row.id, row.tenant) if row.readable else None
    fell = phrase(_FELL[row.action], name=tag("b", row.by[:60])) if row.action in _FELL and row.by else None
    parts = [tag("span", say("delivered"), cls="cd-lost") if row.delivered else None, fell, row.scope]
    return row_of(
        _titled(row, href), join((part for part in parts if part is not None), " · "), _since(row), icon("outbox" if row.delivered else "history")
    )


def action_row(row: AgendaRow, scope: str | None) -> Markup:  # noqa: ARG001 - every row is drawn with the same arguments
    """Return the row of a high-impact action that is blocked."""
    if not row.parents:
        why: Markup | str = say("It rests on nothing, so nothing supports it")
    else:
        why = say_count(
            "{bad} of the {n} record it rests on cannot be used",
            "{bad} of the {n} records it rests on cannot be used",
            row.parents,
            bad=number(row.unusable),
        )
    owner = phrase("owner {name}", name=person_name(row.owner)[:60]) if row.owner else say("no owner")
    return row_of(_titled(row, record_address(row.id, row.tenant)), join((why, owner), " · "), badge(row.status, row.kind), icon("front_hand"))


def date_row(row: AgendaRow, scope: str | None) -> Markup:  # noqa: ARG001 - every row is drawn with the same arguments
    """Return the row of a record with a date coming up, or past."""
    href = record_address(row.id, row.tenant) if row.readable else None
    due = None if row.since is None else from_micros(row.since)
    day = "" if due is None else tag("span", say_day(due), title=say_minute(due))
    what = say("expires") if row.expires else say("is to be reviewed")
    owner = phrase("owner {name}", name=person_name(row.owner)[:60]) if row.owner else say("no owner")
    return row_of(_titled(row, href), join((what, owner, row.scope), " · "), day, icon("event_busy" if row.expires else "event"))


def conflict_row(row: WaitingConflict, scope: str | None) -> Markup:
    """Return the row of a conflict that waits."""
    href = address("conflicts", conflict=row.id, tenant=row.tenant, scope=scope)
    title = tag("a", _short(f"{row.subject} · {spaced(row.predicate)}"), cls="cd-link cy-title", href=href)
    parts = [tag("span", say("blocks an action"), cls="cd-lost") if row.blocking else None, say("you own it") if row.yours else say("in your scope")]
    since = when(from_micros(row.since)) if row.since is not None else ""
    return row_of(title, join((part for part in parts if part is not None), " · "), since, icon("compare_arrows"))


def _since(row: AgendaRow) -> Markup | str:
    return "" if row.since is None else when(from_micros(row.since))
