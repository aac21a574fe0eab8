"""What somebody else would be told, asked by a person who may look into the scope: the answer, and why it is that one.

The answer is the one `read_claims` and `search_records` give; nothing is logged, because no agent was told anything (R17).
Reasons, claims beside it and other questions are for whoever may inspect, and only about scopes they may inspect (R16).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from store.db.answering import blockers_of
from store.db.claim_store import ClaimStore
from store.db.conflicts import KeyClaim, claims_of_keys
from store.db.declarations import list_people_with_roles
from store.db.keys import find_key, load_policy, load_scopes
from store.db.question_keys import AskedKey, find_keys, keys_asking, scopes_asking
from store.db.records import load_cards
from store.db.transaction import Reading, load_actor, read
from store.db.veils import ShownNames, load_shown
from store.domain.errors import Code, Refusal
from store.domain.people import ROLES, Actor, Right
from store.domain.records import Card, Claim, question_code
from store.domain.scopes import EVERYWHERE, covers, nearest_first, tenant_of
from store.domain.status import Status
from store.domain.strict_json import read_json
from store.domain.text import canonical_json
from store.domain.times import format_optional
from store.reads.answers import Question, answer_now, search_now

_MOST_REASONS = 50
_MOST_BESIDE = 20


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody a question can be asked as; `roles` are those that matter in the tenant, as (role, scope)."""

    id: str
    name: str
    roles: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Why:
    """Why one claim that was recorded under the question is not told.

    Attributes:
        kind: `status`, `expired`, `expired_above`, `unaccepted_above`, `contested_above`, `validity`, `purpose`, or `held_back`.
        other: the record that stands in the way, None where there is none or the person may not see it.
    """

    kind: str
    claim: str
    scope: str
    status: str
    value: Any
    valid_from: str | None
    valid_to: str | None
    purposes: tuple[str, ...] = ()
    other: str | None = None
    other_status: str | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """A claim of the same question that was not told, but came later or has a higher authority than one that was."""

    id: str
    scope: str
    status: str
    value: Any
    authority: str | None
    later: bool
    higher: bool


