"""How far a correction is: what the tables and the records in memory say of its five steps."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.correction_falls import events_of, load_fallen, touched_by
from store.db.corrections import Case, waivers_of
from store.db.impacts import hidden_scopes, hide
from store.db.records import find_numbers, load_ids
from store.db.transaction import Reading
from store.db.waiting import series_keys
from store.domain.corrections import STEPS, CaseFacts, Fallen, Part, SourceFacts, Way, list_open
from store.domain.reach import Ints
from store.domain.snapshot import Snapshot
from store.domain.status import Status
from store.domain.waiting import answered_pairs

_NAMED = 20
#: States of a message by which its recipient was told: sent and seen.
_TOLD = (2, 4)


def load_facts(reading: Reading, tenant: int, case: Case, snapshot: Snapshot) -> CaseFacts:
    """Return what decides how far a correction is."""
    connection = reading.connection
    events = events_of(connection, tenant, case.number)
    fallen = load_fallen(reading, tenant, case.number, snapshot)
    hidden = hidden_scopes(connection, tenant, reading.actor)
    waived: dict[str, set[str]] = {}
    whole: dict[str, str] = {}
    for row in waivers_of(connection, tenant, case.number):
        waived.setdefault(row.kind, set()).add(row.about)
        if row.kind == "step":
            whole[row.about] = row.reason
    steps = [*(step for _, step in events), *_carried_steps(case)]
    notices = notices_of(connection, tenant, events)

    def part(kind: str, total: int, left: Ints) -> Part:
        numbers = set(find_numbers(connection, tenant, sorted(waived.get(kind, ()))).values())
        is_waived = np.isin(left, list(numbers))
        seen = hide(snapshot, left, hidden)
        names = load_ids(connection, tenant, left[~is_waived & seen][:_NAMED].tolist())
        return Part(kind, total, len(left), int(is_waived.sum()), tuple(names[one] for one in sorted(names)), int((~seen).sum()))

    told, untold = _split_recipients(connection, tenant, notices)
    waived_people = untold & waived.get("recipient", set())
    visible = _recipients_seen(snapshot, notices, hidden)
    names = tuple(sorted((untold - waived_people) & visible)[:_NAMED])
    return CaseFacts(
        _sources(reading, tenant, case, snapshot, events), "stop" in steps, "commit" in steps,
        part("record", len(fallen.records), fallen.records[fallen.way == Way.OPEN]),
        part("candidate", *_candidates(connection, tenant, snapshot, fallen)),
        part("edition", *_editions(connection, tenant, snapshot, notices)),
        Part("recipient", len(told) + len(untold), len(untold), len(waived_people), names, len(untold - visible)), whole,
    )  # fmt: skip


def is_unsettled(reading: Reading, tenant: int, case: Case, snapshot: Snapshot, kind: str, about: str) -> bool:
    """Return whether one thing of a correction, or a step of it, is not settled, so that it can be waived."""
    if kind == "step":
        return about in STEPS and any(thing.step == about for thing in list_open(load_facts(reading, tenant, case, snapshot)))
    connection = reading.connection
    events = events_of(connection, tenant, case.number)
    notices = notices_of(connection, tenant, events)
    if kind == "recipient":
        return about in _split_recipients(connection, tenant, notices)[1]
    number = find_numbers(connection, tenant, [about]).get(about)
    if number is None or not hide(snapshot, np.array([number]), hidden_scopes(connection, tenant, reading.actor)).all():
        return False
    fallen = load_fallen(reading, tenant, case.number, snapshot)
    if kind == "record":
        left = fallen.records[fallen.way == Way.OPEN]
    elif kind == "candidate":
        left = answering_candidates(connection, tenant, snapshot, fallen)
    else:
        left = _editions(connection, tenant, snapshot, notices)[1]
    return bool((left == number).any())


def _carried_steps(case: Case) -> list[str]:
    return [event["step"] for event in json.loads(case.carried).get("events", [])] if case.carried else []


def _sources(reading: Reading, tenant: int, case: Case, snapshot: Snapshot, events: list[tuple[int, str]]) -> tuple[SourceFacts, ...]:
    r = t.record
    versions: dict[int, list[int]] = {number: [] for number in case.sources}
    for some in chunks(sorted(case.sources)):
        query = sa.select(r.c.source, r.c.record).where(r.c.tenant == tenant, r.c.source.in_(some)).order_by(r.c.record)
        for source, record in reading.connection.execute(query):
            versions[source].append(record)
    touched = touched_by(reading.connection, tenant, [seq for seq, step in events if step in ("commit", "compare")])
    by_step = {
        wanted: np.concatenate([np.empty(0, np.int64), *(touched[seq] for seq, step in events if step == wanted and seq in touched)])
        for wanted in ("commit", "compare")
    }
    carried = _carried_steps(case)
    status = snapshot.columns.status
    return tuple(
        SourceFacts(
            case.sources[number][0], tuple((one, Status(int(status[one]))) for one in mine if one < len(status)),
            "commit" in carried or bool(np.isin(mine, by_step["commit"]).any()), "compare" in carried or bool(np.isin(mine, by_step["compare"]).any()),
        )
        for number, mine in versions.items()
    )  # fmt: skip


def answering_candidates(connection: Connection, tenant: int, snapshot: Snapshot, fallen: Fallen) -> Ints:
    """Return the candidates that would replace something that fell and is not settled, in order."""
    left = fallen.records[fallen.way == Way.OPEN]
    keys = snapshot.columns.key[left]
    keys = np.unique(keys[keys > 0]).astype(np.int64)
    claims = snapshot.claims_of_keys(keys)
    waiting = claims[snapshot.columns.status[claims] == Status.CANDIDATE]
    if not len(waiting):
        return np.empty(0, np.int64)
    series = np.array(series_keys(connection, tenant, np.unique(snapshot.columns.key[waiting]).tolist()), dtype=np.int64)
    mine, other = answered_pairs(snapshot, waiting, series)
    return np.unique(mine[np.isin(other, left)])


def _candidates(connection: Connection, tenant: int, snapshot: Snapshot, fallen: Fallen) -> tuple[int, Ints]:
    waiting = answering_candidates(connection, tenant, snapshot, fallen)
    return len(waiting), waiting


# --- who is to be told --------------------------------------------------------------------------------------------


def notices_of(connection: Connection, tenant: int, events: Iterable[tuple[int, str]]) -> list[Any]:
    """Return (event, n, record, edition, recipient, channel) of the notices a correction's events made."""
    n = t.notice
    found: list[Any] = []
    for some in chunks([seq for seq, _ in events]):
        query = sa.select(n.c.seq, n.c.n, n.c.record, n.c.edition, n.c.recipient, n.c.channel).where(n.c.tenant == tenant, n.c.seq.in_(some))
        found.extend(connection.execute(query.order_by(n.c.seq, n.c.n)))
    return found


