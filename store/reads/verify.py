"""Whether the store is what it says: every invariant checked against the tables, and every tenant's chain of events."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from store.db.beside_events import foreign_questions, foreign_receipts, missing_deliveries
from store.db.bulk import load_columns
from store.db.claim_store import ClaimStore, lineages_of
from store.db.conflicts import claims_of_keys, open_conflicts
from store.db.content import flags_of
from store.db.corrections import joined_after_closing
from store.db.engine import explained, is_sqlite, open_plain
from store.db.journal import read_chain
from store.db.keys import load_predicates, nearest_predicate
from store.db.records import load_cards, load_contents, load_shas
from store.db.recount import count_owners, count_states, foreign_decisions, load_counters, loose_bindings, wrong_keys
from store.db.snapshots import load, unpack_touched
from store.db.tenants import chain_state, list_all_tenants
from store.db.transaction import NO_STATUS, Reading, event_hash, history_digest, load_actor
from store.domain.conflicts import find_sides, sides_of_key
from store.domain.errors import Code, Refusal
from store.domain.forgetting import OWN_REASONS, own_note
from store.domain.people import Right
from store.domain.reach import Ints, find_cycles
from store.domain.records import Artifact, Card, Claim, Evidence, Record, full_hash
from store.domain.snapshot import Snapshot
from store.domain.status import LIVE, Status
from store.domain.text import digest, digest_bytes
from store.domain.values import Predicate, value_code

_PAGE = 5000
T = TypeVar("T")


def verify_store(
    store: ClaimStore, person: str, *, tenant: str | None = None, progress: Callable[[str], None] | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Return `{"ok", "invariants": {name: bool}, "problems": […], "chain": {"ok", "length", "head"}}` over the tenants asked for."""
    with explained(), store.reader.begin() as connection:
        reading = Reading(store, connection, load_actor(connection, person, authenticated=authenticated), store.now())
        invariants: dict[str, bool] = {"file": _file_is_sound(reading)}
        problems: list[str] = []
        chain: dict[str, Any] = {"ok": True, "length": 0, "head": ""}
        everybody = list_all_tenants(connection)
        chosen = [(number, name) for number, name in everybody if tenant in (None, name) and reading.actor.may(Right.INSPECT, name)]
        if tenant is not None and not chosen:
            raise Refusal(Code.NOT_ALLOWED, f"{reading.actor.name} may not verify {tenant}. Ask an admin or auditor there.")
        for number, tenant_name in chosen:
            if progress:
                progress(f"verifying {tenant_name}")
            for name, found in _check_tenant(reading, number).items():
                invariants[name] = invariants.get(name, True) and not found
                problems.extend(f"{tenant_name}: {name}: {text}" for text in found[:20])
            link = _found_out(lambda number=number: _check_chain(reading, number))  # type: ignore[misc]
            ok, length, head = link if isinstance(link, tuple) else (False, 0, "")
            chain = {
                "ok": chain["ok"] and ok,
                "length": chain["length"] + length,
                "head": head if not chain["head"] else digest(chain["head"] + head),
            }
        return {"ok": all(invariants.values()) and chain["ok"], "invariants": invariants, "problems": problems, "chain": chain}


def _file_is_sound(reading: Reading) -> bool:
    if not is_sqlite(reading.connection):
        return True
    # A connection of its own: one that has seen an older full-text index takes the newer one for damage.
    fresh = open_plain(reading.store.url)
    try:
        with fresh.connect() as connection:
            return bool(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one() == "ok")
    finally:
        fresh.dispose()


def _check_tenant(reading: Reading, tenant: int) -> dict[str, list[str]]:
    """Return invariant -> what breaks it; rows so damaged that they cannot be read break it too."""
    snapshot = _found_out(lambda: load(reading.connection, tenant, chain_state(reading.connection, tenant)[0]))
    if isinstance(snapshot, list):
        return {"readable": snapshot}
    checks: dict[str, Callable[[], list[str]]] = {
        "accepted_rests_on_accepted": lambda: _check_parents(reading, tenant, snapshot),
        "no_cycles": lambda: _check_cycles(snapshot),
        "every_status_change_in_history": lambda: _check_history(snapshot, _last_history(reading, tenant)),
        "conflicts_open_as_ruled": lambda: _check_conflicts(reading, tenant, snapshot),
        "counters": lambda: _check_counters(reading, tenant),
        "content_hashes": lambda: _check_contents(reading, tenant, snapshot),
        "event_digests": lambda: _check_digests(reading, tenant),
        "keys": lambda: [f"the key of {name} is not what its hash says" for name in wrong_keys(reading.connection, tenant)],
        "closed_corrections_stay_closed": lambda: [
            f"{name} was closed, and something joined it afterwards" for name in joined_after_closing(reading.connection, tenant)
        ],
        "decisions_name_their_events": lambda: [
            f"{name} has a decision that no event of that person and time holds" for name in foreign_decisions(reading.connection, tenant)
        ],
        "questions_as_asked": lambda: [
            f"the question {one} is not as the events say that it was asked and answered" for one in foreign_questions(reading.connection, tenant)
        ],
        "deliveries_as_noted": lambda: [
            f"{name} went out to somebody who does not stand among its deliveries so" for name in missing_deliveries(reading.connection, tenant)
        ],
        "receipts_as_written": lambda: [
            f"the receipt {one} is not there as it was written" for one in foreign_receipts(reading.connection, tenant)
        ],
        "passages_are_dependencies": lambda: [
            f"{name} is bound to a passage it does not rest on" for name in loose_bindings(reading.connection, tenant)
        ],
    }
    return {name: _found_out(check) for name, check in checks.items()}


