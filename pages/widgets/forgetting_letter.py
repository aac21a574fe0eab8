"""The plain letter to whoever asked to be forgotten: what is gone, what is kept until when, what cannot be undone."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.widgets.candidate_words import moment
from pages.widgets.desk import Desk, attempt, take_refusal
from pages.widgets.forgetting_place import Place
from pages.widgets.forgetting_words import rule_words, surface_name
from pages.widgets.language import later_count, quote_store, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.moments import say_day
from pages.widgets.status import icon
from store import DeletionLetter, DeletionView, LetterLine, write_deletion_letter

_KINDS = {
    "claim": later_count("{n} statement", "{n} statements"), "evidence": later_count("{n} document", "{n} documents"), "artifact": later_count("{n} report", "{n} reports"),
}  # fmt: skip


def draw_letter(desk: Desk, view: DeletionView, place: Place) -> None:
    """Draw the letter about a request as it stands, to be read, copied or saved."""
    row = view.row
    back = tag("a", say("← Request {id}", id=row.id), cls="cd-link", href=place.link(part=None))
    letter = attempt(lambda: write_deletion_letter(desk.store, desk.person, row.tenant, row.id))
    if letter is None:
        refusal = take_refusal()
        draw(tag("div", back, cls="cd-kicker"), tag("h1", say("There is no letter for you to write"), cls="cd-title"))
        draw(tag("div", quote_store(refusal["message"]) if refusal else "", cls="cd-band cd-warnband"))
        return
    text = "\n".join(letter_lines(letter, desk.actor.name[:120])) + "\n"
    draw(tag("div", back, cls="cd-kicker"), tag("h1", say("Letter to the person"), cls="cd-title"))
    with st.container(key="forgetting_tools"):
        printed = tag("span", icon("print"), say("Print it with your browser; this line is left out."), cls="cd-muted cd-small")
        draw(tag("div", tag("span", icon("content_copy"), tag("button", say("Copy the letter"), cls="cd-copy fg-copybutton", title=text)), printed, cls="fg-tools"))
        st.download_button(say("Save as text"), text.encode, f"letter-{row.id}.txt", "text/plain", key="forgetting.txt", on_click="ignore", icon=":material/download:")
    draw(tag("article", text, cls="fg-letter"))


def letter_lines(letter: DeletionLetter, writer: str) -> list[str]:
    """Return the letter, line by line, in the language of the desk."""
    lines = [say("About your request {id} of {day}", id=letter.request, day=_day(letter.asked_at)), ""]
    if letter.state == "refused":
        return [*lines, say("We have refused the request, so nothing was forgotten. You may ask us for the reason, and you may ask again."), "", writer]
    lines += [_how_far(letter), ""]
    if letter.passages:
        lines.append(say_count("In documents that stay, {n} passage was blacked out.", "In documents that stay, {n} passages were blacked out.", letter.passages))
    if letter.fell:
        lines.append(say_count("{n} other record was worked out from it. We are checking it again.", "{n} other records were worked out from it. We are checking them again.", letter.fell))
    if letter.verified is not None:
        lines.append(say("Afterwards we searched all of our store for it, and found nothing left of it.") if letter.verified else say("Afterwards we searched our store for it and still found something. We are looking into it."))
    if letter.also:
        lines.append(say_count(
            "The same words also stand in {n} place of other records, which were not part of the request.",
            "The same words also stand in {n} places of other records, which were not part of the request.", letter.also,
        ))  # fmt: skip
    if letter.not_searched:
        lines.append(say("We did not search for single words that many texts hold, such as the name of a town: finding one would not show that anything of it is left."))
    lines += _listed(say("It is erased from:"), [_name(line) for line in letter.cleared])
    lines += _listed(say("It is kept for a while in:"), [_kept(line) for line in letter.kept])
    lines += _listed(say("We are still seeing to:"), [_name(line) for line in letter.waiting])
    lines += _listed(say("There is nothing of it in:"), [_name(line) for line in letter.none])
    lines += _listed(say("We cannot say what becomes of it in:"), [_name(line) for line in letter.unreachable])
    lines += ["", say("What we cannot undo: answers that were given before you asked cannot be taken back.")]
    if letter.held:
        lines.append(say("Whoever holds a file with it is asked to destroy it."))
    lines += [
        say("That there was a request, when, and what was done about it stays on record, without anything of what was forgotten."), "", writer,
    ]  # fmt: skip
    return lines


def _day(text: str | None) -> str:
    return say_day(moment(text)) if text else say("an unknown day")


def _how_far(letter: DeletionLetter) -> str:
    what = say(", ").join(say_count(*_KINDS[kind], count) for kind, count in letter.records.items() if kind in _KINDS and count)
    if letter.state == "complete":
        return say("What you asked us to forget ({what}) is erased since {day}. Nobody here can use, see or find it any more.", what=what, day=_day(letter.finished_at))
    return say("We are carrying it out. What you asked us to forget ({what}) has not been used, shown or found here since {day}.", what=what, day=_day(letter.asked_at))


def _kept(line: LetterLine) -> str:
    return say("{place}, until {day} ({rule})", place=_name(line), day=_day(line.until), rule=rule_words(line.rule) or say("by rule"))


def _name(line: LetterLine) -> str:
    name = surface_name(line.surface)
    return say("{place}, number {n}", place=name, n=line.copy) if line.copy else name


def _listed(title: str, items: Sequence[str]) -> list[str]:
    return ["", title, *(say("– {item}", item=item) for item in items)] if items else []
