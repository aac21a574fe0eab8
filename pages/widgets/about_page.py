"""The page about a subject: which one is meant, what is so in sentences, and the parts below."""

from __future__ import annotations

from pages.widgets.about_around import draw_answers, draw_conflicts, draw_names, draw_reports
from pages.widgets.about_find import draw_search, draw_suggestions
from pages.widgets.about_history import draw_history
from pages.widgets.about_list import draw_counts, draw_groups, draw_rows
from pages.widgets.about_person import draw_person, person_link
from pages.widgets.about_place import Place, read_place
from pages.widgets.candidate_words import exact, shorten
from pages.widgets.desk import Desk, attempt, take_refusal
from pages.widgets.forgetting_link import forget_subject
from pages.widgets.language import listed, phrase, phrase_count, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from store import SubjectPage, find_subject, view_subject


def _sentence(page: SubjectPage, place: Place) -> Markup:
    """Return what is so, as whole sentences; every number of claims is a way to its list."""
    view, around = page.view, page.around

    def number(state: str) -> Markup:
        return tag("a", f"{view.counts[state]:,}", cls="cd-link ca-number", href=place.link(state=state, predicate=None))

    subject = tag("b", shorten(view.subject, 160))
    held = tag("b", f"{view.counts['held']:,}")
    parts = [
        phrase_count(
            "About {subject} we hold {held} claim.", "About {subject} we hold {held} claims.", view.counts["held"], subject=subject, held=held
        )
    ]
    if view.counts["contested"]:
        parts.append(
            phrase_count("{count} is in an open conflict.", "{count} are in an open conflict.", view.counts["contested"], count=number("contested"))
        )
    if view.counts["stale"]:
        parts.append(phrase_count("{count} needs re-validation.", "{count} need re-validation.", view.counts["stale"], count=number("stale")))
    if view.counts["candidate"]:
        parts.append(phrase_count("{count} waits to be decided.", "{count} wait to be decided.", view.counts["candidate"], count=number("candidate")))
    if around is not None and around.reports_total:
        count = tag("b", f"{around.reports_total:,}")
        parts.append(phrase_count("{count} report rests on them.", "{count} reports rest on them.", around.reports_total, count=count))
    if around is not None and around.told_claims:
        parts.append(
            phrase_count(
                "Agents were told {count} of them.",
                "Agents were told {count} of them.",
                around.told_claims,
                count=tag("b", f"{around.told_claims:,}"),
            )
        )
    if view.bounded:
        purposes, count = listed([tag("b", shorten(one.replace("_", " "), 60)) for one in view.purposes], most=4), tag("b", f"{view.bounded:,}")
        if view.counts["served_now"]:
            words = phrase_count(
                "Agents are served {count} more only for {purposes}.", "Agents are served {count} more only for {purposes}.", view.bounded, count=count, purposes=purposes
            )  # fmt: skip
        else:
            words = phrase_count("Agents are served {count}, only for {purposes}.", "Agents are served {count}, only for {purposes}.", view.bounded, count=count, purposes=purposes)
        parts.append(words)
    elif not view.counts["served_now"]:
        parts.append(phrase("Agents are served none of it now."))
    return tag("p", join(parts, " "), cls="cd-lead ca-lead")


def _draw_print_head(desk: Desk, page: SubjectPage) -> None:
    """Draw what only a print shows: when it was made, by whom, of which scope."""
    scope = page.view.scope or say("all scopes of {tenant} that {who} may see", tenant=page.view.tenant, who=desk.actor.name)
    words = phrase(
        "Printed by {who} from Claimdesk. As of {at}. Scope: {scope}.", who=tag("b", desk.actor.name[:120]), at=exact(page.view.at), scope=scope
    )
    draw(tag("div", words, cls="ca-printhead"))


def _draw_subject(desk: Desk, tenant: str, place: Place, page: SubjectPage) -> None:
    view = page.view
    where = phrase("in {scope}", scope=place.scope) if place.scope else phrase("in all your scopes of {tenant}", tenant=tenant)
    to_print = tag("a", icon("print"), say("Everything on one page, to print"), cls="cd-link", href=place.link(whole=True))
    folded = tag("a", icon("unfold_less"), say("Fold it again"), cls="cd-link", href=place.link(whole=False))
    more = (tag("span", one, cls="ca-noprint") for one in (person_link(desk, place, tenant, view.subject), forget_subject(desk, view.subject, tenant)) if one)
    head = tag("div", where, tag("span", folded if place.whole else to_print, cls="ca-noprint"), *more, cls="cd-kicker ca-kicker")
    _draw_print_head(desk, page)
    draw(tag("h1", shorten(view.subject, 200), cls="cd-title"), head, _sentence(page, place))
    draw_counts(view, place)
    apart = len(view.scopes) > 1
    if view.rows is not None:
        draw_rows(view, place)
    else:
        draw_groups(view, place)
    if page.history is not None:
        draw_history(page.history, place, tenant, scope=apart)
    if page.around is not None:
        draw_names(page.around, place, tenant)
        draw_conflicts(page.around, place, tenant)
        draw_reports(page.around, place, tenant)
        draw_answers(page.around, place, tenant)


def _say_missing(desk: Desk, place: Place, message: str) -> None:
    draw(tag("h1", say("Nothing is held about it"), cls="cd-title"), tag("div", message, cls="cd-band cd-warnband"))
    if place.scope:
        draw(tag("p", tag("a", say("Look in all your scopes"), cls="cd-link", href=Place(place.subject, place.tenant).link())))
    draw_suggestions(desk, Place(scope=place.scope, find=place.subject))


def _choose_tenant(place: Place, found: dict[str, int]) -> None:
    links = [
        tag(
            "li",
            tag("a", tag("b", name), cls="cd-link", href=place.link(tenant=name)),
            tag("span", say_count("{n} claim", "{n} claims", count), cls="cd-muted"),
        )
        for name, count in found.items()
    ]
    draw(
        tag("h1", shorten(place.subject, 200), cls="cd-title"),
        tag("p", phrase_count("{n} part of the store holds something under this name.", "{n} parts of the store hold something under this name. They are kept apart: it need not be the same thing.", len(found)), cls="cd-lead"),
        tag("ul", *links, cls="cd-list ca-subjects"),
    )  # fmt: skip


def draw_about(desk: Desk) -> None:
    """Draw the page: the search, and what is held about the subject the address names."""
    place = read_place(desk)
    if not place.subject:
        draw(tag("h1", say("What do we hold about…"), cls="cd-title"))
        draw_search(place)
        attempt(lambda: draw_suggestions(desk, place))
        return
    draw_search(place)
    tenant = place.tenant or (desk.tenants[0] if len(desk.tenants) == 1 else None)
    if tenant is None:
        tenants = attempt(lambda: find_subject(desk.store, desk.person, place.subject)) or {}
        if place.scope:
            tenants = {name: count for name, count in tenants.items() if name == place.scope.split("/")[0]}
        if len(tenants) > 1:
            _choose_tenant(place, tenants)
            return
        tenant = next(iter(tenants), desk.tenants[0] if desk.tenants else "")
    chosen = tenant
    if place.to_person:
        draw_person(desk, place, chosen)
        return
    page = attempt(
        lambda: view_subject(
            desk.store, desk.person, chosen, place.subject, scope=place.scope, predicate=place.predicate, state=place.state, start=place.start, whole=place.whole
        )
    )  # fmt: skip
    if page is None:
        refusal = take_refusal()
        _say_missing(desk, place, quote_store(refusal["message"]) if refusal else "")
        return
    _draw_subject(desk, chosen, place, page)
