"""Puts into a synthetic store what a correction leaves behind: a case, thousands of stale records, rehearsals, messages, extractors that differ."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from store import (
    OPERATOR,
    Plan,
    Verb,
    commit_plan,
    draft_messages,
    measure_exposure,
    open_correction,
    open_store,
    preview_plan,
    save_rehearsal,
)
from store.bench.texts import TENANT

#: How many records a source of middling weight takes with it, about.
_STALE = 5_000


@dataclass(frozen=True)
class Marks:
    """What there is to look at."""

    source: str
    correction: str
    one: str
    other: str


def burden(url: str) -> Marks:
    """Suspend a source that some thousand records rest on, within a case; keep two rehearsals about others; draft the messages."""
    with contextlib.closing(open_store(url)) as store:
        ranked = measure_exposure(store, OPERATOR, order="reach", limit=1_000).rows
        near = sorted(ranked, key=lambda row: abs(row.reach - _STALE))
        stopped, first, second = (row.id for row in near[:3])
        case = open_correction(store, OPERATOR, TENANT, f"{stopped} was restated", sources=[stopped], cause="The publisher restated its figures.")
        plan = Plan(Verb.SUSPEND, (stopped,))
        seen = preview_plan(store, OPERATOR, TENANT, plan)
        commit_plan(store, OPERATOR, TENANT, plan, seen.fingerprint, "Restated", correction=case["correction"])
        saved = [
            save_rehearsal(store, OPERATOR, TENANT, Plan(verb, roots), name)["rehearsal"]
            for verb, roots, name in ((Verb.REVOKE, (first,), "Withdraw it"), (Verb.REVOKE, (first, second), "Withdraw both"))
        ]
        draft_messages(store, OPERATOR, TENANT, correction=case["correction"])
        return Marks(stopped, case["correction"], *saved)
