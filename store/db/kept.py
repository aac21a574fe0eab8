"""What the policy keeps no longer: claims whose type or sensitivity it excludes by now do not come back into use (R2).

A claim leaves the queue of candidates by the promotion checks, and comes back from re-validation by confirming, which asks them
again (R22). Every other way back, by a plan or by an import, asks here, and so does renewing, which keeps it for longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.keys import load_policies, policy_in
from store.db.records import load_ids
from store.domain.errors import Code, Refusal
from store.domain.plans import Intent
from store.domain.promotion import WITHDRAW, sensitivity_not_kept, type_not_kept
from store.domain.records import SENSITIVITIES, Claim
from store.domain.status import Status

#: Reasons a refusal names before it says how many more there are.
_NAMED = 5


def not_kept(connection: Connection, tenant: int, records: Iterable[int]) -> dict[int, str]:
    """Return claim -> why the policy in force in its scope keeps it no longer, as a sentence without its full stop; of the others nothing."""
    state, c, s = t.record_state, t.claim, t.scope
    policies = load_policies(connection, tenant)
    query = (
        sa.select(c.c.record, c.c.claim_type, c.c.sensitivity, s.c.path)
        .join(state, (state.c.tenant == c.c.tenant) & (state.c.record == c.c.record))
        .join(s, (s.c.tenant == state.c.tenant) & (s.c.scope == state.c.scope))
        .where(c.c.tenant == tenant)
    )
    if not any(settings.get("kept_types") for _, settings in policies):
        query = query.where(c.c.sensitivity != "normal")
    found: dict[int, str] = {}
    for some in chunks(sorted(set(records))):
        for record, claim_type, sensitivity, path in connection.execute(query.where(c.c.record.in_(some))):
            policy = policy_in(policies, path)
            why = type_not_kept(policy, claim_type) or sensitivity_not_kept(policy, sensitivity)
            if why is not None:
                found[record] = why
    return found


def excluded_by(policies: Sequence[tuple[str, Mapping[str, Any]]], claim: Claim) -> str | None:
    """Return why policies say in so many words that a claim is not kept, as a sentence without its full stop; None where they do not.

    What is excluded only because no policy speaks of it may be brought in by a reviewed import: that is an admin's logged decision (R1).
    """
    policy = policy_in(policies, claim.scope)
    if "sensitivities" not in policy:
        policy["sensitivities"] = SENSITIVITIES
    return type_not_kept(policy, claim.claim_type) or sensitivity_not_kept(policy, claim.sensitivity)


def need_kept(connection: Connection, tenant: int, intent: Intent) -> None:
    """Make sure that a plan brings nothing back into use that the policy keeps no longer.

    Raises:
        Refusal: `promotion_checks_failed`, naming what would come back, why it does not, and what to do.
    """
    back = [record for record, (now, then) in intent.becomes.items() if then == Status.ACCEPTED and now not in (Status.ACCEPTED, Status.CANDIDATE)]
    why = not_kept(connection, tenant, back)
    if not why:
        return
    ids = load_ids(connection, tenant, sorted(why)[:_NAMED])
    named = "; ".join(f"{ids[record]}: {why[record][:1].lower()}{why[record][1:]}" for record in ids)
    more = f"; and {len(why) - _NAMED:,} more like that" if len(why) > _NAMED else ""
    then = WITHDRAW if len(why) == len(back) else f"Leave {'it' if len(why) == 1 else 'them'} out, or ask an admin what the policy should keep."
    raise Refusal(Code.PROMOTION_CHECKS_FAILED, f"Nothing was changed, because of what would come back into use. {named}{more}. {then}")


def need_kept_to_renew(connection: Connection, tenant: int, record: int, record_id: str) -> None:
    """Make sure that nothing is kept for longer that the policy keeps no longer.

    Raises:
        Refusal: `promotion_checks_failed`, saying why it is not kept and what to do.
    """
    why = not_kept(connection, tenant, [record]).get(record)
    if why is not None:
        raise Refusal(Code.PROMOTION_CHECKS_FAILED, f"{record_id} was not renewed: {why[:1].lower()}{why[1:]}. Let it lapse: give an earlier expiry date. {WITHDRAW}")
