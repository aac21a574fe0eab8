"""What the page that revokes works with: picks, a plan worked out once and kept, and whether it still holds.

A `Rehearsal` keeps the impact with the snapshot it was derived from, so that drawing one page of it never derives again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.declarations import list_person_ids
from store.db.impacts import hidden_scopes, hide, remember
from store.db.keys import load_parties
from store.db.plan_lists import (
    Named,
    SourceRow,
    event_number,
    find_sources,
    find_told,
    load_labels,
    load_named,
    search_numbers,
    search_sources,
    sources_of,
    versions_of,
)
from store.db.records import find_numbers, load_ids
from store.db.rehearsing import work_out_looking
from store.db.transaction import Reading, read
from store.domain.aftermath import concerned
from store.domain.errors import Code, Refusal
from store.domain.folding import Box, Folded, condense, fold
from store.domain.impact import Impact, compare_rows, pack_rows
from store.domain.layout import place
from store.domain.people import Right
from store.domain.plans import Plan, Verb, check_plan
from store.domain.reach import Ints
from store.domain.snapshot import Snapshot
from store.domain.status import Kind, Status
from store.domain.text import spaced
from store.reads.locate import list_people
from store.reads.preview import say_coverage, without_owner

#: Seconds after which picks are shown with what rests on them directly only.
_PATIENCE = 0.15
_NAMED = 200


@dataclass(frozen=True, slots=True)
class Pick:
    """Something that could be taken out of use, or back in.

    Attributes:
        kind: `source`, or the kind of a record.
        statuses: status -> how many versions of a source have it; a record has one.
        reach: how many records rest on it, directly or not; only directly where `exact` is False.
        text: the value a claim holds, as JSON, cut.
    """

    id: str
    kind: str
    title: str
    label: str
    statuses: dict[str, int]
    scope: str
    owner: str | None
    reach: int
    delivered: int
    exact: bool = True
    text: str | None = None


def find_picks(store: ClaimStore, person: str, tenant: str, text: str, *, limit: int = 10, authenticated: bool = False) -> list[Pick]:
    """Return what a search finds among sources, captured versions, claims and artifacts: sources first, then what most rests on."""
    text = text.strip()[:200]
    if not text:
        return []
    with read(store, person, authenticated=authenticated) as reading:
        number = _tenant(reading, tenant)
        sources = [row for row in search_sources(reading.connection, number, text, 200) if reading.actor.may(Right.INSPECT, row.scope)]
        snapshot = reading.snapshot(number)
        found = np.array(search_numbers(reading.connection, number, text, 400), dtype=np.int64)
        found = found[hide(snapshot, found, hidden_scopes(reading.connection, number, reading.actor))] if len(found) else found
        return _picks(reading, number, snapshot, sources[:limit], found, limit)


def suggest_picks(store: ClaimStore, person: str, tenant: str, *, limit: int = 5, authenticated: bool = False) -> dict[str, list[Pick]]:
    """Return `suspended`: what is out of use for now; `heavy`: captured versions on which most rests directly."""
    with read(store, person, authenticated=authenticated) as reading:
        number = _tenant(reading, tenant)
        snapshot = reading.snapshot(number)
        hidden = hidden_scopes(reading.connection, number, reading.actor)
        columns, children = snapshot.columns, np.diff(snapshot.graph.children.start)
        suspended = np.flatnonzero(columns.status == Status.DISPUTED)
        suspended = suspended[hide(snapshot, suspended, hidden)][-limit:][::-1]
        heavy = np.flatnonzero((columns.kind == Kind.EVIDENCE) & (columns.status == Status.ACCEPTED) & (np.arange(len(columns)) > 0))
        heavy = heavy[hide(snapshot, heavy, hidden)]
        heavy = heavy[np.argsort(-children[heavy], kind="stable")][:limit]
        return {
            "suspended": _picks(reading, number, snapshot, [], suspended, limit), "heavy": _picks(reading, number, snapshot, [], heavy, limit),
        }  # fmt: skip


def describe_picks(store: ClaimStore, person: str, tenant: str, ids: Sequence[str], *, authenticated: bool = False) -> dict[str, Pick]:
    """Return id -> pick for those of `ids` that the person may see."""
    with read(store, person, authenticated=authenticated) as reading:
        number = _tenant(reading, tenant)
        snapshot = reading.snapshot(number)
        records = find_numbers(reading.connection, number, list(ids))
        found = np.array(sorted(records.values()), dtype=np.int64)
        found = found[hide(snapshot, found, hidden_scopes(reading.connection, number, reading.actor))] if len(found) else found
        rows = find_sources(reading.connection, number, [one for one in ids if one not in records])
        sources = [row for row in rows.values() if reading.actor.may(Right.INSPECT, row.scope)]
        return {pick.id: pick for pick in _picks(reading, number, snapshot, sources, found, len(ids))}


def _tenant(reading: Reading, tenant: str) -> int:
    number = reading.tenant_number(tenant)
    if number is None:
        raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} that you may see. Check the scope.")
    return number


def _picks(reading: Reading, number: int, snapshot: Snapshot, sources: Sequence[SourceRow], records: Ints, limit: int) -> list[Pick]:
    started, found = perf_counter(), []
    versions = versions_of(reading.connection, number, [row.number for row in sources])
    for row in sources:
        its = versions.get(row.number, [])
        if its:
            reach, delivered, exact = _reach(snapshot, np.array([record for record, _ in its], dtype=np.int64), started)
            statuses: dict[str, int] = {}
            for _, status in its:
                statuses[Status(status).name] = statuses.get(Status(status).name, 0) + 1
            label = f"source, {len(its)} versions" if len(its) > 1 else "source"
            found.append(Pick(row.id, "source", row.title or row.id, label, statuses, row.scope, row.owner, reach, delivered, exact))
    # A source with one version stands for it; the version itself would be the same line again.
    single = {its[0][0] for its in versions.values() if len(its) == 1}
    children = np.diff(snapshot.graph.children.start)
    rest = [record for record in records.tolist() if record not in single][: limit * 4]
    rest.sort(key=lambda record: (snapshot.columns.kind[record] == Kind.CLAIM, -int(children[record])))
    named = load_named(reading.connection, number, rest[:limit])
    for record in rest[:limit]:
        one = named[record]
        reach, delivered, exact = _reach(snapshot, np.array([record], dtype=np.int64), started)
        found.append(Pick(one.id, one.kind, one.title, _what(one), {one.status: 1}, one.scope, one.owner, reach, delivered, exact, one.text))
    return found


def _what(one: Named) -> str:
    return f"claim · {spaced(one.label)}" if one.kind == "claim" else one.label


def _reach(snapshot: Snapshot, roots: Ints, started: float) -> tuple[int, int, bool]:
    if perf_counter() - started > _PATIENCE:
        direct = np.unique(snapshot.graph.children.neighbours(roots))
        return len(direct), int(snapshot.delivered[direct].sum()), False
    walk = snapshot.graph.walk(roots).records
    below = walk[~np.isin(walk, roots)]
    return len(below), int(snapshot.delivered[below].sum()), True


# --- rehearsing ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Rehearsal:
    """A plan worked out for one person, with everything the page needs to draw any part of it.

    Attributes:
        why_not: why this person may not commit it; None where they may.
        order: places in `impact.affected`, delivered artifacts first, then artifacts, then nearest first.
        told: answer -> the affected records it told, newest first.
        owners: owner -> their artifacts that are concerned.
        unowned: ids of the artifacts that nobody owns; `titles`: what those are called.
        checked: the event up to which it is known to hold.
        words: id of a root -> what it is called.
    """

    tenant: str
    number: int
    person: str
    plan: Plan
    at: int
    why_not: str | None
    impact: Impact
    snapshot: Snapshot
    folded: Folded
    order: Ints
    told: dict[int, list[int]]
    owners: dict[str, list[int]]
    unowned: list[str]
    coverage: str
    hidden: dict[str, int]
    totals: dict[str, int]
    by_kind: dict[str, int]
    checked: int
    words: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint a commit has to name."""
        return self.impact.fingerprint

    @property
    def revision(self) -> int:
        """Return the event after which this was so."""
        return self.impact.seq

    @property
    def complete(self) -> bool:
        """Return whether nothing was cut."""
        return self.impact.complete


