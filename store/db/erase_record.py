"""Clearing records: what they say goes, with every text elsewhere that names it; number, kind, scope and history stay as a tombstone.

Everything happens while the words of the records are known, in one transaction: afterwards nobody could find them again.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.db.bulk import chunks
from store.db.erase_file_names import blot_file_names
from store.db.erase_mentions import BLOTTED, Blotting, clear_messages, clear_questions, rows_naming
from store.db.erase_words import Words, empty_sources, former_keys, parties_of, take_words, unused_keys, unused_parties
from store.db.records import load_cards, load_contents, load_shas
from store.db.search_index import add_words, remove_words, words_of
from store.db.transaction import Writing
from store.domain.forgetting import ERASED_ID, Cleared, Surface, is_tombstone
from store.domain.mentions import Finder
from store.domain.records import Artifact, Card, Claim, full_hash
from store.domain.status import FORGOTTEN, Status, Step, is_legal, next_status

#: What stands in the columns of a tombstone that hold nothing any more.
_EMPTY_CLAIM = {
    "value": "null", "claim_type": "fact", "statement": None, "observed_at": None, "purposes": "[]", "conditions": None, "authority": None,
    "speaker": None, "confirmed_by": None, "sensitivity": "normal", "extraction": None, "entity_confidence": None, "on_conflict": "ask",
    "revalidate_on": "[]", "source_uri": None, "source_span": None, "assumed_utc": None,
}  # fmt: skip
_EMPTY_ARTIFACT = {"artifact_type": "report", "title": None, "body": None, "edition": 0, "edition_of": None, "assumed_utc": None}
_EMPTY_RECORD = dict.fromkeys(("key", "value_code", "valid_from", "valid_to", "expires_at", "review_at", "due_at", "proposed_by", "task"))


def clear_record(tx: Writing, request: int, records: Sequence[int], words: Words | None = None) -> Cleared:
    """Empty the records, blot out every text that names them, and leave a tombstone of each; records that are tombstones already stay as they are.

    Args:
        words: what they say, as `take_words` gives it now; taken here where it is not given.
    """
    cards = [card for card in load_cards(tx.connection, tx.tenant, records, as_kept=True).values() if not is_tombstone(card.id, card.status)]
    if not cards:
        return Cleared()
    numbers = sorted(card.number for card in cards)
    if words is None:
        words = take_words(tx.connection, tx.tenant, numbers)
    had = {card.key for card in cards if card.key is not None} | former_keys(tx.connection, tx.tenant, numbers)
    keys = unused_keys(tx.connection, tx.tenant, had, numbers)
    parties = unused_parties(tx.connection, tx.tenant, parties_of(tx.connection, tx.tenant, numbers), numbers)
    sources = empty_sources(tx.connection, tx.tenant, (card.source for card in cards if card.source is not None), numbers)
    renamed = _fresh_ids(tx, cards)
    below = _dependents(tx, numbers, renamed)
    # Cases are called by their source; who names such a case names the source.
    cases = _rename_cases(tx, sources, words.finder())
    words = replace(words, ids=words.ids | cases.keys())
    renamed |= cases
    names = blot_file_names(tx, numbers, words.ids | words.texts, keys)
    found = len(cards) + _clear_around(tx, numbers, keys)
    _empty(tx, cards, renamed)
    _remove_keys(tx, keys)
    _remove_parties(tx, parties)
    _empty_sources(tx, sources)
    blotted = Blotting(tx, words, renamed).run()
    found += blotted.pop(Surface.RECORD, 0)
    blotted[Surface.EXPORTS] = blotted.get(Surface.EXPORTS, 0) + names
    _note_found(tx, request, blotted)
    hash_again(tx, below)
    return Cleared(found)


def _fresh_ids(tx: Writing, cards: Sequence[Card]) -> dict[str, str]:
    """Return old id -> the id of the tombstone, none of which is in use."""
    r, fresh = t.record, list[str]()
    while len(fresh) < len(cards):
        drawn = {ERASED_ID + secrets.token_hex(4) for _ in range(len(cards) - len(fresh))} - set(fresh)
        for some in chunks(sorted(drawn)):
            drawn -= set(tx.connection.execute(sa.select(r.c.id).where(r.c.tenant == tx.tenant, r.c.id.in_(some))).scalars())
        fresh.extend(drawn)
    return dict(zip((card.id for card in cards), fresh, strict=True))


def _dependents(tx: Writing, numbers: Sequence[int], renamed: dict[str, str]) -> list[int]:
    """Return the other records whose content names one of these: what rests on them, and later editions of them."""
    d, a, found = t.dependency, t.artifact, set[int]()
    for some in chunks(numbers):
        found.update(tx.connection.execute(sa.select(d.c.child).where(d.c.tenant == tx.tenant, d.c.parent.in_(some))).scalars())
    for some in chunks(sorted(renamed)):
        rows = tx.connection.execute(sa.select(a.c.record, a.c.edition_of).where(a.c.tenant == tx.tenant, a.c.edition_of.in_(some))).all()
        for row in rows:
            found.add(row.record)
            tx.connection.execute(
                sa.update(a).where(a.c.tenant == tx.tenant, a.c.record == row.record).values(edition_of=renamed[row.edition_of])
            )
    return sorted(found - set(numbers))


def _clear_around(tx: Writing, numbers: Sequence[int], keys: Sequence[int]) -> int:
    """Clear what is tied to the records by number: passages, deliveries, decisions, conflicts, messages. Return how many rows there were."""
    c, tenant, done = tx.connection, tx.tenant, 0
    for some in chunks(numbers):
        for table in (t.binding, t.contributor, t.delivery, t.rendition, t.replaced_content):
            done += c.execute(sa.delete(table).where(table.c.tenant == tenant, table.c.record.in_(some))).rowcount
        for table, values in (
            # What others quoted from a version that is gone is part of it.
            (t.decision, {"reason": None, "terms": None}), (t.fired_trigger, {"cause": None, "reason": None}),
            (t.remedy, {"text": None}), (t.notice, {"recipient": BLOTTED, "channel": BLOTTED}),
        ):  # fmt: skip
            done += c.execute(sa.update(table).where(table.c.tenant == tenant, table.c.record.in_(some)).values(values)).rowcount
        b, mr = t.binding, t.message_record
        done += c.execute(sa.update(b).where(b.c.tenant == tenant, b.c.evidence.in_(some)).values(span=None, quote=None)).rowcount
        named = c.execute(sa.select(mr.c.message).where(mr.c.tenant == tenant, mr.c.record.in_(some)).distinct()).scalars().all()
        done += clear_messages(tx, named)
    return done + _clear_conflicts(tx, numbers, keys)


def _clear_conflicts(tx: Writing, numbers: Sequence[int], keys: Sequence[int]) -> int:
    """Empty the conflicts in which the records were sides; remove those over keys that nobody has any more."""
    c, side, q = t.conflict, t.conflict_side, t.question
    touched: set[int] = set()
    for some in chunks(numbers):
        touched.update(tx.connection.execute(sa.select(side.c.conflict).where(side.c.tenant == tx.tenant, side.c.record.in_(some))).scalars())
    gone: dict[int, str] = {}
    for some in chunks(keys):
        gone.update((n, name) for n, name in tx.connection.execute(sa.select(c.c.conflict, c.c.id).where(c.c.tenant == tx.tenant, c.c.key.in_(some))))
    ids = {name: f"conflict-{ERASED_ID}{secrets.token_hex(4)}" for name in gone.values()}
    for some in chunks(sorted(touched - gone.keys())):
        # The signature is of the values that were in contradiction, the forgotten ones too.
        values = {"owner": None, "cause": None, "reason": None, "question": None, "asked": None, "signature": None}
        tx.connection.execute(sa.update(c).where(c.c.tenant == tx.tenant, c.c.conflict.in_(some)).values(values))
    asked: list[int] = []
    for some in chunks(sorted(ids)):
        asked.extend(tx.connection.execute(sa.select(q.c.question).where(q.c.tenant == tx.tenant, q.c.about.in_(some))).scalars())
    clear_questions(tx, asked, ids)
    for some in chunks(sorted(gone)):
        for table in (side, c):
            tx.connection.execute(sa.delete(table).where(table.c.tenant == tx.tenant, table.c.conflict.in_(some)))
    return len(touched | gone.keys())


def _empty(tx: Writing, cards: Sequence[Card], renamed: dict[str, str]) -> None:
    """Empty the rows of the records and give each its last status."""
    c, tenant, r = tx.connection, tx.tenant, t.record
    _finish(tx, cards, renamed)
    rename = sa.update(r).where(r.c.tenant == tenant, r.c.record == sa.bindparam("number")).values(
        id=sa.bindparam("name"), flags=0, content_hash=sa.bindparam("one"), line_hash=sa.bindparam("other"), **_EMPTY_RECORD
    )  # fmt: skip
    c.execute(rename, [{"number": card.number, "name": renamed[card.id], "one": secrets.token_hex(32), "other": secrets.token_hex(32)} for card in cards])
    numbers = [card.number for card in cards]
    for some in chunks(numbers):
        for table, values in ((t.claim, _EMPTY_CLAIM), (t.artifact, _EMPTY_ARTIFACT), (t.evidence_content, {"content": b""})):
            c.execute(sa.update(table).where(table.c.tenant == tenant, table.c.record.in_(some)).values(values))
    e = t.evidence
    empty = sa.update(e).where(e.c.tenant == tenant, e.c.record == sa.bindparam("number"))
    empty = empty.values(captured_at=None, sha256=sa.bindparam("other"), assumed_utc=None)
    c.execute(empty, [{"number": number, "other": secrets.token_hex(32)} for number in numbers])
    _disown(tx, numbers)


def _finish(tx: Writing, cards: Sequence[Card], renamed: dict[str, str]) -> None:
    """Give records their last status; one that was not blocked before, as in a restored copy, is blocked on the way."""
    now = {card.number: (card.status, card.version, renamed[card.id]) for card in cards}
    for step in (Step.REQUEST_DELETION, Step.FINISH_DELETION):
        moves: dict[tuple[Status, Status], dict[int, int]] = {}
        for number, (status, version, name) in now.items():
            if is_legal(status, step):
                after = next_status(name, status, step)
                moves.setdefault((status, after), {})[number] = version
                now[number] = (after, version + 1, name)
        for (status, after), versions in moves.items():
            tx.set_statuses(versions, status, after)


def _disown(tx: Writing, numbers: Sequence[int]) -> None:
    s = t.record_state
    for some in chunks(numbers):
        owned = tx.connection.execute(sa.select(s).where(s.c.tenant == tx.tenant, s.c.record.in_(some), s.c.owner.is_not(None))).all()
        for row in owned:
            tx.count_change(row.scope, row.kind, row.owner, row.status, -1)
            tx.count_change(row.scope, row.kind, None, row.status, 1)
        tx.connection.execute(sa.update(s).where(s.c.tenant == tx.tenant, s.c.record.in_(some)).values(owner=None))


def _remove_keys(tx: Writing, keys: Sequence[int]) -> None:
    """Remove claim keys that nothing has any more."""
    k = t.claim_key
    for some in chunks(keys):
        tx.connection.execute(sa.delete(k).where(k.c.tenant == tx.tenant, k.c.key.in_(some)))


def _remove_parties(tx: Writing, parties: Iterable[int]) -> None:
    """Take away names of owners and proposers that nothing else has; their numbers stay taken."""
    p = t.party
    for party in parties:
        tx.connection.execute(sa.update(p).where(p.c.tenant == tx.tenant, p.c.party == party).values(name=ERASED_ID + secrets.token_hex(8)))


def _empty_sources(tx: Writing, sources: Iterable[int]) -> None:
    """Empty sources of which nothing is left."""
    o = t.source
    for source in sources:
        name = ERASED_ID + secrets.token_hex(8)
        values = {"id": name, "uri": None, "title": None, "authority": None, "owner": None, "family": name}
        tx.connection.execute(sa.update(o).where(o.c.tenant == tx.tenant, o.c.source == source).values(values))


def _rename_cases(tx: Writing, sources: Sequence[int], finder: Finder) -> dict[str, str]:
    """Give corrections of sources of which nothing is left, and those whose id names something forgotten, another id; return old -> new."""
    c, cs = t.correction, t.correction_source
    cases: dict[int, str] = {row.correction: row.id for row in rows_naming(tx.connection, tx.tenant, c, ("id",), finder, ("correction",))}
    for some in chunks(sources):
        query = sa.select(c.c.correction, c.c.id).join(cs, (cs.c.tenant == c.c.tenant) & (cs.c.correction == c.c.correction))
        cases.update((number, name) for number, name in tx.connection.execute(query.where(c.c.tenant == tx.tenant, cs.c.source.in_(some))))
    renamed = {name: f"correction-{ERASED_ID}{secrets.token_hex(4)}" for name in cases.values()}
    for number, name in cases.items():
        tx.connection.execute(sa.update(c).where(c.c.tenant == tx.tenant, c.c.correction == number).values(id=renamed[name]))
    return renamed


def _note_found(tx: Writing, request: int, found: dict[Surface, int]) -> None:
    """Count what was cleared on surfaces whose turn comes later."""
    s = t.deletion_surface
    for surface, count in found.items():
        where = (s.c.tenant == tx.tenant, s.c.request == request, s.c.surface == surface.value, s.c.n == 0)
        tx.connection.execute(sa.update(s).where(*where).values(found=sa.func.coalesce(s.c.found, 0) + count))


def hash_again(tx: Writing, records: Sequence[int]) -> None:
    """Work out anew the hashes of records whose content or parents were blotted, so that no hash covers what is forgotten."""
    for some in chunks(sorted(set(records)), 500):
        cards = [card for card in load_cards(tx.connection, tx.tenant, some, as_kept=True).values() if not is_tombstone(card.id, card.status)]
        blocked = {card.number for card in cards if card.status in FORGOTTEN}
        contents: dict[int, Any] = load_contents(tx.connection, tx.tenant, cards, as_kept=True)
        named = {parent for one in contents.values() if isinstance(one, Claim | Artifact) for parent in one.parents()}
        shas = load_shas(tx.connection, tx.tenant, named)
        r = t.record
        values, words = list[dict[str, Any]](), list[tuple[int, str]]()
        for number, content in contents.items():
            line_hash = content.content_hash()
            values.append({"number": number, "one": line_hash, "other": full_hash(content, line_hash, shas)})
            if isinstance(content, Claim | Artifact) and number not in blocked:
                words.append((number, words_of(content)))
        if values:
            anew = sa.update(r).where(r.c.tenant == tx.tenant, r.c.record == sa.bindparam("number"))
            tx.connection.execute(anew.values(line_hash=sa.bindparam("one"), content_hash=sa.bindparam("other")), values)
        if words:
            remove_words(tx.connection, tx.tenant, [number for number, _ in words])
            add_words(tx.connection, tx.tenant, words)
