"""What somebody typed for a plan is kept for them, in no record, and is nobody's file."""

import pytest

from store import Refusal, keep_plan_values, latest_event, preview_plan, recall_plan_values
from store.db.plan_files import _name_values
from store.domain.plans import Plan, Verb
from tests.builders import TENANT, evidence, given, source

FILE = "0" * 64
TYPED = {"now": {"fee": ["15", "The fee is 15 euros."]}}


@pytest.fixture
def rates(desk):
    given(desk, source("R"), evidence("R@1", "R", "The fee is 12 euros.\n"))
    return desk


def test_what_was_typed_is_kept_until_it_is_typed_anew_or_emptied(rates):
    before = latest_event(rates, "ana", TENANT)
    keep_plan_values(rates, "ana", TENANT, "R", FILE, TYPED)
    assert recall_plan_values(rates, "ana", TENANT, "R", FILE) == TYPED
    keep_plan_values(rates, "ana", TENANT, "R", FILE, {"now": {"fee": ["16", ""]}})
    assert recall_plan_values(rates, "ana", TENANT, "R", FILE) == {"now": {"fee": ["16", ""]}}
    keep_plan_values(rates, "ana", TENANT, "R", FILE, {})
    assert recall_plan_values(rates, "ana", TENANT, "R", FILE) == {}
    assert latest_event(rates, "ana", TENANT) == before


def test_what_was_typed_is_for_the_person_alone_and_cannot_be_taken_for_a_document(rates):
    keep_plan_values(rates, "ana", TENANT, "R", FILE, TYPED)
    assert recall_plan_values(rates, "ben", TENANT, "R", FILE) == {}
    assert recall_plan_values(rates, "ana", TENANT, "S1", FILE) == {}
    with pytest.raises(Refusal) as refused:
        preview_plan(rates, "ben", TENANT, Plan(Verb.RECAPTURE, ("R",), file=_name_values("ana", "R", FILE), media_type="text/plain"))
    assert refused.value.code.value == "not_found"


def test_who_may_only_read_keeps_nothing(rates):
    with pytest.raises(Refusal):
        keep_plan_values(rates, "rita", TENANT, "R", FILE, TYPED)
    assert recall_plan_values(rates, "rita", TENANT, "R", FILE) == {}
