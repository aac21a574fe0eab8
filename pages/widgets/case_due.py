"""Corrections where they concern another page: those of mine that are due, and a list that keeps to one."""

from __future__ import annotations

from pages.widgets.case_words import STEP_WORDS, due_words
from pages.widgets.desk import Desk, address
from pages.widgets.language import phrase, say
from pages.widgets.markup import draw, join, tag
from pages.widgets.status import icon
from pages.widgets.today_rows import draw_section, heading, list_of, row_of
from store import list_due_corrections

#: How far ahead a case counts as due, in microseconds.
_SOON = 2 * 24 * 3600 * 1_000_000


def draw_due(desk: Desk) -> None:
    """Draw the open corrections of the person that are due by the day after tomorrow; nothing where there is none."""
    now = desk.store.now()
    rows = list_due_corrections(desk.store, desk.person, now + _SOON, scope=desk.scope)
    if not rows:
        return
    lines = []
    for row in rows:
        title = tag("a", row.title, cls="cd-link cy-title", href=address("corrections", case=row.id, tenant=row.tenant, scope=desk.scope))
        following = say("next: {step}", step=say(STEP_WORDS[row.next])) if row.next else say("ready to close")
        lines.append(row_of(title, join((due_words(row, now) or "", following), " · "), "", icon("healing")))
    draw_section(heading(say("Your corrections that are due"), len(rows)), list_of(lines))


def draw_kept_to(correction: str, everything: str) -> None:
    """Draw that a list keeps to one correction, and the way to all of it."""
    case = tag("a", correction[:120], cls="cd-link", href=address("corrections", case=correction))
    whole = tag("a", say("Show all"), cls="cd-link", href=everything)
    draw(tag("div", icon("healing"), phrase("Only those that answer what fell because of {case}. {all}", case=case, all=whole), cls="cd-band"))
