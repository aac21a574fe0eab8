"""What is held about a subject: found by name, counted by state, with its values over time and what stands around it."""

import pytest

from store import Code, Question, find_subject, read_record, reject, suggest_subjects, view_subject
from tests.builders import (
    DAY,
    TENANT,
    accepted,
    artifact,
    ask,
    bring,
    carry_out,
    claim,
    conflicts,
    decide,
    delivered,
    given,
    person,
    predicate,
    refused,
    resolving,
    revoking,
    show,
    superseding,
    suspending,
    the_conflict,
)


def about(store, subject="lilly", by="ana", tenant=TENANT, **how):
    return view_subject(store, by, tenant, subject, **how)


def counts(store, subject="lilly", by="ana", **how):
    return {state: count for state, count in about(store, subject, by, **how).view.counts.items() if count}


def named(store, text="", by="ana", **how):
    return [(one.subject, one.claims) for one in suggest_subjects(store, by, text, **how)]


def test_every_claim_is_counted_once_by_its_state(desk):
    given(
        desk, accepted("a", 1, subject="lilly", predicate="p"), accepted("b", 2, subject="lilly", predicate="q"), accepted("c", 3, subject="lilly", predicate="q"),
        accepted("d", 4, subject="lilly", predicate="r"), claim("e", 5, subject="lilly", predicate="s"), accepted("x", 9, subject="other"),
    )  # fmt: skip
    carry_out(desk, revoking("d"))

    assert counts(desk) == {"held": 5, "accepted": 3, "candidate": 1, "revoked": 1, "contested": 2, "served_now": 1}


def test_what_is_served_only_for_some_purposes_is_counted_apart_with_them(desk):
    given(
        desk, accepted("a", 1, subject="lilly", predicate="p"), accepted("b", 2, subject="lilly", predicate="q", purposes=["travel"]),
        accepted("c", 3, subject="lilly", predicate="r", purposes=["travel", "booking"]), claim("e", 5, subject="lilly", predicate="s", purposes=["tax"]),
    )  # fmt: skip

    view = about(desk).view
    assert (view.counts["served_now"], view.bounded, view.purposes) == (1, 2, ("booking", "travel"))


def test_the_number_of_a_count_is_that_of_its_list(desk):
    lines = [accepted(f"c{n}", n, subject="lilly", predicate=f"p{n % 7}", qualifiers={"n": n}) for n in range(120)]
    given(desk, *lines, claim("e", 5, subject="lilly", predicate="s"))
    carry_out(desk, suspending("c3", "c4"))

    for state, count in counts(desk).items():
        shown = 0
        while rows := about(desk, state=state, start=shown).view.rows:
            assert about(desk, state=state).view.rows_total == count
            shown += len(rows)
        assert shown == count
    assert sum(group.claims for group in about(desk).view.groups) == counts(desk)["held"]
    assert len(about(desk, whole=True).view.groups[0].rows) == about(desk, predicate="p0").view.rows_total


def test_claims_that_say_the_same_are_one_row_with_all_their_sources(desk):
    given(desk, accepted("a", "Germany", subject="dte", predicate="country"), accepted("b", "Germany", subject="dte", predicate="country"), accepted("c", "Russia", subject="dte", predicate="country"))
    (group,) = about(desk, "dte").view.groups

    assert sorted((row.value, row.same, row.contested) for row in group.rows) == [("Germany", 1, True), ("Russia", 0, True)]
    assert group.claims == 3


def test_a_subject_is_found_by_its_beginning_and_by_a_word_of_it_whatever_the_case(desk):
    subjects = ("company:Eli Lilly", "company:Elite", "company:Zeta", "company_x", "Lilly (club)")
    given(desk, *(accepted(f"c{n}", 1, subject=subject) for n, subject in enumerate(subjects)))

    assert named(desk, "company:El") == [("company:Eli Lilly", 1), ("company:Elite", 1)]
    assert [subject for subject, _ in named(desk, "lilly")] == ["Lilly (club)", "company:Eli Lilly"]
    assert named(desk, "company:")[-1] == ("company:Zeta", 1)
    assert named(desk, "company%") == []
    assert named(desk, "nothing of the kind") == []


