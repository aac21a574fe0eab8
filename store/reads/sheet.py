"""The decisions of one day: what was decided, on which passage, by whom, when and why; a page at a time, or all as CSV.

A day is a day of UTC. What a person may not see in full is left out, as if it were not there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from threading import Lock
from typing import Any

from store.db.agenda import (
    DeskEvent,
    KeptDecision,
    NamedConflict,
    decisions_at,
    events_between,
    first_event_since,
    name_conflicts,
    replaced_after,
    touched_by,
)
from store.db.claim_store import ClaimStore
from store.db.export_copies import carry, sides_of
from store.db.plan_lists import event_number
from store.db.records import find_numbers, load_cards, rejected_as_sensitive
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.veils import load_shown
from store.db.waiting import name_sources
from store.domain.errors import Code, Refusal
from store.domain.handing_out import Carried, Handout
from store.domain.people import Right
from store.domain.records import Card
from store.domain.scopes import covers, tenant_of
from store.domain.status import KIND_WORD, Status
from store.domain.text import canonical_json, guard_cell, question_title
from store.domain.times import format_time
from store.reads.export import write_cells

#: What a sheet lists, in the order its counts come.
SHEET_ACTIONS = ("approve", "first", "reject", "reopen", "amend", "renew", "verdict", "question", "asked")
SHEET_PAGE, SHEET_WHOLE = 100, 1_000
#: The most events of a tenant's day that are looked at.
SHEET_MOST = 5_000
_OF_ONE = ("approve", "reject", "reopen", "amend", "renew", "ask_which")
_OF_CONFLICTS = ("resolve", "settle")
#: What a decision row calls an action, and what a sheet does.
_ACTIONS = {"first approval": "first"}
#: Events by which clocks may run back.
_SLACK = 200
_KEPT = 16
_LONGEST = 600
_COLUMNS = (
    "time", "decision", "route", "id", "kind", "scope", "statement", "value", "quote", "source", "source_version", "reason", "terms", "decided_by", "name",
    "tenant", "event",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One decision. Texts come from outside.

    Attributes:
        action: one of SHEET_ACTIONS; `verdict`: of a conflict, how it was settled.
        kind: `claim`, `artifact` or `conflict`.
        terms: what was set with the decision, what an amendment changed, or the new dates.
        withheld: it was rejected as too sensitive, so its words are not told any more (R5).
    """

    tenant: str
    seq: int
    at: int
    person: str
    name: str
    action: str
    id: str
    kind: str
    scope: str
    route: str | None = None
    verdict: str | None = None
    reason: str | None = None
    terms: dict[str, Any] | None = None
    statement: str = ""
    value: Any = None
    quote: str | None = None
    source: str | None = None
    source_version: int | None = None
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class DecisionSheet:
    """A page of a day's decisions, in the order they were made.

    Attributes:
        day: its ISO date; `today`: the ISO date of now.
        total: rows in all; `counts`: action -> how many, `people`: (id, name, how many), each of the sheet without its own filter.
        cut: more was decided than a sheet holds, so that only the first of it is here.
        first: place of the page's first row; `next`: where the next page starts, None at the end.
    """

    day: str
    today: str
    total: int
    counts: dict[str, int]
    people: tuple[tuple[str, str, int], ...]
    cut: bool
    rows: tuple[SheetRow, ...]
    first: int
    next: int | None


@dataclass(frozen=True, slots=True)
class _Head:
    """A decision before its words are read; `record` 0 for a conflict."""

    number: int
    record: int
    row: SheetRow


def list_decided(
    store: ClaimStore, person: str, day: str | None = None, *, scope: str | None = None, by: str | None = None, action: str | None = None, after: int = 0,
    whole: bool = False, authenticated: bool = False,
) -> DecisionSheet:  # fmt: skip
    """Return a page of what was decided on a day, today by default.

    Args:
        day: an ISO date; `by`: the id of a person; `action`: one of SHEET_ACTIONS.
        whole: the first 1,000 rows at once, for a print.

    Raises:
        Refusal: that is no day, or the person may see nothing in full.
    """
    with read(store, person, authenticated=authenticated) as reading:
        chosen, heads, cut = _heads(reading, day, scope)
        counts = {one: sum(head.row.action == one and by in (None, head.row.person) for head in heads) for one in SHEET_ACTIONS}
        people: dict[str, tuple[str, int]] = {}
        for head in heads:
            if action in (None, head.row.action):
                people[head.row.person] = (head.row.name, people.get(head.row.person, ("", 0))[1] + 1)
        wanted = [head for head in heads if by in (None, head.row.person) and action in (None, head.row.action)]
        first = max(0, after)
        shown = wanted[first : first + (SHEET_WHOLE if whole else SHEET_PAGE)]
        following = first + len(shown)
        named = tuple(sorted(((one, name, count) for one, (name, count) in people.items()), key=lambda item: (-item[2], item[1])))
        return DecisionSheet(
            chosen, _day_of(reading.at).isoformat(), len(wanted), {one: count for one, count in counts.items() if count}, named, cut,
            tuple(_words(reading, shown)), first, following if following < len(wanted) else None,
        )  # fmt: skip


