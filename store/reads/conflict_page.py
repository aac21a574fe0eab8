"""One conflict as an analyst judges it: its values beside each other, what each rests on, and what a verdict would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.conflict_rows import Root, Settled, last_of_key, load_roots, load_settled, sides_of_conflict
from store.db.conflicts import OPEN, find_conflict
from store.db.impacts import find_event, read_note, work_out
from store.db.keys import load_key, load_predicates, nearest_predicate
from store.db.records import load_cards, successor_of
from store.db.transaction import Reading, read
from store.db.veils import ShownNames, load_shown, load_text_around
from store.db.waiting import last_changes, name_sources, recorded_times
from store.domain.errors import Refusal, not_found
from store.domain.excerpt import Look, look_at, unseen_passage
from store.domain.people import Right
from store.domain.plans import Answer, Plan, check_plan
from store.domain.records import Claim
from store.domain.snapshot import ANSWERS, Snapshot
from store.domain.spans import CapturedText
from store.domain.status import KIND_WORD, Status
from store.domain.times import format_optional
from store.domain.veiling import VEIL, veil_now
from store.reads.candidate_page import Near, Passage, title_of
from store.reads.conflict_index import group_values, index_of, roots_above
from store.reads.preview import without_owner
from store.reads.record import count_families

_USERS = 6


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """A claim on a side of a conflict. Texts come from outside.

    Attributes:
        line: the claim's fields as a bundle line.
        sources: (title, id, authority, family) of what it rests on; `captured_at`: the newest capture among it.
        direct: how many records rest on it directly; `users`: the first of them; `reach`, `delivered`: all of them, and those delivered.
    """

    id: str
    status: str
    version: int
    content_hash: str
    line: dict[str, Any]
    recorded_at: str | None
    sources: tuple[tuple[str, str, str | None, str], ...]
    captured_at: str | None
    passages: tuple[Passage, ...]
    direct: int
    users: tuple[Near, ...]
    reach: int
    delivered: int


@dataclass(frozen=True, slots=True)
class ContestedValue:
    """One of the values, with everybody who says it.

    Attributes:
        sources: how many sources say it; `independent`: how many of those are independent.
    """

    value: Any
    sides: tuple[ConflictSide, ...]
    sources: int
    independent: int


@dataclass(frozen=True, slots=True)
class EarlierVerdict:
    """How the same values were settled before (R12).

    Attributes:
        keep: the claim that says today what was kept then, for verdicts that keep one.
        repeatable: whether the same verdict can be given again without further words.
    """

    id: str
    verdict: str
    reason: str | None
    at: str | None
    by: str
    keep: str | None
    repeatable: bool


@dataclass(frozen=True, slots=True)
class ConflictView:
    """Everything on the screen of one conflict.

    Attributes:
        open: whether it still is; else `verdict`, `reason`, `cause`, `closed_at` and `closed_by` say how it ended.
        why: one of WHY, why it stands where it stands in the list.
        base: what was accepted for this key before, with its value.
        compare: how values of this predicate are compared.
        question: what somebody was asked about it, and by whom.
        stamp: what was looked at: the sides and their versions.
    """

    id: str
    tenant: str
    scope: str
    subject: str
    predicate: str
    qualifiers: dict[str, Any]
    open: bool
    why: str
    opened_at: str | None
    owner: str | None
    values: tuple[ContestedValue, ...]
    base: Near | None
    earlier: EarlierVerdict | None
    compare: str
    question: tuple[str, str] | None
    may_decide: bool
    verdict: str | None = None
    reason: str | None = None
    cause: str | None = None
    closed_at: str | None = None
    closed_by: str | None = None
    stamp: str = ""


def view_conflict(store: ClaimStore, person: str, tenant: str, conflict_id: str, *, authenticated: bool = False) -> ConflictView:
    """Return one conflict as far as the person may see it.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        row = find_conflict(reading.connection, number, conflict_id) if number is not None else None
        if row is None or number is None:
            raise not_found(conflict_id)
        scope, subject, predicate, qualifiers = load_key(reading.connection, number, row.key)
        if not reading.actor.may(Right.INSPECT, scope):
            raise not_found(conflict_id)
        return _Look(reading, number, tenant, row).describe(scope, subject, predicate, qualifiers)


