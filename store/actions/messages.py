"""Telling people who hold what no longer stands: messages drafted, changed, approved and seen (R24); sending is in `sending`."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from store.db.case_events import names_of_people
from store.db.claim_store import ClaimStore
from store.db.correction_falls import events_of
from store.db.corrections import Case, find_visible_case, list_cases, note_correction_event
from store.db.holdings import Holdings, may_read
from store.db.keys import load_parties
from store.db.message_causes import Causes
from store.db.messages import (
    Untold,
    add_items,
    add_named,
    change_message,
    emails_of,
    events_of_corrections,
    events_to_tell,
    find_draft,
    insert_message,
    items_of_messages,
    load_messages,
    load_untold,
    named_in_messages,
)
from store.db.outbox import may_ask_holders
from store.db.transaction import Writing, write
from store.domain.errors import Code, Refusal, not_found
from store.domain.mail import find_address
from store.domain.messages import MESSAGE_STEPS, PATIENCE, STATE_WORD, MessageState, hash_text, write_body, write_subject
from store.domain.people import Right
from store.domain.text import find_forbidden, is_blank

_LONGEST_SUBJECT = 300
_LONGEST_BODY = 100_000


def draft_messages(
    store: ClaimStore, person: str, tenant: str, *, correction: str | None = None, events: Sequence[int] | None = None, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Draft one message per person about everything they hold or own that is not in a message yet.

    What is drafted for somebody who has a draft of the same correction already is added to that draft.

    Args:
        correction: only what its events made necessary; `events`: only these. Everything by default.

    Returns:
        `{"drafted": ids, "extended": ids, "hidden": how many things somebody else must tell}`.
    """
    words = [correction, None if events is None else sorted(events)]
    with write(store, person, tenant, "draft messages", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.result = _draft(tx, correction, events)
    return tx.repeated if tx.repeated is not None else tx.result


def _draft(tx: Writing, correction: str | None, events: Sequence[int] | None) -> dict[str, Any]:
    case = None
    if correction is not None:
        case = find_visible_case(tx.connection, tx.tenant, tx.actor, correction)
        if case is None:
            raise not_found(correction)
    asked = events_to_tell(tx.connection, tx.tenant, tx.snapshot(tx.tenant)) if events is None else list(events)
    if case is not None:
        own = [seq for seq, _ in events_of(tx.connection, tx.tenant, case.number)]
        asked = own if events is None else [seq for seq in asked if seq in own]
    parties = load_parties(tx.connection, tx.tenant)
    untold = load_untold(tx.connection, tx.tenant, tx.snapshot(tx.tenant), asked, parties)
    holdings = Holdings(tx.connection, tx.tenant, tx.actor, [one.record for one in untold])
    mine = [one for one in untold if holdings.may_decide(one.record)]
    if not tx.actor.scopes_with(Right.DECIDE):
        tx.actor.need(Right.DECIDE, tx.tenant_name, "draft messages")
    of = {} if case is not None else events_of_corrections(tx.connection, tx.tenant)
    emails = emails_of(tx.connection, tx.tenant)
    owed: dict[int, set[int]] = {}
    for one in mine:
        owed.setdefault(one.record, set()).add(one.seq)
    causes = Causes(tx.connection, tx.tenant, tx.actor, tx.snapshot(tx.tenant), owed, _stated_causes(tx, case, of))
    groups: dict[tuple[str, int | None], list[Untold]] = {}
    for one in mine:
        number = case.number if case is not None else next(iter(of.get(one.seq, [])), None)
        groups.setdefault((one.recipient, number), []).append(one)
    names = names_of_people(tx.connection, tx.tenant, {recipient for recipient, _ in groups})
    drafted, extended = [], []
    for (recipient, number), its in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or 0)):
        told = {one.record: one for one in sorted(its, key=lambda one: one.as_owner, reverse=True)}
        draft = find_draft(tx.connection, tx.tenant, recipient, number)
        if draft is not None and not _may_read(tx, draft.message):
            # What somebody else wrote of things this person may not see is not added to.
            draft = None
        before = [] if draft is None else items_of_messages(tx.connection, tx.tenant, [draft.message])[draft.message]
        known = {record for _, _, record in before}
        found = [holdings.describe(one, causes) for record, one in sorted(told.items()) if record not in known]
        described = [holding for holding, _ in found]
        if draft is None:
            address = find_address(recipient) or find_address(emails.get(recipient))
            number_of, name = insert_message(
                tx, correction=number, recipient=recipient, address=address, channel="email" if address else its[0].channel,
                message_id=new_message_id(), subject=write_subject(described), body=write_body(names.get(recipient, recipient), tx.actor.name, described),
            )  # fmt: skip
            drafted.append(name)
        else:
            number_of, name = draft.message, draft.id
            if described:
                more = write_body(names.get(recipient, recipient), tx.actor.name, described, first=len(known) + 1)
                change_message(tx, draft.message, MessageState.DRAFTED, body=f"{draft.body.rstrip()}\n\n{more}")
            extended.append(name)
        add_items(tx, number_of, [(one.seq, one.n) for one in its])
        add_named(tx, number_of, {one.record for one in its}.union(*(named for _, named in found)))
        if number is not None:
            note_correction_event(tx, number, "tell")
    return {"drafted": drafted, "extended": extended, "hidden": len(untold) - len(mine), "event": tx.seq}