def export_sheet_csv(
    store: ClaimStore, person: str, day: str | None = None, *, scope: str | None = None, by: str | None = None, action: str | None = None,
    authenticated: bool = False,
) -> Handout:  # fmt: skip
    """Return every row of a day's sheet as CSV that a spreadsheet shows and never runs; what is cut says so in the last line."""
    with read(store, person, authenticated=authenticated) as reading:
        _, heads, cut = _heads(reading, day, scope)
        wanted = [head for head in heads if by in (None, head.row.person) and action in (None, head.row.action)]
        lines = [write_cells(list(_COLUMNS)), *(write_cells(_cells(row)) for row in _words(reading, wanted))]
        if cut:
            lines.append(write_cells([f"Only the first {SHEET_MOST:,} events of this day are in this file."]))
        return Handout(("\ufeff" + "".join(lines)).encode("utf-8"), tuple(_carried(reading, wanted)))


def _carried(reading: Reading, heads: list[_Head]) -> Iterator[Carried]:
    """Yield what the rows of a sheet carry of each tenant; of a conflict, what its sides tell and rest on."""
    for number, tenant in sorted({(head.number, head.row.tenant) for head in heads}):
        mine = [head for head in heads if head.number == number]
        sides = sides_of(reading.connection, number, [head.row.id for head in mine if not head.record])
        yield carry(reading, number, tenant, [*sides, *(head.record for head in mine if head.record)], len(mine), around=True)


def decided_today(reading: Reading, scope: str | None) -> tuple[tuple[str, str, int], ...]:
    """Return who decided how much today: (id, name, count), the person who reads first; nothing for who may see no decisions."""
    if not reading.actor.scopes_with(Right.INSPECT):
        return ()
    found: dict[str, tuple[str, int]] = {}
    for head in _heads(reading, None, scope)[1]:
        found[head.row.person] = (head.row.name, found.get(head.row.person, ("", 0))[1] + 1)
    rows = [(one, name, count) for one, (name, count) in found.items()]
    return tuple(sorted(rows, key=lambda row: (row[0] != reading.actor.id, -row[2], row[1])))


#: (store, tenant, event, person, roles, scope, day) -> what was decided; true for ever, so kept for a while.
_kept: OrderedDict[tuple[object, ...], tuple[list[_Head], bool]] = OrderedDict()
_lock = Lock()


def _day_of(at: int) -> date:
    return datetime.fromtimestamp(at / 1_000_000, UTC).date()


def _heads(reading: Reading, day: str | None, scope: str | None) -> tuple[str, list[_Head], bool]:
    """Return the day, its decisions that the person may see, and whether some were left out because there are too many."""
    if not reading.actor.scopes_with(Right.INSPECT):
        raise Refusal(
            Code.NOT_ALLOWED, f"{reading.actor.name} may not see what others decided: that takes a reviewer, admin or auditor. Ask an admin."
        )
    try:
        chosen = _day_of(reading.at) if day is None else date.fromisoformat(day)
        start = int(datetime(chosen.year, chosen.month, chosen.day, tzinfo=UTC).timestamp()) * 1_000_000
        end = start + int(timedelta(days=1).total_seconds()) * 1_000_000
    except (ValueError, OverflowError):
        raise Refusal(Code.BAD_VALUE, f"{(day or '')[:40]!r} is no day such as 2026-07-01. Choose another.") from None
    heads: list[_Head] = []
    cut = False
    for number, name in tenants_of(reading, Right.INSPECT):
        if scope is not None and tenant_of(scope) != name:
            continue
        latest = event_number(reading.connection, number)
        key = (f"{reading.store.lineage}:{reading.store.url}", number, latest, reading.actor.id, reading.actor.roles, scope, start)
        with _lock:
            known = _kept.get(key)
        if known is None:
            known = _read_day(reading, number, name, scope, start, end, latest)
            with _lock:
                _kept[key] = known
                while len(_kept) > _KEPT:
                    _kept.popitem(last=False)
        heads += known[0]
        cut = cut or known[1]
    return chosen.isoformat(), sorted(heads, key=lambda head: (head.row.at, head.row.tenant, head.row.seq)), cut


