"""The decision sheet of a day: every decision once, as it was when it was made, for who may see it."""

import csv
import io

import pytest

import store.reads.sheet as sheets
from store import (
    Answer,
    Approval,
    Plan,
    Verb,
    amend,
    approve,
    commit_plan,
    export_sheet_csv,
    list_decided,
    parse_stated_time,
    preview_plan,
    reject,
    renew,
    reopen,
    view_today,
)
from tests.builders import (
    TENANT,
    accepted,
    carry_out,
    claim,
    conflicts,
    decide,
    evidence,
    given,
    passage,
    person,
    refused,
    revoking,
    source,
    superseding,
)


def sheet(store, who="olga", day=None, **more):
    return list_decided(store, who, day, **more)


def rows(found):
    return [(row.action, row.id, row.person) for row in found.rows]


def cells(store, who="olga", day=None, **more):
    return list(csv.reader(io.StringIO(export_sheet_csv(store, who, day, **more).decode("utf-8-sig"))))


def settle(store, conflict, verdict, by="ana", **more):
    plan = Plan(Verb.RESOLVE, (conflict,), verdict=verdict, **more)
    return commit_plan(store, by, TENANT, plan, preview_plan(store, by, TENANT, plan).to_json()["fingerprint"], "both passages read")


@pytest.fixture
def decided(desk, clock):
    """A day with one decision of every kind."""
    given(
        desk, *(claim(id, id.lower()) for id in ("C1", "C2", "C3", "C4")), claim("H1", impact="high"), accepted("K1", "1", subject="k"),
        accepted("K2", "2", subject="k"), accepted("L1", "1", subject="l", owner="ben"), accepted("L2", "2", subject="l", owner="ben"),
    )  # fmt: skip
    clock.pass_by(minutes=1)
    decide(desk, "C1", terms={"owner": "ben", "review_at": "2027-01-01T00:00:00Z"})
    decide(desk, "H1", by="ben", reason="first look")
    reject(desk, "ana", TENANT, "C2", "not_durable", "a passing remark")
    reject(desk, "ben", TENANT, "C3", "rejected", "no")
    reopen(desk, "ben", TENANT, "C3")
    amend(desk, "carl", TENANT, "C4", {"value": "new"})
    renew(desk, "ana", TENANT, "C1", review_at=parse_stated_time("2028-01-01T00:00:00Z"))
    named = {tuple(one["claims"]): one["id"] for one in conflicts(desk)}
    settle(desk, named["K1", "K2"], Answer.KEEP, keep="K1")
    settle(desk, named["L1", "L2"], Answer.UNCLEAR)
    return desk, named


def test_the_sheet_holds_every_decision_of_the_day_in_order(decided):
    desk, named = decided

    assert rows(sheet(desk)) == [
        ("approve", "C1", "ana"), ("first", "H1", "ben"), ("reject", "C2", "ana"), ("reject", "C3", "ben"), ("reopen", "C3", "ben"),
        ("amend", "C4", "carl"), ("renew", "C1", "ana"), ("verdict", named["K1", "K2"], "ana"), ("question", named["L1", "L2"], "ana"),
    ]  # fmt: skip


def test_the_counts_equal_the_rows(decided):
    desk, _ = decided
    found = sheet(desk)

    assert found.total == len(found.rows) == sum(found.counts.values()) == sum(count for _, _, count in found.people) == 9
    assert found.counts == {"approve": 1, "first": 1, "reject": 2, "reopen": 1, "amend": 1, "renew": 1, "verdict": 1, "question": 1}
    assert found.people == (("ana", "Ana", 5), ("ben", "Ben", 3), ("carl", "Carl", 1))
    for action, count in found.counts.items():
        assert len(sheet(desk, action=action).rows) == sheet(desk, action=action).total == count
    for who, _, count in found.people:
        part = sheet(desk, by=who)
        assert len(part.rows) == part.total == sum(part.counts.values()) == count
    assert view_today(desk, "olga").decided == found.people
    assert view_today(desk, "ben").decided[0] == ("ben", "Ben", 3)


