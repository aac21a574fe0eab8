"""One candidate as a reviewer judges it: the passage beside the claim, the checks, and what approving would do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from store.db.candidates import answered, contradicted, load_facts, load_parents, rivals_of
from store.db.claim_store import ClaimStore
from store.db.conflicts import decided_before, open_conflicts
from store.db.questions import AskedQuestion, questions_about
from store.db.records import ancestors_of, children_of, count_children, find_card, find_numbers, load_cards, load_contents
from store.db.renditions import load_captured
from store.db.transaction import Reading, read
from store.db.veils import flags_of, load_shown, load_text_around, veiled
from store.db.waiting import (
    Decided,
    accepted_since,
    claims_about,
    first_approvals,
    judged_reads,
    last_changes,
    last_decisions,
    name_sources,
    recorded_times,
)
from store.domain.detection import Flag
from store.domain.errors import Refusal, not_found
from store.domain.excerpt import Excerpt, Look, look_at, places_of, unseen_passage
from store.domain.people import Right
from store.domain.promotion import Terms, Verdict, judge
from store.domain.records import Artifact, Binding, Card, Claim, Evidence
from store.domain.routes import Suggestion, suggest_route
from store.domain.status import KIND_WORD, Kind, Status
from store.domain.text import question_title
from store.domain.times import FOREVER, format_optional, format_time
from store.domain.usual_terms import judge_usually
from store.domain.value_in_quote import UNTOLD, InQuote
from store.domain.veiling import hide, hide_line, hide_name
from store.domain.waiting import fit_into_series, rival_candidates
from store.reads.candidate_background import Background, Newer, Previous
from store.reads.record import count_independent

_SIMILAR = 12
_PARENTS = 60
_WORTH_SHOWING = (Status.ACCEPTED, Status.DISPUTED, Status.STALE, Status.CANDIDATE)


@dataclass(frozen=True, slots=True)
class Near:
    """Another record, as it is named beside a candidate. Texts come from outside."""

    id: str
    kind: str
    status: str
    scope: str
    title: str
    value: Any = None
    qualifiers: dict[str, Any] | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    expires_at: str | None = None
    sources: tuple[str, ...] = ()
    since: str | None = None
    since_by: str | None = None
    direct: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A bound passage with the source it is taken from."""

    look: Look
    title: str
    source: str | None
    version: int | None
    captured_at: str | None
    media_type: str | None
    authority: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision somebody made on the candidate, or on the same claim before."""

    id: str
    action: str
    by: str
    name: str
    at: str
    route: str | None
    reason: str | None
    status: str = ""


@dataclass(frozen=True, slots=True)
class CandidateView:
    """Everything on the screen of one candidate.

    Attributes:
        line: the record's line, by which a later change is told.
        refusal: why these terms cannot be set, if they cannot; the checks are then those without them.
        contradicts: what approval has to ask about; `ends`: series figures that end where this one begins; `fits_until`:
            where this one ends because a later figure stands; `answers`: stale claims it replaces.
        conflict: whether the claims it contradicts contradict each other already.
        unrecorded: what its task read and it does not declare.
        may_decide: whether the person holds the right in its scope.
        withheld: it was rejected as sensitive, so its value and words are not told any more (R5).
        in_quote: whether the value stands in a quote. `previous`: what stood before; `newer`: one per passage, None where there is no later version.
        proposed_too: other candidates of the same question.
        usual: the terms with the usual ones joined to those given; `usual_sets`: what these set that the others did not.
        questions: what was asked about it.
        flags: what in it should perhaps not be kept; `suggestion`: where it should go, None where it is no claim that waits.
        veiled: its value and words are hidden until somebody with the right asks to see them.
    """

    id: str
    tenant: str
    kind: str
    status: str
    version: int
    content_hash: str
    line: dict[str, Any]
    title: str
    high_impact: bool
    may_decide: bool
    may_amend: bool
    proposed_at: str | None
    importer: str
    checks: tuple[dict[str, Any], ...]
    can_approve: bool
    needs_second: bool
    refusal: str | None
    first_approvals: tuple[Decision, ...]
    passages: tuple[Passage, ...]
    contradicts: tuple[Near, ...]
    ends: tuple[Near, ...]
    fits_until: str | None
    answers: tuple[Near, ...]
    conflict: bool
    before: tuple[Decision, ...]
    similar: tuple[Near, ...]
    parents: tuple[Near, ...]
    parents_count: int
    independent_roots: int
    roots: int
    waiting_on_it: tuple[Near, ...]
    unrecorded: tuple[Near, ...]
    judged: tuple[tuple[str, bool], ...]
    decided: Decision | None
    in_quote: InQuote
    previous: Previous | None
    newer: tuple[Newer | None, ...]
    proposed_too: tuple[Near, ...]
    usual: Terms
    usual_sets: dict[str, Any]
    usual_failed: tuple[str, ...]
    questions: tuple[AskedQuestion, ...]
    flags: tuple[Flag, ...] = ()
    suggestion: Suggestion | None = None
    withheld: bool = False
    veiled: bool = False


def view_candidate(
    store: ClaimStore, person: str, tenant: str | None, record_id: str, terms: Terms | None = None, *, authenticated: bool = False
) -> CandidateView:
    """Return one candidate with everything a decision needs, as it would be for this person and these terms.

    Raises:
        Refusal: `not_found`, also for what the person may not see in full and for evidence.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant) if tenant else None
        card = find_card(reading.connection, number, record_id) if number is not None else None
        if card is None or number is None or tenant is None or card.kind is Kind.EVIDENCE:
            raise not_found(record_id)
        if not (reading.actor.may(Right.INSPECT, card.scope) or reading.actor.may(Right.PROPOSE, card.scope)):
            raise not_found(record_id)
        return _View(reading, number, tenant, card).build(terms or Terms())


