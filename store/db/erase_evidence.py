"""Clearing shared evidence: passages blotted out of what is stored, every position around them kept, the rest of the version as it was."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.db.bulk import chunks
from store.db.erase_mentions import Blotting
from store.db.erase_words import Words
from store.db.records import load_cards, load_contents, load_shas
from store.db.renditions import forget_texts, load_captured, rendition_row
from store.db.transaction import Writing
from store.domain.forgetting import Cleared, Failure, SurfaceState
from store.domain.records import Binding, Card, Claim, Evidence, full_hash
from store.domain.redacting import Span, blot_line, blot_quote, is_telling, merge_spans, redact
from store.domain.spans import CapturedText
from store.domain.status import FORGOTTEN, Status
from store.domain.text import canonical_json


def clear_evidence(tx: Writing, request: int, records: Sequence[int]) -> Cleared:  # noqa: ARG001
    """Blot the passages of a request out of the stored bytes of versions that stay, and count these passages; done again it finds nothing.

    With the bytes go: the text taken out of them, the quotes of claims and of claims as they once were at the same code points, files
    kept for plans with the same bytes, and every hash of what the version was. Versions that are themselves forgotten are cleared as
    records; a version whose bytes are not those that were captured cannot be cut at the right places and leaves the surface FAILED.
    """
    r = t.redaction
    spans: dict[int, list[Span]] = {}
    where = (r.c.tenant == tx.tenant, r.c.request == request, r.c.done_at.is_(None))
    for row in tx.connection.execute(sa.select(r.c.record, r.c.start, r.c.end).where(*where)):
        spans.setdefault(row.record, []).append((row.start, row.end))
    cards = load_cards(tx.connection, tx.tenant, sorted(spans))
    found, state = 0, SurfaceState.DONE
    hashes: set[str] = set()
    for record in sorted(spans):
        card = cards.get(record)
        if card is not None and card.status not in FORGOTTEN:
            _note_words(tx, request, card.number, spans[record])
            cleared = _clear_version(tx, card, merge_spans(spans[record]), hashes)
            if cleared is None:
                state = SurfaceState.FAILED
                continue
            found += len(spans[record]) if cleared else 0
        tx.connection.execute(sa.update(r).where(*where, r.c.record == record).values(done_at=tx.at))
    if hashes:
        # All at once, because every text is gone through for them.
        Blotting(tx, Words(frozenset(hashes), frozenset(), {}, 0), {}).run()
    forget_texts()
    return Cleared(found, state, None if state is SurfaceState.DONE else Failure.OTHER_BYTES.value)


def _note_words(tx: Writing, request: int, record: int, spans: Sequence[Span]) -> None:
    """Keep the HMACs of the words that are about to go, where they say much, so that they are known again if the source says them once more."""
    try:
        captured = load_captured(tx.connection, tx.tenant, record, as_kept=True)
    except LookupError:
        return
    text, mac, r = captured.text or "", tx.store.ledger.words_macs(tx.tenant_name), t.redaction
    rows = [{"begin": start, "mac": mac(text[start:end])} for start, end in spans if not captured.damaged and is_telling(text[start:end])]
    if rows:
        where = (r.c.tenant == tx.tenant, r.c.request == request, r.c.record == record, r.c.start == sa.bindparam("begin"))
        tx.connection.execute(sa.update(r).where(*where).values(words_mac=sa.bindparam("mac")), rows)


def _clear_version(tx: Writing, card: Card, spans: tuple[Span, ...], hashes: set[str]) -> int | None:
    """Rewrite a version and return how many rows were cleared; None where its bytes are damaged. Hashes of what it was are added to `hashes`."""
    try:
        before = load_captured(tx.connection, tx.tenant, card.number, as_kept=True)
    except LookupError:
        return 0
    if before.damaged:
        return None
    after = redact(before, spans)
    found = 1 + _write_bytes(tx, card.number, after)
    changed = _blot_bindings(tx, card, before, after, spans)
    found += len(changed) + _blot_replaced(tx, card, before, after, spans)
    tx.set_status(card.number, card.status, card.status, card.version)
    _hash_evidence(tx, card)
    _hash_children(tx, card.number, changed)
    f = t.plan_file
    found += tx.connection.execute(sa.delete(f).where(f.c.tenant == tx.tenant, f.c.sha256 == before.sha256)).rowcount
    had = {before.sha256} | ({before.rendition.sha256} if before.rendition is not None else set())
    hashes |= had - {after.sha256, after.rendition.sha256 if after.rendition is not None else ""}
    return found


def _write_bytes(tx: Writing, record: int, after: CapturedText) -> int:
    """Put a version's new bytes, text and hashes in place of the old ones; return how many rows more than one that were."""
    c, tenant = tx.connection, tx.tenant
    e, b, d = t.evidence, t.evidence_content, t.rendition
    c.execute(sa.update(b).where(b.c.tenant == tenant, b.c.record == record).values(content=after.content))
    c.execute(sa.update(e).where(e.c.tenant == tenant, e.c.record == record).values(sha256=after.sha256, media_type=after.media_type))
    if after.rendition is None:
        return c.execute(sa.delete(d).where(d.c.tenant == tenant, d.c.record == record)).rowcount
    values = dict(zip(d.c.keys(), rendition_row(tenant, record, after.rendition), strict=True))
    return c.execute(sa.update(d).where(d.c.tenant == tenant, d.c.record == record).values(values)).rowcount


