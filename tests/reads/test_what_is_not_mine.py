"""Another tenant answers as one that is not there, and what no store can keep is refused in a sentence, whatever is asked."""

import pytest

import store as desk_store
from store import Code, Plan, Refusal, Verb
from tests.builders import TENANT, accepted, artifact, claim, conflicts, evidence, given, passage, person, source

THEIRS, NOWHERE = "theirs", "nowhere"

#: Everything that is asked of a tenant, as functions of (store, who, tenant, an id).
ASKED = {
    "rehearse": lambda s, who, tenant, id: desk_store.rehearse(s, who, tenant, Plan(Verb.REVOKE, (id,))),
    "preview": lambda s, who, tenant, id: desk_store.preview_plan(s, who, tenant, Plan(Verb.SETTLE, (id,), rule={"verdict": "none"})),
    "foresee": lambda s, who, tenant, id: desk_store.foresee_group(s, who, tenant, Plan(Verb.SETTLE, (id,), rule={"verdict": "none"})),
    "compare": lambda s, who, tenant, id: desk_store.compare_otherwise(s, who, tenant, id),
    "picks": lambda s, who, tenant, id: desk_store.find_picks(s, who, tenant, id),
    "describe": lambda s, who, tenant, id: desk_store.describe_picks(s, who, tenant, [id]),
    "suggest": lambda s, who, tenant, id: desk_store.suggest_picks(s, who, tenant),
    "starts": lambda s, who, tenant, id: desk_store.find_starts(s, who, tenant, id),
    "heavy": lambda s, who, tenant, id: desk_store.suggest_starts(s, who, tenant),
    "people of": lambda s, who, tenant, id: desk_store.list_people_of(s, who, tenant),
    "identities": lambda s, who, tenant, id: desk_store.list_identities(s, who, tenant),
    "people": lambda s, who, tenant, id: desk_store.view_people(s, who, tenant),
    "predicates": lambda s, who, tenant, id: desk_store.list_predicates(s, who, tenant),
    "latest": lambda s, who, tenant, id: desk_store.latest_event(s, who, tenant),
    "result": lambda s, who, tenant, id: desk_store.load_plan_result(s, who, tenant, 1),
    "show": lambda s, who, tenant, id: desk_store.show_record(s, who, tenant, id),
    "candidate": lambda s, who, tenant, id: desk_store.view_candidate(s, who, tenant, id),
    "conflict": lambda s, who, tenant, id: desk_store.view_conflict(s, who, tenant, id),
    "around": lambda s, who, tenant, id: desk_store.look_around(s, who, tenant, id),
    "subject": lambda s, who, tenant, id: desk_store.view_subject(s, who, tenant, id),
    "letter": lambda s, who, tenant, id: desk_store.write_letter(s, who, tenant, id),
    "ask": lambda s, who, tenant, id: desk_store.ask(s, who, tenant, "record", id, "Why?", "rita"),
    "to ask": lambda s, who, tenant, id: desk_store.list_people_to_ask(s, who, tenant, "record", id),
    "questions": lambda s, who, tenant, id: desk_store.list_questions_about(s, who, tenant, "record", id),
    "source": lambda s, who, tenant, id: desk_store.view_source(s, who, tenant, id),
    "version": lambda s, who, tenant, id: desk_store.read_version(s, who, tenant, "T1", id),
    "difference": lambda s, who, tenant, id: desk_store.compare_versions(s, who, tenant, id, 1, 1),
    "page": lambda s, who, tenant, id: desk_store.draw_page(s, who, tenant, id),
    "words": lambda s, who, tenant, id: desk_store.find_words(s, who, tenant, "T1", id, "x"),
    "span": lambda s, who, tenant, id: desk_store.take_span(s, who, tenant, "T1", id, 0, 1),
    "unsorted": lambda s, who, tenant, id: desk_store.list_unsorted(s, who, tenant, source=id),
    "typed": lambda s, who, tenant, id: desk_store.recall_plan_values(s, who, tenant, id, "0" * 64),
    "reopen": lambda s, who, tenant, id: desk_store.reopen(s, who, tenant, id),
    "roles": lambda s, who, tenant, id: desk_store.set_roles(s, who, tenant, id, [("reader", tenant)], [], "why"),
}  # fmt: skip


def answer(asked, *what):
    """What comes back, with the name of the tenant taken out."""
    try:
        return repr(asked(*what)).replace(what[2], "TENANT")
    except Refusal as refusal:
        return refusal.code, refusal.message.replace(what[2], "TENANT")


@pytest.mark.parametrize("name", ASKED)
def test_another_tenant_answers_as_one_that_is_not_there(desk, name):
    given(
        desk, person("theo", "admin", THEIRS), source("T1", THEIRS), evidence("TE", "T1"),
        *(accepted(id, n, scope=THEIRS, subject="a", evidence=[passage(evidence="TE")]) for n, id in enumerate(("A", "B"))),
    )  # fmt: skip
    (theirs,) = conflicts(desk, "theo")
    for id in ("A", "T1", "TE", "a", "says", "theo", theirs["id"]):
        assert answer(ASKED[name], desk, "ana", THEIRS, id) == answer(ASKED[name], desk, "ana", NOWHERE, id)


@pytest.mark.parametrize("word", ["half\ud800", "nul\0nul", "9" * 60_000], ids=["surrogate", "nul", "long"])
@pytest.mark.parametrize("name", ASKED)
def test_an_id_no_store_can_keep_names_nothing(desk, name, word):
    for tenant, id in ((TENANT, word), (word, "A")):
        found = answer(ASKED[name], desk, "ana", tenant, id)
        if isinstance(found, tuple):
            assert found[0] in (Code.NOT_FOUND, Code.BAD_VALUE, Code.NOT_ALLOWED, Code.UNKNOWN_PREVIEW), found


@pytest.mark.parametrize("number", [2**63, 2**200, -(2**63) - 1])
def test_a_number_no_store_can_keep_names_nothing(desk, number):
    for asked in (
        lambda: desk_store.load_plan_result(desk, "ana", TENANT, number), lambda: desk_store.answer_question(desk, "ana", TENANT, number, "Yes."),
        lambda: desk_store.withdraw_question(desk, "ana", TENANT, number),
    ):  # fmt: skip
        with pytest.raises(Refusal) as caught:
            asked()
        assert caught.value.code in (Code.NOT_FOUND, Code.BAD_VALUE)


def test_names_of_people_elsewhere_are_not_told(desk):
    given(desk, person("theo", "admin", THEIRS), accepted("A"))
    assert desk_store.view_record(desk, "ana", TENANT, "A").names.get("ana") == "Ana"
    assert "theo" not in desk_store.view_record(desk, "ana", TENANT, "A").names


def test_what_waits_for_a_candidate_in_a_scope_one_may_not_see_is_not_named(desk):
    given(desk, person("fred", "reviewer", f"{TENANT}/funds"), source("SF", f"{TENANT}/funds"), evidence("EF", "SF"))
    given(desk, claim("C", scope=f"{TENANT}/funds", evidence=[passage(evidence="EF")]), reviewed=False)
    given(desk, claim("seen", scope=f"{TENANT}/funds", on="C"), claim("unseen", scope=f"{TENANT}/support", on="C"), artifact("R", "C", scope=f"{TENANT}/support"), reviewed=False)

    assert [one.id for one in desk_store.view_candidate(desk, "fred", TENANT, "C").waiting_on_it] == ["seen"]
    assert len(desk_store.view_candidate(desk, "ana", TENANT, "C").waiting_on_it) == 3