class _View:
    def __init__(self, reading: Reading, number: int, tenant: str, card: Card) -> None:
        self.reading, self.connection, self.number, self.tenant, self.card = reading, reading.connection, number, tenant, card

    def build(self, terms: Terms) -> CandidateView:
        card, connection, number = self.card, self.connection, self.number
        refusal = None
        try:
            facts = load_facts(connection, number, card, self.reading.actor, terms, self.reading.at)
        except Refusal as problem:
            refusal = problem.message
            facts = load_facts(connection, number, card, self.reading.actor, Terms(), self.reading.at)
        verdict = judge(facts)
        usual, usually = judge_usually(facts)
        original = load_contents(connection, number, [card])[card.number]
        assert isinstance(original, Claim | Artifact)
        above = ancestors_of(connection, number, [card.number])
        roots = [one for one in load_cards(connection, number, above).values() if one.kind is Kind.EVIDENCE]
        direct = above[card.number]
        approvals = first_approvals(connection, number, [card.number]).get(card.number, [])
        below = load_cards(connection, number, children_of(connection, number, card.number, 20))
        waiting = [one for one, child in below.items() if self._sees(child.scope) or self.reading.actor.may(Right.PROPOSE, child.scope)]
        rivals = self._rivals(verdict)
        reads = find_numbers(connection, number, list(self._unrecorded(verdict)))
        decided = last_decisions(connection, number, [card.number]).get(card.number) if card.status is not Status.CANDIDATE else None
        judged = judged_reads(connection, number, card.number)
        judged_cards = load_cards(connection, number, [one for one, _ in judged])
        line, passages = original.to_line(), self._passages(original)
        withheld = decided is not None and decided.route == "sensitive"
        snapshot = self.reading.snapshot(number)
        background = Background(self.reading, number, snapshot, {card.number: original})
        newer = tuple(background.newer(binding) for binding in original.evidence) if isinstance(original, Claim) else ()
        in_quote = background.in_quote(card.number)
        checks = tuple(check.to_json() for check in verdict.checks)
        flags = flags_of(connection, number, [card]).get(card.number, ())
        hidden = not withheld and bool(veiled(connection, number, [card]))
        if withheld:
            line, passages, newer, in_quote, flags = _without_value(line), (), (), InQuote(UNTOLD), ()
        elif hidden:
            line, newer, in_quote = hide_line(line, flags), (), InQuote(UNTOLD)
            passages = tuple(replace(one, look=unseen_passage(Binding(one.look.evidence, one.look.span))) for one in passages)
            checks = tuple(_veil_check(one) for one in checks)
        return CandidateView(
            id=card.id, tenant=self.tenant, kind=KIND_WORD[card.kind], status=card.status.name, version=card.version, content_hash=card.content_hash,
            line=line, title=title_of(hide(original, flags) if hidden else original), high_impact=card.high_impact,
            may_decide=self.reading.actor.may(Right.DECIDE, card.scope), may_amend=self.reading.actor.may(Right.PROPOSE, card.scope),
            proposed_at=format_optional(recorded_times(connection, number, [card.created_seq]).get(card.created_seq)), importer=card.importer,
            checks=checks, can_approve=verdict.can_approve, needs_second=verdict.needs_second, refusal=refusal,
            first_approvals=tuple(_decision(card.id, one) for one in approvals), passages=passages, withheld=withheld, **rivals,
            before=self._before(), similar=self._similar(original), parents=self._near(direct[:_PARENTS], states=True), parents_count=len(direct),
            independent_roots=count_independent(self.reading, number, roots, self.reading.at), roots=len(roots), waiting_on_it=self._near(waiting),
            unrecorded=self._near(sorted(reads.values())), judged=tuple((judged_cards[one].id, used) for one, used in judged if one in judged_cards),
            decided=None if decided is None else _decision(card.id, decided), in_quote=in_quote,
            previous=None if withheld or hidden else background.previous(card.number), newer=newer, proposed_too=self._near(rival_candidates(snapshot, card.number)),
            usual=usual, usual_sets={name: value for name, value in usual.to_json().items() if value != terms.to_json().get(name)},
            usual_failed=tuple(check.name for check in usually.failed()),
            questions=tuple(questions_about(connection, number, "record", [card.id]).get(card.id, ())),
            flags=flags, suggestion=_hide_told(_suggest(verdict, original, flags)) if hidden else _suggest(verdict, original, flags), veiled=hidden,
        )  # fmt: skip

    def _unrecorded(self, verdict: Verdict) -> list[str]:
        """Return the reads to judge, those the terms already judge included."""
        assert verdict.facts is not None
        terms = verdict.facts.terms
        return sorted({*verdict.facts.unrecorded, *terms.used, *terms.not_used})

    def _passages(self, record: Claim | Artifact) -> tuple[Passage, ...]:
        if isinstance(record, Artifact):
            return ()
        sources = name_sources(self.connection, self.number, [binding.evidence for binding in record.evidence])
        scopes = {card.id: card.scope for card in load_cards(self.connection, self.number, [one["record"] for one in sources.values()]).values()}
        found = []
        for binding in record.evidence:
            source = sources.get(binding.evidence)
            if source is not None and not self.reading.actor.may_rest_on(scopes[binding.evidence], self.card.scope):
                unseen = Look(binding.evidence, False, "This source lies in a scope you may not read.", None, None, False, None)
                found.append(Passage(unseen, "A source outside your scopes", None, None, None, None, None))
                continue
            if source is None:
                missing = Look(
                    binding.evidence, False, f"{binding.evidence} is no evidence. Amend the binding.", binding.quote, binding.span, False, None
                )
                found.append(Passage(missing, binding.evidence, None, None, None, None, None))
                continue
            look = look_at(binding, load_text_around(self.connection, self.number, source["record"], binding.evidence, binding.span))
            found.append(Passage(
                look, source["title"] or source["source"] or binding.evidence, source["source"], source["version"], format_optional(source["captured_at"]),
                source["media_type"], source["authority"],
            ))  # fmt: skip
        return tuple(found)

    # --- what approving meets -------------------------------------------------------------------------------------

    def _rivals(self, verdict: Verdict) -> dict[str, Any]:
        none: dict[str, Any] = {"contradicts": (), "ends": (), "fits_until": None, "answers": (), "conflict": False}
        facts = verdict.facts
        if facts is None or not isinstance(facts.record, Claim) or facts.predicate is None or self.card.status is not Status.CANDIDATE:
            return none
        mine, rivals = rivals_of(self.connection, self.number, self.card, facts.record)
        if facts.predicate.many:
            rivals = [other for other in rivals if other.side.value == mine.value]
        end = mine.end
        ended: list[int] = []
        if facts.predicate.series:
            ended, end = fit_into_series(mine, [other.side for other in contradicted(mine, rivals)])
        now = replace(mine, end=end)
        gone = {*ended, *(other.record for other in answered(now, rivals, series=facts.predicate.series))}
        left = [other for other in contradicted(now, rivals) if other.record not in gone]
        keys = {self.card.key} if self.card.key is not None else set()
        return {
            "contradicts": self._near([other.record for other in left], rich=True), "ends": self._near(ended, rich=True),
            "fits_until": format_time(end) if end not in (mine.end, FOREVER) else None,
            "answers": self._near([other.record for other in answered(now, rivals, series=facts.predicate.series)], rich=True),
            "conflict": bool(open_conflicts(self.connection, self.number, keys)) and len(left) > 1,
        }  # fmt: skip

    def _before(self) -> tuple[Decision, ...]:
        card = self.card
        earlier = [record_id for record_id, _ in decided_before(self.connection, self.number, card.number, card.key, card.value)][:5]
        numbers = find_numbers(self.connection, self.number, earlier)
        decisions, changes = (
            last_decisions(self.connection, self.number, list(numbers.values())),
            last_changes(self.connection, self.number, list(numbers.values())),
        )
        cards = load_cards(self.connection, self.number, numbers.values())
        found = []
        for name in earlier:
            number = numbers[name]
            last = decisions.get(number)
            # What a plan did later, such as a revocation, says more than the approval before it.
            if number in changes and (last is None or changes[number].at > last.at):
                last = changes[number]
            if last is None:
                found.append(Decision(name, "", "", "", "", None, None, cards[number].status.name))
            else:
                found.append(replace(_decision(name, last), status=cards[number].status.name))
        return tuple(found)

    def _similar(self, record: Claim | Artifact) -> tuple[Near, ...]:
        """Return claims with the same subject and predicate under other qualifiers or in other scopes."""
        if not isinstance(record, Claim):
            return ()
        found = load_cards(self.connection, self.number, claims_about(self.connection, self.number, record.subject, record.predicate, self.card.key))
        shown = [one for one in found.values() if one.status in _WORTH_SHOWING and self._sees(one.scope)]
        shown.sort(key=lambda one: (one.status is not Status.ACCEPTED, -(one.valid_from or 0), one.number))
        return self._near([one.number for one in shown[:_SIMILAR]])

    def _sees(self, scope: str) -> bool:
        return self.reading.actor.may(Right.INSPECT, scope)

    def _near(self, records: list[int], *, states: bool = False, rich: bool = False) -> tuple[Near, ...]:
        """Return records as they are named beside the candidate; those of scopes the person may not see by id only."""
        if not records:
            return ()
        cards = load_cards(self.connection, self.number, records)
        contents = load_shown(self.connection, self.number, list(cards.values()), with_bytes=False)
        since = accepted_since(self.connection, self.number, records) if rich else {}
        notes = {}
        if states and records:
            parents, _ = load_parents(self.connection, self.number, records, self.reading.at)
            notes = {one.id: "expired" if one.expired else "in an open conflict" if one.contested else "" for one in parents}
        evidence = {binding.evidence for content in contents.values() if isinstance(content, Claim) for binding in content.evidence}
        evidence |= {content.id for content in contents.values() if isinstance(content, Evidence)}
        sources = name_sources(self.connection, self.number, sorted(evidence))
        found = []
        for record in records:
            card, content = cards[record], contents[record]
            if not self._sees(card.scope):
                found.append(Near(card.id, KIND_WORD[card.kind], card.status.name, card.scope, "in a scope you may not see"))
                continue
            at = since.get(record)
            near = Near(
                card.id, KIND_WORD[card.kind], card.status.name, card.scope, title_of(content, sources), valid_from=format_optional(card.valid_from),
                valid_to=format_optional(card.valid_to), expires_at=format_optional(card.expires_at), since=format_time(at[0]) if at else None,
                since_by=at[1] if at else None, direct=count_children(self.connection, self.number, record) if rich else 0, note=notes.get(card.id, ""),
            )  # fmt: skip
            if isinstance(content, Claim):
                titles = tuple(str((sources.get(b.evidence) or {}).get("title") or b.evidence) for b in content.evidence)
                near = replace(near, value=content.value, qualifiers=content.qualifiers, sources=titles)
            found.append(near)
        return tuple(found)


