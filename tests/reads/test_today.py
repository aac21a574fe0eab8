"""A person's day: how much waits for whom, by name, and what comes up."""

import socket

import pytest

from store import (
    MailSettings,
    Plan,
    Sift,
    Verb,
    answer_question,
    approve_messages,
    count_waiting,
    draft_messages,
    explain_actions,
    list_candidates,
    list_messages,
    list_queue,
    list_today,
    measure,
    preview_plan,
    send_messages,
    view_today,
)
from store import ask as put
from store.actions.sending import _take_up
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    carry_out,
    claim,
    decide,
    delivered,
    evidence,
    given,
    passage,
    person,
    refused,
    revoking,
    source,
)


def waits(store, who="ana", **more):
    return count_waiting(store, who, **more)


def today(store, who="ana", **more):
    return view_today(store, who, **more)


def ids(rows):
    return [row.id for row in rows]


def listed(store, which, who="ana", **more):
    """Every id of a list, page after page, and the total it says."""
    found, after, total = [], None, 0
    while True:
        page = list_today(store, who, which, after=after, **more)
        assert page.first == len(found)
        found += ids(page.rows)
        total, after = page.total, page.next
        if after is None:
            return found, total


# --- how much ------------------------------------------------------------------------------------------------------


def test_nothing_waits_in_an_empty_store(desk):
    assert waits(desk).total == 0
    assert today(desk).waiting == waits(desk)


def test_messages_that_failed_or_of_which_nobody_knows_wait_for_who_decides_as_the_outbox_counts_them(desk):
    given(desk, accepted("A"), artifact("R1", "A", deliveries=[delivered(f"kim{n}@example.org") for n in range(3)]), person("fay", "reviewer", "acme/funds"))
    carry_out(desk, revoking("A"))
    draft_messages(desk, "ana", TENANT)
    ids = [row.id for row in list_messages(desk, "ana").rows if row.address]
    approve_messages(desk, "ana", TENANT, ids)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        send_messages(desk, "ana", TENANT, ids[:2], MailSettings(*closed.getsockname(), "desk@example.org"))
    _take_up(desk, "ana", TENANT, ids[2], operation=None, authenticated=False)

    assert (waits(desk, "ben").failed, waits(desk, "ben").unknown) == (2, 0), "it may still be on its way"
    desk.now.pass_by(minutes=3)
    assert (waits(desk, "ben").failed, waits(desk, "ben").unknown, waits(desk, "ben").total) == (2, 1, 3)
    assert today(desk, "ben").waiting == waits(desk, "ben")
    found = {state: list_messages(desk, "ben", state=state) for state in ("failed", "unknown", "sending")}
    assert [len(one.rows) for one in found.values()] == [2, 1, 0]
    assert {name: found["failed"].counts[name] for name in found} == {"failed": 2, "unknown": 1, "sending": 0}
    for other in ("olga", "fay", "bot"):
        assert (waits(desk, other).failed, waits(desk, other).unknown) == (0, 0), "they could do nothing about it"
    assert waits(desk, "ben", scope="acme/funds").failed == 0


def test_candidates_wait_for_who_may_decide_and_had_no_part_in_them(desk):
    given(desk, claim("C1"), claim("C2"), claim("C3", proposed_by="ana"), claim("D", scope="acme/funds"), person("fay", "reviewer", "acme/funds"))

    assert waits(desk, "ana").candidates == 3
    assert waits(desk, "ana").proposed == 1
    assert waits(desk, "fay").candidates == 1
    assert (waits(desk, "olga").candidates, waits(desk, "olga").team_candidates) == (0, 4)
    assert (waits(desk, "bot").candidates, waits(desk, "bot").proposed) == (0, 3)
    assert waits(desk, "rita").total == 0


