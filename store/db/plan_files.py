"""Files a plan speaks of, kept by their hash until it is committed or forgotten; they belong to no record."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.engine import update_or_insert
from store.db.transaction import Reading
from store.domain.errors import Code, Refusal
from store.domain.text import digest_bytes

#: How long a file is kept that no saved plan speaks of, in microseconds.
KEPT = 7 * 24 * 3600 * 1_000_000
#: What marks what somebody typed for a plan; it is nobody's file.
_VALUES = "application/vnd.claimdesk.values+json"


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A file that is kept for plans.

    Attributes:
        sha256: the name by which plans speak of it; `size` in bytes.
    """

    sha256: str
    media_type: str
    name: str | None
    size: int
    content: bytes = b""


def save_plan_file(reading: Reading, tenant: int, content: bytes, name: str | None, media_type: str) -> PlanFile:
    """Keep a file, apart from every record, and forget those that no saved plan speaks of and nobody gave for a while."""
    f = t.plan_file
    sha256 = digest_bytes(content)
    with reading.store.writer.begin() as connection:
        old = connection.execute(sa.select(f.c.sha256).where(f.c.tenant == tenant, f.c.at < reading.at - KEPT)).scalars().all()
        forget_files(connection, tenant, [one for one in old if one != sha256])
        values = {"name": name, "media_type": media_type, "person": reading.actor.id, "at": reading.at}
        update_or_insert(connection, f, {"tenant": tenant, "sha256": sha256}, values, lambda: {"content": content})
    return PlanFile(sha256, media_type, name, len(content))


def load_plan_file(connection: Connection, tenant: int, sha256: str) -> PlanFile:
    """Return a file with its bytes.

    Raises:
        Refusal: `not_found`: it is not kept any more.
    """
    f = t.plan_file
    row = connection.execute(sa.select(f).where(f.c.tenant == tenant, f.c.sha256 == sha256)).one_or_none()
    if row is None or row.media_type == _VALUES:
        raise Refusal(Code.NOT_FOUND, "The file of this plan is not kept any more. Nothing was changed. Give the file again.")
    return PlanFile(row.sha256, row.media_type, row.name, len(row.content), bytes(row.content))


def forget_files(connection: Connection, tenant: int, files: list[str], *, but: str | None = None) -> None:
    """Forget files, except those of which a rehearsal that is neither removed nor committed speaks; `but` is the fingerprint of one that is being committed."""
    f, r = t.plan_file, t.rehearsal
    if not files:
        return
    query = sa.select(r.c.plan).where(r.c.tenant == tenant, r.c.removed_at.is_(None), r.c.committed_seq.is_(None), r.c.plan.contains('"recapture"'))
    saved = "\n".join(connection.execute(query if but is None else query.where(r.c.fingerprint != but)).scalars())
    for one in files:
        if one not in saved:
            connection.execute(sa.delete(f).where(f.c.tenant == tenant, f.c.sha256 == one))


# --- what somebody typed for a plan, kept beside its file -------------------------------------------------------------


def _name_values(person: str, source: str, file: str) -> str:
    return digest_bytes(json.dumps(["values", person, source, file]).encode("ascii"))


def save_values(reading: Reading, tenant: int, source: str, file: str, values: dict[str, Any]) -> None:
    """Keep what the person typed for a plan about a source and a file, instead of what they typed before; nothing typed is not kept."""
    f = t.plan_file
    here = (f.c.tenant == tenant, f.c.sha256 == _name_values(reading.actor.id, source, file))
    with reading.store.writer.begin() as connection:
        connection.execute(sa.delete(f).where(*here))
        if values:
            row = {"sha256": _name_values(reading.actor.id, source, file), "name": None, "media_type": _VALUES, "person": reading.actor.id, "at": reading.at}
            connection.execute(sa.insert(f), {"tenant": tenant, "content": json.dumps(values).encode("ascii"), **row})


def load_values(reading: Reading, tenant: int, source: str, file: str) -> dict[str, Any]:
    """Return what the person typed for a plan about a source and a file; nothing where it is not kept."""
    f = t.plan_file
    query = sa.select(f.c.content).where(f.c.tenant == tenant, f.c.sha256 == _name_values(reading.actor.id, source, file), f.c.media_type == _VALUES)
    content = reading.connection.execute(query).scalar_one_or_none()
    found: dict[str, Any] = {} if content is None else json.loads(bytes(content))
    return found
