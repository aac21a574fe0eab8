"""Sources and their versions as they are read: the list, the marked text, and what differs between two versions."""

import json

import pytest

from store import Refusal, compare_versions, list_sources, list_unsorted, read_version, view_source
from tests.builders import accepted, claim, evidence, given, passage, person, source

OLD = "One line.\nThe fee is 12 euros for each order.\nAnother line.\n"
NEW = "One line.\nThe fee is 15 euros for each order.\nAnother line.\n"
STRANGE = "a\u0301b 😀 says שלום עולם to e\u0301veryone\nsecond 👩‍👩‍👧 line مرحبا\n"


def bound(id, quote, text, on="R@1", make=accepted, **fields):
    return make(id, "x", evidence=[passage(quote, on, text)], **fields)


@pytest.fixture
def rates(desk):
    given(desk, source("R"), evidence("R@1", "R", OLD), bound("fee", "The fee is 12 euros for each order.", OLD))
    return desk


def text_of(found):
    return "".join(segment.text for segment in found.window.segments)


def test_every_quote_is_marked_where_it_stands_overlapping_ones_too(rates):
    given(rates, bound("twelve", "12 euros", OLD, make=claim))
    found = read_version(rates, "ana", "acme", "R", "R@1")
    assert text_of(found) == OLD
    marked = [(segment.text, sorted(found.claims[n].id for n in segment.marks)) for segment in found.window.segments if segment.marks]
    assert marked == [("The fee is ", ["fee"]), ("12 euros", ["fee", "twelve"]), (" for each order.", ["fee"])]
    assert {one.id: one.status for one in found.claims.values()} == {"fee": "ACCEPTED", "twelve": "CANDIDATE"}


def test_marks_count_code_points_so_that_strange_letters_round_trip(desk):
    given(desk, source("S"), evidence("S@1", "S", STRANGE), bound("greeting", "שלום עולם to e\u0301v", STRANGE, "S@1"), bound("family", "👩‍👩‍👧", STRANGE, "S@1"))
    found = read_version(desk, "ana", "acme", "S", "S@1")
    assert text_of(found) == STRANGE
    assert [segment.text for segment in found.window.segments if segment.marks] == ["שלום עולם to e\u0301v", "👩‍👩‍👧"]


def test_a_long_text_comes_in_windows_that_lead_to_the_next_marked_passage(desk):
    text = "".join(f"This is line number {n} of a long text.\n" for n in range(40_000))
    given(desk, source("L"), evidence("L@1", "L", text), bound("late", "line number 30000 of", text, "L@1"))
    first = read_version(desk, "ana", "acme", "L", "L@1")
    assert len(text_of(first)) < 20_000
    assert first.next is not None
    there = read_version(desk, "ana", "acme", "L", "L@1", at=first.next)
    assert [segment.text for segment in there.window.segments if segment.marks] == ["line number 30000 of"]
    assert text_of(read_version(desk, "ana", "acme", "L", "L@1", claim="late")) == text_of(there)
    shown, at = "", 0
    while at is not None:
        window = read_version(desk, "ana", "acme", "L", "L@1", at=at).window
        shown, at = shown + "".join(segment.text for segment in window.segments), window.after
    assert shown == text


def test_two_versions_differ_in_words_and_say_what_became_of_the_passages(rates):
    given(rates, evidence("R@2", "R", NEW, version=2))
    found = compare_versions(rates, "ana", "acme", "R", 1, 2)
    assert (found.changes, found.removed, found.added) == (1, 1, 1)
    assert [(one.claim.id, one.fate, one.now) for one in found.fates] == [("fee", "changed", "The fee is 15 euros for each order.")]


def test_json_differs_by_pointers_and_a_table_by_cells(desk):
    given(
        desk, source("J"), evidence("J@1", "J", '{"a":1,"b":{"c/d":[1,2]}}', media_type="application/json"),
        evidence("J@2", "J", '{"a":1,"b":{"c/d":[1,3]},"e":null}', media_type="application/json", version=2),
        source("T"), evidence("T@1", "T", "id,fee\na,1\nb,2\n", media_type="text/csv"),
        evidence("T@2", "T", "id,fee\nb,3\na,1\n", media_type="text/csv", version=2),
    )  # fmt: skip
    found = compare_versions(desk, "ana", "acme", "J", 1, 2)
    assert [(one.place, one.before, one.after) for one in found.changed] == [("/b/c~1d/1", "2", "3"), ("/e", None, "null")]
    assert [(one.place, one.column, one.before, one.after) for one in compare_versions(desk, "ana", "acme", "T", 1, 2).changed] == [("b", "fee", "2", "3")]


