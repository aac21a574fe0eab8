"""What a new session gets after a decision, in one line that opens into what was looked at."""

from __future__ import annotations

from pages.widgets.language import later, phrase, say, say_count
from pages.widgets.markup import Markup, tag
from pages.widgets.status import icon
from store import NewSession, SessionLook

_BY = {
    "read": later("Read in {asked}"), "read_by_id": later("Read {asked} by its id"), "search": later("Searched in {asked}"),
    "cached_answer": later("Read the cached answer {asked}"),
}  # fmt: skip


def draw_new_session(found: NewSession | None) -> Markup:
    """Return what a new session gets, nothing where there was nothing to look for."""
    if found is None:
        return Markup("")
    gone = ", ".join(found.gone)
    if found.ok:
        words = say("A new session does not get {gone} any more, by read, search or cached answer.", gone=gone)
        head = tag("span", words, cls="cd-teal")
    else:
        head = tag("span", say("A new session still gets {gone}. Look at it at once.", gone=gone), cls="cd-red")
    looked = say_count("{n} look", "{n} looks", len(found.looks))
    rows = list(dict.fromkeys(_row(look) for look in found.looks))
    if found.hidden:
        rows.append(tag("li", say_count("{n} cached answer lies in a scope you may not read.", "{n} cached answers lie in scopes you may not read.", found.hidden)))
    detail = tag("details", tag("summary", looked), tag("ul", *rows))
    return tag("div", tag("span", icon("verified" if found.ok else "report"), cls="cd-teal" if found.ok else "cd-red"), head, detail, cls="cm-session cd-small")


def _row(look: SessionLook) -> Markup:
    got = ", ".join(look.retrieved[:6]) or say("nothing")
    told = phrase("{did}: {result}; retrieved {got}", did=phrase(_BY[look.by], asked=tag("code", look.asked)), result=look.result, got=tag("b", got))
    return tag("li", icon("check" if look.ok else "close"), told, cls="" if look.ok else "cd-red")
