"""Where notices for somebody go: shown to who may change it, an admin or the person themselves."""

from __future__ import annotations

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.desk import Desk
from pages.widgets.labels import label_text
from pages.widgets.language import phrase, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.people_place import ask_reason, carry_out, say_done
from store import PeopleView, PersonRow, set_email

_LONGEST_ADDRESS = 320


def draw_address(desk: Desk, view: PeopleView, one: PersonRow) -> None:
    """Draw the mail address of somebody and the form that changes it; nothing for who may not."""
    if not one.may_set_email:
        return
    mark = mark_of(view.tenant, one.id, one.email)
    if one.email:
        draw(tag("p", phrase("Notices go to {address}.", address=tag("b", one.email[:_LONGEST_ADDRESS])), cls="cd-small"))
    else:
        draw(tag("p", say("No mail address: notices for them are drafted without one."), cls="cd-muted cd-small"))
    title = say("Change the mail address") if one.email else say("Give a mail address")
    with st.expander(title, key=f"people.address.{mark}"), st.form(f"people.addressing.{mark}", border=False, enter_to_submit=False):
        st.text_input(say("Mail address"), value=one.email or "", key=f"people.email.{mark}", max_chars=_LONGEST_ADDRESS, placeholder=say("Empty for none"))
        if one.id != desk.person:
            ask_reason(f"people.emailreason.{mark}", say("Why, and who asked for it"), say("Reason for the address, kept with the event"))
        words = say("Change it as {name}", name=label_text(desk.actor.name, 40) or say("you"))
        st.form_submit_button(words, key=f"people.emailgo.{mark}", on_click=_save, args=(desk, view, one, mark))


@uninterrupted
def _save(desk: Desk, view: PeopleView, one: PersonRow, mark: str) -> None:
    email = str(st.session_state.get(f"people.email.{mark}") or "").strip()
    reason = None if one.id == desk.person else str(st.session_state.get(f"people.emailreason.{mark}") or "").strip()
    problems = [] if email != (one.email or "") else [say("Type another address, or empty the field for none.")]
    if reason == "":
        problems.append(say("Give a reason. It is kept with the event."))
    done = carry_out(
        lambda operation: set_email(desk.store, desk.person, view.tenant, one.id, email or None, reason, seen=one.email or "", operation=operation), problems
    )
    if done is not None:
        name = one.name[:120]
        if not email:
            say_done(say("Notices for {name} have no mail address any more.", name=name))
        elif done["filled"]:
            drafts = say_count("{n} draft that had no address", "{n} drafts that had no address", int(done["filled"]))
            say_done(say("Notices for {name} go to {address}, with {drafts}.", name=name, address=email, drafts=drafts))
        else:
            say_done(say("Notices for {name} go to {address}.", name=name, address=email))
