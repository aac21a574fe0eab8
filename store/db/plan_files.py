"""Files a plan speaks of, kept by their hash until it is committed or forgotten; they belong to no record."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.transaction import Reading
from store.domain.errors import Code, Refusal
from store.domain.text import digest_bytes

#: How long a file is kept that no saved plan speaks of, in microseconds.
KEPT = 7 * 24 * 3600 * 1_000_000


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
        here = (f.c.tenant == tenant, f.c.sha256 == sha256)
        known = connection.execute(sa.select(f.c.sha256).where(*here)).one_or_none()
        values = {"name": name, "media_type": media_type, "person": reading.actor.id, "at": reading.at}
        if known is not None:
            connection.execute(sa.update(f).where(*here).values(**values))
        else:
            connection.execute(sa.insert(f), {"tenant": tenant, "sha256": sha256, "content": content, **values})
    return PlanFile(sha256, media_type, name, len(content))


def load_plan_file(connection: Connection, tenant: int, sha256: str) -> PlanFile:
    """Return a file with its bytes.

    Raises:
        Refusal: `not_found`: it is not kept any more.
    """
    f = t.plan_file
    row = connection.execute(sa.select(f).where(f.c.tenant == tenant, f.c.sha256 == sha256)).one_or_none()
    if row is None:
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
