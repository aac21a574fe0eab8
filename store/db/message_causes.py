"""Why documents no longer stand: by which events, in whose words, from which versions of which sources, and what their passages said and say.

Whoever writes a message names only what they may see, and passes on only what the one it goes to may read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.candidate_facts import load_evidence
from store.db.correction_falls import touched_by
from store.db.messages import DELIVER, last_changes
from store.db.plan_lists import versions_of
from store.db.records import load_cards, successors_of
from store.db.veils import load_outgoing
from store.db.withheld import note_is_readable
from store.domain.messages import Cause, Changed, Root, Said, say_value
from store.domain.passages import PassageSorter
from store.domain.people import Actor, Right
from store.domain.records import Binding, Card, Claim
from store.domain.scopes import EVERYWHERE, covers
from store.domain.snapshot import Snapshot
from store.domain.status import Kind, Status
from store.domain.text import canonical_json
from store.domain.veiling import VEIL

GONE = (Status.SUPERSEDED, Status.REVOKED, Status.REJECTED, Status.DELETION_PENDING, Status.DELETED)
ERASED = (Status.DELETION_PENDING, Status.DELETED)
#: Passages compared with a newer version in one drafting; what is beyond is told without what it says now.
_COMPARED = 200
#: Where among the words of a commit its reason stands.
_REASON = 2


def say_claim(claim: Claim) -> str:
    """Return a claim as a statement: its own, unless it is veiled, or subject, predicate and value."""
    return (claim.statement if claim.statement != VEIL else None) or f"{claim.subject}, {claim.predicate.replace('_', ' ')}: {say_value(claim.value)}"


def compare_claims(before: Claim, after: Claim | None, *, withdrawn: bool) -> Changed:
    """Return what became of a statement."""
    if after is None:
        return Changed(say_claim(before), None, withdrawn)
    differ = canonical_json(before.value) != canonical_json(after.value)
    return Changed(say_claim(before), say_claim(after), withdrawn, say_value(before.value) if differ else None, say_value(after.value) if differ else None)


def _stated_reason(note: dict[str, Any]) -> str | None:
    """Return why an action was done, as it was typed: what a commit adds to it names artifacts without owner by id."""
    words = note.get("words")
    if isinstance(words, list) and len(words) > _REASON and isinstance(words[0], dict) and "verb" in words[0] and isinstance(words[_REASON], str):
        return str(words[_REASON])
    reason = note.get("reason")
    return str(reason) if reason else None


class Audience:
    """What those who get messages may be told of.

    Somebody whom the store knows, by id or address, is told what they may read, with what holds there from the scopes above it
    (R14). Anybody else counts as a reader of the scope of the document they hold.
    """

    def __init__(self, connection: Connection, tenant: int) -> None:
        p, r = t.person, t.role
        joined = sa.select(p.c.id, p.c.email, r.c.scope).outerjoin(r, (r.c.tenant == p.c.tenant) & (r.c.person == p.c.person))
        self._scopes: dict[str, set[str]] = {}
        for name, email, scope in connection.execute(joined.where(p.c.tenant == tenant)):
            for key in (name, email.casefold() if email else None):
                if key is not None:
                    self._scopes.setdefault(key, set()).update([scope] if scope else [])

    def may_be_told(self, recipient: str, document: str, scope: str) -> bool:
        """Return whether somebody may be told of what lies in `scope`, because of a document in the scope `document`."""
        held = self._scopes.get(recipient, self._scopes.get(recipient.casefold()))
        if held is None:
            return covers(scope, document)
        return any(one == EVERYWHERE or covers(one, scope) or covers(scope, one) for one in held)


@dataclass(slots=True)
class _Event:
    """An event because of which something is told: who, when and why; `changed`: the records whose status it changed."""

    who: str
    at: int
    words: str | None
    changed: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Version:
    """A captured version of a source, with the one that stands now."""

    source: int
    title: str
    scope: str
    version: int
    newer: int | None


class Causes:
    """Explains documents that are owed a message. What it returns names records, which are returned with it."""

    def __init__(
        self, connection: Connection, tenant: int, actor: Actor, snapshot: Snapshot, owed: Mapping[int, Iterable[int]], case_words: Mapping[int, tuple[str, list[str]]],
    ) -> None:  # fmt: skip
        """Gather what happened to documents.

        Args:
            owed: document -> events. case_words: event -> (the cause a correction states, the scopes it touches).
        """
        self.connection, self.tenant, self.actor = connection, tenant, actor
        self.audience = Audience(connection, tenant)
        self._case_words = case_words
        self._sorters: dict[tuple[str, str], PassageSorter] = {}
        self._compared: dict[tuple[int, str], str | None] = {}
        self._events = self._load_events({seq for its in owed.values() for seq in its})
        causes = last_changes(connection, tenant, sorted(owed)) if any(one is None for one in self._events.values()) else {}
        self._of = {document: sorted({self._true_cause(seq, causes.get(document)) for seq in its} - {0}) for document, its in owed.items()}
        more = {seq for its in self._of.values() for seq in its} - set(self._events)
        self._events |= self._load_events(more)
        self._note_changed()
        self._above = {document: snapshot.graph.ancestors([document]) for document in owed if document < len(snapshot.columns)}
        self._load(snapshot)

    # --- what happened ---------------------------------------------------------------------------------------------

    def _load_events(self, seqs: set[int]) -> dict[int, _Event | None]:
        """Return the events, None for one that only noted a delivery."""
        e, p, n = t.event, t.person, t.event_note
        query = (
            sa.select(e.c.seq, e.c.at, e.c.action, p.c.name, n.c.note)
            .join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person))
            .outerjoin(n, (n.c.tenant == e.c.tenant) & (n.c.seq == e.c.seq) & note_is_readable(n))
            .where(e.c.tenant == self.tenant)
        )
        found: dict[int, _Event | None] = {}
        for some in chunks(sorted(seqs)):
            for seq, at, action, name, note in self.connection.execute(query.where(e.c.seq.in_(some))):
                found[seq] = None if action == DELIVER else _Event(name, at, _stated_reason(json.loads(note) if note else {}))
        return found

    def _true_cause(self, seq: int, last: int | None) -> int:
        return seq if self._events.get(seq) is not None else last or 0

    def _note_changed(self) -> None:
        h = t.history
        for seq, touched in touched_by(self.connection, self.tenant, sorted(self._events)).items():
            event = self._events[seq]
            if event is None or not len(touched):
                continue
            query = sa.select(h.c.record).where(h.c.tenant == self.tenant, h.c.seq == seq, h.c.old.is_not(None), h.c.old != h.c.new)
            event.changed.update(self.connection.execute(query).scalars())

    def _began(self, document: int, seq: int) -> tuple[list[int], set[int]]:
        """Return where an event began, among all a document rests on, and everything there that it changed."""
        above, event = self._above.get(document, {}), self._events[seq]
        assert event is not None
        changed = {one for one in above if one in event.changed and one != document}
        return sorted(one for one in changed if not changed.intersection(above[one])), changed

    def _load(self, snapshot: Snapshot) -> None:
        kind = snapshot.columns.kind
        roots: set[int] = set()
        claims: set[int] = set()
        for document, seqs in self._of.items():
            for seq in seqs:
                began, changed = self._began(document, seq)
                roots.update(began)
                claims.update(one for one in changed if kind[one] == Kind.CLAIM and (one in began or not set(began).isdisjoint(self._above[document][one])))
        follow = successors_of(self.connection, self.tenant, sorted(claims))
        self._cards = load_cards(self.connection, self.tenant, roots | claims | set(follow.values()))
        contents = load_outgoing(self.connection, self.tenant, list(self._cards.values()))
        self._claims: dict[int, Claim] = {number: one for number, one in contents.items() if isinstance(one, Claim)}
        self._follow = {one: after for one, after in follow.items() if self._cards[after].status is Status.ACCEPTED}
        self._versions = self._load_versions([one for one in roots if kind[one] == Kind.EVIDENCE])

    def _load_versions(self, records: Sequence[int]) -> dict[int, _Version]:
        r, e, o, s = t.record, t.evidence, t.source, t.scope
        query = (
            sa.select(r.c.record, r.c.source, sa.func.substr(o.c.title, 1, 300), s.c.path, e.c.version)
            .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
            .join(o, (o.c.tenant == r.c.tenant) & (o.c.source == r.c.source))
            .join(s, (s.c.tenant == o.c.tenant) & (s.c.scope == o.c.scope))
            .where(r.c.tenant == self.tenant)
        )
        rows = [row for some in chunks(sorted(records)) for row in self.connection.execute(query.where(r.c.record.in_(some)))]
        standing = versions_of(self.connection, self.tenant, sorted({row.source for row in rows}))
        newest = {source: next((one for one, status in reversed(its) if status == Status.ACCEPTED), None) for source, its in standing.items()}
        found = {
            row.record: _Version(row.source, row[2] or "a source without a title", row.path, row.version, newest[row.source] if (newest[row.source] or 0) > row.record else None)
            for row in rows
        }  # fmt: skip
        more = {one.newer for one in found.values() if one.newer is not None}
        self._cards |= load_cards(self.connection, self.tenant, more)
        self._newer: dict[int, Any] = {}
        for some in chunks(sorted(more)):
            known = self.connection.execute(sa.select(e.c.record, e.c.version, e.c.captured_at).where(e.c.tenant == self.tenant, e.c.record.in_(some))).all()
            self._newer.update((row.record, row) for row in known)
        return found

    # --- what is told of it ----------------------------------------------------------------------------------------

    def explain(self, document: Card, recipient: str, known: Iterable[int]) -> tuple[tuple[Cause, ...], set[int]]:
        """Return the causes of a document's fall as one person may be told them, and the records they name.

        Args:
            known: what is told of the document already.
        """
        found: list[Cause] = []
        named: set[int] = set()
        told = set(known)
        changed: set[int] = set()
        for seq in self._of.get(document.number, ()):
            changed |= self._began(document.number, seq)[1]
        for seq in self._of.get(document.number, ()):
            cause, its = self._explain(document, seq, recipient, changed, told)
            found.append(cause)
            named |= its
        return tuple(found), named

    def _explain(self, document: Card, seq: int, recipient: str, changed: set[int], told: set[int]) -> tuple[Cause, set[int]]:
        """Return one cause and what it names; what an earlier one told is not told again, and `told` grows by what it tells."""
        event = self._events[seq]
        assert event is not None
        began = self._began(document.number, seq)[0]

        def passes(number: int) -> bool:
            card, claim = self._cards.get(number), self._claims.get(number)
            if card is None or card.status in ERASED or not self.actor.may(Right.INSPECT, card.scope):
                return False
            if claim is not None and claim.sensitivity != "normal":
                return False
            return self.audience.may_be_told(recipient, document.scope, card.scope)

        named: set[int] = set()
        roots, further, unnamed = [], [], 0
        for number in began:
            if number in told:
                continue
            told.add(number)
            if not passes(number):
                unnamed += 1
            elif number in self._versions and self.actor.may(Right.INSPECT, self._versions[number].scope):
                root, its = self._root(number, document.number, changed, passes)
                roots.append(root)
                named |= its
                answered = [one for one in sorted(its & set(self._follow) - told) if passes(self._follow[one])]
                further += [self._changed(one, passes, named) for one in answered]
                told.update(answered)
            elif number in self._claims and self._cards[number].status is not Status.ACCEPTED:
                # What stands again on the new version is nobody's worry any more.
                further.append(self._changed(number, passes, named))
        words = event.words
        stated = self._case_words.get(seq)
        everything = all(passes(one) for one in began)
        if stated is not None and all(self.actor.may(Right.INSPECT, one) and self.audience.may_be_told(recipient, document.scope, one) for one in stated[1]):
            words = stated[0]
        return Cause(event.who, event.at, words if everything else None, tuple(roots), tuple(further), unnamed), named

    def _changed(self, number: int, passes: Any, named: set[int]) -> Changed:
        after = self._follow.get(number)
        after = after if after is not None and passes(after) else None
        named |= {number} | ({after} if after is not None else set())
        return compare_claims(self._claims[number], self._claims[after] if after is not None else None, withdrawn=self._cards[number].status in GONE)

    def _root(self, number: int, document: int, changed: set[int], passes: Any) -> tuple[Root, set[int]]:
        version, card = self._versions[number], self._cards[number]
        newer = self._newer.get(version.newer or 0)
        if newer is not None and not passes(newer.record):
            newer = None
        named = {number} | ({newer.record} if newer is not None else set())
        if card.status is Status.ACCEPTED:
            return Root(version.title, version.version, "stands"), named
        said = []
        for claim in sorted(changed):
            if claim not in self._claims or self._cards[claim].status is Status.ACCEPTED or number not in self._above[document][claim] or not passes(claim):
                continue
            bindings = [one for one in self._claims[claim].evidence if one.evidence == card.id and one.quote and one.quote != VEIL]
            named |= {claim} if bindings else set()
            said += [Said(one.quote or "", self._says_now(claim, one, card.id, newer, passes, named)) for one in bindings]
        fate = "replaced" if card.status is Status.SUPERSEDED else "withdrawn" if card.status in GONE else "checked"
        passages = tuple(one for one in dict.fromkeys(said) if one.after != one.before)
        return Root(version.title, version.version, fate, newer.version if newer else None, newer.captured_at if newer else None, passages), named

    def _says_now(self, claim: int, binding: Binding, old: str, newer: Any, passes: Any, named: set[int]) -> str | None:
        """Return the words of the version that stands: those of the claim that took this one's place, else what is found there."""
        if newer is None:
            return None
        after, standing = self._follow.get(claim), self._cards[newer.record].id
        if after is not None and passes(after):
            quote = next((one.quote for one in self._claims[after].evidence if one.evidence == standing and one.quote and one.quote != VEIL), None)
            if quote is not None:
                named.add(after)
                return quote
        place = claim, canonical_json(binding.to_line())
        if place not in self._compared:
            if len(self._compared) >= _COMPARED:
                return None
            if (old, standing) not in self._sorters:
                texts = load_evidence(self.connection, self.tenant, [old, standing])
                self._sorters[old, standing] = PassageSorter(texts[old], texts[standing], standing)
            became = self._sorters[old, standing].sort(binding)
            self._compared[place] = None if became.after is None else became.after.quote
        return self._compared[place]
