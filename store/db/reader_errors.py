"""The verdict that a reader erred: what one extractor version made is set aside, and its sides of the conflict with it (R12).

The sides it made leave the conflict, so they are revoked: a suspended claim still is a side (R10). Everything else it made
is suspended until somebody looks; single records may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.engine import Connection

from store.db.picking import describe_made, find_made, pick_made
from store.domain.errors import Code, Refusal
from store.domain.people import Actor
from store.domain.plans import Plan
from store.domain.records import Card
from store.domain.status import Step, is_legal, next_status


def plan_reader_error(connection: Connection, tenant: int, actor: Actor, plan: Plan, sides: Mapping[str, Card]) -> dict[int, tuple[int, int]]:
    """Return record -> (status now, status then).

    Raises:
        Refusal: `bad_value`: none of the sides was made so; and what `pick_made` raises.
    """
    left_out = {*plan.except_, *([plan.keep] if plan.keep else [])}
    made = {card.id for card in find_made(connection, tenant, plan.made)}
    wrong = [card for card in sides.values() if card.id in made and card.id not in left_out]
    if not wrong:
        raise Refusal(Code.BAD_VALUE, f"None of the sides was made by {describe_made(plan.made)}. Nothing was changed. Name the reader of one of them.")
    becomes = {card.number: (int(card.status), int(next_status(card.id, card.status, Step.REVOKE))) for card in wrong}
    picked = [
        card for card in find_made(connection, tenant, plan.made)
        if card.id not in left_out and card.id not in sides and is_legal(card.status, Step.SUSPEND)
    ]  # fmt: skip
    if picked:
        for card in pick_made(connection, tenant, actor, plan.made, Step.SUSPEND, "suspend what the reader made"):
            if card.id not in left_out and card.id not in sides:
                becomes[card.number] = (int(card.status), int(next_status(card.id, card.status, Step.SUSPEND)))
    return becomes
