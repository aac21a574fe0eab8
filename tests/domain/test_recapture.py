"""What became of a passage: exactly first, then with the words around it, then with white space folded, otherwise proposed only (R21)."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.domain.alignment import UNMATCHED, align
from store.domain.errors import Refusal
from store.domain.passages import PassageSorter
from store.domain.recapture import CARRIED, MOST_WORDS, Fate, Sorter, worst
from store.domain.records import Binding
from store.domain.renditions import make_rendition, render
from store.domain.spans import CapturedText, locate_in
from store.domain.text import digest_bytes


def captured(text, media_type="text/plain", rendition=None):
    content = text if isinstance(text, bytes) else text.encode()
    return CapturedText(content, digest_bytes(content), media_type, rendition)


def sort(old, new, quote, n=0, **more):
    """The fate of the n-th occurrence of a quote, and what stands where it went or is proposed."""
    start = -1
    for _ in range(n + 1):
        start = old.index(quote, start + 1)
    found = Sorter(old, new).sort(start, start + len(quote))
    return found.fate.value, None if found.start is None else new[found.start : found.end]


TABLE = "Quarter | NAV\nQ1 | 100 EUR\nQ2 | 100 EUR\nQ3 | 100 EUR\nQ4 | 120 EUR\n"


def test_a_quote_that_stands_in_several_places_goes_to_its_own():
    new = TABLE.replace("Q2 | 100", "Q2 | 105")

    assert [sort(TABLE, new, "100 EUR", n) for n in range(3)] == [("unchanged", "100 EUR"), ("changed", "105 EUR"), ("unchanged", "100 EUR")]


def test_a_row_put_in_front_moves_the_others():
    new = TABLE.replace("Q1", "Q0 | 100 EUR\nQ1")

    assert [sort(TABLE, new, "100 EUR", n)[0] for n in range(3)] == ["moved"] * 3
    start = TABLE.index("100 EUR", TABLE.index("Q2"))
    assert Sorter(TABLE, new).sort(start, start + 7).start == new.index("100 EUR", new.index("Q2"))


def test_rows_in_another_order_are_followed_by_what_they_say():
    rows = ["Revenue of the group: 10 EUR", "Costs of the group: 10 EUR", "Staff of the group: 10 EUR"]
    old, new = "\n".join(rows), "\n".join(reversed(rows))

    for n, row in enumerate(rows):
        start = old.index("10 EUR", old.index(row))
        found = Sorter(old, new).sort(start, start + 6)
        assert found.fate in CARRIED, n
        assert found.start == new.index("10 EUR", new.index(row))


@pytest.mark.parametrize("note", [" (previously reported as 184,000,000 USD)", "\nErratum: an earlier edition said 184,000,000 USD.\n"])
def test_an_old_figure_told_in_a_note_is_not_the_figure(note):
    old = "NAV at quarter end was 184,000,000 USD.\nThe office is in Lyon.\n"
    new = old.replace("184,000,000 USD.", "179,500,000 USD" + note + ".")

    assert sort(old, new, "184,000,000 USD") == ("changed", "179,500,000 USD")


def test_a_sentence_quoted_in_an_erratum_is_not_the_sentence():
    old = "Fees are due at the end of each month without a reminder.\nNAV at quarter end was 184,000,000 USD.\nThe office is in Lyon, in the house by the river.\n"
    new = old.replace("184,000,000", "179,500,000") + "Correction of this page: “NAV at quarter end was 184,000,000 USD.” was wrong.\n"

    assert sort(old, new, "NAV at quarter end was 184,000,000 USD.") == ("changed", "NAV at quarter end was 179,500,000 USD.")


def test_a_paragraph_at_another_place_moved():
    first, second = "This paragraph speaks of retries and of how often they are made.", "That one is about the office, which is in Lyon."
    assert sort(f"{first}\n\n{second}\n", f"{second}\n\n{first}\n", first) == ("moved", first)
    assert sort(f"{first}\n\n{second}\n", f"{second}\n\n{first}\n", second) == ("moved", second)


def test_lines_broken_elsewhere_are_cosmetic():
    assert sort("It lasts for thirty days\nafter notice.", "It lasts for\nthirty  days after notice.", "thirty days\nafter") == ("cosmetic", "thirty  days after")
    assert sort("a b c in a line of text here", "x\na b\u00a0c in a line of text here", "a b c in a line") == ("cosmetic", "a b\u00a0c in a line")


def test_a_space_that_is_gone_is_no_cosmetic_change():
    assert sort("The sum of 1 000 EUR is due.", "The sum of 1000 EUR is due.", "1 000 EUR")[0] == "changed"


def test_what_was_left_out_is_gone_and_what_stays_alike_is_proposed():
    old = "Alpha is first here.\nBravo comes in the second place of them all.\nCharlie is third here.\n"

    assert sort(old, "Alpha is first here.\nCharlie is third here.\n", "Bravo comes in the second place of them all.") == ("gone", None)
    fate, there = sort(old, old.replace("second", "other"), "Bravo comes in the second place of them all.")
    assert (fate, there) == ("changed", "Bravo comes in the other place of them all.")


@pytest.mark.parametrize("quote", [
    "ne\u0301e a\u0300 Lyon", "👩‍👩‍👧 famille 👍🏽", "מחיר 184 שקל", "السعر ١٨٤ ريال", "净值为一亿八千四百万美元", "e\u0301", "ZWJ\u200djoined",
])  # fmt: skip
def test_positions_are_code_points(quote):
    old = f"Première ligne 🙂 du texte.\nVoici: {quote}; et la suite du texte ici.\nFin \u202Edu\u202C document.\n"
    new = f"Ligne nouvelle 🙃🙃 ci-dessus.\n{old}"

    assert sort(old, new, quote) == ("moved", quote)
    assert sort(old, old, quote) == ("unchanged", quote)


def test_a_sentence_left_out_beside_a_changed_one_did_not_become_its_full_stop():
    old = "NAV at quarter end was 184,000,000 USD.\nThe office is in Lyon.\n"
    new = "NAV at quarter end was 176,000,000 USD.\n"

    assert sort(old, new, "The office is in Lyon.") == ("gone", None)
    assert sort(old, new, "184,000,000 USD") == ("changed", "176,000,000 USD")
    assert sort("a — b", "a - b", "—") == ("changed", "-")


def test_another_normal_form_is_another_text():
    assert sort("Le mot cafe\u0301 est ici.", "Le mot caf\u00e9 est ici.", "cafe\u0301")[0] == "changed"


def test_part_of_a_word_is_followed():
    assert sort("The rate EURUSD was fixed today.", "New: the rate was. The rate EURUSD was fixed today.", "USD") == ("moved", "USD")
    assert sort("The rate EURUSD was fixed today.", "The rate EURJPY was fixed today.", "USD")[0] == "changed"


def test_the_worst_of_several_decides():
    assert worst([Fate.MOVED, Fate.CHANGED, Fate.COSMETIC]) is Fate.CHANGED


TEXTS = st.lists(st.sampled_from(["alpha", "beta", "10", "20", "|", "é", "\n", "  ", "名", "."]), max_size=60).map(" ".join)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(old=TEXTS, new=TEXTS)
def test_words_are_matched_one_to_one_and_only_with_equal_ones(old, new):
    found = align(old, new)

    for n, place in enumerate(found.to):
        if place != UNMATCHED:
            assert found.back[place] == n
            assert found.old.codes[n] == found.new.codes[place]
    assert sum(place != UNMATCHED for place in found.to) == sum(place != UNMATCHED for place in found.back)
    assert found.new.folded == " ".join(new.split())


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(old=TEXTS, new=TEXTS, places=st.tuples(st.integers(0, 200), st.integers(1, 20)))
def test_what_is_carried_over_is_equal_after_collapsing_white_space(old, new, places):
    start, end = places[0], min(places[0] + places[1], len(old))
    if start >= end:
        return
    found = Sorter(old, new).sort(start, end)
    if found.fate in CARRIED:
        assert new[found.start : found.end].split() == old[start:end].split()
        assert (new[found.start : found.end] == old[start:end]) == (found.fate is not Fate.COSMETIC)
        assert (found.fate is Fate.UNCHANGED) <= (found.start == start)
    elif found.start is not None:
        assert 0 <= found.start < found.end <= len(new)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 10_000), edits=st.integers(0, 12))
def test_every_line_that_was_not_touched_carries_over_and_every_edited_one_does_not(seed, edits):
    chance = random.Random(seed)
    lines = [f"Clause {n} says that party {chance.randint(1, 9)} pays {chance.randint(100, 999)} within {chance.randint(10, 90)} days." for n in range(60)]
    edited = set(chance.sample(range(60), edits))
    new = [line.replace("pays", "shall never pay") if n in edited else line for n, line in enumerate(lines)]
    at = chance.randrange(61)
    new[at:at] = ["A clause that is new."] * chance.randint(0, 2)
    sorter, start = Sorter("\n".join(lines), "\n".join(new)), 0
    for n, line in enumerate(lines):
        assert (sorter.sort(start, start + len(line)).fate in CARRIED) == (n not in edited)
        start += len(line) + 1


# --- bindings of every form ------------------------------------------------------------------------------------------


def check_carried(found, new):
    """What is carried over really stands where its new binding says."""
    if found.fate in CARRIED:
        assert locate_in(found.after, new).ok
    return found.fate.value, found.after


def test_lines_stay_lines():
    old, new = captured("one\ntwo lines of\ntext here\nfour\n"), captured("zero\none\ntwo lines of\ntext here\nfour\n")
    binding = Binding("E", {"line_start": 2, "line_end": 3}, "two lines of\ntext here")

    assert check_carried(PassageSorter(old, new, "N").sort(binding), new) == ("moved", Binding("N", {"line_start": 3, "line_end": 4}, "two lines of\ntext here"))
    joined = captured("zero\none\ntwo lines of text here\nfour\n")
    assert check_carried(PassageSorter(old, joined, "N").sort(binding), joined) == ("cosmetic", Binding("N", {"line_start": 3, "line_end": 3}, "two lines of text here"))


def test_a_quote_without_a_place_gets_one_only_where_it_needs_it():
    old = captured("The office is in Lyon.\nEnd.")
    plain, doubled = captured("New.\nThe office is in Lyon.\nEnd."), captured("It was said: in Lyon.\nThe office is in Lyon.\nEnd.")

    assert check_carried(PassageSorter(old, plain, "N").sort(Binding("E", None, "in Lyon.")), plain) == ("moved", Binding("N", None, "in Lyon."))
    fate, after = check_carried(PassageSorter(old, doubled, "N").sort(Binding("E", None, "in Lyon.")), doubled)
    assert (fate, after.span) == ("moved", {"start": 36, "end": 44})


def pages(*texts):
    starts, text = [], ""
    for n, one in enumerate(texts):
        text += "\n\n" if n else ""
        starts.append(len(text))
        text += one
    return captured(b"%PDF " + text.encode(), "application/pdf", make_rendition(text, tuple(starts), "pdfium", "1"))


def test_a_passage_on_a_page_gets_the_page_it_is_on_then():
    old, new = pages("Title page", "The NAV was 184 USD at the end."), pages("Title page", "A page that was not there", "Now: The NAV was 184 USD at the end.")
    binding = Binding("E", {"page": 2, "start": 4, "end": 19}, "NAV was 184 USD")

    assert check_carried(PassageSorter(old, new, "N").sort(binding), new) == ("moved", Binding("N", {"page": 3, "start": 9, "end": 24}, "NAV was 184 USD"))
    longer = pages("Title page with more words on it", "The NAV was 184 USD at the end.")
    assert check_carried(PassageSorter(old, longer, "N").sort(binding), longer)[0] == "unchanged"
    plain = captured("The NAV was 184 USD at the end.")
    assert check_carried(PassageSorter(old, plain, "N").sort(binding), plain) == ("moved", Binding("N", {"start": 4, "end": 19}, "NAV was 184 USD"))


OLD_JSON = {"as_of": "2026-03-31", "funds": [{"id": "A", "nav": 10, "city": "Lyon"}, {"id": "B", "nav": 10, "city": "Paris"}], "tags": ["x", "y"], "a/b": 1}


def pointed(new, pointer, quote, media_type="application/json"):
    old, then = captured(json.dumps(OLD_JSON), media_type), captured(json.dumps(new, indent=2), media_type)
    found = check_carried(PassageSorter(old, then, "N").sort(Binding("E", {"pointer": pointer}, quote)), then)
    return found[0], None if found[1] is None else found[1].span["pointer"]


def test_a_value_is_found_by_what_its_element_is():
    inserted = {**OLD_JSON, "funds": [{"id": "Z", "nav": 10, "city": "Rome"}, *OLD_JSON["funds"]]}
    swapped = {**OLD_JSON, "funds": [{"id": "B", "nav": 11, "city": "Paris"}, {"id": "A", "nav": 10, "city": "Lyon"}]}

    assert pointed(inserted, "/funds/0/nav", "10") == ("moved", "/funds/1/nav")
    assert pointed(swapped, "/funds/0/nav", "10") == ("moved", "/funds/1/nav")
    assert pointed(swapped, "/funds/1/nav", "10") == ("changed", "/funds/0/nav")
    assert pointed({**OLD_JSON, "funds": OLD_JSON["funds"][1:]}, "/funds/0/nav", "10") == ("gone", None)
    assert pointed({**OLD_JSON, "as_of": "2026-06-30"}, "/funds/1/city", '"Paris"') == ("unchanged", "/funds/1/city")
    assert pointed({**OLD_JSON, "tags": ["w", "x", "y"]}, "/tags/1", '"y"') == ("moved", "/tags/2")
    assert pointed({**OLD_JSON, "as_of": " 2026-03-31\n"}, "/as_of", '"2026-03-31"') == ("cosmetic", "/as_of")
    assert pointed({**OLD_JSON, "a/b": 2}, "/a~1b", "1") == ("changed", "/a~1b")
    assert pointed(OLD_JSON, "/funds/1/nav", "10", "application/vnd.observation+json") == ("unchanged", "/funds/1/nav")


def test_html_bound_in_its_markup_is_sorted_there():
    def html(text):
        return captured(text, "text/html", make_rendition("NAV is 184 USD at the end", None, "html", "1"))

    old, new = html("<p>NAV is <b>184 USD</b> at the end</p>"), html("<div></div><p>NAV is <b>184 USD</b> at the end</p>")
    start = 10

    fate, after = check_carried(PassageSorter(old, new, "N").sort(Binding("E", {"start": start, "end": start + 10}, "<b>184 USD")), new)

    assert (fate, after.quote) == ("moved", "<b>184 USD")


def test_a_quote_that_never_stood_where_it_says_is_proposed_at_most():
    old, new = captured("One two three."), captured("One two three four.")

    found = PassageSorter(old, new, "N").sort(Binding("E", {"start": 0, "end": 3}, "three"))

    assert (found.fate, found.after.quote, found.carried) == (Fate.CHANGED, "three", False)


def test_what_is_no_text_has_no_passages():
    assert PassageSorter(captured(b"\xff\xfe\x00"), captured("text"), "N").sort(Binding("E", {"start": 0, "end": 1}, "x")).fate is Fate.GONE


def test_html_of_one_line_is_sorted_by_what_people_read_around_a_passage():
    def html(text):
        return captured(text, "text/html", render(text.encode(), "text/html"))

    old = html("<h1>Fees</h1><p>The fee is 12 euros.</p><p>Offices are in <b>Lyon</b>.</p><p>12 euros in all.</p>")
    new = html("<h1>Fees</h1><p>The fee is 15 euros.</p><p>Offices are in <b>Lyon</b>.</p><p>12 pounds in all.</p>")
    marked = html(old.markup.replace("<b>Lyon</b>", "<i>Lyon</i>"))

    def fate(quote, at, then=new):
        return check_carried(PassageSorter(old, then, "N").sort(Binding("E", {"start": at, "end": at + len(quote)}, quote)), then)[0]

    office, fee = old.markup.index("Offices"), old.markup.index("12 euros")
    assert fate("Offices are in <b>Lyon</b>.", office) == "unchanged"
    assert fate("<p>Offices are in", office - 3) == "unchanged"
    assert fate("12 euros", fee) == "changed"
    assert fate("12 euros", old.markup.rindex("12 euros")) == "changed"
    assert fate("Offices are in <b>Lyon</b>.", office, marked) == "changed"


def test_versions_of_more_words_than_can_be_compared_soon_are_refused_before_they_are():
    long = "a " * (MOST_WORDS // 2)
    with pytest.raises(Refusal, match="3,000,001 words; at most 3,000,000"):
        Sorter(long, f"{long}a")
