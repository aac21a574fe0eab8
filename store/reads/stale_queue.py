"""The queue of re-validation: what needs it, upstream first, grouped so that one look settles many (R22, R23).

Figures come from masks over the tenant's columns in memory, so that every count is exact and a page costs the same
wherever it stands; only the rows of the page are read from the tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.keys import find_party, load_scopes
from store.db.plan_lists import load_named
from store.db.records import find_numbers, load_ids
from store.db.revalidating import fell_at
from store.db.stale_rows import Waiting, event_times, load_waiting, returned_last
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.triggers import open_triggers
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Right
from store.domain.reach import Ints, Mask
from store.domain.revalidation import Waits, restorable
from store.domain.scopes import covers, tenant_of
from store.domain.snapshot import HIGH_IMPACT, Snapshot
from store.domain.status import KIND_WORD, Status
from store.domain.times import FOREVER
from store.reads.corrections import records_of_correction
from store.reads.support_changes import SupportChange, describe_changes

#: The states of the queue, as they stand in addresses, and which of them need re-validation.
STATES = tuple(state.name.lower() for state in Waits)
STALE_STATES = ("lost", "trigger", "value", "not_kept", "back", "upstream")
_GROUPS = 12


@dataclass(frozen=True, slots=True)
class StaleSift:
    """Which records are wanted.

    Attributes:
        state: one of `STATES`; None for all. `cause`: the group's cause: `STATE:ID`, as `StaleGroup.key` gives it.
        correction: id of a correction whose events made them stale.
        mine: only what the person owns.
    """

    scope: str | None = None
    tenant: str | None = None
    correction: str | None = None
    state: str | None = None
    cause: str | None = None
    kind: str | None = None
    owner: str | None = None
    mine: bool = False


@dataclass(frozen=True, slots=True)
class StaleGroup:
    """Records that one look may settle. Texts come from outside.

    Attributes:
        key: for the filter. `id`, `title`, `status`: what the cause is about; the name of a trigger for `trigger`.
        count: how many of the sift belong to it; `direct`: how many of them have the cause themselves, the others wait for those.
        restores: how many records a plan `restore ID` would bring back; 0 where there is nothing to restore.
        changed: for `value`, what it was and is, where that is the same for all of them and may be seen.
        further: how many of those it restores rest, further up, on what has another value than when they were last accepted.
        label: what kind of thing the cause is, and of a claim what it tells; `text`: the value of a claim.
    """

    key: str
    state: str
    tenant: str
    id: str
    title: str
    status: str
    count: int
    direct: int
    restores: int = 0
    changed: SupportChange | None = None
    further: int = 0
    label: str = ""
    text: str | None = None


@dataclass(frozen=True, slots=True)
class StaleRow:
    """One line of the queue. Texts come from outside.

    Attributes:
        state: one of `STATES`. `lost`: ids of the parents that do not stand; `remaining`: how many do; `hidden`: lost ones that may not be seen.
        waits_for: the stale record above whose own cause comes first. `triggers`: names of triggers nobody dismissed.
        since: when it fell, microseconds UTC; for dates when it is due. `newer`: the version that arrived.
        changed: for `value` and `back`, the nearest thing it rests on that has another value than when it was last accepted; None where
            there is none or it may not be seen.
        names: id -> what it is called, of the records this line names by their ids.
    """

    id: str
    tenant: str
    kind: str
    title: str
    label: str
    text: str | None
    scope: str
    owner: str | None
    state: str
    depth: int
    high: bool
    delivered: bool
    record: int
    lost: tuple[str, ...] = ()
    hidden: int = 0
    remaining: int = 0
    waits_for: str | None = None
    triggers: tuple[str, ...] = ()
    since: int | None = None
    event: int | None = None
    newer: str | None = None
    back_by: str | None = None
    changed: SupportChange | None = None
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StaleQueue:
    """A page of the queue.

    Attributes:
        total: how many need re-validation within the scope, correction, owner and kind; `dated`: how many more stand here for a date or a newer version.
        counts: state -> how many, of the same. `matched`: how many the whole sift leaves.
        groups: the largest groups of the stale ones, at most 12; `more_groups`: how many more there are.
        next: cursor of the following page, None where this is the last.
    """

    total: int
    dated: int
    counts: dict[str, int]
    matched: int
    rows: tuple[StaleRow, ...]
    groups: tuple[StaleGroup, ...]
    more_groups: int
    next: str | None


def list_stale(
    store: ClaimStore, person: str, sift: StaleSift | None = None, *, scope: str | None = None, correction: str | None = None, limit: int = 50,
    after: str | None = None, authenticated: bool = False,
) -> StaleQueue:  # fmt: skip
    """Return a page of what needs re-validation, upstream first, then what a date or a newer version brings here.

    Args:
        sift: the filters; `scope` and `correction` are short for a sift that has only those.
        after: the cursor of the page before.

    Raises:
        Refusal: `not_allowed` where the person may see no such queue; `not_found` for a correction that is not there; `bad_value` for a filter.
    """
    sift = sift or StaleSift(scope=scope, correction=correction)
    with read(store, person, authenticated=authenticated) as reading:
        return Sifted(reading, sift).page(max(1, min(limit, 10_000)), after)


class Sifted:
    """The queue of the tenants somebody may look into, sifted."""

    def __init__(self, reading: Reading, sift: StaleSift) -> None:
        self.reading, self.sift = reading, sift
        if sift.state is not None and sift.state not in STATES:
            raise Refusal(Code.BAD_VALUE, f"There is no state {sift.state!r} of the queue; there are {', '.join(STATES)}.")
        wanted = tenant_of(sift.scope) if sift.scope else sift.tenant
        tenants = [(number, name) for number, name in tenants_of(reading, Right.INSPECT) if wanted in (None, name)]
        if not tenants:
            raise Refusal(
                Code.NOT_ALLOWED, f"{reading.actor.name} may not see what needs re-validation: that takes a reviewer, admin or auditor. Ask an admin."
            )
        self.parts = [_Part(reading, number, name, sift) for number, name in tenants]
        if sift.correction is not None and not any(part.knows for part in self.parts):
            raise not_found(sift.correction)

    def page(self, limit: int, after: str | None) -> StaleQueue:
        """Return one page."""
        start, position = self._cursor(after)
        counts = dict.fromkeys(STATES, 0)
        matched = 0
        rows: list[StaleRow] = []
        following: str | None = None
        for place, part in enumerate(self.parts):
            for name, n in part.counts().items():
                counts[name] += n
            found = part.chosen()
            matched += len(found)
            room = limit - len(rows)
            if place < start or following is not None:
                continue
            begin = part.after(found, position if place == start else None)
            shown = found[begin : begin + room] if room > 0 else found[:0]
            rows.extend(part.describe(shown))
            if begin + len(shown) < len(found):
                following = json.dumps([part.name, part.mark(int(shown[-1])) if len(shown) else None])
        groups = sorted((group for part in self.parts for group in part.groups()), key=lambda one: (-one.count, one.tenant, one.key))
        stale = sum(counts[name] for name in STALE_STATES)
        return StaleQueue(
            stale, sum(counts.values()) - stale, counts, matched, tuple(rows), tuple(self._named(groups[:_GROUPS])), max(0, len(groups) - _GROUPS),
            following,
        )  # fmt: skip

    def _named(self, groups: list[StaleGroup]) -> list[StaleGroup]:
        parts = {part.name: part for part in self.parts}
        return [parts[group.tenant].name_group(group) for group in groups]

    def _cursor(self, after: str | None) -> tuple[int, Any]:
        if after is None:
            return 0, None
        try:
            name, position = json.loads(after)
            place = [part.name for part in self.parts].index(name)
            mark = None if position is None else (int(position[0]), int(position[1]), int(position[2]))
        except (ValueError, TypeError, IndexError, KeyError, RecursionError):
            raise Refusal(Code.BAD_VALUE, "That is no cursor of a page. Start again without it.") from None
        return place, mark


class _Part:
    """One tenant's part of the queue; positions are places in `waiting`."""

    def __init__(self, reading: Reading, number: int, name: str, sift: StaleSift) -> None:
        self.reading, self.number, self.name, self.sift = reading, number, name, sift
        self.snapshot: Snapshot = reading.snapshot(number)
        self.waiting: Waiting = load_waiting(reading, number, self.snapshot)
        #: The correction asked for is one of the tenant's.
        self.knows = True
        self.inside = self._inside()

    def _inside(self) -> Mask:
        """Return which positions belong to scope, correction, kind and owner."""
        records, columns, sift = self.waiting.records, self.snapshot.columns, self.sift
        scopes = [
            place for place, path in load_scopes(self.reading.connection, self.number).items()
            if (sift.scope is None or covers(sift.scope, path)) and self.reading.actor.may(Right.INSPECT, path)
        ]  # fmt: skip
        inside: Mask = np.isin(columns.scope[records], scopes)
        if sift.correction is not None:
            fell = records_of_correction(self.reading, self.number, sift.correction)
            self.knows = fell is not None
            inside &= np.isin(records, np.empty(0, np.int64) if fell is None else fell) & self._stale()
        if sift.kind is not None:
            inside &= columns.kind[records] == next((int(kind) for kind, word in KIND_WORD.items() if word == sift.kind), -1)
        owner = self.reading.actor.id if sift.mine else sift.owner
        if owner is not None:
            inside &= columns.owner[records] == (find_party(self.reading.connection, self.number, owner) or -1)
        return inside

    def _stale(self) -> Mask:
        found: Mask = self.waiting.state <= int(Waits.UPSTREAM)
        return found

    def counts(self) -> dict[str, int]:
        """Return state -> how many."""
        n = np.bincount(self.waiting.state[self.inside], minlength=len(STATES))
        return {name: int(n[place]) for place, name in enumerate(STATES)}

    def chosen(self) -> Ints:
        """Return the positions the whole sift leaves, in order."""
        mask = self.inside.copy()
        if self.sift.state is not None:
            mask &= self.waiting.state == STATES.index(self.sift.state)
        if self.sift.cause is not None:
            mask &= self._of_group(self.sift.cause)
        return np.flatnonzero(mask)

    def _of_group(self, key: str) -> Mask:
        keys = self._group_keys()
        wanted = next((code for code, name in self._key_names(keys).items() if name == key), None)
        found: Mask = np.zeros(len(keys), dtype=bool) if wanted is None else keys == wanted
        return found

    def _group_keys(self) -> Ints:
        """Return for each position a code of its group: state of the head * 2^40 + what the cause is about; -1 for none."""
        waiting = self.waiting
        size = len(self.snapshot.columns)
        own = np.full(size, int(Waits.BACK), np.int64)
        own[waiting.arranged.records] = waiting.arranged.state
        state = np.where(waiting.head > 0, own[waiting.head], int(Waits.BACK))
        about = waiting.cause.copy()
        triggered = state == int(Waits.TRIGGER)
        if triggered.any():
            codes = {name: n for n, name in enumerate(sorted(set(waiting.triggers.values())))}
            about[triggered] = [codes[waiting.triggers[head]] for head in waiting.head[triggered].tolist()]
        back = self._stale() & (waiting.head == 0)
        about[back] = self._back_by(waiting.records[back])
        found: Ints = np.where(self._stale(), state * (1 << 40) + about, -1)
        return found

    def _back_by(self, records: Ints) -> Ints:
        """Return for each record that may be restored what stands again above it: the parent accepted last of the first such record above."""
        if "back" not in self.waiting.known:
            self.waiting.known["back"] = self._find_back()
        found: Ints = self.waiting.known["back"][records]
        return found

    def _find_back(self) -> Ints:
        """Return for every record of the tenant what `_back_by` says of it, 0 for nothing."""
        size, above = len(self.snapshot.columns), self.snapshot.graph.parents
        every = self.waiting.records[self._stale() & (self.waiting.head == 0)]
        inside = np.zeros(size, dtype=bool)
        inside[every] = True
        parents = above.neighbours(every)
        child = np.repeat(every, above.start[every + 1] - above.start[every])
        held = np.flatnonzero(inside[parents])[::-1]
        # Written from the end, so that the first parent of each stays.
        first = np.zeros(size, dtype=np.int64)
        first[child[held]] = parents[held]
        found = np.zeros(size, dtype=np.int64)
        for record, last in returned_last(self.reading.connection, self.number, self.snapshot, every[first[every] == 0].tolist()).items():
            found[record] = last
        known = found.tolist()
        for record, parent in zip(every.tolist(), first[every].tolist(), strict=True):
            if parent:
                known[record] = known[parent]
        return np.array(known, dtype=np.int64)

    def _key_names(self, keys: Ints) -> dict[int, str]:
        codes = [code for code in np.unique(keys).tolist() if code >= 0]
        names = sorted(set(self.waiting.triggers.values()))
        ids = load_ids(self.reading.connection, self.number, sorted({code % (1 << 40) for code in codes if code >> 40 != Waits.TRIGGER}))
        return {
            code: f"{STATES[code >> 40]}:{names[code % (1 << 40)] if code >> 40 == Waits.TRIGGER else ids.get(code % (1 << 40), '')}" for code in codes
        }  # fmt: skip

    def groups(self) -> list[StaleGroup]:
        """Return the groups of the stale ones, without what their causes are called."""
        keys = self._group_keys()
        shown = self.inside & (keys >= 0)
        codes, count = np.unique(keys[shown], return_counts=True)
        own = shown & (self.waiting.head == self.waiting.records)
        direct = dict(zip(*(part.tolist() for part in np.unique(keys[own], return_counts=True)), strict=True))
        names = self._key_names(codes)
        found = []
        for code, n in zip(codes.tolist(), count.tolist(), strict=True):
            state = STATES[code >> 40]
            found.append(StaleGroup(names[code], state, self.name, names[code].partition(":")[2], "", "", n, direct.get(code, n if state == "back" else 0)))
        return found

    def name_group(self, group: StaleGroup) -> StaleGroup:
        """Return a group with what its cause is called, and what restoring would bring back."""
        if group.state == "trigger" or not group.id:
            return group
        numbers = find_numbers(self.reading.connection, self.number, [group.id]).values()
        named = load_named(self.reading.connection, self.number, numbers)
        one = next(iter(named.values()), None)
        if one is None or not (self.reading.actor.may(Right.INSPECT, one.scope)):
            return StaleGroup(group.key, group.state, group.tenant, "", "", "", group.count, group.direct)
        restores, further, changed = 0, 0, None
        if group.state == "back":
            back = self._restores(one.number)
            restores, further = len(back), sum(record in self.waiting.further for record in back)
        elif group.state == "value":
            causes = {cause for cause in self.waiting.arranged.stays.values() if cause.why == "value" and cause.record == one.number}
            changed = describe_changes(self.reading, self.number, list(causes))[0] if len(causes) == 1 else None
        return StaleGroup(group.key, group.state, group.tenant, group.id, one.title, one.status, group.count, group.direct, restores, changed, further, one.label, one.text)

    def _restores(self, record: int) -> list[int]:
        """Return the records that a plan which restores what is below one would bring back."""
        if ("restores", record) not in self.waiting.known:
            below = self.snapshot.graph.walk(np.array([record], dtype=np.int64)).records
            may = np.zeros(len(self.snapshot.columns), dtype=bool)
            may[self.waiting.records[self._stale() & (self.waiting.head == 0)]] = True
            # What rests on something else that is stale too, and not below this, does not come back with it.
            self.waiting.known["restores", record] = restorable(self.snapshot, below[may[below]], {}, {})[0].tolist()
        return list(self.waiting.known["restores", record])

    # --- one page -------------------------------------------------------------------------------------------------

    def mark(self, position: int) -> tuple[int, int, int]:
        """Return where a position stands in the order, so that a page can begin after it although others left."""
        state = int(self.waiting.state[position])
        band = 0 if state <= Waits.UPSTREAM else 1 if state == Waits.NEWER else 2
        return band, int(self.waiting.rank[position]), int(self.waiting.records[position])

    def after(self, found: Ints, mark: tuple[int, int, int] | None) -> int:
        """Return the first place in `found` behind a mark."""
        if mark is None:
            return 0
        low, high = 0, len(found)
        while low < high:
            middle = (low + high) // 2
            if self.mark(int(found[middle])) <= mark:
                low = middle + 1
            else:
                high = middle
        return low

    def describe(self, positions: Ints) -> list[StaleRow]:
        """Return rows of the page."""
        waiting, columns, graph = self.waiting, self.snapshot.columns, self.snapshot.graph
        records = waiting.records[positions].tolist()
        parents = {record: graph.parents.of(record).tolist() for record in records}
        heads = waiting.head[positions].tolist()
        back = dict(zip(records, self._back_by(waiting.records[positions]).tolist(), strict=True))
        around = {*records, *heads, *waiting.cause[positions].tolist(), *back.values(), *(one for its in parents.values() for one in its)} - {0}
        named = load_named(self.reading.connection, self.number, around)
        fell = fell_at(self.reading.connection, self.number, records)
        times = event_times(self.reading.connection, self.number, list(fell.values()))
        fired: dict[int, list[str]] = {}
        for row in open_triggers(self.reading.connection, self.number, records):
            fired.setdefault(row.record, []).append(row.name)
        causes = {record: waiting.arranged.stays[record] for position, record in zip(positions.tolist(), records, strict=True) if waiting.state[position] == Waits.VALUE}
        causes |= {record: waiting.further[record] for position, record in zip(positions.tolist(), records, strict=True) if waiting.state[position] == Waits.BACK and record in waiting.further}
        changed = dict(zip(causes, describe_changes(self.reading, self.number, list(causes.values())), strict=True))
        found = []
        for position, record, head in zip(positions.tolist(), records, heads, strict=True):
            one, state = named[record], STATES[int(waiting.state[position])]
            lost = [parent for parent in parents[record] if columns.status[parent] != Status.ACCEPTED]
            seen = [named[parent].id for parent in lost if self.reading.actor.may(Right.INSPECT, named[parent].scope)]
            stale = state in STALE_STATES
            told = [*lost, head, int(waiting.cause[position]), back[record]]
            names = {named[other].id: named[other].title for other in told if self._seen(named, other) is not None}
            found.append(StaleRow(
                one.id, self.name, one.kind, one.title, one.label, one.text, one.scope, one.owner, state, int(waiting.rank[position]) if stale else 0,
                bool(columns.flags[record] & HIGH_IMPACT), bool(self.snapshot.delivered[record]), record, tuple(seen), len(lost) - len(seen),
                len(parents[record]) - len(lost), self._seen(named, head) if head != record else None, tuple(fired.get(record, ())),
                times.get(fell.get(record, 0)) if stale else self._date(position, state), fell.get(record) if stale else None,
                self._seen(named, int(waiting.cause[position])) if state == "newer" else None, self._seen(named, back[record]) if state == "back" else None,
                changed.get(record), names,
            ))  # fmt: skip
        return found

    def _seen(self, named: dict[int, Any], record: int) -> str | None:
        one = named.get(record)
        return one.id if one is not None and self.reading.actor.may(Right.INSPECT, one.scope) else None

    def _date(self, position: int, state: str) -> int | None:
        due = int(self.waiting.rank[position])
        return None if state == "newer" or due >= FOREVER else due

