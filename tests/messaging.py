"""Reports that were sent, and short ways to draft and find messages about them, as tests ask for them."""



from store import (
    draft_messages,
    list_messages,
)
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    delivered,
    given,
)
from tests.recapturing import NAV, fund, recapture, recapturing  # noqa: F401 - fixture


def setting(store, *more):
    """A holds up two reports, one held by kim and lee, the other by kim alone; both are owned by ben."""
    given(
        store, accepted("A", 184, statement="The NAV is 184."), accepted("B", on="A"),
        artifact("R1", "B", title="Quarterly", body="Hello. The NAV is 184 this time. Bye.", owner="ben", deliveries=[delivered(), delivered("lee@example.org")]),
        artifact("R2", "A", title="Memo", owner="ben", deliveries=[delivered()]), *more,
    )  # fmt: skip


def box(store, by="ana", **options):
    return {row.recipient: row for row in list_messages(store, by, **options).rows}


def draft(store, by="ana", **options):
    return draft_messages(store, by, TENANT, **options)
