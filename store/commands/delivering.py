"""deliver, edition, remedy and messages: what went to whom, and the outbox."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from store.actions.deliveries import note_remedy, propose_edition, record_delivery
from store.actions.messages import (
    approve_messages,
    cancel_messages,
    draft_messages,
    note_message_seen,
    note_told,
    settle_unknown_sending,
)
from store.actions.sending import send_messages
from store.commands.usage import Usage
from store.commands.words import read_time
from store.db.claim_store import ClaimStore, open_store
from store.db.engine import file_explained, need_elsewhere
from store.domain.errors import Code, Refusal
from store.domain.times import format_optional
from store.handing_out import write_message_file
from store.reads.locate import find_tenant, list_tenants
from store.reads.messages import MessageRow, list_messages, mail_settings, view_message

Outcome = tuple[int, dict[str, Any]]


def _open(arguments: Namespace) -> tuple[ClaimStore, str]:
    store = open_store(arguments.db)
    return store, find_tenant(store, arguments.person, [arguments.id], arguments.tenant)


def deliver(arguments: Namespace) -> Outcome:
    """Record that an artifact went to somebody."""
    store, tenant = _open(arguments)
    return 0, record_delivery(
        store, arguments.person, tenant, arguments.id, arguments.to, arguments.channel, delivered_at=read_time(arguments.delivered_at), operation=arguments.operation
    )


def edition(arguments: Namespace) -> Outcome:
    """Propose the next edition of an artifact."""
    store, tenant = _open(arguments)
    try:
        body = None if arguments.body is None else Path(arguments.body).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise Refusal(Code.NOT_FOUND, f"{arguments.body} was not read as UTF-8 text. Nothing was made. Check the name.") from None
    return 0, propose_edition(store, arguments.person, tenant, arguments.id, body=body, title=arguments.title, derived_from=arguments.parent, operation=arguments.operation)


def remedy(arguments: Namespace) -> Outcome:
    """Settle what becomes of a delivered artifact without a new edition."""
    store, tenant = _open(arguments)
    way, text = ("annotation", arguments.annotation) if arguments.annotation is not None else ("none", arguments.none)
    return 0, note_remedy(store, arguments.person, tenant, arguments.id, way, text, operation=arguments.operation)


def _tenant(store: ClaimStore, arguments: Namespace) -> str:
    if arguments.tenant:
        return str(arguments.tenant)
    mine = list_tenants(store, arguments.person)
    if len(mine) != 1:
        raise Refusal(Code.AMBIGUOUS_TENANT, f"Messages of {', '.join(mine) or 'no tenant'} could be meant. Nothing was done. Say which with --tenant.")
    return mine[0]


def _row(row: MessageRow) -> dict[str, Any]:
    return {
        "id": row.id, "recipient": row.recipient, "address": row.address, "state": row.state, "subject": row.subject, "about": [one for one, _, _ in row.documents],
        "correction": row.correction, "attempts": row.attempts, "failure": row.failure, "sent_at": format_optional(row.sent_at),
    }  # fmt: skip


def messages(arguments: Namespace) -> Outcome:
    """Draft, list or show messages, or do one thing to some of them, each on its own."""
    what = arguments.what
    if what not in ("list", "draft") and not arguments.ids:
        raise Usage(f"messages {what} needs at least one MESSAGE; list them with: messages list")
    store = open_store(arguments.db)
    if what == "list":
        box = list_messages(store, arguments.person, correction=arguments.correction, state=arguments.state)
        return 0, {"total": len(box.rows), "items": [_row(row) for row in box.rows], "counts": box.counts, "untold": dict(box.untold)}
    tenant = _tenant(store, arguments)
    if what == "draft":
        return 0, draft_messages(store, arguments.person, tenant, correction=arguments.correction, events=arguments.event or None, operation=arguments.operation)
    if what == "show":
        found = view_message(store, arguments.person, tenant, arguments.ids[0])
        return 0, {**_row(found), "body": found.body}
    if what == "eml":
        path = Path(arguments.output)
        need_elsewhere(store.url, path, store.ledger.path)
        content = write_message_file(store, arguments.person, tenant, arguments.ids[0], name=path.name)
        with file_explained(path):
            path.write_bytes(content)
        return 0, {"written": arguments.output}
    who, ids, operation = arguments.person, arguments.ids, arguments.operation
    if what == "send":
        sent = send_messages(store, who, tenant, ids, mail_settings())
        problem = next(({"error": one["code"], "message": one["message"]} for one in sent["refused"]), None)
        return (1, {**problem, **sent}) if problem else (0, sent)
    doing: dict[str, Callable[[], dict[str, Any]]] = {
        "approve": lambda: approve_messages(store, who, tenant, ids, operation=operation),
        "told": lambda: note_told(store, who, tenant, ids, operation=operation),
        "seen": lambda: note_message_seen(store, who, tenant, ids, operation=operation),
        "cancel": lambda: cancel_messages(store, who, tenant, ids, operation=operation),
        "arrived": lambda: settle_unknown_sending(store, who, tenant, ids[0], arrived=True, operation=operation),
        "lost": lambda: settle_unknown_sending(store, who, tenant, ids[0], arrived=False, operation=operation),
    }
    found_all = doing[what]()
    if found_all["refused"]:
        return 1, {"error": found_all["refused"][0]["code"], "message": found_all["refused"][0]["message"], **found_all}
    return 0, found_all