def test_an_element_or_row_that_came_or_went_is_one_change_and_the_others_are_known_again(desk):
    old = [{"id": f"F{n}", "nav": {"amount": n}} for n in range(20)]
    new = [*old[:5], *old[6:12], {"id": "F12", "nav": {"amount": 99}}, *old[13:], {"id": "F99", "nav": {"amount": 1}}]
    table = "fund,quarter,nav\n" + "".join(f"F{n},Q{q},{n + q}\n" for n in range(20) for q in (1, 2))
    newer = table.replace("F5,Q1,6\n", "").replace("F12,Q2,14", "F12,Q2,99") + "F99,Q1,1\n"
    pointed = accepted("twelve", 12, evidence=[{"evidence": "J@1", "span": {"pointer": "/12/nav/amount"}, "quote": "12"}])
    given(
        desk, source("J"), evidence("J@1", "J", json.dumps(old), media_type="application/json"), evidence("J@2", "J", json.dumps(new), media_type="application/json", version=2), pointed,
        source("T"), evidence("T@1", "T", table, media_type="text/csv"), evidence("T@2", "T", newer, media_type="text/csv", version=2), bound("row", "F12,Q2,14", table, "T@1"),
        bound("gone", "F5,Q1,6", table, "T@1"), bound("same", "F7,Q1,8", table, "T@1"),
    )  # fmt: skip
    found = compare_versions(desk, "ana", "acme", "J", 1, 2)
    assert [(one.place, one.was, one.before, one.after) for one in found.changed] == [
        ("/5", None, '{"id":"F5","nav":{"amount":5}}', None), ("/11/nav/amount", "/12/nav/amount", "12", "99"), ("/19", None, None, '{"id":"F99","nav":{"amount":1}}'),
    ]  # fmt: skip
    assert [(one.claim.id, one.stretch) for one in found.fates] == [("twelve", 1)]
    found = compare_versions(desk, "ana", "acme", "T", 1, 2)
    assert [(one.place, one.column, one.before, one.after) for one in found.changed] == [
        ("F5 · Q1", None, "F5 · Q1 · 6", None), ("F12 · Q2", "nav", "14", "99"), ("F99 · Q1", None, None, "F99 · Q1 · 1"),
    ]  # fmt: skip
    assert {one.claim.id: one.stretch for one in found.fates} == {"row": 1, "gone": 0, "same": None}


def test_a_newer_version_that_arrived_shows_as_not_sorted(rates):
    assert list_sources(rates, "ana").counts["unsorted"] == 0
    given(rates, evidence("R@2", "R", NEW, version=2))
    page = list_sources(rates, "ana", only="unsorted")
    assert [one.id for one in page.rows] == ["R"]
    assert view_source(rates, "ana", "acme", "R").unsorted


def waiting(store, person):
    """Which sources wait to be sorted, told by the list, by each source and by the command line's list, which have to agree."""
    listed = {one.id for one in list_sources(store, person, only="unsorted", limit=1_000).rows}
    assert listed == {one.source for one in list_unsorted(store, person, "acme")}
    assert listed == {one.id for one in list_sources(store, person, limit=1_000).rows if one.unsorted and view_source(store, person, "acme", one.id).unsorted}
    return listed


def test_a_version_waits_to_be_sorted_only_while_something_the_person_may_see_rests_on_an_older_one(desk):
    given(
        desk, person("eve", "reviewer", "acme/east"), source("BARE"), evidence("BARE@1", "BARE", OLD), evidence("BARE@2", "BARE", NEW, version=2),
        source("USED"), evidence("USED@1", "USED", OLD), bound("used", "One line.", OLD, "USED@1"), evidence("USED@2", "USED", NEW, version=2),
        source("ASKED"), evidence("ASKED@1", "ASKED", OLD), bound("asked", "One line.", OLD, "ASKED@1", make=claim), evidence("ASKED@2", "ASKED", NEW, version=2),
    )  # fmt: skip
    assert waiting(desk, "ana") == {"USED", "ASKED"}
    assert waiting(desk, "rita") == {"USED"}
    assert waiting(desk, "eve") == set()
    assert [(one.older, one.claims) for one in list_unsorted(desk, "ana", "acme", source="USED")] == [(("USED@1",), 1)]