def rehearse(store: ClaimStore, person: str, tenant: str, plan: Plan, *, authenticated: bool = False) -> Rehearsal:
    """Return what `plan` would do. Somebody who may see but not decide gets it to look at; it is then not remembered.

    Raises:
        Refusal: something named is not there, or no legal step.
    """
    check_plan(plan)
    with read(store, person, authenticated=authenticated) as reading:
        number = _tenant(reading, tenant)
        snapshot, impact, why_not = work_out_looking(reading, number, plan)
        found = _describe(reading, tenant, number, snapshot, impact, why_not)
    # What somebody asks to be forgotten is not remembered for the asking.
    if why_not is None and plan.verb is not Verb.ERASE:
        remember(reading, number, snapshot, impact)
    return found


def _describe(reading: Reading, tenant: str, number: int, snapshot: Snapshot, impact: Impact, why_not: str | None) -> Rehearsal:
    connection, columns, affected = reading.connection, snapshot.columns, impact.affected
    kinds = columns.kind[affected.records]
    keys = np.unique(columns.key[affected.records[kinds == Kind.CLAIM]])
    folded = fold(impact, snapshot, *load_labels(connection, number, keys.tolist(), affected.records[kinds == Kind.ARTIFACT].tolist()))
    delivered = snapshot.delivered[affected.records]
    order = np.lexsort((affected.distance, kinds != Kind.ARTIFACT, ~delivered))
    scopes = hidden_scopes(connection, number, reading.actor)
    artifacts = concerned(snapshot, impact)
    owners = _owners(reading, number, snapshot, artifacts[hide(snapshot, artifacts, scopes)])
    told = find_told(connection, number, affected.records.tolist())
    unowned = without_owner(reading, number, snapshot, impact)
    totals = {
        "affected": len(affected), "delivered": len(impact.delivered), "notices": len(impact.notices),
        "recipients": len({notice.recipient for notice in impact.notices}), "owners": len(owners), "stale": int((affected.new == Status.STALE).sum()),
        "answers": len(impact.keys), "conflicts": len(impact.opened) + len(impact.dissolved) + len(impact.changed), "blocked": len(impact.candidates),
        "untouched": len(impact.untouched), "told": len(told), "readers": 0, "unowned": len(unowned),
        "opened": len(impact.opened), "dissolved": len(impact.dissolved), "changed": len(impact.changed),
    }  # fmt: skip
    hidden = {
        "count": int((~hide(snapshot, affected.records, scopes)).sum()), "delivered": int((~hide(snapshot, impact.delivered, scopes)).sum()),
    }  # fmt: skip
    found = Rehearsal(
        tenant, number, reading.actor.id, impact.intent.plan, reading.at, why_not, impact, snapshot, folded, order, told, owners, unowned,
        say_coverage(impact.unparented), hidden, totals, impact.count_by_kind(snapshot), impact.seq,
    )  # fmt: skip
    found.words = _root_words(reading, number, impact)
    named = load_named(connection, number, find_numbers(connection, number, unowned[:_NAMED]).values())
    found.titles = {one.id: one.title for one in named.values()}
    return found