def _check_cycles(snapshot: Snapshot) -> list[str]:
    edges = snapshot.graph.edges
    return [f"a cycle of {len(group)} records" for group in find_cycles(snapshot.graph.size, edges >> 32, edges & 0xFFFFFFFF)]


def _found_out(check: Callable[[], T]) -> T | list[str]:
    """Return what a check found, or that its rows cannot be read."""
    try:
        return check()
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        return [f"its rows cannot be read ({type(error).__name__})"]


def _name(reading: Reading, tenant: int, numbers: Ints) -> list[str]:
    cards = load_cards(reading.connection, tenant, numbers[:20].tolist())
    return [card.id for card in cards.values()]


def _check_parents(reading: Reading, tenant: int, snapshot: Snapshot) -> list[str]:
    parent, child = snapshot.graph.edges >> 32, snapshot.graph.edges & 0xFFFFFFFF
    status = snapshot.columns.status
    wrong = np.unique(child[(status[child] == Status.ACCEPTED) & (status[parent] != Status.ACCEPTED)])
    return [f"{name} is accepted and rests on something that is not" for name in _name(reading, tenant, wrong)]


def _last_history(reading: Reading, tenant: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    columns = ("h.record", "h.seq", f"COALESCE(h.old, {NO_STATUS})", "h.new", "h.version")
    found = load_columns(reading.connection, columns, "history h WHERE h.tenant = :tenant", "h.record, h.seq", {"tenant": tenant})
    return found[0], found[1], found[2], found[3], found[4]


def _check_history(snapshot: Snapshot, history: tuple[Ints, Ints, Ints, Ints, Ints]) -> list[str]:
    record, _, old, new, version = history
    problems = []
    if not len(record):
        return [] if len(snapshot.columns) <= 1 else ["there is no history"]
    last = np.append(np.diff(record) != 0, True)
    there = np.flatnonzero(snapshot.columns.status >= 0)
    if not np.array_equal(record[last], there):
        problems.append("some records have no history, or history has no record")
    else:
        if not np.array_equal(new[last], snapshot.columns.status[there]):
            problems.append("a status differs from the last row of its history")
        if not np.array_equal(version[last], snapshot.columns.version[there]):
            problems.append("a version differs from the last row of its history")
    linked = np.flatnonzero(~last)
    if not (old[linked + 1] == new[linked]).all():
        problems.append("a history row does not begin where the one before it ended")
    first = np.append(True, np.diff(record) != 0)
    if not (old[first] == NO_STATUS).all():
        problems.append("a history does not begin with the record's creation")
    return problems


def _check_conflicts(reading: Reading, tenant: int, snapshot: Snapshot) -> list[str]:
    columns = snapshot.columns
    end = np.minimum(columns.valid_to, columns.expires_at)
    eligible = columns.has_value & np.isin(columns.status, [int(status) for status in LIVE]) & ~snapshot.keys.many[columns.key] & (columns.key > 0)
    tolerant = np.unique(columns.key[list(snapshot.near)]) if snapshot.near else np.empty(0, np.int64)
    by_groups = eligible & ~np.isin(columns.key, tolerant)
    sides = find_sides(columns.key.astype(np.int64), columns.value, by_groups, columns.valid_from, end)
    for key in tolerant.tolist():
        members = [record for record in snapshot.by_key().of(key).tolist() if eligible[record]]
        sides[[side.record for side in sides_of_key([snapshot.side(record) for record in members])]] = True
    ruled: dict[int, set[int]] = {}
    for record in np.flatnonzero(sides).tolist():
        ruled.setdefault(int(columns.key[record]), set()).add(record)
    held = {key: set(conflict.sides) for key, conflict in open_conflicts(reading.connection, tenant).items()}
    if ruled == held:
        return []
    wrong = sorted(key for key in {*ruled, *held} if ruled.get(key) != held.get(key))
    names = claims_of_keys(reading.connection, tenant, wrong[:20])
    return [f"the conflict over {', '.join(claim.id for claim in names.get(key, [])[:4])} is not what the rule says" for key in wrong[:20]]


def _check_counters(reading: Reading, tenant: int) -> list[str]:
    kept, owners = load_counters(reading.connection, tenant)
    problems = [] if kept == count_states(reading.connection, tenant) else ["the counters per scope differ from the records"]
    same = owners == count_owners(reading.connection, tenant)
    return problems if same else [*problems, "the counters per owner differ from the records"]


def _check_contents(reading: Reading, tenant: int, snapshot: Snapshot) -> list[str]:
    problems: list[str] = []
    predicates = load_predicates(reading.connection, tenant)
    for start in range(1, len(snapshot.columns), _PAGE):
        numbers = [n for n in range(start, min(start + _PAGE, len(snapshot.columns))) if snapshot.columns.status[n] >= 0]
        cards = load_cards(reading.connection, tenant, numbers)
        try:
            contents = load_contents(reading.connection, tenant, list(cards.values()), as_kept=True)
        except (ValueError, LookupError, TypeError):
            contents = _load_one_by_one(reading, tenant, list(cards.values()))
        named = {parent for one in contents.values() if isinstance(one, Claim | Artifact) for parent in one.parents()}
        shas = load_shas(reading.connection, tenant, named)
        for number, card in cards.items():
            if card.status not in (Status.DELETED, Status.DELETION_PENDING):
                problems.extend(_check_content(card, contents.get(number), predicates, shas))
    return problems


def _load_one_by_one(reading: Reading, tenant: int, cards: list[Card]) -> dict[int, Record]:
    """Return what can be read of records some of which cannot."""
    found: dict[int, Record] = {}
    for card in cards:
        with suppress(ValueError, LookupError, TypeError):
            found.update(load_contents(reading.connection, tenant, [card], as_kept=True))
    return found


def _check_content(card: Card, content: Record | None, predicates: dict[tuple[str, str], Predicate], shas: dict[str, str]) -> list[str]:
    """Return what is wrong with a record's content and the figures taken from it."""
    if content is None or full_hash(content, content.content_hash(), shas) != card.content_hash:
        return [f"{card.id} does not have the content its hash says"]
    if isinstance(content, Evidence):
        if digest_bytes(content.content) != content.sha256:
            return [f"{card.id} does not have the bytes that were captured"]
        damaged = content.rendition is not None and content.rendition.damaged
        return [f"{card.id} does not have the text that was taken out of it"] if damaged else []
    problems = [] if flags_of(content) == card.flags else [f"{card.id} is not marked as its impact and purposes say"]
    if isinstance(content, Claim) and card.value != value_code(content.value, nearest_predicate(predicates, content.scope, content.predicate)):
        problems.append(f"{card.id} is not compared by the value it has")
    return problems


def _check_digests(reading: Reading, tenant: int) -> list[str]:
    columns = ("h.seq", "h.record", f"COALESCE(h.old, {NO_STATUS})", "h.new", "h.version")
    seq, record, old, new, version = load_columns(
        reading.connection, columns, "history h WHERE h.tenant = :tenant", "h.seq, h.record", {"tenant": tenant}
    )
    bounds = np.searchsorted(seq, np.arange(1, int(seq[-1]) + 2 if len(seq) else 1))
    problems = []
    for link in read_chain(reading.connection, tenant):
        part = slice(bounds[link.seq - 1], bounds[link.seq]) if link.seq < len(bounds) else slice(0, 0)
        touched = np.array_equal(unpack_touched(link.touched), np.sort(record[part]))
        if not touched or len(record[part]) != link.count or history_digest(record[part], old[part], new[part], version[part]) != link.digest:
            problems.append(f"the history rows of event {link.seq} are not those it was written with")
    return problems


def _check_chain(reading: Reading, tenant: int) -> tuple[bool, int, str]:
    """Return whether every event hashes to the next one's `previous`, how many there are, and the last hash."""
    first, expected, ok = {digest(f"{lineage}:{tenant}") for lineage in lineages_of(reading.connection)}, 1, True
    head = ""
    for link in read_chain(reading.connection, tenant):
        head = link.previous if expected == 1 and link.previous in first else head
        fields = [tenant, link.seq, link.at, link.person, link.action, link.count, link.digest, link.note_mac, bool(link.authenticated)]
        ok &= link.seq == expected and link.previous == head and link.hash == event_hash(head, fields)
        if link.note is not None and link.mac_key is not None and not link.mac_key:
            # With what was forgotten the key went that vouched for the note: nothing may be left of it but a reason of a fixed list.
            ok &= link.note in [own_note(reason) for reason in OWN_REASONS]
        elif link.note is not None and link.mac_key is not None:
            ok &= hmac.compare_digest(hmac.new(link.mac_key, link.note.encode("utf-8"), "sha256").hexdigest(), link.note_mac)
        head, expected = link.hash, expected + 1
    length, kept = chain_state(reading.connection, tenant)
    head = kept if expected == 1 and kept in first else head
    return bool(ok and head == kept and expected - 1 == length), expected - 1, head
