"""Messages that go out by mail, in the register of what left the store: registered before they are handed over."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.db.export_copies import insert_export, note_export_gone
from store.db.messages import items_of_messages, named_in_messages
from store.db.transaction import Writing
from store.domain.handing_out import Carried

#: What the register calls a message that was mailed.
MAIL = "mail"


def register_mail(tx: Writing, row: Any) -> None:
    """Register a message that is about to be handed over, unless it was before and may have arrived; none that names no record."""
    items = items_of_messages(tx.connection, tx.tenant, [row.message])[row.message]
    records = {record for _, _, record in items} | set(named_in_messages(tx.connection, tx.tenant, [row.message])[row.message])
    if records and _registered(tx, row.id) is None:
        carried = Carried(tx.tenant_name, tuple(sorted(records)), 1, tx.revision)
        insert_export(tx, carried, form=MAIL, scope=None, name=row.id, holder=row.recipient)


def withdraw_mail(tx: Writing, row: Any) -> None:
    """Note of a message that was registered that the mail server did not take it."""
    export = _registered(tx, row.id)
    if export is not None:
        note_export_gone(tx, export, tx.actor.id)


def _registered(tx: Writing, message: str) -> int | None:
    c = t.export_copy.c
    query = sa.select(c.export).where(c.tenant == tx.tenant, c.format == MAIL, c.name == message, c.gone_at.is_(None))
    found = tx.connection.execute(query.order_by(c.export.desc()).limit(1)).scalar_one_or_none()
    return None if found is None else int(found)
