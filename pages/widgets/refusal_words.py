"""What the store says where it refuses: its own words, in which a record is named by what it says and is a link, not only an id."""

from __future__ import annotations

import re

from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, record_link
from pages.widgets.language import quote_store
from pages.widgets.markup import Markup, join, tag
from store import Refusal, describe_picks

#: What may be an id: no word as sentences are made of, and no number.
_ID = re.compile(r"(?!(?:[A-Z]?[a-z]+|[\d,.]+)[.,:;]?(?:\s|$))[^\s,;()“”\"']*[^\s,;()“”\"'.:]")
_MOST = 40


def say_refusal(desk: Desk, tenant: str, message: str) -> Markup:
    """Return why something was refused; ids of what the person may not see stay as they are."""
    ids = list(dict.fromkeys(found.group() for found in _ID.finditer(message)))[:_MOST]
    try:
        named = describe_picks(desk.store, desk.person, tenant, ids) if ids else {}
    except Refusal:
        named = {}
    parts: list[Markup] = []
    at = 0
    for found in _ID.finditer(message):
        pick = named.get(found.group())
        if pick is not None and pick.kind != "source":
            parts += [quote_store(message[at : found.start()]), tag("span", "“", record_link(pick.id, tenant, shorten(pick.title, 90)), "”")]
            at = found.end()
    return join((*parts, quote_store(message[at:])))
