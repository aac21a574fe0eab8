"""Where one is among messages and deliveries; all of it in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from pages.widgets.delivery_words import STATES
from pages.widgets.desk import Desk, address

DELIVERED = "delivered"
NEEDING = "needing"


@dataclass(frozen=True, slots=True)
class DeliveryPlace:
    """What the address says.

    Attributes:
        delivered: whether what went out is looked at, not the outbox.
        state: of messages, the state the list is kept to; `only`: of what went out, `needing` for what is to be put right.
        after: how many of what went out are passed over; `page`: where the page of messages begins.
    """

    scope: str | None
    tenant: str | None = None
    delivered: bool = False
    message: str | None = None
    artifact: str | None = None
    state: str | None = None
    only: str | None = None
    correction: str | None = None
    after: int = 0
    page: str | None = None

    def link(self, **changes: object) -> str:
        """Return the address of this place with some things changed; lists start at their beginning unless said."""
        changes = {"after": 0, "page": None, **changes}
        new = replace(self, **changes)  # type: ignore[arg-type]
        return address(
            "deliveries", view=DELIVERED if new.delivered else None, message=None if new.delivered else new.message, artifact=new.artifact if new.delivered else None,
            tenant=new.tenant if new.message or new.artifact else None, state=None if new.delivered else new.state, only=new.only if new.delivered else None,
            correction=new.correction, after=str(new.after) if new.after else None, begin=None if new.delivered or new.message else new.page, scope=new.scope,
        )  # fmt: skip


def read_place(desk: Desk) -> DeliveryPlace:
    """Return what the address says; what it says wrongly counts as not said."""
    asked = st.query_params
    state, after = asked.get("state"), asked.get("after", "")
    delivered = asked.get("view") == DELIVERED
    return DeliveryPlace(
        desk.scope, asked.get("tenant") or (desk.tenants[0] if len(desk.tenants) == 1 else None), delivered, None if delivered else asked.get("message") or None,
        (asked.get("artifact") or None) if delivered else None, state if state in STATES else None, NEEDING if asked.get("only") == NEEDING else None,
        asked.get("correction") or None, int(after) if after.isascii() and after.isdigit() and len(after) < 7 else 0,
        None if delivered else asked.get("begin") or None,
    )  # fmt: skip
