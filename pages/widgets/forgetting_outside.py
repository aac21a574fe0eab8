"""Where else something stands before it is forgotten: the same words in other records, files that were exported, backups."""

from __future__ import annotations

from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, record_link
from pages.widgets.forgetting_place import Place
from pages.widgets.forgetting_words import day, minute, moment
from pages.widgets.labels import label_text
from pages.widgets.language import later, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.status import icon
from store import CopyList, CopyRow, KeptBackups, OtherPlaces

#: what an export is -> how it reads
_FORMATS = {
    "bundle": later("Bundle of everything in the scope"), "csv": later("Table of claims"), "prov-json": later("Provenance as JSON"),
    "decisions-csv": later("Decisions of a day as CSV"), "letter-csv": later("Letter to the owner of a source as CSV"), "neighbourhood-csv": later("List of dependencies as CSV"),
    "preview-csv": later("Preview of a plan as CSV"), "preview-json": later("Preview of a plan as JSON"), "rehearsal-csv": later("Rehearsal as CSV"),
    "rehearsal-json": later("Rehearsal as JSON"), "comparison-csv": later("Two rehearsals compared, as CSV"), "comparison-json": later("Two rehearsals compared, as JSON"),
    "correction-csv": later("Report of a correction as CSV"), "rejections-csv": later("Rejected lines of an import as CSV"), "eml": later("Mail file"), "mail": later("Mail"),
}  # fmt: skip
_SHOWN = 12


def format_words(form: str) -> str:
    """Return what kind of file an export is."""
    return say(_FORMATS[form]) if form in _FORMATS else form.replace("-", " ")


def destroyed_words(desk: Desk, holder: str) -> str:
    """Return the words of the button by which somebody says that a file is destroyed."""
    if holder == desk.actor.name:
        return say("I have destroyed it")
    return say("Note that {holder} destroyed it", holder=label_text(holder, 40) or say("its holder"))


def copy_row(copy: CopyRow, *, touched: bool = True) -> Markup:
    """Return what is known of one file that was exported: what, when, by whom, and who holds it."""
    held = phrase("held by {who}", who=tag("b", copy.holder))
    made = phrase("made by {who} {ago}", who=copy.made_by, ago=moment(copy.at))
    many = say_count("{n} of these records", "{n} of these records", copy.touched) if touched and copy.touched else say_count("{n} record", "{n} records", copy.records)
    facts = [held, made, tag("span", many), *([tag("span", copy.scope)] if copy.scope else [])]
    name = tag("span", " ", copy.name, cls="cd-id cd-muted") if copy.name else None
    return tag("div", tag("b", format_words(copy.format)), name, tag("div", join(facts, " · "), cls="cd-muted cd-small"))


def gone_words(copy: CopyRow) -> Markup:
    """Return whether a file is known to be destroyed, as icon, word and colour."""
    if copy.gone_at is None:
        return tag("span", icon("folder_open"), say("out there"), cls="cd-status cd-amber")
    return tag("span", icon("delete_forever"), say("destroyed"), title=minute(copy.gone_at), cls="cd-status cd-teal")


def draw_copies(found: CopyList) -> Markup:
    """Return the files that hold what is to be forgotten, before the request is made."""
    head = tag("h2", say("Files that were exported"), tag("span", number(found.total), cls="cd-tally"), cls="cd-heading")
    if not found.total:
        return tag("div", head, tag("p", say("No file that was exported holds any of it."), cls="cd-muted cd-small"), cls="fg-section")
    lead = phrase_count("{n} file that holds some of it is not known to be destroyed. Its holder is asked to destroy it.",
                        "{n} files that hold some of it are not known to be destroyed. Their holders are asked to destroy them.", found.open)  # fmt: skip
    rows = [tag("div", copy_row(copy), tag("div", gone_words(copy)), cls="fg-copyrow") for copy in found.rows[:_SHOWN]]
    left = found.total - len(rows)
    if left > 0:
        rows.append(tag("div", say_count("and {n} more", "and {n} more", left), cls="cd-muted cd-small"))
    return tag("div", head, tag("p", lead, cls="cd-muted cd-small"), *rows, cls="fg-section")


def draw_backups(kept: KeptBackups) -> Markup:
    """Return how many backups hold it, and when the last of them lapses."""
    head = tag("h2", say("Backups"), tag("span", number(kept.count), cls="cd-tally"), cls="cd-heading")
    if not kept.count:
        return tag("div", head, tag("p", say("No backup is known."), cls="cd-muted cd-small"), cls="fg-section")
    words = phrase_count("{n} backup may hold it until {day}, when it lapses. Restored before that, it forgets it again before anything can be read.",
                         "{n} backups may hold it, the last of them until {day}. Restored before that, they forget it again before anything can be read.",
                         kept.count, day=tag("b", day(kept.until)))  # fmt: skip
    return tag("div", head, tag("p", words, cls="cd-muted cd-small"), cls="fg-section")


_WHERE = {
    "text": later("in its text"), "value": later("as its value"), "statement": later("in its statement"), "conditions": later("in its conditions"), "title": later("in its title"),
    "body": later("in its body"), "question": later("in a question about it"), "reason": later("in a reason given for it"),
}  # fmt: skip


def draw_beside(found: OtherPlaces, tenant: str, place: Place) -> Markup:
    """Return where the same words stand too, each with a way to take it in; nothing is taken in by itself."""
    if not (found.items or found.hidden):
        return Markup("")
    rows = []
    for one in found.items:
        add = tag("a", icon("add"), say("forget this too"), cls="cd-link cd-nowrap", href=place.link(records=(*place.records, one.id)))
        times = say_count("{n} time", "{n} times", one.times) if one.times > 1 else None
        where = join((part for part in (say(_WHERE[one.where]) if one.where in _WHERE else one.where, times, one.scope) if part), " · ")
        taken = one.id in place.records
        rows.append(tag("div", tag("div", record_link(one.id, tenant, shorten(one.title, 140)), tag("div", where, cls="cd-muted cd-small")), tag("div", add if not taken and one.where != "question" else None), cls="fg-copyrow"))
    if found.hidden:
        rows.append(tag("div", icon("visibility_off"), say_count("{n} more in scopes you may not see.", "{n} more in scopes you may not see.", found.hidden), cls="cd-muted cd-small"))
    if found.cut:
        rows.append(tag("div", say("There may be more: only the first were looked for."), cls="cd-muted cd-small"))
    head = tag("h2", say("The same words also stand in"), tag("span", number(len(found.items) + found.hidden), cls="cd-tally"), cls="cd-heading")
    lead = say("They are not forgotten unless you take them in. Of a document, all of that version would be.")
    return tag("div", head, tag("p", lead, cls="cd-muted cd-small"), *rows, cls="fg-section")
