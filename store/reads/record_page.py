"""What stands around one record on its page: passages, neighbours with their status, conflicts, and the text of a version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.conflicts import claims_of_key, open_conflicts
from store.db.declarations import list_people_with_roles
from store.db.records import children_of, find_card, load_bytes, load_cards, load_contents, parents_of
from store.db.transaction import Reading, read
from store.db.waiting import name_sources
from store.domain.errors import not_found
from store.domain.excerpt import Look, look_at
from store.domain.people import Right
from store.domain.records import Card, Claim, Evidence
from store.domain.status import KIND_WORD, Kind
from store.domain.times import format_optional
from store.reads.candidate_page import Near, Passage, title_of
from store.reads.record import show_record

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
    source: dict[str, Any] | None = None
    text: TextPart | None = None


def view_record(
    store: ClaimStore, person: str, tenant: str, record_id: str, *, part: int = 1, children: int = 50, authenticated: bool = False
) -> RecordView:
    """Return one record with what stands around it, as far as the person may see it.

    Args:
        part: which stretch of a version's text, counted from 1.
        children: at most how many of the records resting on it.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    found = show_record(store, person, tenant, record_id, authenticated=authenticated)
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, record_id) if number is not None else None
        if card is None or number is None:
            raise not_found(record_id)
        around = _Around(reading, number, card)
        content = load_contents(reading.connection, number, [card], with_bytes=False)[card.number]
        inspecting = reading.actor.may(Right.INSPECT, card.scope)
        above = [parent for _, parent, _ in parents_of(reading.connection, number, [card.number])]
        below = children_of(reading.connection, number, card.number, children) if inspecting else []
        near_below = around.near(below)
        sources = name_sources(reading.connection, number, [record_id]) if isinstance(content, Evidence) else {}
        source = sources.get(record_id)
        return RecordView(
            found=found, title=title_of(content, sources), may_decide=reading.actor.may(Right.DECIDE, card.scope), parents=around.near(above[:_PARENTS]),
            parents_count=len(above), children=near_below, hidden_children=len(below) - len(near_below),
            passages=around.passages(content) if isinstance(content, Claim) else (), contests=around.contests(),
            names={one["id"]: one["name"] for one in list_people_with_roles(reading.connection)},
            source=None if source is None else {name: value for name, value in source.items() if name != "record"},
            text=around.text(part) if card.kind is Kind.EVIDENCE else None,
        )  # fmt: skip


class _Around:
    def __init__(self, reading: Reading, number: int, card: Card) -> None:
        self.reading, self.connection, self.number, self.card = reading, reading.connection, number, card

    def _reads(self, scope: str) -> bool:
        return self.reading.actor.may(Right.READ, scope)

    def near(self, records: list[int]) -> tuple[Near, ...]:
        """Return records as they are named beside this one; those of scopes the person may not read are left out."""
        cards = {number: card for number, card in load_cards(self.connection, self.number, records).items() if self._reads(card.scope)}
        contents = load_contents(self.connection, self.number, list(cards.values()), with_bytes=False)
        sources = name_sources(self.connection, self.number, [card.id for card in cards.values() if card.kind is Kind.EVIDENCE])
        found = []
        for record in records:
            if record not in cards:
                continue
            card, content = cards[record], contents[record]
            expired = card.expires_at is not None and card.expires_at <= self.reading.at
            value, qualifiers = (content.value, content.qualifiers) if isinstance(content, Claim) else (None, None)
            found.append(Near(
                card.id, KIND_WORD[card.kind], card.status.name, card.scope, title_of(content, sources), value, qualifiers,
                format_optional(card.valid_from), format_optional(card.valid_to), format_optional(card.expires_at), note="expired" if expired else "",
            ))  # fmt: skip
        return tuple(found)

    def passages(self, claim: Claim) -> tuple[Passage, ...]:
        """Return the claim's passages with the words around them; of sources the person may not read, only that they are there."""
        sources = name_sources(self.connection, self.number, [binding.evidence for binding in claim.evidence])
        scopes = {card.id: card.scope for card in load_cards(self.connection, self.number, [one["record"] for one in sources.values()]).values()}
        found = []
        for binding in claim.evidence:
            source = sources.get(binding.evidence)
            if source is None or not self._reads(scopes.get(binding.evidence, self.card.scope)):
                missing = Look(binding.evidence, False, "This source lies in a scope you may not read.", None, None, False, None)
                found.append(Passage(missing, "A source outside your scopes", None, None, None, None, None))
                continue
            look = look_at(binding, bytes(load_bytes(self.connection, self.number, source["record"])), source["sha256"], source["media_type"])
            found.append(Passage(
                look, source["title"] or source["source"] or binding.evidence, source["source"], source["version"], format_optional(source["captured_at"]),
                source["media_type"], source["authority"],
            ))  # fmt: skip
        return tuple(found)

    def contests(self) -> tuple[tuple[str, tuple[Near, ...]], ...]:
        """Return the open conflicts of the record's key in which it is a side."""
        if self.card.key is None:
            return ()
        conflict = open_conflicts(self.connection, self.number, {self.card.key}).get(self.card.key)
        if conflict is None or self.card.number not in conflict.sides:
            return ()
        known = {claim.record for claim in claims_of_key(self.connection, self.number, self.card.key)}
        return ((conflict.id, self.near([record for record in conflict.sides if record in known])),)

    def text(self, part: int) -> TextPart:
        """Return a stretch of the version's text."""
        content = bytes(load_bytes(self.connection, self.number, self.card.number))
        try:
            whole = content.decode("utf-8")
        except UnicodeDecodeError:
            return TextPart(None, 0, 0, 0, len(content))
        parts = max(len(whole) - 1, 0) // PART + 1
        part = min(max(part, 1), parts)
        start = (part - 1) * PART
        text = whole[start : start + PART]
        return TextPart(text, start, start + len(text), len(whole), len(content), whole.count("\n", 0, start) + 1, part, parts)
