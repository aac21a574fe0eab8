"""What stands around one record on its page: passages, neighbours with their status, conflicts, and the text of a version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.db.claim_store import STORE_ITSELF, ClaimStore
from store.db.conflicts import claims_of_key, open_conflicts
from store.db.declarations import list_roles
from store.db.journal import keys_contested_after, last_event_by, list_looks, statuses_after
from store.db.records import children_of, find_card, find_numbers, load_cards
from store.db.renditions import load_captured
from store.db.source_shelf import bindings_to
from store.db.subjects import entity_words
from store.db.transaction import Reading, read
from store.db.veils import load_shown, load_text_around, veiled_numbers
from store.db.waiting import name_sources
from store.domain.errors import not_found
from store.domain.excerpt import Look, look_at, unseen_passage
from store.domain.people import Right
from store.domain.records import Artifact, Binding, Card, Claim, Evidence, Record
from store.domain.redacting import blot_out
from store.domain.status import FORGOTTEN, KIND_WORD, Kind
from store.domain.times import format_optional, format_time
from store.domain.veiling import VEIL, veil_now
from store.reads.candidate_page import Near, Passage, title_of
from store.reads.record import show_record
from store.reads.record_around import Chain, Neighbours, ServedTo, build_chain, find_neighbours, find_served

#: Code points of a version's text on one screen.
PART = 20_000
_PARENTS = 60


@dataclass(frozen=True, slots=True)
class TextPart:
    """A stretch of a captured version's text.

    Attributes:
        text: the code points [start, end) of `total`; None where the version is not text.
        size: bytes.
        first_line: the line the stretch begins on.
        part, parts: which stretch this is, of how many.
    """

    text: str | None
    start: int
    end: int
    total: int
    size: int
    first_line: int = 1
    part: int = 1
    parts: int = 1


@dataclass(frozen=True, slots=True)
class RecordView:
    """Everything on one record's page.

    Attributes:
        found: what `show_record` returns.
        hidden_children: how many of those looked at lie in scopes the person may not see.
        contests: open conflicts it is in, each with its sides; itself among them.
        names: person id -> name.
        source: a version's source, as a line.
        chain: from evidence through the record to what was delivered; empty for who may not see everything of its scope.
        same_key, elsewhere, same_passage: its neighbours: of its claim key, of the same question in other scopes, of the same passage.
        served: who was told it; None for who may not see everything of its scope.
        entity: who said last that it is about the right one, and when.
        known_at, at: the moments looked at; None for now.
        looks: who asked to see what is veiled in it, as lines of its history; none for who may not see everything of its scope.
    """

    found: dict[str, Any]
    title: str
    may_decide: bool
    parents: tuple[Near, ...]
    parents_count: int
    children: tuple[Near, ...]
    hidden_children: int
    passages: tuple[Passage, ...]
    contests: tuple[tuple[str, tuple[Near, ...]], ...]
    names: dict[str, str]
    source: dict[str, Any] | None
    text: TextPart | None
    chain: Chain
    neighbours: Neighbours
    same_key: tuple[Near, ...]
    elsewhere: tuple[Near, ...]
    same_passage: tuple[Near, ...]
    served: ServedTo | None
    entity: tuple[str, str] | None
    known_at: str | None
    at: str | None
    looks: tuple[dict[str, Any], ...] = ()


def view_record(
    store: ClaimStore, person: str, tenant: str, record_id: str, *, part: int = 1, children: int = 50, at: int | None = None, known_at: int | None = None,
    authenticated: bool = False,
) -> RecordView:  # fmt: skip
    """Return one record with what stands around it, as far as the person may see it.

    Args:
        part: which stretch of a version's text, counted from 1.
        children: at most how many of the records resting on it.
        at: the world time for validity and expiry, microseconds UTC; now by default.
        known_at: everything as the store knew it then: content, statuses, what rested on it, conflicts, answers given.

    Raises:
        Refusal: `not_found`, also for what the person may not see, and for what was not there yet.
    """
    found = show_record(store, person, tenant, record_id, at=at, known_at=known_at, authenticated=authenticated)
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, found["id"]) if number is not None else None
        if card is None or number is None:
            raise not_found(record_id)
        last = None if known_at is None else last_event_by(reading.connection, number, known_at)
        around = _Around(reading, number, card, last)
        content = load_shown(reading.connection, number, [card], with_bytes=False)[card.number]
        # Around what is being forgotten, or is forgotten, nothing is shown either.
        inspecting = reading.actor.may(Right.INSPECT, card.scope) and card.status not in FORGOTTEN
        above = list(find_numbers(reading.connection, number, found["parents"]).values())
        below = children_of(reading.connection, number, card.number, children) if inspecting else []
        near_below = around.near(below)
        sources = name_sources(reading.connection, number, [record_id]) if isinstance(content, Evidence) and inspecting else {}
        source = sources.get(record_id)
        neighbours = find_neighbours(reading, number, card) if inspecting else Neighbours(None, 0, (), (), ())
        return RecordView(
            found=found, title=_title(found, content, sources), may_decide=reading.actor.may(Right.DECIDE, card.scope) and last is None,
            parents=around.near(above[:_PARENTS]), parents_count=len(found["parents"]), children=near_below, hidden_children=len(below) - len(near_below),
            passages=around.passages(found["record"]) if isinstance(content, Claim) else (), contests=around.contests(),
            names={one[0]: one[1] for place in (STORE_ITSELF, number) for one in list_roles(reading.connection, place)},
            source=None if source is None else {name: value for name, value in source.items() if name != "record"},
            text=around.text(part) if card.kind is Kind.EVIDENCE and card.status not in FORGOTTEN else None, chain=build_chain(reading, number, card, last) if inspecting else Chain((), False),
            neighbours=neighbours, same_key=around.near(list(neighbours.same_key)), elsewhere=around.near(list(neighbours.elsewhere)),
            same_passage=around.near(list(neighbours.same_passage)), served=find_served(reading, number, card.number, known_at) if inspecting else None,
            entity=_entity(reading, number, card), known_at=found.get("known_at"), at=None if at is None else format_time(at),
            looks=_looks(reading, number, card, last),
        )  # fmt: skip


def _looks(reading: Reading, number: int, card: Card, last: int | None) -> tuple[dict[str, Any], ...]:
    if not reading.actor.may(Right.INSPECT, card.scope):
        return ()
    looks = [one for one in list_looks(reading.connection, number, card.number) if last is None or one.seq <= last]
    return tuple({"seq": one.seq, "at": format_time(one.at), "actor": one.actor, "version": one.version} for one in looks)


def _title(found: dict[str, Any], content: Record, sources: dict[str, dict[str, Any]]) -> str:
    line = found["record"]
    if found["status"] in {status.name for status in FORGOTTEN}:
        return str(found["id"])
    if isinstance(content, Claim) and line.get("statement") and line["statement"] != VEIL:
        return str(line["statement"])
    return str(line["title"]) if isinstance(content, Artifact) and line.get("title") and line["title"] != VEIL else title_of(content, sources)


def _entity(reading: Reading, number: int, card: Card) -> tuple[str, str] | None:
    """Return who said last that the claim is about the right one, and when."""
    words = entity_words(reading.connection, number, [card.number]) if card.kind is Kind.CLAIM else []
    return (words[0].name, format_time(words[0].at)) if words else None


class _Around:
    def __init__(self, reading: Reading, number: int, card: Card, last: int | None) -> None:
        self.reading, self.connection, self.number, self.card, self.last = reading, reading.connection, number, card, last

    def _reads(self, scope: str) -> bool:
        return self.reading.actor.may(Right.READ, scope)

    def near(self, records: list[int]) -> tuple[Near, ...]:
        """Return records as they are named beside this one; those of scopes the person may not read, or not there yet, are left out."""
        cards = {number: card for number, card in load_cards(self.connection, self.number, records).items() if self._reads(card.scope)}
        contents = load_shown(self.connection, self.number, list(cards.values()), with_bytes=False)
        sources = name_sources(self.connection, self.number, [card.id for card in cards.values() if card.kind is Kind.EVIDENCE])
        then = {} if self.last is None else statuses_after(self.connection, self.number, list(cards), self.last)
        found = []
        for record in records:
            if record not in cards or (self.last is not None and record not in then):
                continue
            card, content = cards[record], contents[record]
            expired = card.expires_at is not None and card.expires_at <= self.reading.at
            value, qualifiers = (content.value, content.qualifiers) if isinstance(content, Claim) else (None, None)
            found.append(Near(
                card.id, KIND_WORD[card.kind], then.get(record, card.status).name, card.scope, title_of(content, sources), value, qualifiers,
                format_optional(card.valid_from), format_optional(card.valid_to), format_optional(card.expires_at), note="expired" if expired else "",
            ))  # fmt: skip
        return tuple(found)

    def passages(self, line: dict[str, Any]) -> tuple[Passage, ...]:
        """Return the passages of a claim's line with the words around them; of sources the person may not read, only that they are there."""
        bindings = [Binding(one["evidence"], one.get("span"), one.get("quote")) for one in line.get("evidence", ())]
        sources = name_sources(self.connection, self.number, [binding.evidence for binding in bindings])
        scopes = {card.id: card.scope for card in load_cards(self.connection, self.number, [one["record"] for one in sources.values()]).values()}
        found = []
        for binding in bindings:
            source = sources.get(binding.evidence)
            if source is None or not self._reads(scopes.get(binding.evidence, self.card.scope)):
                missing = Look(binding.evidence, False, "This source lies in a scope you may not read.", None, None, False, None)
                found.append(Passage(missing, "A source outside your scopes", None, None, None, None, None))
                continue
            look = unseen_passage(binding) if binding.quote == VEIL else look_at(
                binding, load_text_around(self.connection, self.number, source["record"], binding.evidence, binding.span)
            )
            found.append(Passage(
                look, source["title"] or source["source"] or binding.evidence, source["source"], source["version"], format_optional(source["captured_at"]),
                source["media_type"], source["authority"],
            ))  # fmt: skip
        return tuple(found)

    def contests(self) -> tuple[tuple[str, tuple[Near, ...]], ...]:
        """Return the open conflicts of the record's key in which it is a side, or was after the event looked at."""
        if self.card.key is None:
            return ()
        if self.last is not None:
            sides = keys_contested_after(self.connection, self.number, [self.card.key], self.last).get(self.card.key, [])
            return (("", self.near(sides)),) if self.card.number in sides else ()
        conflict = open_conflicts(self.connection, self.number, {self.card.key}).get(self.card.key)
        if conflict is None or self.card.number not in conflict.sides:
            return ()
        known = {claim.record for claim in claims_of_key(self.connection, self.number, self.card.key)}
        return ((conflict.id, self.near([record for record in conflict.sides if record in known])),)

    def _behind_veils(self, whole: str) -> str:
        """Return a version's text without the passages of claims that are veiled from whoever looks, as many code points long."""
        if veil_now() is None:
            return whole
        bound = bindings_to(self.connection, self.number, self.card.number, self.card.id)
        spots = [(record, span.get("start"), span.get("end")) for record, binding in bound if (span := binding.span) is not None]
        hidden = veiled_numbers(self.connection, self.number, {record for record, _, _ in spots})
        return blot_out(whole, [(start, end) for record, start, end in spots if record in hidden and isinstance(start, int) and isinstance(end, int)])

    def text(self, part: int) -> TextPart:
        """Return a stretch of the version's text."""
        captured = load_captured(self.connection, self.number, self.card.number)
        content, whole = captured.content, captured.text
        if whole is None:
            return TextPart(None, 0, 0, 0, len(content))
        parts = max(len(whole) - 1, 0) // PART + 1
        part = min(max(part, 1), parts)
        start = (part - 1) * PART
        text = self._behind_veils(whole)[start : start + PART]
        return TextPart(text, start, start + len(text), len(whole), len(content), whole.count("\n", 0, start) + 1, part, parts)
