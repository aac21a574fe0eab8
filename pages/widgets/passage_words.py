"""A passage as it was and as it reads now, word for word, cut down to what differs and the words around it."""

from __future__ import annotations

from pages.widgets.candidate_words import shorten
from pages.widgets.language import say
from pages.widgets.markup import Markup, tag
from store import Piece, set_beside

#: Code points that are compared, that are shown beside what differs, and that one piece of what differs may have.
_LONGEST, _AROUND, _MOST = 4_000, 60, 240
#: Code points of one side that are shown.
_ROOM = 600
_LOOKS = {"removed": "del", "added": "ins"}


def was_and_now(then: str | None, now: str | None, *, score: str | None = None) -> list[Markup]:
    """Return a row with the words of a passage before and one with those after; the second only where there are any.

    Args:
        score: how alike they are, in words.
    """
    before, after = set_side_by_side(then, now)
    if before is None:
        return []
    label = f"{say('perhaps now')} {score}" if score else say("perhaps now")
    return [_row(say("was"), before), *([_row(label, after)] if after is not None else [])]


def set_side_by_side(then: str | None, now: str | None) -> tuple[Markup | None, Markup | None]:
    """Return the words of a passage before and after, what differs marked; None for a side that has none."""
    if not then or not now:
        left, right = (tag("span", shorten(words, 2 * _MOST), cls="cs-difftext") if words else None for words in (then, now))
        return left, right
    old, new = set_beside(then[:_LONGEST], now[:_LONGEST])
    return show_pieces(old), show_pieces(new)


def show_pieces(pieces: tuple[Piece, ...]) -> Markup:
    """Return the words of one side: those not on the other marked, those that are on both cut down to what stands beside a mark."""
    joined: list[tuple[str | None, str]] = []
    for piece in pieces:
        look, words = _LOOKS.get(piece.kind), piece.text
        if joined and joined[-1][0] == look:
            joined[-1] = (look, joined[-1][1] + words)
        else:
            joined.append((look, words))
    shown: list[Markup | str] = []
    room = _ROOM
    for n, (look, words) in enumerate(joined):
        if room <= 0:
            shown.append(" …")
            break
        part = shorten(words.rstrip(), _MOST) if look else _around(words, first=n == 0, last=n == len(joined) - 1)
        shown += [tag(look, part), words[len(words.rstrip()) :]] if look else [part]
        room -= len(part)
    return tag("span", *shown, cls="cs-difftext")


def _around(words: str, *, first: bool, last: bool) -> str:
    """Return words that are on both sides without those that stand beside no mark."""
    if first and last:
        return shorten(words, 2 * _MOST)
    head, tail = 0 if first else _AROUND, 0 if last else _AROUND
    if len(words) <= head + tail + _AROUND:
        return words
    before, after = words[:head], words[len(words) - tail :] if tail else ""
    return f"{before[: before.rfind(' ') + 1] or before}…{after[after.find(' ') :] if ' ' in after else after}"


def _row(label: str, words: Markup) -> Markup:
    return tag("div", tag("span", label, cls="cd-muted"), words, cls="cs-pair")
