"""What an import says of reads, and of conflicts beyond the rule."""

from __future__ import annotations

import sqlalchemy as sa

from store.actions.import_part import ImportPart
from store.db import tables as t
from store.db.bulk import chunks
from store.db.conflicts import CLOSED
from store.domain.errors import Code
from store.domain.people import Right
from store.domain.times import parse_time


def take_reads(part: ImportPart) -> None:
    """Add what tasks read to the read log."""
    tx = part.tx
    for line, entry in part.staging.reads:
        known: dict[str, tuple[int, int, str]] = {}
        for some in chunks(sorted(set(entry.records))):
            query = (
                sa.select(t.record.c.id, t.record.c.record, t.record_state.c.version, t.scope.c.path)
                .join(t.record_state, (t.record_state.c.tenant == t.record.c.tenant) & (t.record_state.c.record == t.record.c.record))
                .join(t.scope, (t.scope.c.tenant == t.record.c.tenant) & (t.scope.c.scope == t.record_state.c.scope))
                .where(t.record.c.tenant == tx.tenant, t.record.c.id.in_(some))
            )
            known.update({row[0]: (row[1], row[2], row[3]) for row in tx.connection.execute(query)})
        if not known and not (entry.scope and part.owns(entry.scope)):
            if entry.records and part.is_first_tenant():
                part.staging.reject(line, None, Code.MISSING_PARENT, f"none of the records it names exists, such as {entry.records[0]}.")
            continue
        scope = entry.scope or next(iter(known.values()))[2]
        if not part.allows(Right.PROPOSE, scope, line, None, "a read"):
            continue
        missing = [record for record in entry.records if record not in known]
        if missing:
            part.staging.reject(line, None, Code.MISSING_PARENT, f"it names {missing[0]}, which does not exist. Import that one first.")
            continue
        number = tx.connection.execute(
            sa.insert(t.read_log).values(tenant=tx.tenant, task=entry.task, by=entry.by, at=entry.at, scope=entry.scope)
        ).inserted_primary_key[0]
        rows = [
            {"tenant": tx.tenant, "record": known[record][0], "n": number, "place": n, "version": known[record][1]}
            for n, record in enumerate(dict.fromkeys(entry.records))
        ]
        if rows:
            tx.connection.execute(sa.insert(t.read_log_record), rows)


def take_conflicts(part: ImportPart) -> None:
    """Take what exported conflicts carry beyond the rule: verdicts, questions, owners, and those that are closed."""
    tx = part.tx
    for line, entry in part.staging.conflicts:
        if not part.owns(entry.scope):
            continue
        if not part.reviewed or not part.allows(Right.ADMINISTER, entry.scope, line, entry.id, "a conflict"):
            if not part.reviewed:
                part.staging.reject(line, entry.id, Code.NOT_ALLOWED, "verdicts come in only with --reviewed.")
            continue
        key = part.numbers.key(entry.scope, entry.subject, entry.predicate, entry.qualifiers)
        c = t.conflict
        fields = {name: entry.fields.get(name) for name in ("verdict", "reason", "question", "asked", "owner", "cause", "former", "signature")}
        for name in ("opened_at", "closed_at"):
            moment = entry.fields.get(name)
            fields[name] = None if moment is None else parse_time(moment)[0]
        there = tx.connection.execute(sa.select(c.c.conflict).where(c.c.tenant == tx.tenant, c.c.id == entry.id)).scalar_one_or_none()
        if entry.state == "open":
            opened = tx.connection.execute(
                sa.select(c.c.conflict).where(c.c.tenant == tx.tenant, c.c.key == key, c.c.state == 0)
            ).scalar_one_or_none()
            if opened is not None:
                tx.connection.execute(sa.update(c).where(c.c.tenant == tx.tenant, c.c.conflict == opened).values(id=entry.id, **fields))
            continue
        if there is not None:
            part.unchanged += 1
            continue
        number = tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(c.c.conflict), 0)).where(c.c.tenant == tx.tenant)).scalar_one() + 1
        tx.connection.execute(sa.insert(c), {
            "tenant": tx.tenant, "conflict": number, "id": entry.id, "key": key, "state": CLOSED, "opened_seq": tx.seq, "closed_seq": tx.seq, **fields,
        })  # fmt: skip
        records = [_find_number(part, claim) for claim in entry.claims]
        sides = [{"tenant": tx.tenant, "conflict": number, "record": record} for record in records if record is not None]
        if sides:
            tx.connection.execute(sa.insert(t.conflict_side), sides)


def _find_number(part: ImportPart, record_id: str) -> int | None:
    return part.tx.connection.execute(
        sa.select(t.record.c.record).where(t.record.c.tenant == part.tx.tenant, t.record.c.id == record_id)
    ).scalar_one_or_none()
