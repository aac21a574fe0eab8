"""Committing a preview, with ceremony by weight: a reason always, more the more it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.case_choice import CaseChoice, draw_case_choice, read_case_choice
from pages.widgets.desk import Desk, address, attempt, record_link
from pages.widgets.labels import label_text, option_text
from pages.widgets.language import later, number, phrase, quote_store, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.plan_rows import DRIFTED, name_drifted
from pages.widgets.plan_state import Place, forget_rehearsals, operation_of, read_place
from pages.widgets.plan_words import button_words, changes_otherwise, confirm_words, reason_hint
from pages.widgets.status import icon
from store import Drift, Plan, Rehearsal, commit_plan, list_people_of

#: From how many records on a sentence has to be confirmed.
MANY = 20
_SHOWN_OWNERS = 12
_PROBLEMS = "revoke.problems"
_WAIVE = later("Nobody needs to be told")


@dataclass(frozen=True, slots=True)
class Ceremony:
    """What was entered into the fields of a plan that is being committed.

    Attributes:
        owners: artifact -> who is to own it; `waived`: artifact -> why nobody needs to be told.
        problems: what is missing, as sentences; nothing is committed while there are any.
    """

    reason: str
    owners: dict[str, str]
    waived: dict[str, str]
    problems: list[str]


def _names(found: Rehearsal) -> dict[str, str]:
    """Return the keys of the form's fields, of this very preview."""
    mark = found.fingerprint[:12]
    return {name: f"revoke.{name}.{mark}" for name in ("reason", "confirm", "delivered", "owner", "waive", "case")}


def people_for(desk: Desk, found: Rehearsal) -> list[dict[str, Any]]:
    """Return whom an artifact without an owner may be given to; nobody where every one has an owner."""
    return list_people_of(desk.store, desk.person, found.tenant) if found.unowned else []


def draw_ceremony(found: Rehearsal, people: list[dict[str, Any]], hint: str) -> None:
    """Draw, inside the form that commits, what the plan asks for by its weight: owners, a reason, a sentence to tick, a number to type."""
    names, totals = _names(found), found.totals
    if found.unowned:
        _ask_owners(found, people, names)
    st.text_area(say("Reason, kept with the event"), key=names["reason"], height=88, placeholder=hint, max_chars=4000)
    if totals["affected"] >= MANY:
        st.checkbox(confirm_words(found.plan.verb, totals["affected"]), key=names["confirm"])
    if totals["delivered"]:
        st.text_input(say("Type {n}, the number of delivered artifacts it reaches", n=number(totals["delivered"])), key=names["delivered"], max_chars=12)


def read_ceremony(found: Rehearsal, people: list[str]) -> Ceremony:
    """Return what was entered into the fields that `draw_ceremony` drew; `people` are the ids that could be chosen."""
    names, problems = _names(found), list[str]()
    reason = str(st.session_state.get(names["reason"]) or "").strip()
    owners, waived = _read_owners(found, names, people, problems)
    if not reason:
        problems.append(say("Give a reason. It is kept with the event."))
    if found.totals["affected"] >= MANY and not st.session_state.get(names["confirm"]):
        problems.append(say_count("Tick the sentence, because {n} record changes.", "Tick the sentence, because {n} records change.", found.totals["affected"]))
    typed = "".join(str(st.session_state.get(names["delivered"]) or "").split()).replace(",", "")
    if found.totals["delivered"] and typed != str(found.totals["delivered"]):
        problems.append(say("Type {n}: that many delivered artifacts are reached.", n=number(found.totals["delivered"])))
    return Ceremony(reason, owners, waived, problems)


def draw_commit(desk: Desk, found: Rehearsal, drift: Drift | None, place: Place, refused: dict[str, Any] | None) -> None:
    """Draw the card that commits, or why it cannot be committed."""
    verb, totals = found.plan.verb, found.totals
    draw(tag("h2", say("Commit exactly this"), cls="cd-jumpto"))
    _draw_refusal(found, refused)
    if found.why_not is not None:
        draw(tag("div", tag("b", icon("lock"), say("You can look, and not commit.")), " ", quote_store(found.why_not), cls="cd-band"))
        return
    if not found.complete:
        draw(
            tag(
                "div",
                phrase(
                    "{incomplete} It was cut before the end, so it cannot be committed. Choose less, and preview again.",
                    incomplete=tag("b", say("This preview is incomplete.")),
                ),
                cls="cd-band cd-warnband",
            )
        )
        return
    if not totals["affected"] and not changes_otherwise(found):
        draw(tag("div", phrase("{nothing} No record would change.", nothing=tag("b", say("There is nothing to do."))), cls="cd-band"))
        return
    people = people_for(desk, found)
    with st.form("revoke.commit", border=False, enter_to_submit=False):
        draw_ceremony(found, people, reason_hint(verb))
        choice = draw_case_choice(desk, found.tenant, found.plan, _names(found)["case"], place.correction)
        st.form_submit_button(
            button_words(verb, totals["affected"], label_text(desk.actor.name, 40) or say("you")), type="primary", width="stretch", disabled=drift is not None,
            on_click=_commit, args=(desk, found.tenant, found.plan, found, operation_of(desk, found), [one["id"] for one in people], choice), key="revoke.submit",
        )  # fmt: skip
    if drift is not None:
        draw(tag("div", say("Committing is off, because the result has changed. Preview again first."), cls="cd-muted cd-small"))
    else:
        draw(
            tag(
                "div",
                phrase("Nothing has changed yet. {leave}.", leave=tag("a", say("Leave it"), cls="cd-link", href=place.link(picks=(), adding=False) if not place.one else address("rehearsals", scope=place.scope))),
                cls="cd-muted cd-small",
            )
        )


