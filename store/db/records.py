"""Reading records back: their cards, their content, and what stands around them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.renditions import QuoteHider, load_blots, load_captured, load_renditions
from store.domain.records import Artifact, Binding, Card, Claim, Delivery, Evidence, Record, veil
from store.domain.status import FORGOTTEN, Kind, Status
from store.domain.tombstones import bare

ORIGIN_SPAN, ORIGIN_DECLARED, ORIGIN_OBSERVED = 1, 2, 4

_proposer = t.party.alias("proposer")
_CARD = (
    sa.select(
        t.record.c.record, t.record.c.id, t.record.c.kind, t.record_state.c.status, t.record_state.c.version,
        t.scope.c.path, t.party.c.name.label("owner"), t.record.c.flags, t.record.c.key, t.record.c.value_code,
        t.record.c.valid_from, t.record.c.valid_to, t.record.c.expires_at, t.record.c.review_at, t.record.c.source,
        t.record.c.content_hash, t.person.c.id.label("importer"), _proposer.c.name.label("proposed_by"), t.record.c.task,
        t.record.c.created_seq,
    )
    .join(t.record_state, (t.record_state.c.tenant == t.record.c.tenant) & (t.record_state.c.record == t.record.c.record))
    .join(t.scope, (t.scope.c.tenant == t.record.c.tenant) & (t.scope.c.scope == t.record_state.c.scope))
    .join(t.person, (t.person.c.tenant == t.record.c.tenant) & (t.person.c.person == t.record.c.importer))
    .outerjoin(t.party, (t.party.c.tenant == t.record.c.tenant) & (t.party.c.party == t.record_state.c.owner))
    .outerjoin(_proposer, (_proposer.c.tenant == t.record.c.tenant) & (_proposer.c.party == t.record.c.proposed_by))
)  # fmt: skip


def _card(row: Any, *, as_kept: bool = False) -> Card:
    status = Status(row.status)
    if status in FORGOTTEN and not as_kept:
        # The card of what is being forgotten tells nothing either: no key, no value, no time, nobody's name but the importer's.
        return Card(
            row.record, row.id, Kind(row.kind), status, row.version, row.path, None, 0, None, None, None, None, None, None, None, "", row.importer,
            None, None, row.created_seq,
        )  # fmt: skip
    return Card(row[0], row[1], Kind(row[2]), status, *row[4:])


def find_card(connection: Connection, tenant: int, record_id: str) -> Card | None:
    """Return the card of a record by id, None if the tenant has no such record."""
    row = connection.execute(_CARD.where(t.record.c.tenant == tenant, t.record.c.id == record_id)).one_or_none()
    return None if row is None else _card(row)


def load_cards(connection: Connection, tenant: int, numbers: Iterable[int], *, as_kept: bool = False) -> dict[int, Card]:
    """Return the cards of many records by number; of what is being forgotten with nothing on them, unless they are wanted as they are kept."""
    found = {}
    for some in chunks(sorted(set(numbers))):
        for row in connection.execute(_CARD.where(t.record.c.tenant == tenant, t.record.c.record.in_(some))).all():
            found[row[0]] = _card(row, as_kept=as_kept)
    return found


def load_ids(connection: Connection, tenant: int, numbers: Sequence[int]) -> dict[int, str]:
    """Return number -> id."""
    found: dict[int, str] = {}
    for some in chunks(numbers):
        rows = connection.execute(sa.select(t.record.c.record, t.record.c.id).where(t.record.c.tenant == tenant, t.record.c.record.in_(some)))
        found.update((number, record_id) for number, record_id in rows.all())
    return found


def find_numbers(connection: Connection, tenant: int, ids: Sequence[str]) -> dict[str, int]:
    """Return id -> number of those that exist."""
    found: dict[str, int] = {}
    for some in chunks(ids):
        rows = connection.execute(sa.select(t.record.c.id, t.record.c.record).where(t.record.c.tenant == tenant, t.record.c.id.in_(some)))
        found.update((record_id, number) for record_id, number in rows)
    return found


def parents_of(connection: Connection, tenant: int, numbers: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return (child, parent, origin) of the given children."""
    d = t.dependency
    found: list[tuple[int, int, int]] = []
    for some in chunks(numbers):
        rows = connection.execute(
            sa.select(d.c.child, d.c.parent, d.c.origin).where(d.c.tenant == tenant, d.c.child.in_(some)).order_by(d.c.child, d.c.parent)
        )
        found.extend((child, parent, origin) for child, parent, origin in rows)
    return found