def test_all_subjects_can_be_gone_through_in_order_once_each(desk):
    subjects = sorted(["é", "Z", "a", "日本", "a b", "_", "%", "ß", "zz", "A"])
    given(desk, *(accepted(f"c{n}{k}", k, subject=subject, qualifiers={"k": k}) for n, subject in enumerate(subjects) for k in range(2)))
    found, after = [], ""
    while page := named(desk, after=after, limit=3):
        found += page
        after = page[-1][0]

    assert found == [(subject, 2) for subject in subjects]


def test_without_a_word_the_subjects_of_the_newest_claims_are_offered(desk):
    given(desk, accepted("a", 1, subject="old"))
    given(desk, accepted("b", 1, subject="new"))

    assert named(desk)[:2] == [("new", 1), ("old", 1)]


# --- who may see what ---------------------------------------------------------------------------------------------


def test_what_lies_in_another_scope_is_neither_shown_nor_counted_nor_suggested(desk):
    given(
        desk, person("vera", "reviewer", "acme/vendors"), accepted("a", 1, subject="lilly", scope="acme/vendors"),
        accepted("b", 2, subject="lilly", scope="acme/funds"), accepted("c", 3, subject="secret", scope="acme/funds"),
    )  # fmt: skip

    assert counts(desk, by="vera")["held"] == 1
    assert named(desk, "", by="vera") == [("lilly", 1)]
    assert named(desk, "sec", by="vera") == []
    with refused(Code.NOT_FOUND, "Nothing that you may see"):
        about(desk, "secret", by="vera")


def test_who_may_only_read_sees_what_an_agent_would_be_served_and_no_log(desk):
    given(desk, accepted("a", 1, subject="lilly", predicate="p"), claim("b", 2, subject="lilly", predicate="q"), accepted("c", 3, subject="lilly", predicate="r"), claim("d", 4, subject="hidden"))
    carry_out(desk, suspending("c"))
    ask(desk, "lilly", "p")
    page = about(desk, by="rita")

    assert page.view.counts["held"] == 1
    assert [row.id for group in page.view.groups for row in group.rows] == ["a"]
    assert page.around.answers_total == 0
    assert page.around.reports_total == 0
    assert named(desk, "hid", by="rita") == []
    with refused(Code.NOT_FOUND):
        about(desk, "hidden", by="rita")


def test_the_same_subject_of_two_tenants_and_of_two_scopes_stays_apart(desk):
    given(
        desk, accepted("a", 1, subject="lilly", scope="acme/x"), accepted("b", 2, subject="lilly", scope="acme/y"),
        {"type": "source", "id": "T1", "scope": "beta", "title": "T"}, accepted("z", 3, subject="lilly", scope="beta", on=()),
    )  # fmt: skip

    assert find_subject(desk, "operator", "lilly") == {"acme": 2, "beta": 1}
    assert find_subject(desk, "ana", "lilly") == {"acme": 2}
    assert [(group.scope, group.claims) for group in about(desk).view.groups] == [("acme/x", 1), ("acme/y", 1)]
    assert about(desk).view.scopes == {"acme/x": 1, "acme/y": 1}
    assert counts(desk, scope="acme/x")["held"] == 1
    with refused(Code.NOT_FOUND):
        about(desk, tenant="beta")


def test_what_was_rejected_as_sensitive_is_listed_and_not_told(desk):
    bring(desk, claim("a", "the very secret", subject="lilly"))
    reject(desk, "ana", TENANT, "a", "sensitive", "private")
    page = about(desk, state="rejected")

    assert [(row.id, row.value, row.withheld) for row in page.view.rows] == [("a", None, True)]
    assert "secret" not in repr(about(desk)) + repr(about(desk, predicate="says")) + repr(about(desk, whole=True))


# --- over time ----------------------------------------------------------------------------------------------------


