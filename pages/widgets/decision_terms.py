"""Terms of a decision in words, before it is made."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_words import exact_day
from pages.widgets.desk import person_name
from pages.widgets.language import later, listed, phrase, say
from pages.widgets.markup import Markup

_WORDS = {
    "owner": later("owner {value}"), "review_at": later("to be looked at again on {value}"), "expires_at": later("expires on {value}"),
    "purposes": later("only for {value}"), "sensitivity": later("marked {value}"), "scope": later("only in {value}"),
}  # fmt: skip


def say_terms(sets: dict[str, Any]) -> Markup:
    """Return what terms set, as people say it."""
    found = []
    for name, words in _WORDS.items():
        if name in sets:
            value = sets[name]
            shown = exact_day(value) if name.endswith("_at") else person_name(str(value)) if name == "owner" else ", ".join(value) if isinstance(value, list) else str(value)
            found.append(phrase(words, value=shown))
    return listed(found or [say("nothing")])
