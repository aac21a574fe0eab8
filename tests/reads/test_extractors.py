"""What became of what each extractor made, as each person may see it, and how many records words pick."""

import pytest

from store import Refusal, count_made, list_made, measure_extractors, reject
from tests.builders import bring, carry_out, claim, given, person, revoking

OLD, NEW = {"method": "table-reader", "version": "2.1"}, {"method": "table-reader", "version": "2.2"}


@pytest.fixture
def read_by(desk):
    given(
        desk, claim("A", 1, status="reviewed", extraction=OLD), claim("B", 2, status="reviewed", extraction=OLD),
        claim("C", 3, status="reviewed", extraction=NEW), claim("D", 4, on="A", status="reviewed", extraction=NEW),
    )  # fmt: skip
    bring(desk, claim("E", 5, extraction=NEW), claim("F", 6, extraction=NEW))
    return desk


def figures(store, by="ana", **options):
    return {
        (row.method, row.version): (row.proposed, row.accepted, row.rejected, row.corrected, row.waiting) for row in measure_extractors(store, by, **options).rows
    }


def test_what_fell_or_was_revoked_after_it_was_accepted_counts_as_corrected(read_by):
    assert figures(read_by) == {("table-reader", "2.1"): (2, 2, 0, 0, 0), ("table-reader", "2.2"): (4, 2, 0, 0, 2)}
    carry_out(read_by, revoking("A"))
    assert figures(read_by) == {("table-reader", "2.1"): (2, 2, 0, 1, 0), ("table-reader", "2.2"): (4, 2, 0, 1, 2)}


def test_rejected_claims_are_counted_by_their_route(read_by):
    reject(read_by, "ana", "acme", "E", "not_durable", "no use")
    row = next(row for row in measure_extractors(read_by, "ana").rows if row.version == "2.2")
    assert (row.rejected, row.routes, round(row.rejected_share, 2)) == (1, {"not_durable": 1}, 0.33)


def test_who_does_not_see_candidates_is_told_how_many_claims_are_not_counted(read_by):
    given(read_by, person("zoe", "reviewer", "acme/other"))
    found = measure_extractors(read_by, "zoe")
    assert (found.rows, found.hidden) == ((), 6)


def test_an_order_that_means_nothing_is_refused(read_by):
    with pytest.raises(Refusal) as refusal:
        measure_extractors(read_by, "ana", order="beauty")
    assert refusal.value.code == "bad_value"


def test_words_pick_as_many_as_are_counted_and_listed(read_by):
    made = {"extractor": "table-reader", "version": "2.2"}
    assert count_made(read_by, "ana", "acme", made).statuses == {"ACCEPTED": 2, "CANDIDATE": 2}
    rows, total = list_made(read_by, "ana", "acme", made, in_use=True, limit=1)
    assert ([row.id for row in rows], total) == (["C"], 2)
    assert count_made(read_by, "rita", "acme", made).statuses == {"ACCEPTED": 2}