def test_the_numbers_are_those_of_the_lists_they_lead_to(desk):
    given(
        desk, accepted("OLD", "a", subject="k"), claim("NEW", "b", subject="k"), claim("C2", impact="high"), claim("C3", impact="high"),
        claim("C4", proposed_by="ana"), accepted("X1", "1", subject="x"), accepted("X2", "2", subject="x"),
    )  # fmt: skip
    decide(desk, "C2", by="ben")
    decide(desk, "C3", by="ana")
    queue, found = list_candidates(desk, "ana", Sift()), waits(desk)

    assert (found.candidates, found.proposed + found.candidates) == (queue.yours, queue.yours + queue.others - 1)
    assert found.contradict == queue.counts["contradicts"] == 1
    assert found.team_candidates == queue.matched == list_queue(desk, "ana", "candidates")["total"]
    assert found.conflicts == list_queue(desk, "ana", "conflicts")["total"] == 1
    assert found.second == 1
    assert found.total == found.candidates + found.conflicts


def test_the_numbers_are_those_of_the_lists_in_a_scope_too(desk):
    given(desk, claim("C1"), claim("D1", scope="acme/funds"), claim("D2", scope="acme/funds", proposed_by="ana"))
    queue, found = list_candidates(desk, "ana", Sift(scope="acme/funds")), waits(desk, scope="acme/funds")

    assert (found.candidates, found.proposed, found.team_candidates) == (queue.yours, queue.others, queue.matched) == (1, 1, 2)


def test_who_approved_first_does_not_wait_for_themselves(desk):
    given(desk, claim("C1", impact="high"))
    decide(desk, "C1", by="ben")

    assert (waits(desk, "ben").candidates, waits(desk, "ana").second) == (0, 1)
    (row,) = today(desk, "ana").second
    assert (row.id, row.by, row.since) == ("C1", "Ben", desk.now())
    assert listed(desk, "second") == (["C1"], 1)
    assert listed(desk, "second", "ben") == ([], 0)


def test_questions_and_answers_wait_and_are_counted(desk):
    given(desk, claim("C1"))
    put(desk, "ben", TENANT, "record", "C1", "Why?", "ana")
    put(desk, "ana", TENANT, "record", "C1", "Who?", "ben")
    answer_question(desk, "ben", TENANT, 2, "Me.")

    found = waits(desk)
    assert (found.questions, found.answers, found.total) == (1, 1, 3)
    assert [one.title for one in today(desk).questions.waiting] == ["subject-C1 · says"]


def test_ones_own_stale_records_wait_delivered_ones_first_even_for_a_reader(desk):
    given(
        desk, accepted("A"), accepted("B", on="A", owner="rita"), artifact("R1", "B", owner="rita", deliveries=[delivered()]),
        accepted("C", on="A", owner="ben"),
    )  # fmt: skip
    assert waits(desk, "rita").stale == 0
    carry_out(desk, revoking("A"), by="ben")

    found = today(desk, "rita")
    assert (found.waiting.stale, found.waiting.delivered) == (2, 1)
    assert [(row.id, row.delivered, row.by, row.action, row.readable) for row in found.stale] == [
        ("R1", True, "Ben", "revoke", False), ("B", False, "Ben", "revoke", False),
    ]  # fmt: skip
    assert listed(desk, "stale", "rita") == (["R1", "B"], 2)
    assert waits(desk, "ana").stale == 0


def test_conflicts_wait_in_the_scopes_one_decides_ones_own_and_blocking_ones_first(desk):
    given(desk, person("fay", "reviewer", "acme/funds"), *(accepted(f"{key}{n}", str(n), subject=key, owner=who) for key, who in (("p", "ben"), ("q", "ben"), ("r", "ana")) for n in (1, 2)))
    given(desk, artifact("ACT", "q1", artifact_type="action", impact="high"))

    found = today(desk)
    assert [(row.subject, row.yours, row.blocking) for row in found.conflicts] == [("r", True, False), ("q", False, True), ("p", False, False)]
    assert (found.waiting.conflicts, found.waiting.owned, found.waiting.blocking) == (3, 1, 1)
    assert waits(desk, "fay").conflicts == 0
    assert (waits(desk, "olga").conflicts, waits(desk, "olga").team_conflicts) == (0, 3)


