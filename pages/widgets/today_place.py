"""Where one is on the page of the day: the whole of it, or one of its lists; all of it in the address."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

import streamlit as st

from pages.widgets.desk import Desk, address
from pages.widgets.frame import ADDRESSES
from store import TODAY_LISTS, AgendaRow, OwnPlan, Verb

#: The list of questions is drawn by the page itself.
QUESTIONS = "questions"


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        show: the list that is open, None for the whole day; `week`: of dates, which; `after`: where its page starts.
        unknown: a list in the address that is none.
    """

    scope: str | None
    show: str | None = None
    week: str | None = None
    after: str | None = None
    unknown: str | None = None

    def link(self, show: str | None = None, week: str | None = None, after: str | None = None) -> str:
        """Return the address of a list of the day, or of the day."""
        return address("today", show=show, week=week, after=after, scope=self.scope)


def read_place(desk: Desk) -> Place:
    """Return what the address says; a list that is none counts as not said."""
    asked = st.query_params
    show = asked.get("show") or None
    known = show in (None, QUESTIONS, *TODAY_LISTS)
    return Place(desk.scope, show if known else None, asked.get("week") or None, asked.get("after") or None, None if known else show)


def candidate_address(row: AgendaRow, scope: str | None) -> str:
    """Return the address of a candidate on its page."""
    return address("candidates", candidate=row.id, tenant=row.tenant, scope=scope)


def plan_address(plan: OwnPlan, scope: str | None) -> str | None:
    """Return the address that opens a plan again, None for a kind of plan that has no page."""
    verb, roots = plan.plan.verb, plan.plan.roots
    if verb in (Verb.REVOKE, Verb.SUSPEND, Verb.REINSTATE):
        pairs = [("tenant", plan.tenant), *(("pick", root) for root in roots), *(("made", f"{name}={value}") for name, value in sorted(plan.plan.made.items())), ("do", verb.value), ("scope", scope or "")]
        return "/revoke?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs if value)
    if verb is Verb.RECAPTURE and "sources" in ADDRESSES:
        return address("sources", source=roots[0], tenant=plan.tenant, do="recapture", scope=scope)
    if verb in (Verb.CONFIRM, Verb.RESTORE) and "revalidate" in ADDRESSES:
        return address("revalidate", scope=scope)
    return address("conflicts", conflict=roots[0], tenant=plan.tenant, scope=scope) if verb is Verb.RESOLVE else None
