"""What a rehearsed recapture makes of every passage, for the page of its source."""

from __future__ import annotations

from store.db.claim_store import ClaimStore
from store.db.transaction import read
from store.reads.plan_page import Rehearsal
from store.reads.recapture import Recapture, describe_recapture


def list_recaptured(store: ClaimStore, rehearsal: Rehearsal, *, rows: int | None = None, authenticated: bool = False) -> Recapture | None:
    """Return what becomes of passages as the person of the rehearsal may see it, at most `rows` of each list; None where it is no recapture."""
    with read(store, rehearsal.person, authenticated=authenticated) as reading:
        return describe_recapture(reading, rehearsal.number, rehearsal.impact, rows)
