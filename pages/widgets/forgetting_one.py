"""One request to forget: what is so, the places it has to reach with what became of each, and what can be done next."""

from __future__ import annotations

import streamlit as st

from pages.widgets.callbacks import draw_anew, uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import shorten, when
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, attempt, note_done, person_name, record_link, show_notices
from pages.widgets.forgetting_left import draw_left
from pages.widgets.forgetting_look import draw_look
from pages.widgets.forgetting_place import Place
from pages.widgets.forgetting_proofs import draw_verification, proof_badge
from pages.widgets.forgetting_state import forget_reach, operation, press, typed
from pages.widgets.forgetting_surface import OUTSIDE, draw_surfaces
from pages.widgets.forgetting_words import (
    FOUND_WORDS,
    bar_words,
    draw_bar,
    due_words,
    facts,
    ground_words,
    minute,
    moment,
    request_badge,
    surface_name,
    tally,
)
from pages.widgets.labels import label_text
from pages.widgets.language import listed, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import badge, icon
from pages.widgets.today_questions import draw_ignored
from store import DeletionView, list_proofs, refuse_deletion, run_deletion

_RUN = "forgetting.run"
#: Records that are listed at once, and at all; proofs among which the latest of a request is looked for.
_OPEN, _SHOWN, _PROOFS = 8, 40, 500


def draw_one(desk: Desk, view: DeletionView, place: Place) -> None:
    """Draw one request."""
    row = view.row
    forget_reach()
    if st.session_state.get(_RUN) == row.id and row.may_run:
        _run(desk, view)
        draw_anew()
    draw(tag("div", tag("a", say("← Forgetting"), cls="cd-link", href=Place(scope=place.scope).link()), cls="cd-kicker"))
    draw(tag("h1", say("Request {id}", id=row.id), cls="cd-title"), tag("p", _sentence(view), cls="cd-lead"))
    draw_ignored()
    show_notices()
    if row.state == "refused":
        draw(_papers(view, place), _facts(desk, view), _targets(view))
        return
    left, right = st.columns([66, 34], gap="large")
    with left:
        draw(_bar(view))
        draw_surfaces(desk, view)
        _draw_verified(desk, view)
    with right:
        if row.state == "open" and row.may_run:
            _draw_acts(desk, view)
        if row.begun_at is not None:
            draw(_papers(view, place))
        draw(_facts(desk, view), _targets(view))


def _sentence(view: DeletionView) -> Markup:
    """Return what is so, and what comes next."""
    row = view.row
    if row.state == "refused":
        who = tag("b", person_name(row.refused_by or ""))
        return phrase("{who} refused it {ago}. The records are back, as far as they stood by themselves; what fell with them waits for re-validation.", who=who, ago=moment(row.refused_at))
    if row.state == "complete":
        return phrase("{complete} since {day}: no place is open any more.", complete=tag("b", say("Complete")), day=minute(row.finished_at))
    if row.begun_at is None:
        records = tag("b", say_count("{n} record is blocked", "{n} records are blocked", row.targets))
        return join((phrase("{blocked} since {ago}.", blocked=records, ago=minute(row.entered_at)), tag("span", say_count("Nobody can read it.", "Nobody can read them.", row.targets), " ", say("Nothing is erased yet: that begins when an admin says so."))), " ")
    failed = sum(surface.failure is not None for surface in view.surfaces)
    if any(surface.state == "working" for surface in view.surfaces):
        following = phrase("It is being erased now, place after place. Look again in a moment.")
    elif failed:
        following = phrase_count(
            "Erasing began on {day}, and failed in {n} place, which says why. Nothing of it can be read meanwhile. Going on tries again there and leaves alone what is done.",
            "Erasing began on {day}, and failed in {n} places, each of which says why. Nothing of it can be read meanwhile. Going on tries again there and leaves alone what is done.",
            failed, day=minute(row.begun_at),
        )  # fmt: skip
    elif row.open_surfaces:
        waits = tag("b", say_count("{n} place still waits", "{n} places still wait", row.open_surfaces))
        following = phrase("Erasing began on {day}. {waits} for somebody to say what became of it: {places}.", day=minute(row.begun_at), waits=waits, places=_places_waiting(view))
    else:
        following = phrase("Every place is settled. It is complete once nothing is found of it any more: look again.")
    return join((_how_far(view), tag("span", following)), " ")


