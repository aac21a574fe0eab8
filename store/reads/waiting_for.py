"""How much waits for a person: counted once after each event, so that every page can say it.

The numbers are those of the lists they lead to: candidates as the list of candidates counts them, conflicts in the scopes
where the person decides, questions asked of them and answers they have not seen, and their own records that need
re-validation.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

import numpy as np

from store.db.agenda import Contested, open_by_key
from store.db.claim_store import ClaimStore
from store.db.keys import find_party, load_scopes
from store.db.outbox import count_unsent
from store.db.plan_lists import event_number
from store.db.rehearsals import SavedPlan, list_handed
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.waiting import first_approvals, series_keys
from store.domain.agenda import blocking_keys, stale_of
from store.domain.people import Right
from store.domain.reach import Ints
from store.domain.scopes import covers, tenant_of
from store.domain.status import Status
from store.domain.waiting import contradicted_pairs, high_impact, waiting_candidates, would_contradict
from store.reads.candidate_queue import contributed_by_now
from store.reads.deletion_dues import waiting_deletions
from store.reads.questions import MyQuestions, my_questions

_KEPT = 64
_RIGHTS = (Right.READ, Right.PROPOSE, Right.INSPECT, Right.DECIDE)


@dataclass(frozen=True, slots=True)
class Waiting:
    """How much waits for somebody in a scope.

    Attributes:
        candidates: that they may decide and had no part in; `contradict`: of all candidates they see, those that would contradict something
            accepted; `second`: of `candidates`, those somebody else approved first.
        conflicts: open ones in the scopes where they decide; `owned`: of those, their own; `blocking`: those below a high-impact action.
        questions: asked of them; `answers`: to their questions, not seen yet.
        stale: records they own that need re-validation; `delivered`: of those, delivered artifacts.
        team_candidates, team_conflicts: what they may look at, whoever decides it.
        proposed: candidates they had a part in, which somebody else has to decide.
        handed: plans handed to them to commit.
        deletions: requests to forget that they answer for, or that are past their date and they may run.
        failed: messages that could not be sent, where they decide about any; `unknown`: of which nobody knows whether they arrived.
    """

    candidates: int = 0
    contradict: int = 0
    second: int = 0
    conflicts: int = 0
    owned: int = 0
    blocking: int = 0
    questions: int = 0
    answers: int = 0
    stale: int = 0
    delivered: int = 0
    team_candidates: int = 0
    team_conflicts: int = 0
    proposed: int = 0
    handed: int = 0
    failed: int = 0
    unknown: int = 0
    deletions: int = 0

    @property
    def total(self) -> int:
        """Return how many things wait for the person."""
        return self.candidates + self.conflicts + self.questions + self.answers + self.stale + self.handed + self.failed + self.unknown + self.deletions


@dataclass(frozen=True, slots=True)
class Share:
    """What of one tenant waits for somebody, as records and conflicts; complete and in order.

    Attributes:
        candidates: that they decide; `second`: of those, with a first approval by somebody else.
        conflicts: in their scopes, their own and blocking ones first; `blocking`: keys below a high-impact action.
        stale: their own records that need re-validation; `delivered`: of those, delivered artifacts, first.
        handed: plans handed to them to commit, the longest waiting first.
    """

    number: int
    name: str
    candidates: Ints
    contradict: int
    second: Ints
    conflicts: tuple[Contested, ...]
    owned: int
    blocking: frozenset[int]
    stale: Ints
    delivered: int
    team_candidates: int
    team_conflicts: int
    proposed: int
    handed: tuple[SavedPlan, ...] = ()


def count_waiting(store: ClaimStore, person: str, *, scope: str | None = None, authenticated: bool = False) -> Waiting:
    """Return how much waits for a person, within a scope if given."""
    with read(store, person, authenticated=authenticated) as reading:
        unsent, deletions = unsent_messages(reading, scope), len(waiting_deletions(reading, scope))
        return add_up(shares_of(reading, scope), my_questions(reading, scope), unsent, deletions)


def unsent_messages(reading: Reading, scope: str | None) -> tuple[int, int]:
    """Return how many messages failed, and of how many nobody knows whether they arrived, as the outbox counts them, where the person decides.

    Not kept: a message comes to be of unknown outcome by time alone, without an event.
    """
    places = [(number, name) for number, name in tenants_of(reading, Right.DECIDE) if scope is None or tenant_of(scope) == name]
    counts = [count_unsent(reading, number, scope) for number, _ in places]
    return sum(failed for failed, _ in counts), sum(unknown for _, unknown in counts)


def add_up(shares: list[Share], questions: MyQuestions, unsent: tuple[int, int], deletions: int = 0) -> Waiting:
    """Return the numbers of all tenants together."""
    return Waiting(
        candidates=sum(len(share.candidates) for share in shares), contradict=sum(share.contradict for share in shares),
        second=sum(len(share.second) for share in shares), conflicts=sum(len(share.conflicts) for share in shares),
        owned=sum(share.owned for share in shares), blocking=sum(len(share.blocking) for share in shares), questions=len(questions.waiting),
        answers=len(questions.answered), stale=sum(len(share.stale) for share in shares), delivered=sum(share.delivered for share in shares),
        team_candidates=sum(share.team_candidates for share in shares), team_conflicts=sum(share.team_conflicts for share in shares),
        proposed=sum(share.proposed for share in shares), handed=sum(len(share.handed) for share in shares),
        failed=unsent[0], unknown=unsent[1], deletions=deletions,
    )  # fmt: skip


#: (store, tenant, event, person, roles, scope) -> what waits; true for ever, so kept for a while.
_kept: OrderedDict[tuple[object, ...], Share] = OrderedDict()
_lock = Lock()


def shares_of(reading: Reading, scope: str | None) -> list[Share]:
    """Return what waits for the person in each tenant, from memory where nothing happened since."""
    found = []
    for number, name in tenants_of(reading):
        if scope is not None and tenant_of(scope) != name:
            continue
        seq = event_number(reading.connection, number)
        key = (f"{reading.store.lineage}:{reading.store.url}", number, seq, reading.actor.id, reading.actor.roles, scope)
        with _lock:
            known = _kept.get(key)
        if known is None:
            known = _share(reading, number, name, scope)
            with _lock:
                _kept[key] = known
                while len(_kept) > _KEPT:
                    _kept.popitem(last=False)
        found.append(known)
    return found


def _share(reading: Reading, number: int, name: str, scope: str | None) -> Share:
    connection, actor = reading.connection, reading.actor
    paths = {one: path for one, path in load_scopes(connection, number).items() if scope is None or covers(scope, path)}
    of = {right: np.array([one for one, path in paths.items() if actor.may(right, path)], dtype=np.int64) for right in _RIGHTS}
    snapshot = reading.snapshot(number)
    columns = snapshot.columns
    seen = waiting_candidates(snapshot, of[Right.INSPECT])
    decidable = seen[np.isin(columns.scope[seen], of[Right.DECIDE])]
    high = decidable[high_impact(snapshot, decidable)]
    approvals = first_approvals(connection, number, high.tolist()) if len(high) else {}
    mine = [record for record, its in approvals.items() if any(one.by == actor.id for one in its)]
    parts = contributed_by_now(reading, number, snapshot.seq) if len(of[Right.PROPOSE]) else np.empty(0, dtype=np.int64)
    parts = parts[np.isin(columns.scope[parts], of[Right.PROPOSE]) & (columns.status[parts] == Status.CANDIDATE)]
    own = [*mine, *parts.tolist()]
    candidates = decidable[~np.isin(decidable, own)]
    pairs, _ = contradicted_pairs(snapshot, seen)
    series = np.array(series_keys(connection, number, columns.key[pairs].tolist()), dtype=np.int64)
    owner = find_party(connection, number, actor.id)
    stale = stale_of(snapshot, owner, of[Right.READ])
    delivered = snapshot.delivered[stale]
    blocking = blocking_keys(snapshot)
    contested = open_by_key(connection, number) if snapshot.open_conflicts else {}
    conflicts = [one for key, one in contested.items() if snapshot.keys.scope[key] in of[Right.DECIDE]]
    conflicts.sort(key=lambda one: (one.owner != actor.id, one.key not in blocking, one.opened_at or 0, one.id))
    handed = [one for one in list_handed(connection, number, actor.id) if scope is None or any(covers(scope, path) for path in one.scopes)]
    return Share(
        number, name, candidates, int(would_contradict(snapshot, seen, series).sum()), candidates[np.isin(candidates, sorted(approvals))], tuple(conflicts),
        sum(one.owner == actor.id for one in conflicts), frozenset(one.key for one in conflicts if one.key in blocking),
        np.concatenate([stale[delivered], stale[~delivered]]), int(delivered.sum()), len(seen),
        sum(snapshot.keys.scope[key] in of[Right.INSPECT] for key in contested), len(parts), tuple(handed),
    )  # fmt: skip
