"""A source captured again, as tests ask for it: the fund with its figure and its office, and short ways to plan and commit."""


import pytest

from store import (
    Plan,
    Verb,
    export_store,
    keep_plan_file,
)
from tests.builders import (
    OPERATOR,
    TENANT,
    TEXT,
    accepted,
    artifact,
    carry_out,
    delivered,
    given,
    show,
)

NAV = "184,000,000 USD"
CHANGED = TEXT.replace(NAV, "179,500,000 USD")
MOVED = "A new first line.\n" + TEXT
REFLOWED = TEXT.replace("The office is in Lyon.", "The office\n   is in Lyon.")


def recapturing(store, text=CHANGED, of="S1", *, name="new.txt", values=None, by="ana", **more):
    content = text if isinstance(text, bytes) else text.encode()
    kept = keep_plan_file(store, by, TENANT, content, name=name, **more)
    return Plan(Verb.RECAPTURE, (of,), file=kept.sha256, media_type=kept.media_type, values=values or {})


def recapture(store, text=CHANGED, by="ana", **more):
    return carry_out(store, recapturing(store, text, by=by, **more), by)


def verdicts(found):
    return {one["id"]: one["verdict"] for one in found["passages"]}


def roots(store, id):
    return show(store, id)["roots"]


def exported(store, folder, name="x.jsonl"):
    export_store(store, OPERATOR, folder / name, scope=TENANT)
    return (folder / name).read_bytes()


@pytest.fixture
def fund(desk):
    """NAV and CITY on two passages of E1; X, MEMO below NAV; Y below CITY."""
    given(
        desk, accepted("NAV", NAV, quote=NAV), accepted("CITY", "Lyon"), accepted("X", on="NAV"), accepted("Y", on="CITY"),
        artifact("MEMO", ["X", "CITY"], deliveries=[delivered("kim"), delivered("lee")]),
    )  # fmt: skip
    return desk