def _places_waiting(view: DeletionView) -> Markup:
    """Return the places that are not settled, each with whoever holds something of it."""
    found = []
    for surface in view.surfaces:
        if surface.state in ("open", "failed"):
            holders = dict.fromkeys(shorten(copy.place or person_name(copy.owner or ""), 60) for copy in surface.copies if copy.state in ("open", "failed"))
            held = [tag("b", name) for name in holders if name]
            found.append(phrase("{place} ({holders})", place=surface_name(surface.name), holders=listed(held, most=4)) if held else tag("span", surface_name(surface.name)))
    return listed(found, most=6)


def _how_far(view: DeletionView) -> Markup:
    """Return what is so of the records once erasing began."""
    row, erased = view.row, any(surface.name == "record" and surface.state == "done" for surface in view.surfaces)
    if erased:
        return phrase("{erased}.", erased=tag("b", say_count("{n} record is erased", "{n} records are erased", row.targets)))
    return phrase("{blocked} since {ago}.", blocked=tag("b", say_count("{n} record is blocked", "{n} records are blocked", row.targets)), ago=minute(row.entered_at))


def _bar(view: DeletionView) -> Markup:
    return tag("div", draw_bar(view.row.surfaces), tag("div", tally(view.row.surfaces), ": ", bar_words(view.row.surfaces), cls="cd-muted cd-small"))


def _draw_verified(desk: Desk, view: DeletionView) -> None:
    """Draw what the latest verification of this request found, and what is left for people to see to."""
    proofs = list_proofs(desk.store, desk.person, tenant=view.row.tenant, kind="verification", limit=_PROOFS)
    latest = next((one for one in proofs if one.request == view.row.number), None)
    if latest is None:
        return
    head = tag("h2", say("Looked for afterwards"), cls="cd-heading")
    draw(tag("div", head, tag("div", proof_badge(latest.ok), " ", tag("span", when(latest.at), cls="cd-muted cd-small")), draw_verification(latest.found), _also_said(view), cls="fg-section"))
    draw_left(desk, view, latest.found, ok=latest.ok)
    draw_look(desk, view, latest.found)


def _also_said(view: DeletionView) -> Markup | None:
    """Return the records in which the same words stand, each a link."""
    if not view.also_said:
        return None
    rows = [tag("li", record_link(one.id, view.row.tenant, shorten(one.title or one.id, 140)), " ", badge(one.status, one.kind)) for one in view.also_said[:_SHOWN]]
    if len(view.also_said) > _SHOWN:
        rows.append(tag("li", say_count("and {n} more", "and {n} more", len(view.also_said) - _SHOWN), cls="cd-muted"))
    return join((tag("h3", say("Other records with the same words")), tag("ul", *rows, cls="cd-list")))


# --- what can be done -----------------------------------------------------------------------------------------------


@uninterrupted
def _begin_run(request: str) -> None:
    if counts():
        st.session_state[_RUN] = request


@uninterrupted
def _run(desk: Desk, view: DeletionView) -> None:
    """Erase, saying so while it lasts."""
    st.session_state.pop(_RUN, None)
    row = view.row
    with st.spinner(say("Erasing it in every place, one after the other. If this is interrupted, it goes on where it was.")):
        done = attempt(lambda: run_deletion(desk.store, desk.person, row.tenant, row.id))
    if done is not None and done["failed"]:
        note_done(say_count("It could not be erased in {n} place. It says why below.", "It could not be erased in {n} places. Each says why below.", len(done["failed"])))
    elif done is not None:
        note_done(say("Everything is erased, and no place is open.") if done["state"] == "complete" else say("It is erased wherever the desk reaches. What is open below waits for people."))


