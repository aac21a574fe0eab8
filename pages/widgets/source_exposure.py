"""What hangs on a source, as four figures, each a link to its list where there is one."""

from __future__ import annotations

from pages.widgets.desk import address
from pages.widgets.language import later, number, phrase, phrase_count, say
from pages.widgets.markup import Markup, tag
from pages.widgets.source_place import Place
from store import EXTRACTOR_ORDERS, SOURCES_ORDERS, Figures, SourceView

#: figure -> (head of its column, what is counted)
WORDS = {
    "reach": (later("Rest on it"), later("Claims, candidates and artifacts that rest on any of its versions, directly or not. The versions are not counted.")),
    "delivered": (later("Delivered"), later("Delivered artifacts among what rests on it")),
    "owners": (later("Owners"), later("Different owners of the artifacts among what rests on it")),
    "sole": (later("No other support"), later("Claims and artifacts in use that would have no independent source left without it")),
}
#: figure -> the list of a preview that holds it
_TABS = {"reach": "affected", "delivered": "delivered"}


def figure(its: Figures, name: str, source: str, tenant: str, scope: str | None, *, link: bool) -> Markup:
    """Return one figure; with `link`, as a link to what withdrawing the source would reach."""
    count = int(getattr(its, name))
    if not count:
        return tag("span", "–", cls="cd-muted")
    if not link or name not in _TABS:
        return tag("span", number(count))
    href = address("revoke", pick=source, tenant=tenant, do="revoke", tab=_TABS[name], scope=scope)
    return tag("a", number(count), cls="cd-link", href=href, title=say("See it in a preview of withdrawing the source; nothing changes"))


def narrow_label(word: str) -> Markup:
    """Return what a figure counts, said in its cell where the table is drawn without its head because there is no room."""
    return tag("span", say(word), cls="cs-says")


def exposure_line(view: SourceView, place: Place) -> Markup:
    """Return what hangs on a source as one line, and what is counted."""
    its, standing = view.exposure, any(one.status in ("ACCEPTED", "DISPUTED") for one in view.versions)
    if not its.reach:
        return tag("div", phrase("Nothing rests on it yet."), cls="cd-muted cd-small")

    def shown(name: str) -> Markup:
        return tag("b", figure(its, name, view.id, view.tenant, place.scope, link=view.may_look and standing) if getattr(its, name) else number(0))

    parts = [
        tag("span", phrase_count("{n} record rests on it", "{n} records rest on it", its.reach, n=shown("reach")), title=say(WORDS["reach"][1])),
        tag("span", phrase_count("{n} delivered", "{n} delivered", its.delivered, n=shown("delivered")), title=say(WORDS["delivered"][1])),
        tag("span", phrase_count("{n} owner of artifacts", "{n} owners of artifacts", its.owners, n=shown("owners")), title=say(WORDS["owners"][1])),
        tag("span", phrase_count("{n} with no other support", "{n} with no other support", its.sole, n=shown("sole")), title=say(WORDS["sole"][1])),
    ]
    return tag("div", *parts, cls="cd-counts")


def views(place: Place) -> Markup:
    """Return the two ways to look at sources."""
    links = [
        tag("a", say("By source"), cls="cd-link cd-verb" if place.view else "cd-link cd-verb cd-here", href=place.link(view="", order=SOURCES_ORDERS[0])),
        tag("a", say("By what read them"), cls="cd-link cd-verb cd-here" if place.view else "cd-link cd-verb", href=Place(view="extractors", order=EXTRACTOR_ORDERS[0], scope=place.scope).link()),
    ]
    return tag("nav", *links, cls="cd-verbs", label=say("How to look at sources"))