def test_a_scope_narrows_everything(desk):
    given(desk, claim("C1"), claim("D", scope="acme/funds"), accepted("K1", "1", subject="k"), accepted("K2", "2", subject="k"))
    put(desk, "ben", TENANT, "record", "C1", "Why?", "ana")

    found = waits(desk, scope="acme/funds")
    assert (found.candidates, found.conflicts, found.questions, found.total) == (1, 0, 0, 1)
    assert waits(desk, scope="other").total == 0


def test_another_tenant_counts_for_nobody_here(desk):
    given(desk, person("zoe", "reviewer", "other"), source("S9", "other"), evidence("E9", "S9"), claim("Z", scope="other", evidence=[passage(evidence="E9")]))

    assert (waits(desk, "ana").total, waits(desk, "zoe").total) == (0, 1)


def test_the_number_follows_every_event(desk):
    given(desk, claim("C1"), claim("C2"))
    assert waits(desk).total == 2

    decide(desk, "C1")
    assert waits(desk).total == 1


def test_a_role_taken_away_counts_at_once(desk):
    given(desk, claim("C1"))
    assert waits(desk, "ben").total == 1

    given(desk, {"type": "person", "id": "ben", "name": "Ben", "roles": [{"role": "reader", "scope": "acme"}]})
    assert waits(desk, "ben").total == 0


# --- by name, and page by page -------------------------------------------------------------------------------------


def test_a_list_longer_than_a_page_is_whole_and_says_its_total(desk):
    given(desk, accepted("A"), *(accepted(f"B{n}", on="A") for n in range(120)))
    carry_out(desk, revoking("A"), by="ben")

    found, total = listed(desk, "stale")
    assert (len(found), total, len(set(found))) == (120, 120, 120)
    assert len(today(desk).stale) == 5


def test_there_is_no_other_list(desk):
    with refused("bad_value"):
        list_today(desk, "ana", "rehearsals")
    with refused("bad_value"):
        list_today(desk, "ana", "dates", week="2020-01-06")


# --- dates ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def dated(desk):
    """Wednesday 1 July 2026: one past, one this week, two the week after, one of another owner, one far away."""
    given(
        desk, accepted("PAST", review_at="2026-06-30T00:00:00Z"), accepted("NOW", review_at="2026-07-05T23:00:00Z"),
        accepted("NEXT1", expires_at="2026-07-06T00:00:00Z"), accepted("NEXT2", review_at="2026-07-12T23:59:59Z", owner="rita"),
        accepted("FAR", review_at="2026-12-01T00:00:00Z"), claim("CAND", review_at="2026-07-07T00:00:00Z"),
    )  # fmt: skip
    return desk


def weeks(day):
    return {week.name: (week.reviews, week.expiries) for week in day.weeks if week.reviews or week.expiries}


def test_dates_are_counted_by_week(dated):
    found = today(dated)

    assert weeks(found) == {"past": (1, 0), "2026-06-29": (1, 0), "2026-07-06": (1, 1)}
    assert [week.name for week in found.weeks] == ["past", "2026-06-29", "2026-07-06", "2026-07-13", "2026-07-20", "2026-07-27", "2026-08-03"]
    assert found.own_dates is False


def test_the_list_of_a_week_holds_what_its_count_says_soonest_first(dated):
    assert listed(dated, "dates", week="2026-07-06") == (["NEXT1", "NEXT2"], 2)
    assert listed(dated, "dates", week="past") == (["PAST"], 1)
    assert listed(dated, "dates", week="2026-07-13") == ([], 0)
    (first, second) = list_today(dated, "ana", "dates", week="2026-07-06").rows
    assert (first.expires, second.expires, second.owner) == (True, False, "rita")


