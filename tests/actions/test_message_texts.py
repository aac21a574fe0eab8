"""What a message says: what the source said and says now, why, what to do, and nothing its recipient may not read (R24)."""



from store import (
    cancel_messages,
    list_messages,
    list_queue,
    open_correction,
)
from tests.builders import (
    TENANT,
    TEXT,
    accepted,
    artifact,
    carry_out,
    decide,
    delivered,
    evidence,
    given,
    passage,
    person,
    source,
    suspending,
)
from tests.messaging import box, draft
from tests.recapturing import NAV, fund, recapture, recapturing  # noqa: F401 - fixture


def body_to(store, recipient, **options):
    draft(store, **options)
    return box(store, state="drafted")[recipient].body


def test_the_cause_of_a_correction_is_given_once_for_each_document_however_many_events_it_has(fund):  # noqa: F811
    case = open_correction(fund, "ana", TENANT, "Restated", sources=["S1"], cause="The fund restated its second quarter.")["correction"]
    carry_out(fund, suspending("S1"), reason="It may be wrong.")
    carry_out(fund, recapturing(fund, values={"NAV": {"value": "179,500,000 USD"}}), reason="Took in the new report.")
    untold = list_messages(fund, "ana", correction=case).untold
    body = body_to(fund, "kim", correction=case)

    assert untold == ((TENANT, sum(len(row.documents) for row in list_messages(fund, "ana", correction=case).rows)),), "of each document each person is told once"
    assert body.count("The fund restated its second quarter.") == body.count("What happened:") == 1
    assert "was replaced by version 2" in body


def test_a_message_says_what_the_passage_said_what_it_says_now_why_and_what_to_do(fund):  # noqa: F811
    case = open_correction(fund, "ana", TENANT, "Restated", sources=["S1"], cause="The fund restated its second quarter.")["correction"]
    carry_out(fund, recapturing(fund, values={"NAV": {"value": "179,500,000 USD"}}), reason="Took in the new report.")
    body = body_to(fund, "kim", correction=case)

    assert "Source S1, version 1, was replaced by version 2" in body
    assert f'It said: "{NAV}"' in body
    assert 'It says now: "179,500,000 USD"' in body
    assert "Why, in the words of Ana" in body
    assert "The fund restated its second quarter." in body
    assert "What to do: do not use it for now." in body
    assert "Lyon" not in body, "what did not change is not told"


def test_a_message_gives_the_figure_before_and_after_and_nothing_but_the_cause_where_no_case_states_one(fund):  # noqa: F811
    carry_out(fund, recapturing(fund, values={"NAV": {"value": "179,500,000 USD"}}), reason="Took in the new report.")
    answer = next(one["id"] for one in list_queue(fund, "ana", "candidates")["items"])
    decide(fund, answer, "ben", replaces="NAV")
    body = body_to(fund, "lee")

    assert f"Changed: {NAV} -> 179,500,000 USD" in body
    assert "Took in the new report." in body
    assert not any(id in body for id in ("E1", answer, TENANT)), "no id is told"


def test_what_is_gone_from_the_new_version_is_told_as_gone_and_a_version_that_is_only_stopped_as_being_checked(fund):  # noqa: F811
    carry_out(fund, suspending("E1"), reason="The figures look wrong.")
    body = body_to(fund, "kim")
    assert "Source S1, version 1, is being checked and is not to be used for now." in body
    assert f'It said: "{NAV}"' in body
    cancel_messages(fund, "ana", TENANT, [box(fund)["kim"].id])

    recapture(fund, TEXT.replace(f"NAV at quarter end was {NAV}.\n", ""))
    body = body_to(fund, "kim")
    assert "The new version does not say so any more." in body
    assert body.count("Source S1, version 1") == 1, "what two events have in common is told once"
    assert "Lyon" not in body, "what stands on the new version is not told"


def test_a_message_to_somebody_of_the_desk_begins_with_their_name_and_not_their_id(fund):  # noqa: F811
    given(fund, artifact("R9", "NAV", deliveries=[delivered("carl"), delivered("a-customer")]))
    carry_out(fund, suspending("E1"), reason="The figures look wrong.")
    draft(fund)
    bodies = {recipient: row.body for recipient, row in box(fund, state="drafted").items()}

    assert bodies["carl"].startswith("To Carl\n")
    assert bodies["a-customer"].startswith("To a-customer\n"), "who is no person of the desk is called as the delivery called them"


def test_who_runs_an_action_on_what_was_only_carried_over_is_told_that_it_stands(fund):  # noqa: F811
    given(fund, artifact("PAY", "CITY", artifact_type="action", impact="high", owner="ben"))
    recapture(fund)
    body = body_to(fund, "ben")

    assert "still being carried out" in body
    assert "What it rests on itself stands as before." in body
    assert "stands as before" not in box(fund)["kim"].body


def test_a_reason_is_told_as_it_was_typed_without_the_ids_of_what_has_no_owner(fund):  # noqa: F811
    given(fund, artifact("ORPHAN-7", "X", owner=None))
    carry_out(fund, suspending("E1"), reason="The figures look wrong.", waived={"ORPHAN-7": "nobody made it"})
    body = body_to(fund, "kim")

    assert "The figures look wrong.\n" in body
    assert "ORPHAN-7" not in body
    assert "nobody made it" not in body


def test_what_a_recipient_may_not_see_is_counted_and_the_reason_is_kept_back(desk):
    given(
        desk, source("S2", f"{TENANT}/secret"), evidence("E2", "S2"), accepted("H", scope=f"{TENANT}/secret", evidence=[passage(evidence="E2")], statement="Hush hush."),
        person("sam", "reviewer", f"{TENANT}/secret"), person("pat", "reader", f"{TENANT}/open"),
        artifact("R1", "H", title="Plain report", scope=f"{TENANT}/open", owner="ana", deliveries=[delivered("kim@example.org"), delivered("pat"), delivered("sam")]),
    )  # fmt: skip
    carry_out(desk, suspending("E2"), reason="The secret is out.")
    draft(desk)

    for outsider in ("kim@example.org", "pat"):
        body = box(desk)[outsider].body
        assert "Plain report" in body
        assert not any(hidden in body for hidden in ("Hush", "Source S2", "Lyon", "secret"))
        assert "1 more statement it rests on changed too." in body
    assert "Hush hush." in box(desk)["sam"].body
    assert "The secret is out." in box(desk)["sam"].body
