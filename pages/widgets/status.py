"""How a status looks: always icon, word and colour together, always the same."""

from __future__ import annotations

from pages.widgets.markup import Markup, tag

#: status -> (word, Material Symbol, tone); artifacts read two of them differently.
_LOOKS = {
    "CANDIDATE": ("Candidate", "pending", "slate"),
    "ACCEPTED": ("Accepted", "check_circle", "teal"),
    "DISPUTED": ("Disputed", "balance", "violet"),
    "STALE": ("Needs re-validation", "history", "amber"),
    "SUPERSEDED": ("Superseded", "published_with_changes", "grey"),
    "REVOKED": ("Revoked", "block", "red"),
    "REJECTED": ("Rejected", "close", "grey"),
    "DELETION_PENDING": ("Being deleted", "hourglass_top", "rose"),
    "DELETED": ("Deleted", "delete_forever", "grey"),
    "CONFLICT": ("Conflict", "compare_arrows", "violet"),
    "EXPIRED": ("Expired", "event_busy", "amber"),
    "OK": ("Served", "check_circle", "teal"),
    "MISSING": ("Not served", "block", "grey"),
}
_ARTIFACT_WORDS = {"ACCEPTED": "Current", "REVOKED": "Withdrawn"}


def word(status: str, kind: str = "claim") -> str:
    """Return the word for a status on screen."""
    if kind == "artifact" and status in _ARTIFACT_WORDS:
        return _ARTIFACT_WORDS[status]
    return _LOOKS[status][0]


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