def children_of(connection: Connection, tenant: int, number: int, limit: int | None = None) -> list[int]:
    """Return the records resting directly on one record, in order, at most `limit`."""
    d = t.dependency
    query = sa.select(d.c.child).where(d.c.tenant == tenant, d.c.parent == number).order_by(d.c.child).limit(limit)
    return list(connection.execute(query).scalars())


def count_children(connection: Connection, tenant: int, number: int) -> int:
    """Return how many records rest directly on one record."""
    d = t.dependency
    return connection.execute(sa.select(sa.func.count()).select_from(d).where(d.c.tenant == tenant, d.c.parent == number)).scalar_one()


def ancestors_of(connection: Connection, tenant: int, numbers: Sequence[int]) -> dict[int, list[int]]:
    """Return record -> its parents, for the given records and everything they rest on, level by level."""
    found: dict[int, list[int]] = {number: [] for number in numbers}
    level = list(found)
    while level:
        above: list[int] = []
        for child, parent, _ in parents_of(connection, tenant, level):
            found[child].append(parent)
            if parent not in found:
                found[parent] = []
                above.append(parent)
        level = above
    return found


def contributors_of(connection: Connection, tenant: int, card: Card) -> set[str]:
    """Return who contributed to a record: importer, proposer, whoever amended it or bound its evidence."""
    c = t.contributor
    named = connection.execute(sa.select(c.c.name).where(c.c.tenant == tenant, c.c.record == card.number)).scalars()
    return {card.importer, *([card.proposed_by] if card.proposed_by else []), *named}


def successor_of(connection: Connection, tenant: int, number: int) -> int | None:
    """Return the record that replaced this one."""
    s = t.succession
    return connection.execute(sa.select(s.c.successor).where(s.c.tenant == tenant, s.c.record == number)).scalar_one_or_none()


def successors_of(connection: Connection, tenant: int, numbers: Sequence[int]) -> dict[int, int]:
    """Return record -> the record that replaced it, of those that were replaced."""
    s = t.succession
    found: dict[int, int] = {}
    for some in chunks(numbers):
        rows = connection.execute(sa.select(s.c.record, s.c.successor).where(s.c.tenant == tenant, s.c.record.in_(some)))
        found.update((record, successor) for record, successor in rows)
    return found


def replaced_by(connection: Connection, tenant: int, number: int) -> list[int]:
    """Return the records this one replaced."""
    s = t.succession
    return list(connection.execute(sa.select(s.c.record).where(s.c.tenant == tenant, s.c.successor == number)).scalars())


def load_bytes(connection: Connection, tenant: int, number: int) -> bytes:
    """Return the bytes of a captured version."""
    c = t.evidence_content
    return bytes(connection.execute(sa.select(c.c.content).where(c.c.tenant == tenant, c.c.record == number)).scalar_one())


def _grouped(connection: Connection, table: sa.Table, tenant: int, some: Sequence[int], *order: str) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    query = sa.select(table).where(table.c.tenant == tenant, table.c.record.in_(some)).order_by(*(table.c[name] for name in order))
    for row in connection.execute(query):
        found.setdefault(row.record, []).append(row)
    return found


def load_contents(connection: Connection, tenant: int, cards: Sequence[Card], *, with_bytes: bool = True, as_kept: bool = False) -> dict[int, Record]:
    """Return the content of many records by number; evidence without its bytes unless asked for.

    What was rejected as sensitive comes veiled (R5), unless `as_kept` asks for the very content that is stored. Of what is
    being forgotten, or is forgotten, nothing comes but the id (R26), unless `as_kept`.
    """
    found: dict[int, Record] = {}
    hidden = [card for card in cards if card.status in FORGOTTEN]
    if hidden:
        found.update((card.number, bare(card.id, card.scope, card.kind)) for card in hidden if not as_kept)
        kept = load_cards(connection, tenant, [card.number for card in hidden], as_kept=True).values() if as_kept else ()
        cards = [*(card for card in cards if card.status not in FORGOTTEN), *kept]
    for some in chunks(cards, 500):
        by_kind: dict[Kind, list[Card]] = {}
        for card in some:
            by_kind.setdefault(card.kind, []).append(card)
        numbers = [card.number for card in some]
        extra = {
            number: tuple(row.name for row in rows) for number, rows in _grouped(connection, t.contributor, tenant, numbers, "record", "name").items()
        }
        if Kind.CLAIM in by_kind:
            found.update(_load_claims(connection, tenant, by_kind[Kind.CLAIM], extra, as_kept))
        if Kind.ARTIFACT in by_kind:
            found.update(_load_artifacts(connection, tenant, by_kind[Kind.ARTIFACT], extra))
        if Kind.EVIDENCE in by_kind:
            found.update(_load_evidence(connection, tenant, by_kind[Kind.EVIDENCE], with_bytes, as_kept))
        if not as_kept:
            rejected = [card.number for card in some if card.status is Status.REJECTED]
            found.update({number: veil(found[number]) for number in rejected_as_sensitive(connection, tenant, rejected) if number in found})
    return found


