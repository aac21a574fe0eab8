"""The table of candidates: what it says of each is what the page of one says, and what stood before is told."""

import pytest

from store import Sift, Terms, list_grid, view_candidate
from store.db.candidate_facts import ManyFacts
from store.db.candidates import load_facts
from store.db.records import find_card
from store.db.transaction import read
from tests.builders import accepted, artifact, ask, bring, claim, decide, evidence, given, passage, predicate, source

ROWS = "Figures in thousands of USD.\n| NAV | 184,000 | 176,600 |\n| Cash | 14,600 | 12,000 |\n| Debt | 9,100 | 9,100 |\n"


def row(desk, id, by="ana"):
    return next(one for one in list_grid(desk, by, Sift()).rows if one.row.id == id)


@pytest.fixture
def busy(desk):
    """Candidates in every plight: bad spans, missing terms, fallen and contested parents, undeclared reads, first approvals."""
    given(
        desk, accepted("P"), accepted("FELL", status="stale"), accepted("OLD", expires_at="2026-01-01"), *(accepted(f"X{v}", v, subject="x") for v in (1, 2)),
        accepted("T", 1, subject="t"), accepted("WIDE", scope="acme/api"), {"type": "read", "task": "k", "by": "bot", "at": "2026-06-01T00:00:00Z", "records": ["P", "T"]},
    )  # fmt: skip
    assert bring(
        desk, claim("good"), claim("bad-span", evidence=[{**passage(), "span": {"start": 0, "end": 5}}]), claim("nobody", owner=None), claim("undated", review_at=None),
        claim("unsure", entity_confidence=0.1), claim("on-fallen", on=["FELL"]), claim("on-expired", on=["OLD"]), claim("on-contested", on=["X1"]), claim("on-wide", on=["WIDE"]),
        claim("above", on=["good"]), claim("forgot", task="k", on=["P"]), claim("high", impact="high"), claim("other", 2, subject="t"), claim("person", subject="person:kim", claim_type="inference"),
        claim("mine", proposed_by="ana"), artifact("memo", ["good", "P"], status="candidate"), artifact("high-memo", ["P"], status="candidate", impact="high"), claim("by-line", evidence=[{"evidence": "E1", "quote": "Line one of the source.", "span": {"line_start": 1, "line_end": 1}}]),
    )["rejected"] == []  # fmt: skip
    decide(desk, "high", by="ben")
    return desk


@pytest.mark.parametrize("person", ["ana", "ben", "olga"])
def test_the_facts_of_many_are_the_facts_of_each(busy, person):
    with read(busy, person) as reading:
        cards = [find_card(reading.connection, 1, one.row.id) for one in list_grid(busy, "ana", Sift()).rows]
        many = ManyFacts(reading.connection, 1, [card.number for card in cards], reading.actor, reading.at)
        assert len(cards) == 18
        for card in cards:
            assert many.of(card.number) == load_facts(reading.connection, 1, card, reading.actor, Terms(), reading.at), card.id


def test_a_row_says_what_the_page_of_one_candidate_says(busy):
    for one in list_grid(busy, "ana", Sift()).rows:
        view = view_candidate(busy, "ana", "acme", one.row.id)
        assert one.failed == tuple(check["name"] for check in view.checks if not check["ok"])
        assert (one.version, one.content_hash, one.in_quote, one.previous) == (view.version, view.content_hash, view.in_quote, view.previous)
        assert (one.usual, one.usual_failed) == (view.usual, view.usual_failed)
        assert one.row.contradicts == bool(view.contradicts)


