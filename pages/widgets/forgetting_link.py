"""The way from another page to forgetting what it is about, for those who may."""

from __future__ import annotations

from pages.widgets.desk import Desk, address
from pages.widgets.forgetting_place import request_address
from pages.widgets.language import phrase, say
from pages.widgets.markup import Markup, tag
from pages.widgets.status import badge, icon
from store import RecordView, Right

_GONE = ("DELETION_PENDING", "DELETED")


def forget_record(desk: Desk, view: RecordView, tenant: str) -> list[Markup]:
    """Return the link that begins to forget a record; nothing for who may not, and for what is being forgotten already."""
    found = view.found
    scope = (found["record"] or {}).get("scope") or (view.source or {}).get("scope")
    if found["status"] in _GONE or scope is None or not desk.actor.may(Right.ADMINISTER, scope):
        return []
    return [tag("a", say("Forget…"), cls="cd-link cd-button", href=request_address(desk.scope, record=found["id"], tenant=tenant))]


def is_gone(view: RecordView) -> bool:
    """Return whether a record is being forgotten or is forgotten, so that nothing of it is shown but id and status."""
    return view.found["status"] in _GONE


def draw_gone(desk: Desk, view: RecordView) -> Markup:
    """Return the head of a record of which nothing is shown any more."""
    found = view.found
    pending = found["status"] == "DELETION_PENDING"
    title = say("A record that is being deleted") if pending else say("A record that was deleted")
    words = say("Somebody asked that it be forgotten. What it said is shown to nobody.") if pending else say("It was forgotten. A number, a status and dates are what is left of it.")
    requests = tag("a", say("Requests to forget"), cls="cd-link", href=all_requests(desk)) if desk.scopes else None
    return tag(
        "div", tag("h1", title, cls="cd-title"), tag("div", badge(found["status"], found["kind"]), tag("span", found["id"], cls="cd-id cd-muted"), cls="cd-counts"),
        tag("p", words, cls="cd-lead"), tag("p", requests) if requests is not None else None,
    )  # fmt: skip


def forget_subject(desk: Desk, subject: str, tenant: str) -> Markup:
    """Return the link that begins to forget everything about a subject; nothing for who may not."""
    where = desk.scope or tenant
    if not desk.actor.may(Right.ADMINISTER, where):
        return Markup("")
    return tag("a", icon("ink_eraser"), say("Forget…"), cls="cd-link", href=request_address(desk.scope, subject=subject, tenant=tenant))


def forget_unwanted(desk: Desk, record: str, tenant: str, scope: str) -> Markup | None:
    """Return what is said beside something that was rejected as too sensitive: it is still there until it is forgotten."""
    if not desk.actor.may(Right.ADMINISTER, scope):
        return None
    link = tag("a", say("Forget it everywhere"), cls="cd-link", href=request_address(desk.scope, record=record, tenant=tenant))
    return tag("div", icon("ink_eraser"), phrase("It is not shown, and still stored. {forget}.", forget=link), cls="cd-muted cd-small")


def all_requests(desk: Desk) -> str:
    """Return the address of the list of requests."""
    return address("forgetting", scope=desk.scope)