def _split_recipients(connection: Connection, tenant: int, notices: list[Any]) -> tuple[set[str], set[str]]:
    """Return who was told of every notice for them, and who was not."""
    told = told_notices(connection, tenant, sorted({row.seq for row in notices}))
    untold = {row.recipient for row in notices if (row.seq, row.n) not in told}
    return {row.recipient for row in notices} - untold, untold


def told_notices(connection: Connection, tenant: int, events: list[int]) -> set[tuple[int, int]]:
    """Return (event, n) of the notices that went out in a message that was sent or seen."""
    m, k = t.message, t.message_notice
    found: set[tuple[int, int]] = set()
    for some in chunks(events):
        query = sa.select(k.c.seq, k.c.n).join(m, (m.c.tenant == k.c.tenant) & (m.c.message == k.c.message))
        found.update((seq, n) for seq, n in connection.execute(query.where(k.c.tenant == tenant, k.c.seq.in_(some), m.c.state.in_(_TOLD))))
    return found


def _recipients_seen(snapshot: Snapshot, notices: list[Any], hidden: set[int]) -> set[str]:
    if not notices:
        return set()
    seen = hide(snapshot, np.array([row.record for row in notices], dtype=np.int64), hidden)
    return {row.recipient for row, visible in zip(notices, seen.tolist(), strict=True) if visible}


def _editions(connection: Connection, tenant: int, snapshot: Snapshot, notices: list[Any]) -> tuple[int, Ints]:
    """Return how many delivered artifacts the case's notices are about, and those that need re-validation and got no remedy since it was opened."""
    artifacts = sorted({row.record for row in notices})
    m = t.remedy
    first = min((row.seq for row in notices), default=0)
    done: set[int] = set()
    for some in chunks(artifacts):
        query = sa.select(m.c.record).where(m.c.tenant == tenant, m.c.record.in_(some), m.c.seq >= first)
        done.update(connection.execute(query).scalars())
    status = snapshot.columns.status
    return len(artifacts), np.array([one for one in artifacts if status[one] == Status.STALE and one not in done], dtype=np.int64)
