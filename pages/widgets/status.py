"""How a status looks: always icon, word and colour together, always the same."""

from __future__ import annotations

from pages.widgets.language import later, say
from pages.widgets.markup import Markup, tag

#: status -> (word, Material Symbol, tone); artifacts read two of them differently.
_LOOKS = {
    "CANDIDATE": (later("Candidate"), "pending", "slate"),
    "ACCEPTED": (later("Accepted"), "check_circle", "teal"),
    "DISPUTED": (later("Disputed"), "balance", "violet"),
    "STALE": (later("Needs re-validation"), "history", "amber"),
    "SUPERSEDED": (later("Superseded"), "published_with_changes", "grey"),
    "REVOKED": (later("Revoked"), "block", "red"),
    "REJECTED": (later("Rejected"), "close", "grey"),
    "DELETION_PENDING": (later("Being deleted"), "hourglass_top", "rose"),
    "DELETED": (later("Deleted"), "delete_forever", "grey"),
    "CONFLICT": (later("Conflict"), "compare_arrows", "violet"),
    "EXPIRED": (later("Expired"), "event_busy", "amber"),
    "OK": (later("Served"), "check_circle", "teal"),
    "MISSING": (later("Not served"), "block", "grey"),
}
_ARTIFACT_WORDS = {"ACCEPTED": later("Current"), "SUPERSEDED": later("Replaced by a newer edition"), "REVOKED": later("Withdrawn")}


def word(status: str, kind: str = "claim") -> str:
    """Return the word for a status on screen."""
    if kind == "artifact" and status in _ARTIFACT_WORDS:
        return say(_ARTIFACT_WORDS[status])
    return say(_LOOKS[status][0])


def icon_name(status: str) -> str:
    """Return the name of a status's Material Symbol."""
    return _LOOKS[status][1]


def tone_name(status: str) -> str:
    """Return the name of a status's tone."""
    return _LOOKS[status][2]


def icon(name: str) -> Markup:
    """Return a Material Symbol, from the font that comes with Streamlit."""
    return tag("span", name, cls="cd-icon")


def badge(status: str, kind: str = "claim") -> Markup:
    """Return a status as icon, word and colour."""
    _, symbol, tone = _LOOKS[status]
    return tag("span", icon(symbol), word(status, kind), cls=f"cd-status cd-{tone}")


def change(before: str, after: str, kind: str = "claim") -> Markup:
    """Return a change of status: before, arrow, after."""
    return tag("span", badge(before, kind), tag("span", "→", cls="cd-arrow"), badge(after, kind), cls="cd-change")
