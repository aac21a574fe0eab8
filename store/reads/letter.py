"""A letter to the owner of a source: where what it says contradicts what else is held, with passages and since when.

A source is one by its id, or all those of one family, authority or collection, because a vendor's catalogue is often many. The letter leaves
the house, so it holds no internal id, scope, conflict number or reviewer's remark: rows are numbered, the key is named in
words, and another source is named only where the pair was chosen.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.export_copies import carry
from store.db.keys import load_key_names, load_scopes
from store.db.letters import Addressee, Bound, Contradiction, find_addressees, load_addressees, load_bound, load_contradictions
from store.db.nearness import load_near, load_tolerant
from store.db.records import load_cards
from store.db.renditions import load_captured
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.veils import ShownNames, load_shown, veiled
from store.domain.errors import Code, Refusal
from store.domain.excerpt import look_at
from store.domain.handing_out import Carried, Handout
from store.domain.people import Right
from store.domain.plans import Answer
from store.domain.records import Binding, Claim
from store.domain.scopes import covers
from store.domain.spans import CapturedText
from store.domain.status import LIVE, Status
from store.domain.text import canonical_json, guard_cell, spaced
from store.domain.times import format_optional
from store.domain.tolerance import agree
from store.domain.veiling import VEIL

#: Contradictions, and statements, in the letter itself; the CSV beside it holds all.
LETTER_ROWS = 300
#: Other values that are told of one statement; the rest are counted, as thousands may contradict each of thousands.
_OURS = 20
_PASSAGE = 400
_PICKS = 200
#: Statuses of the sides a verdict kept.
_KEPT = (Status.ACCEPTED, Status.STALE)


@dataclass(frozen=True, slots=True)
class LetterPick:
    """A source, or a pair of sources, that others contradict: how many open contradictions, and how many settled against the first.

    Attributes:
        sources: how many sources the first one is: several where it is an authority.
    """

    tenant: str
    source: str
    title: str
    other: str | None
    other_title: str | None
    sources: int
    open: int
    against: int


@dataclass(frozen=True, slots=True)
class LetterRow:
    """One statement of the source that is contradicted. Texts come from outside.

    Attributes:
        number: of the contradiction within the letter, from 1; several statements of the source may be in one.
        theirs: values the source states; `ours` the first 20 other values, each with the title of its source where the letter may name it.
        more: how many other values there are besides.
        passage: the words of the source; `document`, `version`, `captured_at` say where they stand.
        since: when the contradiction was found. `settled_at`: when it was settled against the source.
    """

    number: int
    subject: str
    predicate: str
    qualifiers: dict[str, Any]
    theirs: Any
    ours: tuple[tuple[Any, str | None], ...]
    more: int
    passage: str
    document: str
    version: int
    captured_at: str | None
    since: str | None
    settled_at: str | None


@dataclass(frozen=True, slots=True)
class Letter:
    """The letter: to whom, about which source, from whom, and its rows; `total` counts those beyond the first 300 too, and `cut` says that statements are left out."""

    tenant: str
    source: str
    title: str
    sources: int
    uri: str | None
    owner: str | None
    other_title: str | None
    at: str
    writer: str
    settled: bool
    rows: tuple[LetterRow, ...]
    total: int
    subjects: int
    cut: bool
    carried: Carried


class _Desk:
    """What the person may see of the conflicts of one tenant."""

    def __init__(self, reading: Reading, number: int, scope: str | None, *, settled: bool) -> None:
        self.reading, self.connection, self.number = reading, reading.connection, number
        self.scopes = load_scopes(self.connection, number)
        every = load_contradictions(self.connection, number, settled=settled)
        self.keys = load_key_names(self.connection, number, {one.key for one in every})
        shown = [one for one in every if self._sees(self.keys[one.key]["scope"], scope)]
        sides = sorted({side for one in shown for side in one.sides})
        self.bound = load_bound(self.connection, number, sides)
        self.sources = load_addressees(self.connection, number, [one.source for its in self.bound.values() for one in its])
        cards = load_cards(self.connection, number, sides)
        self.status = {card.number: card.status for card in cards.values()}
        self.value = {card.number: card.value for card in cards.values()}
        self.near = load_near(self.connection, number, load_tolerant(self.connection, number), records=sides)
        #: One fact written differently is nothing to hold against a source.
        told = [one for one in shown if not settled or one.verdict != Answer.SAME]
        self.contradictions = [one for one in told if not settled or any(self.status.get(side) not in LIVE for side in one.sides)]
        self.settled = settled

    def _sees(self, path: str, within: str | None) -> bool:
        return (within is None or covers(within, path)) and self.reading.actor.may(Right.INSPECT, path)

    def reads(self, source: Addressee) -> bool:
        return self.reading.actor.may(Right.INSPECT, self.scopes[source.scope])

    def lost(self, side: int) -> bool:
        """Return whether a side is one to write about: of settled conflicts only what was not kept."""
        return not self.settled or self.status.get(side) not in _KEPT

    def of(self, one: Contradiction) -> dict[int, list[int]]:
        """Return source -> the sides bound to it that are to write about."""
        found: dict[int, list[int]] = {}
        for side in one.sides:
            for its in self.bound.get(side, ()):
                sides = found.setdefault(its.source, [])
                if self.lost(side) and side not in sides:
                    sides.append(side)
        return found

    def others(self, one: Contradiction, sources: Collection[int]) -> set[int]:
        """Return the sides bound to any of `sources` that stand against others: of settled conflicts those that were kept."""
        bound = {side for side in one.sides if any(its.source in sources for its in self.bound.get(side, ()))}
        return {side for side in bound if not self.settled or self.status.get(side) in _KEPT}

    def differ(self, sides: Collection[int], others: Collection[int]) -> bool:
        """Return whether one of `sides` contradicts one of `others`."""
        return any(
            self.value[side] != self.value[other] and not agree(self.near.get(side), self.near.get(other)) for side in sides for other in others
        )

    def called(self, name: str) -> dict[int, Addressee]:
        """Return the sources that `name` means: the one with that id, else those of that family, authority or collection.

        Raises:
            Refusal: `not_found` where there is none.
        """
        found = [one for one in find_addressees(self.connection, self.number, name) if self.reads(one)]
        if not found:
            raise _nothing(name)
        # Of a vendor with hundreds of sources only those that are contradicted are written about.
        found = [one for one in found if one.number in self.sources] or found[:1]
        return {one.number: one for one in found}


def list_letter_picks(
    store: ClaimStore, person: str, *, scope: str | None = None, pairs: bool = False, by: str = "authority", authenticated: bool = False
) -> list[LetterPick]:
    """Return the sources that are in open contradictions or were settled against, or pairs of them; those with the most first, at most 200.

    Args:
        by: `authority`, so that the sources of one family or authority count together, or `source`.
    """
    with read(store, person, authenticated=authenticated) as reading:
        found = []
        for number, tenant in tenants_of(reading, Right.INSPECT):
            counts: dict[tuple[str, str | None], list[int]] = {}
            titles: dict[str, str] = {}
            members: dict[str, set[int]] = {}
            for place, settled in enumerate((False, True)):
                desk = _Desk(reading, number, scope, settled=settled)
                names: dict[int, str] = {}
                for one in desk.sources.values():
                    if desk.reads(one):
                        name = names[one.number] = one.origin.name(0) if by == "authority" else one.id
                        titles[name] = one.title or one.id if name == one.id else spaced(name)
                        members.setdefault(name, set()).add(one.number)
                for contradiction in desk.contradictions:
                    mine: dict[str, set[int]] = {}
                    every: dict[str, set[int]] = {}
                    for source, sides in desk.of(contradiction).items():
                        if source in names:
                            mine.setdefault(names[source], set()).update(sides)
                            every.setdefault(names[source], set()).add(source)
                    for name in [name for name, sides in mine.items() if sides]:
                        against: list[str | None] = [None]
                        if pairs:
                            against = [
                                other for other, its in every.items() if other != name and desk.differ(mine[name], desk.others(contradiction, its))
                            ]
                        for other in against:
                            counts.setdefault((name, other), [0, 0])[place] += 1
            for (name, other), (still, lost) in counts.items():
                found.append(LetterPick(tenant, name, titles[name], other, titles[other] if other else None, len(members[name]), still, lost))
        return sorted(found, key=lambda pick: (-pick.open, -pick.against, pick.title, pick.other_title or ""))[:_PICKS]


def write_letter(
    store: ClaimStore, person: str, tenant: str, source: str, *, other: str | None = None, scope: str | None = None, settled: bool = False,
    most: int | None = LETTER_ROWS, authenticated: bool = False,
) -> Letter:  # fmt: skip
    """Return the letter to the owner of a source.

    Args:
        source: its id, or the family, authority or collection whose sources are meant.
        other: only what this source, or authority, contradicts; it is then named in the letter.
        settled: what was settled against the source, instead of what is open.
        most: rows at most, None for all.

    Raises:
        Refusal: `not_found` where nothing the person may see concerns the source.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise _nothing(source)
        desk = _Desk(reading, number, scope, settled=settled)
        mine = desk.called(source)
        named = desk.called(other) if other is not None else None
        wanted: list[tuple[Contradiction, list[int]]] = []
        for one in desk.contradictions:
            its = desk.of(one)
            sides = sorted({side for its_source in mine for side in its.get(its_source, ())})
            if sides and (named is None or desk.differ(sides, desk.others(one, named))):
                wanted.append((one, sides))
        wanted.sort(key=lambda item: tuple(desk.keys[item[0].key][name] for name in ("subject", "predicate")))
        rows, cut = _rows(desk, mine, named, wanted, other, most)
        subjects = {desk.keys[one.key]["subject"] for one, _ in wanted}
        first = next(iter(mine.values()))
        single = len(mine) == 1 and first.id == source
        title = (first.title or first.id) if single else spaced(source)
        other_title = None
        if named is not None and other is not None:
            its_first = next(iter(named.values()))
            other_title = (its_first.title or its_first.id) if its_first.id == other else spaced(other)
        return Letter(
            tenant, source, title, len(mine), first.uri if single else None, first.owner, other_title, format_optional(reading.at) or "", reading.actor.name, settled, rows,
            len(wanted), len(subjects), cut, carry(reading, number, tenant, {side for one, _ in wanted for side in one.sides}, len(rows), around=True),
        )  # fmt: skip


