"""Search as an agent: ask what somebody else would be told, and why; nobody is told anything by it."""

from __future__ import annotations

from pages.widgets.ask_answer import draw_answer, draw_basis, draw_command, draw_found, draw_lead, draw_questions
from pages.widgets.ask_form import draw_form
from pages.widgets.ask_place import Place, read_moment, read_place
from pages.widgets.desk import Desk, attempt, open_desk, show_notices, take_refusal
from pages.widgets.language import quote_store, say
from pages.widgets.markup import Markup, draw, tag
from store import Question, ask_as, list_identities, parse_qualifiers, search_as, suggest_questions


def _answer(desk: Desk, place: Place, tenant: str) -> None:
    at, which = read_moment(place.at), parse_qualifiers(place.which)
    if place.searching:
        found = attempt(lambda: search_as(desk.store, desk.person, place.who, place.find, place.within, limit=50, at=at))
        if found is not None:
            draw(draw_found(found, place, tenant), draw_command(place) if not place.at else "")
        return
    question = Question(place.within, place.subject, place.predicate, which, place.purpose or None, at)
    told = attempt(lambda: ask_as(desk.store, desk.person, place.who, question))
    if told is None:
        return
    parts = [draw_lead(told), draw_basis(told, place), draw_answer(told, place, tenant)]
    if told.answer["result"] == "MISSING":
        parts.append(draw_questions(told.other_questions, place, say("Recorded of the same, asked otherwise")))
        if told.nothing_recorded and not told.other_questions:
            parts.append(_suggest(desk, place))
    draw(*parts, draw_command(place))


def _suggest(desk: Desk, place: Place) -> Markup:
    found = suggest_questions(desk.store, desk.person, place.within, place.subject, place.predicate)
    if not found and place.subject:
        found = suggest_questions(desk.store, desk.person, place.within, place.subject)
    title = say("Questions that begin so") if place.subject or place.predicate else say("Some that can be asked here")
    return draw_questions(found, place, title)


def _draw(desk: Desk, place: Place) -> None:
    tenant = place.within.split("/", 1)[0] if place.within else (desk.tenants[0] if len(desk.tenants) == 1 else "")
    scopes = desk.scopes
    if not scopes:
        draw(
            tag(
                "div",
                tag("b", say("There is no scope you may look into")),
                say("Asking as somebody else takes the role of a reviewer, an admin or an auditor. Ask an admin of your team."),
                cls="cd-empty",
            )
        )
        return
    people = list_identities(desk.store, desk.person, tenant or scopes[0].split("/", 1)[0])
    draw_form(desk, place, people, scopes)
    try:
        read_moment(place.at)
        parse_qualifiers(place.which)
    except ValueError:
        draw(
            tag(
                "div", say("The address holds a time or a qualifier that cannot be read. Nothing was asked. Mend it above."), cls="cd-band cd-badband"
            )
        )
        return
    if place.complete:
        _answer(desk, place, tenant)
        refused = take_refusal()
        if refused is not None:
            draw(tag("div", quote_store(refused["message"]), cls="cd-band cd-badband"))
    elif place.within and not place.searching:
        questions = _suggest(desk, place)
        if questions:
            draw(questions)


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    place = read_place(desk)
    draw(tag("h1", say("Search as an agent"), cls="cd-title"))
    if not place.complete:
        draw(tag("p", say("See exactly what a person or an agent would be told, and why. Nobody is told anything by it."), cls="cd-lead"))
    attempt(lambda: _draw(desk, place))
    show_notices()


main()