@dataclass(frozen=True, slots=True)
class Told:
    """An answer as an identity would get it, and what the person asking may know of its reasons.

    Attributes:
        answer: what `read` prints for the identity.
        allowed_by: the role and scope that let the identity read, None where nothing does.
        nothing_recorded: no claim was ever recorded under the question, as far as the person may look.
        unexplained: scopes the identity is served from and the person may not look into; nothing is said of them.
        hidden: sides of a conflict the identity is told and the person may not see.
        other_questions: of the same subject and predicate, with other qualifiers or in other scopes.
    """

    identity: Identity
    answer: dict[str, Any]
    at: int
    allowed_by: tuple[str, str] | None
    why: tuple[Why, ...] = ()
    nothing_recorded: bool = False
    unexplained: tuple[str, ...] = ()
    hidden: int = 0
    beside: dict[str, tuple[Beside, ...]] | None = None
    other_questions: tuple[AskedKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What a search finds for an identity."""

    identity: Identity
    items: tuple[dict[str, Any], ...]
    cut: bool
    at: int
    allowed_by: tuple[str, str] | None


def list_identities(store: ClaimStore, person: str, tenant: str, *, authenticated: bool = False) -> list[Identity]:
    """Return everybody a person may ask as in a tenant: whoever holds a role there; nobody if the person may look into none of it."""
    with read(store, person, authenticated=authenticated) as reading:
        held = reading.actor.scopes_with(Right.INSPECT)
        if not any(scope == EVERYWHERE or tenant_of(scope) == tenant for scope in held):
            return []
        return _identities(reading, tenant)


def _identities(reading: Reading, tenant: str) -> list[Identity]:
    found = []
    for one in list_people_with_roles(reading.connection):
        pairs = [(role["role"], EVERYWHERE if role["scope"] == "everywhere" else role["scope"]) for role in one["roles"]]
        mine = tuple(sorted({(role, scope) for role, scope in pairs if scope == EVERYWHERE or tenant_of(scope) == tenant}))
        if mine:
            found.append(Identity(one["id"], one["name"], mine))
    return sorted(found, key=lambda one: (one.name.casefold(), one.id))


def ask_as(store: ClaimStore, person: str, identity: str, question: Question, *, authenticated: bool = False) -> Told:
    """Return what `identity` would be told, and as much of why as `person` may know; nothing is logged.

    Raises:
        Refusal: `not_allowed` where the person may not look into the scope, `not_found` where nobody of that id holds a role there.
    """
    with read(store, person, authenticated=authenticated) as reading:
        someone = _stand_in(reading, identity, question.scope)
        answer = answer_now(replace(reading, actor=_actor(someone, reading)), question)
        hidden = _withhold(reading.actor, question.scope, answer)
        return _Explaining(reading, question, someone, answer, hidden).told()


def search_as(
    store: ClaimStore, person: str, identity: str, text: str, scope: str, *, limit: int = 20, at: int | None = None, authenticated: bool = False
) -> Found:
    """Return what `identity` would find; nothing is logged.

    Raises:
        Refusal: as `ask_as`, and `bad_value` for a text that is too long.
    """
    with read(store, person, authenticated=authenticated) as reading:
        someone = _stand_in(reading, identity, scope)
        actor = _actor(someone, reading)
        found = search_now(replace(reading, actor=actor), text, scope, limit=limit, at=at)
        return Found(someone, tuple(found["items"]), found["cut"], reading.at if at is None else at, _granted(actor, scope))


def suggest_questions(
    store: ClaimStore, person: str, scope: str, subject: str = "", predicate: str = "", *, limit: int = 12, authenticated: bool = False
) -> list[AskedKey]:
    """Return questions that were ever recorded in a scope or above it and begin so, of scopes the person may look into."""
    with read(store, person, authenticated=authenticated) as reading:
        tenant = reading.tenant_number(tenant_of(scope))
        if tenant is None:
            return []
        path = set(nearest_first(scope))
        shown = [number for number, one in load_scopes(reading.connection, tenant).items() if one in path and reading.actor.may(Right.INSPECT, one)]
        return _as_shown(reading, tenant, find_keys(reading.connection, tenant, shown, subject, predicate, limit))


def _as_shown(reading: Reading, tenant: int, keys: Sequence[AskedKey]) -> list[AskedKey]:
    names = ShownNames(reading.connection, tenant)
    return [replace(one, subject=names.name(one.scope, one.subject), qualifiers=names.qualifiers(one.scope, one.qualifiers)) for one in keys]


def _stand_in(reading: Reading, identity: str, scope: str) -> Identity:
    """Return the identity, if the person may look into the scope."""
    reading.actor.need(Right.INSPECT, scope, "ask as somebody else")
    found = next((one for one in _identities(reading, tenant_of(scope)) if one.id == identity), None)
    if found is None:
        raise Refusal(Code.NOT_FOUND, f"Nobody called {identity[:80]!r} holds a role in {tenant_of(scope)}. Nothing was asked. Choose somebody else.")
    return found


def _actor(identity: Identity, reading: Reading) -> Actor:
    return replace(load_actor(reading.connection, identity.id, authenticated=False), roles=identity.roles)


def _granted(actor: Actor, scope: str) -> tuple[str, str] | None:
    """Return the nearest role that lets somebody read a scope."""
    giving = [(role, held) for role, held in actor.roles if Right.READ in ROLES[role] and covers(held, scope)]
    return max(giving, key=lambda pair: (len(pair[1]) if pair[1] != EVERYWHERE else 0, pair[0]), default=None)


def _withhold(person: Actor, scope: str, answer: dict[str, Any]) -> int:
    """Take out of an answer the sides that the person may not see, and return how many that were."""
    path = nearest_first(scope)
    kept = [one for one in answer["claims"] if one["scope"] in path or person.may(Right.READ, one["scope"])]
    hidden = len(answer["claims"]) - len(kept)
    if hidden:
        answer["claims"] = kept
        shown = {one["id"] for one in kept}
        answer["conflicts"] = [{"sides": [one for one in conflict["sides"] if one in shown]} for conflict in answer.get("conflicts", [])]
        answer.pop("why", None)
    return hidden


class _Explaining:
    """Why an answer is the one it is, for one person."""

    def __init__(self, reading: Reading, question: Question, identity: Identity, answer: dict[str, Any], hidden: int) -> None:
        self.reading, self.question, self.identity, self.answer, self.hidden = reading, question, identity, answer, hidden
        self.connection = reading.connection
        self.at = reading.at if question.at is None else question.at
        self.path = nearest_first(question.scope)
        self.shown = [scope for scope in self.path if reading.actor.may(Right.INSPECT, scope)]

    def told(self) -> Told:
        """Return the answer with its reasons."""
        allowed = _granted(replace(self.reading.actor, roles=self.identity.roles), self.question.scope)
        tenant = self.reading.tenant_number(tenant_of(self.question.scope))
        unexplained = tuple(scope for scope in self.path if scope not in self.shown)
        if tenant is None or allowed is None:
            return Told(self.identity, self.answer, self.at, allowed, unexplained=unexplained, hidden=self.hidden)
        self.tenant = tenant
        asked = self.question
        keys = [(scope, find_key(self.connection, tenant, scope, asked.subject, asked.predicate, asked.qualifiers or {})) for scope in self.shown]
        by_key = claims_of_keys(self.connection, tenant, [key for _, key in keys if key is not None])
        claims = [(scope, claim) for scope, key in keys if key is not None for claim in by_key.get(key, [])]
        missing = self.answer["result"] == "MISSING"
        return Told(
            self.identity, self.answer, self.at, allowed, self._reasons(claims) if missing else (), missing and not claims, unexplained, self.hidden,
            self._beside(claims) if self.answer["result"] == "OK" else None, self._other_questions() if missing else (),
        )  # fmt: skip

    def _contents(self, records: Sequence[int]) -> dict[int, tuple[Card, Claim]]:
        cards = load_cards(self.connection, self.tenant, records)
        contents = load_shown(self.connection, self.tenant, list(cards.values()), with_bytes=False)
        return {number: (cards[number], content) for number, content in contents.items() if isinstance(content, Claim)}

    def _reasons(self, claims: list[tuple[str, KeyClaim]]) -> tuple[Why, ...]:
        some = claims[:_MOST_REASONS]
        contents = self._contents([claim.record for _, claim in some])
        blockers = blockers_of(self.connection, self.tenant, None, [claim.record for _, claim in some], self.at)
        above = {
            number for blocker in blockers.values() for number in (blocker.expired, blocker.unaccepted, (blocker.contested or (0, None))[1]) if number
        }
        others = {card.number: card for card in load_cards(self.connection, self.tenant, sorted(above)).values()}
        found: list[Why] = []
        holding: tuple[str, KeyClaim] | None = None
        for scope, claim in some:
            content = contents[claim.record][1]
            live = claim.side.start <= self.at < claim.side.end
            kind, other = self._kind(claim, blockers[claim.record], content)
            other_id: str | None = None
            other_status: str | None = None
            if kind == "usable" and holding is not None and holding[0] != scope:
                kind, other_id, other_status = "held_back", holding[1].id, holding[1].status.name
            else:
                there = others.get(other) if other is not None else None
                if there is not None and self.reading.actor.may(Right.INSPECT, there.scope):
                    other_id, other_status = there.id, there.status.name
            if live and claim.status in (Status.STALE, Status.DISPUTED) and holding is None:
                holding = (scope, claim)
            found.append(Why(
                kind, claim.id, scope, claim.status.name, content.value,
                format_optional(content.valid_from), format_optional(content.valid_to), tuple(content.purposes), other_id, other_status,
            ))  # fmt: skip
        return tuple(found)

    def _kind(self, claim: KeyClaim, blocker: Any, content: Claim) -> tuple[str, int | None]:
        """Return the first thing that keeps a claim from being told, and the record that is it, if another one."""
        if claim.status is not Status.ACCEPTED:
            return "status", None
        if blocker.expired is not None:
            return ("expired", None) if blocker.expired == claim.record else ("expired_above", blocker.expired)
        if not claim.side.start <= self.at < claim.side.end:
            return "validity", None
        if blocker.unaccepted is not None:
            return "unaccepted_above", blocker.unaccepted
        if blocker.contested is not None:
            return "contested_above", blocker.contested[1]
        if "*" not in content.purposes and self.question.purpose not in content.purposes:
            return "purpose", None
        return "usable", None

    def _beside(self, claims: list[tuple[str, KeyClaim]]) -> dict[str, tuple[Beside, ...]]:
        """Return for each claim told what stands beside it and is newer or of higher authority."""
        told = {one["id"] for one in self.answer["claims"]}
        contents = self._contents([claim.record for _, claim in claims])
        ranks = load_policy(self.connection, self.tenant, self.question.scope).get("authority_ranks", [])
        known = {card.id: (card, content) for card, content in contents.values()}

        def rank(content: Claim) -> int:
            return ranks.index(content.authority) if content.authority in ranks else len(ranks)

        found: dict[str, tuple[Beside, ...]] = {}
        for one in sorted(told & set(known)):
            card, content = known[one]
            around = []
            for other, said in known.values():
                if other.id in told or said.value == content.value or other.status in (Status.REJECTED, Status.DELETION_PENDING, Status.DELETED):
                    continue
                later = (said.observed_at or said.valid_from or 0, other.number) > (content.observed_at or content.valid_from or 0, card.number)
                higher = rank(said) < rank(content)
                if later or higher:
                    around.append(Beside(other.id, other.scope, other.status.name, said.value, said.authority, later, higher))
            if around:
                found[one] = tuple(around[:_MOST_BESIDE])
        return found

    def _other_questions(self) -> tuple[AskedKey, ...]:
        """Return what was recorded of the same subject and predicate otherwise: other qualifiers, or scopes that are never asked."""
        asked = self.question
        scopes = [number for number, path in load_scopes(self.connection, self.tenant).items() if path in self.shown]
        same = keys_asking(self.connection, self.tenant, scopes, asked.subject, asked.predicate, 12)
        elsewhere = scopes_asking(self.connection, self.tenant, question_code(asked.subject, asked.predicate, asked.qualifiers or {}), 50)
        found = [one for one in same if one.qualifiers != (asked.qualifiers or {})]
        found += [one for one in elsewhere if one.scope not in self.path and self.reading.actor.may(Right.INSPECT, one.scope)][:8]
        return tuple(_as_shown(self.reading, self.tenant, found))


def parse_qualifiers(given: Sequence[str]) -> dict[str, Any]:
    """Return qualifiers from `name=value` each, the value as JSON if it is, else as text, just as the command line reads them.

    Raises:
        ValueError: with the one that has no name or no value.
    """
    found: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ValueError(one)
        found[name.strip()] = _parsed(value.strip())
    return found


def write_qualifiers(qualifiers: dict[str, Any]) -> tuple[str, ...]:
    """Return qualifiers as `parse_qualifiers` reads them."""
    return tuple(
        f"{name}={value if isinstance(value, str) and _parsed(value) == value and value.strip() == value else canonical_json(value)}"
        for name, value in sorted(qualifiers.items())
    )


def _parsed(text: str) -> Any:
    try:
        return read_json(text)
    except ValueError:
        return text
