"""The words of what is to be forgotten: taken from the records while they still have them, kept in memory only.

What a living record says in the same place is no word of the forgotten one: to find it proves nothing, and to blot it out
would take it from those it belongs to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks, one_of
from store.db.search_index import find_words
from store.domain.forgetting import is_tombstone
from store.domain.mentions import LINE, Finder, is_telling, parts_of, pieces_of, texts_in
from store.domain.records import key_hash
from store.domain.status import Kind, Status
from store.domain.text import canonical_json

_GONE = (int(Status.DELETION_PENDING), int(Status.DELETED))
#: Lines of one captured text, and words of one request, that are looked for.
_MOST_LINES, _MOST_WORDS = 400, 20_000
#: Pieces of texts that are looked up, and records from which on a piece is an ordinary one.
_MOST_PIECES, _MANY = 5_000, 60
#: Single words of texts that are looked up.
_MOST_PARTS = 1_000


@dataclass(frozen=True, slots=True)
class Words:
    """What can be looked for after a request was carried out.

    Attributes:
        ids: ids of the records; `texts`: what they said that is telling.
        shared: telling words that living records say too, with how many do.
        short: how many further words were too short or too ordinary to be looked for.
        subjects: subjects of which nothing else speaks, whatever their length.
        weak: words that say too little to be blotted out wherever they stand.
    """

    ids: frozenset[str]
    texts: frozenset[str]
    shared: dict[str, int]
    short: int
    subjects: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()

    def finder(self) -> Finder:
        """Return what finds them in texts."""
        return Finder(self.ids, self.texts)

    def __bool__(self) -> bool:
        return bool(self.ids or self.texts)


@dataclass(frozen=True, slots=True)
class Known:
    """Words taken before the lock, and the tenant's event then: they hold as long as nothing happened in the tenant since."""

    words: Words
    seq: int


def _parsed(text: str | None) -> list[str]:
    if text is None:
        return []
    try:
        return list(texts_in(json.loads(text)))
    except ValueError:
        return [text]


def _as_is(text: str | None) -> list[str]:
    return [text] if text else []


#: Column -> how its texts are taken out. What holds words of fixed lists only is left out.
_CLAIM: dict[str, Callable[[str | None], list[str]]] = {
    "value": _parsed, "statement": _as_is, "purposes": _parsed, "conditions": _as_is, "authority": _as_is, "speaker": _as_is,
    "confirmed_by": _as_is, "extraction": _parsed, "source_uri": _as_is, "source_span": _parsed, "on_conflict": _as_is, "revalidate_on": _parsed,
}  # fmt: skip


class _Gathered:
    """Texts by the column that holds them."""

    def __init__(self, connection: Connection, tenant: int, records: Sequence[int]) -> None:
        self.connection, self.tenant, self.records = connection, tenant, records
        self.by_column: dict[tuple[sa.Table, str], dict[str, list[str]]] = {}

    def take(self, table: sa.Table, columns: dict[str, Callable[[str | None], list[str]]]) -> None:
        """Take columns of a table whose rows belong to a record."""
        for some in chunks(self.records):
            rows = self.connection.execute(
                sa.select(*(table.c[name] for name in columns)).where(table.c.tenant == self.tenant, table.c.record.in_(some))
            )
            for row in rows:
                for name, read in columns.items():
                    text = getattr(row, name)
                    if text:
                        self.by_column.setdefault((table, name), {}).setdefault(text, read(text))

    def take_former(self) -> None:
        """Take what the records said before they were amended."""
        for line in former_lines(self.connection, self.tenant, self.records):
            value, table = line.get("value"), t.claim if line["type"] == "claim" else t.artifact
            if value is not None:
                self.by_column.setdefault((t.claim, "value"), {}).setdefault(canonical_json(value), list(texts_in(value)))
            for name in ("statement", "conditions", "speaker", "source_uri", "title", "body"):
                if line.get(name) and name in table.c:
                    self.by_column.setdefault((table, name), {}).setdefault(line[name], [line[name]])
            for binding in line.get("evidence") or ():
                if binding.get("quote"):
                    self.by_column.setdefault((t.binding, "quote"), {}).setdefault(binding["quote"], [binding["quote"]])


