"""What the page says that asks as an agent would, as sentences."""

from __future__ import annotations

import shlex
from typing import Any

from pages.widgets.ask_place import Place
from pages.widgets.candidate_words import interval
from pages.widgets.desk import record_link
from pages.widgets.language import later, phrase, say
from pages.widgets.markup import Markup, tag
from pages.widgets.status import word
from store import Why

_ROLES = {
    "reader": later("reader"), "contributor": later("contributor"), "reviewer": later("reviewer"), "admin": later("admin"), "auditor": later("auditor"),
}  # fmt: skip


def role_words(role: str, scope: str) -> str:
    """Return what somebody is, and where."""
    name = say(_ROLES.get(role, role))
    return say("{role} everywhere", role=name) if scope == "*" else say("{role} in {scope}", role=name, scope=scope)


def say_why(why: Why, purpose: str, tenant: str) -> Markup:
    """Return why one claim is not told."""
    claim = record_link(why.claim, tenant)
    other = record_link(why.other, tenant) if why.other else tag("span", say("something you may not look into"), cls="cd-muted")
    match why.kind:
        case "status":
            return _say_status(why.status, claim)
        case "expired":
            return phrase("{claim} has expired.", claim=claim)
        case "expired_above":
            return phrase("{claim} rests on {other}, which has expired.", claim=claim, other=other)
        case "unaccepted_above":
            status = say(word(why.other_status)) if why.other_status else say("not accepted")
            return phrase("{claim} rests on {other}, which is not in use ({status}).", claim=claim, other=other, status=status.lower())
        case "contested_above":
            return phrase("{claim} rests on {other}, which is in an open conflict.", claim=claim, other=other)
        case "validity":
            return phrase("{claim} does not hold at that time; it holds {interval}.", claim=claim, interval=interval(why.valid_from, why.valid_to))
        case "purpose":
            kept = ", ".join(why.purposes)
            if purpose:
                return phrase("{claim} is kept for {purposes}, not for this purpose.", claim=claim, purposes=tag("b", kept))
            return phrase("{claim} is kept for {purposes} only, and that purpose was not named.", claim=claim, purposes=tag("b", kept))
        case "held_back":
            return phrase("{claim} would do, but {other} is nearer and in doubt, so the broader one is held back.", claim=claim, other=other)
    return phrase("{claim} could be told.", claim=claim)


def _say_status(status: str, claim: Markup) -> Markup:
    match status:
        case "CANDIDATE":
            return phrase("{claim} is a candidate: nobody has approved it.", claim=claim)
        case "STALE":
            return phrase("{claim} needs re-validation. Until then it is not told, and holds broader claims back.", claim=claim)
        case "DISPUTED":
            return phrase("{claim} is disputed. Until that is settled it is not told, and holds broader claims back.", claim=claim)
        case "SUPERSEDED":
            return phrase("{claim} was replaced by a later one.", claim=claim)
        case "REVOKED":
            return phrase("{claim} was revoked.", claim=claim)
        case "REJECTED":
            return phrase("{claim} was rejected.", claim=claim)
    return phrase("{claim} is being deleted or was deleted.", claim=claim)


def span_words(span: dict[str, Any] | None) -> str:
    """Return where in its evidence a quote stands."""
    if not span:
        return say("the whole version")
    if "pointer" in span:
        return say("at {pointer}", pointer=span["pointer"])
    if "line_start" in span:
        if span["line_start"] == span.get("line_end"):
            return say("line {line}", line=span["line_start"])
        return say("lines {first}–{last}", first=span["line_start"], last=span.get("line_end"))
    if "page" in span:
        return say("page {page}, characters {first}–{last}", page=span["page"], first=span.get("start"), last=span.get("end"))
    if "start" in span:
        return say("characters {first}–{last}", first=f"{span['start']:,}", last=f"{span.get('end', span['start']):,}")
    return say("the whole version")


def command_words(place: Place) -> str:
    """Return the same question for the command line."""
    if place.searching:
        parts = ["search", place.find, "--scope", place.within]
    else:
        parts = ["read", "--scope", place.within, "--subject", place.subject, "--predicate", place.predicate]
        for one in place.which:
            parts += ["--qualifier", one]
        if place.purpose:
            parts += ["--purpose", place.purpose]
        if place.at:
            parts += ["--at", place.at]
    return " ".join(["python -m store", *(shlex.quote(part) for part in [*parts, "--as", place.who])])
