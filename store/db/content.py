"""Writing records: many new ones at once, or other content for one that is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sqlalchemy as sa

from store.db import tables as t
from store.db.bulk import insert_rows
from store.db.forgetting import erased_or_asked, refuse_erased
from store.db.keys import KEY_COLUMNS, Numbers
from store.db.records import ORIGIN_DECLARED, ORIGIN_OBSERVED, ORIGIN_SPAN, find_numbers, load_cards, load_shas, parents_of
from store.db.renditions import rendition_row
from store.db.search_index import add_words, replace_words, words_of
from store.db.transaction import Writing
from store.domain.errors import Code, Refusal
from store.domain.records import Artifact, Card, Claim, Evidence, Record, full_hash, key_hash
from store.domain.snapshot import ACTION, ANY_PURPOSE, HIGH_IMPACT
from store.domain.status import FORGOTTEN, Kind, Status
from store.domain.text import canonical_json
from store.domain.values import value_code

_RECORD = (
    "tenant", "record", "id", "kind", "flags", "key", "value_code", "valid_from", "valid_to", "expires_at", "review_at", "due_at",
    "source", "content_hash", "line_hash", "importer", "proposed_by", "task", "created_seq",
)  # fmt: skip
_STATE = ("tenant", "record", "status", "version", "scope", "owner", "kind")
_CLAIM = (
    "tenant", "record", "value", "claim_type", "statement", "observed_at", "purposes", "conditions", "authority", "speaker",
    "confirmed_by", "sensitivity", "extraction", "entity_confidence", "on_conflict", "revalidate_on", "source_uri", "source_span",
    "assumed_utc",
)  # fmt: skip
_ARTIFACT = ("tenant", "record", "artifact_type", "title", "body", "edition", "edition_of", "assumed_utc")
_EVIDENCE = ("tenant", "record", "version", "captured_at", "media_type", "sha256", "assumed_utc")


def flags_of(record: Record) -> int:
    """Return the bits of a record's card."""
    if isinstance(record, Claim):
        return (HIGH_IMPACT if record.impact == "high" else 0) | (ANY_PURPOSE if "*" in record.purposes else 0)
    if isinstance(record, Artifact):
        return (HIGH_IMPACT if record.impact == "high" else 0) | ANY_PURPOSE | (ACTION if record.artifact_type == "action" else 0)
    return ANY_PURPOSE


def due_of(record: Record) -> int | None:
    """Return the earlier of expiry and review date."""
    if isinstance(record, Evidence):
        return None
    dates = [date for date in (record.expires_at, record.review_at) if date is not None]
    return min(dates) if dates else None


def _optional_json(value: Any) -> str | None:
    return None if value is None else canonical_json(value)


def _claim_row(tenant: int, number: int, claim: Claim) -> tuple[Any, ...]:
    return (
        tenant, number, canonical_json(claim.value), claim.claim_type, claim.statement, claim.observed_at,
        canonical_json(list(claim.purposes)), claim.conditions, claim.authority, claim.speaker, claim.confirmed_by,
        claim.sensitivity, _optional_json(claim.extraction), claim.entity_confidence, claim.on_conflict,
        canonical_json(list(claim.revalidate_on)), claim.source_uri, _optional_json(claim.source_span), ",".join(claim.assumed_utc) or None,
    )  # fmt: skip


def _artifact_row(tenant: int, number: int, artifact: Artifact) -> tuple[Any, ...]:
    return (
        tenant, number, artifact.artifact_type, artifact.title, artifact.body, artifact.edition, artifact.edition_of,
        ",".join(artifact.assumed_utc) or None,
    )  # fmt: skip


def origins(record: Record, numbers: Mapping[str, int]) -> dict[int, int]:
    """Return parent -> origin bits of what a record says it rests on."""
    found: dict[int, int] = {}
    if isinstance(record, Evidence):
        return found
    for parent in record.derived_from:
        found[numbers[parent]] = ORIGIN_DECLARED
    if isinstance(record, Claim):
        for binding in record.evidence:
            number = numbers[binding.evidence]
            found[number] = found.get(number, 0) | ORIGIN_SPAN
    return found


