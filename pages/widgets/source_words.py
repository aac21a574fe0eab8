"""How media types, sizes and ways of arrival read on screen."""

from __future__ import annotations

from pages.widgets.language import later, number, say, say_count
from pages.widgets.markup import Markup, tag
from pages.widgets.status import icon_name, word

_MEDIA = {
    "text/markdown": later("Markdown"), "text/plain": later("plain text"), "text/html": later("HTML"), "text/csv": later("table (CSV)"),
    "application/json": later("JSON"), "application/pdf": later("PDF"), "application/vnd.observation+json": later("observed event"),
    "text/tab-separated-values": later("table (TSV)"), "application/toml": later("TOML"), "text/yaml": later("YAML"), "application/yaml": later("YAML"),
}  # fmt: skip
#: action of the event -> how a version came; pass it through `say`.
_ARRIVED = {"import": later("imported"), "recapture": later("by a recapture"), "capture": later("captured")}


def media_word(media_type: str) -> str:
    """Return what a version is, in words; the media type where there is no word for it."""
    known = media_type.split(";", maxsplit=1)[0].strip().lower()
    return say(_MEDIA[known]) if known in _MEDIA else media_type[:60]


def size_words(size: int) -> str:
    """Return a size in words."""
    if size < 10_000:
        return say_count("{n} byte", "{n} bytes", size)
    if size < 10_000_000:
        return say("{n} kB", n=number(round(size / 1_000)))
    return say("{n} MB", n=number(round(size / 1_000_000)))


def arrived_words(action: str) -> str:
    """Return how a version came into the store."""
    return say(_ARRIVED[action]) if action in _ARRIVED else action


def status_mark(status: str) -> Markup:
    """Return a status as its icon alone, for a footnote; its word stands in the title and in the list beside the text."""
    return tag("span", icon_name(status), cls="cd-icon", title=word(status))