def former_lines(connection: Connection, tenant: int, records: Sequence[int]) -> list[dict[str, Any]]:
    """Return what records said before they were amended, as bundle lines."""
    c, found = t.replaced_content, list[dict[str, Any]]()
    for some in chunks(records):
        found.extend(json.loads(line) for line in connection.execute(sa.select(c.c.line).where(c.c.tenant == tenant, c.c.record.in_(some))).scalars())
    return found


def former_keys(connection: Connection, tenant: int, records: Sequence[int]) -> set[int]:
    """Return the claim keys records had before they were amended."""
    k, found = t.claim_key, set[int]()
    lines = [line for line in former_lines(connection, tenant, records) if line["type"] == "claim"]
    hashes = sorted({key_hash(line["scope"], line["subject"], line["predicate"], line["qualifiers"]) for line in lines})
    for some in chunks(hashes):
        found.update(connection.execute(sa.select(k.c.key).where(k.c.tenant == tenant, k.c.hash.in_(some))).scalars())
    return found


def take_words(connection: Connection, tenant: int, records: Sequence[int]) -> Words:
    """Return the words of records that are about to be erased; nothing for those that are erased already."""
    records = [number for number in records if number]
    r, x = t.record, t.record_state
    cards: list[Any] = []
    for some in chunks(records):
        query = sa.select(r.c.record, r.c.id, r.c.kind, r.c.key, r.c.source, x.c.status).join(x, (x.c.tenant == r.c.tenant) & (x.c.record == r.c.record))
        cards.extend(connection.execute(query.where(r.c.tenant == tenant, r.c.record.in_(some))))
    living = [card for card in cards if not is_tombstone(card.id, card.status)]
    if not living:
        return Words(frozenset(), frozenset(), {}, 0)
    ids = frozenset(card.id for card in living)
    found = _Gathered(connection, tenant, [card.record for card in living])
    found.take(t.claim, _CLAIM)
    found.take(t.artifact, {"title": _as_is, "body": _as_is, "edition_of": _as_is})
    found.take(t.binding, {"quote": _as_is, "span": _parsed})
    found.take(t.contributor, {"name": _as_is})
    found.take(t.delivery, {"recipient": _as_is, "channel": _as_is, "operation_id": _as_is})
    found.take(t.record, {"task": _as_is})
    found.take_former()
    words: set[str] = set()
    shared: dict[str, int] = {}
    gone = _not_living(connection, tenant, found.records)
    for (table, name), every in found.by_column.items():
        # What is too short or too ordinary to be looked for need not be compared with what others say.
        texts = {text: parts for text, parts in every.items() if any(is_telling(part) or pieces_of(part) for part in parts)}
        words.update(part for text, parts in every.items() if text not in texts for part in parts)
        among = _said_by_others(connection, tenant, table, name, list(texts), gone)
        for text, parts in texts.items():
            for part in parts:
                if text in among:
                    shared[part] = max(shared.get(part, 0), among[text])
                else:
                    words.add(part)
    every_key = {card.key for card in living if card.key is not None} | former_keys(connection, tenant, found.records)
    keys, subjects = _key_words(connection, tenant, every_key, found.records)
    words |= keys
    words |= _party_words(connection, tenant, found.records)
    words |= _source_words(connection, tenant, {card.source for card in living if card.source is not None}, found.records)
    words |= _lines(connection, tenant, [card.record for card in living if card.kind == int(Kind.EVIDENCE)], found.records)
    return replace(_sift(connection, tenant, ids, words, shared, set(found.records)), subjects=subjects)


def _sift(connection: Connection, tenant: int, ids: frozenset[str], words: set[str], shared: dict[str, int], records: set[int]) -> Words:
    pieces = {piece for word in words for piece in pieces_of(word)} - words
    words |= {piece for piece in sorted(pieces)[:_MOST_PIECES] if not _stands_elsewhere(connection, tenant, piece, records)}
    telling = {word.strip() for word in words if is_telling(word)}
    weak = frozenset(word.strip() for word in words) - telling
    ordinary = _names_in_use(connection, tenant) | ids
    kept = frozenset(sorted(telling - ordinary, key=len, reverse=True)[:_MOST_WORDS])
    return Words(ids, kept, {word: n for word, n in shared.items() if is_telling(word) and word not in kept and word not in ordinary}, len(weak), weak=weak)


