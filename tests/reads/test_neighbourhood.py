"""A record's neighbourhood through the store: one count on screen, in the table, in the picture and in the file; rights; ways."""

import csv
import io

import pytest

from store import (
    NeighbourSift,
    describe_neighbour,
    explain_ways,
    export_neighbours_csv,
    find_starts,
    list_neighbours,
    look_around,
    picture_around,
    reject,
    suggest_starts,
)
from tests.builders import TENANT, accepted, artifact, carry_out, claim, delivered, evidence, given, person, refused, revoking, source

#: E1 <- c0..c7 <- sum <- report (delivered) <- memo; sum also rests directly on E1; secret lies in acme/board and rests on sum.
LINES = (
    *(accepted(f"c{n}", n) for n in range(8)),
    accepted("sum", 28, on=[f"c{n}" for n in range(8)], predicate="total"),
    artifact("report", on=["sum", "c0"], deliveries=[delivered()]),
    artifact("memo", on="report", artifact_type="memo"),
    person("nina", "reviewer", f"{TENANT}/desk"),
    source("S2", f"{TENANT}/board"),
    evidence("E2", "S2", version=1),
    accepted("secret", "s", on="sum", scope=f"{TENANT}/board"),
)  # fmt: skip


@pytest.fixture
def chained(desk):
    given(desk, *LINES)
    return desk


def around(store, record="sum", person="ana", **more):
    return look_around(store, person, TENANT, record, **more)


def ids(store, found, person="ana", **sift):
    page = list_neighbours(store, person, found, NeighbourSift(**sift), limit=1000)
    assert page.total == len(page.rows)
    return {row.named.id: row.step for row in page.rows}


def file_rows(store, found, person="ana"):
    return list(csv.DictReader(io.StringIO(export_neighbours_csv(store, person, found).decode("utf-8-sig"))))


def test_each_step_shows_exactly_what_is_that_near_in_table_picture_and_file(chained):
    wanted = {
        1: {"sum": 0, **{f"c{n}": -1 for n in range(8)}, "report": 1, "secret": 1},
        2: {"sum": 0, **{f"c{n}": -1 for n in range(8)}, "E1": -2, "report": 1, "secret": 1, "memo": 2},
    }
    for steps, expected in wanted.items():
        found = around(chained, up=steps, down=steps)
        picture = picture_around(chained, "ana", found)

        assert ids(chained, found) == expected
        assert found.count() == picture.drawn + picture.folded == len(expected)
        rows = file_rows(chained, found)
        assert {row["id"]: int(row["steps"]) for row in rows} == {name: abs(step) for name, step in expected.items()}
        assert sum(found.count_statuses().values()) == sum(found.count_kinds().values()) == sum(found.count_steps().values()) == len(expected)


def test_the_counts_say_how_far_it_goes_in_all(chained):
    found = around(chained)

    assert (found.count(-1), found.count(1)) == (8, 2)
    assert (found.all_up, found.all_down, found.lost, found.sent) == (9, 3, 0, 1)
    assert found.count_lines() == 8 + 2 + 1, "the report also rests on one of the claims"


def test_what_is_out_of_use_above_is_counted(chained):
    carry_out(chained, revoking("c3"))

    assert around(chained).lost == 1
    assert around(chained).count_statuses() == {"REVOKED": 1, "STALE": 3, "ACCEPTED": 7}


def test_what_may_not_be_seen_is_a_number_only(chained):
    given(chained, person("nina", "reviewer", f"{TENANT}/desk", ("reviewer", f"{TENANT}/board")))
    with refused("not_found"):
        around(chained, person="nina")
    found = around(chained, "secret", person="nina", up=None)

    assert ids(chained, found, person="nina") == {"secret": 0}
    assert found.count(seen=False) == 10
    picture = picture_around(chained, "nina", found)
    assert (picture.drawn, picture.folded, picture.hidden) == (1, 0, 10)
    assert all(node.named is None or node.named.id == "secret" for node in picture.nodes)
    assert all(not node.statuses and not node.label and node.owner is None for node in picture.nodes if node.form == "hidden")
    rows = file_rows(chained, found, person="nina")
    assert [row["id"] for row in rows] == ["secret", "10 more in scopes you may not see"]
    assert rows[0]["via"] == ""
    assert (found.all_up, found.lost) == (0, 0)
    starts = suggest_starts(chained, "nina", TENANT)
    assert {start.named.id for start in (*starts.heavy, *starts.recent)} <= {"secret", "E2"}
    assert starts.lines == 0
    assert find_starts(chained, "nina", TENANT, "sum") == []
    with refused("not_found"):
        describe_neighbour(chained, "nina", TENANT, "sum")
    with refused("not_found"):
        around(chained, "secret", person="nina", to="sum")


