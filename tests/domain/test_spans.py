"""A quote must stand where its span says, code point for code point; a JSON pointer is compared as JSON (R6)."""

import pytest

from store.domain.records import Binding
from store.domain.spans import find_quote, locate
from store.domain.text import digest_bytes

TEXT = "First line.\n年报 says 🚀👩‍🚀 go.\nCafé or Cafe\u0301?\n"


def holds(span, quote, text=TEXT, media_type="text/plain"):
    content = text.encode()
    found = locate(Binding("E1", span, quote), content, digest_bytes(content), media_type)
    assert found.message.endswith((".", "”"))
    return found.ok


def span_of(quote, text=TEXT):
    return {"start": text.index(quote), "end": text.index(quote) + len(quote)}


@pytest.mark.parametrize("quote", ["First line.", "年报", "🚀", "👩‍🚀 go.", "Café", "Cafe\u0301?", "line.\n年"])
def test_positions_count_code_points_not_bytes_and_not_utf16_units(quote):
    assert holds(span_of(quote), quote)


def test_a_position_counted_in_utf16_units_is_off_after_an_astral_character():
    right = span_of(" go.")
    units = {"start": right["start"] + 2, "end": right["end"] + 2}

    assert not holds(units, " go.")


@pytest.mark.parametrize("quote", ["first line.", "Cafe?", "Cafe\u0301", "年報", "First line. "])
def test_a_quote_that_differs_by_one_code_point_is_not_there(quote):
    assert not holds({"start": 0, "end": len(quote)}, quote)


def test_composed_and_decomposed_letters_are_different_quotes():
    assert not holds(span_of("Café"), "Cafe\u0301")


@pytest.mark.parametrize(
    "span",
    [
        {"start": 3, "end": 3}, {"start": 5, "end": 2}, {"start": -3, "end": 4}, {"start": 0, "end": 10_000}, {"start": "0", "end": 5}, {"start": True, "end": 5},
        {"start": 0}, {"end": 5}, {"start": 0.0, "end": 11.0}, {}, {"line_start": 0, "line_end": 1}, {"line_start": 9, "line_end": 9}, {"line_start": 2, "line_end": 1},
        {"start": 2**70, "end": 2**71},
    ],
    ids=repr,
)  # fmt: skip
def test_a_span_that_names_no_passage_holds_no_quote(span):
    assert not holds(span, "First line.")


@pytest.mark.parametrize("span", [{"start": 5, "end": 2}, {"start": 3, "end": 3}], ids=repr)
def test_a_span_that_ends_before_it_begins_is_said_to(span):
    found = locate(Binding("E1", span, "First line."), TEXT.encode(), digest_bytes(TEXT.encode()), "text/plain")

    assert found.message == f"The span {span['start']}-{span['end']} ends before it begins, so nothing stands in it. Amend the span."


def test_a_span_without_quote_proves_nothing():
    assert not holds({"start": 0, "end": 5}, None)
    assert not holds({"start": 0, "end": 5}, "")


@pytest.mark.parametrize(
    ("lines", "quote", "there"),
    [
        ((1, 1), "First line.", True),
        ((1, 1), "First line.\n", True),
        ((1, 2), "First line.\n年报 says 🚀👩‍🚀 go.", True),
        ((3, 3), "Café or Cafe\u0301?", True),
        ((1, 1), "First", False),
        ((2, 2), "First line.", False),
    ],
)
def test_line_spans_hold_whole_lines(lines, quote, there):
    assert holds({"line_start": lines[0], "line_end": lines[1]}, quote) is there


def test_the_last_line_may_lack_its_end():
    assert holds({"line_start": 2, "line_end": 2}, "b", "a\nb")


DOCUMENT = '{"a": {"b": [1, {"c/d": "x", "e~f": null}], "": "empty"}, "list": [10, 20], "text": "年报"}'


@pytest.mark.parametrize(
    ("pointer", "quote", "there"),
    [
        ("/a/b/0", "1", True),
        ("/a/b/1/c~1d", '"x"', True),
        ("/a/b/1/e~0f", "null", True),
        ("/a/", '"empty"', True),
        ("/list", "[10,20]", True),
        ("/list", "[ 10 , 20 ]", True),
        ("/a/b/1", '{ "e~f" : null, "c/d":"x" }', True),
        ("/text", '"\\u5e74\\u62a5"', True),
        ("", DOCUMENT, True),
        ("/list/0", '"10"', False),
        ("/list", "[20,10]", False),
        ("/list/2", "30", False),
        ("/list/-1", "20", False),
        ("/list/01", "20", False),
        ("/list/-", "20", False),
        ("/nothing", "null", False),
        ("list/0", "10", False),
        ("/text", "年报", False),
        ("/text", "", False),
        (7, "10", False),
    ],
)
def test_a_json_pointer_is_followed_and_compared_as_json(pointer, quote, there):
    assert holds({"pointer": pointer}, quote, DOCUMENT, "application/json") is there


@pytest.mark.parametrize("content", ["not json", "[" * 100_000, '{"a": NaN}', '{"a": ' + "9" * 5000 + "}"], ids=lambda text: text[:12])
def test_a_pointer_into_what_is_no_json_is_a_verdict_and_no_crash(content):
    assert not holds({"pointer": "/a"}, "NaN", content, "application/json")


def test_bytes_that_are_no_text_hold_no_quote():
    content = b"\xff\xfe\x00"

    assert not locate(Binding("E1", {"start": 0, "end": 1}, "x"), content, digest_bytes(content), "application/octet-stream").ok


def test_bytes_that_are_not_those_captured_hold_nothing():
    assert not locate(Binding("E1", {"start": 0, "end": 1}, "x"), b"x", digest_bytes(b"y"), "text/plain").ok


def test_a_quote_is_looked_for_by_code_points():
    assert find_quote("go", TEXT) == [TEXT.index("go")]