def _nothing(source: str) -> Refusal:
    return Refusal(Code.NOT_FOUND, f"Nothing that you may see concerns a source {source[:80]!r} here. Choose one from the list.")


def _rows(
    desk: _Desk, mine: dict[int, Addressee], named: dict[int, Addressee] | None, wanted: list[tuple[Contradiction, list[int]]], other: str | None, most: int | None
) -> tuple[tuple[LetterRow, ...], bool]:  # fmt: skip
    """Return at most `most` rows, of at most as many contradictions, and whether more would follow."""
    shown = wanted if most is None else wanted[:most]
    cards = load_cards(desk.connection, desk.number, sorted({side for one, _ in shown for side in one.sides}))
    claims = load_shown(desk.connection, desk.number, list(cards.values()), with_bytes=False)
    hidden = veiled(desk.connection, desk.number, list(cards.values()))
    passages, names = _Passages(desk), ShownNames(desk.connection, desk.number)
    rows: list[LetterRow] = []
    for place, (one, its_sides) in enumerate(shown, 1):
        key, told = desk.keys[one.key], set()
        values = _values(desk, mine, named, one, claims, other)
        for side in its_sides:
            bound = next(its for its in desk.bound[side] if its.source in mine)
            value, source = _value(claims[side]), mine[bound.source]
            near, own = desk.near.get(side), desk.value[side]
            ours = [its for code, (other, its) in values.items() if code != own and (near is None or not agree(near, desk.near.get(other)))]
            mark = bound.source, canonical_json(value), own if side in hidden else None
            if mark in told or (named is not None and not ours):
                continue
            if most is not None and len(rows) >= most:
                return tuple(rows), True
            told.add(mark)
            rows.append(LetterRow(
                place, names.name(key["scope"], key["subject"]), key["predicate"], names.qualifiers(key["scope"], key["qualifiers"]), value, tuple(ours[:_OURS]), len(ours) - len(ours[:_OURS]),
                VEIL if side in hidden else passages.of(bound),
                source.title or source.id, bound.version, format_optional(bound.captured_at), format_optional(one.opened_at),
                format_optional(one.closed_at) if desk.settled else None,
            ))  # fmt: skip
    return tuple(rows), len(shown) < len(wanted)