class NewRecords:
    """Rows of records to be made in one action."""

    def __init__(self, tx: Writing, numbers: Numbers, shas: Mapping[str, str], *, checked: bool = False) -> None:
        """Begin with nothing; `checked` says that none of the records to come was forgotten before."""
        self._tx = tx
        self._shas = shas
        self._numbers = numbers
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in (
            "record", "record_state", "claim", "artifact", "evidence", "evidence_content", "binding", "dependency", "contributor",
            "delivery", "claim_key", "rendition", "redaction",
        )}  # fmt: skip
        self._words: list[tuple[int, str]] = []
        self._keys: list[tuple[str, Claim]] = []
        self._erased = None if checked else erased_or_asked(tx.connection, tx.store, tx.tenant, tx.tenant_name)

    def prepare_keys(self, claims: list[Claim]) -> None:
        """Look up the keys of many claims at once."""
        self._numbers.load_keys(list({key_hash(c.scope, c.subject, c.predicate, c.qualifiers) for c in claims}))

    def _key(self, claim: Claim) -> int:
        found = key_hash(claim.scope, claim.subject, claim.predicate, claim.qualifiers)
        number = self._numbers.known_key(found)
        if number is None:
            row = self._numbers.new_key(found, claim.scope, claim.subject, claim.predicate, claim.qualifiers)
            self._rows["claim_key"].append(row)
            number = int(row[1])
        return number

    def add(
        self,
        number: int,
        record: Record,
        status: Status,
        parents: Mapping[int, int],
        *,
        scope: str,
        source: int | None = None,
        ids: Mapping[str, int],
        line_hash: str | None = None,
    ) -> None:
        """Add one record; `ids` gives the numbers of the evidence its bindings name, `line_hash` spares computing it again.

        Raises:
            Refusal: `erased_before`.
        """
        tx, tenant = self._tx, self._tx.tenant
        if self._erased is not None:
            refuse_erased(self._erased, record)
        if status in FORGOTTEN:
            self._add_tombstone(number, record, status, self._numbers.scope(scope))
            return
        key = code = valid_from = valid_to = expires = review = owner = proposer = task = None
        kind = Kind.EVIDENCE
        if isinstance(record, Claim):
            kind = Kind.CLAIM
            key = self._key(record)
            code = value_code(record.value, self._numbers.predicate(record.scope, record.predicate))
            valid_from, valid_to = record.valid_from, record.valid_to
            self._rows["claim"].append(_claim_row(tenant, number, record))
            self._rows["binding"].extend((tenant, number, n, ids[b.evidence], _optional_json(b.span), b.quote) for n, b in enumerate(record.evidence))
        elif isinstance(record, Artifact):
            kind = Kind.ARTIFACT
            self._rows["artifact"].append(_artifact_row(tenant, number, record))
            self._rows["delivery"].extend(
                (tenant, number, n, d.recipient, d.channel, d.delivered_at, d.operation_id, d.assumed_utc) for n, d in enumerate(record.deliveries)
            )
        else:
            self._rows["evidence"].append(
                (tenant, number, record.version, record.captured_at, record.media_type, record.sha256, ",".join(record.assumed_utc) or None)
            )
            self._rows["evidence_content"].append((tenant, number, record.content))
            if record.rendition is not None:
                self._rows["rendition"].append(rendition_row(tenant, number, record.rendition))
            # Blotted out for a request of another store: it has no number here.
            self._rows["redaction"].extend((tenant, 0, number, start, end, tx.at, None) for start, end in record.redacted)
        if not isinstance(record, Evidence):
            expires, review, task = record.expires_at, record.review_at, record.task
            owner, proposer = self._numbers.party(record.owner), self._numbers.party(record.proposed_by)
            self._words.append((number, words_of(record)))
            self._rows["contributor"].extend((tenant, number, name) for name in sorted(set(record.contributors)))
        place = self._numbers.scope(scope)
        line_hash = line_hash or record.content_hash()
        found = full_hash(record, line_hash, self._shas)
        self._rows["record"].append((
            tenant, number, record.id, int(kind), flags_of(record), key, code, valid_from, valid_to, expires, review, due_of(record),
            source, found, line_hash, tx.person, proposer, task, tx.seq,
        ))  # fmt: skip
        self._rows["record_state"].append((tenant, number, int(status), 1, place, owner, int(kind)))
        self._rows["dependency"].extend((tenant, parent, number, origin) for parent, origin in parents.items())
        tx.count_change(place, int(kind), owner, int(status), 1)

    def _add_tombstone(self, number: int, record: Record, status: Status, place: int) -> None:
        """Add what is told of a record that was forgotten elsewhere: that it was there."""
        tx = self._tx
        kind = Kind.CLAIM if isinstance(record, Claim) else Kind.ARTIFACT if isinstance(record, Artifact) else Kind.EVIDENCE
        self._rows["record"].append((tx.tenant, number, record.id, int(kind), 0, *([None] * 8), "", "", tx.person, None, None, tx.seq))
        self._rows["record_state"].append((tx.tenant, number, int(status), 1, place, None, int(kind)))
        tx.count_change(place, int(kind), None, int(status), 1)

    def flush(self) -> None:
        """Write everything that was added, with its history."""
        tx, rows = self._tx, self._rows
        self._rows["dependency"].sort()
        for table, columns in (
            (t.claim_key, KEY_COLUMNS), (t.record, _RECORD), (t.record_state, _STATE), (t.claim, _CLAIM), (t.artifact, _ARTIFACT),
            (t.evidence, _EVIDENCE), (t.evidence_content, ("tenant", "record", "content")),
            (t.rendition, tuple(t.rendition.c.keys())), (t.redaction, tuple(t.redaction.c.keys())),
            (t.binding, ("tenant", "record", "n", "evidence", "span", "quote")),
            (t.dependency, ("tenant", "parent", "child", "origin")), (t.contributor, ("tenant", "record", "name")),
            (t.delivery, ("tenant", "record", "n", "recipient", "channel", "delivered_at", "operation_id", "assumed_utc")),
        ):  # fmt: skip
            if rows[table.name]:
                insert_rows(tx.connection, table, columns, rows[table.name])
        add_words(tx.connection, tx.tenant, self._words)
        records = np.array([row[1] for row in rows["record_state"]], dtype=np.int64)
        tx.add_created(records, np.array([row[2] for row in rows["record_state"]], dtype=np.int64))


