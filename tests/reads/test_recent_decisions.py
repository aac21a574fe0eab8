"""The decisions of today: one's own, newest first, each saying whether it may still be taken back and why not."""

from store import list_recent_decisions, reject, reopen
from tests.builders import accepted, ask, bring, claim, decide, given


def mine(desk, by="ana", **more):
    return [(one.id, one.action, one.why_not) for one in list_recent_decisions(desk, by, **more)]


def test_ones_own_decisions_newest_first_and_the_last_ten(desk):
    bring(desk, *(claim(f"C{n}") for n in range(12)), claim("theirs"))
    for n in range(11):
        decide(desk, f"C{n}")
    reject(desk, "ana", "acme", "C11", "not_durable", "a guess")
    decide(desk, "theirs", by="ben")

    found = list_recent_decisions(desk, "ana")

    assert [one.id for one in found] == ["C11", *(f"C{n}" for n in range(10, 1, -1))]
    assert (found[0].action, found[0].route, found[0].reason, found[0].status) == ("reject", "not_durable", "a guess", "REJECTED")
    assert mine(desk, "ben") == [("theirs", "approve", None)]


def test_what_was_taken_back_is_no_decision_any_more(desk):
    bring(desk, claim("C"))
    decide(desk, "C")
    reopen(desk, "ana", "acme", "C")
    assert mine(desk) == []
    decide(desk, "C", by="ben")
    assert mine(desk) == []


def test_why_a_decision_cannot_be_taken_back_is_said(desk, clock):
    given(desk, accepted("OLD", 1, subject="o"))
    bring(desk, claim("base"), claim("above", on=["base"]), claim("served", subject="s"), claim("new", 2, subject="o"), claim("late"))
    decide(desk, "late")
    clock.pass_by(minutes=16)
    decide(desk, "base")
    decide(desk, "above")
    decide(desk, "served")
    decide(desk, "new", replaces="OLD")
    ask(desk, "s")

    why = {id: words for id, _, words in mine(desk)}

    assert why["above"] is None
    assert why["base"] == "above was accepted and rests on it"
    assert why["served"] == "an agent was served it"
    assert why["new"] == "it replaced another claim, which would be left out"
    assert "more than 15 minutes ago" in why["late"]
    clock.pass_by(days=1, minutes=1)
    assert mine(desk) == []


def test_only_what_is_decided_in_the_scope_asked_for(desk):
    bring(desk, claim("here", scope="acme/api"), claim("there", scope="acme/funds"))
    decide(desk, "here")
    decide(desk, "there")

    assert [one[0] for one in mine(desk, scope="acme/api")] == ["here"]
    assert mine(desk, scope="other") == []