def _read_day(
    reading: Reading, number: int, name: str, scope: str | None, start: int, end: int, latest: int
) -> tuple[list[_Head], bool]:  # fmt: skip
    first = max(1, first_event_since(reading.connection, number, start, latest) - _SLACK)
    last = min(latest, first_event_since(reading.connection, number, end, latest) + _SLACK)
    events = events_between(reading.connection, number, first, last, start, end, (*_OF_ONE, *_OF_CONFLICTS, "supersede"), SHEET_MOST + 1)
    return _Tenant(reading, number, name, scope, events[:SHEET_MOST]).heads(), len(events) > SHEET_MOST


class _Tenant:
    """The decisions among some events of one tenant."""

    def __init__(self, reading: Reading, number: int, name: str, scope: str | None, events: list[DeskEvent]) -> None:
        self.reading, self.number, self.name, self.scope, self.events = reading, number, name, scope, events

    def _shown(self, scope: str) -> bool:
        return self.reading.actor.may(Right.INSPECT, scope) and (self.scope is None or covers(self.scope, scope))

    def heads(self) -> list[_Head]:
        """Return the decisions in the order they were made."""
        connection = self.reading.connection
        of_records = {event.seq: self._named(event) for event in self.events if event.action not in _OF_CONFLICTS}
        numbers = find_numbers(connection, self.number, sorted({one for one in of_records.values() if isinstance(one, str)}))
        records = {seq: numbers.get(one, 0) if isinstance(one, str) else one for seq, one in of_records.items()}
        cards = load_cards(connection, self.number, [one for one in records.values() if one])
        spread = [event.seq for event in self.events] or [0]
        decisions = decisions_at(connection, self.number, cards, spread[0], spread[-1])
        roots = {event.seq: self._roots(event) for event in self.events if event.action in _OF_CONFLICTS}
        conflicts = name_conflicts(connection, self.number, {one for its in roots.values() for one in its})
        found: list[_Head] = []
        for event in self.events:
            if event.seq in roots:
                found += self._of_conflicts(event, [conflicts[one] for one in roots[event.seq] if one in conflicts])
            elif records[event.seq] in cards:
                card = cards[records[event.seq]]
                found += self._of_record(event, card, decisions.get((card.number, event.seq)))
        return found

    def _named(self, event: DeskEvent) -> str | int:
        """Return the id of the record an event decided on; where its note was erased, the number of what it touched."""
        if event.action == "supersede":
            plan = event.words[0] if event.words else {}
            return str(plan.get("by") or "") if isinstance(plan, dict) else ""
        if event.words:
            return str(event.words[0])
        touched = touched_by(self.reading.connection, self.number, event.seq)
        return touched[0] if len(touched) == 1 else 0

    def _roots(self, event: DeskEvent) -> list[str]:
        plan = event.words[0] if event.words else {}
        return [one for one in plan.get("roots", []) if isinstance(one, str)] if isinstance(plan, dict) else []

    def _row(self, event: DeskEvent, action: str, id_: str, kind: str, scope: str) -> SheetRow:
        return SheetRow(self.name, event.seq, event.at, event.person, event.name, action, id_, kind, scope, reason=event.note.get("reason"))

    def _of_record(self, event: DeskEvent, card: Card, decision: KeptDecision | None) -> list[_Head]:
        if not self._shown(card.scope) or (decision is None and event.action not in ("amend", "renew", "ask_which")):
            return []
        if event.action == "ask_which":
            # Whether it waits on or became a side of a conflict, what was decided is that somebody is asked.
            return [_Head(self.number, card.number, self._row(event, "asked", card.id, KIND_WORD[card.kind], card.scope))]
        row = self._row(event, _ACTIONS.get(decision.action, decision.action) if decision else event.action, card.id, KIND_WORD[card.kind], card.scope)
        if decision is not None:
            row = replace(row, route=decision.route, reason=decision.reason or row.reason, terms=decision.terms)
        elif event.action == "amend" and len(event.words) > 1 and isinstance(event.words[1], dict):
            row = replace(row, terms=event.words[1])
        elif event.action == "renew" and len(event.words) > 2:
            dates = {"review_at": event.words[1], "expires_at": event.words[2]}
            row = replace(row, terms={name: format_time(when) for name, when in dates.items() if isinstance(when, int)})
        return [_Head(self.number, card.number, row)]

    def _of_conflicts(self, event: DeskEvent, conflicts: list[NamedConflict]) -> list[_Head]:
        found = []
        for one in conflicts:
            asked = event.seq in one.asked_seqs
            if not self._shown(one.scope) or not (asked or one.closed_seq == event.seq):
                continue
            row = self._row(event, "question" if asked else "verdict", one.id, "conflict", one.scope)
            verdict = "unclear" if asked else one.verdict
            found.append(_Head(self.number, 0, replace(row, verdict=verdict, statement=question_title(one.subject, one.predicate)[:_LONGEST])))
        return found


