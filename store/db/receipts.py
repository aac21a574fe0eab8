"""Receipts of deletion requests: what was done about each surface, without anything of what was forgotten and without a hash of it (R27)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.forgetting import Request, change_request, list_requests, redactions_of, still_open, surfaces_of, targets_of
from store.db.transaction import Writing
from store.db.verifications import last_verification
from store.domain.forgetting import REQUEST_WORD, SURFACE_WORD, RequestState, SurfaceState
from store.domain.status import KIND_WORD, Kind, Status
from store.domain.text import canonical_json, digest
from store.domain.times import format_optional, format_time

#: What of a verification goes into a receipt: words and numbers, no places.
_COUNTS = ("words", "searched", "not_searched", "files", "bytes", "seconds", "marker", "known_again", "also_places", "swept")


@dataclass(frozen=True, slots=True)
class Receipt:
    """One receipt; `n` counts those of a request from 1, `at` is in microseconds UTC."""

    n: int
    at: int
    content: dict[str, Any]


def load_receipts(connection: Connection, tenant: int, number: int) -> list[Receipt]:
    """Return the receipts of a request, the latest first."""
    r = t.deletion_receipt
    query = sa.select(r.c.n, r.c.at, r.c.content).where(r.c.tenant == tenant, r.c.request == number).order_by(r.c.n.desc())
    return [Receipt(n, at, json.loads(content)) for n, at, content in connection.execute(query)]


def write_receipt(tx: Writing, number: int) -> bool:
    """Add a receipt of a request as it stands, unless the latest one says the same; return whether one was added."""
    before = load_receipts(tx.connection, tx.tenant, number)
    content = describe_receipt(tx.connection, tx.tenant, tx.tenant_name, list_requests(tx.connection, tx.tenant, number=number)[0])
    if before and {name: value for name, value in before[0].content.items() if name not in ("receipt", "made_at")} == content:
        return False
    n = before[0].n + 1 if before else 1
    made = canonical_json({"receipt": f"{content['request']}/{n}", "made_at": format_time(tx.at), **content})
    tx.connection.execute(sa.insert(t.deletion_receipt), {"tenant": tx.tenant, "request": number, "n": n, "seq": tx.seq, "at": tx.at, "content": made})
    tx.receipts.append(digest(made))
    return True


def close_if_settled(tx: Writing, number: int, *, verified: bool = False) -> str:
    """Complete a request of which no surface is open, empty what people typed about it, and write a receipt; a new one where one changed since.

    Args:
        verified: complete it only where erasing was begun and what was looked for afterwards was not found: nobody runs it now.

    Returns:
        The state of the request: `open` or `complete`.
    """
    request, found = list_requests(tx.connection, tx.tenant, number=number)[0], last_verification(tx.connection, tx.tenant, number)
    if still_open(surfaces_of(tx.connection, tx.tenant, number)) or (found is not None and not found.ok):
        return REQUEST_WORD[RequestState.OPEN]
    if request.state is not RequestState.COMPLETE:
        if verified and (request.begun_at is None or found is None):
            return REQUEST_WORD[RequestState.OPEN]
        change_request(tx, number, state=int(RequestState.COMPLETE), finished_at=tx.at, finished_seq=tx.seq, reason=None, requester=None, refusal=None)
    write_receipt(tx, number)
    return REQUEST_WORD[RequestState.COMPLETE]


def describe_receipt(connection: Connection, tenant: int, name: str, request: Request) -> dict[str, Any]:
    """Return what a receipt of a request would say now."""
    targets = [row.record for row in targets_of(connection, tenant, request.number)]
    # A version that is itself forgotten is counted with the records: passages are blacked out of what stays.
    passages = [one for one in redactions_of(connection, tenant, request.number) if one.record not in set(targets)]
    return {
        "request": request.id, "tenant": name, "state": REQUEST_WORD[request.state], "ground": request.ground, "found_by": request.found_by,
        "entered_at": format_time(request.entered_at), "entered_by": request.entered_by, "due_at": format_optional(request.due_at),
        "begun_at": format_optional(request.begun_at), "finished_at": format_optional(request.finished_at),
        "refused_at": format_optional(request.refused_at), "refused_by": request.refused_by, "answers_for_it": request.owner,
        "from_ledger": request.from_ledger, "records": {"total": len(targets), **_count_kinds(connection, tenant, targets)},
        "passages": {"total": len(passages), "versions": len({one.record for one in passages})},
        "fell": _count_fallen(connection, tenant, request.entered_seq, set(targets)),
        "surfaces": _surfaces(connection, tenant, request), "verification": _verification(connection, tenant, request.number),
    }  # fmt: skip


def _count_kinds(connection: Connection, tenant: int, records: list[int]) -> dict[str, int]:
    s = t.record_state
    found: Counter[str] = Counter()
    for some in chunks(records):
        rows = connection.execute(sa.select(s.c.kind, sa.func.count()).where(s.c.tenant == tenant, s.c.record.in_(some)).group_by(s.c.kind))
        found.update({KIND_WORD[Kind(kind)]: count for kind, count in rows})
    return dict(sorted(found.items()))


def _count_fallen(connection: Connection, tenant: int, seq: int, targets: set[int]) -> int:
    """Return how many records needed re-validation because of the request."""
    h = t.history
    touched = connection.execute(sa.select(h.c.record).where(h.c.tenant == tenant, h.c.seq == seq, h.c.new == int(Status.STALE))).scalars()
    return len(set(touched) - targets)


def _surfaces(connection: Connection, tenant: int, request: Request) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for row in surfaces_of(connection, tenant, request.number):
        one = {
            "name": row.surface, "state": SURFACE_WORD[SurfaceState(row.state)], "by": row.by, "at": format_optional(row.at), "rule": row.rule,
            "until": format_optional(row.until), "found": row.found,
        }  # fmt: skip
        if row.n == 0:
            found.append({**one, "copies": []})
        else:
            found[-1]["copies"].append({"copy": row.n, **{key: value for key, value in one.items() if key not in ("name", "found")}})
    return found


def _verification(connection: Connection, tenant: int, number: int) -> dict[str, Any] | None:
    verified = last_verification(connection, tenant, number)
    if verified is None:
        return None
    counts = {name: verified.found[name] for name in _COUNTS if name in verified.found}
    asked = verified.found.get("asked_again") or {}
    left = verified.found.get("left") or {}
    return {
        "ok": verified.ok, "at": format_time(verified.at), **counts, "left": sum(left.values()), "to_look_at": sum(one["n"] for one in (verified.found.get("look") or {}).values()), "names": sum((verified.found.get("names") or {}).values()), "asked_again": len(asked),
        "given_back": sum(count for count in asked.values() if count),
    }  # fmt: skip