def test_pages_of_the_list_hold_every_source_once(desk):
    given(desk, *(one for n in range(23) for one in (source(f"P{n}"), evidence(f"P{n}@1", f"P{n}", f"text {n}"))))
    for order in ("newest", "title", "id"):
        seen, after = [], None
        while True:
            page = list_sources(desk, "ana", order=order, after=after, limit=5)
            seen += [one.id for one in page.rows]
            after = page.next
            if after is None:
                break
        assert sorted(seen) == sorted(["S1", *(f"P{n}" for n in range(23))])
        assert page.total == 24


def test_a_source_of_another_scope_is_as_if_it_were_not_there(desk):
    given(desk, person("zoe", "reviewer", "acme/west"), source("E", "acme/east"), evidence("E@1", "E", "Secret of the east."))
    assert [one.id for one in list_sources(desk, "zoe").rows] == []
    for reading in (lambda: view_source(desk, "zoe", "acme", "E"), lambda: read_version(desk, "zoe", "acme", "E", "E@1"), lambda: compare_versions(desk, "zoe", "acme", "E", 1, 1)):
        with pytest.raises(Refusal) as refused:
            reading()
        assert refused.value.code.value == "not_found"


def test_candidates_are_marked_only_for_who_may_see_them(rates):
    given(rates, bound("twelve", "12 euros", OLD, make=claim))
    assert [one.id for one in read_version(rates, "rita", "acme", "R", "R@1").claims.values()] == ["fee"]


HTML = (
    "<!doctype html><html><head><title>Rates 4.9</title></head><body><h1>Rates &amp; fees</h1>\n"
    '<p title="The rate is 4.9 percent.">Today  the <b>rate</b> is 4.9&nbsp;percent.</p><!-- 4.9 --><p>The fee is 12 euros.</p></body></html>'
)


def in_markup(id, quote, nth=0, on="H@1", text=HTML):
    at = -1
    for _ in range(nth + 1):
        at = text.index(quote, at + 1)
    return accepted(id, "x", evidence=[{"evidence": on, "span": {"start": at, "end": at + len(quote)}, "quote": quote}])


def marked(found):
    shown = {}
    for segment in found.window.segments:
        for n in segment.marks:
            shown[found.claims[n].id] = shown.get(found.claims[n].id, "") + segment.text
    return shown


def test_a_quote_bound_in_the_markup_of_a_page_is_marked_at_its_words_in_the_text(desk):
    given(
        desk, source("H"), evidence("H@1", "H", HTML, media_type="text/html"), in_markup("rate", "<b>rate</b> is 4.9&nbsp;percent"),
        in_markup("head", "Rates &amp; fees"), in_markup("fee", "The fee is 12 euros."), in_markup("across", "percent.</p><!-- 4.9 --><p>The fee"),
    )  # fmt: skip
    found = read_version(desk, "ana", "acme", "H", "H@1")
    assert marked(found) == {"rate": "rate is 4.9\u00a0percent", "head": "Rates & fees", "fee": "The fee is 12 euros.", "across": "percent.\n\nThe fee"}
    assert (found.misplaced, found.unseen) == ((), ())


def test_a_quote_inside_a_tag_a_comment_or_the_head_is_marked_nowhere_and_shown_in_its_markup(desk):
    given(
        desk, source("H"), evidence("H@1", "H", HTML, media_type="text/html"), in_markup("title", "4.9"), in_markup("attribute", "The rate is 4.9 percent"),
        in_markup("comment", "4.9", 3), in_markup("half", "Rates &am"), in_markup("tag", "b>rate"),
    )  # fmt: skip
    found = read_version(desk, "ana", "acme", "H", "H@1")
    assert marked(found) == {}
    assert {one.id: one.markup.passage for one in found.unseen} == {
        "title": "4.9", "attribute": "The rate is 4.9 percent", "comment": "4.9", "half": "Rates &am", "tag": "b>rate",
    }  # fmt: skip
    assert next(one for one in found.unseen if one.id == "attribute").markup.before.endswith('<p title="')


