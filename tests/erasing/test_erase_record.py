"""What is left of records that were erased."""

from tests.builders import accepted, artifact, dump, find, given, is_sound
from tests.erasing.marked import MARK, forget, ids_of, marked


def places(store, word):
    """The tables that hold a word, with how many of their rows do."""
    found = {}
    for name, rows in dump(store).items():
        if name != "search_text" and (count := sum(word.casefold() in row.casefold() for row in rows)):
            found[name] = count
    return found


def test_nothing_a_record_said_is_left_in_any_table(desk):
    given(desk, *marked(MARK))
    assert len(places(desk, MARK)) > 8

    forget(desk, *ids_of(MARK))

    assert places(desk, MARK) == {}
    assert find(desk, MARK, by="operator") == []
    assert is_sound(desk)


def test_what_rests_on_an_erased_record_keeps_its_content_under_a_hash_of_its_own(desk):
    given(desk, *marked(MARK), accepted("BELOW", "other words", on=f"C-{MARK}"), artifact("PAPER", "BELOW"))

    forget(desk, *ids_of(MARK))

    assert places(desk, MARK) == {}