def unreadable(tx: Writing, parents: Mapping[str, int], within: str) -> set[str]:
    """Return those of some records, id -> number, on which the actor may let nothing in the scope `within` rest: to them they are not there."""
    cards = load_cards(tx.connection, tx.tenant, parents.values())
    return {name for name, number in parents.items() if not tx.actor.may_rest_on(cards[number].scope, within)}


def parent_numbers(tx: Writing, record: Claim | Artifact) -> dict[str, int]:
    """Return id -> number of everything a record says it rests on.

    Raises:
        Refusal: `missing_parent`.
    """
    wanted = sorted(record.parents())
    found = find_numbers(tx.connection, tx.tenant, wanted)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise Refusal(Code.MISSING_PARENT, f"{record.id} rests on {missing[0]}, which does not exist. Nothing was changed. Import it first.")
    return found


def _says(claim: Claim) -> list[Any]:
    return [claim.scope, claim.subject, claim.predicate, claim.qualifiers, claim.value]


def rewrite_content(
    tx: Writing,
    card: Card,
    before: Claim | Artifact,
    after: Claim | Artifact,
    *,
    numbers: Numbers,
    observed: frozenset[int] = frozenset(),
    bump: bool = True,
) -> int:
    """Put `after` in place of a record's content, keep what was there, and return the version it then has.

    Args:
        observed: parents that a reviewer said were used, which the record does not declare.
        bump: whether this alone makes a new version; False where a status change in the same action does.

    Raises:
        Refusal: a parent does not exist, or the record changed meanwhile.
    """
    c, tenant = tx.connection, tx.tenant
    if isinstance(after, Claim) and isinstance(before, Claim) and _says(after) != _says(before):
        refuse_erased(erased_or_asked(c, tx.store, tenant, tx.tenant_name), after)
    ids = parent_numbers(tx, after)
    wanted = origins(after, ids)
    for parent in observed:
        wanted[parent] = wanted.get(parent, 0) & ~ORIGIN_DECLARED | ORIGIN_OBSERVED
    was = {parent: origin for _, parent, origin in parents_of(c, tenant, [card.number])}
    for parent, origin in was.items():
        if origin & ORIGIN_OBSERVED and parent in wanted:
            wanted[parent] = wanted[parent] & ~ORIGIN_DECLARED | ORIGIN_OBSERVED
    if was != wanted:
        d = t.dependency
        c.execute(sa.delete(d).where(d.c.tenant == tenant, d.c.child == card.number))
        if wanted:
            c.execute(
                sa.insert(d), [{"tenant": tenant, "parent": parent, "child": card.number, "origin": origin} for parent, origin in wanted.items()]
            )
    kept = {
        "tenant": tenant,
        "record": card.number,
        "version": card.version,
        "seq": tx.seq,
        "content_hash": card.content_hash,
        "line": canonical_json(before.to_line()),
    }
    c.execute(sa.insert(t.replaced_content), kept)
    changes: dict[str, Any] = {
        "flags": flags_of(after), "expires_at": after.expires_at, "review_at": after.review_at, "due_at": due_of(after),
        "content_hash": full_hash(after, after.content_hash(), load_shas(c, tenant, ids)), "task": after.task,
    }  # fmt: skip
    if isinstance(after, Claim):
        code = value_code(after.value, numbers.predicate(after.scope, after.predicate))
        key = numbers.key(after.scope, after.subject, after.predicate, after.qualifiers)
        changes |= {"key": key, "value_code": code, "valid_from": after.valid_from, "valid_to": after.valid_to}
        row = dict(zip(_CLAIM, _claim_row(tenant, card.number, after), strict=True))
        c.execute(sa.update(t.claim).where(t.claim.c.tenant == tenant, t.claim.c.record == card.number).values(row))
        if not isinstance(before, Claim) or before.evidence != after.evidence:
            b = t.binding
            c.execute(sa.delete(b).where(b.c.tenant == tenant, b.c.record == card.number))
            bindings = [
                {"tenant": tenant, "record": card.number, "n": n, "evidence": ids[one.evidence], "span": _optional_json(one.span), "quote": one.quote}
                for n, one in enumerate(after.evidence)
            ]
            if bindings:
                c.execute(sa.insert(b), bindings)
    else:
        row = dict(zip(_ARTIFACT, _artifact_row(tenant, card.number, after), strict=True))
        c.execute(sa.update(t.artifact).where(t.artifact.c.tenant == tenant, t.artifact.c.record == card.number).values(row))
    c.execute(sa.update(t.record).where(t.record.c.tenant == tenant, t.record.c.record == card.number).values(changes))
    replace_words(c, tenant, card.number, words_of(after))
    return _move_state(tx, card, numbers.scope(after.scope), numbers.party(after.owner), bump=bump)


def _move_state(tx: Writing, card: Card, scope: int, owner: int | None, *, bump: bool) -> int:
    state = t.record_state
    where = (state.c.tenant == tx.tenant, state.c.record == card.number)
    row = tx.connection.execute(sa.select(state).where(*where)).one()
    version = card.version + 1 if bump else card.version
    done = tx.connection.execute(sa.update(state).where(*where, state.c.version == card.version).values(scope=scope, owner=owner, version=version))
    if done.rowcount != 1:
        raise Refusal(Code.CHANGED_SINCE_SEEN, f"{card.id} changed while this was written. Nothing was saved. Look at it again.")
    if (row.scope, row.owner) != (scope, owner):
        tx.count_change(row.scope, row.kind, row.owner, row.status, -1)
        tx.count_change(scope, row.kind, owner, row.status, 1)
    if bump:
        tx.note_history(card.number, row.status, row.status, version)
    return version
