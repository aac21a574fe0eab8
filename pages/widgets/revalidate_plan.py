"""A plan of the queue of re-validation: what it would do, which records stand again, and the form that commits exactly that."""

from __future__ import annotations

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_words import shorten
from pages.widgets.case_choice import CaseChoice, draw_case_choice, read_case_choice
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, address, attempt, note_done, record_link, take_refusal
from pages.widgets.labels import label_text
from pages.widgets.language import quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.plan_commit import draw_ceremony, people_for, read_ceremony
from pages.widgets.plan_rows import name_drifted
from pages.widgets.plan_state import drift_of, forget_rehearsals, operation_of, rehearsal_of
from pages.widgets.plan_words import say_drift
from pages.widgets.refusal_words import say_refusal
from pages.widgets.revalidate_place import Place
from pages.widgets.status import badge, icon
from store import Drift, Plan, Rehearsal, RowPage, Verb, commit_plan, list_plan_rows

_PROBLEMS = "revalidate.problems"
_SHOWN = 40


def _forget(place: Place) -> None:
    place.changed(record=None, tenant=None).go()


@uninterrupted
def _commit(desk: Desk, tenant: str, found: Rehearsal, place: Place, operation: str, people: list[str], choice: CaseChoice) -> None:
    """Commit what was drawn: plan, fingerprint and operation id were bound when the button was."""
    entered = read_ceremony(found, people)
    told.keep(_PROBLEMS, entered.problems)
    if entered.problems or not counts():
        return
    correction, _ = read_case_choice(desk, choice, entered.reason)
    done = attempt(
        lambda: commit_plan(
            desk.store, desk.person, tenant, found.plan, found.fingerprint, entered.reason, operation=operation, owners=entered.owners, waived=entered.waived,
            correction=correction,
        )
    )  # fmt: skip
    if done is None:
        return
    forget_rehearsals()
    saved = int(done["changed"]) - 1
    words = say_count("{n} record stands again by one decision.", "{n} records stand again by one decision.", int(done["changed"]))
    if saved > 0:
        words += " " + say_count("That saved {n} decision.", "That saved {n} decisions.", saved)
    note_done(words, (say("See what it did"), address("revoke", tenant=tenant, done=str(done["event"]), scope=place.scope)))
    _forget(place)


def draw_plan(desk: Desk, tenant: str, plan: Plan, place: Place, *, undo: str | None = None) -> None:
    """Draw what a plan would do and the form that commits it, or what is missing."""
    kept = take_refusal()
    found = attempt(lambda: rehearsal_of(desk, tenant, plan))
    if found is None:
        refusal = take_refusal()
        draw(tag("div", tag("b", say("Not yet.")), " ", say_refusal(desk, tenant, refusal["message"]) if refusal else "", cls="cd-band cd-warnband"))
        return
    totals, impact = found.totals, found.impact
    n = totals["affected"]
    effects: list[str] = [tag("b", say_count("{n} record stands again", "{n} records stand again", n))]
    if len(impact.keys):
        effects.append(say_count("{n} answer to agents changes", "{n} answers to agents change", len(impact.keys)))
    if impact.opened:
        effects.append(say_count("{n} conflict opens", "{n} conflicts open", len(impact.opened)))
    if totals["delivered"]:
        effects.append(say_count("{n} delivered artifact is reached", "{n} delivered artifacts are reached", totals["delivered"]))
    if totals["untouched"]:
        effects.append(say_count("{n} record stays as it is", "{n} records stay as they are", totals["untouched"]))
    draw(tag("div", icon("visibility"), join(effects, " · "), cls="cd-band cd-goodband" if not impact.opened else "cd-band cd-warnband"))
    _draw_which(desk, found)
    drift = drift_of(desk, found)
    problems = told.take(_PROBLEMS)
    if problems or kept:
        lines = [tag("li", one) for one in problems or ()] + ([tag("li", say_refusal(desk, tenant, kept["message"]))] if kept else [])
        draw(tag("div", tag("b", say("Nothing was changed.")), tag("ul", *lines, cls="cd-problems"), cls="cd-band cd-badband"))
    if found.why_not is not None:
        draw(tag("div", tag("b", icon("lock"), say("You can look, and not commit.")), " ", quote_store(found.why_not), cls="cd-band"))
        return
    if not n:
        draw(tag("div", say("This would bring nothing back: what rests on it has other causes too."), cls="cd-band"))
        return
    mark, name = found.fingerprint[:12], label_text(desk.actor.name, 40) or say("you")
    if plan.verb is Verb.RESTORE:
        label = say_count("Restore {n} record as {name}", "Restore {n} records as {name}", n, name=name)
    else:
        label = say_count("Confirm {n} record as {name}", "Confirm {n} records as {name}", n, name=name)
    if drift is not None:
        _draw_drift(found, drift)
    people = people_for(desk, found)
    with st.form(f"revalidate.commit.{mark}", border=False, enter_to_submit=False):
        draw_ceremony(found, people, say("Why it still holds"))
        choice = draw_case_choice(desk, tenant, plan, f"revalidate.case.{mark}", place.correction)
        st.form_submit_button(
            label, type="primary", disabled=drift is not None, on_click=_commit, key=f"revalidate.submit.{mark}", shortcut="A",
            args=(desk, tenant, found, place, operation_of(desk, found), [one["id"] for one in people], choice),
        )  # fmt: skip
    if undo is not None:
        draw(tag("a", say("Leave it as it was"), cls="cd-link cd-small", href=undo))


