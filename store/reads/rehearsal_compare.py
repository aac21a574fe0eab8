"""Two rehearsals side by side: what only one of them does, what both do, and how much work each leaves behind."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.export_copies import carry
from store.db.impacts import hidden_scopes, hide
from store.db.plan_lists import load_named
from store.db.rehearsals import SavedPlan, load_saved
from store.db.transaction import Reading, read
from store.db.veils import shown_key_names
from store.domain.aftermath import Seen
from store.domain.comparing import WHICH, Sides, compare_sides, count_decisions, fingerprint_of_both, people_told
from store.domain.errors import Code, Refusal
from store.domain.handing_out import Carried, Handout
from store.domain.snapshot import ANSWERS
from store.domain.status import Status
from store.domain.text import guard_cell
from store.reads.plan_rows import RowPage
from store.reads.rehearsal_rows import describe_saved
from store.reads.rehearsals import SavedRehearsal, find_rehearsal, row_of_saved

#: What is compared as sets, each with a list: records, then claim keys, then people.
COMPARED = ("affected", "delivered", "by_hand", "together", "stopped", "blocked", "answers", "conflicts", "messages")
_RECORDS = ("affected", "delivered", "by_hand", "together", "stopped", "blocked")
_BATCH = 5000
_COLUMNS = ("fingerprint", "where", "id", "kind", "what", "title", "scope", "owner", "now", "then_in_one", "then_in_other", "delivered")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rehearsals side by side, as they were saved.

    Attributes:
        counts: what is compared -> how many there are of each of `WHICH`.
        decisions: how many decisions each leaves to be made.
    """

    tenant: str
    one: SavedRehearsal
    other: SavedRehearsal
    fingerprint: str
    counts: dict[str, dict[str, int]]
    decisions: tuple[int, int]


@dataclass(slots=True)
class _Both:
    number: int
    one: SavedPlan
    other: SavedPlan
    first: Seen
    second: Seen
    sides: dict[str, Sides]

    @property
    def fingerprint(self) -> str:
        return fingerprint_of_both(self.one.fingerprint, self.other.fingerprint)


def compare_rehearsals(store: ClaimStore, person: str, tenant: str, one: str, other: str, *, authenticated: bool = False) -> Comparison:
    """Return two rehearsals of a tenant side by side, as they were saved.

    Raises:
        Refusal: `not_found` for one the person may not see; `bad_value` for a rehearsal beside itself.
    """
    with read(store, person, authenticated=authenticated) as reading:
        both = _load(reading, tenant, one, other)
        counts = {name: sides.counts() for name, sides in both.sides.items()}
        told = set(people_told(both.first)), set(people_told(both.second))
        counts["messages"] = {
            "one": len(told[0]), "other": len(told[1]), "only_one": len(told[0] - told[1]), "only_other": len(told[1] - told[0]),
            "both": len(told[0] & told[1]), "differ": 0,
        }  # fmt: skip
        rows = row_of_saved(reading, both.number, tenant, both.one), row_of_saved(reading, both.number, tenant, both.other)
        decisions = count_decisions(both.first), count_decisions(both.second)
        return Comparison(tenant, *rows, both.fingerprint, counts, decisions)


def list_compared(
    store: ClaimStore, person: str, tenant: str, one: str, other: str, what: str, which: str, *, start: int = 0, limit: int = 50,
    authenticated: bool = False,
) -> RowPage:  # fmt: skip
    """Return a page of the list behind one count of a comparison.

    Args:
        what: one of `COMPARED`; `which`: one of `WHICH`.

    Raises:
        Refusal: there is no such list.
    """
    if what not in COMPARED or which not in WHICH:
        raise Refusal(Code.BAD_VALUE, "A comparison has no such list. Choose one of its counts.")
    with read(store, person, authenticated=authenticated) as reading:
        both = _load(reading, tenant, one, other)
        if what == "messages":
            return _people(reading, both, which, start, limit)
        members = both.sides[what].pick(which)
        if what in _RECORDS:
            shown = _visible(reading, both.number, members)
            items = list(_describe(reading, both, shown[start : start + limit]))
        else:
            shown, items = _keys(reading, both, what, members, start, limit)
        return RowPage(len(members), len(members) - len(shown), items)


def _load(reading: Reading, tenant: str, one: str, other: str) -> _Both:
    if one == other:
        raise Refusal(Code.BAD_VALUE, "A rehearsal beside itself shows nothing. Choose another one to compare it with.")
    number, first = find_rehearsal(reading, tenant, one)
    _, second = find_rehearsal(reading, tenant, other)
    seen = load_saved(reading.connection, number, first.number), load_saved(reading.connection, number, second.number)
    return _Both(number, first, second, *seen, compare_sides(*seen))


def _visible(reading: Reading, number: int, members: Sequence[int]) -> list[int]:
    records = np.array(members, dtype=np.int64)
    scopes = hidden_scopes(reading.connection, number, reading.actor)
    shown: list[int] = records[hide(reading.snapshot(number), records, scopes)].tolist() if len(records) else []
    return shown


def _outcome(both: _Both, record: int) -> tuple[str | None, str | None]:
    """Return the status of a record after each of the two; None where a plan neither changes it nor leaves it in need of re-validation."""
    found = []
    for side in ("one", "other"):
        changed = getattr(both.sides["affected"], side).get(record)
        left = record in getattr(both.sides["by_hand"], side) or record in getattr(both.sides["together"], side)
        found.append(Status(changed).name if changed is not None else Status.STALE.name if left else None)
    return found[0], found[1]


