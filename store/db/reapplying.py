"""Erasing again what the ledger names, before a store can be read: a restored older copy does not know of it (R28).

What was only asked for and blocked is blocked again, and waits to be erased or refused as before.
First everything named is blocked, one transaction for each entry of the ledger, with a request marked `from_ledger`; then
it is erased, one transaction for each surface. Killed anywhere it goes on when the store is opened the next time; where
several processes open the store at once, each entry and each surface is done by one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.claim_store import NOT_HERE, STORE_ITSELF, ClaimStore, states_of_requests
from store.db.commits import write_impact
from store.db.erasing import clear_surfaces
from store.db.forgetting import Request, change_request, find_request, insert_request, keep_ledger_seq, noted_of
from store.db.impacts import derive
from store.db.ledger import Noted
from store.db.records import load_cards
from store.db.redactions import falling_claims, note_redacted
from store.db.search_index import remove_words
from store.db.sweep import sweep_leftovers
from store.db.transaction import Writing, tenant_number, write
from store.domain.errors import Code, Refusal
from store.domain.forgetting import Failure, Redaction, RequestState
from store.domain.people import OPERATOR
from store.domain.plans import Intent, Plan, Verb
from store.domain.records import Card
from store.domain.scopes import EVERYWHERE, tenant_of
from store.domain.status import Status, Step, is_legal

#: Rows of `store` that say that a request is being carried out again: this, the tenant's name, a colon, the request's number.
AGAIN = "again "
_ACTION = "erase again"
#: For how many seconds opening waits for others before it leaves the sweeping to them.
_PATIENCE = 2.0


def ledger_seq_of(connection: Connection) -> int:
    """Return how far the store has gone in its ledger."""
    return int(connection.execute(sa.select(t.store.c.value).where(t.store.c.name == "ledger_seq")).scalar_one())


def reapply(store: ClaimStore) -> None:
    """Block, and erase again, everything the ledger names and the store has not carried out.

    Raises:
        Refusal: the store cannot be written.
    """
    with store.reader.connect() as connection:
        done = ledger_seq_of(connection)
    for one in store.ledger.noted_after(done):
        _block(store, one)
    for one in store.ledger.asked():
        _block_asked(store, one)
    _note_asked(store)
    with store.reader.connect() as connection:
        waiting = connection.execute(sa.select(t.store.c.name).where(t.store.c.name.startswith(AGAIN, autoescape=True))).scalars().all()
    for name in sorted(waiting):
        tenant, _, number = name.removeprefix(AGAIN).rpartition(":")
        _erase(store, tenant, int(number))
    if waiting:
        sweep_leftovers(store, patience=_PATIENCE)  # what others are in the way of is swept when the request is run


def _whoever_may(store: ClaimStore, tenant: str) -> str | None:
    """Return the person in whose name it is done: the operator, or else somebody who administers the store or the tenant."""
    r, p = t.role, t.person
    query = (
        sa.select(p.c.id, r.c.role, r.c.scope)
        .join(r, (r.c.tenant == p.c.tenant) & (r.c.person == p.c.person))
        .where(sa.or_(r.c.scope == EVERYWHERE, r.c.scope == tenant, r.c.scope.startswith(f"{tenant}/", autoescape=True)))
    )
    with store.reader.connect() as connection:
        rows = [row for row in connection.execute(query) if row.scope == EVERYWHERE or tenant_of(row.scope) == tenant]
    ranked = sorted(rows, key=lambda row: (row.id != OPERATOR, row.role != "admin", row.scope != EVERYWHERE, row.scope, row.id))
    return ranked[0].id if ranked else None


def _block(store: ClaimStore, one: Noted) -> None:
    with store.reader.connect() as connection:
        known = tenant_number(connection, one.tenant)
    person = None if known is None else _whoever_may(store, one.tenant)
    if known is None:
        # The copy is older than the tenant: there is nothing of it to erase.
        with store.writer.begin() as connection:
            _advance(connection, one.seq)
        return
    if person is None:
        raise Refusal(Code.DAMAGED, f"Nobody holds a role in {one.tenant}, so what was forgotten there cannot be erased again. The store was not opened.")
    with write(store, person, one.tenant, _ACTION, [one.request]) as tx:
        if ledger_seq_of(tx.connection) >= one.seq:
            tx.repeated = {}  # somebody else did it meanwhile
            return
        keep_ledger_seq(tx, one.seq)
        if one.refused or not _enter(tx, one):
            tx.repeated = {}  # nothing of it is here, or it was refused after all: the number is noted, no event


def _block_asked(store: ClaimStore, one: Noted) -> None:
    """Block what was asked to be forgotten and is not erased yet, unless the request is here or concerns nothing that is."""
    with store.reader.connect() as connection:
        known = tenant_number(connection, one.tenant)
        if known is not None and _find_same(connection, store, (known, one.tenant), one) is not None:
            return
    person = None if known is None else _whoever_may(store, one.tenant)
    if person is None:
        return
    with write(store, person, one.tenant, _ACTION, [one.request]) as tx:
        if _find_same(tx.connection, store, (tx.tenant, one.tenant), one) is not None:
            tx.repeated = {}  # somebody else did it meanwhile
        elif not _enter(tx, one, begun=False):
            tx.repeated = {}
            row = {"name": f"{NOT_HERE}{one.tenant}:{one.request}", "value": "1"}
            tx.connection.execute(sa.delete(t.store).where(t.store.c.name == row["name"]))
            tx.connection.execute(sa.insert(t.store), row)


def _note_asked(store: ClaimStore) -> None:
    """Bring the ledger to what the store says of its requests that erase nothing yet: a process may have been ended between the two."""
    asked = {(one.tenant, one.request) for one in store.ledger.asked()}
    with store.reader.connect() as connection:
        for (tenant, name), waits in states_of_requests(connection).items():
            if waits == ((tenant, name) in asked):
                continue
            number, request = tenant_number(connection, tenant), None
            if number is not None:
                request = find_request(connection, number, name)
            with suppress(Refusal):  # the next opening tries it again
                if not waits:
                    store.ledger.forget_asked(tenant, name)
                elif number is not None and request is not None:
                    store.ledger.note_asked(tenant, name, *noted_of(connection, store.ledger, (number, tenant), request.number))


def _advance(connection: Connection, seq: int) -> None:
    # The store's own row serialises this against others that open it.
    connection.execute(sa.select(t.tenant.c.tenant).where(t.tenant.c.tenant == STORE_ITSELF).with_for_update())
    if ledger_seq_of(connection) < seq:
        connection.execute(sa.update(t.store).where(t.store.c.name == "ledger_seq").values(value=str(seq)))


def _find_same(connection: Connection, store: ClaimStore, tenant: tuple[int, str], one: Noted) -> Request | None:
    """Return the request an entry of the ledger is about.

    The name alone does not tell: where a store was restored from before a request was made, or goes on beside the one it was
    copied from, the name is given again, to another.
    """
    request = find_request(connection, tenant[0], one.request)
    if request is None:
        return None
    entries, passages = noted_of(connection, store.ledger, tenant, request.number)
    known = {id_mac for _, id_mac, _ in entries}
    about = {id_mac for _, id_mac, _ in one.entries}
    return request if known & about or (not about and set(passages) & set(one.passages)) else None


def _enter(tx: Writing, one: Noted, *, begun: bool = True) -> bool:
    """Block what an entry names and enter the request, unless it is here; return whether there is anything to erase.

    Args:
        begun: erasing had begun, so that it goes on.
    """
    request = _find_same(tx.connection, tx.store, (tx.tenant, tx.tenant_name), one)
    if request is not None and request.state is RequestState.COMPLETE:
        return False
    named = {id_mac: value_mac for _, id_mac, value_mac in one.entries}
    found = _find_records(tx, {*named, *(id_mac for id_mac, _, _ in one.passages)})
    cards = load_cards(tx.connection, tx.tenant, found.values())
    targets = [_target(cards[number], id_mac, named[id_mac]) for id_mac, number in sorted(found.items(), key=lambda item: item[1]) if id_mac in named]
    passages = [Redaction(found[id_mac], start, end) for id_mac, start, end in one.passages if id_mac in found]
    if not targets and not passages:
        return False
    if request is None:
        values = {"found_by": "record", "ground": "other", "owner": tx.actor.id, "from_ledger": True, "begun_at": tx.at if begun else None}
        number, _ = insert_request(tx, values, targets)
        number = _keep_name(tx, number, one.request)
    else:
        number = request.number
        change_request(tx, number, begun_at=request.begun_at or tx.at, state=int(RequestState.OPEN))
        _add_missing(tx, t.deletion_target, number, targets, ("record",))
    rows = [{"record": one.record, "start": one.start, "end": one.end, "done_at": None} for one in passages]
    _add_missing(tx, t.redaction, number, rows, ("record", "start"))
    tx.reason = f"{one.request} (from the ledger)"
    _change_records(tx, one.request, [cards[target["record"]] for target in targets], passages)
    if begun:
        _go_on_with(tx.connection, tx.tenant_name, number)
    return True


def _go_on_with(connection: Connection, tenant: str, number: int) -> None:
    connection.execute(sa.delete(t.store).where(t.store.c.name == _again(tenant, number)))
    connection.execute(sa.insert(t.store), {"name": _again(tenant, number), "value": "1"})


def go_on_with_begun(connection: Connection) -> None:
    """Have every request that was being carried out when a backup was made carried out further when it is opened."""
    r, n = t.deletion_request, t.tenant
    query = sa.select(n.c.name, r.c.request).join(n, n.c.tenant == r.c.tenant).where(r.c.state == int(RequestState.OPEN), r.c.begun_at.is_not(None))
    for tenant, number in connection.execute(query).all():
        _go_on_with(connection, tenant, number)


def _again(tenant: str, number: int) -> str:
    return f"{AGAIN}{tenant}:{number}"


def _find_records(tx: Writing, macs: Iterable[str]) -> dict[str, int]:
    """Return the HMACs of ids that are in the tenant -> their record's number."""
    wanted, found, r = set(macs), dict[str, int](), t.record
    for number, record_id in tx.connection.execute(sa.select(r.c.record, r.c.id).where(r.c.tenant == tx.tenant)):
        mac = tx.store.ledger.mac_id(tx.tenant_name, record_id)
        if mac in wanted:
            found[mac] = number
    return found


