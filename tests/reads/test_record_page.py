"""The page of one record: its chain, its neighbours, who was told it, and how all that stood then."""

from store import Code, amend, parse_stated_time, view_record, view_subject
from tests.builders import (
    TENANT,
    TEXT,
    accepted,
    artifact,
    ask,
    bring,
    carry_out,
    claim,
    conflicts,
    decide,
    delivered,
    evidence,
    given,
    passage,
    person,
    refused,
    revoking,
    source,
    suspending,
)


def page(store, id, by="ana", known=None, **how):
    return view_record(store, by, TENANT, id, known_at=known, **how)


def boxes(store, id, by="ana", **how):
    return [box.folded or box.id for box in page(store, id, by, **how).chain.boxes]


# --- chain --------------------------------------------------------------------------------------------------------


def test_the_chain_goes_from_the_evidence_to_what_was_delivered(desk):
    given(desk, accepted("a"), accepted("b", on="a"), accepted("c", on="b"), artifact("plain", "b"), artifact("sent", "c", deliveries=[delivered("kim")]))

    assert boxes(desk, "b") == ["E1", "a", "b", "c", "sent"]
    assert page(desk, "b").chain.boxes[-1].sent == ("kim", "2026-06-01T10:00:00Z")
    assert [box.here for box in page(desk, "b").chain.boxes] == [False, False, True, False, False]
    assert boxes(desk, "E1")[0] == "E1"
    assert boxes(desk, "sent") == ["E1", "a", "b", "c", "sent"]


def test_a_long_chain_folds_its_middles_into_seven_boxes(desk):
    given(desk, accepted("c0"), *(accepted(f"c{n}", on=f"c{n - 1}") for n in range(1, 40)), artifact("end", "c39", deliveries=[delivered()]))

    assert boxes(desk, "c20") == ["E1", 19, "c19", "c20", "c21", 18, "end"]
    assert boxes(desk, "c0") == ["E1", "c0", "c1", "c2", "c3", 36, "end"]
    assert boxes(desk, "end") == ["E1", 36, "c36", "c37", "c38", "c39", "end"]
    assert len(boxes(desk, "c2")) == 7
    for id in ("c0", "c7", "c20", "c38", "end", "E1"):
        assert sum(box if isinstance(box, int) else 1 for box in boxes(desk, id)) == 42


def test_the_chain_takes_the_way_over_the_support_that_was_lost(desk):
    given(desk, source("S2"), evidence("E2", "S2", "Another text."), accepted("a"), accepted("z", on="E2"), accepted("b", on=["a", "z"]))
    carry_out(desk, revoking("E2"))

    assert boxes(desk, "b") == ["E2", "z", "b"]


def test_a_box_of_a_scope_one_may_not_see_tells_nothing_but_its_state(desk):
    given(desk, person("vera", "reviewer", "acme/vendors"), accepted("top", "x"), accepted("b", on="top", scope="acme/vendors"))
    shown = page(desk, "b", "vera").chain.boxes

    assert [(box.id, box.title) for box in shown] == [(None, ""), (None, ""), ("b", shown[-1].title)]
    assert page(desk, "b", "vera").parents == ()


def test_the_way_down_is_the_same_from_memory_and_by_key(desk):
    given(
        desk, accepted("a"), accepted("b", on="a"), accepted("c", on=["a", "b"]), artifact("r1", "c"), artifact("r2", "b", deliveries=[delivered()]), accepted("lone"),
        accepted("x", on="lone"), artifact("r3", "x"),
    )  # fmt: skip
    cold = {id: boxes(desk, id) for id in ("E1", "a", "b", "c", "r1", "lone", "x")}
    view_subject(desk, "ana", TENANT, "subject-a")

    assert {id: boxes(desk, id) for id in cold} == cold


def test_a_wide_fan_is_cut_and_says_so(desk):
    given(desk, accepted("a"), *(accepted(f"x{n}", on="a") for n in range(40)), accepted("far", on="x39"), artifact("end", "far"))

    assert boxes(desk, "a")[-1] == "end"
    assert not page(desk, "a").chain.cut


# --- neighbours and answers ---------------------------------------------------------------------------------------


