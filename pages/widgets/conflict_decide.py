"""Settling one conflict from the screen: what was drawn is committed, once, and the list moves on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import exact, shorten
from pages.widgets.conflict_place import Place
from pages.widgets.conflict_words import verdict_words
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk
from pages.widgets.language import say
from store import Answer, Code, ConflictView, Foreseen, Plan, Refusal, Verb, commit_plan, list_conflicts_page, preview_plan, spaced, view_conflict

_CHOICE = "conflicts.choice"
_SAID = "conflicts.said"
_RECEIPT = "conflicts.receipt"
_SUBJECT = "conflicts.subject"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which verdict is being given to the conflict looked at.

    Attributes:
        value: place of the value that stays, for those that keep one.
        repeated: it is the verdict given to the same values before.
        proposed: what a house rule would make of the others, where one proposed it.
    """

    verdict: Answer
    value: int = 0
    repeated: bool = False
    proposed: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was settled last.

    Attributes:
        id: the conflict, empty for a group; `event`: of which something can be seen.
        left: how many are left in the list.
    """

    words: str
    id: str
    tenant: str
    left: int
    event: int | None = None


def mark_of_view(view: ConflictView) -> str:
    """Return the mark of a conflict with these sides at these versions: what widgets and choices belong to."""
    return mark_of(view.tenant, view.id, view.stamp)


def choice_of(view: ConflictView) -> Choice | None:
    """Return the verdict chosen for exactly what is shown."""
    mark, choice = st.session_state.get(_CHOICE, (None, None))
    return choice if mark == mark_of_view(view) and isinstance(choice, Choice) else None


def value_of(view: ConflictView) -> int:
    """Return the place of the value chosen last, the first by default."""
    choice = choice_of(view)
    return choice.value if choice is not None and choice.value < len(view.values) else 0


@uninterrupted
def choose(view: ConflictView, choice: Choice | None) -> None:
    """Take a verdict up, or lay it down; the press counts as one, so that a held key goes no further."""
    if not counts():
        return
    if choice is None:
        st.session_state.pop(_CHOICE, None)
    else:
        st.session_state[_CHOICE] = (mark_of_view(view), choice)


def field(view: ConflictView, name: str) -> str:
    """Return the key of a field of the verdict, of exactly what is shown."""
    return f"conflicts.{name}.{mark_of_view(view)}"


def typed(view: ConflictView, name: str) -> str:
    """Return what a field holds."""
    return str(st.session_state.get(field(view, name)) or "").strip()


def kept_side(view: ConflictView, place: int) -> str:
    """Return which claim of a value stays: one that is accepted, and among those the one that most rests on."""
    sides = view.values[place].sides
    return max(sides, key=lambda side: (side.status == "ACCEPTED", side.delivered, side.reach, -len(side.id))).id


def readers_of(view: ConflictView) -> list[tuple[str, str]]:
    """Return (method, version) of each extractor that read a side, in the order of the values."""
    found: dict[tuple[str, str], None] = {}
    for value in view.values:
        for side in value.sides:
            extraction = side.line.get("extraction") or {}
            if extraction.get("method"):
                found[str(extraction["method"]), str(extraction.get("version") or "")] = None
    return list(found)


def made_by(reader: tuple[str, str]) -> dict[str, str]:
    """Return the words by which what an extractor made is picked."""
    return {"extractor": reader[0], **({"version": reader[1]} if reader[1] else {})}


def reader_chosen(view: ConflictView) -> tuple[str, str] | None:
    """Return the extractor said to have erred: the only one, or the one chosen."""
    readers = readers_of(view)
    chosen = st.session_state.get(field(view, "reader"))
    place = 0 if len(readers) == 1 else chosen
    return readers[place] if isinstance(place, int) and place < len(readers) else None


def plan_of(view: ConflictView, choice: Choice) -> Plan | str:
    """Return the plan of a verdict, or what is still missing."""
    keep = kept_side(view, choice.value) if choice.verdict in (Answer.KEEP, Answer.SAME) else None
    if choice.repeated and view.earlier is not None and view.earlier.keep is not None:
        keep = view.earlier.keep
    others = {side.id for value in view.values for side in value.sides} - {keep}
    if choice.verdict in (Answer.KEEP, Answer.SAME):
        ways = {side: "revoked" for side in sorted(others) if st.session_state.get(field(view, f"other.{side}")) == "revoked"}
        return Plan(Verb.RESOLVE, (view.id,), verdict=choice.verdict, keep=keep, other=ways)
    if choice.verdict is Answer.SPLIT:
        return _split(view)
    if choice.verdict is Answer.DIFFERENT:
        side, subject = st.session_state.get(field(view, "different")), typed(view, "subject")
        if not side or not subject:
            return say("Say which claim is about something else, and what that is.")
        return Plan(Verb.RESOLVE, (view.id,), verdict=Answer.DIFFERENT, subject={str(side): subject})
    if choice.verdict is Answer.READER_ERROR:
        reader = reader_chosen(view)
        if reader is None:
            return say("Say which extractor misread.")
        spared = tuple(sorted(st.session_state.get(field(view, f"spared.{reader[0]}.{reader[1]}")) or ()))
        return Plan(Verb.RESOLVE, (view.id,), verdict=Answer.READER_ERROR, made=made_by(reader), except_=spared)
    asked = st.session_state.get(field(view, "ask")) if choice.verdict is Answer.UNCLEAR else None
    return Plan(Verb.RESOLVE, (view.id,), verdict=choice.verdict, ask=str(asked) if asked else None)


def _split(view: ConflictView) -> Plan | str:
    narrow: dict[str, dict[str, Any]] = {}
    for value in view.values:
        for side in value.sides:
            fields: dict[str, Any] = {
                name: text for name in ("valid_from", "valid_to", "scope") if (text := typed(view, f"{name}.{side.id}"))
            }  # fmt: skip
            which = typed(view, f"which.{side.id}")
            if which:
                name, _, text = which.partition("=")
                if not name.strip() or not text.strip():
                    return say("Write which figure it is as name = value, for example basis = GAAP.")
                fields["qualifiers"] = {**(side.line.get("qualifiers") or {}), name.strip(): text.strip()}
            if fields:
                narrow[side.id] = fields
    if not narrow:
        return say("Say for at least one claim from when, until when, in which narrower scope or for which figure it holds.")
    return Plan(Verb.RESOLVE, (view.id,), verdict=Answer.SPLIT, narrow=narrow)


def other_subject(view: ConflictView) -> str:
    """Return what a claim of this subject was said to be about last, empty where nothing was."""
    known = st.session_state.get(_SUBJECT)
    return str(known[2]) if known and known[:2] == (view.tenant, view.subject) else ""


# --- committing ---------------------------------------------------------------------------------------------------


def take_said() -> str | None:
    """Return, once, why the last press wrote nothing."""
    found = told.take(_SAID)
    return str(found) if found else None


def say_instead(words: str) -> None:
    """Keep why a press wrote nothing for the line above the verdicts."""
    told.keep(_SAID, words)
    st.session_state.pop(_RECEIPT, None)


def last_receipt() -> Receipt | None:
    """Return what was settled last; it stays until the next."""
    found = st.session_state.get(_RECEIPT)
    return found if isinstance(found, Receipt) else None


def keep_receipt(receipt: Receipt) -> None:
    """Keep what was settled."""
    st.session_state[_RECEIPT] = receipt


@uninterrupted
def settle_one(desk: Desk, place: Place, view: ConflictView, drawn: Foreseen, choice: Choice) -> None:
    """Commit the verdict that is drawn: plan and fingerprint were bound when its button was."""
    if not counts():
        return
    reason = typed(view, f"reason.{choice.verdict.value}")
    if not reason:
        say_instead(say("Give a reason. It is kept with the event. Nothing was settled."))
        return
    waive = typed(view, "waive")
    if drawn.unowned and not waive:
        say_instead(say("Say why nobody needs to be told of what nobody owns. Nothing was settled."))
        return
    operation = f"desk-{mark_of(view.tenant, view.id, view.stamp, drawn.fingerprint, reason)}"
    try:
        # The preview is remembered now: what is committed is still only what has the fingerprint that was drawn.
        preview_plan(desk.store, desk.person, view.tenant, drawn.plan, rows=0)
        receipt = commit_plan(
            desk.store, desk.person, view.tenant, drawn.plan, drawn.fingerprint, reason, operation=operation,
            waived=dict.fromkeys(drawn.unowned, waive) if drawn.unowned else None,
        )  # fmt: skip
    except Refusal as refusal:
        _explain(desk, place, view, refusal)
        return
    st.session_state.pop(_CHOICE, None)
    if choice.verdict is Answer.DIFFERENT:
        st.session_state[_SUBJECT] = (view.tenant, view.subject, typed(view, "subject"))
    left = move_on(desk, place, view)
    done = _done_words(view, choice)
    keep_receipt(Receipt(say("{what}, as {who}", what=done, who=desk.actor.name), view.id, view.tenant, left, event=int(receipt["event"])))


def _done_words(view: ConflictView, choice: Choice) -> str:
    about = shorten(f"{view.subject} · {spaced(view.predicate)}", 60)
    if choice.verdict is Answer.UNCLEAR:
        return say("Asked about {about}; it stays open", about=about)
    return say("Settled {about}: {verdict}", about=about, verdict=verdict_words(choice.verdict.value))


def move_on(desk: Desk, place: Place, view: ConflictView) -> int:
    """Show the conflict that follows in the list, or the list where none does, and return how many are left in it."""
    ids = list_conflicts_page(desk.store, desk.person, place.sift, (view.tenant, view.id))
    # A settled conflict is out of the list: the one that took its place is the next.
    following = ids.after if ids.chosen == (view.tenant, view.id) else _following(desk, place, view)
    place.of(following).go()
    return ids.matched


def _following(desk: Desk, place: Place, view: ConflictView) -> tuple[str, str] | None:
    known = st.session_state.get("conflicts.following")
    if known and known[0] == (view.tenant, view.id):
        for one in known[1:]:
            try:
                if one is not None and view_conflict(desk.store, desk.person, one[0], one[1]).open:
                    return (str(one[0]), str(one[1]))
            except Refusal:
                continue
    return list_conflicts_page(desk.store, desk.person, place.sift).chosen


def remember_following(view: ConflictView, *following: tuple[str, str] | None) -> None:
    """Keep which conflicts stand after the one looked at, so that the list moves on in its order."""
    st.session_state["conflicts.following"] = ((view.tenant, view.id), *following)


def _explain(desk: Desk, place: Place, view: ConflictView, refusal: Refusal) -> None:
    """Say why nothing was written; a conflict somebody else settled is left for the next."""
    try:
        now = view_conflict(desk.store, desk.person, view.tenant, view.id)
    except Refusal:
        now = view
    about = shorten(f"{view.subject} · {spaced(view.predicate)}", 60)
    if not now.open:
        # Only who still looks at it is moved on: a press that came late must not take away what is looked at by now.
        if st.query_params.get("conflict") == view.id:
            st.session_state.pop(_CHOICE, None)
            move_on(desk, place, view)
        if now.closed_by == desk.person:
            say_instead(say("A second press came late and was ignored: {about} was settled by the first.", about=about))
        elif now.verdict and now.closed_by:
            say_instead(
                say("{who} settled {about} at {when}: {verdict}. Yours was not saved; the list moved on.", who=now.closed_by, about=about, when=exact(now.closed_at), verdict=verdict_words(now.verdict))
            )  # fmt: skip
        else:
            say_instead(say("{about} dissolved at {when}. Yours was not saved; the list moved on.", about=about, when=exact(now.closed_at)))
    elif refusal.code in (Code.UNKNOWN_PREVIEW, Code.STALE_PREVIEW):
        say_instead(say("What this does has changed since it was drawn. Nothing was settled. Look at it again below, and press once more."))
    else:
        say_instead(refusal.message)