def _draw_acts(desk: Desk, view: DeletionView) -> None:
    """Draw what an admin can do now: erase, or refuse while nothing is erased."""
    row, mark = view.row, mark_of(view.row.tenant, view.row.id)
    with st.container(key="forgetting.acts"):
        only = all(surface.name in OUTSIDE or surface.state not in ("open", "working", "failed") for surface in view.surfaces)
        if row.begun_at is None:
            draw(tag("h2", say("Erase it")), tag("p", say("This cannot be undone, and restoring a backup does not undo it."), cls="cd-small"))
            words = say("Erase everywhere now as {name}", name=label_text(desk.actor.name, 40) or say("you"))
        else:
            looks = say("Looks again at every place that is open, such as backups that have lapsed.") if only else say("Goes on where it was, and looks again at every place that is open.")
            draw(tag("h2", say("Look again") if only else say("Go on")), tag("p", looks, cls="cd-small"))
            who = label_text(desk.actor.name, 40) or say("you")
            words = say("Look again as {name}", name=who) if only else say("Go on erasing as {name}", name=who)
        only_people = row.begun_at is not None and only
        st.button(words, key=f"forgetting.run.{mark}", type="secondary" if only_people else "primary", width="stretch", on_click=_begin_run, args=(row.id,))
        if row.begun_at is None:
            with st.expander(say("Refuse the request")), st.form(f"forgetting.refuse.{mark}", border=False, enter_to_submit=False):
                draw(tag("div", say("The records get back what they were, those that were in use after somebody confirmed them again."), cls="cd-muted cd-small"))
                st.text_area(say("Why it is refused"), key=f"forgetting.refuse.why.{mark}", height=88, max_chars=4000)
                st.form_submit_button(say("Refuse it"), key=f"forgetting.refuse.go.{mark}", on_click=_refuse, args=(desk, view, f"forgetting.refuse.why.{mark}"))


@uninterrupted
def _refuse(desk: Desk, view: DeletionView, key: str) -> None:
    row, why = view.row, typed(key)
    press(say("The request is refused, and its records are back."), lambda: refuse_deletion(desk.store, desk.person, row.tenant, row.id, why, operation=operation("refuse", row.tenant, row.id, why)))


def _papers(view: DeletionView, place: Place) -> Markup:
    """Return the ways to what can be shown to the person."""
    here = Place(view.row.id, view.row.tenant, scope=place.scope)
    links = [tag("a", icon("receipt_long"), say("Receipt"), cls="cd-link cd-button", href=here.link(part="receipt"))] if view.receipts else []
    if view.row.may_run:
        links.append(tag("a", icon("mail"), say("Letter to the person"), cls="cd-link cd-button", href=here.link(part="letter")))
    return tag("div", *links, cls="cd-actions fg-papers")


# --- what is known of it --------------------------------------------------------------------------------------------


def _facts(desk: Desk, view: DeletionView) -> Markup:
    row = view.row
    entered = phrase("{who}, {day}", who=person_name(row.entered_by), day=minute(row.entered_at))
    return tag(
        "div", tag("h2", say("The request"), cls="cd-heading"),
        facts(
            (say("state"), request_badge(row.state)), (say("ground"), ground_words(row.ground)), (say("found"), say(FOUND_WORDS[row.found_by])),
            (say("entered by"), entered), (say("asked by"), view.requester), (say("reason"), view.reason), (say("refused because"), view.refusal),
            (say("due"), due_words(row.due_at, desk.store.now(), finished=row.state != "open")), (say("answers for it"), person_name(row.owner) if row.owner else None),
            (say("erasing began"), minute(row.begun_at)), (say("complete since"), minute(row.finished_at)),
        ),
        tag("p", icon("history"), say("It came from the ledger: a restored backup did not know of it, and it was carried out again."), cls="cd-small") if row.from_ledger else None,
    )  # fmt: skip


def _targets(view: DeletionView) -> Markup:
    """Return the records by id and status only: nothing of what they said is shown, to nobody."""
    shown = [tag("li", record_link(one.id, view.row.tenant), " ", badge(one.status, one.kind)) for one in view.targets[:_SHOWN]]
    more = len(view.targets) - len(shown)
    if more > 0:
        shown.append(tag("li", say_count("and {n} more", "and {n} more", more), cls="cd-muted"))
    rows, folded = shown, None
    if len(shown) > _OPEN:
        rows, rest = shown[:_OPEN], len(view.targets) - _OPEN
        folded = tag("details", tag("summary", say_count("{n} more record", "{n} more records", rest)), tag("ul", *shown[_OPEN:], cls="cd-list"), cls="cd-more")
    if view.hidden:
        rows.append(tag("li", icon("visibility_off"), say_count("{n} more in scopes you may not see.", "{n} more in scopes you may not see.", view.hidden), cls="cd-muted"))
    head = tag("h2", say("Its records"), tag("span", number(view.row.targets), cls="cd-tally"), cls="cd-heading")
    only = tag("div", say("By id and status only. What they said is shown to nobody."), cls="cd-muted cd-small") if view.row.state != "refused" else None
    return tag("div", head, only, tag("ul", *rows, cls="cd-list"), folded)
