"""A passage with the words around it: what is marked stands in sight at once, however short the lines before it are."""

import json

from store.domain.excerpt import LINES_BEFORE, cut_out, look_at
from store.domain.records import Binding
from store.domain.spans import CapturedText

LINES = [f"- 3.{n}" for n in range(60)]
QUOTE = "withdrawn on 9 September"


def test_no_more_than_some_lines_stand_before_a_passage():
    text = "\n".join([*LINES, f"state: {QUOTE}", "and on."])
    start = text.index(QUOTE)

    found = cut_out(text, start, start + len(QUOTE))

    assert (found.passage, found.cut_before, found.line_start) == (QUOTE, True, 61)
    assert found.before.splitlines() == [*LINES[-LINES_BEFORE:], "state: "]


def test_nothing_is_cut_where_so_few_lines_stand_before_it():
    text = "\n".join([*LINES[:LINES_BEFORE], QUOTE])
    found = cut_out(text, text.index(QUOTE), len(text))

    assert (found.before + found.passage, found.cut_before) == (text, False)


def test_of_data_as_few_lines_stand_before_a_value():
    content = json.dumps({**{f"m{n:02d}": n for n in range(40)}, "state": QUOTE})
    look = look_at(Binding("E1", {"pointer": "/state"}, QUOTE), CapturedText(content.encode(), "", "application/json"))

    assert look.shown is not None
    assert look.shown.passage == json.dumps(QUOTE)
    assert look.shown.cut_before
    assert look.shown.before.splitlines()[-1] == '  "state": '
    assert len(look.shown.before.splitlines()) == LINES_BEFORE + 1