def test_the_difference_of_two_pages_puts_a_quote_of_the_markup_beside_its_change(desk):
    newer = HTML.replace("12 euros", "15 euros")
    given(desk, source("H"), evidence("H@1", "H", HTML, media_type="text/html"), in_markup("fee", "<p>The fee is 12 euros."), evidence("H@2", "H", newer, media_type="text/html", version=2))
    found = compare_versions(desk, "ana", "acme", "H", 1, 2)
    fate = found.fates[0]
    assert (fate.fate, fate.stretch) == ("changed", 0)
    text = text_of(read_version(desk, "ana", "acme", "H", "H@2"))
    assert text[fate.place :].startswith("The fee is 15 euros.")


# --- tables and JSON as what they are ----------------------------------------------------------------------------------

TABLE = 'fund,"rate, net",note\nAlpha,"4,9","said ""soon"""\nBeta,"5,1",\n\nGamma,6.0,"two\nlines"\n'
DOCUMENT = '{"fund": "Alpha",\n "rates": [{"q/1": 4.9, "note": "a, b"}, {"q/1": 5.10}], "none": [], "deep": {"a": {"b": null}}}'


def cells(row):
    return ["".join(segment.text for segment in cell.segments) for cell in row]


def shown_marks(found, cuts):
    """Claim -> the words marked for it, over some cells or values."""
    marks = {}
    for cut in cuts:
        for segment in cut.segments:
            for n in segment.marks:
                marks.setdefault(found.claims[n].id, []).append(segment.text)
    return marks


def test_a_table_is_shown_as_rows_with_each_quote_marked_in_its_cells(desk):
    given(
        desk, source("T"), evidence("T@1", "T", TABLE, media_type="text/csv"), bound("net", "4,9", TABLE, "T@1"), bound("row", 'Beta,"5,1",\n', TABLE, "T@1"),
        bound("soon", 'said ""soon""', TABLE, "T@1"), bound("lines", "two\nlines", TABLE, "T@1"), bound("name", "rate, net", TABLE, "T@1"),
    )  # fmt: skip
    found = read_version(desk, "ana", "acme", "T", "T@1")
    assert [cells([name])[0] for _, name in found.data.columns] == ["fund", "rate, net", "note"]
    assert [(n, cells(row)) for n, row in found.data.rows] == [(1, ["Alpha", "4,9", 'said "soon"']), (2, ["Beta", "5,1", ""]), (3, ["Gamma", "6.0", "two\nlines"])]
    assert found.data.total == 3
    marks = shown_marks(found, [*(name for _, name in found.data.columns), *(cell for _, row in found.data.rows for cell in row)])
    assert marks == {"name": ["rate, net"], "net": ["4,9"], "soon": ['said "soon"'], "row": ["Beta", "5,1"], "lines": ["two\nlines"]}
    ends = [found.claims[n].id for _, row in found.data.rows for cell in row for segment in cell.segments for n in segment.ending]
    assert sorted(ends) == ["lines", "net", "row", "soon"]


def test_json_is_shown_as_lines_with_pointers_and_what_is_bound_by_pointer_or_by_characters_marked(desk):
    pointed = [
        accepted(id, "x", evidence=[{"evidence": "J@1", "span": {"pointer": pointer}, "quote": quote}])
        for id, pointer, quote in (("five", "/rates/1/q~11", "5.1"), ("nothing", "/none", "[]"), ("first", "/rates/0", '{"note":"a, b","q/1":4.9}'))
    ]
    given(desk, source("J"), evidence("J@1", "J", DOCUMENT, media_type="application/json"), *pointed, bound("fund", '"fund": "Alpha"', DOCUMENT, "J@1"))
    found = read_version(desk, "ana", "acme", "J", "J@1")
    lines = [(line.depth, line.pointer, *cells((line.name, line.value))) for line in found.data.lines]
    assert lines == [
        (0, "", "", "{"), (1, "/fund", '"fund": ', '"Alpha",'), (1, "/rates", '"rates": ', "["), (2, "/rates/0", "", "{"),
        (3, "/rates/0/q~11", '"q/1": ', "4.9,"), (3, "/rates/0/note", '"note": ', '"a, b"'), (2, "/rates/0", "", "},"), (2, "/rates/1", "", "{"),
        (3, "/rates/1/q~11", '"q/1": ', "5.10"), (2, "/rates/1", "", "}"), (1, "/rates", "", "],"), (1, "/none", '"none": ', "[],"),
        (1, "/deep", '"deep": ', "{"), (2, "/deep/a", '"a": ', "{"), (3, "/deep/a/b", '"b": ', "null"), (2, "/deep/a", "", "}"), (1, "/deep", "", "}"), (0, "", "", "}"),
    ]  # fmt: skip
    marks = shown_marks(found, [cut for line in found.data.lines for cut in (line.name, line.value)])
    assert marks == {"fund": ['"fund": ', '"Alpha"'], "first": ["{", '"q/1": ', "4.9,", '"note": ', '"a, b"', "}"], "five": ["5.10"], "nothing": ["[]"]}
    assert found.passages == 4


