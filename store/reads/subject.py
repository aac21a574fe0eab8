"""What the store holds about one subject: found by name, counted, and listed by predicate and state.

A person sees every claim of the scopes they may see in full, and of those they may only read what an agent would be
served. What lies elsewhere is neither shown nor counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.db.answering import blockers_of
from store.db.claim_store import ClaimStore
from store.db.keys import load_scopes
from store.db.records import load_cards, load_contents
from store.db.subject_memory import SubjectMemory
from store.db.subjects import (
    Held,
    count_claims,
    first_key,
    latest_subjects,
    load_held,
    rejected_as_sensitive,
    sources_spoken,
    subject_of_key,
    subjects_from,
    subjects_with_words,
)
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.veils import ShownNames, veiled_numbers
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.reach import Ints
from store.domain.records import Claim
from store.domain.scopes import covers
from store.domain.snapshot import ANY_PURPOSE, Snapshot
from store.domain.status import Kind, Status
from store.domain.times import ALWAYS, format_optional
from store.domain.veiling import VEIL

#: Rows of a list on one screen.
ROWS = 50
#: Predicates on one screen, and values of each before the rest is folded.
GROUPS, VALUES = 60, 3
_LARGEST = chr(0x10FFFF)
_HIDDEN_VALUES = (Status.DELETION_PENDING, Status.DELETED)
#: Which states a group shows by itself; the rest is behind its counts.
_CURRENT = ((Status.ACCEPTED,), (Status.DISPUTED, Status.STALE), (Status.CANDIDATE,))
_ORDER = (
    Status.ACCEPTED, Status.DISPUTED, Status.STALE, Status.CANDIDATE, Status.SUPERSEDED, Status.REVOKED, Status.REJECTED,
    Status.DELETION_PENDING, Status.DELETED,
)  # fmt: skip
#: Ways to look at the claims of a subject: all of one status, or of one of these.
STATES = ("held", *(status.name.lower() for status in _ORDER), "contested", "expired", "served_now")


@dataclass(frozen=True, slots=True)
class Suggested:
    """A subject somebody may mean, with how many claims there are about it and how many of them are accepted.

    Attributes:
        veiled: its name is hidden from whoever looks, so no way leads to it but by a record about it.
        place: from where going through all subjects goes on behind it.
    """

    subject: str
    tenant: str
    claims: int
    accepted: int
    veiled: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """One claim in a list about a subject. Texts come from outside.

    Attributes:
        withheld: its value is not told any more (R5), or is being deleted.
        contested: it is a side of an open conflict. `usable`: an agent would be served it now.
        sources: titles of the sources it is bound to; `derived` counts the records it is worked out from.
        same: how many more claims of the same key and state say the same; the row stands for them too.
    """

    id: str
    scope: str
    predicate: str
    qualifiers: dict[str, Any]
    value: Any
    withheld: bool
    status: str
    valid_from: str | None
    valid_to: str | None
    observed_at: str | None
    expires_at: str | None
    claim_type: str
    contested: bool
    expired: bool
    usable: bool
    sources: tuple[str, ...]
    derived: int
    same: int = 0


@dataclass(frozen=True, slots=True)
class SubjectGroup:
    """The claims of one predicate in one scope: those that stand, and how many there are in each state."""

    scope: str
    predicate: str
    claims: int
    states: dict[str, int]
    rows: tuple[SubjectRow, ...]
    more: int


@dataclass(frozen=True, slots=True)
class SubjectView:
    """What is held about a subject.

    Attributes:
        counts: way to look (`STATES`) -> how many claims.
        scopes: scope -> how many claims.
        groups: by scope and predicate; `groups_total` counts those beyond this page too.
        rows: the claims of the list asked for, `rows_total` of them; None where none was asked for.
        bounded: how many more agents are served, but only for `purposes`.
    """

    subject: str
    tenant: str
    scope: str | None
    at: str
    counts: dict[str, int]
    scopes: dict[str, int]
    groups: tuple[SubjectGroup, ...]
    groups_total: int
    rows: tuple[SubjectRow, ...] | None
    rows_total: int
    bounded: int = 0
    purposes: tuple[str, ...] = ()


# --- finding a subject --------------------------------------------------------------------------------------------


def suggest_subjects(
    store: ClaimStore, person: str, text: str = "", *, scope: str | None = None, after: str | None = None, tenant: str | None = None, limit: int = 12,
    authenticated: bool = False,
) -> list[Suggested]:  # fmt: skip
    """Return subjects that begin with `text`, then such as hold its words; without a text, those the newest claims are about.

    Args:
        after: go through all subjects in order instead, from behind this place of one.
        tenant: only of this tenant.
    """
    text = text.strip()[:200]
    with read(store, person, authenticated=authenticated) as reading:
        found: list[Suggested] = []
        for number, name in tenants_of(reading):
            if tenant not in (None, name):
                continue
            scopes, full = _scopes(reading, number, scope)
            every = [*scopes, *full]
            if not every:
                continue
            if after is not None:
                subjects = subjects_from(reading.connection, number, every, _behind(reading, number, after), None, limit, after=True)
            elif text:
                subjects = subjects_from(reading.connection, number, every, text, text + _LARGEST, limit, after=False)
                if len(subjects) < limit:
                    subjects += [one for one in subjects_with_words(reading.connection, number, every, text, limit) if one not in subjects]
            else:
                subjects = latest_subjects(reading.connection, number, every, limit)
            found.extend(_counted(reading, number, name, subjects[:limit], scopes, full))
        return found if after is not None or not text else sorted(found, key=lambda one: (one.subject != text, not one.subject.startswith(text)))


def _behind(reading: Reading, number: int, after: str) -> str:
    """Return the subject behind which to go on: one whose name is veiled is told by the number of its first key."""
    key = after.removeprefix(VEIL)
    if key == after or not (key.isascii() and key.isdigit() and len(key) < 16):
        return after
    return subject_of_key(reading.connection, number, int(key)) or after


def _counted(reading: Reading, number: int, tenant: str, subjects: Sequence[str], partly: list[int], full: list[int]) -> list[Suggested]:
    if not subjects:
        return []
    counts = count_claims(reading.connection, number, full, subjects) if full else {}
    found, names, paths = [], ShownNames(reading.connection, number), load_scopes(reading.connection, number)
    for subject in subjects:
        its = counts.get(subject, {})
        claims, accepted = sum(its.values()), its.get(Status.ACCEPTED, 0)
        if partly:
            served = len(_served(reading, number, load_held(reading.connection, number, subject, partly)))
            claims, accepted = claims + served, accepted + served
        if claims:
            hidden = any(names.hides(paths[scope], subject) for scope in (*partly, *full))
            place = f"{VEIL}{first_key(reading.connection, number, subject)}" if hidden else subject
            found.append(Suggested(VEIL if hidden else subject, tenant, claims, accepted, hidden, place))
    return found


def find_subject(store: ClaimStore, person: str, subject: str, *, authenticated: bool = False) -> dict[str, int]:
    """Return tenant -> how many claims about exactly this subject the person may see there."""
    with read(store, person, authenticated=authenticated) as reading:
        found = {}
        for number, name in tenants_of(reading):
            partly, full = _scopes(reading, number, None)
            for one in _counted(reading, number, name, [subject], partly, full):
                found[name] = one.claims
        return found


# --- looking at one -----------------------------------------------------------------------------------------------


def _scopes(reading: Reading, number: int, within: str | None) -> tuple[list[int], list[int]]:
    """Return the scopes a person may only read, and those to see in full, within a scope."""
    partly, full = [], []
    for scope, path in load_scopes(reading.connection, number).items():
        if within is not None and not covers(within, path):
            continue
        if reading.actor.may(Right.INSPECT, path):
            full.append(scope)
        elif reading.actor.may(Right.READ, path):
            partly.append(scope)
    return partly, full


def _served(reading: Reading, number: int, held: list[Held], *, bounded: bool = False) -> list[Held]:
    """Return those an agent would be served now, asked for no purpose in particular; or, `bounded`, only for purposes of their own."""
    snapshot = reading.snapshot(number)
    able = [one for one in held if one.status is Status.ACCEPTED and bool(one.flags & ANY_PURPOSE) is not bounded and _in_time(one, reading.at)]
    blockers = blockers_of(reading.connection, number, snapshot, [one.number for one in able], reading.at)
    return [one for one in able if blockers[one.number].usable]


def _in_time(one: Held, at: int) -> bool:
    return (one.valid_from is None or one.valid_from <= at) and (one.valid_to is None or at < one.valid_to)


class SubjectLook:
    """One look at a subject, for one person, in one transaction: the claims that person may see, and what they stand on.

    Raises:
        Refusal: `not_found` where the person may see no claim about it; the same for what is not there.
    """

    def __init__(self, reading: Reading, tenant: str, subject: str, scope: str | None = None) -> None:
        number = reading.tenant_number(tenant)
        if number is None:
            raise _nothing(subject)
        self.reading, self.connection, self.tenant, self.number, self.subject, self.at = (
            reading,
            reading.connection,
            tenant,
            number,
            subject,
            reading.at,
        )
        partly, self.full = _scopes(reading, number, scope)
        self.paths = load_scopes(self.connection, number)
        self.snapshot: Snapshot = reading.snapshot(number)
        self.memory = SubjectMemory(reading, number, self.snapshot.seq)
        held = self.memory.held(subject, self.full) if self.full else []
        if partly:
            held = [*held, *_served(reading, number, self.memory.held(subject, partly))]
        if not held:
            raise _nothing(subject)
        self.held: list[Held] = held
        columns = self.snapshot.columns
        self.records: Ints = np.array([one.number for one in held], dtype=np.int64)
        self.contested = {
            side for key in {one.key for one in held} & self.snapshot.open_conflicts.keys() for side in self.snapshot.open_conflicts[key]
        }
        expiry = self.snapshot.effective_expiry()[self.records]
        self.expired = set(self.records[(expiry <= self.at) & (columns.status[self.records] == Status.ACCEPTED)].tolist())
        self.usable = {one.number for one in _served(reading, number, held)}
        self._veiled: dict[int, bool] = {}
        self.withheld = rejected_as_sensitive(self.connection, number, [one.number for one in held if one.status is Status.REJECTED])

    def hides(self, one: Held) -> bool:
        """Return whether a claim's value must not be shown."""
        return one.number in self.withheld or one.status in _HIDDEN_VALUES

    def draw_veil(self, held: Sequence[Held]) -> None:
        """Find out at once which of these claims are veiled from whoever looks, so that each is not asked for by itself."""
        new = [one.number for one in held if one.number not in self._veiled]
        hidden = veiled_numbers(self.connection, self.number, new) if new else set()
        self._veiled.update((number, number in hidden) for number in new)

    def value_of(self, one: Held) -> Any:
        """Return a claim's value as it is shown: None where it may not be, a veil where it is veiled."""
        if self.hides(one):
            return None
        self.draw_veil([one])
        return VEIL if self._veiled[one.number] else one.value

    def is_in(self, one: Held, state: str) -> bool:
        """Return whether a claim belongs to the list of a state."""
        tests: dict[str, Callable[[], bool]] = {
            "held": lambda: True, "contested": lambda: one.number in self.contested, "expired": lambda: one.number in self.expired,
            "served_now": lambda: one.number in self.usable,
        }  # fmt: skip
        return tests[state]() if state in tests else one.status.name.lower() == state

    def count(self) -> dict[str, int]:
        """Return way to look -> how many claims."""
        found = dict.fromkeys(STATES, 0)
        for one in self.held:
            found[one.status.name.lower()] += 1
        return found | {
            "held": len(self.held), "contested": sum(one.number in self.contested for one in self.held), "expired": len(self.expired), "served_now": len(self.usable),
        }  # fmt: skip

    def rows(self, held: Sequence[Held], same: dict[int, list[Held]] | None = None) -> tuple[SubjectRow, ...]:
        """Return claims as a list shows them.

        Args:
            same: claim -> others that say the same, which its row stands for too.
        """
        same = same or {}
        every = [one.number for claim in held for one in (claim, *same.get(claim.number, ()))]
        spoken: dict[int, dict[str, None]] = {}
        for its in sources_spoken(self.connection, self.number, every):
            spoken.setdefault(its.record, {})[(its.title or its.source) if self.reads(its.scope) else ""] = None
        self.draw_veil(held)
        found = []
        for one in held:
            alike = [other.number for other in same.get(one.number, ())]
            sources = dict.fromkeys(title for number in (one.number, *alike) for title in spoken.get(number, ()))
            found.append(SubjectRow(
                one.id, one.scope, one.predicate, one.qualifiers, self.value_of(one), self.hides(one), one.status.name,
                format_optional(one.valid_from), format_optional(one.valid_to), format_optional(one.observed_at), format_optional(one.expires_at), one.claim_type,
                one.number in self.contested, one.number in self.expired, one.number in self.usable, tuple(sources), self._derived(one.number), len(alike),
            ))  # fmt: skip
        return tuple(found)

    def bounded(self) -> tuple[int, tuple[str, ...]]:
        """Return how many claims agents are served only for some purposes, and which those are, read from at most `ROWS` of them."""
        held = _served(self.reading, self.number, self.held, bounded=True)
        cards = list(load_cards(self.connection, self.number, [one.number for one in held[:ROWS]]).values())
        contents = load_contents(self.connection, self.number, cards, with_bytes=False).values() if cards else ()
        return len(held), tuple(sorted({purpose for one in contents if isinstance(one, Claim) for purpose in one.purposes}))

    def _derived(self, number: int) -> int:
        """Return how many records that are no evidence a claim rests on."""
        kinds = self.snapshot.columns.kind[self.snapshot.graph.parents.of(number)]
        return int((kinds != Kind.EVIDENCE).sum())

    def reads(self, scope: int) -> bool:
        """Return whether the person may read what lies in a scope."""
        return scope in self.full or self.reading.actor.may(Right.READ, self.paths[scope])

    def grouped(self) -> dict[tuple[str, str], list[Held]]:
        """Return (scope, predicate) -> its claims, those that stand first, the latest first."""
        found: dict[tuple[str, str], list[Held]] = {}
        for one in self.held:
            found.setdefault((one.scope, one.predicate), []).append(one)
        for claims in found.values():
            claims.sort(key=lambda one: (_ORDER.index(one.status), one.number not in self.usable, -(since(one) or ALWAYS), -one.number))
        return found

    def groups(self, named: Sequence[tuple[tuple[str, str], list[Held]]], most: int | None) -> tuple[SubjectGroup, ...]:
        """Return what the claims of predicates look like: while they are folded, at most `most` of each, those that say the same as one."""
        standing: dict[tuple[str, str], list[Held]] = {}
        same: dict[int, list[Held]] = {}
        for name, claims in named:
            if most is None:
                standing[name] = claims
                continue
            firsts: dict[Any, Held] = {}
            for one in next((its for wanted in _CURRENT if (its := [one for one in claims if one.status in wanted])), claims[:1]):
                alike = (
                    one.key,
                    one.value_code if one.value_code is not None else one.id,
                    one.status,
                    one.number in self.contested,
                    one.number in self.expired,
                )
                first = firsts.setdefault(alike, one)
                if first is not one:
                    same.setdefault(first.number, []).append(one)
            standing[name] = list(firsts.values())
        rows = {row.id: row for row in self.rows([one for name, _ in named for one in standing[name][:most]], same)}
        found = []
        for name, claims in named:
            states: dict[str, int] = {}
            for one in claims:
                states[one.status.name] = states.get(one.status.name, 0) + 1
            folded = tuple(rows[one.id] for one in standing[name][:most])
            found.append(SubjectGroup(*name, len(claims), states, folded, len(standing[name]) - len(folded)))
        return tuple(found)


