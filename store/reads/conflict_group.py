"""A group of conflicts settled at once: which claim stays in each, and what the rule would do, before anybody commits it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from store.db.claim_store import ClaimStore
from store.db.conflict_rows import load_values
from store.db.impacts import work_out
from store.db.keys import load_predicates, nearest_predicate
from store.db.records import load_ids
from store.db.transaction import Reading, read
from store.db.veils import shown_key_names, veiled_numbers
from store.domain import settling
from store.domain.errors import Code, Refusal
from store.domain.likeness import words_of
from store.domain.people import Right
from store.domain.plans import Plan, check_plan
from store.domain.reach import Ints
from store.domain.snapshot import OK, Snapshot
from store.domain.status import Status
from store.domain.values import COMPARISONS, value_code
from store.domain.veiling import VEIL
from store.reads.conflict_index import Contest, index_of
from store.reads.preview import without_owner

#: Sentence of the store on why a conflict is left alone -> its name.
_WHY_LEFT = {
    settling.NO_RULE: "no_rule",
    settling.NAMES_NOBODY: "names_nobody",
    settling.NAMES_SEVERAL: "names_several",
    settling.NO_TIME: "no_time",
    settling.EQUALLY_NEW: "equally_new",
    settling.EQUALLY_MANY: "equally_many",
    settling.STARTS_TOGETHER: "starts_together",
    settling.DECIDED_ALREADY: "decided_already",
    settling.LEFT_OUT: "left_out",
    settling.RESTS_ON_OTHER: "rests_on_other",
    settling.RESTS_ON_OTHERS: "rests_on_others",
    settling.NOT_KEPT: "not_kept",
    settling.STILL_CONTRADICT: "still_contradict",
}
#: Ways to choose the value that stays: what one origin says, or what says more, or less, than the others.
SAYS, MORE, LESS = "says", "more", "less"
_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class Way:
    """How the value that stays is chosen in each conflict of a group; `origin` for SAYS."""

    kind: str
    origin: str | None = None


def choose_in_group(
    store: ClaimStore, person: str, tenant: str, conflicts: Sequence[str], way: Way, *, authenticated: bool = False
) -> dict[str, str]:
    """Return conflict -> the claim that stays, for those of `conflicts` in which the way names exactly one value."""
    wanted = set(conflicts)
    with read(store, person, authenticated=authenticated) as reading:
        number = _tenant(reading, tenant)
        index = index_of(reading, number)
        chosen = {
            contest.row.id: _best(index.snapshot, contest.values[place][1])
            for contest in index.contests
            if contest.row.id in wanted and reading.actor.may(Right.INSPECT, contest.row.scope) and (place := _chosen(contest, way)) is not None
        }
        ids = _ids(reading, number, chosen.values())
    return {conflict: ids[record] for conflict, record in chosen.items()}


def _ids(reading: Reading, number: int, records: Iterable[int]) -> dict[int, str]:
    return load_ids(reading.connection, number, sorted(set(records)))


def _tenant(reading: Reading, tenant: str) -> int:
    number = reading.tenant_number(tenant)
    if number is None:
        raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} that you may see. Check the scope.")
    return number


def _chosen(contest: Contest, way: Way) -> int | None:
    """Return the place of the value a way names, None where it names none or several."""
    if way.kind == SAYS:
        places = [place for place, names in enumerate(contest.names) if way.origin in names]
        return places[0] if len(places) == 1 else None
    words = [words_of(value) for value, _ in contest.values]
    if way.kind == MORE:
        places = [place for place, its in enumerate(words) if all(its >= other for other in words)]
    else:
        places = [place for place, its in enumerate(words) if all(its <= other for other in words)]
    return places[0] if len(places) == 1 else None


def _best(snapshot: Snapshot, sides: Sequence[int]) -> int:
    """Return which of the claims with one value stays: an accepted one, and of those the one on which most rests directly."""
    start = snapshot.graph.children.start
    return max(sides, key=lambda side: (int(snapshot.columns.status[side]) == int(Status.ACCEPTED), int(start[side + 1] - start[side]), -side))


@dataclass(frozen=True, slots=True)
class GroupForeseen:
    """What a plan about a group would do.

    Attributes:
        settled: how many conflicts it settles or closes; `left`: name of the reason -> how many it leaves alone.
        samples: (subject, value) of some keys that are answered then.
        opened: how many conflicts open.
    """

    plan: Plan
    fingerprint: str = ""
    settled: int = 0
    left: tuple[tuple[str, int], ...] = ()
    affected: int = 0
    stale: int = 0
    delivered: int = 0
    recipients: int = 0
    unowned: tuple[str, ...] = ()
    samples: tuple[tuple[str, object], ...] = ()
    answered: int = 0
    opened: int = 0
    complete: bool = True
    refusal: str | None = None


def foresee_group(store: ClaimStore, person: str, tenant: str, plan: Plan, *, authenticated: bool = False) -> GroupForeseen:
    """Return what a plan about a group would do, or why it is refused. Nothing is remembered."""
    try:
        with read(store, person, authenticated=authenticated) as reading:
            return _foresee(reading, _tenant(reading, tenant), plan)
    except Refusal as refusal:
        return GroupForeseen(plan, refusal=refusal.message)


def _foresee(reading: Reading, number: int, plan: Plan) -> GroupForeseen:
    snapshot, impact = work_out(reading, number, check_plan(plan))
    left: dict[str, int] = {}
    for _, why in impact.intent.left:
        name = _WHY_LEFT.get(why, "other")
        left[name] = left.get(name, 0) + 1
    answered = impact.keys[impact.after == OK]
    settled = len(impact.intent.settled) if impact.intent.settled or left else len(impact.dissolved)
    return GroupForeseen(
        plan, impact.fingerprint, settled, tuple(sorted(left.items(), key=lambda item: -item[1])), len(impact.affected),
        int((impact.affected.new == Status.STALE).sum()), len(impact.delivered), len({notice.recipient for notice in impact.notices}),
        tuple(without_owner(reading, number, snapshot, impact)), _samples(reading, number, snapshot, impact.status_after, answered[:_SAMPLES]),
        len(answered), len(impact.opened), impact.complete,
    )  # fmt: skip


def _samples(reading: Reading, number: int, snapshot: Snapshot, status: NDArray[np.int8], keys: Ints) -> tuple[tuple[str, object], ...]:
    named = shown_key_names(reading.connection, number, keys.tolist())
    first: dict[int, int] = {}
    for key in keys.tolist():
        claims = snapshot.by_key().of(key)
        stays = [int(claim) for claim in claims if status[claim] == Status.ACCEPTED]
        if stays:
            first[key] = stays[0]
    values = load_values(reading.connection, number, first.values())
    values |= dict.fromkeys(veiled_numbers(reading.connection, number, first.values()), VEIL)
    return tuple((str(named[key]["subject"]), values.get(record)) for key, record in first.items() if key in named)


# --- other comparisons --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OtherComparison:
    """Another way to compare a predicate's values, and how many of its open conflicts would close by it."""

    compare: str
    closes: int