def _owners(reading: Reading, number: int, snapshot: Snapshot, artifacts: Ints) -> dict[str, list[int]]:
    names = load_parties(reading.connection, number)
    found: dict[str, list[int]] = {}
    for record, owner in zip(artifacts.tolist(), snapshot.columns.owner[artifacts].tolist(), strict=True):
        if owner:
            found.setdefault(names[owner], []).append(record)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def _root_words(reading: Reading, number: int, impact: Impact) -> dict[str, str]:
    plan, roots = impact.intent.plan, impact.intent.roots
    named = load_named(reading.connection, number, roots[:_NAMED])
    words = {one.id: one.title for one in named.values() if one.id in plan.roots}
    of_source = sources_of(reading.connection, number, list(named))
    for record, source in of_source.items():
        if source in plan.roots:
            words[source] = named[record].title if list(of_source.values()).count(source) == 1 else named[record].title.rsplit(" v", 1)[0]
    return words


@dataclass(frozen=True, slots=True)
class Picture:
    """The folded reach, placed: boxes, the lines between them, and box -> (layer, row)."""

    boxes: tuple[Box, ...]
    links: dict[tuple[int, int], int]
    places: dict[int, tuple[int, float]]


def picture_of(rehearsal: Rehearsal, most: int = 30) -> Picture:
    """Return the reach as at most `most` boxes from left to right."""
    drawing = condense(rehearsal.folded, most)
    return Picture(drawing.boxes, dict(drawing.links), place({box.number: box.level for box in drawing.boxes}, drawing.links))


