"""A new value for a claim that needs re-validation: which candidates answer it already, and stating one with the words it stands in."""

from __future__ import annotations

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import shorten, value_text
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, address, attempt, note_done, person_name, record_link, take_refusal
from pages.widgets.labels import label_text, option_text
from pages.widgets.language import number, phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.plan_state import forget_rehearsals
from pages.widgets.refusal_words import say_refusal
from pages.widgets.revalidate_place import Place
from pages.widgets.source_select import draw_selecting, picked_words, read_typed
from pages.widgets.status import badge, icon
from store import AnswerGround, StaleAnswer, StaleRow, propose_answer, view_answer_ground

_CHOSEN = "revalidate.chosen"
_PROBLEM = "revalidate.answer.problem"


def draw_answers(answers: tuple[StaleAnswer, ...], more: int, tenant: str, place: Place) -> None:
    """Draw the candidates that answer a record already; each is decided on its own page."""
    rows = []
    for one in answers:
        link = tag("a", shorten(value_text(one.value), 120), cls="cd-link", href=address("candidates", candidate=one.id, tenant=tenant, scope=place.scope))
        said = phrase("{value}, proposed by {name}", value=tag("b", link), name=person_name(one.proposed_by)[:60]) if one.proposed_by else tag("b", link)
        quote = tag("div", tag("q", shorten(one.quote, 200)), cls="cd-muted cd-small") if one.quote else None
        rows.append(tag("li", badge("CANDIDATE"), " ", said, quote))
    if more:
        rows.append(tag("li", say_count("and {n} more", "and {n} more", more), cls="cd-muted"))
    heading = say_count("{n} candidate answers it: approving it replaces this claim.", "{n} candidates answer it: approving one replaces this claim.", len(answers) + more)
    draw(tag("p", heading, cls="cd-small"), tag("ul", *rows, cls="rv-supports"))


def draw_answering(desk: Desk, place: Place, row: StaleRow) -> None:
    """Draw what answers the claim already, and the way to state its new value; opened, the words to choose and the form."""
    session = st.session_state
    mark = mark_of(row.tenant, row.id, place.within)
    typed = str(session.get(f"revalidate.words.{mark}") or "")
    ground = attempt(lambda: view_answer_ground(desk.store, desk.person, row.tenant, row.id, evidence=place.within, at=place.at, words=typed))
    if ground is None:
        take_refusal()
        return
    opened = place.do == "answer"
    draw(tag("h2", say("A new value"), cls="cd-heading"))
    if ground.answers:
        draw_answers(ground.answers, ground.more, row.tenant, place)
    if not ground.may_propose:
        return
    if not opened:
        words = say("State another value") if ground.answers else say("State what it says now")
        draw(tag("div", tag("a", icon("edit_note"), words, cls="cd-link cd-button", href=place.changed(record=row.id, tenant=row.tenant).link(do="answer")), cls="cd-actions"))
        return
    draw(tag("p", say("The new value becomes a candidate that answers this claim. Somebody else decides on it; until then nothing changes."), cls="cd-muted cd-small"))
    _draw_versions(place, row, ground, mark)
    chosen = _draw_words(place, row, ground, mark)
    _draw_form(desk, place, row, ground, chosen, mark)


# --- where it stands ----------------------------------------------------------------------------------------------


def _asked(place: Place, row: StaleRow, **changes: object) -> Place:
    return place.changed(record=row.id, tenant=row.tenant).changed(do="answer", **changes)


@uninterrupted
def _take_version(place: Place, row: StaleRow, key: str) -> None:
    named = str(st.session_state.get(key) or "").strip()[:500]
    _asked(place, row, within=named or None, at=None).go()


def _draw_versions(place: Place, row: StaleRow, ground: AnswerGround, mark: str) -> None:
    links = [
        tag("a", one, cls="cd-link cy-pick" + (" rv-here" if one == ground.evidence else ""), href=_asked(place, row, within=one, at=None).link()) for one in ground.versions[:8]
    ]
    if links:
        draw(tag("nav", tag("span", say("It stands in"), cls="cd-muted cd-small"), *links, cls="cy-picks", label=say("Version the words are chosen in")))
    else:
        draw(tag("p", say("No version of its source is in use now. Name another version, or capture the corrected document first."), cls="cd-small"))
    if ground.unknown:
        draw(tag("div", say("There is no version of that name in use here."), cls="cd-band cd-warnband"))
    key = f"revalidate.within.{mark}"
    st.text_input(say("Or in another version, by its id"), key=key, max_chars=500, on_change=_take_version, args=(place, row, key))


def _pick(mark: str, key: str) -> None:
    found = picked_words(key)
    if found is not None:
        st.session_state[_CHOSEN] = (mark, *found)


def _chosen(ground: AnswerGround, mark: str) -> tuple[int, int] | None:
    """Return the words chosen: those taken by hand, else those that stand there now."""
    kept = st.session_state.get(_CHOSEN)
    if kept is not None and kept[0] == mark and kept[2] <= ground.total:
        return kept[1], kept[2]
    return ground.proposed


