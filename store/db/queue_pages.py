"""One page of a queue, found by the last number seen; totals from maintained counters."""

from __future__ import annotations

import heapq
import json
from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.db.conflicts import OPEN, earlier_verdict
from store.db.keys import find_party
from store.db.records import load_cards, load_ids
from store.db.tenants import visible_scopes
from store.db.transaction import Reading
from store.db.veils import ShownNames
from store.domain.errors import Code, Refusal
from store.domain.status import KIND_WORD, Kind, Status
from store.domain.times import format_optional

#: How far ahead `expiring` looks, in microseconds.
SOON = 30 * 24 * 3600 * 1_000_000


class QueuePage:
    """One tenant's part of a page."""

    def __init__(
        self, reading: Reading, tenant: int, name: str, scope: str | None, limit: int, owner: str | None, kind: str | None, newest: bool
    ) -> None:
        self.reading, self.connection, self.tenant, self.name = reading, reading.connection, tenant, name
        self.limit, self.owner, self.kind, self.newest = max(limit, 0), owner, kind, newest
        self.scopes, self.everything = visible_scopes(reading, tenant, scope)

    def find(self, queue: str, after: Any) -> tuple[int, list[dict[str, Any]], Any]:
        """Return total, items and where the next page starts."""
        if queue == "candidates":
            return self._waiting(Status.CANDIDATE, after)
        if queue == "stale":
            return self._waiting(Status.STALE, after)
        return self._conflicts(after) if queue == "conflicts" else self._expiring(after)

    # --- candidates and stale ----------------------------------------------------------------------------------

    def _waiting(self, status: Status, after: Any) -> tuple[int, list[dict[str, Any]], Any]:
        numbers = self._numbers(status, after)
        total = self._count(status)
        cards = load_cards(self.connection, self.tenant, numbers[: self.limit])
        items = [
            {
                "id": card.id, "kind": KIND_WORD[card.kind], "scope": card.scope, "owner": card.owner, "impact": "high" if card.high_impact else "normal",
                "tenant": self.name,
            }
            for card in (cards[number] for number in numbers[: self.limit])
        ]  # fmt: skip
        return total, items, numbers[self.limit - 1] if len(numbers) > self.limit and self.limit else None

    def _select(self, status: Status, after: Any, scope: int | None, owner: int | None) -> list[int]:
        s = t.record_state
        # Status and list stand in the text of the statement, because partial indexes are chosen by text.
        query = sa.select(s.c.record).where(
            s.c.tenant == self.tenant, s.c.status == sa.literal_column(str(int(status))), sa.text("record_state.status IN (0, 3)")
        )
        if scope is not None:
            query = query.where(s.c.scope == scope)
        if owner is not None:
            query = query.where(s.c.owner == owner)
        if self.kind is not None:
            query = query.where(s.c.kind == int(_kind(self.kind)))
        if after is not None:
            query = query.where(s.c.record < int(after) if self.newest else s.c.record > int(after))
        query = query.order_by(s.c.record.desc() if self.newest else s.c.record).limit(self.limit + 1)
        return list(self.connection.execute(query).scalars())

    def _numbers(self, status: Status, after: Any) -> list[int]:
        owner = None
        if self.owner is not None:
            owner = find_party(self.connection, self.tenant, self.owner)
            if owner is None:
                return []
        if self.everything:
            return self._select(status, after, None, owner)
        pages = [self._select(status, after, scope, owner) for scope in self.scopes]
        return list(heapq.merge(*pages, reverse=self.newest))[: self.limit + 1]

    def _count(self, status: Status) -> int:
        if self.owner is None:
            c = t.counter
            query = sa.select(sa.func.coalesce(sa.func.sum(c.c.n), 0)).where(c.c.tenant == self.tenant, c.c.status == int(status))
            if not self.everything:
                query = query.where(c.c.scope.in_(self.scopes))
            if self.kind is not None:
                query = query.where(c.c.kind == int(_kind(self.kind)))
            return int(self.connection.execute(query).scalar_one())
        owner = find_party(self.connection, self.tenant, self.owner)
        if owner is None:
            return 0
        if self.everything and self.kind is None:
            o = t.owner_counter
            query = sa.select(sa.func.coalesce(sa.func.sum(o.c.n), 0)).where(o.c.tenant == self.tenant, o.c.owner == owner, o.c.status == int(status))
            return int(self.connection.execute(query).scalar_one())
        s = t.record_state
        query = (
            sa.select(sa.func.count())
            .select_from(s)
            .where(s.c.tenant == self.tenant, s.c.status == int(status), s.c.owner == owner, s.c.scope.in_(self.scopes))
        )
        if self.kind is not None:
            query = query.where(s.c.kind == int(_kind(self.kind)))
        return int(self.connection.execute(query).scalar_one())

    # --- conflicts ---------------------------------------------------------------------------------------------

    def _conflicts(self, after: Any) -> tuple[int, list[dict[str, Any]], Any]:
        c, k, s = t.conflict, t.claim_key, t.scope
        base = (
            sa.select(c.c.conflict, c.c.id, c.c.key, c.c.owner, c.c.question, c.c.former, c.c.signature, c.c.opened_at, k.c.hash, s.c.path, k.c.subject, k.c.predicate, k.c.qualifiers)
            .join(k, (k.c.tenant == c.c.tenant) & (k.c.key == c.c.key))
            .join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
            .where(c.c.tenant == self.tenant, c.c.state == OPEN)
        )  # fmt: skip
        if not self.everything:
            base = base.where(k.c.scope.in_(self.scopes))
        total = int(self.connection.execute(sa.select(sa.func.count()).select_from(base.subquery())).scalar_one())
        page = base.order_by(k.c.hash).limit(self.limit + 1)
        if after is not None:
            page = page.where(k.c.hash > str(after))
        rows = self.connection.execute(page).all()
        shown = rows[: self.limit]
        side = t.conflict_side
        sides: dict[int, list[int]] = {}
        for conflict, record in self.connection.execute(
            sa.select(side.c.conflict, side.c.record)
            .where(side.c.tenant == self.tenant, side.c.conflict.in_([row.conflict for row in shown]))
            .order_by(side.c.record)
        ):
            sides.setdefault(conflict, []).append(record)
        ids = load_ids(self.connection, self.tenant, sorted({record for its in sides.values() for record in its}))
        names = ShownNames(self.connection, self.tenant)
        items = [
            {
                "id": row.id, "scope": row.path, "subject": names.name(row.path, row.subject), "predicate": row.predicate,
                "qualifiers": names.qualifiers(row.path, json.loads(row.qualifiers)),
                "claims": sorted(ids[record] for record in sides.get(row.conflict, [])), "owner": row.owner, "question": row.question,
                "former": row.former, "earlier_verdict": earlier_verdict(self.connection, self.tenant, row.key, row.signature) if row.former else None,
            }
            for row in shown
        ]  # fmt: skip
        return total, items, shown[-1].hash if len(rows) > self.limit and shown else None

    # --- expiring ----------------------------------------------------------------------------------------------

    def _expiring(self, after: Any) -> tuple[int, list[dict[str, Any]], Any]:
        r, s = t.record, t.record_state
        horizon = self.reading.at + SOON
        base = (
            sa.select(r.c.record, r.c.due_at)
            .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
            .where(r.c.tenant == self.tenant, r.c.due_at.is_not(None), r.c.due_at <= horizon, s.c.status == int(Status.ACCEPTED))
        )
        if not self.everything:
            base = base.where(s.c.scope.in_(self.scopes))
        total = int(self.connection.execute(sa.select(sa.func.count()).select_from(base.subquery())).scalar_one())
        page = base.order_by(r.c.due_at, r.c.record).limit(self.limit + 1)
        if isinstance(after, list) and len(after) == 2:
            page = page.where(sa.tuple_(r.c.due_at, r.c.record) > sa.tuple_(sa.literal(int(after[0])), sa.literal(int(after[1]))))
        rows = self.connection.execute(page).all()
        cards = load_cards(self.connection, self.tenant, [row.record for row in rows[: self.limit]])
        items = []
        for row in rows[: self.limit]:
            card = cards[row.record]
            items.append({
                "id": card.id, "kind": KIND_WORD[card.kind], "scope": card.scope, "owner": card.owner, "expires_at": format_optional(card.expires_at),
                "review_at": format_optional(card.review_at), "expired": card.expires_at is not None and card.expires_at <= self.reading.at,
            })  # fmt: skip
        last = rows[self.limit - 1] if len(rows) > self.limit and self.limit else None
        return total, items, None if last is None else [last.due_at, last.record]


def _kind(word: str) -> Kind:
    for kind, name in KIND_WORD.items():
        if name == word:
            return kind
    raise Refusal(Code.BAD_VALUE, f"There is no kind {word!r}; there are {', '.join(KIND_WORD.values())}.")


def count_statuses(reading: Reading, tenant: int, within: str | None = None) -> dict[str, dict[str, int]]:
    """Return kind -> status -> number of records the person may see, from the counters."""
    shown, _ = visible_scopes(reading, tenant, within)
    c = t.counter
    found: dict[str, dict[str, int]] = {}
    for scope, status, kind, n in reading.connection.execute(sa.select(c.c.scope, c.c.status, c.c.kind, c.c.n).where(c.c.tenant == tenant)):
        if scope in set(shown) and n:
            by_status = found.setdefault(KIND_WORD[Kind(kind)], {})
            by_status[Status(status).name] = by_status.get(Status(status).name, 0) + n
    return found