def _blot_bindings(tx: Writing, card: Card, before: CapturedText, after: CapturedText, spans: tuple[Span, ...]) -> set[int]:
    """Blot the quotes of whatever is bound to the passages, and return the records that are."""
    b, blotted = t.binding, list[dict[str, Any]]()
    rows = tx.connection.execute(sa.select(b).where(b.c.tenant == tx.tenant, b.c.evidence == card.number, b.c.quote.is_not(None))).all()
    for row in rows:
        binding = Binding(card.id, None if row.span is None else json.loads(row.span), row.quote)
        quote = blot_quote(binding, before, after, spans).quote
        if quote != row.quote:
            blotted.append({"number": row.record, "place": row.n, "said": quote})
    if blotted:
        where = (b.c.tenant == tx.tenant, b.c.record == sa.bindparam("number"), b.c.n == sa.bindparam("place"))
        tx.connection.execute(sa.update(b).where(*where).values(quote=sa.bindparam("said")), blotted)
    return {row["number"] for row in blotted}


def _blot_replaced(tx: Writing, card: Card, before: CapturedText, after: CapturedText, spans: tuple[Span, ...]) -> int:
    """Blot the quotes of records as they once were; the hash of whatever named the version covered its bytes, and goes."""
    c, found = t.replaced_content, 0
    named = json.dumps(card.id, ensure_ascii=False)
    query = sa.select(c.c.record, c.c.version, c.c.line).where(c.c.tenant == tx.tenant, c.c.line.contains(named, autoescape=True))
    for row in tx.connection.execute(query).all():
        line = json.loads(row.line)
        blot_line(line, card.id, before, after, spans)
        where = (c.c.tenant == tx.tenant, c.c.record == row.record, c.c.version == row.version)
        tx.connection.execute(sa.update(c).where(*where).values(line=canonical_json(line), content_hash=secrets.token_hex(32)))
        found += 1
    return found


def _hash_evidence(tx: Writing, card: Card) -> None:
    content = load_contents(tx.connection, tx.tenant, [card], as_kept=True)[card.number]
    assert isinstance(content, Evidence)
    r, found = t.record, content.content_hash()
    tx.connection.execute(sa.update(r).where(r.c.tenant == tx.tenant, r.c.record == card.number).values(content_hash=found, line_hash=found))


def _hash_children(tx: Writing, record: int, changed: set[int]) -> None:
    """Work out anew the hashes of what rests on a version, which cover its bytes; no version of theirs changes with that."""
    d, r = t.dependency, t.record
    below = set(tx.connection.execute(sa.select(d.c.child).where(d.c.tenant == tx.tenant, d.c.parent == record)).scalars())
    for some in chunks(sorted(below | changed), 500):
        # What another request blocks is worked out too: it comes back when that one is refused.
        cards = [card for card in load_cards(tx.connection, tx.tenant, some, as_kept=True).values() if card.status is not Status.DELETED]
        contents = load_contents(tx.connection, tx.tenant, cards, with_bytes=False, as_kept=True)
        named = {parent for one in contents.values() if not isinstance(one, Evidence) for parent in one.parents()}
        shas = load_shas(tx.connection, tx.tenant, named)
        anew: dict[bool, list[dict[str, Any]]] = {False: [], True: []}
        for number, content in contents.items():
            line_hash, own = content.content_hash(), number in changed and isinstance(content, Claim)
            anew[own].append({"number": number, "one": full_hash(content, line_hash, shas), **({"other": line_hash} if own else {})})
        for own, rows in anew.items():
            if rows:
                values: dict[str, Any] = {"content_hash": sa.bindparam("one"), **({"line_hash": sa.bindparam("other")} if own else {})}
                tx.connection.execute(sa.update(r).where(r.c.tenant == tx.tenant, r.c.record == sa.bindparam("number")).values(values), rows)