def _keep_name(tx: Writing, number: int, name: str) -> int:
    """Let a request keep the id under which people know it, where that is free, and its number too, so that the next one gets neither again."""
    if find_request(tx.connection, tx.tenant, name) is not None:
        return number
    ending = re.search(r"[0-9]{1,9}$", name)
    wanted = max(number, int(ending.group())) if ending else number
    for table in (t.deletion_target, t.deletion_surface):
        tx.connection.execute(sa.update(table).where(table.c.tenant == tx.tenant, table.c.request == number).values(request=wanted))
    r = t.deletion_request
    tx.connection.execute(sa.update(r).where(r.c.tenant == tx.tenant, r.c.request == number).values(request=wanted, id=name))
    return wanted


def _target(card: Card, id_mac: str, value_mac: str | None) -> dict[str, Any]:
    return {"record": card.number, "was": int(card.status), "version": card.version, "id_mac": id_mac, "value_mac": value_mac, "erased_at": None}


def _add_missing(tx: Writing, table: sa.Table, number: int, rows: list[dict[str, Any]], key: tuple[str, ...]) -> None:
    """Add the rows of a request that are not there."""
    query = sa.select(*(table.c[name] for name in key)).where(table.c.tenant == tx.tenant, table.c.request == number)
    known = {tuple(row) for row in tx.connection.execute(query)}
    rows = [{"tenant": tx.tenant, "request": number, **row} for row in rows if tuple(row[name] for name in key) not in known]
    if rows:
        tx.connection.execute(sa.insert(table), rows)


