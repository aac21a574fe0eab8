"""Plans kept under a name, as tests ask for them: a chain of records to plan about, and short ways to save, look and compare."""


import pytest

from store import (
    compare_rehearsals,
    list_compared,
    save_rehearsal,
    view_rehearsal,
)
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    delivered,
    given,
)


def save(store, plan, name="What if", by="ana", **options):
    return save_rehearsal(store, by, TENANT, plan, name, **options)["rehearsal"]


def view(store, id, by="ana"):
    return view_rehearsal(store, by, TENANT, id)


def stands(store, id, by="ana"):
    return view(store, id, by).saved.changed


def compare(store, one, other, by="ana"):
    return compare_rehearsals(store, by, TENANT, one, other)


def compared(store, one, other, what, which, by="ana"):
    page = list_compared(store, by, TENANT, one, other, what, which)
    return [row.get("id") or row.get("person") or row.get("subject") for row in page.items]


@pytest.fixture
def chain(desk):
    """c1 rests on a passage of E1, c2 on c1, c3 on c2, a delivered report on c3; d1 rests on a passage of E1 by itself."""
    given(desk, accepted("c1"), accepted("c2", on="c1"), accepted("c3", on="c2"), artifact("R1", on="c3", deliveries=[delivered()]), accepted("d1", "y"))
    return desk
