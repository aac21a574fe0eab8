"""The people of a tenant, and the form that adds one or changes what one may do."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.desk import Desk
from pages.widgets.labels import label_text
from pages.widgets.language import phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.people_address import draw_address
from pages.widgets.people_place import Place, ask_reason, before_after, carry_out, draw_outcome, say_done
from pages.widgets.people_words import ROLE_WORDS, role_in, role_word, roles_words
from pages.widgets.record_parts import copyable
from pages.widgets.status import icon
from store import ROLES, PeopleView, PersonRow, add_person, rename_person, set_roles, show_invisible

_SHOWN = 200


def draw_people(desk: Desk, view: PeopleView, place: Place) -> None:
    """Draw the list beside what is chosen in it."""
    acting = [one for one in view.people if one.roles or one.everywhere]
    admins = [one for one in acting if any(role == "admin" for role, _ in one.roles) or "admin" in one.everywhere]
    lead = phrase_count(
        "{n} person or agent may act in {tenant}", "{n} people and agents may act in {tenant}", len(acting), tenant=tag("b", view.tenant)
    )
    also = say_count("{n} of them is admin of something.", "{n} of them are admins of something.", len(admins))
    draw(tag("p", lead, "; ", also, cls="cd-lead"))
    if not view.may_add:
        draw(
            tag(
                "div",
                icon("visibility"),
                say("You can look, and change nothing: giving and taking roles takes an admin of the scope."),
                cls="cd-band",
            )
        )
    left, right = st.columns([5, 4], gap="large")
    with left:
        _draw_list(view, place)
    with right, st.container(key="people.chosen" if place.who or place.adding else "people.detail"):
        draw_outcome()
        if place.adding and view.may_add:
            _draw_adding(desk, view, place)
            return
        chosen = next((one for one in view.people if one.id == place.who), None)
        if chosen is not None:
            _draw_person(desk, view, chosen)
        elif place.who:
            draw(tag("div", phrase("Nobody called {who} is here.", who=tag("b", place.who[:120])), cls="cd-band cd-warnband"))
        else:
            draw(_meanings())


def _meanings() -> Markup:
    rows = [join((tag("dt", say(name)), tag("dd", say(means)))) for name, means in ROLE_WORDS.values()]
    return join((
        tag("h2", say("What each role may do"), cls="cd-heading"),
        tag("dl", *rows, cls="cd-facts"),
        tag("p", say("A role holds in its scope and in every scope below it. Roles add up."), cls="cd-muted cd-small"),
    ))  # fmt: skip


@uninterrupted
def _find(place: Place) -> None:
    place.go(find=str(st.session_state["people.find"]).strip())


def _draw_list(view: PeopleView, place: Place) -> None:
    words = place.find.casefold()
    found = [one for one in view.people if not words or words in f"{one.name} {one.id} {one.roles}".casefold()]
    if len(view.people) > 12:
        if st.session_state.get("people.find") != place.find:
            st.session_state["people.find"] = place.find
        st.text_input(
            say("Find a person"), key="people.find", placeholder=say("Name, id, role or scope"), label_visibility="collapsed", live="300ms",
            icon=":material/search:", on_change=_find, args=(place,),
        )  # fmt: skip
    rows = [_row(one, place) for one in found[:_SHOWN]]
    if len(found) > _SHOWN:
        rows.append(tag("div", say("{n} more; type a part of the name.", n=f"{len(found) - _SHOWN:,}"), cls="cd-muted cd-small"))
    if not found:
        rows.append(tag("div", tag("b", say("Nobody matches that")), say("Try another part of the name."), cls="cd-empty"))
    add = tag("a", icon("person_add"), say("Add somebody"), cls="cd-link cd-button", href=place.link(adding=True, who="")) if view.may_add else None
    draw(tag("div", add, cls="cd-actions") if add else "", tag("div", *rows, cls="pp-people"))


def _row(one: PersonRow, place: Place) -> Markup:
    here = " pp-here" if one.id == place.who else ""
    roles = [(role, "*") for role in one.everywhere] if len(one.everywhere) < 4 else []
    every = tag("span", say("every role everywhere"), cls="pp-role") if len(one.everywhere) >= 4 else None
    hidden = say_count("and {n} where you may not look", "and {n} where you may not look", one.hidden) if one.hidden else None
    shown = join((every, " ", roles_words(one.roles))) if every and one.roles else (every or roles_words((*roles, *one.roles)))
    return tag(
        "a",
        tag("span", tag("b", one.name[:120]), tag("small", one.id[:120], cls="cd-muted cd-id"), cls="pp-name"),
        tag("span", shown, tag("small", hidden, cls="cd-muted") if hidden else None),
        cls=f"cd-link pp-person{here}", href=place.link(who=one.id, adding=False),
    )  # fmt: skip


# --- one person ----------------------------------------------------------------------------------------------------


def _draw_person(desk: Desk, view: PeopleView, one: PersonRow) -> None:
    draw(tag("h2", one.name[:120], cls="cd-heading pp-title"), tag("div", copyable(one.id), cls="cd-small"))
    lines = [tag("li", tag("b", role_in(role, scope)), tag("small", say(ROLE_WORDS[role][1]), cls="cd-muted")) for role, scope in one.roles]
    if one.everywhere:
        lines.append(tag("li", tag("b", say("everywhere")), tag("small", ", ".join(role_word(role) for role in one.everywhere), cls="cd-muted")))
    if not lines:
        lines.append(tag("li", say("No role: nothing can be done or seen under this name."), cls="cd-muted"))
    draw(tag("ul", *lines, cls="cd-list pp-roles"))
    if one.everywhere:
        draw(tag("p", say("Roles everywhere are made with the store and stay as they are."), cls="cd-muted cd-small"))
    draw_address(desk, view, one)
    if not view.may_add:
        return
    mark = mark_of(view.tenant, one.id)
    with st.container(key="people.form"):
        draw(tag("h3", say("Change what they may do"), cls="pp-sub"))
        takeable = [pair for pair in one.roles if pair[0] in view.grants.get(pair[1], ())]
        taken = [pair for pair in takeable if st.checkbox(_label(pair), key=f"people.take.{mark}.{mark_of(*pair)}")]
        fixed = [pair for pair in one.roles if pair not in takeable]
        if fixed:
            words = say(
                "You may not take these away, because you do not hold what they permit there: {roles}.",
                roles=", ".join(role_in(*pair) for pair in fixed),
            )
            draw(tag("p", words, cls="cd-muted cd-small"))
        given = _ask_role(view, mark, one.roles)
        ask_reason(f"people.reason.{mark}", say("Why, and who asked for it"))
        after = [pair for pair in {*one.roles, *given} if pair not in taken]
        if given or taken:
            draw(before_after(roles_words(one.roles), roles_words(after)))
        st.button(
            say("Change it as {name}", name=label_text(desk.actor.name, 40) or say("you")), type="primary", key=f"people.save.{mark}",
            on_click=_save_roles, args=(desk, view, one, tuple(given), tuple(taken), f"people.reason.{mark}", mark),
        )  # fmt: skip
    if view.may_rename:
        _draw_renaming(desk, view, one, mark)


def _label(pair: tuple[str, str]) -> str:
    """Return a role to take away as a checkbox shows it."""
    return say("Take away: {role} in {scope}", role=role_word(pair[0]), scope=label_text(pair[1], 120))


def _ask_role(view: PeopleView, mark: str, held: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """Draw the fields for a role to give and return it, if one was chosen that is not held yet."""
    left, right = st.columns([2, 3])
    role = left.selectbox(
        say("Give a role"), list(ROLES), key=f"people.role.{mark}", index=None, format_func=role_word, placeholder=say("none"),
    )  # fmt: skip
    scope = right.selectbox(
        say("In scope"), view.scopes, key=f"people.scope.{mark}", index=None, format_func=show_invisible, placeholder=say("Choose or type a scope"),
        accept_new_options=True,
    )  # fmt: skip
    if role is None or not scope or (role, str(scope).strip()) in held:
        return []
    return [(role, str(scope).strip())]


@uninterrupted
def _save_roles(
    desk: Desk, view: PeopleView, one: PersonRow, given: tuple[tuple[str, str], ...], taken: tuple[tuple[str, str], ...], reason_key: str, mark: str
) -> None:
    reason = str(st.session_state.get(reason_key) or "").strip()
    problems = []
    if not given and not taken:
        problems.append(say("Choose a role to give, in a scope where it is not held yet, or one to take away."))
    if not reason:
        problems.append(say("Give a reason. It is kept with the event."))
    done = carry_out(
        lambda operation: set_roles(desk.store, desk.person, view.tenant, one.id, given, taken, reason, seen=one.roles, operation=operation), problems
    )
    if done is not None:
        _forget(mark)
        say_done(say("{name} changed: {after}.", name=one.name[:120], after=", ".join(role_in(*pair) for pair in done["after"]) or say("no role")))


def _forget(mark: str) -> None:
    for key in [key for key in st.session_state if isinstance(key, str) and key.startswith("people.") and mark in key]:
        st.session_state.pop(key, None)


def _draw_renaming(desk: Desk, view: PeopleView, one: PersonRow, mark: str) -> None:
    with st.expander(say("Rename"), key=f"people.rename.{mark}"), st.form(f"people.naming.{mark}", border=False):
        st.text_input(say("Name"), value=one.name, key=f"people.name.{mark}", max_chars=200)
        ask_reason(f"people.namereason.{mark}", say("Why the name changes"), say("Reason for the new name, kept with the event"))
        st.form_submit_button(say("Rename"), on_click=_rename, args=(desk, view, one, mark))


@uninterrupted
def _rename(desk: Desk, view: PeopleView, one: PersonRow, mark: str) -> None:
    name = str(st.session_state.get(f"people.name.{mark}") or "").strip()
    reason = str(st.session_state.get(f"people.namereason.{mark}") or "").strip()
    problems = [] if name and name != one.name else [say("Type another name.")]
    if not reason:
        problems.append(say("Give a reason. It is kept with the event."))
    done = carry_out(
        lambda operation: rename_person(desk.store, desk.person, view.tenant, one.id, name, reason, seen=one.name, operation=operation), problems
    )
    if done is not None:
        _forget(mark)
        say_done(say("{before} is now called {after}.", before=done["before"], after=done["after"]))


# --- somebody new --------------------------------------------------------------------------------------------------


def _draw_adding(desk: Desk, view: PeopleView, place: Place) -> None:
    draw(
        tag("h2", say("Add somebody"), cls="cd-heading pp-title"),
        tag(
            "p",
            say("A person, or a program that proposes and reads. What they do is recorded under the id, which stays for ever."),
            cls="cd-muted cd-small",
        ),
    )
    with st.container(key="people.form"):
        left, right = st.columns(2)
        left.text_input(say("Id"), key="people.new.id", max_chars=200, placeholder=say("as it is signed in with, such as olga"))
        right.text_input(say("Name"), key="people.new.name", max_chars=200, placeholder=say("as people read it"))
        roles = _ask_role(view, "new", ())
        ask_reason("people.new.reason", say("Who they are, and who asked for it"))
        if roles:
            draw(tag("p", tag("b", role_in(*roles[0])), f": {say(ROLE_WORDS[roles[0][0]][1])}.", cls="cd-small"))
        st.button(
            say("Add as {name}", name=label_text(desk.actor.name, 40) or say("you")), type="primary", key="people.add", on_click=_add,
            args=(desk, view, place, tuple(roles)),
        )  # fmt: skip
        draw(tag("a", say("Leave it"), cls="cd-link cd-small", href=place.link(adding=False)))


@uninterrupted
def _add(desk: Desk, view: PeopleView, place: Place, roles: tuple[tuple[str, str], ...]) -> None:
    state: Any = st.session_state
    new_id, name, reason = (str(state.get(f"people.new.{one}") or "").strip() for one in ("id", "name", "reason"))
    problems = []
    if not new_id:
        problems.append(say("Give an id."))
    if not roles:
        problems.append(say("Choose a role and the scope it holds in."))
    if not reason:
        problems.append(say("Give a reason. It is kept with the event."))
    done = carry_out(partial(_do_add, desk, view.tenant, new_id, name or new_id, roles, reason), problems)
    if done is not None:
        _forget("new")
        say_done(say("{name} was added: {after}.", name=name or new_id, after=", ".join(role_in(*pair) for pair in done["after"])))
        place.go(adding=False, who=new_id)


def _do_add(desk: Desk, tenant: str, new_id: str, name: str, roles: tuple[tuple[str, str], ...], reason: str, operation: str) -> dict[str, Any]:
    return add_person(desk.store, desk.person, tenant, new_id, name, roles, reason, operation=operation)
