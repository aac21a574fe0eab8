"""The lists behind each count of a rehearsal, a page at a time; one path in full; and the whole of it as a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.export_copies import carry
from store.db.impacts import hidden_scopes, hide
from store.db.keys import load_scopes
from store.db.plan_lists import Named, load_deliveries, load_named, load_told
from store.db.records import find_numbers
from store.db.stays import say_why
from store.db.transaction import Reading, read
from store.db.veils import ShownNames, shown_key_names
from store.domain.errors import Code, Refusal
from store.domain.handing_out import Carried, Handout
from store.domain.reach import UNREACHED, Ints
from store.domain.snapshot import ANSWERS
from store.domain.status import KIND_WORD, Kind, Status
from store.domain.text import guard_cell
from store.domain.times import format_optional, format_time
from store.reads.plan_page import Rehearsal

PLAN_TABS = ("delivered", "affected", "stale", "owners", "answers", "conflicts", "blocked", "untouched", "told")
_BATCH = 5000


@dataclass(frozen=True, slots=True)
class RowPage:
    """One page of a list.

    Attributes:
        total: as on the tile, what the viewer may not see included.
        hidden: how many of the total are in scopes the viewer may not see.
    """

    total: int
    hidden: int
    items: list[dict[str, Any]] = field(default_factory=list)


def list_plan_rows(
    store: ClaimStore, rehearsal: Rehearsal, tab: str, *, start: int = 0, limit: int = 50, groups: Sequence[int] | None = None,
    authenticated: bool = False,
) -> RowPage:  # fmt: skip
    """Return one page of a list.

    Args:
        store: the store.
        rehearsal: the plan, worked out.
        tab: one of `PLAN_TABS`.
        start: how many rows to leave out.
        limit: how many rows to describe at most.
        groups: only affected records of these groups; for `affected` and `stale`.
        authenticated: whether it is proved who asks.
    """
    with read(store, rehearsal.person, authenticated=authenticated) as reading:
        lister = _Lister(reading, rehearsal, start, limit)
        if tab in ("affected", "stale"):
            return lister.affected(tab, groups)
        return {
            "delivered": lister.delivered, "owners": lister.owners, "answers": lister.answers, "conflicts": lister.conflicts,
            "blocked": lister.blocked, "untouched": lister.untouched, "told": lister.told,
        }[tab]()  # fmt: skip


class _Lister:
    """One look at the store, for one page."""

    def __init__(self, reading: Reading, rehearsal: Rehearsal, start: int, limit: int) -> None:
        self.reading, self.found, self.number = reading, rehearsal, rehearsal.number
        self.impact, self.snapshot = rehearsal.impact, rehearsal.snapshot
        self.page = slice(start, start + limit)
        self.scopes = hidden_scopes(reading.connection, self.number, reading.actor)

    def _visible(self, records: Ints) -> Ints:
        return records[hide(self.snapshot, records, self.scopes)] if len(records) else records

    def _named(self, records: Sequence[int]) -> dict[int, Named]:
        return load_named(self.reading.connection, self.number, records)

    def affected(self, tab: str, groups: Sequence[int] | None) -> RowPage:
        """Return records whose status changes."""
        places = self.found.order
        if tab == "stale":
            places = places[self.impact.affected.new[places] == Status.STALE]
        if groups is not None:
            places = places[np.isin(self.found.folded.of[places], list(groups))]
        shown = places[hide(self.snapshot, self.impact.affected.records[places], self.scopes)] if len(places) else places
        return RowPage(len(places), len(places) - len(shown), self.rows(shown[self.page]))

    def rows(self, places: Ints) -> list[dict[str, Any]]:
        """Return affected records by their place."""
        affected, columns = self.impact.affected, self.snapshot.columns
        records, via = affected.records[places], affected.via[places]
        return self._describe(
            records, affected.old[places].tolist(), affected.new[places].tolist(), affected.distance[places].tolist(), via.tolist(),
            columns.kind[records] == Kind.ARTIFACT,
        )  # fmt: skip

    def _describe(self, records: Ints, old: list[int], new: list[int], distance: list[int], via: list[int], artifacts: Any) -> list[dict[str, Any]]:
        columns = self.snapshot.columns
        parents = [parent for parent in set(via) if parent != UNREACHED]
        named = self._named([*records.tolist(), *parents])
        sent = load_deliveries(self.reading.connection, self.number, records[artifacts].tolist())
        found = []
        for record, was, now, steps, parent in zip(records.tolist(), old, new, distance, via, strict=True):
            one = named[record]
            cause = None
            if parent != UNREACHED:
                seen = int(columns.scope[parent]) not in self.scopes
                cause = {"id": named[parent].id, "title": named[parent].title} if seen else {"id": None, "title": "something you may not see"}
            found.append({
                "number": record, "id": one.id, "kind": one.kind, "title": one.title, "label": one.label, "owner": one.owner, "scope": one.scope,
                "edition": one.edition, "text": one.text, "from": Status(was).name, "to": Status(now).name, "distance": steps, "via": cause,
                "deliveries": [
                    {"recipient": recipient, "channel": channel, "at": at} for recipient, channel, at in sent.get(record, [])
                ],
            })  # fmt: skip
        return found

    def delivered(self) -> RowPage:
        """Return delivered artifacts in the reach, whatever their status: those nobody owns first, then those that change."""
        impact, columns = self.impact, self.snapshot.columns
        after = impact.status_after[impact.delivered]
        changes = columns.status[impact.delivered] != after
        records = impact.delivered[np.lexsort((impact.delivered, ~changes, columns.owner[impact.delivered] != 0))]
        shown = self._visible(records)
        some = shown[self.page]
        order = np.argsort(impact.walk.records, kind="stable")
        at = order[np.searchsorted(impact.walk.records, some, sorter=order)]
        items = self._describe(
            some, columns.status[some].tolist(), impact.status_after[some].tolist(), impact.walk.distance[at].tolist(),
            impact.walk.via[at].tolist(), np.ones(len(some), dtype=bool),
        )  # fmt: skip
        return RowPage(len(records), len(records) - len(shown), items)

    def owners(self) -> RowPage:
        """Return who is told, with their artifacts."""
        some = list(self.found.owners.items())[self.page]
        named = self._named([record for _, records in some for record in records[:20]])
        items = [
            {"owner": owner, "artifacts": len(records), "named": [{"id": named[one].id, "title": named[one].title} for one in records[:20]]}
            for owner, records in some
        ]  # fmt: skip
        return RowPage(len(self.found.owners), 0, items)

    def answers(self) -> RowPage:
        """Return answers that change, those that are served now first."""
        impact = self.impact
        seen = np.array([int(self.snapshot.keys.scope[key]) not in self.scopes for key in impact.keys.tolist()], dtype=bool)
        places = np.flatnonzero(seen)
        places = places[np.lexsort((impact.keys[places], impact.before[places] == 0, impact.after[places] == 1))][self.page]
        named = shown_key_names(self.reading.connection, self.number, impact.keys[places].tolist())
        items = [
            {**named[int(impact.keys[place])], "before": ANSWERS[int(impact.before[place])], "after": ANSWERS[int(impact.after[place])]}
            for place in places.tolist()
        ]
        return RowPage(len(impact.keys), int((~seen).sum()), items)

    def conflicts(self) -> RowPage:
        """Return conflicts that open, dissolve or get other sides."""
        impact = self.impact
        what = [
            *((key, "opened") for key in impact.opened),
            *((key, "dissolved") for key in impact.dissolved),
            *((key, "changed") for key in impact.changed),
        ]
        seen = [(key, change) for key, change in what if int(self.snapshot.keys.scope[key]) not in self.scopes]
        some = seen[self.page]
        named = shown_key_names(self.reading.connection, self.number, [key for key, _ in some])
        sides = {key: self._visible(self.snapshot.claims_of_keys(np.array([key], dtype=np.int64))).tolist()[:20] for key, _ in some}
        claims = self._named([record for its in sides.values() for record in its])
        items = []
        for key, change in some:
            its = [
                {
                    "id": claims[record].id, "text": claims[record].text, "from": Status(int(self.snapshot.columns.status[record])).name,
                    "to": Status(int(impact.status_after[record])).name,
                }
                for record in sides[key]
                if int(self.snapshot.columns.status[record]) in (Status.ACCEPTED, Status.DISPUTED) or impact.status_after[record] in (Status.ACCEPTED, Status.DISPUTED)
            ]  # fmt: skip
            items.append({**named[key], "change": change, "sides": its})
        return RowPage(len(what), len(what) - len(seen), items)

    def _plain(self, records: Ints) -> RowPage:
        shown = self._visible(records)
        named = self._named(shown[self.page].tolist())
        why = say_why(self.reading, self.number, self.snapshot, self.impact, shown[self.page].tolist())
        items = [
            {
                "number": one.number, "id": one.id, "kind": one.kind, "title": one.title, "label": one.label, "owner": one.owner, "text": one.text,
                "status": Status(int(self.snapshot.columns.status[one.number])).name,
                "why": why[one.number],
            }
            for one in (named[record] for record in shown[self.page].tolist())
        ]  # fmt: skip
        return RowPage(len(records), len(records) - len(shown), items)

    def blocked(self) -> RowPage:
        """Return candidates that could not be approved afterwards."""
        return self._plain(self.impact.candidates)

    def untouched(self) -> RowPage:
        """Return what is reached without effect, and why."""
        return self._plain(self.impact.untouched)

    def told(self) -> RowPage:
        """Return answers that told agents something of what falls."""
        paths = load_scopes(self.reading.connection, self.number)
        hidden_paths = {paths[number] for number in self.scopes}
        some = dict(list(self.found.told.items())[self.page])
        told = load_told(self.reading.connection, some)
        first = {one.number: self._visible(np.array(one.records, dtype=np.int64)).tolist()[:3] for one in told}
        named = self._named([record for records in first.values() for record in records])
        items, names = [], ShownNames(self.reading.connection, self.number)
        for one in told:
            question = one.question if one.question.get("scope") not in hidden_paths else {}
            within = str(question.get("scope") or "")
            items.append({
                "by": one.by, "at": one.at, "task": one.task, "subject": names.name(within, question["subject"]) if question.get("subject") else None, "predicate": question.get("predicate") or None,
                "text": names.name(within, question["text"]) if question.get("text") else None, "count": len(one.records),
                "records": [{"id": named[record].id, "title": named[record].title} for record in first[one.number]],
            })  # fmt: skip
        return RowPage(len(self.found.told), 0, items)


def explain_plan_path(store: ClaimStore, rehearsal: Rehearsal, record_id: str, *, authenticated: bool = False) -> list[dict[str, Any]]:
    """Return one full path from a root of the plan to a record it reaches, root first.

    Raises:
        Refusal: the plan does not reach it, or the viewer may not see it.
    """
    with read(store, rehearsal.person, authenticated=authenticated) as reading:
        record = find_numbers(reading.connection, rehearsal.number, [record_id]).get(record_id)
        path = rehearsal.impact.path_to(record) if record is not None else []
        columns, after = rehearsal.snapshot.columns, rehearsal.impact.status_after
        scopes = hidden_scopes(reading.connection, rehearsal.number, reading.actor)
        if not path or int(columns.scope[path[-1]]) in scopes:
            raise Refusal(Code.NOT_FOUND, f"The plan does not reach {record_id!r}, or you may not see it.")
        named = load_named(reading.connection, rehearsal.number, path)
        return [
            {
                "id": named[one].id if int(columns.scope[one]) not in scopes else None,
                "title": named[one].title if int(columns.scope[one]) not in scopes else "something you may not see",
                "kind": KIND_WORD[Kind(int(columns.kind[one]))], "from": Status(int(columns.status[one])).name, "to": Status(int(after[one])).name,
            }
            for one in path
        ]  # fmt: skip


# --- as a file ----------------------------------------------------------------------------------------------------

_COLUMNS = (
    "fingerprint", "id", "kind", "what", "title", "scope", "from", "to", "distance", "via", "owner", "delivered_to", "last_delivery",
)  # fmt: skip


def _all_rows(reading: Reading, rehearsal: Rehearsal) -> Iterator[dict[str, Any]]:
    lister = _Lister(reading, rehearsal, 0, 0)
    places = rehearsal.order
    shown = places[hide(rehearsal.snapshot, rehearsal.impact.affected.records[places], lister.scopes)] if len(places) else places
    for begin in range(0, len(shown), _BATCH):
        yield from lister.rows(shown[begin : begin + _BATCH])


def _carried(reading: Reading, rehearsal: Rehearsal) -> Carried:
    affected = rehearsal.impact.affected.records.tolist()
    return carry(reading, rehearsal.number, rehearsal.tenant, affected, len(rehearsal.order), around=True)


def _hidden_words(rehearsal: Rehearsal) -> str:
    return f"{rehearsal.hidden['count']} more in scopes you may not see, {rehearsal.hidden['delivered']} delivered"


def export_plan_csv(store: ClaimStore, rehearsal: Rehearsal, *, authenticated: bool = False) -> Handout:
    """Return every affected record as CSV that a spreadsheet does not run; one line per record, and one that counts what is hidden."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    with read(store, rehearsal.person, authenticated=authenticated) as reading:
        for row in _all_rows(reading, rehearsal):
            sent = row["deliveries"]
            cells = [
                rehearsal.fingerprint, row["id"], row["kind"], row["label"], row["title"], row["scope"], row["from"], row["to"], str(row["distance"]),
                (row["via"] or {}).get("id") or "", row["owner"] or "", "; ".join(one["recipient"] for one in sent),
                (format_optional(sent[0]["at"]) or "") if sent else "",
            ]  # fmt: skip
            writer.writerow([guard_cell(cell) for cell in cells])
        carried = _carried(reading, rehearsal)
    if rehearsal.hidden["count"]:
        writer.writerow([rehearsal.fingerprint, _hidden_words(rehearsal), *[""] * (len(_COLUMNS) - 2)])
    return Handout(out.getvalue().encode("utf-8-sig"), (carried,))


def export_plan_json(store: ClaimStore, rehearsal: Rehearsal, *, authenticated: bool = False) -> Handout:
    """Return the rehearsal with every affected record as one JSON document."""
    with read(store, rehearsal.person, authenticated=authenticated) as reading:
        rows = [
            {key: value for key, value in row.items() if key != "number"}
            | {"deliveries": [{**one, "at": format_optional(one["at"])} for one in row["deliveries"]]}
            for row in _all_rows(reading, rehearsal)
        ]
        carried = _carried(reading, rehearsal)
    found = {
        "fingerprint": rehearsal.fingerprint, "plan": rehearsal.plan.to_json(), "revision": rehearsal.revision, "complete": rehearsal.complete,
        "at": format_time(rehearsal.at), "totals": rehearsal.totals, "by_kind": rehearsal.by_kind, "coverage": rehearsal.coverage,
        "open_questions": rehearsal.unowned, "hidden": rehearsal.hidden, "affected": rows,
    }  # fmt: skip
    return Handout(json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8"), (carried,))
