"""What another comparison would do to conflicts, with the values that come apart or together."""

from __future__ import annotations

from typing import Any

from store.db.records import load_cards
from store.db.transaction import Reading
from store.db.veils import load_shown, shown_key_names
from store.domain.impact import Impact
from store.domain.records import Claim
from store.domain.snapshot import Snapshot

#: Most conflicts that are described; the counts are of all.
DESCRIBED = 200


def describe_comparison(reading: Reading, number: int, snapshot: Snapshot, impact: Impact, hidden: set[int], rows: int | None) -> dict[str, Any] | None:
    """Return the declaration before and after, counts, and conflicts that open, close or change; None for other plans.

    `conflicts` holds at most DESCRIBED or `rows` of those the viewer may see: key, what becomes of it, and its sides with their
    values as written, the sides of now for one that closes and those of then for the others.
    """
    recast = impact.intent.recast
    if recast is None:
        return None
    found: list[tuple[int, str, tuple[int, ...]]] = [
        *((key, "opens", impact.sides_after[key]) for key in impact.opened),
        *((key, "closes", snapshot.open_conflicts[key]) for key in impact.dissolved),
        *((key, "changes", impact.sides_after[key]) for key in impact.changed),
    ]
    shown = [one for one in found if int(snapshot.keys.scope[one[0]]) not in hidden][: DESCRIBED if rows is None else min(rows, DESCRIBED)]
    cards = load_cards(reading.connection, number, [record for _, _, sides in shown for record in sides])
    contents = load_shown(reading.connection, number, list(cards.values()))
    named = shown_key_names(reading.connection, number, [key for key, _, _ in shown])
    return {
        "before": None if recast.before is None else recast.before.to_line(), "after": recast.after.to_line(),
        "claims": recast.claims, "keys": len(recast.keys), "recoded": len(recast.codes),
        "opens": len(impact.opened), "closes": len(impact.dissolved), "changes": len(impact.changed),
        "conflicts": [
            {**named[key], "becomes": becomes, "sides": [{"id": cards[record].id, "value": _value(contents.get(record))} for record in sides]}
            for key, becomes, sides in shown
        ],
    }  # fmt: skip


def _value(content: Any) -> Any:
    return content.value if isinstance(content, Claim) else None