def _suggest(verdict: Verdict, record: Claim | Artifact, flags: tuple[Flag, ...]) -> Suggestion | None:
    facts = verdict.facts
    if facts is None or not isinstance(record, Claim) or facts.card.status is not Status.CANDIDATE:
        return None
    return suggest_route(record, facts.predicate, flags, facts.policy)


def _hide_told(found: Suggestion | None) -> Suggestion | None:
    """Return a suggestion without names that have to be hidden themselves."""
    if found is None:
        return None
    answers = tuple(replace(one, told=tuple((field, hide_name(said)) for field, said in one.told)) for one in found.answers)
    return replace(found, answers=answers)


def _veil_check(check: dict[str, Any]) -> dict[str, Any]:
    """Return a check without what it may repeat of a passage."""
    if check["name"] != "source_bound" or check["ok"]:
        return check
    return {**check, "message": "The quote does not stand where its span says."}


def _decision(record_id: str, one: Decided) -> Decision:
    return Decision(record_id, one.action, one.by, one.name, format_time(one.at), one.route, one.reason)


def _without_value(line: dict[str, Any]) -> dict[str, Any]:
    """Return a record's line without what a rejection as sensitive keeps from being read."""
    hidden: dict[str, Any] = {name: None for name in ("value", "statement", "conditions", "body") if name in line}
    return {**line, **hidden, **({"evidence": []} if "evidence" in line else {})}