@dataclass(frozen=True, slots=True)
class Comparing:
    """How a predicate is compared, and what other ways would close.

    Attributes:
        scope: where it is declared, or would be.
        contested: how many of its conflicts are open there.
    """

    scope: str
    compare: str
    contested: int
    others: tuple[OtherComparison, ...]


def compare_otherwise(
    store: ClaimStore, person: str, tenant: str, predicate: str, scope: str | None = None, *, authenticated: bool = False
) -> Comparing:
    """Return how a predicate is compared, and for each other comparison how many of its open conflicts would close, most first.

    Args:
        scope: where the conflicts looked at are; the declaration that holds there is the one that would change.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = _tenant(reading, tenant)
        declared = nearest_predicate(load_predicates(reading.connection, number), scope or tenant, predicate)
        contests = [
            one for one in index_of(reading, number).contests
            if one.row.predicate == predicate and reading.actor.may(Right.INSPECT, one.row.scope)
        ]  # fmt: skip
    found = []
    for how in COMPARISONS:
        if how != declared.compare:
            other = replace(declared, compare=how)
            closes = sum(len({value_code(value, other) for value, _ in contest.values}) == 1 for contest in contests)
            found.append(OtherComparison(how, closes))
    return Comparing(declared.scope, declared.compare, len(contests), tuple(sorted(found, key=lambda one: -one.closes)))