def test_what_only_says_it_is_a_table_or_json_is_shown_as_text_and_the_line_is_told(desk):
    broken = 'a,b\n1,2\n3,"4"x\n5,6\n'
    given(
        desk, source("T"), evidence("T@1", "T", broken, media_type="text/csv"), bound("six", "5,6", broken, "T@1"),
        source("J"), evidence("J@1", "J", '{"a": 1,\n "b" 2}', media_type="application/json"),
    )  # fmt: skip
    found = read_version(desk, "ana", "acme", "T", "T@1")
    assert (found.data, found.unreadable.kind, found.unreadable.line) == (None, "table", 3)
    assert text_of(found) == broken
    assert [segment.text for segment in found.window.segments if segment.marks] == ["5,6"]
    found = read_version(desk, "ana", "acme", "J", "J@1")
    assert (found.data, found.unreadable.kind, found.unreadable.line) == (None, "json", 2)


def test_long_tables_and_documents_come_in_pages_that_lead_to_the_marked_row_or_line(desk):
    table = "id,name\n" + "".join(f"{n},Name of {n}\n" for n in range(3_000))
    document = "[" + ", ".join(f'{{"id": {n}}}' for n in range(3_000)) + "]"
    far = accepted("item", "x", evidence=[{"evidence": "J@1", "span": {"pointer": "/2500/id"}, "quote": "2500"}])
    given(
        desk, source("T"), evidence("T@1", "T", table, media_type="text/csv"), bound("row", "2500,Name of 2500", table, "T@1"),
        source("J"), evidence("J@1", "J", document, media_type="application/json"), far,
    )  # fmt: skip
    found = read_version(desk, "ana", "acme", "T", "T@1", claim="row")
    assert (2_501, ["2500", "Name of 2500"]) in [(n, cells(row)) for n, row in found.data.rows]
    assert list(found.claims.values())[0].id == "row"
    first = read_version(desk, "ana", "acme", "T", "T@1")
    assert first.claims == {}
    assert "row" in {one.id for one in read_version(desk, "ana", "acme", "T", "T@1", at=first.next).claims.values()}
    numbers, at = [], 0
    while at is not None:
        page = read_version(desk, "ana", "acme", "T", "T@1", at=at).data
        numbers += [n for n, _ in page.rows]
        at = page.after
    assert numbers == list(range(1, 3_001))
    for asked in ({"claim": "item"}, {"pointer": "/2500/id"}):
        page = read_version(desk, "ana", "acme", "J", "J@1", **asked).data
        assert ("/2500/id", ["2500"]) in [(line.pointer, cells([line.value])) for line in page.lines]
    assert page.total == 3 * 3_000 + 2


def test_of_many_passages_some_are_listed_and_all_are_counted(desk):
    text = "".join(f"Line number {n} of the text says enough to be known again.\n" for n in range(70))
    given(
        desk, source("M"), evidence("M@1", "M", text), *(bound(f"m{n}", f"Line number {n} of", text, "M@1") for n in range(70)),
        *(accepted(f"w{n}", "x", evidence=[{"evidence": "M@1"}]) for n in range(3)), evidence("M@2", "M", text + "More.\n", version=2),
    )  # fmt: skip
    found = compare_versions(desk, "ana", "acme", "M", 1, 2)
    assert found.counts["unchanged"] == 70
    assert len([one for one in found.fates if one.fate == "unchanged"]) == 60
    read = read_version(desk, "ana", "acme", "M", "M@1")
    assert (read.passages, len(read.claims), read.counts) == (70, 70, {"misplaced": 0, "unseen": 0, "whole": 3})