def test_a_reader_is_told_the_dates_of_what_they_own(dated):
    found = today(dated, "rita")

    assert (weeks(found), found.own_dates) == ({"2026-07-06": (1, 0)}, True)
    assert listed(dated, "dates", "rita", week="2026-07-06") == (["NEXT2"], 1)
    assert weeks(today(dated, "bot")) == {}


def test_many_dates_are_listed_page_by_page(desk):
    given(desk, *(accepted(f"C{n}", review_at=f"2026-07-0{6 + n % 3}T00:00:00Z") for n in range(130)))

    found, total = listed(desk, "dates", week="2026-07-06")
    assert (len(set(found)), total) == (130, 130)


@pytest.mark.parametrize("after", ["x", "9.9", "0.1.2", "-1.0", "0.0.0.0", "1", "²"])
def test_a_page_that_is_none_begins_at_the_start_or_shows_what_is_there(dated, after):
    page = list_today(dated, "ana", "dates", week="2026-07-06", after=after)

    assert page.total == 2
    assert set(ids(page.rows)) <= {"NEXT1", "NEXT2"}


# --- actions -------------------------------------------------------------------------------------------------------


def test_blocked_actions_are_those_the_figures_count(desk):
    given(
        desk, accepted("A"), accepted("B"), accepted("K1", "1", subject="k"), accepted("K2", "2", subject="k"),
        artifact("GOOD", "B", artifact_type="action", impact="high"), artifact("BAD", ["K1", "B"], artifact_type="action", impact="high"),
        artifact("BARE", artifact_type="action", impact="high", status="candidate"), artifact("SMALL", "K1", artifact_type="action"),
    )  # fmt: skip
    found, share = today(desk), measure(desk, "ana")["reviewed_action_share"]

    assert (found.actions, found.blocked) == (share["denominator"], share["denominator"] - share["numerator"]) == (3, 2)
    assert [(row.id, row.unusable, row.parents) for row in found.blocked_rows] == [("BAD", 1, 2), ("BARE", 0, 0)]
    assert listed(desk, "actions") == (["BAD", "BARE"], 2)
    assert explain_actions(desk, "ana", TENANT, "BAD")["blocked"]
    assert today(desk, "rita").actions == 0


# --- plans ---------------------------------------------------------------------------------------------------------


def test_a_plan_looked_at_says_when_it_would_do_something_else(desk, clock):
    given(desk, accepted("A"), accepted("B", on="A"), accepted("X"))
    preview_plan(desk, "ana", TENANT, Plan(Verb.REVOKE, ("A",)))
    preview_plan(desk, "ana", TENANT, Plan(Verb.REVOKE, ("X",)))
    assert {one.plan.roots: one.changed for one in today(desk).plans} == {("A",): False, ("X",): False}

    given(desk, accepted("C", on="A"))
    assert {one.plan.roots: one.changed for one in today(desk).plans} == {("A",): True, ("X",): False}
    assert today(desk).plans[0].plan.roots == ("A",)
    assert today(desk, "ben").plans == ()

    preview_plan(desk, "ana", TENANT, Plan(Verb.REVOKE, ("A",)))
    assert {one.plan.roots: one.changed for one in today(desk).plans} == {("A",): False, ("X",): False}
    clock.pass_by(days=8)
    assert today(desk).plans == ()


def test_a_plan_committed_or_impossible_is_said(desk):
    given(desk, accepted("A"), accepted("X"))
    preview_plan(desk, "ana", TENANT, Plan(Verb.SUSPEND, ("X",)))
    carry_out(desk, revoking("A"))
    assert [one.plan.roots for one in today(desk).plans] == [("X",)]

    carry_out(desk, revoking("X"), by="ben")
    (plan,) = today(desk).plans
    assert plan.changed
    assert plan.impossible
