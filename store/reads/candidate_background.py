"""What a reviewer asks of a candidate besides its checks: what stood before, what changed since, whether the quote says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from store.db.candidate_facts import load_evidence
from store.db.previous_values import NewerVersion, find_before, find_newer
from store.db.records import load_cards
from store.db.renditions import captured_text
from store.db.transaction import Reading
from store.db.veils import load_shown
from store.db.waiting import accepted_since
from store.domain.people import Right
from store.domain.records import Artifact, Binding, Claim
from store.domain.snapshot import Snapshot
from store.domain.spans import CapturedText, locate_in
from store.domain.times import format_optional, format_time
from store.domain.value_change import ValueChange, change_between
from store.domain.value_in_quote import UNTOLD, InQuote, find_value

#: Code points before and after a quote in which a table may say its scale.
_NEAR = 1_500


@dataclass(frozen=True, slots=True)
class Previous:
    """The value accepted last for a candidate's question, and how the candidate differs from it. Texts come from outside.

    Attributes:
        period: of an earlier period of the same figure, which one; None where it answers the very same question.
        since: when it was accepted; `by`: by whom.
    """

    id: str
    status: str
    value: Any
    period: str | None
    valid_from: str | None
    since: str | None
    by: str | None
    change: ValueChange


@dataclass(frozen=True, slots=True)
class Newer:
    """A later version of the quoted document.

    Attributes:
        same: whether the quote still occurs in it word for word; None where it is no text.
    """

    id: str
    version: int
    captured_at: str | None
    same: bool | None


class Background:
    """What stands behind some candidates of one tenant, found by few queries."""

    def __init__(self, reading: Reading, tenant: int, snapshot: Snapshot, contents: Mapping[int, Claim | Artifact]) -> None:
        self.reading, self.tenant = reading, tenant
        connection = reading.connection
        claims = {record: content for record, content in contents.items() if isinstance(content, Claim)}
        self._claims = claims
        self._before = find_before(connection, tenant, snapshot, claims)
        numbers = sorted({one.record for one in self._before.values()})
        self._cards = load_cards(connection, tenant, numbers)
        self._values = load_shown(connection, tenant, list(self._cards.values()), with_bytes=False)
        self._since = accepted_since(connection, tenant, numbers)
        bound = sorted({binding.evidence for claim in claims.values() for binding in claim.evidence})
        self._newer = find_newer(connection, tenant, bound, self._sees)
        self.texts = load_evidence(connection, tenant, bound)

    def _sees(self, scope: str) -> bool:
        return self.reading.actor.may(Right.INSPECT, scope) or self.reading.actor.may(Right.READ, scope)

    def previous(self, record: int) -> Previous | None:
        """Return what stood before a candidate."""
        before = self._before.get(record)
        if before is None:
            return None
        card, old = self._cards[before.record], self._values[before.record]
        assert isinstance(old, Claim)
        since = self._since.get(before.record)
        return Previous(
            card.id, card.status.name, old.value, before.period, format_optional(card.valid_from), format_time(since[0]) if since else None,
            since[1] if since else None, change_between(old.value, self._claims[record].value),
        )  # fmt: skip

    def in_quote(self, record: int) -> InQuote:
        """Return whether a claim's value stands in one of its quotes; the best of them."""
        claim = self._claims.get(record)
        best = InQuote(UNTOLD)
        if claim is None:
            return best
        for binding in claim.evidence:
            if not binding.quote or self._is_blotted(binding):
                continue
            found = find_value(claim.value, binding.quote, self._around(binding))
            if found.kind != UNTOLD and (best.kind == UNTOLD or _GOODNESS.index(found.kind) < _GOODNESS.index(best.kind)):
                best = found
        return best

    def _is_blotted(self, binding: Binding) -> bool:
        """Return whether something of the passage is blotted out, so that nothing can be told from its words."""
        captured = self.texts.get(binding.evidence)
        return captured is not None and bool(captured.redacted) and locate_in(binding, captured).blotted

    def _around(self, binding: Binding) -> str:
        captured = self.texts.get(binding.evidence)
        if captured is None or captured.text is None or captured.is_json:
            return ""
        found = locate_in(binding, captured)
        text = (captured.markup if found.in_markup else captured.text) or ""
        start = found.start if found.start is not None else text.find(binding.quote or "")
        return text[max(0, start - _NEAR) : start + _NEAR] if start >= 0 else ""

    def newer(self, binding: Binding) -> Newer | None:
        """Return the newest later version of what a binding quotes."""
        version = self._newer.get(binding.evidence)
        if version is None or self._is_blotted(binding):
            return None
        return Newer(version.id, version.version, format_optional(version.captured_at), self._still_says(binding, version))

    def _still_says(self, binding: Binding, version: NewerVersion) -> bool | None:
        captured = captured_text(self.reading.connection, self.tenant, version.record, version.sha256, version.media_type)
        if captured.text is None or not binding.quote:
            return None
        pointer = (binding.span or {}).get("pointer")
        if pointer is not None:
            return locate_in(Binding(version.id, {"pointer": pointer}, binding.quote), captured).ok
        return binding.quote in captured.text


#: Kinds of InQuote, the best first.
_GOODNESS = ("yes", "scaled", "part", "digits", "no")


def place_in(binding: Binding, captured: CapturedText | None) -> dict[str, Any]:
    """Return where a binding stands in words of a page: `page`, `line` or `pointer`, whichever its span gives."""
    span = binding.span or {}
    if span.get("page") is not None:
        return {"page": span["page"]}
    if span.get("pointer") is not None:
        return {"pointer": span["pointer"]}
    if span.get("line_start") is not None and span.get("start") is None:
        return {"line": span["line_start"]}
    start = span.get("start")
    page = captured.page_of(start) if isinstance(start, int) and captured is not None else None
    if page is not None:
        return {"page": page}
    return {"line": captured.line_of(start)} if isinstance(start, int) and captured is not None and captured.text is not None else {}
