"""Flags of records as they stand, and their content as somebody who looks at a screen gets it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.journal import list_looks
from store.db.keys import load_key, load_key_names, load_policies, load_policy, load_predicates, nearest_predicate, policy_in
from store.db.records import find_card, load_cards, load_contents
from store.db.renditions import load_captured
from store.db.source_shelf import bindings_to
from store.db.transaction import Reading
from store.domain.detection import Flag, SeenTexts, find_sensitive, is_sensitive_name
from store.domain.reach import Ints, Mask
from store.domain.records import Artifact, Card, Claim, Record
from store.domain.redacting import redact
from store.domain.snapshot import Snapshot
from store.domain.spans import CapturedText
from store.domain.status import FORGOTTEN, Kind
from store.domain.text import canonical_json, digest
from store.domain.values import Predicate
from store.domain.veiling import VEIL, hide, hide_line, must_veil, record_of_line, veil_now
from store.domain.watch_words import WatchWords, words_of

#: (content hash, mark of what is watched for) -> flags, and whether they veil it. A hash is of one content for ever, so this is true for ever.
_found: OrderedDict[tuple[str, str], tuple[tuple[Flag, ...], bool]] = OrderedDict()
#: (store, tenant, mark of what is watched for) -> by record number, the version looked through last and whether it is flagged.
_candidates: OrderedDict[tuple[str, int, str], tuple[Ints, Mask]] = OrderedDict()
_lock = Lock()
_KEPT, _TENANTS = 200_000, 16
#: How far from a passage others are looked for, in code points; further than is shown around it.
_NEAR = 1_500


class _Watch:
    """What is watched for in a tenant: words by scope, and which predicates are about people."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._policies = load_policies(connection, tenant)
        self._declared: dict[tuple[str, str], Predicate] = load_predicates(connection, tenant)
        people = sorted(key for key, one in self._declared.items() if one.about == "person")
        words = [(scope, settings.get("watch_words")) for scope, settings in self._policies if settings.get("watch_words")]
        self.mark = digest(canonical_json([people, words]))[:16] if people or words else ""
        self._words: dict[str, WatchWords] = {}
        self._seen = SeenTexts()

    def words(self, scope: str) -> WatchWords:
        if scope not in self._words:
            self._words[scope] = words_of(policy_in(self._policies, scope))
        return self._words[scope]

    def look(self, record: Claim | Artifact) -> tuple[tuple[Flag, ...], bool]:
        about = isinstance(record, Claim) and nearest_predicate(self._declared, record.scope, record.predicate).about == "person"
        flags = find_sensitive(record, self.words(record.scope), about_person=about, seen=self._seen)
        return flags, must_veil(record, flags)


def _look_through(connection: Connection, tenant: int, cards: Sequence[Card], watch: _Watch) -> dict[int, tuple[tuple[Flag, ...], bool]]:
    """Return record number -> flags, and whether it is veiled; from memory where that is known."""
    wanted = [card for card in cards if card.kind is not Kind.EVIDENCE and card.status not in FORGOTTEN]
    with _lock:
        found = {card.number: known for card in wanted if (known := _found.get((card.content_hash, watch.mark))) is not None}
    new = [card for card in wanted if card.number not in found]
    contents = load_contents(connection, tenant, new, with_bytes=False, as_kept=True) if new else {}
    for card in new:
        record = contents[card.number]
        assert isinstance(record, Claim | Artifact)
        found[card.number] = watch.look(record)
    if new:
        with _lock:
            _found.update(((card.content_hash, watch.mark), found[card.number]) for card in new)
            while len(_found) > _KEPT:
                _found.popitem(last=False)
    return found


def flags_of(connection: Connection, tenant: int, cards: Sequence[Card]) -> dict[int, tuple[Flag, ...]]:
    """Return record number -> what in it should perhaps not be kept, by the words watched in its scope."""
    return {number: flags for number, (flags, _) in _look_through(connection, tenant, cards, _Watch(connection, tenant)).items()}