def title_of(content: Any, sources: dict[str, dict[str, Any]] | None = None) -> str:
    """Return what a record is called: a claim's question, an artifact's title, the title of a version's source."""
    if isinstance(content, Claim):
        return question_title(content.subject, content.predicate)
    if isinstance(content, Artifact):
        return content.title or content.id
    source = (sources or {}).get(content.id)
    return f"{source['title'] or source['source']}, version {content.version}" if source else str(content.id)


def find_places(
    store: ClaimStore, person: str, tenant: str, record_id: str, evidence_id: str, quote: str, *, authenticated: bool = False
) -> tuple[Excerpt, ...]:
    """Return where a quote occurs in a version the candidate is bound to, at most 20 places.

    Raises:
        Refusal: `not_found`, for records the person may not see and versions the candidate does not name.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, record_id) if number is not None else None
        if card is None or number is None or not (reading.actor.may(Right.INSPECT, card.scope) or reading.actor.may(Right.PROPOSE, card.scope)):
            raise not_found(record_id)
        content = load_contents(reading.connection, number, [card])[card.number]
        if not isinstance(content, Claim) or all(binding.evidence != evidence_id for binding in content.evidence):
            raise not_found(evidence_id)
        source = name_sources(reading.connection, number, [evidence_id])[evidence_id]
        if not reading.actor.may_rest_on(load_cards(reading.connection, number, [source["record"]])[source["record"]].scope, card.scope):
            raise not_found(evidence_id)
        return places_of(quote, load_captured(reading.connection, number, source["record"]))


def rebind(binding: dict[str, Any], start: int, quote: str) -> dict[str, Any]:
    """Return a binding's line with the quote at a code point, as an amendment gives it."""
    return Binding(binding["evidence"], {"start": start, "end": start + len(quote)}, quote).to_line()
