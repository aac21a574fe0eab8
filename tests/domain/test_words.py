"""A text is found by its words, and Chinese by every pair of characters."""

import pytest

from store.domain.words import flatten, split_words


def found(query, text):
    return set(split_words(query, query=True)) <= set(split_words(text))


@pytest.mark.parametrize("query", ["年报", "公司", "司年", "公司年报", "2026"])
def test_two_character_chinese_words_are_found_inside_a_run(query):
    assert found(query, "公司年报2026年版")


@pytest.mark.parametrize("query", ["报年", "季报", "子公"])
def test_characters_that_do_not_stand_together_are_not_found(query):
    assert not found(query, "公司年报2026年版")


def test_a_single_chinese_character_is_found():
    assert found("报", "公司年报")


@pytest.mark.parametrize(("query", "text"), [("LYON", "in Lyon"), ("ｌｙｏｎ", "Lyon"), ("straße", "STRASSE"), ("184", "184,000,000 USD"), ("カナ", "カタカナ"), ("한국", "한국어")])
def test_case_and_width_do_not_matter(query, text):
    assert found(query, text)


def test_a_text_of_signs_has_no_words():
    assert split_words("!!! --- ???", query=True) == []


def test_every_text_and_number_of_a_value_can_be_found():
    words = split_words(flatten({"amount": 184000000, "currency": "USD", "parts": [["年报", None], {"deep": True}]}))

    assert {"amount", "184000000", "usd", "年报", "deep"} <= set(words)