def rejected_as_sensitive(connection: Connection, tenant: int, rejected: Sequence[int]) -> set[int]:
    """Return which of the rejected records' last rejection took the route `sensitive`."""
    d = t.decision
    last: dict[int, str | None] = {}
    for some in chunks(rejected):
        query = sa.select(d.c.record, d.c.route).where(d.c.tenant == tenant, d.c.record.in_(some), d.c.action == "reject").order_by(d.c.seq)
        last.update((record, route) for record, route in connection.execute(query))
    return {record for record, route in last.items() if route == "sensitive"}


def load_content(connection: Connection, tenant: int, card: Card) -> Record:
    """Return the content of one record."""
    return load_contents(connection, tenant, [card])[card.number]


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


def _declared_parents(connection: Connection, tenant: int, cards: Sequence[Card]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for child, parent, origin in parents_of(connection, tenant, [card.number for card in cards]):
        if origin & (ORIGIN_DECLARED | ORIGIN_OBSERVED):
            found.setdefault(child, []).append(parent)
    return found


def _bindings_of(connection: Connection, tenant: int, rows: Mapping[int, Sequence[Any]], ids: Mapping[int, str], as_kept: bool) -> dict[int, tuple[Binding, ...]]:
    """Return claim -> what it is bound to; unless `as_kept`, quotes of passages that were asked to be forgotten are blotted out."""
    pairs = {
        record: [(row.evidence, Binding(ids[row.evidence], None if row.span is None else json.loads(row.span), row.quote)) for row in its]
        for record, its in rows.items()
    }
    if not as_kept:
        hider = QuoteHider(connection, tenant, [pair for its in pairs.values() for pair in its])
        return {record: tuple(hider.hide(*pair) for pair in its) for record, its in pairs.items()}
    return {record: tuple(binding for _, binding in its) for record, its in pairs.items()}


def _load_claims(
    connection: Connection, tenant: int, cards: Sequence[Card], extra: dict[int, tuple[str, ...]], as_kept: bool
) -> dict[int, Record]:
    numbers = [card.number for card in cards]
    wide = {row.record: row for row in connection.execute(sa.select(t.claim).where(t.claim.c.tenant == tenant, t.claim.c.record.in_(numbers)))}
    keys = {card.key for card in cards if card.key is not None}
    key_rows = {row.key: row for row in connection.execute(sa.select(t.claim_key).where(t.claim_key.c.tenant == tenant, t.claim_key.c.key.in_(keys)))}
    bindings = _grouped(connection, t.binding, tenant, numbers, "record", "n")
    declared = _declared_parents(connection, tenant, cards)
    named = {row.evidence for rows in bindings.values() for row in rows} | {parent for parents in declared.values() for parent in parents}
    ids = load_ids(connection, tenant, sorted(named))
    bound = _bindings_of(connection, tenant, bindings, ids, as_kept)
    found: dict[int, Record] = {}
    for card in cards:
        row = wide.get(card.number)
        if row is None or card.key is None:
            continue
        key = key_rows[card.key]
        found[card.number] = Claim(
            id=card.id, scope=card.scope, subject=key.subject, predicate=key.predicate, value=json.loads(row.value),
            qualifiers=json.loads(key.qualifiers), claim_type=row.claim_type,
            evidence=bound.get(card.number, ()),
            derived_from=tuple(sorted(ids[parent] for parent in declared.get(card.number, []))),
            observed_at=row.observed_at, valid_from=card.valid_from, valid_to=card.valid_to, expires_at=card.expires_at,
            review_at=card.review_at, purposes=tuple(json.loads(row.purposes)), conditions=row.conditions,
            authority=row.authority, speaker=row.speaker, confirmed_by=row.confirmed_by, sensitivity=row.sensitivity,
            owner=card.owner, impact="high" if card.high_impact else "normal",
            extraction=None if row.extraction is None else json.loads(row.extraction), entity_confidence=row.entity_confidence,
            on_conflict=row.on_conflict, revalidate_on=tuple(json.loads(row.revalidate_on)), task=card.task,
            proposed_by=card.proposed_by, statement=row.statement, source_uri=row.source_uri,
            source_span=None if row.source_span is None else json.loads(row.source_span),
            contributors=extra.get(card.number, ()), assumed_utc=_split(row.assumed_utc),
        )  # fmt: skip
    return found


def _load_artifacts(connection: Connection, tenant: int, cards: Sequence[Card], extra: dict[int, tuple[str, ...]]) -> dict[int, Record]:
    numbers = [card.number for card in cards]
    wide = {
        row.record: row for row in connection.execute(sa.select(t.artifact).where(t.artifact.c.tenant == tenant, t.artifact.c.record.in_(numbers)))
    }
    deliveries = _grouped(connection, t.delivery, tenant, numbers, "record", "n")
    declared = _declared_parents(connection, tenant, cards)
    ids = load_ids(connection, tenant, sorted({parent for parents in declared.values() for parent in parents}))
    found: dict[int, Record] = {}
    for card in cards:
        row = wide.get(card.number)
        if row is None:
            continue
        found[card.number] = Artifact(
            id=card.id, scope=card.scope, artifact_type=row.artifact_type, title=row.title, owner=card.owner,
            impact="high" if card.high_impact else "normal", derived_from=tuple(sorted(ids[parent] for parent in declared.get(card.number, []))),
            body=row.body, edition=row.edition, edition_of=row.edition_of, expires_at=card.expires_at, review_at=card.review_at,
            task=card.task, proposed_by=card.proposed_by,
            deliveries=tuple(Delivery(d.recipient, d.channel, d.delivered_at, d.operation_id, d.assumed_utc) for d in deliveries.get(card.number, [])),
            contributors=extra.get(card.number, ()), assumed_utc=_split(row.assumed_utc),
        )  # fmt: skip
    return found


def _load_evidence(connection: Connection, tenant: int, cards: Sequence[Card], with_bytes: bool, as_kept: bool) -> dict[int, Record]:
    numbers = [card.number for card in cards]
    wide = {
        row.record: row for row in connection.execute(sa.select(t.evidence).where(t.evidence.c.tenant == tenant, t.evidence.c.record.in_(numbers)))
    }
    contents, renditions = {}, {}
    if with_bytes:
        renditions = load_renditions(connection, tenant, numbers)
        c = t.evidence_content
        contents = {row.record: row.content for row in connection.execute(sa.select(c).where(c.c.tenant == tenant, c.c.record.in_(numbers)))}
    sources = {card.source for card in cards}
    source_ids = {
        row.source: row.id
        for row in connection.execute(sa.select(t.source.c.source, t.source.c.id).where(t.source.c.tenant == tenant, t.source.c.source.in_(sources)))
    }
    blots = load_blots(connection, tenant, numbers) if with_bytes else {}
    found: dict[int, Record] = {}
    for card in cards:
        row = wide.get(card.number)
        if row is None or card.source is None:
            continue
        done, hidden = blots.get(card.number, ((), ()))
        if hidden and not as_kept:
            shown = load_captured(connection, tenant, card.number)
            fields = (row.version, row.captured_at, shown.media_type, shown.sha256, shown.content, _split(row.assumed_utc), shown.rendition)
            found[card.number] = Evidence(card.id, source_ids[card.source], *fields, redacted=shown.redacted)
            continue
        found[card.number] = Evidence(
            card.id, source_ids[card.source], row.version, row.captured_at, row.media_type, row.sha256,
            bytes(contents.get(card.number, b"")), _split(row.assumed_utc),
            renditions.get(card.number), redacted=done,
        )  # fmt: skip
    return found


def families_of(connection: Connection, tenant: int, evidence: Sequence[int]) -> list[tuple[str, str]]:
    """Return (source family, SHA-256 of the bytes) of captured versions."""
    e, s, r = t.evidence, t.source, t.record
    query = (
        sa.select(s.c.family, e.c.sha256)
        .join(r, (r.c.tenant == e.c.tenant) & (r.c.record == e.c.record))
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.source == r.c.source))
    )
    found: list[tuple[str, str]] = []
    for some in chunks(evidence):
        found.extend((family, sha256) for family, sha256 in connection.execute(query.where(e.c.tenant == tenant, e.c.record.in_(some))))
    return found


def load_shas(connection: Connection, tenant: int, ids: Iterable[str]) -> dict[str, str]:
    """Return id -> SHA-256 of the bytes, of those ids that are evidence."""
    e, r = t.evidence, t.record
    query = sa.select(r.c.id, e.c.sha256).join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
    found: dict[str, str] = {}
    for some in chunks(sorted(set(ids))):
        found.update((record_id, sha256) for record_id, sha256 in connection.execute(query.where(r.c.tenant == tenant, r.c.id.in_(some))))
    return found
