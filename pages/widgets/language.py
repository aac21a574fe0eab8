"""The one catalogue of what the screens say: English in the code, every other language a file (GNU gettext).

A sentence is written whole, with named places, so that another language may order it as it likes. `CLAIMDESK_LANGUAGE`
names the language; its file is `locale/LANGUAGE/LC_MESSAGES/claimdesk.mo`, made from the `.po` beside it.
"""

from __future__ import annotations

import gettext
import os
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from pages.widgets.markup import Markup, join

_LOCALE = Path(__file__).with_name("locale")
_DOMAIN = "claimdesk"


@cache
def _translations(language: str, folder: str) -> gettext.NullTranslations:
    return gettext.translation(_DOMAIN, folder, [language] if language else [], fallback=True)


def _chosen() -> gettext.NullTranslations:
    return _translations(os.environ.get("CLAIMDESK_LANGUAGE", ""), os.environ.get("CLAIMDESK_LOCALE", str(_LOCALE)))


def say(text: str, /, **values: Any) -> str:
    """Return a sentence in the language of the desk, with values in its places: `say("{n} wait", n=3)`."""
    found = _chosen().gettext(text)
    return found.format(**values) if values else found


def say_count(one: str, many: str, n: int, /, **values: Any) -> str:
    """Return the sentence for one or for several; `{n}` stands for the number with thousands marked."""
    return _chosen().ngettext(one, many, n).format(n=f"{n:,}", **values)


def phrase(text: str, /, **pieces: Any) -> Markup:
    """Return a sentence as markup, with pieces in its places: texts are escaped, markup stays.

    `phrase("{nothing} before you have seen it.", nothing=tag("b", say("Nothing changes")))`
    """
    return _fill(_chosen().gettext(text), pieces)


def phrase_count(one: str, many: str, n: int, /, **pieces: Any) -> Markup:
    """Return the sentence for one or for several as markup; `{n}` is the number unless a piece of that name is given."""
    return _fill(_chosen().ngettext(one, many, n), {"n": f"{n:,}", **pieces})


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
