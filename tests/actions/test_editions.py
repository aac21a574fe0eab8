"""Deliveries that are recorded, editions that take the place of others, and remedies (R24)."""


import pytest

from store import (
    Plan,
    Verb,
    list_delivered,
    list_messages,
    note_remedy,
    open_correction,
    propose_edition,
    record_delivery,
    view_correction,
)
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    carry_out,
    decide,
    delivered,
    given,
    is_sound,
    person,
    refused,
    revoking,
    show,
    status,
    suspending,
)
from tests.messaging import box, draft, setting
from tests.recapturing import NAV, fund, recapture, recapturing  # noqa: F401 - fixture


def test_a_delivery_is_recorded_once_per_operation(desk):
    setting(desk)
    before = show(desk, "R1")["version"]

    for _ in range(2):
        record_delivery(desk, "bot", TENANT, "R1", "zoe", "portal", operation="op-1")

    assert [one["recipient"] for one in show(desk, "R1")["deliveries"]].count("zoe") == 1
    assert show(desk, "R1")["version"] == before
    with refused("not_allowed"):
        record_delivery(desk, "rita", TENANT, "R1", "zoe", "portal")


def test_whoever_is_noted_to_have_got_what_had_fallen_already_is_told(desk):
    setting(desk)
    case = open_correction(desk, "ana", TENANT, "Restated", sources=["S1"])["correction"]
    carry_out(desk, suspending("E1"), correction=case)
    draft(desk, correction=case)
    told = len(box(desk))

    found = record_delivery(desk, "bot", TENANT, "R2", "zoe@example.org", "portal")
    record_delivery(desk, "bot", TENANT, "R2", "zoe@example.org", "email")

    assert found["to_tell"]
    assert "zoe@example.org" in next(one.names for one in view_correction(desk, "ana", TENANT, case).open if one.kind == "recipient")
    assert list_messages(desk, "ana").untold == ((TENANT, 1),), "one per edition and recipient, and nothing new to the owner"
    draft(desk)
    assert len(box(desk)) == told + 1
    assert [id for id, _, _ in box(desk, correction=case)["zoe@example.org"].documents] == ["R2"]
    assert draft(desk)["drafted"] == []


@pytest.mark.parametrize(("plan", "to_tell"), [(None, False), (suspending("A"), True), (revoking("R2"), True)])
def test_only_who_gets_what_does_not_stand_is_to_be_told(desk, plan, to_tell):
    given(desk, accepted("A"), artifact("R2", "A"))
    if plan is not None:
        carry_out(desk, plan)

    assert record_delivery(desk, "bot", TENANT, "R2", "zoe@example.org", "portal")["to_tell"] is to_tell
    assert bool(draft(desk)["drafted"]) is to_tell
    assert is_sound(desk)


def test_approving_a_new_edition_supersedes_the_former_one_and_remedies_it(desk):
    setting(desk, accepted("C"))
    carry_out(desk, suspending("A"))
    assert sorted(row.id for row in list_delivered(desk, "ana", only="needing").rows) == ["R1", "R2"]

    made = propose_edition(desk, "ben", TENANT, "R1", body="Corrected.", derived_from=["C"])
    with refused("already_decided"):
        propose_edition(desk, "carl", TENANT, "R1", body="Another.", derived_from=["C"])
    decide(desk, made["proposed"])

    assert (status(desk, "R1"), status(desk, made["proposed"])) == ("SUPERSEDED", "ACCEPTED")
    assert show(desk, "R1")["superseded_by"] == made["proposed"]
    assert [row.id for row in list_delivered(desk, "ana", only="needing").rows] == ["R2"]
    assert is_sound(desk)


def test_an_edition_takes_no_place_where_its_approver_may_not_decide(desk):
    given(desk, person("nina", "reviewer", "acme/open"), accepted("C", scope="acme"), artifact("R1", "C", deliveries=[delivered()]))
    given(desk, artifact("FAKE", "C", scope="acme/open", edition=2, edition_of="R1", status="candidate", proposed_by="bot"))

    with refused("not_allowed"):
        decide(desk, "FAKE", "nina")

    assert status(desk, "R1") == "ACCEPTED"


def test_an_annotation_or_none_settles_an_artifact_and_confirms_nothing(desk):
    setting(desk)
    carry_out(desk, suspending("A"))

    note_remedy(desk, "ana", TENANT, "R1", "annotation", "Read 190 instead.")
    note_remedy(desk, "ana", TENANT, "R2", "none", "Nobody uses it.")

    assert status(desk, "R1") == "STALE"
    assert list_delivered(desk, "ana").needing == 0


def test_a_remedy_of_one_correction_does_not_settle_the_next(desk):
    setting(desk)
    carry_out(desk, suspending("A"))
    note_remedy(desk, "ana", TENANT, "R1", "annotation", "Read 190 instead.")
    carry_out(desk, Plan(Verb.REINSTATE, ("A",)))
    for id in ("B", "R1"):
        carry_out(desk, Plan(Verb.CONFIRM, (id,)))
    carry_out(desk, suspending("A"))

    assert "R1" in [row.id for row in list_delivered(desk, "ana", only="needing").rows]
