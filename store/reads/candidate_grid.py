"""The candidates of a page as rows of a table: value, quote, what stood before, and whether each could be approved at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.db.candidate_facts import ManyFacts
from store.db.claim_store import ClaimStore
from store.db.transaction import Reading, read
from store.db.veils import flags_of
from store.domain.people import Right
from store.domain.promotion import Terms, judge
from store.domain.records import Claim
from store.domain.routes import suggest_route
from store.domain.usual_terms import judge_usually
from store.domain.value_in_quote import DIGITS, NO, PART, UNTOLD, InQuote
from store.domain.veiling import UNVEILED, VEIL, hide
from store.domain.waiting import rival_candidates
from store.reads.candidate_background import Background, Newer, Previous, place_in
from store.reads.candidate_queue import CandidateQueue, Sift, WaitingRow, part_of, sift_candidates

#: Code points of a quote up to which it is short: it can be read in its line.
SHORT = 240


@dataclass(frozen=True, slots=True)
class GridRow:
    """One candidate as a row. Texts come from outside.

    Attributes:
        row: as it stands in the list.
        question: which figure is meant, beyond subject and predicate.
        quote: its first quote, cut to SHORT; `whole`: whether that is all it gives.
        quote_ok: whether every quote stands where its span says; None where it gives none.
        place: where the first one stands: `page`, `line` or `pointer`.
        failed: names of the checks that fail as it is; `usual_failed`: with the usual terms.
        usual: the usual terms; `usual_sets`: what they set.
        doubts: why it should be looked at by itself: names of what is odd about it.
        route: where it should go, as `Suggestion` has it; None for what is no claim.
    """

    row: WaitingRow
    version: int
    content_hash: str
    question: dict[str, Any]
    quote: str
    whole: bool
    quote_ok: bool | None
    place: dict[str, Any]
    in_quote: InQuote
    previous: Previous | None
    newer: Newer | None
    failed: tuple[str, ...]
    usual_failed: tuple[str, ...]
    usual: Terms
    usual_sets: dict[str, Any]
    doubts: tuple[str, ...]
    may_decide: bool
    route: str | None = None

    @property
    def flagged(self) -> bool:
        """Return whether something in it was flagged that is veiled until somebody asks to see it."""
        return any(kind not in UNVEILED for kind in self.row.flags)

    @property
    def terms(self) -> Terms | None:
        """Return the terms with which it can be approved without being asked anything, None where it cannot."""
        if not self.may_decide or self.row.contradicts or self.row.high or self.row.veiled or self.flagged:
            return None
        if not self.failed:
            return Terms()
        return self.usual if not self.usual_failed else None


@dataclass(frozen=True, slots=True)
class CandidateGrid:
    """A page of the queue with its rows; `short`: whether every candidate of it can be read in its line."""

    queue: CandidateQueue
    rows: tuple[GridRow, ...]
    short: bool


def list_grid(
    store: ClaimStore, person: str, sift: Sift, chosen: tuple[str | None, str] | None = None, *, authenticated: bool = False
) -> CandidateGrid:
    """Return the page of the queue that holds `chosen`, as `list_candidates` does, with what a table shows of each candidate."""
    with read(store, person, authenticated=authenticated) as reading:
        sifted = sift_candidates(reading, sift)
        queue = sifted.describe(chosen)
        rows: list[GridRow] = []
        for tenant in dict.fromkeys(row.tenant for row in queue.rows):
            number, snapshot = part_of(sifted, tenant)
            rows += _Rows(reading, number, snapshot, [row for row in queue.rows if row.tenant == tenant]).build()
        return CandidateGrid(queue, tuple(rows), bool(rows) and all(one.whole and one.row.kind == "claim" for one in rows))


class _Rows:
    def __init__(self, reading: Reading, number: int, snapshot: Any, rows: list[WaitingRow]) -> None:
        self.reading, self.snapshot, self.rows = reading, snapshot, rows
        self.facts = ManyFacts(reading.connection, number, [row.record for row in rows], reading.actor, reading.at)
        self.flags = flags_of(reading.connection, number, [self.facts.cards[row.record] for row in rows])
        self.background = Background(reading, number, snapshot, self.facts.contents)

    def build(self) -> list[GridRow]:
        """Return the rows in their order."""
        return [self._row(row) for row in self.rows]

    def _row(self, row: WaitingRow) -> GridRow:
        facts = self.facts.of(row.record)
        verdict = judge(facts)
        usual, usually = judge_usually(facts)
        content, card = facts.record, facts.card
        bindings = content.evidence if isinstance(content, Claim) else ()
        quotes = [binding.quote for binding in bindings if binding.quote]
        first = bindings[0] if bindings else None
        in_quote = self.background.in_quote(row.record)
        newer = next((found for found in map(self.background.newer, bindings) if found is not None), None)
        failed, usual_failed = (tuple(check.name for check in one.failed()) for one in (verdict, usually))
        if row.veiled:
            quotes, in_quote, newer = [VEIL for _ in quotes], InQuote(UNTOLD), None
        shown = hide(content, self.flags.get(row.record, ())) if row.veiled else content
        quote_ok = all(passage.ok for passage in facts.passages) if quotes else None
        return GridRow(
            row, card.version, card.content_hash, shown.qualifiers if isinstance(shown, Claim) else {}, (quotes[0] if quotes else "")[:SHORT],
            len(quotes) <= 1 and len(quotes[0] if quotes else "") <= SHORT and len(str(row.value)) <= SHORT, quote_ok,
            place_in(first, self.background.texts.get(first.evidence)) if first else {}, in_quote, self.background.previous(row.record), newer,
            failed, usual_failed, usual, usual.to_json(), self._doubts(row, in_quote, newer), self.reading.actor.may(Right.DECIDE, card.scope),
            suggest_route(content, facts.predicate, self.flags.get(row.record, ()), facts.policy).route if isinstance(content, Claim) else None,
        )  # fmt: skip

    def _doubts(self, row: WaitingRow, in_quote: InQuote, newer: Newer | None) -> tuple[str, ...]:
        """Return what is odd about a candidate, so that it is looked at by itself before it is approved."""
        rivals = rival_candidates(self.snapshot, row.record)
        return tuple(
            name
            for name, odd in (
                ("contradicts", row.contradicts), ("high", row.high), ("before", row.before), ("answers", row.answers), ("asked", row.asked), ("flagged", bool(row.flags)),
                ("in_quote", in_quote.kind in (NO, DIGITS, PART)), ("newer", newer is not None and newer.same is not True), ("rivals", bool(rivals)),
            )
            if odd
        )  # fmt: skip
