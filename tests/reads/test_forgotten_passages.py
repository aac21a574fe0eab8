"""Passages a request would black out, before it is made: with the text around them, what falls with them, and what the person may not see."""

from store import Wanted, count_kept_backups, foresee_passages, preview_deletion
from tests.builders import QUOTE, TENANT, accepted, evidence, given, passage, person, refused, source


def test_a_passage_stands_between_what_is_around_it_and_names_the_claims_that_fall(desk):
    given(desk, accepted("A", "x"), accepted("B", "y", predicate="other"))
    found = foresee_passages(desk, "adam", TENANT, ["A"])

    (document,) = found.documents
    (passage,) = document.passages
    assert (passage.words, document.id, document.whole) == (QUOTE, "E1", False)
    assert passage.after.startswith("\n")
    assert [one.id for one in found.falling] == ["B"]
    assert found.falling_total == 1
    assert [target.id for target in preview_deletion(desk, "adam", TENANT, Wanted(("A",)), rows=0).targets] == ["A"]


def test_passages_left_readable_are_not_counted_and_nothing_falls_for_them(desk):
    given(desk, accepted("A", "x"), accepted("B", "y", predicate="other"))
    found = foresee_passages(desk, "adam", TENANT, ["A"], keep=["E1"])

    assert (found.total, found.documents, found.falling_total, list(found.kept)) == (0, (), 0, ["E1"])


def test_a_version_in_a_scope_one_may_not_see_is_counted_and_not_shown(desk):
    given(desk, person("ada", "admin", "acme/here"), source("S9", scope="acme/there"), evidence("E9", "S9"))
    given(desk, accepted("C", "x", scope="acme/here", evidence=[{"evidence": "E9", "span": None, "quote": QUOTE}]))
    found = foresee_passages(desk, "ada", TENANT, ["C"])

    assert (found.total, found.hidden, found.documents) == (1, 1, ())


def test_another_tenant_is_not_there(desk):
    with refused("not_found"):
        foresee_passages(desk, "adam", "nobody", ["A"])
    assert count_kept_backups(desk, "adam", "nobody").count == 0


def test_passages_near_each_other_share_the_text_between_them_and_nothing_of_it_stands_twice(desk):
    text = "".join(f"Sentence number {n} of the chat. " for n in range(60))
    quotes = {"A": "Sentence number 2 of the chat.", "B": "Sentence number 4 of the chat.", "C": "number 4 of the chat. Sentence number 5", "D": "Sentence number 50 of the chat."}
    given(desk, source("S9"), evidence("E9", "S9", text))
    given(desk, *[accepted(id_, "x", predicate=id_.lower(), evidence=[passage(quote, "E9", text)]) for id_, quote in quotes.items()])

    (document,) = foresee_passages(desk, "adam", TENANT, list(quotes)).documents

    assert [one.joined for one in document.passages] == [False, True, False]
    near = "".join(one.before + one.words + one.after for one in document.passages[:2])
    assert near in text
    assert [one.words for one in document.passages] == [quotes["A"], f"{quotes['B']} Sentence number 5", quotes["D"]]
    assert [(one.cut_before, one.cut_after) for one in document.passages] == [(False, False), (False, True), (True, True)]
