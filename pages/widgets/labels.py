"""Texts from outside in the labels of widgets: labels are Markdown and nothing else, so its marks are taken out of force, one by one.

A label is also what is read to somebody who does not see it, word for word. So nothing is marked that does no harm where it stands,
and most of what does is parted by a character without width; only what cannot be parted gets a backslash.
"""

from __future__ import annotations

import re

from store import show_invisible

#: A character without width that parts and joins nothing: word joiner.
JOINER = "\u2060"
#: Where a mark begins or goes on, and is none once something stands between: directives and icons `:name`, `:smile:`; links `](`, `]:`, `http://`, `www.`, `a@b`;
#: tags `<a`; entities `&amp;`.
_PARTED = re.compile(
    r"(?<=:)(?=[A-Za-z])|(?<=:)(?=[\w+-]+:)|(?<=\])(?=[(:\[])|(?<=:)(?=//)|(?<=[Ww]{3})(?=\.)|(?<=\S@)(?=\S)|(?<=<)(?=[A-Za-z/!?])|(?<=&)(?=#?\w+;)"
)  # fmt: skip
#: Arrows and signs that Streamlit draws as one character where they stand alone.
_SIGNS = re.compile(r"(?<!\S)([<>~-])(?=(?:->|[-=>])(?!\S))")
#: What is in force wherever it stands, so that only a backslash takes that away: emphasis, struck out, code, a backslash before a mark, `:name[…]`; a formula between two dollars.
_MARKS = re.compile(r"[*~`]|(?<![^\W_])_|_(?![^\W_])|\\(?=[!-/:-@\[-`{-~])|:(?=[\w-]+[\[{])")
_READ = 400


def label_text(text: str, most: int = 60) -> str:
    """Return a text from outside so that the label of a widget shows it as it is, in one line.

    Args:
        most: characters that are shown; what is cut is told by an ellipsis.
    """
    found = _MARKS.sub(r"\\\g<0>", _SIGNS.sub(rf"\1{JOINER}", option_text(text, most)))
    if found.count("$") > 1:
        found = found.replace("$", r"\$")
    found = _PARTED.sub(JOINER, found)
    # At the beginning of a line a mark makes a heading, a list, a quote or a rule.
    return found if not found or found[0].isalnum() or found[0] == "\\" else JOINER + found


def option_text(text: str, most: int = 60) -> str:
    """Return a text from outside for a list to choose from, or the hint of a field: these are no Markdown. In one line, nothing in it invisible."""
    found = show_invisible(" ".join(text[: max(_READ, most)].split()))
    return found if len(found) <= most else found[: most - 1].rstrip() + "…"
