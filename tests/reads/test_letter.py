"""A letter to the owner of a source: what it says that others contradict, and nothing that belongs in the house."""

import csv
import io

from store import Code, export_letter_csv, list_letter_picks, write_letter
from tests.builders import TENANT, TEXT, accepted, carry_out, conflicts, evidence, given, passage, person, predicate, refused, resolving, source

LYON, PARIS = "The office is in Lyon.", "The office is in Paris."
OTHER = f"{TEXT}{PARIS}\n"


def two_sources(store, **more):
    """Two sources that contradict each other twice, and once say the same."""
    given(
        store, source("S2", title="Their site", authority="vendor", owner="noor", **more), evidence("E2", "S2", OTHER, captured_at="2026-02-01T00:00:00Z"),
        accepted("a", "Lyon", subject="acme", predicate="office", quote=LYON), their("b", "Paris", predicate="office"),
        accepted("c", 1, subject="acme", predicate="p"), their("d", 2, predicate="p"), accepted("e", 1, subject="acme", predicate="q"), their("f", 1, predicate="q"),
    )  # fmt: skip


def their(id, value, **fields):
    return accepted(id, value, subject="acme", **fields) | {"evidence": [passage(PARIS, "E2", OTHER)]}


def letter(store, source="S2", by="ana", **how):
    return write_letter(store, by, TENANT, source, **how)


def test_a_letter_lists_what_the_source_says_and_what_we_hold_with_passage_and_since_when(desk):
    two_sources(desk)
    found = letter(desk)

    assert (found.total, found.subjects, found.title, found.owner, found.writer) == (2, 1, "Their site", "noor", "Ana")
    first = found.rows[0]
    assert (first.number, first.subject, first.predicate, first.theirs, first.ours) == (1, "acme", "office", "Paris", (("Lyon", None),))
    assert (first.passage, first.document, first.version, first.captured_at) == (PARIS, "Their site", 1, "2026-02-01T00:00:00Z")
    assert first.since == "2026-07-01T09:00:00Z"


def test_no_id_scope_or_conflict_of_the_house_is_in_it(desk):
    two_sources(desk, scope="acme/secret-project")
    (found,) = [letter(desk)]
    words = " ".join(str(part) for row in found.rows for part in (row.subject, row.predicate, row.theirs, row.ours, row.passage, row.document, row.version))
    text = words + export_letter_csv(desk, "ana", found).decode()

    assert "secret-project" not in text
    assert "conflict-" not in text
    assert "Source S1" not in text


def test_the_other_source_is_named_only_where_the_pair_was_chosen(desk):
    two_sources(desk)

    assert {title for row in letter(desk).rows for _, title in row.ours} == {None}
    assert {title for row in letter(desk, other="S1").rows for _, title in row.ours} == {"Source S1"}
    assert letter(desk, other="S1").other_title == "Source S1"


def test_all_sources_of_an_authority_can_be_written_to_at_once(desk):
    two_sources(desk)
    given(desk, source("S3", title="Their app", authority="vendor"), evidence("E3", "S3", OTHER), accepted("g", 3, subject="acme", predicate="p") | {"evidence": [passage(PARIS, "E3", OTHER)]})
    found = letter(desk, "vendor")

    assert (found.sources, found.total) == (2, 2)
    assert [(row.number, row.document, row.theirs) for row in found.rows] == [(1, "Their site", "Paris"), (2, "Their site", 2), (2, "Their app", 3)]


def test_the_list_to_choose_from_counts_what_the_letters_hold(desk):
    two_sources(desk)

    for how in ({"by": "source"}, {"by": "authority"}, {"by": "source", "pairs": True}, {"pairs": True}):
        picks = list_letter_picks(desk, "ana", **how)
        assert picks
        for pick in picks:
            assert letter(desk, pick.source, other=pick.other).total == pick.open
            assert letter(desk, pick.source, other=pick.other, settled=True).total == pick.against


def test_what_was_settled_against_the_source_is_a_letter_of_its_own(desk):
    two_sources(desk)
    one = next(one["id"] for one in conflicts(desk) if one["predicate"] == "office")
    carry_out(desk, resolving(one, "keep", keep="a", other={"b": "revoked"}))

    assert (letter(desk).total, letter(desk, settled=True).total) == (1, 1)
    row = letter(desk, settled=True).rows[0]
    assert (row.theirs, row.ours, row.settled_at) == ("Paris", (("Lyon", None),), "2026-07-01T09:00:00Z")
    assert letter(desk, "S1", settled=True).total == 0
    assert [(pick.source, pick.open, pick.against) for pick in list_letter_picks(desk, "ana", by="source")] == [("S2", 1, 1), ("S1", 1, 0)]


def test_one_fact_written_differently_is_not_held_against_the_source(desk):
    two_sources(desk)
    one = next(one["id"] for one in conflicts(desk) if one["predicate"] == "office")
    carry_out(desk, resolving(one, "same", keep="a"))

    assert letter(desk, settled=True).total == 0
    assert [(pick.source, pick.open, pick.against) for pick in list_letter_picks(desk, "ana", by="source")] == [("S1", 1, 0), ("S2", 1, 0)]


