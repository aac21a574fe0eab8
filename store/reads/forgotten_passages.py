"""The passages a request to forget would black out, with the text around them, before it is made; nothing of it is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.db.claim_store import ClaimStore
from store.db.impacts import hidden_scopes
from store.db.plan_lists import Named, load_named
from store.db.records import find_numbers, load_cards
from store.db.redactions import foresee
from store.db.renditions import load_captured
from store.db.source_shelf import bindings_to
from store.db.transaction import Reading, read
from store.db.veils import veiled_numbers
from store.domain.errors import Code, Refusal
from store.domain.forgetting import Redaction
from store.domain.people import Right
from store.domain.redacting import blot_out
from store.domain.veiling import veil_now

#: Code points shown before and after a passage, and of it.
_AROUND, _LONGEST = 140, 600


@dataclass(frozen=True, slots=True)
class ForeseenPassage:
    """A passage that would be blacked out: `words` between what stands around it, cut where `cut_before` or `cut_after`.

    Attributes:
        joined: it stands so near behind the passage before it that the text between them is that one's `after`, and its own `before` is empty.
        shortened: how many code points of the passage itself are not shown.
    """

    start: int
    end: int
    before: str
    words: str
    after: str
    cut_before: bool
    cut_after: bool
    shortened: int
    joined: bool = False


@dataclass(frozen=True, slots=True)
class ForeseenDocument:
    """A captured version in which something would be blacked out.

    Attributes:
        whole: it is itself forgotten, so everything in it goes.
        total: how many passages of it are covered; `passages` holds the first of them.
    """

    id: str
    title: str
    scope: str
    whole: bool
    total: int
    passages: tuple[ForeseenPassage, ...]


@dataclass(frozen=True, slots=True)
class FallingClaim:
    """Another claim that falls, because its passage is met."""

    id: str
    title: str
    status: str
    scope: str


@dataclass(frozen=True, slots=True)
class ForeseenPassages:
    """What would be blacked out, and which other claims fall with it.

    Attributes:
        total: how many passages in how many `staying` versions, those the person may not see among them; what is itself forgotten is not counted.
        documents_total: those versions and the ones that are themselves forgotten.
        hidden: how many of these versions, and `hidden_claims` how many of the falling claims, the person may not see.
        kept: versions whose passages stay readable because somebody said so: id -> title.
    """

    documents: tuple[ForeseenDocument, ...]
    documents_total: int
    staying: int
    total: int
    hidden: int
    falling: tuple[FallingClaim, ...]
    falling_total: int
    hidden_claims: int
    kept: dict[str, str]


def foresee_passages(
    store: ClaimStore, person: str, tenant: str, ids: Sequence[str], *, keep: Sequence[str] = (), most: int = 40, each: int = 6, authenticated: bool = False
) -> ForeseenPassages:  # fmt: skip
    """Return the passages that forgetting some records blacks out, as far as the person may see them.

    Args:
        keep: ids of evidence whose passages stay readable.
        most: how many versions and claims are described at most; `each`: how many passages of each.

    Raises:
        Refusal: `not_found`: no such tenant that the person may see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} that you may see. Check the scope.")
        connection = reading.connection
        records = sorted(find_numbers(connection, number, sorted(set(ids))).values())
        mine = set(records)
        foreseen = foresee(connection, number, reading.snapshot(number), records, keep)
        redactions, falling = foreseen.redactions, foreseen.falling
        spans: dict[int, list[Redaction]] = {}
        for one in redactions:
            spans.setdefault(one.record, []).append(one)
        barred = hidden_scopes(connection, number, reading.actor)
        cards = load_cards(connection, number, [*spans, *falling])
        seen = {card.number for card in cards.values() if not barred or reading.actor.may(Right.INSPECT, card.scope)}
        shown = [record for record in sorted(spans, key=lambda record: (record in mine, record)) if record in seen]
        named = load_named(connection, number, [*shown[:most], *[one for one in falling if one in seen][:most]])
        named_kept = load_named(connection, number, find_numbers(connection, number, list(keep)).values()).values()
        kept = {one.id: one.title for one in named_kept if reading.actor.may(Right.INSPECT, one.scope)}
        documents = []
        for record in shown[:most]:
            whole, first = record in mine, sorted(spans[record], key=lambda one: (one.start, one.end))[:each]
            text = None if whole else _text(reading, number, named[record], first)
            documents.append(_document(named[record], whole, len(spans[record]), text, first))
        claims = [named[one] for one in falling if one in named]
        return ForeseenPassages(
            tuple(documents), len(spans), len(spans.keys() - mine), sum(one.record not in mine for one in redactions), len(spans) - len(shown), tuple(FallingClaim(one.id, one.title, one.status, one.scope) for one in claims),
            len(falling), sum(one not in seen for one in falling), kept,
        )  # fmt: skip


def _text(reading: Reading, tenant: int, named: Named, shown: Sequence[Redaction]) -> str | None:
    """Return a version's text without the passages of claims that are veiled from whoever looks, as many code points long; None where it has none.

    Only what stands near the passages that are shown is looked at: detection takes its time.
    """
    text = load_captured(reading.connection, tenant, named.number).text
    if text is None or veil_now() is None:
        return text
    bound = [(record, span.get("start"), span.get("end")) for record, binding in bindings_to(reading.connection, tenant, named.number, named.id) if (span := binding.span) is not None]
    near = [(one.start - _AROUND, one.end + _AROUND) for one in shown]
    spots = [
        (record, start, end) for record, start, end in bound
        if isinstance(start, int) and isinstance(end, int) and any(start < last and first < end for first, last in near)
    ]  # fmt: skip
    veiled = veiled_numbers(reading.connection, tenant, {record for record, _, _ in spots})
    return blot_out(text, [(start, end) for record, start, end in spots if record in veiled])


def _document(named: Named, whole: bool, total: int, text: str | None, first: Sequence[Redaction]) -> ForeseenDocument:
    return ForeseenDocument(named.id, named.title, named.scope, whole, total, () if text is None else _passages(text, first))


def _passages(text: str, spans: Sequence[Redaction]) -> tuple[ForeseenPassage, ...]:
    """Return passages in the order of the text, each piece of text around them once."""
    found: list[ForeseenPassage] = []
    reached = 0
    for at, span in enumerate(spans):
        start, end = max(span.start, reached), max(span.end, reached)
        following = spans[at + 1].start if at + 1 < len(spans) else None
        near = following is not None and following - end <= 2 * _AROUND
        joined = bool(found) and start - reached <= 2 * _AROUND
        first = start if joined else max(0, start - _AROUND)
        last = max(end, following) if near and following is not None else min(len(text), end + _AROUND)
        words = text[start : min(end, start + _LONGEST)]
        found.append(ForeseenPassage(span.start, span.end, text[first:start], words, text[end:last], first > 0 and not joined, last < len(text) and not near, end - start - len(words), joined))
        reached = end
    return tuple(found)
