"""New values for claims whose passages changed: each becomes a candidate about the same thing, bound to the new version (R4, R21)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from store.domain.errors import Code, Refusal
from store.domain.passages import span_for
from store.domain.records import Binding, Claim
from store.domain.spans import CapturedText, find_quote, locate_in
from store.domain.times import parse_stated_time

#: What may be entered for a claim, beside its id.
FIELDS = ("value", "span", "quote", "statement", "valid_from", "valid_to", "extraction")


def check_values(values: Mapping[str, Mapping[str, Any]]) -> None:
    """Look at new values as they were entered.

    Raises:
        Refusal: `bad_value` or `unknown_field`, naming the claim.
    """
    for named, fields in values.items():
        if not isinstance(fields, Mapping) or "value" not in fields:
            raise Refusal(Code.BAD_VALUE, f"The new value of {named} is missing. Nothing was changed. Enter one, or leave the claim out.")
        strange = sorted(set(fields) - set(FIELDS))
        if strange:
            raise Refusal(Code.UNKNOWN_FIELD, f"{strange[0]!r} cannot be entered for {named}; {', '.join(FIELDS)} can. Nothing was changed.")
        for name, kind, what in (("span", dict, "a JSON object"), ("quote", str, "text"), ("statement", str, "text"), ("extraction", dict, "a JSON object")):
            if fields.get(name) is not None and not isinstance(fields[name], kind):
                raise Refusal(Code.BAD_VALUE, f"The {name} entered for {named} is not {what}. Nothing was changed.")


def answer_claim(
    before: Claim, fields: Mapping[str, Any], proposed: Binding | None, new: CapturedText, evidence: str, proposer: str, new_id: str
) -> Claim:
    """Return the candidate that answers a fallen claim.

    Args:
        proposed: the passage that was proposed, used where none is entered.
        evidence: id of the new version, `new` its text.

    Raises:
        Refusal: `bad_value`: what was entered does not stand in the new version.
    """
    times = {}
    for name in ("valid_from", "valid_to"):
        times[name] = getattr(before, name)
        if name in fields:
            try:
                times[name] = None if fields[name] is None else parse_stated_time(str(fields[name]))
            except ValueError as error:
                raise Refusal(Code.BAD_VALUE, f"{error}. Nothing was changed.") from None
    binding = _binding(before.id, fields, proposed, new, evidence)
    gone = {one.evidence for one in before.evidence}
    return replace(
        before, id=new_id, value=fields["value"], statement=fields.get("statement"), evidence=(binding,),
        derived_from=tuple(parent for parent in before.derived_from if parent not in gone), proposed_by=proposer, confirmed_by=None, task=None,
        extraction=fields.get("extraction") or {"method": "entered with a recapture", "version": "1"}, contributors=(), assumed_utc=(),
        source_uri=None, source_span=None, **times,
    )  # fmt: skip


def _binding(named: str, fields: Mapping[str, Any], proposed: Binding | None, new: CapturedText, evidence: str) -> Binding:
    span, quote = fields.get("span"), fields.get("quote")
    if span is None and quote is None:
        return proposed if proposed is not None else Binding(evidence)
    if span is None:
        places = find_quote(quote or "", new.text or "")
        if not places:
            raise Refusal(Code.BAD_VALUE, f"“{(quote or '')[:80]}”, quoted for {named}, does not occur in the new version. Nothing was changed. Correct the quote.")
        place = _nearest(places, proposed, new)
        return Binding(evidence, span_for(new, place, place + len(quote or "")), quote)
    taken = Binding(evidence, dict(span), quote if quote is not None else _quote_at(span, new))
    found = locate_in(taken, new)
    if not found.ok:
        raise Refusal(Code.BAD_VALUE, f"For {named}: {found.message} Nothing was changed.")
    return taken


def _nearest(places: list[int], proposed: Binding | None, new: CapturedText) -> int:
    if proposed is None or proposed.span is None:
        return places[0]
    found = locate_in(proposed, new)
    return places[0] if found.start is None else min(places, key=lambda place: abs(place - (found.start or 0)))


def _quote_at(span: Mapping[str, Any], new: CapturedText) -> str | None:
    """Return the words at a span of characters, for whoever enters a place without its words."""
    text, start, end = new.text or "", span.get("start"), span.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        return None
    page = span.get("page")
    if page is not None and new.rendition is not None:
        bounds = new.rendition.page_bounds(page) if isinstance(page, int) else None
        first = bounds[0] if bounds is not None else 0
        return text[first + start : first + end] or None
    return text[start:end] or None
