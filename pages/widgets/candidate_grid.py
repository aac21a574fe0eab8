"""The candidates of one document as a table: what each says, its quote, what stood before, where it stands, what is odd."""

from __future__ import annotations

from pages.widgets.candidate_change import in_quote_mark, previous_cell
from pages.widgets.candidate_list import document_words, row_flags
from pages.widgets.candidate_place import Place
from pages.widgets.candidate_route import route_mark
from pages.widgets.candidate_words import CHECK_WORDS, qualifiers_text, shorten, value_text
from pages.widgets.decision_many import ticked_rows
from pages.widgets.decision_terms import say_terms
from pages.widgets.language import later, listed, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from store import CandidateQueue, GridRow

_HEADS = (later("Claim"), later("Quote"), later("Before"), later("Where"), later("In the quote"), later("Suggested"), later("Checks"))


def _quote(row: GridRow) -> Markup:
    if not row.quote:
        return tag("span", say("no passage of its own"), cls="cd-muted")
    words, text = row.in_quote.words, row.quote
    at = text.find(words) if words else -1
    shown = join((text[:at], tag("mark", words), text[at + len(words) :])) if at >= 0 else join([text])
    more = tag("span", " … ", say("more: open it"), cls="cd-muted") if not row.whole else None
    wrong = tag("span", icon("wrong_location"), say("not where its span says"), cls="cd-red cd-small cd-nowrap") if row.quote_ok is False else None
    return join(part for part in (shown, more, wrong and join((" ", wrong))) if part)


def _where(row: GridRow) -> Markup:
    place = row.place
    if "page" in place:
        return join([say("page {n}", n=place["page"])])
    if "line" in place:
        return join([say("line {n}", n=number(place["line"]))])
    if "pointer" in place:
        return tag("span", shorten(place["pointer"] or "/", 40), cls="cd-id")
    return tag("span", "–", cls="cd-muted")


def _state(row: GridRow) -> Markup:
    """Return whether a row could be approved at once, as icon and words."""
    if not row.failed:
        found = tag("span", icon("check"), say("all pass"), cls="cd-teal cd-nowrap")
    elif not row.usual_failed and row.usual_sets:
        told = phrase("The usual terms set: {terms}.", terms=say_terms(row.usual_sets))
        found = tag("span", icon("fact_check"), say("with the usual terms"), title=told, cls="cd-teal cd-nowrap")
    elif row.failed == ("high_impact",):
        found = tag("span", icon("how_to_reg"), say("you approved it"), cls="cd-muted cd-nowrap")
    else:
        names = listed([say(CHECK_WORDS[name]) for name in row.failed], most=3)
        words = say_count("{n} check fails", "{n} checks fail", len(row.failed))
        found = tag("span", icon("cancel"), words, title=names, cls="cd-red cd-nowrap")
    newer = None
    if row.newer is not None and row.newer.same is not True:
        words = say("a newer version of the document does not say it word for word")
        newer = tag("span", icon("update"), tag("span", words, cls="cc-onlyread"), title=words, cls="cc-flag")
    rivals = None
    if "rivals" in row.doubts:
        words = say("another candidate waits with this question")
        rivals = tag("span", icon("stacks"), tag("span", words, cls="cc-onlyread"), title=words, cls="cc-flag")
    return join(part for part in (found, " ", *row_flags(row.row), newer, rivals) if part is not None)


def _row(row: GridRow, place: Place, *, here: bool, ticked: bool) -> Markup:
    mark = icon("check_box" if ticked else "check_box_outline_blank" if row.terms is not None else "remove")
    told = say("ticked") if ticked else say("not ticked") if row.terms is not None else say("to be looked at by itself")
    tick = tag("td", tag("span", mark, tag("span", told, cls="cc-onlyread"), title=told, cls="cg-tick" if row.terms is not None else "cg-untick"))
    title = row.row.title + (f" · {qualifiers_text(row.question)}" if row.question else "")
    value = tag("b", value_text(row.row.value, 160), cls="cg-value")
    name = tag("a", value, tag("span", title, cls="cg-title"), cls="cd-link", href=place.link((row.row.tenant, row.row.id), view="grid"))
    cells = (
        tag("td", name), tag("td", _quote(row), cls="cg-quote"), tag("td", previous_cell(row.previous), cls="cg-before"), tag("td", _where(row), cls="cd-nowrap cd-muted"),
        tag("td", in_quote_mark(row.in_quote)), tag("td", route_mark(row.route) if row.route else tag("span", "–", cls="cd-muted"), cls="cg-route"), tag("td", _state(row)),
    )  # fmt: skip
    return tag("tr", tick, *cells, cls=" ".join(name for name, on in (("cg-row", True), ("cc-here", here), ("cg-ticked", ticked)) if on))


def draw_grid(queue: CandidateQueue, rows: tuple[GridRow, ...], place: Place, here: tuple[str, str] | None) -> None:
    """Draw the table of one document."""
    ticked = {(one.seen.tenant, one.seen.id) for one in ticked_rows(rows)}
    head = tag("tr", tag("th", tag("span", say("Ticked"), cls="cc-onlyread")), *(tag("th", say(words)) for words in _HEADS))
    body = [_row(row, place, here=here == (row.row.tenant, row.row.id), ticked=(row.row.tenant, row.row.id) in ticked) for row in rows]
    names = _documents(queue, rows, place)
    draw(names, tag("div", tag("table", head, *body, cls="cd-table cg-table"), cls="cg-box"))


def _documents(queue: CandidateQueue, rows: tuple[GridRow, ...], place: Place) -> Markup:
    """Return which document the table is of, and how many of its candidates are in it."""
    shown = {(row.row.tenant, row.row.document) for row in rows}
    named = [one for one in queue.documents if (one.tenant, one.id) in shown]
    if len(named) != 1:
        return tag("div", icon("table_rows"), phrase_count("{n} candidate", "{n} candidates", len(rows)), cls="cg-head")
    one = named[0]
    count = phrase_count("{n} candidate", "{n} candidates", one.count)
    if one.count != len(rows):
        count = phrase("{some} of {count}", some=number(len(rows)), count=count)
    link = place.link(sift=place.with_sift(document=one.id))
    name = tag("a", document_words(one), cls="cd-link", href=link, title=say("Only this document"))
    ways = tag("span", *_neighbours(queue, place, (one.tenant, one.id)), cls="cg-ways")
    return tag("div", icon("description" if one.id else "schema"), tag("b", name), tag("span", count, cls="cd-muted"), ways, cls="cg-head")


def _neighbours(queue: CandidateQueue, place: Place, here: tuple[str, str]) -> list[Markup]:
    """Return the ways to the tables of the documents before and after this one, as far as the page of the list holds them."""
    firsts: dict[tuple[str, str], tuple[str, str]] = {}
    for row in queue.rows:
        firsts.setdefault((row.tenant, row.document), (row.tenant, row.id))
    order = list(firsts)
    if here not in firsts:
        return []
    at = order.index(here)
    found = []
    if at:
        found.append(tag("a", say("‹ document before"), cls="cd-link", href=place.link(firsts[order[at - 1]], view="grid")))
    if at + 1 < len(order):
        found.append(tag("a", say("next document ›"), cls="cd-link", href=place.link(firsts[order[at + 1]], view="grid")))
    return found