def test_a_value_stands_until_the_next_one_and_reports_mark_what_they_carried(desk):
    given(
        desk, accepted("old", 0.7778, subject="lilly", predicate="equity_ratio", observed_at="2026-02-01T00:00:00Z", status="superseded", superseded_by="new"),
        accepted("new", 0.2359, subject="lilly", predicate="equity_ratio", observed_at="2026-03-15T00:00:00Z"),
        artifact("memo", "new", deliveries=[delivered(at="2026-03-20T00:00:00Z")]),
    )  # fmt: skip
    (line,) = about(desk).history.lines
    first, second = line.points

    assert line.steps
    assert (first.number, second.number) == (0.7778, 0.2359)
    assert first.end == second.start
    assert second.end is None
    assert first.clock == "observed"
    assert [one.id for one in second.carried] == ["memo"]
    assert first.carried == ()


def test_values_that_stand_together_overlap_and_texts_are_no_steps(desk):
    given(desk, accepted("a", "Germany", subject="dte", predicate="country", valid_from="2026-01-01"), accepted("b", "Russia", subject="dte", predicate="country", valid_from="2026-02-01", valid_to="2026-05-01"))
    (line,) = about(desk, "dte").history.lines

    assert not line.steps
    assert [point.clock for point in line.points] == ["held", "held"]
    assert line.points[0].end is None
    assert line.points[1].end - line.points[1].start == 89 * DAY


def test_a_value_that_never_changed_is_drawn_only_when_its_predicate_is_asked_for(desk):
    given(desk, accepted("a", 1, subject="lilly", predicate="p"))

    assert about(desk).history.lines == ()
    assert len(about(desk, predicate="p").history.lines) == 1
    assert about(desk, state="accepted").history is None


# --- around it ----------------------------------------------------------------------------------------------------


def test_names_say_which_source_says_so_and_who_confirmed_whom_is_meant(desk):
    bring(desk, claim("n", "Eli Lilly and Company", subject="lilly", predicate="legal_name", entity_confidence=0.5), claim("t", "LLY", subject="lilly", predicate="ticker"))
    given(desk, accepted("u", 1, subject="lilly", predicate="employees_called_back", entity_confidence=0.9))
    decide(desk, "n", terms={"entity_confirmed": True})
    names = about(desk).around.names

    assert sorted((one.predicate, one.value, one.sources) for one in names.names) == [("legal_name", "Eli Lilly and Company", ("Source S1",)), ("ticker", "LLY", ("Source S1",))]
    assert [(one.id, one.by) for one in names.words] == [("n", "Ana")]
    assert names.unsure == 1
    assert [(one.claims, one.least, one.most, one.methods) for one in names.speakers] == [(3, 0.5, 0.99, ("reader",))]


def test_a_verdict_that_finds_two_things_under_one_name_tells_both_of_each_other(desk):
    given(desk, accepted("a", 1, subject="lilly", predicate="cik"), accepted("b", 2, subject="lilly", predicate="cik"))
    carry_out(desk, resolving(the_conflict(desk)["id"], "different", subject={"b": "solventum"}))
    around = about(desk).around

    assert [(one.id, one.other, one.verdict) for one in around.names.splits] == [("b", "solventum", True)]
    assert [(one.open, one.verdict) for one in around.conflicts] == [(False, "different")]
    assert [one.other for one in about(desk, "solventum").around.names.splits] == ["lilly"]


def test_conflicts_open_and_settled_are_told_with_their_sides(desk):
    given(desk, accepted("a", 1, subject="lilly", predicate="p"), accepted("b", 2, subject="lilly", predicate="p"), accepted("c", 1, subject="lilly", predicate="q"), accepted("d", 2, subject="lilly", predicate="q"))
    settled = next(one["id"] for one in conflicts(desk) if one["predicate"] == "p")
    carry_out(desk, resolving(settled, "keep", keep="a", other={"b": "revoked"}))
    around = about(desk).around

    assert (around.conflicts_open, around.conflicts_total) == (1, 2)
    assert [(one.open, one.predicate, sorted(side.id for side in one.sides)) for one in around.conflicts] == [(True, "q", ["c", "d"]), (False, "p", ["a", "b"])]