# --- does it still hold? ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Drift:
    """How a plan's result differs from what was rehearsed.

    Attributes:
        impossible: why the plan cannot be carried out any more; None where it only does something else.
        added, removed, changed: ids, at most a thousand of each; `counts` holds how many there are.
    """

    seq: int
    impossible: str | None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    counts: tuple[int, int, int] = (0, 0, 0)


def latest_event(store: ClaimStore, person: str, tenant: str, *, authenticated: bool = False) -> int:
    """Return the number of the tenant's latest event."""
    with read(store, person, authenticated=authenticated) as reading:
        return event_number(reading.connection, _tenant(reading, tenant))


def check_rehearsal(store: ClaimStore, rehearsal: Rehearsal, *, authenticated: bool = False) -> Drift | None:
    """Return how the plan's result differs by now, None if it is the same; derives again only when something happened."""
    with read(store, rehearsal.person, authenticated=authenticated) as reading:
        seq = event_number(reading.connection, rehearsal.number)
        if seq == rehearsal.checked:
            return None
        try:
            snapshot, impact, _ = work_out_looking(reading, rehearsal.number, rehearsal.plan)
        except Refusal as refusal:
            return Drift(seq, refusal.message)
        if impact.fingerprint == rehearsal.fingerprint:
            rehearsal.checked = seq
            return None
        lists = compare_rows(pack_rows(rehearsal.impact, rehearsal.snapshot), impact, snapshot)
        # What others may not see is counted and not named.
        scopes = hidden_scopes(reading.connection, rehearsal.number, reading.actor)
        ids = []
        for numbers in lists:
            records = np.array(numbers[:1000], dtype=np.int64)
            shown = records[hide(snapshot, records, scopes)].tolist() if len(records) else []
            names = load_ids(reading.connection, rehearsal.number, shown)
            ids.append(tuple(names[one] for one in shown))
        added, removed, changed = ids
        return Drift(seq, None, added, removed, changed, (len(lists[0]), len(lists[1]), len(lists[2])))


def list_people_of(store: ClaimStore, person: str, tenant: str, *, authenticated: bool = False) -> list[dict[str, Any]]:
    """Return id and name of the people of one tenant, who may own an artifact."""
    with read(store, person, authenticated=authenticated) as reading:
        ids = list_person_ids(reading.connection, _tenant(reading, tenant))
    names = {one["id"]: one["name"] for one in list_people(store)}
    return [{"id": one, "name": names.get(one, one)} for one in sorted(ids, key=lambda one: names.get(one, one))]
