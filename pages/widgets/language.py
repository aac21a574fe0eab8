"""The one catalogue of what the screens say: English in the code, every other language a file (GNU gettext).

A sentence is written whole, with named places, so that another language may order it as it likes. `CLAIMDESK_LANGUAGE`
names the language; its file is `locale/LANGUAGE/LC_MESSAGES/claimdesk.mo`, made from the `.po` beside it, which starts as a
copy of `locale/claimdesk.pot` (`python -m tests.catalogue` writes that one from the code).

What the store says itself (why it refuses, what it checked) is English in every language; `quote_store` marks it so.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from pages.widgets.markup import Markup, join, tag

_LOCALE = str(Path(__file__).with_name("locale"))
_ENGLISH = gettext.NullTranslations()
_DOMAIN = "claimdesk"


@cache
def _translations(language: str, folder: str) -> gettext.NullTranslations:
    return gettext.translation(_DOMAIN, folder, [language], fallback=True)


def _chosen() -> gettext.NullTranslations:
    # Asked a thousand times a page, so that the usual case is one look.
    named = os.environ.get("CLAIMDESK_LANGUAGE")
    return _translations(named, os.environ.get("CLAIMDESK_LOCALE", _LOCALE)) if named else _ENGLISH


def language() -> str:
    """Return the language of the desk as HTML names it, `en` where nothing else was chosen."""
    return os.environ.get("CLAIMDESK_LANGUAGE", "").split(".")[0].replace("_", "-") or "en"


def later(text: str) -> str:
    """Return a text as it is, and list it in the catalogue: for tables of words, which pass through `say` when drawn."""
    return text


def later_count(one: str, many: str) -> tuple[str, str]:
    """Return a sentence for one and for several as they are, and list them: `say_count(*_WORDS[kind], n)`."""
    return one, many


def say(text: str, /, **values: Any) -> str:
    """Return a sentence in the language of the desk, with values in its places: `say("{n} wait", n=3)`."""
    found = _chosen().gettext(text) if text else ""
    return found.format(**values) if values else found


def say_count(one: str, many: str, n: int, /, **values: Any) -> str:
    """Return the sentence for one or for several; `{n}` stands for the number with thousands marked."""
    return _chosen().ngettext(one, many, n).format(**{"n": number(n), **values})


def phrase(text: str, /, **pieces: Any) -> Markup:
    """Return a sentence as markup, with pieces in its places: texts are escaped, markup stays.

    `phrase("{nothing} before you have seen it.", nothing=tag("b", say("Nothing changes")))`
    """
    return _fill(_chosen().gettext(text), pieces)


def phrase_count(one: str, many: str, n: int, /, **pieces: Any) -> Markup:
    """Return the sentence for one or for several as markup; `{n}` is the number unless a piece of that name is given."""
    return _fill(_chosen().ngettext(one, many, n), {"n": number(n), **pieces})


def number(n: int) -> str:
    """Return a whole number with its thousands marked."""
    return f"{n:,}".replace(",", _chosen().pgettext("between thousands", ","))


def listed(parts: Sequence[Any], most: int | None = None, total: int | None = None) -> Markup:
    """Return things one after the other: `one, two and three`, or `one, two and 7 more` where they are cut.

    Args:
        most: how many are named at most.
        total: how many there are, where `parts` are not all.
    """
    shown = list(parts[:most])
    rest = (len(parts) if total is None else total) - len(shown)
    if rest > 0:
        return phrase("{some} and {n} more", some=join(shown, say(", ")), n=number(rest))
    if len(shown) < 2:
        return join(shown)
    return phrase("{some} and {last}", some=join(shown[:-1], say(", ")), last=shown[-1])


def quote_store(text: str) -> Markup:
    """Return what the store says in its own words, which are English: marked as such on a desk in another language."""
    return tag("span", text, lang=None if language() == "en" else "en")


def _fill(sentence: str, pieces: dict[str, Any]) -> Markup:
    parts: list[Any] = []
    for text, name, _, _ in _parse(sentence):
        parts.append(text)
        if name is not None:
            parts.append(pieces[name])
    return join(parts)


@cache
def _parse(sentence: str) -> tuple[tuple[str, str | None, str | None, str | None], ...]:
    return tuple(Formatter().parse(sentence))