class _Look:
    def __init__(self, reading: Reading, number: int, tenant: str, row: Any) -> None:
        self.reading, self.connection, self.number, self.tenant, self.row = reading, reading.connection, number, tenant, row
        self.snapshot: Snapshot = reading.snapshot(number)
        self.sides = tuple(sides_of_conflict(self.connection, number, row.conflict))
        self.roots_of = {side: roots_above(self.snapshot, side) for side in self.sides}
        every = sorted({root for its in self.roots_of.values() for root in its})
        self.roots = load_roots(self.connection, number, set(every))
        self.root_cards = load_cards(self.connection, number, every)
        self.named: dict[str, dict[str, Any]] = {}
        self.texts: dict[int, CapturedText] = {}
        self.families: dict[tuple[int, ...], int] = {}

    def describe(self, scope: str, subject: str, predicate: str, qualifiers: dict[str, Any]) -> ConflictView:
        row = self.row
        settled = load_settled(self.connection, self.number, row.key)
        closed = None if row.state == OPEN else next((one for one in settled if one.number == row.conflict), None)
        by = self._person(closed.closed_seq) if closed and closed.closed_seq else None
        cards = load_cards(self.connection, self.number, self.sides)
        contents = load_shown(self.connection, self.number, list(cards.values()), with_bytes=False)
        bound = {binding.evidence for content in contents.values() if isinstance(content, Claim) for binding in content.evidence}
        self.named = name_sources(self.connection, self.number, sorted(bound))
        times = recorded_times(self.connection, self.number, {card.created_seq for card in cards.values()})
        values = tuple(self._value(its, cards, contents, times) for its in group_values(self.snapshot, self.sides))
        declared = nearest_predicate(load_predicates(self.connection, self.number), scope, predicate)
        names = ShownNames(self.connection, self.number)
        return ConflictView(
            row.id, self.tenant, scope, names.name(scope, subject), predicate, names.qualifiers(scope, qualifiers), row.state == OPEN, self._why(), format_optional(row.opened_at), row.owner, values,
            self._base(), self._earlier(settled) if row.state == OPEN else None, declared.compare, (row.question, row.asked or "") if row.question else None,
            self.reading.actor.may(Right.DECIDE, scope), verdict=closed.verdict if closed else None, reason=closed.reason if closed else None,
            cause=closed.cause if closed else None, closed_at=format_optional(closed.closed_at) if closed else None, closed_by=by,
            stamp=" ".join(f"{cards[side].id}@{cards[side].version}" for side in self.sides),
        )  # fmt: skip

    def _person(self, seq: int) -> str:
        who, _ = find_event(self.connection, self.number, seq)
        return str(who)

    def _why(self) -> str:
        index = index_of(self.reading, self.number)
        place = next((n for n, one in enumerate(index.contests) if one.row.number == self.row.conflict), None)
        return "rest" if place is None else index.why(place)

    # --- values and sides ---------------------------------------------------------------------------------------

    def _value(self, sides: tuple[int, ...], cards: dict[int, Any], contents: dict[int, Any], times: dict[int, int]) -> ContestedValue:
        roots = sorted({root for side in sides for root in self.roots_of[side]})
        good = [card for root in roots if (card := self.root_cards[root]).status is Status.ACCEPTED]
        good = [card for card in good if card.expires_at is None or card.expires_at > self.reading.at]
        sources = {self.roots[root].origin.source for root in roots if root in self.roots}
        first = contents[sides[0]]
        value = first.value if isinstance(first, Claim) else None
        found = tuple(self._side(cards[side], contents[side], times) for side in sides)
        mark = tuple(card.number for card in good)
        if mark not in self.families:
            self.families[mark] = count_families(self.reading, self.number, good)
        return ContestedValue(value, found, len(sources), self.families[mark])

    def _readable(self, root: Root) -> bool:
        return self.reading.actor.may(Right.READ, root.scope)

    def _side(self, card: Any, content: Any, times: dict[int, int]) -> ConflictSide:
        roots = [self.roots[root] for root in self.roots_of[card.number] if root in self.roots]
        shown = [root for root in roots if self._readable(root)]
        named = {(one.title or one.origin.source, one.origin.source, one.origin.authority, one.origin.family) for one in shown}
        captured = max((one.captured_at for one in shown if one.captured_at is not None), default=None)
        below = self.snapshot.graph.walk(np.array([card.number], dtype=np.int64)).records[1:]
        direct = sorted(self.snapshot.graph.children.of(card.number).tolist())
        line = content.to_line()
        return ConflictSide(
            card.id, card.status.name, card.version, card.content_hash, line, format_optional(times.get(card.created_seq)), tuple(sorted(named, key=str)),
            format_optional(captured), self._passages(content) if isinstance(content, Claim) else (), len(direct), self._near(direct[:_USERS]),
            len(below), int(self.snapshot.delivered[below].sum()),
        )  # fmt: skip

    def _passages(self, claim: Claim) -> tuple[Passage, ...]:
        readable = {root.id: self._readable(root) for root in self.roots.values()}
        found = []
        for binding in claim.evidence[:4]:
            source = self.named.get(binding.evidence)
            if source is None or not readable.get(binding.evidence, False):
                missing = Look(binding.evidence, False, "This source lies in a scope you may not read.", None, None, False, None)
                found.append(Passage(missing, "A source outside your scopes", None, None, None, None, None))
                continue
            if source["record"] not in self.texts or veil_now() is not None:
                text = load_text_around(self.connection, self.number, source["record"], binding.evidence, binding.span)
                self.texts[source["record"]] = text
            look = unseen_passage(binding) if binding.quote == VEIL else look_at(binding, self.texts[source["record"]])
            found.append(Passage(
                look, source["title"] or source["source"] or binding.evidence, source["source"], source["version"], format_optional(source["captured_at"]),
                source["media_type"], source["authority"],
            ))  # fmt: skip
        return tuple(found)

    def _near(self, records: list[int]) -> tuple[Near, ...]:
        cards = {
            number: card
            for number, card in load_cards(self.connection, self.number, records).items()
            if self.reading.actor.may(Right.READ, card.scope)
        }
        contents = load_shown(self.connection, self.number, list(cards.values()), with_bytes=False)
        return tuple(
            Near(card.id, KIND_WORD[card.kind], card.status.name, card.scope, title_of(contents[number], {}))
            for number, card in sorted(cards.items())
        )

    # --- what was so before -------------------------------------------------------------------------------------

    def _base(self) -> Near | None:
        """Return the claim of this key that was accepted last before its sides."""
        number = last_of_key(self.connection, self.number, self.row.key, self.sides)
        if number is None:
            return None
        card = load_cards(self.connection, self.number, [number])[number]
        content = load_shown(self.connection, self.number, [card], with_bytes=False)[number]
        if not isinstance(content, Claim):
            return None
        changed = last_changes(self.connection, self.number, [number]).get(number)
        return Near(
            card.id, KIND_WORD[card.kind], card.status.name, card.scope, title_of(content, {}), content.value, content.qualifiers,
            format_optional(card.valid_from), format_optional(card.valid_to), since=format_optional(changed.at) if changed else None,
            since_by=changed.name if changed else None,
        )  # fmt: skip

    def _earlier(self, settled: list[Settled]) -> EarlierVerdict | None:
        found = next((one for one in settled if one.verdict and one.signature == self.row.signature), None)
        if found is None or found.closed_seq is None:
            return None
        keep = self._kept_then(found) if found.verdict in (Answer.KEEP, Answer.SAME) else None
        repeatable = keep is not None if found.verdict in (Answer.KEEP, Answer.SAME) else found.verdict in (Answer.NONE, Answer.UNCLEAR)
        return EarlierVerdict(
            found.id, found.verdict or "", found.reason, format_optional(found.closed_at), self._person(found.closed_seq), keep, repeatable
        )

    def _kept_then(self, settled: Settled) -> str | None:
        """Return the side of today with the value that was kept when these values were settled before."""
        words = read_note(self.connection, self.number, settled.closed_seq or 0).get("words") or []
        named = words[0].get("keep") if words and isinstance(words[0], dict) else None
        then = load_cards(self.connection, self.number, sides_of_conflict(self.connection, self.number, settled.number))
        kept = {card.value for card in then.values() if card.id == named}
        if not kept:
            successors = {successor_of(self.connection, self.number, number) for number in then}
            kept = {card.value for number, card in then.items() if number in successors}
        if len(kept) != 1:
            return None
        cards = load_cards(self.connection, self.number, self.sides)
        return next((cards[side].id for side in self.sides if cards[side].value in kept), None)