def test_values_within_the_tolerance_are_not_held_against_each_other(desk):
    given(
        desk, predicate("price", compare="number", tolerance={"absolute": 0.5}), source("S2", title="Their site"), evidence("E2", "S2", OTHER),
        accepted("a", 1.0, subject="acme", predicate="price"), accepted("b", 1.4, subject="acme", predicate="price"), their("c", 1.8, predicate="price"),
    )  # fmt: skip

    assert [(row.theirs, row.ours) for row in letter(desk).rows] == [(1.8, ((1.0, None),))]


def test_csv_holds_every_row_and_no_formula(desk):
    two_sources(desk)
    given(desk, accepted("x", "=1+1", subject="=cmd|x", predicate="+p"), their("y", "@SUM(A1)", predicate="+p") | {"subject": "=cmd|x"})
    rows = list(csv.reader(io.StringIO(export_letter_csv(desk, "ana", letter(desk)).decode("utf-8-sig"))))

    assert len(rows) == 1 + 3
    assert [cell[0] for row in rows[1:] for cell in row if cell and cell[0] in "=+@-"] == []
    assert "'=cmd|x" in {cell for row in rows for cell in row}


def test_who_may_not_see_everything_of_the_scope_writes_no_letter_about_it(desk):
    two_sources(desk)
    given(desk, person("vera", "reviewer", "acme/vendors"))

    assert list_letter_picks(desk, "rita") == list_letter_picks(desk, "vera") == []
    for who in ("rita", "vera"):
        with refused(Code.NOT_FOUND):
            letter(desk, by=who)
    with refused(Code.NOT_FOUND):
        letter(desk, "no such source")
    with refused(Code.NOT_FOUND):
        write_letter(desk, "ana", "nobody", "S2")


def test_only_the_scope_asked_for_is_in_it(desk):
    two_sources(desk)
    given(desk, accepted("v", 1, subject="acme", predicate="p", scope="acme/eu"), their("w", 2, predicate="p") | {"scope": "acme/eu"})

    assert letter(desk).total == 3
    assert letter(desk, scope="acme/eu").total == 1


def test_a_pair_is_one_only_where_the_two_contradict_each_other(desk):
    two_sources(desk)
    given(
        desk, source("S3", authority="third"), evidence("E3", "S3", OTHER), accepted("k", 7, subject="acme", predicate="z") | {"evidence": [passage(PARIS, "E3", OTHER)]},
        accepted("m", 8, subject="acme", predicate="z"), their("n", 8, predicate="z"),
    )  # fmt: skip

    assert letter(desk, other="S1").total == 2
    assert letter(desk, other="S3").total == 1
    assert all(row.ours for row in letter(desk, "S1", other="S3").rows)
    for pick in list_letter_picks(desk, "ana", by="source", pairs=True):
        assert letter(desk, pick.source, other=pick.other).total == pick.open


def test_a_family_and_a_collection_are_called_as_on_the_conflicts_page(desk):
    two_sources(desk)
    given(
        desk, source("feed:a/1", family="feeds"), source("feed:b/2", authority="x"), source("feed:b/3", authority="y"),
        *(evidence(f"F{n}", id, OTHER) for n, id in enumerate(("feed:a/1", "feed:b/2", "feed:b/3"))),
        *(accepted(f"f{n}", 10 + n, subject="acme", predicate="p") | {"evidence": [passage(PARIS, f"F{n}", OTHER)]} for n in range(3)),
    )  # fmt: skip

    assert {row.theirs for row in letter(desk, "feeds").rows} == {10}
    assert {row.theirs for row in letter(desk, "feed:b").rows} == {11, 12}
    assert {pick.source for pick in list_letter_picks(desk, "ana")} >= {"feeds", "x", "y", "vendor"}


def test_of_hundreds_of_statements_that_contradict_each_other_the_letter_prints_some_and_says_so(desk):
    two_sources(desk)
    given(desk, *(their(f"m{n}", n, predicate="many") for n in range(310)))
    printed, whole = letter(desk), letter(desk, most=None)

    assert (len(printed.rows), printed.cut) == (300, True)
    assert (len(whole.rows), whole.cut) == (312, False)
    assert {(len(row.ours), row.more) for row in whole.rows if row.predicate == "many"} == {(20, 289)}
    assert "and 289 more" in export_letter_csv(desk, "ana", whole).decode("utf-8-sig")


def test_true_and_one_are_two_values(desk):
    two_sources(desk)
    given(desk, accepted("t", True, subject="acme", predicate="yes"), their("u", 1, predicate="yes"))
    (row,) = [row for row in letter(desk).rows if row.predicate == "yes"]
    assert (row.theirs is True, row.ours[0][0] is True) == (False, True)
