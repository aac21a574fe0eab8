"""What tests of forgetting found: restore drills, runs of the memory gate, verifications of requests; written once, never changed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.transaction import Writing
from store.domain.text import canonical_json

DRILL, GATE, VERIFICATION = "drill", "gate", "verification"
KINDS = (DRILL, GATE, VERIFICATION)


@dataclass(frozen=True, slots=True)
class Proof:
    """One test of forgetting with what it found.

    Attributes:
        kind: one of `KINDS`; `request`: the number of the deletion request it verified.
        at: microseconds UTC; `person`: id of who ran it.
        found: what was done and found, as its kind says; no forgotten value is in it.
    """

    number: int
    kind: str
    request: int | None
    at: int
    person: str
    ok: bool
    found: dict[str, Any]


def insert_proof(tx: Writing, kind: str, found: dict[str, Any], *, ok: bool, request: int | None = None) -> int:
    """Keep what a test found, as part of an action, and return its number."""
    p = t.proof
    number = int(tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(p.c.proof), 0)).where(p.c.tenant == tx.tenant)).scalar_one()) + 1
    tx.connection.execute(sa.insert(p), {
        "tenant": tx.tenant, "proof": number, "kind": kind, "request": request, "at": tx.at, "person": tx.actor.id, "ok": ok, "found": canonical_json(found),
    })  # fmt: skip
    return number


def load_proofs(connection: Connection, tenant: int, *, kind: str | None = None, most: int = 100) -> list[Proof]:
    """Return a tenant's proofs, the latest first."""
    p = t.proof
    query = sa.select(p).where(p.c.tenant == tenant).order_by(p.c.proof.desc()).limit(most)
    query = query if kind is None else query.where(p.c.kind == kind)
    rows = connection.execute(query).all()
    return [Proof(row.proof, row.kind, row.request, row.at, row.person, bool(row.ok), json.loads(row.found)) for row in rows]