# --- what a verdict would do --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a verdict would do.

    Attributes:
        refusal: why it is refused; everything else is then empty.
        answer: what agents asking for the key read then: OK, MISSING or CONFLICT.
        affected: how many records change; `stale`: how many of them need re-validation then; `delivered`: delivered artifacts reached.
        unowned: artifacts nobody owns, so that nobody would be told.
        opened: how many conflicts open elsewhere.
    """

    plan: Plan
    fingerprint: str = ""
    answer: str | None = None
    affected: int = 0
    stale: int = 0
    delivered: int = 0
    recipients: int = 0
    unowned: tuple[str, ...] = ()
    opened: int = 0
    complete: bool = True
    refusal: str | None = None


def foresee_verdicts(
    store: ClaimStore, person: str, view: ConflictView, plans: Mapping[str, Plan], *, authenticated: bool = False
) -> dict[str, Foreseen]:
    """Return for each of some plans about one conflict what it would do; one that is refused says why. Nothing is remembered."""
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(view.tenant)
        if number is None:
            raise not_found(view.id)
        row = find_conflict(reading.connection, number, view.id)
        key = None if row is None else row.key
        found = {}
        for name, plan in plans.items():
            try:
                found[name] = _foresee(reading, number, plan, key)
            except Refusal as refusal:
                found[name] = Foreseen(plan, refusal=refusal.message)
    return found


def _foresee(reading: Reading, number: int, plan: Plan, key: int | None) -> Foreseen:
    snapshot, impact = work_out(reading, number, check_plan(plan))
    answer = ANSWERS[impact.reads[key][1]] if key in impact.reads else None
    return Foreseen(
        plan, impact.fingerprint, answer, len(impact.affected), int((impact.affected.new == Status.STALE).sum()), len(impact.delivered),
        len({notice.recipient for notice in impact.notices}), tuple(without_owner(reading, number, snapshot, impact)), len(impact.opened), impact.complete,
    )  # fmt: skip
