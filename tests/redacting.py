"""Short ways to have passages of shared evidence covered and blotted out, apart from the request that asks for it."""

import sqlalchemy as sa

from store.db import tables as t
from store.db.erase_evidence import clear_evidence
from store.db.records import find_numbers
from store.db.redactions import falling_claims, plan_redactions
from store.db.transaction import read, tenant_number, write
from tests.builders import TENANT

REQUEST = 77


def covered(desk, *ids, keep=()):
    """The passages forgetting some records covers, as (id, words), and the claims that fall."""
    with desk.reader.begin() as connection:
        tenant = tenant_number(connection, TENANT)
        numbers = sorted(find_numbers(connection, tenant, ids).values())
        found = plan_redactions(connection, tenant, numbers, keep)
        falls = falling_claims(connection, tenant, found, numbers)
        r = t.record
        names = {row.record: row.id for row in connection.execute(sa.select(r.c.record, r.c.id).where(r.c.tenant == tenant))}
    return [(names[one.record], one.start, one.end) for one in found], [names[one] for one in falls]


def hide(desk, *ids, keep=()):
    """Have the passages hidden, as a request does from the moment it is made."""
    passages, _ = covered(desk, *ids, keep=keep)
    with desk.writer.begin() as connection:
        tenant = tenant_number(connection, TENANT)
        numbers = find_numbers(connection, tenant, [one[0] for one in passages])
        rows = [{"tenant": tenant, "request": REQUEST, "record": numbers[name], "start": start, "end": end} for name, start, end in passages]
        if rows:
            connection.execute(sa.insert(t.redaction), rows)
    return passages


def blot(desk):
    """Have what is hidden blotted out of what is stored."""
    with write(desk, "adam", TENANT, "erase", [REQUEST, "evidence", desk.new_id()]) as tx:
        return clear_evidence(tx, REQUEST, [])


def stored(desk, name):
    """The bytes of a version, its text where it has one apart, its hash and its type."""
    with read(desk, "adam") as reading:
        number = find_numbers(reading.connection, tenant_number(reading.connection, TENANT), [name])[name]
        e, c, d = t.evidence, t.evidence_content, t.rendition
        query = (
            sa.select(c.c.content, d.c.text, e.c.sha256, e.c.media_type)
            .select_from(e)
            .join(c, (c.c.tenant == e.c.tenant) & (c.c.record == e.c.record))
            .outerjoin(d, (d.c.tenant == e.c.tenant) & (d.c.record == e.c.record))
            .where(e.c.record == number)
        )
        row = reading.connection.execute(query).one()
    return bytes(row.content), None if row.text is None else bytes(row.text).decode(), row.sha256, row.media_type