def flagged_candidates(reading: Reading, tenant: int, snapshot: Snapshot, records: Ints, *, most: int | None = None) -> tuple[Mask, int]:
    """Return which of many records have a flag, and how many were not looked through yet.

    Args:
        most: at most so many are looked through now, of those that are new or changed since the last look; the next call goes on.
    """
    watch = _Watch(reading.connection, tenant)
    key = (f"{reading.store.lineage}:{reading.store.url}", tenant, watch.mark)
    size = len(snapshot.columns)
    with _lock:
        version, flagged = _candidates.get(key, (np.zeros(0, np.int64), np.zeros(0, bool)))
    if len(version) < size:
        version, flagged = np.append(version, np.zeros(size - len(version), np.int64)), np.append(flagged, np.zeros(size - len(flagged), bool))
    else:
        version, flagged = version.copy(), flagged.copy()
    now = snapshot.columns.version[records]
    unseen = records[version[records] != now]
    new = unseen if most is None else unseen[-most:]
    if len(new):
        for some in np.array_split(new, len(new) // 2_000 + 1):
            looked = _look_through(reading.connection, tenant, list(load_cards(reading.connection, tenant, some.tolist()).values()), watch)
            flagged[some] = [bool(looked.get(number, ((), False))[0]) for number in some.tolist()]
        version[new] = snapshot.columns.version[new]
        with _lock:
            _candidates[key] = (version, flagged)
            while len(_candidates) > _TENANTS:
                _candidates.popitem(last=False)
    found: Mask = flagged[records] & (version[records] == now)
    return found, len(unseen) - len(new)


def _unseen(connection: Connection, tenant: int, cards: Sequence[Card]) -> list[Card]:
    veil = veil_now()
    if veil is None or not cards:
        return []
    if not veil.shown:
        return list(cards)
    name = connection.execute(sa.select(t.tenant.c.name).where(t.tenant.c.tenant == tenant)).scalar_one()
    return [card for card in cards if (name, card.id, card.version) not in veil.shown]


def veiled(connection: Connection, tenant: int, cards: Sequence[Card]) -> set[int]:
    """Return which records are veiled from whoever looks now; none where nobody looks at a screen."""
    unseen = _unseen(connection, tenant, cards)
    if not unseen:
        return set()
    return {number for number, (_, veils) in _look_through(connection, tenant, unseen, _Watch(connection, tenant)).items() if veils}


def seen_behind(connection: Connection, tenant: int, person: int, card: Card) -> bool:
    """Return whether a person may know what a record says as it stands: nothing veils it, or they asked to see this version of it."""
    if not _look_through(connection, tenant, [card], _Watch(connection, tenant)).get(card.number, ((), False))[1]:
        return True
    return any(look.person == person and look.version == card.version for look in list_looks(connection, tenant, card.number))


def veiled_numbers(connection: Connection, tenant: int, numbers: Iterable[int]) -> set[int]:
    """Return which records, by number, are veiled from whoever looks now."""
    if veil_now() is None:
        return set()
    return veiled(connection, tenant, list(load_cards(connection, tenant, list(numbers)).values()))


def shown_line(connection: Connection, tenant: int, card: Card, line: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the line of an earlier version of a record as it is shown to whoever looks now."""
    veil = veil_now()
    if veil is None or card.kind is Kind.EVIDENCE:
        return line
    record = record_of_line(line)
    name = connection.execute(sa.select(t.tenant.c.name).where(t.tenant.c.tenant == tenant)).scalar_one()
    flags = find_sensitive(record, words_of(load_policy(connection, tenant, card.scope)))
    if (name, card.id, version) in veil.shown or not must_veil(record, flags):
        return line
    return hide_line(line, flags)


class ShownNames:
    """Subjects and qualifiers of claims as whoever looks is shown them, wherever they stand without the claim itself.

    A name that was flagged has a veil in its place, until this person asked to see a record that goes by it.
    """

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._connection, self._tenant, self._veil = connection, tenant, veil_now()
        self._watch: _Watch | None = None
        self._known: dict[tuple[str, str], bool] = {}
        self._asked: set[str] | None = None

    def hides(self, scope: str, name: str) -> bool:
        """Return whether a name that stands in a scope is veiled."""
        if self._veil is None:
            return False
        self._watch = self._watch or _Watch(self._connection, self._tenant)
        words = self._watch.words(scope)
        if (words.mark, name) not in self._known:
            self._known[words.mark, name] = is_sensitive_name(name, words) and name not in self._seen()
        return self._known[words.mark, name]

    def name(self, scope: str, name: str) -> str:
        """Return a name as it is shown."""
        return VEIL if self.hides(scope, name) else name

    def qualifiers(self, scope: str, qualifiers: dict[str, Any]) -> dict[str, Any]:
        """Return qualifiers as they are shown."""
        if self._veil is None:
            return qualifiers
        return {
            self.name(scope, name): VEIL if self.hides(scope, value if isinstance(value, str) else canonical_json(value)) else value
            for name, value in qualifiers.items()
        }

    def _seen(self) -> set[str]:
        """Return the names that records go by which this person asked to see."""
        if self._asked is None:
            self._asked = set()
            shown = self._veil.shown if self._veil is not None else frozenset()
            tenant = self._connection.execute(sa.select(t.tenant.c.name).where(t.tenant.c.tenant == self._tenant)).scalar_one() if shown else ""
            for name, id_, version in shown:
                card = find_card(self._connection, self._tenant, id_) if name == tenant else None
                if card is not None and card.version == version and card.key is not None:
                    _, subject, _, qualifiers = load_key(self._connection, self._tenant, card.key)
                    texts = (value if isinstance(value, str) else canonical_json(value) for value in qualifiers.values())
                    self._asked |= {subject, *qualifiers, *texts}
        return self._asked


def load_outgoing(connection: Connection, tenant: int, cards: Sequence[Card]) -> dict[int, Record]:
    """Return the content of many records by number as it may leave the house: whatever anybody would have to ask to see comes hidden."""
    found = load_contents(connection, tenant, cards, with_bytes=False)
    for number, (flags, veils) in _look_through(connection, tenant, cards, _Watch(connection, tenant)).items():
        if veils:
            found[number] = hide(found[number], flags)
    return found


def shown_key_names(connection: Connection, tenant: int, keys: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return key -> its scope, subject, predicate and qualifiers as whoever looks is shown them."""
    names = ShownNames(connection, tenant)
    return {
        key: {**one, "subject": names.name(one["scope"], one["subject"]), "qualifiers": names.qualifiers(one["scope"], one["qualifiers"])}
        for key, one in load_key_names(connection, tenant, keys).items()
    }


def load_text_around(connection: Connection, tenant: int, record: int, evidence: str, span: dict[str, Any] | None) -> CapturedText:
    """Return a captured version to show a passage in, without the passages near it whose claims are veiled from whoever looks."""
    captured = load_captured(connection, tenant, record)
    start, end = (span or {}).get("start"), (span or {}).get("end")
    if veil_now() is None or not isinstance(start, int) or not isinstance(end, int):
        return captured
    near = []
    for claim, binding in bindings_to(connection, tenant, record, evidence):
        first, last = (binding.span or {}).get("start"), (binding.span or {}).get("end")
        if isinstance(first, int) and isinstance(last, int) and last > start - _NEAR and first < end + _NEAR and not (first < end and start < last):
            near.append((claim, first, last))
    hidden = veiled_numbers(connection, tenant, {claim for claim, _, _ in near})
    spans = [(first, last) for claim, first, last in near if claim in hidden]
    return redact(captured, spans) if spans else captured


def load_shown(connection: Connection, tenant: int, cards: Sequence[Card], *, with_bytes: bool = True) -> dict[int, Record]:
    """Return the content of many records by number as it is shown: what is veiled from whoever looks comes hidden."""
    found = load_contents(connection, tenant, cards, with_bytes=with_bytes)
    unseen = _unseen(connection, tenant, cards)
    if unseen:
        for number, (flags, veils) in _look_through(connection, tenant, unseen, _Watch(connection, tenant)).items():
            if veils:
                found[number] = hide(found[number], flags)
    return found
