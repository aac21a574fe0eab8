"""A passage never ends inside a word or a figure."""

import pytest

from store.domain.marking import whole_words


@pytest.mark.parametrize(
    ("text", "found", "like", "whole"),
    [
        ("NAV was 181,900,000 USD.", "181,900", "", "181,900,000"),
        ("NAV was 181,900,000 USD.", "900", "", "181,900,000"),
        ("grew by 3.75 percent", "3", "", "3.75"),
        ("| NAV | 181,900,000 |\n", "| NAV | 181,9", "| NAV | 179,500,000 |", "| NAV | 181,900,000 |"),
        ("It rose by 4.", "by 4", "", "by 4"),
        ("The restated office is in Lyon.", "stated off", "The office is in Lyon.", "restated office"),
        ("净值为 8,640 万美元。", "净值为 8", "", "净值为 8,640"),
        ("one, two", "one", "", "one"),
    ],
)
def test_a_passage_grows_to_whole_words(text, found, like, whole):
    start = text.index(found)
    one, two = whole_words(text, start, start + len(found), like)
    assert text[one:two] == whole


def test_a_word_without_end_is_left_cut():
    assert whole_words("x" * 500, 100, 200) == (100, 200)
