"""The commit as an object-relational mapper would do it, row by row: the baseline of the bench's G7, and the only use of sqlalchemy.orm.

It stands here, and not in the bench, because only this package uses SQLAlchemy.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.engine import Engine
from sqlalchemy.orm import Session, registry

from store.db import tables as t
from store.domain.reach import Ints

_registry = registry()


class State:
    """A record's state as an object."""

    status: int
    version: int
    record: int


class Past:
    """A history row as an object."""

    def __init__(self, tenant: int, record: int, seq: int, old: int, new: int, version: int) -> None:
        self.tenant, self.record, self.seq, self.old, self.new, self.version = tenant, record, seq, old, new, version


_registry.map_imperatively(State, t.record_state)
_registry.map_imperatively(Past, t.history)


def commit_objects(engine: Engine, tenant: int, seq: int, records: Ints, new: int) -> None:
    """Load every record's state, change it, add its history, and flush."""
    numbers = records.tolist()
    with Session(engine) as session, session.begin():
        for start in range(0, len(numbers), 900):
            some = numbers[start : start + 900]
            query = select(State).where(t.record_state.c.tenant == tenant, t.record_state.c.record.in_(some))
            for state in session.scalars(query):
                session.add(Past(tenant, state.record, seq, state.status, new, state.version + 1))
                state.status = new
                state.version += 1