def _value(claim: Any) -> Any:
    return claim.value if isinstance(claim, Claim) else None


def _values(
    desk: _Desk, mine: dict[int, Addressee], named: dict[int, Addressee] | None, one: Contradiction, claims: dict[int, Any], other_name: str | None
) -> dict[int | None, tuple[int, tuple[Any, str | None]]]:  # fmt: skip
    """Return value code -> a side that says it, and (value, title), of what stands in a contradiction; of the pair's other source alone where a pair was chosen."""
    found: dict[int | None, tuple[int, tuple[Any, str | None]]] = {}
    only = next(iter(named.values())) if named is not None and len(named) == 1 else None
    for other in one.sides:
        sources = {its.source for its in desk.bound.get(other, ())}
        if desk.value[other] in found or (named is not None and not sources & named.keys()):
            continue
        if desk.settled and desk.status.get(other) not in _KEPT:
            continue
        own = [mine[source].title or mine[source].id for source in sources if source in mine]
        title = own[0] if own and sources <= mine.keys() else other_name if named is not None else None
        found[desk.value[other]] = other, (_value(claims[other]), title if only is None else only.title or only.id)
    return found


class _Passages:
    """The words at a passage; the bytes of a version are read once."""

    def __init__(self, desk: _Desk) -> None:
        self.desk = desk
        self.texts: dict[int, CapturedText] = {}

    def of(self, bound: Bound) -> str:
        text = bound.quote
        if text is None:
            if bound.span is None:
                return ""
            if bound.evidence not in self.texts:
                self.texts[bound.evidence] = load_captured(self.desk.connection, self.desk.number, bound.evidence)
            look = look_at(Binding(bound.evidence_id, bound.span, None), self.texts[bound.evidence])
            text = look.shown.passage if look.shown is not None else ""
        return text if len(text) <= _PASSAGE else f"{text[: _PASSAGE - 1]}…"


_COLUMNS = (
    "number", "about", "what", "which", "your value", "your passage", "your document", "version", "captured at", "our value", "our source", "since", "settled at",
)  # fmt: skip


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def export_letter_csv(letter: Letter) -> Handout:
    """Return a letter's rows as CSV that a spreadsheet does not run."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for row in letter.rows:
        which = ", ".join(f"{name} {_text(value)}" for name, value in sorted(row.qualifiers.items()))
        told = [_text(value) for value, _ in row.ours] + ([f"and {row.more:,} more"] if row.more else [])
        values, sources = "; ".join(told), "; ".join(dict.fromkeys(title for _, title in row.ours if title))
        cells = [
            str(row.number), row.subject, row.predicate, which, _text(row.theirs), row.passage, row.document, str(row.version), row.captured_at or "", values, sources, row.since or "",
            row.settled_at or "",
        ]  # fmt: skip
        writer.writerow([guard_cell(cell) for cell in cells])
    return Handout(out.getvalue().encode("utf-8-sig"), (letter.carried,))