def _describe(reading: Reading, both: _Both, records: Sequence[int]) -> Iterator[dict[str, Any]]:
    delivered = set(both.first.delivered) | set(both.second.delivered)
    marks = {name: both.sides[name] for name in ("by_hand", "together")}
    for begin in range(0, len(records), _BATCH):
        some = records[begin : begin + _BATCH]
        named = load_named(reading.connection, both.number, some)
        for record in some:
            one, then = named[record], _outcome(both, record)
            looks = [next((name for name, its in marks.items() if record in getattr(its, side)), None) for side in ("one", "other")]
            yield {
                "id": one.id, "kind": one.kind, "title": one.title, "label": one.label, "owner": one.owner, "scope": one.scope,
                "edition": one.edition, "now": one.status, "one": then[0], "other": then[1], "looks": looks, "delivered": record in delivered,
            }  # fmt: skip


def _keys(reading: Reading, both: _Both, what: str, members: Sequence[int], start: int, limit: int) -> tuple[list[int], list[dict[str, Any]]]:
    scopes = hidden_scopes(reading.connection, both.number, reading.actor)
    snapshot = reading.snapshot(both.number)
    shown = [key for key in members if int(snapshot.keys.scope[key]) not in scopes]
    some = shown[start : start + limit]
    names = shown_key_names(reading.connection, both.number, some)
    items = []
    for key in some:
        row: dict[str, Any] = {**names[key]}
        for side, seen in (("one", both.first), ("other", both.second)):
            if what == "answers":
                codes = seen.answers.get(key)
                row[side] = None if codes is None else ANSWERS[codes[1]]
                row["before"] = row.get("before") or (None if codes is None else ANSWERS[codes[0]])
            else:
                row[side] = "opened" if key in seen.opened else "changed" if key in seen.changed else None
        items.append(row)
    return shown, items


def _people(reading: Reading, both: _Both, which: str, start: int, limit: int) -> RowPage:
    """Return who is told; whom only what the viewer may not see concerns is counted and not named."""
    first, second = people_told(both.first), people_told(both.second)
    one, other = set(first), set(second)
    members = {"one": one, "other": other, "only_one": one - other, "only_other": other - one, "both": one & other, "differ": set()}[which]
    shown = set(_visible(reading, both.number, sorted({record for told in (first, second) for records in told.values() for record in records})))
    named = sorted(name for name in members if not shown.isdisjoint(first.get(name, set()) | second.get(name, set())))
    owners = both.first.owners.keys() | both.second.owners.keys()
    items = [{"person": name, "owner": name in owners, "one": name in one, "other": name in other} for name in named[start : start + limit]]
    return RowPage(len(members), len(members) - len(named), items)


# --- as a file ----------------------------------------------------------------------------------------------------


def _where(sides: Sides, record: int) -> str:
    if record not in sides.other:
        return "only in the first"
    if record not in sides.one:
        return "only in the second"
    return "in both" if sides.one[record] == sides.other[record] else "in both, with another outcome"


def _all_rows(reading: Reading, both: _Both) -> Iterator[tuple[str, dict[str, Any]]]:
    sides = both.sides["affected"]
    members = [*sides.pick("only_one"), *sides.pick("only_other"), *sides.pick("both")]
    shown = _visible(reading, both.number, members)
    for record, row in zip(shown, _describe(reading, both, shown), strict=True):
        yield _where(sides, record), row
    if len(shown) < len(members):
        yield f"{len(members) - len(shown)} more in scopes you may not see", {}


def _carried(reading: Reading, tenant: str, both: _Both) -> Carried:
    sides = both.sides["affected"]
    shown = _visible(reading, both.number, [*sides.pick("only_one"), *sides.pick("only_other"), *sides.pick("both")])
    return carry(reading, both.number, tenant, shown, len(shown))


def export_comparison_csv(store: ClaimStore, person: str, tenant: str, one: str, other: str, *, authenticated: bool = False) -> Handout:
    """Return every record that either of two rehearsals changes as CSV that a spreadsheet does not run."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    with read(store, person, authenticated=authenticated) as reading:
        both = _load(reading, tenant, one, other)
        for where, row in _all_rows(reading, both):
            cells = [both.fingerprint, where, *(str(row.get(name) or "") for name in ("id", "kind", "label", "title", "scope", "owner", "now", "one", "other"))]
            writer.writerow([guard_cell(cell) for cell in (*cells, "yes" if row.get("delivered") else "")])
        carried = _carried(reading, tenant, both)
    return Handout(out.getvalue().encode("utf-8-sig"), (carried,))


def export_comparison_json(store: ClaimStore, person: str, tenant: str, one: str, other: str, *, authenticated: bool = False) -> Handout:
    """Return a comparison with every record of it as one JSON document."""
    compared = compare_rehearsals(store, person, tenant, one, other, authenticated=authenticated)
    with read(store, person, authenticated=authenticated) as reading:
        both = _load(reading, tenant, one, other)
        found = {
            "fingerprint": both.fingerprint, "one": describe_saved(both.one), "other": describe_saved(both.other), "counts": compared.counts,
            "decisions": list(compared.decisions), "records": [{"where": where, **row} for where, row in _all_rows(reading, both)],
        }  # fmt: skip
        carried = _carried(reading, tenant, both)
    return Handout(json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8"), (carried,))
