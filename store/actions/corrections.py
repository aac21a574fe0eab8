"""Corrections as cases: opened, changed, waived in part, closed only when nothing is open, and opened again (R25)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from store.db.case_facts import is_unsettled, load_facts
from store.db.claim_store import ClaimStore
from store.db.corrections import (
    OWN,
    Case,
    add_case_sources,
    adopt_events,
    change_case,
    find_case,
    find_case_sources,
    insert_correction,
    keep_waiver,
    note_correction_event,
    sources_of_records,
    take_waiver,
    waivers_of,
)
from store.db.decisions import need_reason
from store.db.keys import Numbers
from store.db.transaction import Writing, load_actor, write
from store.domain.corrections import WAIVABLE, NewCase, OpenThing, list_open
from store.domain.errors import Code, Refusal
from store.domain.people import Actor, Right
from store.domain.plans import Plan
from store.domain.text import find_forbidden, is_blank
from store.domain.times import format_time

_LONGEST_TITLE = 200
_LONGEST_CAUSE = 4_000
_NAMED = 5


def open_correction(
    store: ClaimStore, person: str, tenant: str, title: str, *, sources: Sequence[str] = (), cause: str | None = None, owner: str | None = None,
    due_at: int | None = None, scope: str | None = None, operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Open a correction of sources, and take up what took their versions out of use before; a reviewer of their scopes may.

    Args:
        owner: who sees it through; whoever opens it by default. due_at: microseconds UTC.
        scope: where the case belongs; that of the first source by default, and needed where there is none.

    Returns:
        `{"correction": id, "event"}`.
    """
    words = [title, list(sources), cause, owner, due_at, scope]
    with write(store, person, tenant, "open correction", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            found = _open(tx, NewCase(title, cause, owner, due_at), list(sources), scope)
            tx.result = {"correction": found, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def open_case(tx: Writing, new: NewCase, plan: Plan) -> str:
    """Open a correction of the sources that a plan being committed is about, as part of the same action."""
    sources = sources_of_records(tx.connection, tx.tenant, plan.roots)
    if not sources:
        raise Refusal(Code.BAD_VALUE, "A correction is about sources, and this plan names none. Nothing was changed. Commit it without one.")
    return _open(tx, new, sources, None)


def _open(tx: Writing, new: NewCase, sources: Sequence[str], scope: str | None) -> str:
    title, cause = _need_title(new.title), _need_cause(new.cause)
    found = _need_sources(tx, sources, "open a correction")
    where = scope or (found[0].scope if found else None)
    if where is None:
        raise Refusal(Code.BAD_VALUE, "A correction without a source needs a scope. Nothing was opened. Name a source.")
    tx.actor.need(Right.DECIDE, where, "open a correction")
    owner = _need_owner(tx, new.owner or tx.actor.id, [where, *(one.scope for one in found)])
    _need_due(tx, new.due_at)
    number = Numbers(tx.connection, tx.tenant).scope(where)
    pairs = [(one.number, one.id) for one in found]
    correction, correction_id = insert_correction(tx, title, number, pairs, cause=cause, owner=owner, due_at=new.due_at)
    adopt_events(tx, correction, [one for one, _ in pairs])
    note_correction_event(tx, correction, OWN)
    return correction_id


def change_correction(
    store: ClaimStore, person: str, tenant: str, correction: str, changes: Mapping[str, Any], *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Change the title, cause, owner or due time (`due_at`, microseconds UTC or None) of an open correction."""
    with write(store, person, tenant, "change correction", [correction, dict(changes)], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            case = _need_open_case(tx, correction, "change")
            values: dict[str, Any] = {}
            for name, value in changes.items():
                if name == "title":
                    values[name] = _need_title(value)
                elif name == "cause":
                    values[name] = _need_cause(value)
                elif name == "owner":
                    values[name] = _need_owner(tx, value, case.scopes)
                elif name == "due_at":
                    _need_due(tx, value)
                    values[name] = value
                else:
                    raise Refusal(Code.UNKNOWN_FIELD, f"A correction has no {name[:40]!r} that could change. Nothing was changed.")
            if not values:
                raise Refusal(Code.BAD_VALUE, "Name what is to change: title, cause, owner or due time. Nothing was changed.")
            change_case(tx, case.number, **values)
            note_correction_event(tx, case.number, OWN)
            tx.result = {"correction": correction, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def add_source_to_correction(
    store: ClaimStore, person: str, tenant: str, correction: str, source: str, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Let an open correction be about one more source, and take up what took its versions out of use before."""
    with write(store, person, tenant, "add source", [correction, source], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            case = _need_open_case(tx, correction, "add a source to")
            found = _need_sources(tx, [source], f"add a source to {correction}")
            if found[0].number in case.sources:
                raise Refusal(Code.ALREADY_DECIDED, f"{correction} is about {source} already. Nothing was changed.")
            add_case_sources(tx, case.number, [found[0].number])
            adopt_events(tx, case.number, [found[0].number])
            note_correction_event(tx, case.number, OWN)
            tx.result = {"correction": correction, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def waive(
    store: ClaimStore, person: str, tenant: str, correction: str, kind: str, about: str, reason: str | None, *, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Leave one open thing of a correction open on purpose, with a reason: a `step`, or a `record`, `candidate`, `edition` or `recipient`."""
    with write(store, person, tenant, "waive", [correction, kind, about, reason], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(reason)
            case = _need_open_case(tx, correction, "waive a part of")
            known = next((one for one in waivers_of(tx.connection, tx.tenant, case.number) if (one.kind, one.about) == (kind, about)), None)
            if known is not None:
                raise Refusal(Code.ALREADY_DECIDED, f"{known.waived_by} waived {about[:80]} already: {known.reason}. Nothing was changed.")
            if kind not in WAIVABLE or not is_unsettled(tx, tx.tenant, case, tx.snapshot(tx.tenant), kind, about):
                raise Refusal(Code.BAD_VALUE, f"Nothing of {correction} that is open is {about[:80]!r}. Nothing was waived. Look at the case again.")
            keep_waiver(tx, case.number, kind, about, tx.reason)
            note_correction_event(tx, case.number, OWN)
            tx.result = {"correction": correction, "waived": about, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def take_waiver_back(
    store: ClaimStore, person: str, tenant: str, correction: str, kind: str, about: str, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Let a waived thing of an open correction be open again."""
    with write(store, person, tenant, "take waiver back", [correction, kind, about], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            case = _need_open_case(tx, correction, "take back a waiver of")
            if not take_waiver(tx, case.number, kind, about):
                raise Refusal(Code.NOT_FOUND, f"{about[:80]!r} is not waived in {correction}. Nothing was changed.")
            note_correction_event(tx, case.number, OWN)
            tx.result = {"correction": correction, "taken_back": about, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def close_correction(
    store: ClaimStore, person: str, tenant: str, correction: str, note: str | None, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Close a correction of which nothing is open that is not waived; `note` says what came of it.

    Raises:
        Refusal: `illegal_step`, with what is open.
    """
    with write(store, person, tenant, "close correction", [correction, note], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(note)
            case = _need_open_case(tx, correction, "close")
            things = [thing for thing in list_open(load_facts(tx, tx.tenant, case, tx.snapshot(tx.tenant))) if thing.reason is None]
            if things:
                raise Refusal(
                    Code.ILLEGAL_STEP, f"{correction} was not closed: {say_open(things)}. Settle that, or waive it with a reason.",
                    open=[{"step": thing.step, "kind": thing.kind, "count": thing.count, "names": list(thing.names)} for thing in things],
                )  # fmt: skip
            change_case(tx, case.number, closed_by=tx.actor.id, closed_at=tx.at, closed_seq=tx.seq, closing_note=tx.reason)
            note_correction_event(tx, case.number, OWN)
            tx.result = {"correction": correction, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def reopen_correction(
    store: ClaimStore, person: str, tenant: str, correction: str, reason: str | None, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Open a closed correction again, with a reason."""
    with write(store, person, tenant, "reopen correction", [correction, reason], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(reason)
            case = _need_case(tx, correction, "open")
            if case.closed_at is None:
                raise Refusal(Code.ILLEGAL_STEP, f"{correction} is open. Nothing was changed.")
            change_case(tx, case.number, closed_by=None, closed_at=None, closed_seq=None, closing_note=None)
            note_correction_event(tx, case.number, OWN)
            tx.result = {"correction": correction, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


#: step or kind -> what is open, for one and for several.
_SAYS = {
    "stop": ("the source {names} is still in use", "{n} sources are still in use, {names}"),
    "compare": ("no other version of {names} has been compared", "of {n} sources no other version has been compared, {names}"),
    "commit": ("what becomes of {names} is not decided", "what becomes of {n} sources is not decided, {names}"),
    "record": ("{n} record needs re-validation, {names}", "{n} records need re-validation, such as {names}"),
    "candidate": ("{n} candidate that answers what fell waits, {names}", "{n} candidates that answer what fell wait, such as {names}"),
    "edition": (
        "{n} delivered artifact has no new edition, annotation or reason for none, {names}",
        "{n} delivered artifacts have no new edition, annotation or reason for none, such as {names}",
    ),
    "recipient": ("{n} recipient was not told, {names}", "{n} recipients were not told, such as {names}"),
}


#: What is open of a case that names no source.
_SAYS_BARE = {"stop": "no source of it is stopped", "compare": "no version has been compared", "commit": "nothing has been decided"}


def say_open(things: Sequence[OpenThing]) -> str:
    """Return what is open as one part of a sentence."""
    parts = []
    for thing in things:
        one, many = _SAYS[thing.step if thing.kind == "step" else thing.kind]
        if thing.kind == "step" and not thing.names:
            parts.append(_SAYS_BARE[thing.step])
            continue
        names = ", ".join(thing.names[:_NAMED]) or "some of them hidden from you"
        parts.append((one if thing.count == 1 else many).format(n=f"{thing.count:,}", names=names))
    return "; ".join(parts)


# --- what is checked ----------------------------------------------------------------------------------------------


def _need_case(tx: Writing, correction: str, doing: str) -> Case:
    case = find_case(tx.connection, tx.tenant, correction)
    if case is None or not all(tx.actor.may(Right.INSPECT, scope) for scope in case.scopes):
        raise Refusal(Code.NOT_FOUND, f"There is no correction {correction[:80]!r} that you may see. Nothing was changed. Check the id and your roles.")
    for scope in case.scopes:
        tx.actor.need(Right.DECIDE, scope, f"{doing} {correction}")
    return case


def _need_open_case(tx: Writing, correction: str, doing: str) -> Case:
    case = _need_case(tx, correction, doing)
    if case.closed_at is not None:
        raise Refusal(
            Code.ILLEGAL_STEP, f"{correction} was closed by {case.closed_by} at {format_time(case.closed_at)}. Nothing was changed. Open it again first.",
            by=case.closed_by, at=format_time(case.closed_at),
        )  # fmt: skip
    return case


def _need_sources(tx: Writing, ids: Sequence[str], doing: str) -> list[Any]:
    found = find_case_sources(tx.connection, tx.tenant, ids)
    for one in ids:
        known = next((row for row in found if row.id == one), None)
        if known is None or not tx.actor.may(Right.READ, known.scope):
            raise Refusal(Code.NOT_FOUND, f"There is no source {one[:80]!r} that you may see. Nothing was changed. Check the id and your roles.")
        tx.actor.need(Right.DECIDE, known.scope, doing)
    return found


def _need_owner(tx: Writing, person: str, scopes: Sequence[str]) -> str:
    try:
        found: Actor | None = load_actor(tx.connection, person, authenticated=False)
    except Refusal:
        found = None
    if found is None or not all(found.may(Right.DECIDE, scope) for scope in scopes):
        raise Refusal(
            Code.UNKNOWN_PERSON, f"There is no {str(person)[:80]!r} in {tx.tenant_name} who may decide on this correction. Nothing was changed. Name a reviewer."
        )
    return found.id


def _need_due(tx: Writing, due_at: int | None) -> None:
    if due_at is not None and due_at <= tx.at:
        raise Refusal(Code.BAD_VALUE, "The due time is past. Nothing was changed. Give a later one.")


def _need_title(title: Any) -> str:
    if not isinstance(title, str) or is_blank(title) or find_forbidden(title):
        raise Refusal(Code.BAD_VALUE, "A correction needs a title. Nothing was changed. Say in a few words what turned out to be wrong.")
    if len(title.strip()) > _LONGEST_TITLE:
        raise Refusal(Code.BAD_VALUE, f"The title has {len(title):,} characters; at most {_LONGEST_TITLE} are kept. Nothing was changed. Shorten it.")
    return title.strip()


def _need_cause(cause: Any) -> str | None:
    if cause is None or (isinstance(cause, str) and is_blank(cause)):
        return None
    if not isinstance(cause, str) or find_forbidden(cause) or len(cause) > _LONGEST_CAUSE:
        raise Refusal(Code.BAD_VALUE, f"The cause must be a text of at most {_LONGEST_CAUSE:,} characters. Nothing was changed. Shorten it.")
    return cause.strip()