def test_the_figure_before_its_change_and_its_scale_are_told(desk):
    given(
        desk, predicate("nav", series=True), source("Q2"), evidence("Q2@1", "Q2", ROWS), accepted("nav-q1", 176600000, subject="f", predicate="nav", valid_from="2026-03-31"),
        accepted("cash-q1", 12000000, subject="f", predicate="cash", qualifiers={"as_of": "2026-03-31"}), accepted("cash-q4", 1, subject="f", predicate="cash", qualifiers={"as_of": "2025-12-31"}),
    )  # fmt: skip
    bring(
        desk, claim("nav-q2", 184000000, subject="f", predicate="nav", valid_from="2026-06-30", evidence=[passage("| NAV | 184,000 | 176,600 |", "Q2@1", ROWS)]),
        claim("cash-q2", 14600000, subject="f", predicate="cash", qualifiers={"as_of": "2026-06-30"}, evidence=[passage("| Cash | 14,600 | 12,000 |", "Q2@1", ROWS)]),
        claim("debt-q2", 9200000, subject="f", predicate="debt", evidence=[passage("| Debt | 9,100 | 9,100 |", "Q2@1", ROWS)]),
    )  # fmt: skip

    nav, cash, debt = (row(desk, id) for id in ("nav-q2", "cash-q2", "debt-q2"))

    assert (nav.previous.id, nav.previous.period, round(nav.previous.change.ratio, 4)) == ("nav-q1", None, 0.0419)
    assert (cash.previous.id, cash.previous.period) == ("cash-q1", "2026-03-31")
    assert debt.previous is None
    assert [one.in_quote.kind for one in (nav, cash, debt)] == ["scaled", "scaled", "no"]
    assert [one.place for one in (nav, cash, debt)] == [{"line": 2}, {"line": 3}, {"line": 4}]
    assert (nav.doubts, debt.doubts) == ((), ("in_quote",))
    assert list_grid(desk, "ana", Sift(document="Q2@1")).short


def test_a_newer_version_of_the_document_says_whether_the_quote_is_still_in_it(desk):
    given(desk, evidence("E1@2", version=2, text="Line one of the source.\nThe office is in Rome.\n"))
    bring(desk, claim("gone"), claim("kept", quote="Line one of the source."))

    gone, kept = row(desk, "gone"), row(desk, "kept")

    assert (gone.newer.id, gone.newer.version, gone.newer.same) == ("E1@2", 2, False)
    assert kept.newer.same is True
    assert ("newer" in gone.doubts, "newer" in kept.doubts) == (True, False)
    assert view_candidate(desk, "ana", "acme", "gone").newer == (gone.newer,)


def test_usual_terms_make_a_candidate_approvable_and_say_what_they_set(desk):
    given(desk, {"type": "policy", "scope": "acme", "usual_terms": {"*": {"owner": "ben"}, "says": {"review_after_days": 90}}})
    bring(desk, claim("bare", owner=None, review_at=None), claim("full"), claim("unsure", owner=None, entity_confidence=0.1))

    bare, full, unsure = (row(desk, id) for id in ("bare", "full", "unsure"))

    assert bare.failed == ("owner", "review_date")
    assert (bare.usual_failed, bare.usual_sets) == ((), {"owner": "ben", "review_at": "2026-09-29T00:00:00Z"})
    assert bare.terms == bare.usual
    assert (full.usual_sets, full.terms) == ({}, Terms())
    assert (unsure.usual_failed, unsure.terms) == (("entity_resolved",), None)
    decide(desk, "bare", terms=bare.usual_sets)
    view = view_candidate(desk, "ana", "acme", "bare")
    assert (view.status, view.line["owner"]) == ("ACCEPTED", "ben")


def test_others_that_wait_with_the_same_question_are_named(desk):
    bring(desk, claim("one", 1, subject="s"), claim("two", 2, subject="s"), claim("else", 3, subject="t"))

    assert "rivals" in row(desk, "one").doubts
    assert [near.id for near in view_candidate(desk, "ana", "acme", "one").proposed_too] == ["two"]
    assert "rivals" not in row(desk, "else").doubts


def test_a_value_rejected_as_sensitive_is_not_told_by_what_stood_before(desk):
    from store import reject

    given(desk, accepted("before", "old", subject="s"))
    bring(desk, claim("secret", "hidden-word", subject="s", quote="The office is in Lyon."))
    reject(desk, "ana", "acme", "secret", "sensitive", "too much")

    view = view_candidate(desk, "ana", "acme", "secret")

    assert "hidden-word" not in repr(view)
    assert (view.previous, view.newer, view.in_quote.kind) == (None, (), "untold")
    assert ask(desk, "s")["result"] == "OK"