def test_reports_that_rest_on_it_at_any_distance_come_delivered_first_and_hidden_ones_are_counted(desk):
    given(
        desk, person("vera", "reviewer", "acme/vendors"), accepted("a", 1, subject="lilly", scope="acme/vendors"), accepted("b", 2, on="a", scope="acme/vendors"),
        artifact("plain", "b", scope="acme/vendors"), artifact("sent", "b", scope="acme/vendors", deliveries=[delivered()]), artifact("far", "a", scope="acme/vendors/x"),
    )  # fmt: skip
    around = about(desk, by="vera").around

    assert [one.id for one in around.reports][0] == "sent"
    assert (around.reports_total, around.reports_hidden, around.reports_delivered) == (3, 0, 1)
    assert around.reports[0].sent[0][0] == "kim@example.org"


def test_what_agents_were_told_is_counted_and_listed_with_the_version_told(desk):
    given(desk, accepted("a", 1, subject="lilly", predicate="p"), accepted("b", 1, subject="lilly", predicate="q"))
    ask(desk, "lilly", "p", by="bot", task="t1")
    ask(desk, "lilly", "p", by="rita")
    carry_out(desk, suspending("a"))
    around = about(desk).around

    assert (around.answers_total, around.told_claims, around.readers) == (2, 1, 2)
    assert [(one.by, one.task, one.claims[0][:3]) for one in around.answers] == [("Rita", None, ("a", 1, 2)), ("Bot", "t1", ("a", 1, 2))]
    assert around.answers_total == show(desk, "a")["served"]


@pytest.mark.parametrize("text", ["", "x", "%", "'", "日本", "a" * 5000, "*", '"', "_1_"])
def test_any_text_may_be_looked_for(desk, text):
    given(desk, accepted("a", 1, subject="lilly"))

    assert isinstance(named(desk, text), list)
    assert find_subject(desk, "ana", text) == {}


def test_an_unknown_tenant_is_as_if_nothing_were_there(desk):
    with refused(Code.NOT_FOUND):
        about(desk, tenant="nobody")


def test_a_many_valued_predicate_keeps_each_value(desk):
    given(desk, predicate("sub_processor", cardinality="many"), accepted("a", "x", subject="lilly", predicate="sub_processor"), accepted("b", "y", subject="lilly", predicate="sub_processor"))
    page = about(desk, predicate="sub_processor")

    assert page.view.counts["contested"] == 0
    assert {point.end for point in page.history.lines[0].points} == {None}


def test_a_superseded_record_leads_to_what_replaced_it(desk):
    given(desk, accepted("a", 1, subject="lilly", predicate="p"), claim("b", 2, subject="lilly", predicate="p"))
    carry_out(desk, superseding("a", "b"))

    assert counts(desk)["superseded"] == 1
    assert read_record(desk, "rita", TENANT, "b", Question(TENANT))["result"] == "OK"


def test_the_page_of_very_many_claims_says_what_is_so_after_each_event_and_to_each_person_what_they_may_see(desk):
    many = [accepted(f"c{n}", n, subject="lilly", predicate="p", qualifiers={"n": n}, scope="acme/funds" if n % 2 else TENANT) for n in range(600)]
    given(desk, *many, person("fay", "reviewer", "acme/funds"))
    assert counts(desk) == {"held": 600, "accepted": 600, "served_now": 600}
    assert counts(desk, by="fay") == {"held": 300, "accepted": 300, "served_now": 300}
    assert [one.claims for one in about(desk).around.names.speakers] == [600]

    carry_out(desk, revoking("c0", "c2"))
    given(desk, accepted("d", 7, subject="lilly", predicate="q"))
    assert counts(desk) == {"held": 601, "accepted": 599, "revoked": 2, "served_now": 599}
    assert [one.claims for one in about(desk).around.names.speakers] == [601]
    assert counts(desk, by="fay") == {"held": 300, "accepted": 300, "served_now": 300}