def test_a_reader_sees_no_dependencies(chained):
    with refused("not_found"):
        around(chained, person="rita")
    assert suggest_starts(chained, "rita", TENANT).records == 0


@pytest.mark.parametrize(("one", "other"), [("E1", "memo"), ("memo", "E1")])
def test_ways_are_told_from_what_is_rested_on(chained, one, other):
    found = around(chained, one, to=other)
    ways = [[step.named.id for step in way] for way in explain_ways(chained, "ana", found)]

    assert ways == [["E1", "c0", "report", "memo"]]
    assert ids(chained, found).keys() == {"E1", "c0", "report", "memo"}
    picture = picture_around(chained, "ana", found)
    assert len(picture.on_way) == 3
    assert all(node.on_way for node in picture.nodes)


def test_a_record_that_may_not_be_seen_stays_unnamed_on_a_way(desk):
    given(
        desk, accepted("first", scope=f"{TENANT}/a"), accepted("between", "the secret", on="first", scope=f"{TENANT}/b"), accepted("last", on="between", scope=f"{TENANT}/a"),
        person("pia", "reviewer", f"{TENANT}/a"),
    )  # fmt: skip
    found = around(desk, "last", person="pia", to="first")

    assert [[step.named and step.named.id for step in way] for way in explain_ways(desk, "pia", found)] == [["first", None, "last"]]
    assert ids(desk, found, person="pia") == {"last": 0, "first": -2}
    assert [row["via"] for row in file_rows(desk, found, person="pia")] == ["", "", ""]
    assert picture_around(desk, "pia", found).hidden == 1


def test_two_records_neither_of_which_rests_on_the_other_have_no_way(chained):
    found = around(chained, "c1", to="c2")

    assert found.ways is None
    assert found.to == "c2"
    assert explain_ways(chained, "ana", found) == []


def test_filters_of_the_table_agree_with_the_counts(chained):
    found = around(chained, up=None, down=None)

    for kind, count in found.count_kinds().items():
        assert len(ids(chained, found, kind=kind)) == count
    for status, count in found.count_statuses().items():
        assert len(ids(chained, found, status=status)) == count
    for step, count in found.count_steps().items():
        assert set(ids(chained, found, step=step).values()) == {step}
        assert len(ids(chained, found, step=step)) == count
    for one in found.bundles:
        assert len(ids(chained, found, bundle=one.key)) == len(one.members)
    assert ids(chained, found, status="NO SUCH STATUS") == {}


def test_what_was_delivered_and_what_is_out_of_use_are_lists_of_the_numbers_said(chained):
    carry_out(chained, revoking("c3"))
    found = around(chained, up=None, down=None)

    assert ids(chained, found, only="delivered") == {"report": 1}
    assert ids(chained, found, only="lost") == {"c3": -1}
    assert (found.sent, found.lost) == (1, 1)


def test_pages_of_the_table_follow_each_other(chained):
    found = around(chained, up=None, down=None)
    pages = [list_neighbours(chained, "ana", found, NeighbourSift(), start=start, limit=5) for start in range(0, 20, 5)]

    listed = [row.named.id for page in pages for row in page.rows]
    assert len(listed) == len(set(listed)) == found.count() == pages[0].total
    assert listed[0] == "sum"


def test_opening_a_bundle_keeps_the_sum(desk):
    given(desk, *(accepted(f"n{n}", n, on="hub") for n in range(60)), accepted("hub"))
    found = around(desk, "hub")
    picture = picture_around(desk, "ana", found)
    rest = next(node for node in picture.nodes if node.named is None)
    opened = picture_around(desk, "ana", found, opened={rest.key: 10})

    assert picture.drawn + picture.folded == opened.drawn + opened.folded == found.count() == 62
    assert opened.drawn == picture.drawn + 10


