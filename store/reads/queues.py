"""What waits: candidates, conflicts, stale and expiring records, a page at a time.

Pages are found by the last number seen and totals by maintained counters, so a page costs the same in a store of a
million records as in one of a hundred.
"""

from __future__ import annotations

import json
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.queue_pages import QueuePage
from store.db.tenants import tenants_of
from store.db.transaction import read
from store.domain.errors import Code, Refusal
from store.domain.people import Actor, Right
from store.domain.scopes import covers, tenant_of

QUEUES = ("candidates", "conflicts", "stale", "expiring")


def list_queue(
    store: ClaimStore, person: str, queue: str, *, scope: str | None = None, tenant: str | None = None, limit: int = 50, after: str | None = None,
    owner: str | None = None, kind: str | None = None, newest: bool = False, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Return one page of a queue: `{"total", "items", "next"}`.

    Args:
        scope: only this scope and below.
        after: the cursor of the page before.
        owner, kind: further filters of `candidates` and `stale`.
        newest: newest first instead of oldest first.
    """
    if queue not in QUEUES:
        raise Refusal(Code.BAD_VALUE, f"There is no queue {queue!r}; there are {', '.join(QUEUES)}.")
    limit = max(1, min(limit, 10_000))
    with read(store, person, authenticated=authenticated) as reading:
        wanted = tenant_of(scope) if scope else tenant
        tenants = [(number, name) for number, name in tenants_of(reading, Right.INSPECT) if wanted in (None, name)]
        if not tenants or (scope is not None and not _sees_some(reading.actor, scope)):
            where = f" in {scope or wanted}" if scope or wanted else ""
            raise Refusal(
                Code.NOT_ALLOWED, f"{reading.actor.name} may not see what waits{where}: that takes a reviewer, admin or auditor. Ask an admin."
            )
        start, position = _read_cursor(after, [name for _, name in tenants])
        total, following = 0, None
        items: list[dict[str, Any]] = []
        for place, (number, name) in enumerate(tenants):
            room = limit - len(items) if place >= start else 0
            page = QueuePage(reading, number, name, scope, room, owner, kind, newest)
            count, some, more = page.find(queue, position if place == start else None)
            total += count
            items.extend(some)
            if following is None and place >= start and (more is not None or (room == 0 and count)):
                following = json.dumps([name, more])
        return {"total": total, "items": items, "next": following}


def _sees_some(actor: Actor, scope: str) -> bool:
    """Return whether somebody may see everything of a scope, or of something below it."""
    return actor.may(Right.INSPECT, scope) or any(covers(scope, held) for held in actor.scopes_with(Right.INSPECT))


def _read_cursor(after: str | None, tenants: list[str]) -> tuple[int, Any]:
    """Return where among `tenants` a page starts, and after what."""
    if after is None:
        return 0, None
    try:
        name, position = json.loads(after)
        return tenants.index(name), position
    except (ValueError, TypeError, RecursionError):
        raise Refusal(Code.BAD_VALUE, "That is no cursor of a page. Start again without --after.") from None