def test_a_row_says_what_was_decided_on_which_passage_and_why(decided):
    desk, _ = decided
    first, second, third, *_, verdict, question = sheet(desk).rows

    assert (first.statement, first.value, first.quote, first.source, first.source_version) == ("subject-C1 · says", "c1", "The office is in Lyon.", "Source S1", 1)
    assert (first.reason, first.terms) == ("checked", {"owner": "ben", "review_at": "2027-01-01T00:00:00Z"})
    assert (second.reason, third.route, third.reason) == ("first look", "not_durable", "a passing remark")
    assert (verdict.kind, verdict.statement, verdict.verdict, verdict.reason) == ("conflict", "k · says", "keep", "both passages read")
    assert (question.verdict, question.statement) == ("unclear", "l · says")


def test_an_amendment_says_what_it_changed_and_a_renewal_the_new_date(decided):
    desk, _ = decided
    by_action = {row.action: row for row in sheet(desk).rows}

    assert by_action["amend"].terms == {"value": "new"}
    assert by_action["renew"].terms == {"review_at": "2028-01-01T00:00:00Z"}


def test_content_is_told_as_it_was_when_it_was_decided(desk):
    given(desk, claim("H1", "before", impact="high"))
    decide(desk, "H1", by="ben")
    amend(desk, "carl", TENANT, "H1", {"value": "after"})
    decide(desk, "H1", by="ana")

    assert [(row.action, row.value) for row in sheet(desk).rows] == [("first", "before"), ("amend", "after"), ("first", "after")]


def test_what_was_rejected_as_too_sensitive_is_told_nowhere(desk):
    given(desk, claim("C1", "zebra", statement="Lea has a zebra", sensitivity="sensitive"))
    amend(desk, "carl", TENANT, "C1", {"value": "zebra again"})
    reject(desk, "ana", TENANT, "C1", "sensitive", "not ours to keep")

    found = sheet(desk)
    assert [(row.action, row.withheld, row.statement, row.value, row.quote) for row in found.rows] == [("amend", True, "", None, None), ("reject", True, "", None, None)]
    assert "zebra" not in str(found)
    assert b"zebra" not in export_sheet_csv(desk, "olga")
    assert found.rows[1].reason == "not ours to keep"


def test_a_day_ends_at_midnight_utc(desk, clock):
    given(desk, claim("C1"), claim("C2"), claim("C3"))
    decide(desk, "C1")
    clock.at = parse_stated_time("2026-07-01T23:59:59.999999Z")
    decide(desk, "C2")
    clock.at = parse_stated_time("2026-07-02T00:00:00Z")
    decide(desk, "C3")

    assert rows(sheet(desk, day="2026-07-01")) == [("approve", "C1", "ana"), ("approve", "C2", "ana")]
    assert rows(sheet(desk, day="2026-07-02")) == rows(sheet(desk)) == [("approve", "C3", "ana")]
    assert (sheet(desk).day, sheet(desk, day="2026-07-01").today) == ("2026-07-02", "2026-07-02")
    assert sheet(desk, day="2026-06-30").total == sheet(desk, day="2999-01-01").total == 0


def test_a_clock_that_ran_back_loses_no_decision(desk, clock):
    given(desk, claim("C1"), claim("C2"), claim("C3"))
    clock.at = parse_stated_time("2026-07-02T00:00:01Z")
    decide(desk, "C1")
    clock.at = parse_stated_time("2026-07-01T23:59:59Z")
    decide(desk, "C2")
    clock.at = parse_stated_time("2026-07-02T00:00:02Z")
    decide(desk, "C3")

    assert rows(sheet(desk, day="2026-07-01")) == [("approve", "C2", "ana")]
    assert rows(sheet(desk, day="2026-07-02")) == [("approve", "C1", "ana"), ("approve", "C3", "ana")]