def test_a_box_of_several_shows_its_worst_state_and_how_many_are_in_it(desk):
    given(desk, accepted("weak"), accepted("hub"), *(accepted(f"n{n}", n, on=["hub", "weak"] if n % 20 == 0 else "hub") for n in range(60)))
    carry_out(desk, revoking("weak"))
    found = around(desk, "hub")
    rest = next(node for node in picture_around(desk, "ana", found).nodes if node.named is None)
    drawn = [node.named.status for node in picture_around(desk, "ana", found).nodes if node.named is not None]

    assert drawn.count("STALE") == 3, "what to look at first is drawn first"
    assert rest.statuses == {"ACCEPTED": rest.count}


def test_the_lens_of_sources_tells_the_one_family_or_none(desk):
    given(desk, source("S2"), evidence("E2", "S2", text="Something else. The office is in Lyon.\n"), accepted("one"), accepted("two", on="E2"), accepted("both", on=["one", "two"]))
    families = {node.named.id: node.family for node in picture_around(desk, "ana", around(desk, "both", up=None), families=True).nodes}

    assert families == {"both": None, "one": "S1", "two": "S2", "E1": "S1", "E2": "S2"}


def test_text_that_a_spreadsheet_would_run_is_made_harmless(desk):
    given(desk, accepted("=cmd", "=1+1", statement="=HYPERLINK(1)"), accepted("child", on="=cmd"))
    row = next(row for row in file_rows(desk, around(desk, "child")) if row["steps"] == "1")

    assert (row["id"], row["title"]) == ("'=cmd", "'=HYPERLINK(1)")
    assert next(row for row in file_rows(desk, around(desk, "=cmd")))["focus"] == "'=cmd"


def test_what_was_rejected_as_sensitive_is_told_without_its_value(desk):
    given(desk, claim("s", "the secret value", statement="It is the secret value."), claim("on-it", "z", on="s"))
    reject(desk, "ana", TENANT, "s", "sensitive", "private")
    found = around(desk, "on-it")

    assert b"secret value" not in export_neighbours_csv(desk, "ana", found)
    detail = describe_neighbour(desk, "ana", TENANT, "s")
    assert detail.value is None
    assert "secret value" not in f"{detail.named} {detail.passage}"


def test_one_record_is_told_with_its_passage_and_how_many_stand_around_it(chained):
    detail = describe_neighbour(chained, "ana", TENANT, "c0")

    assert (detail.value, detail.parents, detail.children, detail.delivered) == (0, 1, 2, False)
    assert detail.passage is not None
    assert detail.passage.ok
    assert detail.passage.shown.passage == "The office is in Lyon."


def test_the_neighbourhood_follows_what_happens(chained):
    before = around(chained)
    given(chained, accepted("late", on="sum"))

    assert around(chained).count() == before.count() + 1
    assert around(chained) is around(chained), "and is worked out once"


@pytest.mark.parametrize("wrong", [{"record": "nothing"}, {"record": "sum", "to": "nothing"}, {"record": ""}])
def test_what_is_not_there_is_refused(chained, wrong):
    with refused("not_found"):
        look_around(chained, "ana", TENANT, wrong["record"], to=wrong.get("to"))


def test_search_finds_by_id_first(chained):
    assert find_starts(chained, "ana", TENANT, "report")[0].named.id == "report"
    assert find_starts(chained, "ana", TENANT, "   ") == []
    starts = suggest_starts(chained, "ana", TENANT)
    assert starts.heavy[0].named.id == "E1"
    assert (starts.records, starts.lines) == (14, 20)


def test_a_source_means_its_newest_version(chained):
    found = around(chained, "S1")

    assert found.id == "E1"
    assert around(chained, "memo", to="S1").to == "E1"
    given(chained, person("nina", "reviewer", f"{TENANT}/board"))
    with refused("not_found"):
        around(chained, "S1", person="nina")
