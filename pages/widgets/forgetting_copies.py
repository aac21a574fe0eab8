"""The register of copies outside: every file that was exported, who holds it, and every backup with the day it lapses."""

from __future__ import annotations

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.desk import Desk, attempt, show_notices, take_refusal
from pages.widgets.forgetting_list import draw_tabs
from pages.widgets.forgetting_outside import copy_row, destroyed_words, gone_words
from pages.widgets.forgetting_pick import choose_tenant
from pages.widgets.forgetting_place import Place, tenant_of_place
from pages.widgets.forgetting_state import operation, press
from pages.widgets.forgetting_words import day, minute, moment
from pages.widgets.language import number, phrase, phrase_count, quote_store, say
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from pages.widgets.today_questions import draw_ignored
from store import BackupRow, CopyRow, Right, count_kept_backups, list_backups, list_export_copies, record_backup_destroyed, record_copy_destroyed


def draw_register(desk: Desk, place: Place) -> None:
    """Draw what is known of copies outside."""
    tenant = tenant_of_place(desk, place)
    draw(tag("h1", say("Copies outside"), cls="cd-title"))
    draw_ignored()
    show_notices()
    if tenant is None:
        draw(draw_tabs(place, None, bool(desk.actor.scopes_with(Right.ADMINISTER))))
        choose_tenant(desk, place)
        return
    found = attempt(lambda: list_export_copies(desk.store, desk.person, tenant, after=place.after))
    if found is None:
        refusal = take_refusal()
        draw(draw_tabs(place, None, False))
        draw(tag("div", tag("b", say("There is no register you may see")), quote_store(refusal["message"]) if refusal else "", cls="cd-empty"))
        return
    kept = count_kept_backups(desk.store, desk.person, tenant)
    lead = phrase_count("{n} exported file of {tenant} is not known to be destroyed.", "{n} exported files of {tenant} are not known to be destroyed.", found.open, n=tag("b", number(found.open)), tenant=tenant)
    if not found.open:
        lead = tag("span", say("No exported file of {tenant} is out there.", tenant=tenant))
    backups = phrase_count("{n} backup is kept.", "{n} backups are kept.", kept.count, n=tag("b", number(kept.count))) if kept.count else tag("span", say("No backup is kept."))
    draw(tag("p", lead, " ", backups, cls="cd-lead"), draw_tabs(place, None, True))
    draw(tag("h2", say("Files that were exported"), tag("span", number(found.total), cls="cd-tally"), cls="cd-heading"))
    if not found.total:
        draw(tag("div", tag("b", say("Nothing was exported yet")), say("Every export and every download is entered here, with who holds it."), cls="cd-empty cd-quiet"))
    for copy in found.rows:
        _draw_file(desk, tenant, copy)
    first = tag("a", icon("first_page"), say("Newest"), cls="cd-link", href=place.link(after=None)) if place.after is not None else None
    on = tag("a", say("Older"), icon("chevron_right"), cls="cd-link", href=place.link(after=found.next)) if found.next is not None else None
    if first is not None or on is not None:
        draw(tag("div", first, on, cls="cd-pager"))
    _draw_backups(desk, kept.count, kept.until)


def _draw_file(desk: Desk, tenant: str, copy: CopyRow) -> None:
    gone = tag("div", phrase("{who} noted it on {day}", who=copy.gone_by, day=minute(copy.gone_at)), cls="cd-muted cd-small") if copy.gone_at and copy.gone_by else None
    draw(tag("div", copy_row(copy, touched=False), tag("div", gone_words(copy), gone), cls="fg-copyrow" if copy.gone_at else "fg-copyrow fg-acted"))
    if copy.gone_at is None:
        key = f"forgetting.gone.{mark_of(tenant, copy.export)}"
        words = destroyed_words(desk, copy.holder)
        st.button(words, key=key, type="tertiary", icon=":material/delete_forever:", help=say("Number {n} in the register", n=copy.export), on_click=_note_gone, args=(desk, tenant, copy, key))


@uninterrupted
def _note_gone(desk: Desk, tenant: str, copy: CopyRow, key: str) -> None:
    press(say("Noted as destroyed. Requests that waited for it are settled with it."), lambda: record_copy_destroyed(desk.store, desk.person, tenant, copy.export, operation=operation("gone", key)))


# --- backups --------------------------------------------------------------------------------------------------------


def _draw_backups(desk: Desk, count: int, until: int | None) -> None:
    draw(tag("h2", say("Backups"), tag("span", number(count), cls="cd-tally"), cls="cd-heading"))
    rows = attempt(lambda: list_backups(desk.store, desk.person))
    if rows is None:
        take_refusal()
        words = phrase("The last of them lapses on {day}.", day=tag("b", day(until))) if count else tag("span", say("No backup is known."))
        draw(tag("p", words, " ", say("A backup is of the whole store, so only an admin of everything sees them one by one."), cls="cd-muted cd-small"))
        return
    if not rows:
        draw(tag("div", tag("b", say("No backup was made yet")), say("“python -m store backup FILE” makes one; it is entered here with the day it lapses."), cls="cd-empty cd-quiet"))
    for row in rows:
        draw(tag("div", _backup(row), tag("div", _backup_state(row)), cls="fg-copyrow fg-acted" if row.gone_at is None and not row.there else "fg-copyrow"))
        if row.gone_at is None and not row.there:
            key = f"forgetting.backup.{row.backup}"
            st.button(say("Backup {n} is destroyed", n=row.backup), key=key, type="tertiary", icon=":material/delete_forever:", on_click=_note_backup, args=(desk, row))


@uninterrupted
def _note_backup(desk: Desk, row: BackupRow) -> None:
    press(say("Noted as destroyed. Requests that waited for it are settled when they are looked at again."), lambda: record_backup_destroyed(desk.store, desk.person, row.backup))


def _backup(row: BackupRow) -> Markup:
    at = say(", ").join(say("{tenant} at revision {n}", tenant=tenant, n=number(revision)) for tenant, revision in sorted(row.revisions.items())[:6])
    facts = [phrase("made {ago}", ago=moment(row.at)), tag("span", at or say("not finished")), phrase("lapses on {day}", day=day(row.until))]
    return tag("div", tag("b", say("Backup {n}", n=row.backup)), " ", tag("span", row.name, cls="cd-id cd-muted"), tag("div", join(facts, " · "), cls="cd-muted cd-small"))


def _backup_state(row: BackupRow) -> Markup:
    if row.gone_at is not None:
        return tag("span", icon("delete_forever"), say("destroyed"), title=minute(row.gone_at), cls="cd-status cd-teal")
    if row.lapsed and row.there:
        words = say("“python -m store backups --drop {n}” deletes it", n=row.backup)
        return join((tag("span", icon("event_busy"), say("lapsed, and its file is still there"), cls="cd-status cd-amber"), tag("div", words, cls="cd-muted cd-small")))
    if row.lapsed:
        words = say("Delete it where it is now, then note it here.")
        return join((tag("span", icon("help"), say("lapsed, and its file is not found from here"), cls="cd-status cd-amber"), tag("div", words, cls="cd-muted cd-small")))
    return tag("span", icon("event_upcoming"), say("kept until {day}", day=day(row.until)), cls="cd-status cd-slate")