def take_parts(connection: Connection, tenant: int, records: Sequence[int], words: Words) -> tuple[frozenset[str], int]:
    """Return the single words of what records say that no living record says, and by which nobody and nothing of the tenant is called.

    The most telling ones, names first, where they are very many; and how many were left out for that.
    """
    names = {part.casefold() for name in _names_in_use(connection, tenant) for part in parts_of(name)}
    parts = {part for text in (*words.texts, *words.weak, *words.ids) for part in parts_of(text) if part.casefold() not in names}
    mine, few = set(records), sorted(parts, key=lambda part: (not part[0].isupper(), -len(part), part))[:_MOST_PARTS]
    return frozenset(part for part in few if not _stands_elsewhere(connection, tenant, part, mine)), len(parts) - len(few)


def _said_by_others(
    connection: Connection, tenant: int, table: sa.Table, name: str, texts: list[str], gone: Sequence[int]
) -> dict[str, int]:
    """Return those of some texts that living records have in the same column, with how many do; `gone` are those that do not count."""
    column = table.c[name]
    query = sa.select(column, sa.func.count()).where(table.c.tenant == tenant).group_by(column)
    # All texts at once, because each statement goes through the whole table.
    found: dict[str, int] = dict(tuple(row) for row in connection.execute(query.where(one_of(connection, column, texts)))) if texts else {}
    for some in chunks(gone, 20_000) if found else ():
        for text, count in connection.execute(query.where(one_of(connection, table.c.record, some), one_of(connection, column, list(found)))):
            found[text] -= count
    return {text: count for text, count in found.items() if count > 0}


def _not_living(connection: Connection, tenant: int, records: Sequence[int]) -> list[int]:
    """Return the records that are forgotten, and these; in a restored copy they themselves may count among the living."""
    s = t.record_state
    gone = connection.execute(sa.select(s.c.record).where(s.c.tenant == tenant, s.c.status.in_(_GONE))).scalars()
    return sorted({*gone, *records})


def _stands_elsewhere(connection: Connection, tenant: int, piece: str, records: set[int]) -> bool:
    """Return whether a living record holds a piece too, by the full-text index; what very many hold is no telling piece anyway."""
    hits = find_words(connection, tenant, piece, _MANY)
    return len(hits) >= _MANY or bool(_living(connection, tenant, [hit for hit in hits if hit not in records]))


def _living(connection: Connection, tenant: int, records: Sequence[int]) -> list[int]:
    s, found = t.record_state, list[int]()
    for some in chunks(records):
        query = sa.select(s.c.record).where(s.c.tenant == tenant, s.c.record.in_(some), s.c.status.not_in(_GONE))
        found.extend(connection.execute(query).scalars())
    return found


def unused_keys(connection: Connection, tenant: int, keys: Iterable[int], records: Sequence[int]) -> list[int]:
    """Return those of some claim keys that only these records, or forgotten ones, have."""
    r, s, used = t.record, t.record_state, set[int]()
    wanted, mine = sorted(set(keys)), set(records)
    query = sa.select(r.c.key, r.c.record).join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
    for some in chunks(wanted):
        rows = connection.execute(query.where(r.c.tenant == tenant, r.c.key.in_(some), s.c.status != int(Status.DELETED)))
        used.update(row.key for row in rows if row.record not in mine)
    return [key for key in wanted if key not in used]


def _key_words(connection: Connection, tenant: int, keys: set[int], records: Sequence[int]) -> tuple[set[str], frozenset[str]]:
    k, words = t.claim_key, set[str]()
    mine = set(unused_keys(connection, tenant, keys, records))
    rows: list[Any] = []
    for some in chunks(sorted(mine)):
        rows.extend(connection.execute(sa.select(k).where(k.c.tenant == tenant, k.c.key.in_(some))))
    others: dict[str, set[str]] = {"subject": set(), "predicate": set()}
    for name, used in others.items():
        for some in chunks(sorted({getattr(row, name) for row in rows})):
            query = sa.select(k.c[name], k.c.key).where(k.c.tenant == tenant, k.c[name].in_(some))
            used.update(text for text, key in connection.execute(query) if key not in mine)
    for row in rows:
        words.update(getattr(row, name) for name, used in others.items() if getattr(row, name) not in used)
        words.update(_parsed(row.qualifiers))
    return words, frozenset(row.subject for row in rows if row.subject not in others["subject"])


