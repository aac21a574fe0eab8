"""People and policy: who may do what, and by which rules candidates are checked and claims compared."""

from __future__ import annotations

from pages.widgets.desk import Desk, attempt, open_desk, show_notices, take_refusal
from pages.widgets.language import later, say
from pages.widgets.markup import draw, tag
from pages.widgets.people_history import draw_history
from pages.widgets.people_list import draw_people
from pages.widgets.people_place import Place, read_place, tenant_of_place
from pages.widgets.policy_list import draw_no_policy, draw_policy, policy_scopes
from pages.widgets.policy_predicates import draw_predicates
from store import list_governing, list_predicates, view_people, view_policy

_TAB_WORDS = {"people": later("People"), "predicates": later("Predicates"), "policy": later("Policy"), "history": later("History")}


def _draw_tab(desk: Desk, tenant: str, place: Place) -> None:
    if place.tab == "history":
        found = attempt(lambda: list_governing(desk.store, desk.person, tenant, before=place.before))
        if found is not None:
            draw_history(*found, place)
    elif place.tab == "predicates":
        rows = attempt(lambda: list_predicates(desk.store, desk.person, tenant))
        if rows is not None:
            draw_predicates(desk, tenant, rows, place)
    elif place.tab == "policy":
        scopes = policy_scopes(desk, tenant)
        if not scopes:
            draw_no_policy(tenant)
            return
        fallback = desk.scope if desk.scope in scopes else scopes[0]
        where = place.where if place.where in scopes else (fallback or scopes[0])
        view = attempt(lambda: view_policy(desk.store, desk.person, where))
        if view is not None:
            draw_policy(desk, view, scopes, place)
    else:
        people = attempt(lambda: view_people(desk.store, desk.person, tenant))
        if people is not None:
            draw_people(desk, people, place)


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    draw(tag("h1", say("People and policy"), cls="cd-title"))
    refused = take_refusal()
    show_notices()
    place = read_place(desk)
    tenant = tenant_of_place(desk, place)
    if tenant is None:
        if not desk.tenants:
            draw(
                tag(
                    "div",
                    tag("b", say("There is nothing here that you may see")),
                    say("You hold no role anywhere. Ask an admin of your team."),
                    cls="cd-empty",
                )
            )
            return
        draw(
            tag("p", say("Choose whose people and policy."), cls="cd-lead"),
            tag("div", *(tag("a", name, cls="cd-link cd-chip", href=place.link(tenant=name)) for name in desk.tenants), cls="cd-chips"),
        )
        return
    tabs = [
        tag("a", say(words), cls="cd-link cd-tab" + (" cd-here" if name == place.tab else ""), href=place.link(tab=name))
        for name, words in _TAB_WORDS.items()
    ]
    draw(tag("nav", *tabs, cls="cd-tabs pp-tabs", label=say("Parts of this page")))
    if refused is not None:
        draw(tag("div", refused["message"], cls="cd-band cd-badband"))
    _draw_tab(desk, tenant, place)
    late = take_refusal()
    if late is not None:
        draw(tag("div", late["message"], cls="cd-band cd-badband"))


main()