def _change_records(tx: Writing, request: str, cards: list[Card], passages: list[Redaction]) -> None:
    """Block the records, and let what rests on them or on the passages fall."""
    pending = {card.number: (int(card.status), int(Status.DELETION_PENDING)) for card in cards if is_legal(card.status, Step.REQUEST_DELETION)}
    falling = load_cards(tx.connection, tx.tenant, falling_claims(tx.connection, tx.tenant, passages, [card.number for card in cards]))
    becomes = pending | {card.number: (int(card.status), int(Status.STALE)) for card in falling.values() if card.status is Status.ACCEPTED}
    if becomes:
        snapshot, impact = derive(tx, tx.tenant, Intent(Plan(Verb.ERASE, ()), becomes, sorted(becomes)))
        write_impact(tx, snapshot, impact, f"{request}, event {tx.seq}")
    if pending:
        remove_words(tx.connection, tx.tenant, sorted(pending))
    note_redacted(tx, request, falling)


def _erase(store: ClaimStore, tenant: str, number: int) -> None:
    """Clear every surface of a request that is not cleared; what people answer for is left to whoever runs the request."""
    person = _whoever_may(store, tenant)
    assert person is not None, "somebody blocked it"
    # What failed stays blocked, and is tried again when the store is opened the next time or the request is run.
    failed = clear_surfaces(store, person, tenant, number, f"request {number} of {tenant}", wanted=lambda tx: _waits(tx, tenant, number))
    if set(failed.values()) - {Failure.OTHER_BYTES}:  # bytes that are not those that were captured do not become so by themselves
        return
    with write(store, person, tenant, _ACTION, [number]) as tx:
        tx.connection.execute(sa.delete(t.store).where(t.store.c.name == _again(tenant, number)))
        tx.repeated = {}


def _waits(tx: Writing, tenant: str, number: int) -> bool:
    return tx.connection.execute(sa.select(t.store.c.value).where(t.store.c.name == _again(tenant, number))).scalar_one_or_none() is not None