def test_neighbours_are_of_the_key_of_the_question_elsewhere_and_of_the_passage(desk):
    first, second = passage("The office is in Lyon."), passage("NAV at quarter end was 184,000,000 USD.")
    same = {"subject": "acme", "predicate": "office"}
    given(
        desk, claim("a", "Lyon", status="reviewed", **same) | {"evidence": [first]}, accepted("b", "Lyon", scope="acme/eu", **same), accepted("c", "Lyon", **same) | {"evidence": [second]},
        claim("d", 1, subject="other", status="reviewed") | {"evidence": [{**first, "span": {"start": first["span"]["start"] + 4, "end": first["span"]["end"]}, "quote": TEXT[first["span"]["start"] + 4 : first["span"]["end"]]}]},
        claim("e", 2, subject="other", predicate="q", status="reviewed") | {"evidence": [second]},
    )  # fmt: skip
    found = page(desk, "a")

    assert [near.id for near in found.elsewhere] == ["b"]
    assert [near.id for near in found.same_key] == ["c"]
    assert sorted(near.id for near in found.same_passage) == ["b", "d"]
    assert (found.neighbours.subject, found.neighbours.of_subject) == ("acme", 3)


def test_who_was_served_it_is_listed_newest_first_and_not_for_readers(desk):
    given(desk, accepted("a", subject="lilly"))
    ask(desk, "lilly", by="bot", task="t1")
    ask(desk, "lilly", by="rita")
    served = page(desk, "a").served

    assert (served.answers, served.readers) == (2, 2)
    assert [(row.by, row.task, row.version) for row in served.rows] == [("Rita", None, 1), ("Bot", "t1", 1)]
    assert page(desk, "a", "olga").served.answers == 2
    assert page(desk, "a", "rita").served is None


def test_who_said_whom_it_is_about_is_told(desk):
    bring(desk, claim("a", entity_confidence=0.2))
    decide(desk, "a", terms={"entity_confirmed": True})

    assert page(desk, "a").entity == ("Ana", "2026-07-01T09:00:00Z")


# --- as known then ------------------------------------------------------------------------------------------------


def test_as_known_then_everything_around_stands_as_it_stood_then(desk, clock):
    given(desk, accepted("a", 1, subject="lilly"), accepted("b", on="a"))
    ask(desk, "lilly", by="bot")
    then = desk.now()
    clock.pass_by(days=1)
    given(desk, accepted("c", on="b"), accepted("d", 2, subject="lilly"))
    ask(desk, "lilly", by="bot")
    carry_out(desk, suspending("a"))
    now, past = page(desk, "b"), page(desk, "b", known=then)

    assert (now.found["status"], past.found["status"]) == ("STALE", "ACCEPTED")
    assert ([near.status for near in now.parents], [near.status for near in past.parents]) == (["DISPUTED"], ["ACCEPTED"])
    assert ([near.id for near in now.children], [near.id for near in past.children]) == (["c"], [])
    assert ([box.status for box in now.chain.boxes][:2], [box.status for box in past.chain.boxes][:2]) == (["ACCEPTED", "DISPUTED"], ["ACCEPTED", "ACCEPTED"])
    assert past.may_decide is False
    assert (page(desk, "a").served.answers, page(desk, "a", known=then).served.answers) == (2, 1)


def test_a_conflict_is_seen_while_it_was_open(desk, clock):
    given(desk, accepted("a", 1, subject="lilly"), accepted("b", 2, subject="lilly"))
    then = desk.now()
    clock.pass_by(days=1)
    carry_out(desk, revoking("b"))

    assert conflicts(desk) == []
    assert page(desk, "a").contests == ()
    assert sorted(near.id for near in page(desk, "a", known=then).contests[0][1]) == ["a", "b"]


def test_content_and_passage_are_those_of_then(desk, clock):
    bring(desk, claim("a", 1, quote="The office is in Lyon."))
    then = desk.now()
    clock.pass_by(days=1)
    amend(desk, "ben", TENANT, "a", {"value": 2, "statement": "It is two.", "evidence": [passage("The endpoint accepts safe retries.")]})
    past = page(desk, "a", known=then)

    assert (past.found["record"]["value"], page(desk, "a").found["record"]["value"]) == (1, 2)
    assert [one.look.quote for one in past.passages] == ["The office is in Lyon."]
    assert page(desk, "a").title == "It is two."
    assert past.title != "It is two."


def test_before_it_was_there_there_is_nothing_to_see(desk, clock):
    before = desk.now()
    clock.pass_by(days=1)
    given(desk, accepted("a"))

    with refused(Code.NOT_FOUND):
        page(desk, "a", known=before - 1)


def test_at_another_time_validity_is_that_of_the_time(desk):
    given(desk, accepted("a", valid_from="2026-01-01", valid_to="2026-02-01"))

    assert page(desk, "a").found["usable"] is False
    assert page(desk, "a", at=parse_stated_time("2026-01-15")).found["usable"] is True
    assert page(desk, "a", at=parse_stated_time("2026-01-15")).at == "2026-01-15T00:00:00Z"