@pytest.mark.parametrize("day", ["today", "2026-13-01", "", "2026-07-01T00:00", "9999-12-31", "0001-01-01"])
def test_what_is_no_day_is_refused_and_the_ends_of_time_are_days(desk, day):
    if day in ("9999-12-31", "0001-01-01"):
        assert sheet(desk, day=day).total == 0
    else:
        with refused("bad_value", "is no day"):
            sheet(desk, day=day)


def test_only_what_one_may_see_in_full_is_on_the_sheet(desk):
    given(
        desk, claim("C1"), claim("D1", scope="acme/funds"), person("fay", "reviewer", "acme/funds"), person("zoe", "reviewer", "other"), source("S9", "other"),
        evidence("E9", "S9"), claim("Z1", scope="other", evidence=[passage(evidence="E9")]),
        *(accepted(f"K{n}", str(n), subject="k") for n in (1, 2)),
    )  # fmt: skip
    decide(desk, "C1")
    decide(desk, "D1")
    approve(desk, "zoe", "other", "Z1", Approval("seen"))
    (one,) = conflicts(desk)
    settle(desk, one["id"], Answer.NONE)

    assert rows(sheet(desk, "fay")) == [("approve", "D1", "ana")]
    assert rows(sheet(desk, "zoe")) == [("approve", "Z1", "zoe")]
    assert rows(sheet(desk, "ana", scope="acme/funds")) == [("approve", "D1", "ana")]
    assert sheet(desk, "ana").total == 3
    for who in ("rita", "bot"):
        with refused("not_allowed"):
            sheet(desk, who)
        assert view_today(desk, who).decided == ()


def test_an_approval_by_which_something_is_replaced_stands_once(desk):
    given(desk, accepted("OLD", "a", subject="k"), claim("NEW", "b", subject="k"), accepted("B", on="OLD"))
    decide(desk, "NEW", replaces="OLD")
    given(desk, accepted("OLD2", "a", subject="m"), claim("NEW2", "b", subject="m"))
    carry_out(desk, superseding("OLD2", "NEW2"))
    carry_out(desk, revoking("NEW2"))

    assert rows(sheet(desk)) == [("approve", "NEW", "ana"), ("approve", "NEW2", "ana")]


def test_imports_and_searches_are_no_decisions(desk):
    given(desk, claim("R", status="rejected", route="rejected"), accepted("A"))

    assert sheet(desk).total == 0


def test_pages_hold_every_row_once_and_the_csv_all_of_them(desk, monkeypatch):
    monkeypatch.setattr(sheets, "SHEET_PAGE", 4)
    given(desk, *(claim(f"C{n}") for n in range(10)))
    for n in range(10):
        decide(desk, f"C{n}")

    found, after = [], 0
    while after is not None:
        page = sheet(desk, after=after)
        assert (page.first, page.total) == (after, 10)
        found += rows(page)
        after = page.next
    assert found == [("approve", f"C{n}", "ana") for n in range(10)]
    assert len(sheet(desk, whole=True).rows) == 10
    assert [line[3] for line in cells(desk)[1:]] == [f"C{n}" for n in range(10)]
    assert [line[3] for line in cells(desk, by="ben")[1:]] == []


def test_a_day_too_long_for_a_sheet_says_so(desk, monkeypatch):
    monkeypatch.setattr(sheets, "SHEET_MOST", 3)
    given(desk, *(claim(f"C{n}") for n in range(5)))
    for n in range(5):
        decide(desk, f"C{n}")

    found = sheet(desk)
    assert (found.cut, found.total, len(found.rows)) == (True, 3, 3)
    assert cells(desk)[-1] == ["Only the first 3 events of this day are in this file."]


def test_no_cell_of_the_csv_is_a_formula(desk):
    given(desk, claim("C1", "=1+1", statement="+cmd", scope="acme/=x"))
    reject(desk, "ana", TENANT, "C1", "rejected", "@SUM(A1)")

    head, row = cells(desk)
    named = dict(zip(head, row, strict=True))
    assert (named["value"], named["statement"], named["reason"]) == ("'=1+1", "'+cmd", "'@SUM(A1)")
    assert not [cell for cell in row if cell[:1] in ("=", "+", "-", "@")]
