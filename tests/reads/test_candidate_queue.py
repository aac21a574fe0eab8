"""The list of candidates: in which order they come, what each list holds, and that nobody is met twice."""

import pytest

from store import Sift, amend, list_candidates, reject
from tests.builders import accepted, artifact, bring, claim, decide, evidence, given, passage, predicate, source

REPORT = "First quarter.\nNAV was 10.\nSecond quarter.\nNAV was 11.\nThird quarter.\nNAV was 12.\n"
LETTER = "We moved to Lyon.\nWe pay on the first of the month.\n"


def of(document, text, quote, **span):
    found = passage(quote, document, text)
    return {"evidence": [{**found, **({"span": span} if span else {})}]}


@pytest.fixture
def papers(desk):
    """Two documents, read in another order than their candidates came, and what was worked out from them."""
    given(desk, source("REPORT", title="Q2 report"), evidence("REPORT@1", "REPORT", REPORT), source("LETTER"), evidence("LETTER@1", "LETTER", LETTER))
    assert bring(
        desk,
        claim("nav-3", 12, **of("REPORT@1", REPORT, "NAV was 12.")), claim("pays", "first", **of("LETTER@1", LETTER, "We pay on the first of the month.")),
        claim("nav-1", 10, **of("REPORT@1", REPORT, "NAV was 10.")), claim("growth", 0.1, on=["nav-1", "nav-2"]), claim("office", "Lyon", **of("LETTER@1", LETTER, "We moved to Lyon.")),
        claim("nav-2", 11, **of("REPORT@1", REPORT, "NAV was 11.")), artifact("memo", ["nav-3", "growth"], status="candidate"),
        accepted("old", status="candidate", on=["E1"]),
    )["rejected"] == []  # fmt: skip
    return desk


def ids(found):
    return [row.id for row in found.rows]


def listed(store, by="ana", **sift):
    return ids(list_candidates(store, by, Sift(**sift)))


def test_documents_in_the_order_they_came_passages_as_they_stand_and_parents_first(papers):
    found = list_candidates(papers, "ana", Sift())

    assert ids(found) == ["nav-1", "nav-2", "growth", "nav-3", "memo", "office", "pays", "old"]
    assert [(one.id, one.title, one.version, one.count) for one in found.documents] == [
        ("REPORT@1", "Q2 report", 1, 5), ("LETTER@1", "Source LETTER", 1, 2), ("", "", None, 1),
    ]  # fmt: skip
    assert [row.document for row in found.rows][3:6] == ["REPORT@1", "REPORT@1", "LETTER@1"]


def test_other_orders_and_one_document(papers):
    assert listed(papers, order="oldest")[:3] == ["nav-3", "pays", "nav-1"]
    assert listed(papers, order="newest")[:2] == ["old", "memo"]
    # What most rests on comes first: both figures carry the growth and the memo.
    assert listed(papers, order="reach")[:3] == ["nav-1", "nav-2", "growth"]
    assert listed(papers, document="LETTER@1") == ["office", "pays"]
    assert listed(papers, document="") == ["old"]
    assert listed(papers, document="NOWHERE@1") == []
    counts = list_candidates(papers, "ana", Sift(document="LETTER@1")).counts
    assert (counts["all"], counts["blocks"]) == (2, 0)


def test_the_order_follows_what_changes(papers):
    reject(papers, "ana", "acme", "nav-1", "rejected", "wrong")
    assert listed(papers)[:3] == ["nav-2", "growth", "nav-3"]
    amend(papers, "ben", "acme", "nav-3", of("LETTER@1", LETTER, "on the first"))
    assert listed(papers) == ["nav-2", "growth", "office", "pays", "nav-3", "memo", "old"]


def test_walking_in_any_order_meets_everybody_once_and_goes_on_from_one_that_was_decided(papers):
    for order in ("document", "oldest", "newest", "reach"):
        at, met = list_candidates(papers, "ana", Sift(order=order)).chosen, []
        while at is not None:
            met.append(at[1])
            at = list_candidates(papers, "ana", Sift(order=order), at).after
        assert met == listed(papers, order=order)
    decide(papers, "nav-2")
    assert list_candidates(papers, "ana", Sift(order="oldest"), ("acme", "nav-2")).after == ("acme", "memo")


def test_what_answers_a_stale_record_is_a_list_of_its_own(desk):
    given(desk, predicate("nav", series=True), accepted("fell", 1, subject="s", status="stale"), accepted("q1", 1, subject="f", predicate="nav", valid_from="2026-01-01", status="stale"))
    bring(
        desk, claim("again", 2, subject="s"), claim("other", 2, subject="t"), claim("q1-again", 2, subject="f", predicate="nav", valid_from="2026-01-01"),
        claim("q2", 3, subject="f", predicate="nav", valid_from="2026-04-01"),
    )  # fmt: skip

    found = list_candidates(desk, "ana", Sift(only="answers", order="oldest"))

    assert ids(found) == ["again", "q1-again"]
    assert found.counts["answers"] == 2
    assert [row.answers for row in list_candidates(desk, "ana", Sift(order="oldest")).rows] == [True, False, True, False]


def test_the_title_of_a_document_somebody_may_not_see_is_not_told(desk):
    given(desk, {"type": "person", "id": "api", "name": "Api", "roles": [{"role": "reviewer", "scope": "acme/api"}]}, source("SECRET", scope="acme/other", title="Merger"), evidence("SECRET@1", "SECRET"))
    bring(desk, claim("c1", scope="acme/api", evidence=[passage(evidence="SECRET@1")]))

    assert [one.title for one in list_candidates(desk, "api", Sift()).documents] == ["SECRET@1"]
    assert [one.title for one in list_candidates(desk, "ana", Sift()).documents] == ["Merger"]