# --- words ---------------------------------------------------------------------------------------------------------


def _words(reading: Reading, heads: list[_Head]) -> list[SheetRow]:
    """Return rows with the statement, value and passage as they were when it was decided."""
    parts: dict[int, list[_Head]] = {}
    for head in heads:
        if head.record:
            parts.setdefault(head.number, []).append(head)
    words: dict[tuple[str, int, int], dict[str, Any]] = {}
    for number, its in parts.items():
        words |= _words_of(reading, number, its)
    return [replace(head.row, **words.get((head.row.tenant, head.row.seq, head.record), {})) for head in heads]


def _words_of(reading: Reading, number: int, heads: list[_Head]) -> dict[tuple[str, int, int], dict[str, Any]]:
    connection = reading.connection
    cards = load_cards(connection, number, [head.record for head in heads])
    gone = {one for one, card in cards.items() if card.status in (Status.DELETED, Status.DELETION_PENDING)}
    withheld = gone | rejected_as_sensitive(connection, number, [one for one, card in cards.items() if card.status is Status.REJECTED])
    told = [card for one, card in cards.items() if one not in withheld]
    now = {one: content.to_line() for one, content in load_shown(connection, number, told, with_bytes=False).items()}
    before = replaced_after(connection, number, [one for one in cards if one not in withheld], min(head.row.seq for head in heads))
    lines = {
        (head.row.seq, head.record): next((line for seq, line in before.get(head.record, ()) if seq > head.row.seq), now[head.record])
        for head in heads
        if head.record not in withheld
    }
    bound = {name: (line.get("evidence") or [{}])[0] for name, line in lines.items()}
    sources = name_sources(connection, number, sorted({str(one["evidence"]) for one in bound.values() if one.get("evidence")}))
    found: dict[tuple[str, int, int], dict[str, Any]] = {}
    for head in heads:
        name = (head.row.seq, head.record)
        if name not in lines:
            # What an amendment changed would tell the value again.
            found[head.row.tenant, *name] = {"withheld": True, **({"terms": None} if head.row.action == "amend" else {})}
            continue
        line, evidence = lines[name], str(bound[name].get("evidence") or "")
        source, quote = sources.get(evidence, {}), bound[name].get("quote")
        called = line.get("statement") or (question_title(line["subject"], line["predicate"]) if "subject" in line else line.get("title") or line["id"])
        found[head.row.tenant, *name] = {
            "statement": str(called)[:_LONGEST], "value": line.get("value"), "quote": str(quote)[:_LONGEST] if quote else None,
            "source": (source.get("title") or source.get("source") or evidence) or None, "source_version": source.get("version"),
        }  # fmt: skip
    return found


def _cells(row: SheetRow) -> list[str]:
    found = {
        "time": format_time(row.at), "decision": "first approval" if row.action == "first" else row.action, "route": row.verdict or row.route, "id": row.id, "kind": row.kind, "scope": row.scope,
        "statement": "(withheld)" if row.withheld else row.statement, "value": row.value if isinstance(row.value, str) or row.value is None else canonical_json(row.value),
        "quote": row.quote, "source": row.source, "source_version": row.source_version, "reason": row.reason,
        "terms": canonical_json(row.terms) if row.terms else None, "decided_by": row.person, "name": row.name, "tenant": row.tenant, "event": row.seq,
    }  # fmt: skip
    return [guard_cell(str(found[name])) if found[name] is not None else "" for name in _COLUMNS]