def unused_parties(connection: Connection, tenant: int, parties: Iterable[int], records: Sequence[int]) -> list[int]:
    """Return those of some owners and proposers that no other record names."""
    r, s, used, mine = t.record, t.record_state, set[int](), set(records)
    wanted = sorted(set(parties))
    for table, column in ((s, s.c.owner), (r, r.c.proposed_by)):
        for some in chunks(wanted):
            rows = connection.execute(sa.select(column, table.c.record).where(table.c.tenant == tenant, column.in_(some)))
            used.update(party for party, record in rows if record not in mine)
    return [party for party in wanted if party not in used]


def parties_of(connection: Connection, tenant: int, records: Sequence[int]) -> set[int]:
    """Return the numbers of the owners and proposers of records."""
    r, s, found = t.record, t.record_state, set[int]()
    for some in chunks(records):
        for table, column in ((s, s.c.owner), (r, r.c.proposed_by)):
            query = sa.select(column).where(table.c.tenant == tenant, table.c.record.in_(some), column.is_not(None)).distinct()
            found.update(connection.execute(query).scalars())
    return found


def _party_words(connection: Connection, tenant: int, records: Sequence[int]) -> set[str]:
    p, words = t.party, set[str]()
    for some in chunks(unused_parties(connection, tenant, parties_of(connection, tenant, records), records)):
        words.update(connection.execute(sa.select(p.c.name).where(p.c.tenant == tenant, p.c.party.in_(some))).scalars())
    return words


def empty_sources(connection: Connection, tenant: int, sources: Iterable[int], records: Sequence[int]) -> list[int]:
    """Return those of some sources of which nothing is left but these records and forgotten ones."""
    r, s, used, mine = t.record, t.record_state, set[int](), set(records)
    wanted = sorted(set(sources))
    query = sa.select(r.c.source, r.c.record).join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
    for some in chunks(wanted):
        rows = connection.execute(query.where(r.c.tenant == tenant, r.c.source.in_(some), s.c.status != int(Status.DELETED)))
        used.update(row.source for row in rows if row.record not in mine)
    return [source for source in wanted if source not in used]


def _source_words(connection: Connection, tenant: int, sources: set[int], records: Sequence[int]) -> set[str]:
    o, words = t.source, set[str]()
    for some in chunks(empty_sources(connection, tenant, sources, records)):
        for row in connection.execute(sa.select(o.c.id, o.c.uri, o.c.title, o.c.owner, o.c.family).where(o.c.tenant == tenant, o.c.source.in_(some))):
            words.update(text for text in row if text)
    return words


def _lines(connection: Connection, tenant: int, records: Sequence[int], forgotten: Sequence[int]) -> set[str]:
    """Return the longer lines of captured texts, those of other living versions left out."""
    r = t.record
    words: set[str] = set()
    for record in records:
        words |= _lines_of(connection, tenant, record)
    if words:
        near = sa.select(r.c.source).where(r.c.tenant == tenant, r.c.record.in_(list(records)[:900]), r.c.source.is_not(None))
        others = connection.execute(sa.select(r.c.record).where(r.c.tenant == tenant, r.c.kind == int(Kind.EVIDENCE), r.c.source.in_(near))).scalars()
        for record in _living(connection, tenant, [one for one in others if one not in set(forgotten)]):
            words -= _lines_of(connection, tenant, record)
    return words


def _lines_of(connection: Connection, tenant: int, record: int) -> set[str]:
    c, d, found = t.evidence_content, t.rendition, set[str]()
    for column, table in ((c.c.content, c), (d.c.text, d)):
        content = connection.execute(sa.select(column).where(table.c.tenant == tenant, table.c.record == record)).scalar_one_or_none()
        if content:
            lines = bytes(content).decode("utf-8", "replace").splitlines()
            found.update([line.strip() for line in lines if len(line.strip()) >= LINE and "\ufffd" not in line][:_MOST_LINES])
    return found


def _names_in_use(connection: Connection, tenant: int) -> frozenset[str]:
    """Return the names by which the tenant is run: its people, scopes and declared predicates. They stay."""
    found: set[str] = set()
    for columns in ((t.person.c.id, t.person.c.name, t.person.c.email), (t.scope.c.path,), (t.predicate.c.name,), (t.tenant.c.name,)):
        for row in connection.execute(sa.select(*columns).where(columns[0].table.c.tenant == tenant)):
            found.update(text for text in row if text)
    return frozenset(found)
