"""Text from outside is data: the invisible is shown, and no spreadsheet runs it."""

import sys
import unicodedata

import pytest

from store.domain.text import canonical_json, find_forbidden, guard_cell, show_invisible

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
#: Characters that are drawn as nothing although their category is a letter's or a mark's (Default_Ignorable_Code_Point).
IGNORABLE = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\ufe00\u3164\uffa0\U000e0100"


def test_bidirectional_controls_have_names():
    assert show_invisible("pay \u202egnp.exe") == "pay ⟦RLO⟧gnp.exe"
    assert show_invisible("a\u2066b\u2069c\u200fd") == "a⟦LRI⟧b⟦PDI⟧c⟦RLM⟧d"


def test_every_control_and_format_character_becomes_a_token():
    hidden = [ch for ch in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(ch) in ("Cc", "Cf", "Zl", "Zp") and ch not in "\n\t"]

    left = [f"U+{ord(ch):04X}" for ch in hidden if ch in show_invisible(f"a{ch}b")]
    assert left == []
    assert not set(BIDI) & set(show_invisible(BIDI))


@pytest.mark.parametrize("ch", IGNORABLE, ids=lambda ch: f"U+{ord(ch):04X}")
def test_characters_that_are_drawn_as_nothing_become_tokens(ch):
    assert ch not in show_invisible(f"pay{ch}pal")


@pytest.mark.parametrize("text", ["plain", "Zürich, 年报 – “ok”", "two\nlines\tand a tab", "👩 fine", "नमस्ते"])
def test_visible_text_stays_as_it_is(text):
    assert show_invisible(text) == text


@pytest.mark.parametrize("value", ["a\x00b", ["x", {"deep": "\ud800"}], {"\udfff": 1}, {"k": ["\x00"]}])
def test_texts_no_store_can_keep_are_named(value):
    assert find_forbidden(value) is not None


def test_other_texts_are_not_forbidden():
    assert find_forbidden(["a\u202eb", "👩", {"年报": None}, 1.5, True]) is None


TRIGGERS = ("=", "+", "-", "@", "\t", "\r")
CELLS = [
    '=HYPERLINK("http://x")', "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\u3000=1", "＝1", "＋1", "－1", "＠x", ";=1", "\ufeff=1",
    "\x0b=1", "\x0c=1", "\u2003=1", "\x85=1", "\u2028=1", "\u200a@x", "\u1680+1",
]  # fmt: skip


@pytest.mark.parametrize("cell", CELLS, ids=ascii)
def test_a_cell_never_starts_with_what_a_spreadsheet_runs(cell):
    guarded = guard_cell(cell)

    assert not guarded.startswith(TRIGGERS)
    assert not guarded.strip().startswith((*TRIGGERS, "＝", "＋", "－", "＠"))
    assert guarded.endswith(cell)


@pytest.mark.parametrize("cell", ["", "plain", "a=b", "12", "年报", "'quoted"])
def test_harmless_cells_stay_as_they_are(cell):
    assert guard_cell(cell) == cell


def test_equal_values_have_equal_canonical_text():
    assert canonical_json({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'