def since(one: Held) -> int | None:
    """Return from when on a claim speaks: since it holds, else when it was observed."""
    return one.valid_from if one.valid_from is not None else one.observed_at


def _nothing(subject: str) -> Refusal:
    return Refusal(Code.NOT_FOUND, f"Nothing that you may see is held about {subject[:80]!r}. Check how it is written, or look it up.")


def describe_subject(look: SubjectLook, scope: str | None, predicate: str | None, state: str | None, start: int, *, whole: bool) -> SubjectView:
    """Return counts, and the groups or the list asked for.

    Args:
        scope: the one looked into, None for all.
        predicate, state: list the claims of this predicate, in this state (`STATES`), instead of the groups.
        start: how many claims of the list, or groups, to leave out.
        whole: leave nothing out and fold nothing, for a print.
    """
    scopes: dict[str, int] = {}
    for one in look.held:
        scopes[one.scope] = scopes.get(one.scope, 0) + 1
    grouped = look.grouped()
    rows: tuple[SubjectRow, ...] | None = None
    groups: tuple[SubjectGroup, ...] = ()
    total = 0
    if predicate is not None or state is not None:
        kept = state if state in STATES else "held"
        wanted = [one for (_, name), claims in grouped.items() if predicate in (None, name) for one in claims if look.is_in(one, kept)]
        rows, total = look.rows(wanted if whole else wanted[start : start + ROWS]), len(wanted)
    else:
        named = list(grouped.items())
        groups = look.groups(named if whole else named[start : start + GROUPS], None if whole else VALUES)
    return SubjectView(
        look.subject, look.tenant, scope, format_optional(look.at) or "", look.count(), dict(sorted(scopes.items())), groups, len(grouped), rows, total,
        *look.bounded(),
    )  # fmt: skip
