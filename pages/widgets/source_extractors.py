"""The table of extractors: what each version proposed, and how much of it was rejected or corrected later."""

from __future__ import annotations

from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, attempt
from pages.widgets.language import later, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.plan_state import made_address
from pages.widgets.source_exposure import narrow_label, views
from pages.widgets.source_place import Place
from pages.widgets.status import icon
from store import ExtractorRow, ExtractorTable, Verb, measure_extractors

#: order -> (head of the column, what is counted)
_HEADS = {
    "name": (later("Extractor"), later("Method and version that the claims say they were extracted by")),
    "proposed": (later("Proposed"), later("All claims it made, whatever became of them")),
    "accepted": (later("Accepted"), later("Claims that were accepted at some time, whatever they are now")),
    "rejected": (later("Rejected"), later("Claims that are rejected now; the share is of what was accepted or rejected")),
    "corrected": (later("Corrected later"), later("Claims that needed re-validation, were superseded or revoked after they had been accepted; the share is of what was accepted")),
}
_ROUTES = {
    "rejected": later("{n} wrong"), "session_only": later("{n} for one task only"),
    "not_durable": later("{n} not lasting"), "sensitive": later("{n} sensitive"), "": later("{n} without a reason kept"),
}  # fmt: skip


def draw_extractors(desk: Desk, place: Place) -> None:
    """Draw the table of extractors."""
    draw(tag("h1", say("Sources"), cls="cd-title"))
    found = attempt(lambda: measure_extractors(desk.store, desk.person, scope=place.scope, order=place.order))
    if found is None:
        return
    draw(views(place))
    draw(tag("p", _lead(found), cls="cd-lead"))
    if not found.rows:
        draw(tag("div", tag("b", say("No extractor made anything you may see.")), say("Claims name their extractor when they are proposed."), cls="cd-empty"))
        return
    several = len({row.tenant for row in found.rows}) > 1
    head = tag("tr", *(_head(name, place) for name in _HEADS), tag("th", say("What to do")))
    table = tag("table", tag("thead", head), tag("tbody", *(_row(row, place, several) for row in found.rows)), cls="cd-table cs-list cs-cards cs-readers")
    hidden = say_count("{n} claim lies where you do not see everything and is not counted.", "{n} claims lie where you do not see everything and are not counted.", found.hidden)
    draw(tag("div", table, cls="cd-scroll"), tag("p", hidden, cls="cd-muted cd-small") if found.hidden else None)


def _lead(found: ExtractorTable) -> Markup:
    accepted, corrected = (sum(getattr(row, name) for row in found.rows) for name in ("accepted", "corrected"))
    if not accepted:
        return phrase("What each extractor proposed, and what became of it.")
    return phrase_count(
        "{corrected} of {n} claim that was accepted had to be corrected later.", "{corrected} of {n} claims that were accepted had to be corrected later.",
        accepted, corrected=tag("b", number(corrected)),
    )  # fmt: skip


def _head(name: str, place: Place) -> Markup:
    word, means = _HEADS[name]
    here = place.order == name
    mark = icon("arrow_upward" if name == "name" else "arrow_downward") if here else None
    link = tag("a", say(word), mark, cls="cd-link cd-here" if here else "cd-link", href=place.link(order=name), title=say(means))
    return tag("th", link, cls="" if name == "name" else "cd-num")


def _share(count: int, share: float) -> Markup:
    if not count:
        return tag("span", "–", cls="cd-muted")
    percent = f"{share * 100:.0f}" if share >= 0.01 else "<1"
    return tag("span", number(count), tag("span", say(" · {share} %", share=percent), cls="cd-muted"))


def _row(row: ExtractorRow, place: Place, several: bool) -> Markup:
    name = tag("b", shorten(row.method, 80)) if row.method else tag("span", say("not said"), cls="cd-muted")
    version = say("version {number}", number=shorten(row.version, 40)) if row.version else say("no version") if row.method else ""
    routes = ", ".join(say(_ROUTES.get(route, _ROUTES[""]), n=number(n)) for route, n in sorted(row.routes.items()))
    waiting = tag("div", say_count("{n} waits", "{n} wait", row.waiting), cls="cd-muted cd-small") if row.waiting else None
    return tag(
        "tr", tag("td", name, tag("div", " · ".join(one for one in (version, row.tenant if several else "") if one), cls="cd-muted cd-small")),
        _cell("proposed", number(row.proposed), waiting), _cell("accepted", number(row.accepted) if row.accepted else "–"),
        _cell("rejected", _share(row.rejected, row.rejected_share), tag("div", routes, cls="cd-muted cd-small") if routes else None),
        _cell("corrected", _share(row.corrected, row.corrected_share)), tag("td", _link(row, place)),
    )  # fmt: skip


def _cell(name: str, figure: Markup | str, more: Markup | None = None) -> Markup:
    return tag("td", figure, narrow_label(_HEADS[name][0]), more, cls="cd-num")


def _link(row: ExtractorRow, place: Place) -> Markup | None:
    if not row.method or not row.served:
        return None
    made = {"extractor": row.method, **({"version": row.version} if row.version else {})}
    words = say_count("Stop using the {n} in use…", "Stop using the {n} in use…", row.served)
    return tag("a", words, cls="cd-link", href=made_address(made, row.tenant, Verb.SUSPEND, place.scope))