def _draw_drift(found: Rehearsal, drift: Drift) -> None:
    """Say that the result is another by now; it is worked out again only when asked for, so that nothing is committed that was not seen."""
    ids = {"added": drift.added, "removed": drift.removed, "changed": drift.changed}
    named = name_drifted(found.tenant, ids, dict(zip(ids, drift.counts, strict=True)))
    head = tag("b", icon("sync_problem"), say("This plan would do something else by now."))
    draw(tag("div", head, " ", say_drift(drift), *named, cls="cd-band cd-warnband cd-drift"))
    st.button(say("Preview again"), key=f"revalidate.again.{found.fingerprint[:12]}", icon=":material/refresh:", on_click=forget_rehearsals)


def _rest(page: RowPage) -> list[Markup]:
    more = page.total - page.hidden - len(page.items)
    rows = []
    if more > 0:
        rows.append(tag("li", say_count("and {n} more", "and {n} more", more), cls="cd-muted"))
    if page.hidden:
        rows.append(tag("li", say_count("{n} more in scopes you may not see.", "{n} more in scopes you may not see.", page.hidden), cls="cd-muted"))
    return rows


def _draw_which(desk: Desk, found: Rehearsal) -> None:
    """Draw which records stand again, and which stay as they are and why, folded."""
    if found.totals["affected"] > 1:
        page = list_plan_rows(desk.store, found, "affected", limit=_SHOWN)
        rows = [tag("li", record_link(one["id"], found.tenant, shorten(one["title"], 140)), _sent(len(one["deliveries"]))) for one in page.items]
        words = say_count("Which {n} record stands again", "Which {n} records stand again", found.totals["affected"])
        draw(tag("details", tag("summary", words), tag("ul", *rows, *_rest(page), cls="rv-supports"), cls="cd-more"))
    if found.totals["untouched"]:
        page = list_plan_rows(desk.store, found, "untouched", limit=_SHOWN)
        rows = [
            tag("li", badge(one["status"], one["kind"]), " ", record_link(one["id"], found.tenant, shorten(one["title"], 140)), tag("div", quote_store(one["why"]), cls="cd-muted cd-small"))
            for one in page.items
        ]
        words = say_count("Touched without effect: {n} record, and why", "Touched without effect: {n} records, and why", found.totals["untouched"])
        draw(tag("details", tag("summary", words), tag("ul", *rows, *_rest(page), cls="rv-supports"), cls="cd-more"))


def _sent(count: int) -> Markup | None:
    return tag("span", " ", icon("send"), say_count("sent to {n}", "sent to {n}", count), cls="cd-muted cd-small") if count else None
