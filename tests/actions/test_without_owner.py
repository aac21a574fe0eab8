"""An artifact nobody owns stops a commit until somebody is named or it is waived with a reason, also where a source is captured again, and where it is confirmed or comes back."""

import pytest

from store import Plan, Verb, draft_messages, list_messages, list_queue
from tests.builders import TENANT, artifact, carry_out, decide, given, is_sound, preview, refused, show, statuses, suspending
from tests.recapturing import fund, recapturing  # noqa: F401 - fixture

ORPHAN = "ORPHAN"


@pytest.fixture
def orphaned(fund):  # noqa: F811
    given(fund, artifact(ORPHAN, "X", title="Nobody's list", owner=None))
    return fund


def answered(store):
    """The source captured again with the new figure, its answer approved in the place of the old one; return the answer's id."""
    carry_out(store, recapturing(store, values={"NAV": {"value": "179,500,000 USD"}}), waived={ORPHAN: "nobody made it"})
    answer = next(one["id"] for one in list_queue(store, "ana", "candidates")["items"])
    decide(store, answer, "ben", replaces="NAV")
    return answer


def test_capturing_a_source_again_waits_for_an_owner_or_a_waiver(orphaned):
    plan = recapturing(orphaned)
    found = preview(orphaned, plan)

    assert found["open_questions"] == [ORPHAN]
    with refused("incomplete_preview", ORPHAN):
        carry_out(orphaned, plan, seen=found)
    with refused("bad_value", "needs a reason"):
        carry_out(orphaned, plan, seen=found, waived={ORPHAN: " "})
    assert statuses(orphaned, "E1", "NAV", "X", ORPHAN) == dict.fromkeys(("E1", "NAV", "X", ORPHAN), "ACCEPTED")

    carry_out(orphaned, plan, seen=found, waived={ORPHAN: "nobody made it"})
    assert statuses(orphaned, "E1", "X", ORPHAN) == {"E1": "SUPERSEDED", "X": "STALE", ORPHAN: "STALE"}
    assert show(orphaned, ORPHAN)["record"]["owner"] is None
    assert "nobody made it" in show(orphaned, "X")["history"][-1]["reason"]
    assert is_sound(orphaned)


def test_an_owner_named_when_a_source_is_captured_again_is_told(orphaned):
    carry_out(orphaned, recapturing(orphaned), owners={ORPHAN: "ben"})
    draft_messages(orphaned, "ana", TENANT)

    assert show(orphaned, ORPHAN)["record"]["owner"] == "ben"
    assert "Nobody's list" in next(row.body for row in list_messages(orphaned, "ana").rows if row.recipient == "ben")
    assert is_sound(orphaned)


def confirmable(store):
    """The orphan could be confirmed: what it rests on was, with the new figure in the place of the old one."""
    carry_out(store, Plan(Verb.CONFIRM, ("X",), replace={"NAV": answered(store)}))
    return Plan(Verb.CONFIRM, (ORPHAN,))


def restorable(store):
    """The orphan could come back: the source was stopped and is used again."""
    carry_out(store, suspending("E1"), waived={ORPHAN: "nobody made it"})
    carry_out(store, Plan(Verb.REINSTATE, ("E1",)))
    return Plan(Verb.RESTORE, ("E1",))


@pytest.mark.parametrize("settled", [{"owners": {ORPHAN: "ben"}}, {"waived": {ORPHAN: "it is a scratch list"}}], ids=["named", "waived"])
@pytest.mark.parametrize("way", [confirmable, restorable])
def test_confirming_or_restoring_it_waits_for_the_same(orphaned, way, settled):
    plan = way(orphaned)
    found = preview(orphaned, plan)

    assert found["open_questions"] == [ORPHAN]
    with refused("incomplete_preview", ORPHAN):
        carry_out(orphaned, plan, seen=found)
    assert statuses(orphaned, ORPHAN) == {ORPHAN: "STALE"}

    carry_out(orphaned, plan, seen=found, **settled)
    assert statuses(orphaned, "X", ORPHAN) == {"X": "ACCEPTED", ORPHAN: "ACCEPTED"}
    assert show(orphaned, ORPHAN)["record"]["owner"] == settled.get("owners", {}).get(ORPHAN)
    assert is_sound(orphaned)
