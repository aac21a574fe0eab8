"""What of sources somebody is shown who may not read all of them: no title, address, text, picture, count or case from elsewhere."""

import pytest

from store import (
    Code,
    Plan,
    Refusal,
    Verb,
    commit_plan,
    compare_versions,
    draw_page,
    keep_plan_file,
    list_sources,
    measure_exposure,
    open_correction,
    preview_plan,
    read_version,
    view_source,
)
from tests.builders import TENANT, TEXT, accepted, claim, evidence, given, passage, person, source

EAST, WEST = f"{TENANT}/east", f"{TENANT}/west"


@pytest.fixture
def two_sides(desk):
    """A source on each side, and Wanda who sees the west alone."""
    given(
        desk, person("wanda", "reviewer", WEST), source("E", EAST, uri="drive://secret/east.md", title="The eastern secret"), evidence("E@1", "E"),
        source("W", WEST, uri="drive://open/west.md", title="The western report"), evidence("W@1", "W"),
    )  # fmt: skip
    return desk


def refused(asked):
    with pytest.raises(Refusal) as caught:
        asked()
    return caught.value.code


def test_the_list_neither_shows_nor_counts_nor_finds_what_lies_elsewhere(two_sides):
    page = list_sources(two_sides, "wanda")
    assert ([one.id for one in page.rows], page.total, page.found) == (["W"], 1, 1)
    for words in ("secret", "eastern", "drive://secret", "E@1"):
        assert list_sources(two_sides, "wanda", find=words).found == 0
    for order in ("reach", "sole", "delivered", "owners", "title", "id"):
        assert [one.id for one in list_sources(two_sides, "wanda", order=order).rows] == ["W"]
    ranked = measure_exposure(two_sides, "wanda")
    assert [one.id for one in ranked.rows] == ["W"]
    assert "secret" not in repr(ranked)


def test_one_source_its_text_its_picture_and_its_difference_are_as_if_they_were_not_there(two_sides):
    given(two_sides, evidence("E@2", "E", TEXT + "More.\n", version=2))
    for asked in (
        lambda: view_source(two_sides, "wanda", TENANT, "E"), lambda: read_version(two_sides, "wanda", TENANT, "E", "E@1"),
        lambda: read_version(two_sides, "wanda", TENANT, "W", "E@1"), lambda: compare_versions(two_sides, "wanda", TENANT, "E", 1, 2),
        lambda: draw_page(two_sides, "wanda", TENANT, "E@1"),
    ):  # fmt: skip
        assert refused(asked) is Code.NOT_FOUND


def test_claims_that_are_not_shown_are_not_counted_either(two_sides):
    given(two_sides, accepted("one", scope=WEST, evidence=[passage(evidence="W@1")]), person("rex", "reader", WEST))
    given(two_sides, claim("two", scope=WEST, evidence=[passage(evidence="W@1")]), reviewed=False)
    for who, count in (("wanda", 2), ("rex", 1)):
        assert [one.claims for one in list_sources(two_sides, who).rows] == [count]
        assert [one.claims for one in view_source(two_sides, who, TENANT, "W").versions] == [count]
        assert len(read_version(two_sides, who, TENANT, "W", "W@1").claims) == count


def test_a_case_that_is_also_about_what_lies_elsewhere_is_not_named(two_sides):
    open_correction(two_sides, "ana", TENANT, "Both sides restated", sources=["E", "W"])
    open_correction(two_sides, "ana", TENANT, "The west restated", sources=["W"])
    for who, cases in (("ana", ["Both sides restated", "The west restated"]), ("wanda", ["The west restated"])):
        assert [title for _, title in view_source(two_sides, who, TENANT, "W").corrections] == cases
        assert [title for row in list_sources(two_sides, who).rows if row.id == "W" for _, title in row.corrections] == cases


def test_who_may_only_read_sees_neither_text_nor_picture_of_a_version_that_is_not_in_use(desk):
    assert read_version(desk, "rita", TENANT, "S1", "E1").window is not None
    plan = Plan(Verb.REVOKE, ("E1",))
    commit_plan(desk, "ana", TENANT, plan, preview_plan(desk, "ana", TENANT, plan).fingerprint, "it was wrong")
    assert refused(lambda: read_version(desk, "rita", TENANT, "S1", "E1")) is Code.NOT_FOUND
    assert refused(lambda: draw_page(desk, "rita", TENANT, "E1")) is Code.NOT_FOUND
    assert refused(lambda: draw_page(desk, "ana", TENANT, "E1")) is Code.BAD_VALUE


def test_a_document_that_is_no_version_yet_is_not_shown_to_who_may_only_read(desk):
    kept = keep_plan_file(desk, "ana", TENANT, (TEXT + "More.\n").encode(), name="new.txt")
    assert compare_versions(desk, "ana", TENANT, "S1", 1, None, file=kept.sha256).changes == 1
    assert refused(lambda: compare_versions(desk, "rita", TENANT, "S1", 1, None, file=kept.sha256)) is Code.NOT_FOUND
