"""Stretches of a text with the passages of claims marked in them, and a footnote where each ends."""

from __future__ import annotations

from pages.widgets.candidate_words import shorten
from pages.widgets.language import number
from pages.widgets.markup import Markup, join, tag
from pages.widgets.source_place import Place
from pages.widgets.source_words import status_mark
from pages.widgets.status import word
from store import MarkedText, Segment

#: Statuses whose marks have a look of their own; all others look like these.
_LOOKS = {"ACCEPTED": "accepted", "CANDIDATE": "candidate", "STALE": "stale", "DISPUTED": "stale"}


def mark_look(status: str) -> str:
    """Return the class of a mark of a claim in this status."""
    return f"cs-{_LOOKS.get(status, 'past')}"


class Marker:
    """Draws the segments of one screen; footnotes are numbered in order of the text."""

    def __init__(self, found: MarkedText, place: Place) -> None:
        self.found, self.place = found, place
        self.numbers = {n: position for position, n in enumerate(found.claims, 1)}

    def _note(self, n: int) -> Markup:
        one = self.found.claims[n]
        hint = f"{word(one.status)}: {shorten(one.title, 160)}"
        return tag("sup", status_mark(one.status), number(self.numbers[n]), cls=f"cs-note {mark_look(one.status)}", title=hint)

    def segment(self, segment: Segment) -> Markup:
        """Return a segment, marked where passages cover it."""
        if not segment.marks:
            return tag("span", segment.text)
        claims = self.found.claims
        known = [n for n in segment.marks if n in claims]
        looks = sorted({mark_look(claims[n].status) for n in known}) or ["cs-past"]
        cls = " ".join(("cs-mark", looks[0] if len(looks) == 1 else "cs-mixed", *(["cs-many"] if len(segment.marks) > 1 else [])))
        if any(claims[n].id == self.place.claim for n in known):
            cls += " cs-asked"
        return join((tag("mark", segment.text, cls=cls), *(self._note(n) for n in segment.ending if n in claims)))

    def segments(self, segments: tuple[Segment, ...]) -> Markup:
        """Return segments one after the other."""
        return join(self.segment(one) for one in segments)