def _draw_words(place: Place, row: StaleRow, ground: AnswerGround, mark: str) -> tuple[int, int] | None:
    if ground.evidence is None:
        return None
    if not ground.total:
        draw(tag("p", say("No text was taken out of this version; the value rests on the version as a whole."), cls="cd-muted cd-small"))
        return None
    key = f"revalidate.select.{mark}.{ground.start}"
    draw_selecting(key, ground.text, ground.start, lambda: _pick(mark, key))
    where = say("characters {first}–{last} of {total}", first=number(ground.start + 1), last=number(ground.start + len(ground.text)), total=number(ground.total))
    steps = [
        None if at is None else tag("a", words, cls="cd-link", href=_asked(place, row, within=ground.evidence, at=at).link())
        for at, words in ((ground.before, say("← before")), (ground.after, say("after →")))
    ]
    draw(tag("div", steps[0], tag("span", where, cls="cd-muted"), steps[1], cls="cd-pager"))
    words_key = f"revalidate.words.{mark}"
    st.text_input(say("Or the words, typed exactly"), key=words_key, max_chars=4_000, on_change=_forget_chosen, args=(mark,))
    typed = str(st.session_state.get(words_key) or "")
    chosen = _chosen(ground, mark)
    if typed and (st.session_state.get(_CHOSEN) or ("",))[0] != mark:
        if not ground.places:
            draw(tag("div", say("These words stand nowhere in this version. Copy them from the text, character for character."), cls="cd-band cd-warnband"))
            return None
        chosen = ground.places[0], ground.places[0] + len(typed)
        if len(ground.places) > 1:
            draw(tag("p", say_count("They stand in {n} place; the first is taken.", "They stand in {n} places; the first is taken. Select them in the text to take another.", len(ground.places)), cls="cd-muted cd-small"))
    return chosen


@uninterrupted
def _forget_chosen(mark: str) -> None:
    kept = st.session_state.get(_CHOSEN)
    if kept is not None and kept[0] == mark:
        st.session_state.pop(_CHOSEN)


# --- the value ----------------------------------------------------------------------------------------------------


@uninterrupted
def _propose(desk: Desk, place: Place, row: StaleRow, ground: AnswerGround, chosen: tuple[int, int] | None, key: str, operation: str) -> None:
    """Propose what was drawn: claim, version and words were bound when the button was."""
    text = str(st.session_state.get(key) or "").strip()
    if not text:
        told.keep(_PROBLEM, say("Enter the value. Nothing was proposed."))
        return
    if not counts():
        return
    fields: dict[str, object] = {"value": read_typed(text)}
    if ground.evidence is not None:
        fields["evidence"] = ground.evidence
        if chosen is not None:
            fields |= {"start": chosen[0], "end": chosen[1]}
    done = attempt(lambda: propose_answer(desk.store, desk.person, row.tenant, row.id, fields, seen=ground.version, operation=operation))
    if done is None:
        refusal = take_refusal()
        told.keep(_PROBLEM, say_refusal(desk, row.tenant, refusal["message"]) if refusal else say("Nothing was proposed."))
        return
    forget_rehearsals()
    for name in (_CHOSEN, key):
        st.session_state.pop(name, None)
    words = say("Proposed as {name}. You contributed to it, so somebody else decides.", name=desk.actor.name)
    note_done(words, (say("See the candidate"), address("candidates", candidate=str(done["proposed"]), tenant=row.tenant, scope=place.scope)))
    place.changed(record=row.id, tenant=row.tenant).go()


def _rests_on(ground: AnswerGround, tenant: str, chosen: tuple[int, int] | None) -> Markup | None:
    others = [record_link(one, tenant) for one in ground.rests_on[:6]]
    if len(ground.rests_on) > 6:
        others.append(tag("span", say_count("{n} more", "{n} more", len(ground.rests_on) - 6)))
    rests = [record_link(ground.evidence, tenant), *others] if ground.evidence is not None else others
    if not rests:
        return None
    said = phrase("It will rest on {what}.", what=join(rests, ", "))
    if chosen is None:
        return tag("p", said, cls="cd-small")
    where = say("characters {first}–{last}", first=number(chosen[0]), last=number(chosen[1]))
    inside = chosen[0] - ground.start, chosen[1] - ground.start
    quote = ground.text[inside[0] : inside[1]] if 0 <= inside[0] < inside[1] <= len(ground.text) else ground.quote if chosen == ground.proposed else ""
    words = tag("mark", quote[:2_000]) if quote else None
    return join((tag("div", icon("format_quote"), words, tag("span", " ", where, cls="cd-muted cd-small"), cls="rv-passage rv-chosen"), tag("p", said, cls="cd-small")))


def _draw_form(desk: Desk, place: Place, row: StaleRow, ground: AnswerGround, chosen: tuple[int, int] | None, mark: str) -> None:
    found = _rests_on(ground, row.tenant, chosen)
    if found is not None:
        draw(found)
    problem = told.take(_PROBLEM)
    if problem:
        draw(tag("div", problem, cls="cd-band cd-badband"))
    key = f"revalidate.value.{mark}"
    operation = st.session_state.setdefault(f"revalidate.operation.{mark_of(row.tenant, row.id, ground.version, len(ground.answers) + ground.more)}", desk.store.new_id())
    with st.form(f"revalidate.answer.{mark}", border=False, enter_to_submit=True):
        st.text_input(say("What it says now"), key=key, max_chars=4_000, placeholder=say("It said {value}", value=option_text(value_text(ground.value), 60)))
        st.form_submit_button(
            say("Propose it as {name}", name=label_text(desk.actor.name, 40) or say("you")), type="primary", key=f"revalidate.proposing.{mark}", on_click=_propose,
            args=(desk, place, row, ground, chosen, key, operation),
        )  # fmt: skip
    draw(tag("a", say("Leave it as it was"), cls="cd-link cd-small", href=place.changed(record=row.id, tenant=row.tenant).link()))