def _ask_owners(found: Rehearsal, people: list[dict[str, Any]], names: dict[str, str]) -> None:
    """Ask who is to own what nobody owns, before anything else: otherwise nobody would be told."""
    unowned = say_count("Nobody owns {n} artifact of this.", "Nobody owns {n} artifacts of this.", len(found.unowned))
    draw(
        tag(
            "div",
            icon("person_off"),
            phrase("{unowned} Name an owner, who is then told, or say why nobody needs to be.", unowned=tag("b", unowned)),
            cls="cd-band cd-warnband",
        )
    )
    labels = {one["id"]: f"{option_text(one['name'], 40)} ({option_text(one['id'], 40)})" for one in people}
    for place, one in enumerate(found.unowned[:_SHOWN_OWNERS]):
        draw(tag("div", record_link(one, found.tenant, found.titles.get(one, one)[:160]), cls="cd-small"))
        st.selectbox(
            say("Owner of artifact {n}", n=place + 1), [None, *labels, _WAIVE], key=f"{names['owner']}.{place}", label_visibility="collapsed",
            format_func=lambda one: say("Choose an owner") if one is None else say(_WAIVE) if one == _WAIVE else labels[one],
        )  # fmt: skip
        st.text_input(
            say("Why nobody needs to be told of artifact {n}", n=place + 1),
            key=f"{names['waive']}.{place}",
            placeholder=say("If nobody needs to be told: why"),
            label_visibility="collapsed",
            max_chars=500,
        )
    rest = len(found.unowned) - _SHOWN_OWNERS
    if rest > 0:
        words = say_count("{n} more has no owner. It is treated like the last one above.", "{n} more have no owner. They are treated like the last one above.", rest)
        draw(tag("div", words, cls="cd-muted cd-small"))


def _read_owners(found: Rehearsal, names: dict[str, str], people: list[str], problems: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    owners: dict[str, str] = {}
    waived: dict[str, str] = {}
    for n, one in enumerate(found.unowned):
        place = min(n, _SHOWN_OWNERS - 1)
        chosen = st.session_state.get(f"{names['owner']}.{place}")
        why = str(st.session_state.get(f"{names['waive']}.{place}") or "").strip()
        if chosen in people:
            owners[one] = chosen
        elif why:  # With nobody chosen, a reason why nobody is told says as much as choosing so.
            waived[one] = why
        elif chosen == _WAIVE:
            problems.append(say("Say why nobody needs to be told of “{artifact}”.", artifact=found.titles.get(one, one)[:120]))
        else:
            problems.append(say("Name an owner for “{artifact}”, or say why nobody needs to be told.", artifact=found.titles.get(one, one)[:120]))
    return owners, waived


@uninterrupted
def _commit(desk: Desk, tenant: str, plan: Plan, found: Rehearsal, operation: str, people: list[str], choice: CaseChoice) -> None:
    """Commit what was drawn: plan, fingerprint and operation id were bound when the button was."""
    entered = read_ceremony(found, people)
    told.keep(_PROBLEMS, entered.problems)
    if entered.problems:
        return
    correction, opens = read_case_choice(desk, choice, entered.reason)
    done = attempt(
        lambda: commit_plan(
            desk.store, desk.person, tenant, plan, found.fingerprint, entered.reason, operation=operation, owners=entered.owners, waived=entered.waived,
            correction=correction, opens=opens,
        )
    )  # fmt: skip
    if done is None:
        return
    forget_rehearsals()
    if st.query_params.get("one"):  # a rehearsal shows itself what it did
        return
    place = read_place(desk)
    st.query_params.from_dict({"tenant": tenant, "done": str(done["event"]), **({"scope": place.scope} if place.scope else {})})


def _draw_refusal(found: Rehearsal, refusal: dict[str, Any] | None) -> None:
    problems = told.take(_PROBLEMS)
    if problems:
        draw(
            tag(
                "div",
                tag("b", say("Nothing was changed.")),
                tag("ul", *(tag("li", one) for one in problems), cls="cd-problems"),
                cls="cd-band cd-badband",
            )
        )
    if refusal is None:
        return
    details = refusal["details"]
    parts = [tag("div", quote_store(refusal["message"]))]
    parts += name_drifted(found.tenant, {name: details.get(name) or () for name in DRIFTED})
    if refusal["code"] == "already_decided" and details.get("event"):
        parts.append(tag("a", say("See what it did"), cls="cd-link", href=address("revoke", tenant=found.tenant, done=str(int(details["event"])))))
    draw(tag("div", *parts, cls="cd-band cd-badband cd-refused"))