def _stated_causes(tx: Writing, case: Case | None, of: Mapping[int, Sequence[int]]) -> dict[int, tuple[str, list[str]]]:
    """Return event -> the cause its correction states, with every scope that touches."""
    if case is not None:
        return {seq: (case.cause, case.scopes) for seq, _ in events_of(tx.connection, tx.tenant, case.number) if case.cause}
    stated = {one.number: (one.cause, one.scopes) for one in list_cases(tx.connection, tx.tenant) if one.cause}
    return {seq: stated[number] for seq, numbers in of.items() for number in numbers if number in stated}


# --- one message, or several ---------------------------------------------------------------------------------------


def edit_message(
    store: ClaimStore, person: str, tenant: str, message: str, *, subject: str | None = None, body: str | None = None, address: str | None = None,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Change the words or the address of a message that is not out; it has to be approved again."""
    with write(store, person, tenant, "edit message", [message, subject, body, address], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            row = need_message(tx, message, "change")
            values: dict[str, Any] = {}
            if subject is not None:
                values["subject"] = _need_text(subject, "subject", _LONGEST_SUBJECT)
            if body is not None:
                values["body"] = _need_text(body, "text", _LONGEST_BODY)
            if address is not None:
                if address and find_address(address) is None:
                    raise Refusal(Code.BAD_VALUE, "That is no mail address. Nothing was changed. Write one like ana@example.org.")
                values |= {"address": address or None, "channel": "email" if address else row.channel}
            step_message(tx, row, "edit", approved_by=None, approved_at=None, **values)
            tx.result = {"message": message, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def approve_messages(
    store: ClaimStore, person: str, tenant: str, messages: Sequence[str], *, seen: Mapping[str, str] | None = None, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Approve drafted messages as they are, each on its own: `{"done": ids, "refused": [{"id", "code", "message"}]}`.

    Args:
        seen: message -> hash of the subject and text that were read; one that says something else by now is refused.
    """

    def approve(tx: Writing, row: Any) -> None:
        read = (seen or {}).get(row.id)
        if read is not None and read != hash_text(row.subject, row.body):
            raise Refusal(Code.CHANGED_SINCE_SEEN, f"{row.id} says something else by now. It was not approved. Read it again.")
        step_message(tx, row, "approve", approved_by=tx.actor.id, approved_at=tx.at)

    return _each(
        store, person, tenant, "approve messages", messages, approve,
        operation, authenticated=authenticated,
    )  # fmt: skip


def note_message_seen(
    store: ClaimStore, person: str, tenant: str, messages: Sequence[str], *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Note that the recipients of sent messages said they have seen them."""
    return _each(store, person, tenant, "message seen", messages, lambda tx, row: step_message(tx, row, "seen", seen_at=tx.at), operation, authenticated=authenticated)


def cancel_messages(
    store: ClaimStore, person: str, tenant: str, messages: Sequence[str], *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Take back messages that are not out; what they told is to be told again."""
    return _each(store, person, tenant, "cancel messages", messages, lambda tx, row: step_message(tx, row, "cancel"), operation, authenticated=authenticated)


def note_told(
    store: ClaimStore, person: str, tenant: str, messages: Sequence[str], *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Note that people were told by other means: by a file, by telephone, where something was published."""
    return _each(
        store, person, tenant, "told by hand", messages, lambda tx, row: step_message(tx, row, "told by hand", sent_at=tx.at), operation, authenticated=authenticated
    )


def settle_unknown_sending(
    store: ClaimStore, person: str, tenant: str, message: str, *, arrived: bool, patience: float = PATIENCE, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Say what became of a message of which nobody knows whether it went out: it arrived, or it may be sent again under the same Message-ID.

    Args:
        patience: seconds for which whoever took it up may still be at work.
    """

    def settle(tx: Writing, row: Any) -> None:
        if row.state == MessageState.SENDING and row.failure is None and tx.at - (row.attempted_at or 0) < patience * 1_000_000:
            raise Refusal(Code.BUSY, f"{row.id} is being sent just now. Nothing was changed. Look at it again in some minutes.")
        if arrived:
            step_message(tx, row, "arrived", sent_at=tx.at, failure=None)
        else:
            step_message(tx, row, "send again")

    return _each(store, person, tenant, "arrived" if arrived else "send again", [message], settle, operation, authenticated=authenticated)


def _each(
    store: ClaimStore, person: str, tenant: str, action: str, messages: Sequence[str], do: Callable[[Writing, Any], None], operation: str | None, *,
    authenticated: bool,
) -> dict[str, Any]:  # fmt: skip
    with write(store, person, tenant, action, list(messages), operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            done, refused = [], []
            for message in dict.fromkeys(messages):
                try:
                    do(tx, need_message(tx, message, action))
                    done.append(message)
                except Refusal as refusal:
                    if len(messages) == 1:
                        raise
                    refused.append({"id": message, "code": refusal.code.value, "message": refusal.message})
            tx.result = {"done": done, "refused": refused, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def need_message(tx: Writing, message: str, doing: str) -> Any:
    """Return the row of a message whose documents the actor may decide about."""
    rows = load_messages(tx.connection, tx.tenant, ids=[message])
    if not rows:
        raise not_found(message)
    if rows[0].request is not None:
        if not may_ask_holders(tx, tx.tenant):
            raise not_found(message)
        return rows[0]
    records = [record for _, _, record in items_of_messages(tx.connection, tx.tenant, [rows[0].message])[rows[0].message]]
    holdings = Holdings(tx.connection, tx.tenant, tx.actor, records)
    if not all(holdings.may_name(record) for record in records):
        raise not_found(message)
    if not _may_read(tx, rows[0].message):
        raise not_found(message)
    for record in records:
        tx.actor.need(Right.DECIDE, holdings.cards[record].scope, f"{doing} {message}")
    return rows[0]


def _may_read(tx: Writing, message: int) -> bool:
    """Return whether the actor may see every record that a message names."""
    named = named_in_messages(tx.connection, tx.tenant, [message])[message]
    return may_read(tx.connection, tx.tenant, tx.actor, named).issuperset(named)


def new_message_id() -> str:
    """Return a Message-ID nobody used, without its brackets."""
    return f"{secrets.token_hex(16)}@claimdesk.invalid"


def step_message(tx: Writing, row: Any, step: str, **values: Any) -> None:
    """Take a message one step on, with other columns of it.

    Raises:
        Refusal: `illegal_step`, or `changed_since_seen` where somebody was faster.
    """
    now = MessageState(row.state)
    then = MESSAGE_STEPS.get((now, step))
    if then is None:
        legal = ", ".join(sorted({STATE_WORD[state] for state, one in MESSAGE_STEPS if one == step}))
        raise Refusal(Code.ILLEGAL_STEP, f"{row.id} is {STATE_WORD[now]}, and that is possible only for what is {legal}. Nothing was changed.")
    if not change_message(tx, row.message, now, state=int(then), **values):
        raise Refusal(Code.CHANGED_SINCE_SEEN, f"{row.id} changed meanwhile. Nothing was changed. Look at it again.")
    if row.correction is not None:
        note_correction_event(tx, row.correction, "tell")


def _need_text(text: str, what: str, longest: int) -> str:
    if is_blank(text):
        raise Refusal(Code.BAD_VALUE, f"The {what} is empty. Nothing was changed. Write it.")
    if len(text) > longest:
        raise Refusal(Code.BAD_VALUE, f"The {what} has {len(text):,} characters; at most {longest:,} are kept. Nothing was changed. Shorten it.")
    if find_forbidden(text):
        raise Refusal(Code.BAD_VALUE, f"The {what} holds a character no store can keep. Nothing was changed. Type it again.")
    return text
