"""What is held about a person, as it is shown or printed for that person who asks: plain words, no ids, honest counts."""

from __future__ import annotations

from typing import Any

from pages.widgets.about_place import Place
from pages.widgets.candidate_words import exact, exact_day, moment, qualifiers_text, shorten, value_text
from pages.widgets.desk import Desk, attempt, take_refusal
from pages.widgets.forgetting_link import forget_subject
from pages.widgets.language import later, later_count, listed, phrase, phrase_count, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, long_text, tag
from pages.widgets.moments import say_day
from pages.widgets.status import icon
from store import PersonClaim, PersonHeld, view_person_held

PERSON = "person:"
_STATES = (
    ("used", later("What our assistants may use")), ("not_now", later("What is held, and not used at the moment")),
    ("waiting", later("What was proposed, and nobody has accepted")),
)  # fmt: skip
_REFUSED = {
    "rejected": later_count("{n} statement was refused as wrong or unsupported.", "{n} statements were refused as wrong or unsupported."),
    "session_only": later_count("{n} statement was kept to the one task it was made for.", "{n} statements were kept to the one task they were made for."),
    "not_durable": later_count("{n} statement was refused as not worth keeping, or not allowed to be kept.", "{n} statements were refused as not worth keeping, or not allowed to be kept."),
    "sensitive": later_count("{n} statement was refused as too sensitive to keep.", "{n} statements were refused as too sensitive to keep."),
}  # fmt: skip
_WHY_NOT_NOW = {
    "DISPUTED": later("It is in doubt, so nobody is told it."), "STALE": later("It has to be checked again, so nobody is told it."),
    "ACCEPTED": later("It does not hold at this time, so nobody is told it."),
}  # fmt: skip


def is_person(subject: str) -> bool:
    """Return whether a subject is a person, who may ask what is held about them."""
    return subject.startswith(PERSON) and len(subject) > len(PERSON)


def person_link(desk: Desk, place: Place, tenant: str, subject: str) -> Markup:
    """Return the way to what can be shown to the person, for who may see scopes of the tenant in full."""
    if not is_person(subject) or not any(scope.split("/")[0] == tenant for scope in desk.scopes):
        return Markup("")
    return tag("a", icon("contact_page"), say("What can be shown to this person"), cls="cd-link", href=place.link(to_person=True))


def _called(subject: str) -> str:
    return shorten(subject.removeprefix(PERSON), 120)


def _day(text: str | None) -> str:
    return say_day(moment(text)) if text else say("a day that was not recorded")


def draw_person(desk: Desk, place: Place, tenant: str) -> None:
    """Draw the page."""
    held = attempt(lambda: view_person_held(desk.store, desk.person, tenant, place.subject))
    back = tag("a", icon("arrow_back"), say("Back to everything held"), cls="cd-link ca-noprint", href=place.link(to_person=False))
    if held is None:
        refusal = take_refusal()
        draw(tag("h1", say("Nothing can be shown"), cls="cd-title"), tag("div", quote_store(refusal["message"]) if refusal else "", cls="cd-band cd-warnband"), tag("p", back))
        return
    forget = tag("span", forget_subject(desk, place.subject, tenant), cls="ca-noprint")
    printed = tag("span", icon("print"), say("Print it with your browser; this line is left out."), cls="cd-muted cd-small ca-noprint")
    draw(tag("article", tag("div", back, printed, forget, cls="cd-kicker ca-kicker"), _head(desk, held), *_parts(held), cls="cp-page"))


def _head(desk: Desk, held: PersonHeld) -> Markup:
    made = say("Made on {at} by {who}, for {tenant}.", at=exact(held.at), who=desk.actor.name[:120], tenant=held.tenant)
    used, kept = held.count("used"), len(held.claims) + held.more
    parts = [phrase_count("We hold {count} statement about you.", "We hold {count} statements about you.", kept, count=tag("b", f"{kept:,}"))]
    if kept:
        parts.append(phrase_count("Our assistants may use {count} of them.", "Our assistants may use {count} of them.", used, count=tag("b", f"{used:,}")))
    refused, history = sum(held.refused.values()), held.replaced + held.withdrawn
    if refused:
        parts.append(phrase_count(
            "{n} more was not taken up: it is not used, and stays until it is forgotten.",
            "{n} more were not taken up: they are not used, and stay until they are forgotten.", refused,
        ))  # fmt: skip
    if history:
        parts.append(phrase_count(
            "{n} more was replaced or withdrawn: it is not used, and stays as history until it is forgotten.",
            "{n} more were replaced or withdrawn: they are not used, and stay as history until they are forgotten.", history,
        ))  # fmt: skip
    if held.withheld:
        parts.append(phrase_count(
            "{n} is marked as sensitive, so its wording is not printed here; you may ask to hear it.",
            "{n} are marked as sensitive, so their wording is not printed here; you may ask to hear it.", held.withheld,
        ))  # fmt: skip
    where = say("It covers everything held in {tenant}.", tenant=held.tenant)
    if not held.whole:
        where = say("It covers {scopes} only. Somebody else in {tenant} may hold more; an admin of {tenant} can make the whole of this page.", scopes=", ".join(held.covered[:8]), tenant=held.tenant)
    return join((
        tag("h1", say("What is held about {who}", who=_called(held.subject)), cls="cd-title"), tag("p", join(parts, " "), cls="cd-lead ca-lead"),
        tag("p", made, " ", where, cls="cd-muted cd-small"),
    ))  # fmt: skip


def _parts(held: PersonHeld) -> list[Markup]:
    found = []
    for state, title in _STATES:
        claims = [one for one in held.claims if one.state == state]
        if claims:
            found.append(tag("section", tag("h2", say(title), tag("span", f"{len(claims):,}", cls="cd-tally"), cls="cd-heading"), *(_claim(one) for one in claims)))
    if held.more:
        found.append(tag("p", say_count("{n} more statement is not listed here.", "{n} more statements are not listed here.", held.more), cls="cd-small"))
    found += [_reports(held), _not_kept(held), _rights(held)]
    return [one for one in found if one]


# --- one statement ------------------------------------------------------------------------------------------------


def _claim(one: PersonClaim) -> Markup:
    value = say("not printed: marked as sensitive") if one.withheld else value_text(one.value, 1_000)
    name = tag("span", one.predicate.replace("_", " ")[:120], cls="cp-what")
    which = tag("span", qualifiers_text(one.qualifiers)[:200], cls="cd-muted cd-small") if one.qualifiers else None
    pairs: list[tuple[str, Any]] = [
        (say("where it applies"), _where(one)), (say("why it is held"), _why(one)), (say("since"), _since(one)), (say("until"), _until(one)),
        (say("who was told"), _told(one)), (say("who answers for it"), one.owner or say("nobody yet")),
    ]  # fmt: skip
    rows = [join((tag("dt", label), tag("dd", shown if isinstance(shown, Markup) else long_text(str(shown), 300)))) for label, shown in pairs if shown]
    return tag("section", tag("h3", name, " ", which, tag("b", value, cls="cp-value cd-muted" if one.withheld else "cp-value")), tag("dl", *rows, cls="cd-facts cp-facts"), cls="cp-claim")


def _where(one: PersonClaim) -> str:
    parts = [say("in {scope}", scope=one.scope)]
    if one.purposes:
        parts.append(say("only for {purposes}", purposes=", ".join(one.purposes[:6]).replace("_", " ")))
    if one.conditions:
        parts.append(shorten(one.conditions, 200))
    if one.state == "not_now":
        parts.append(_why_not_now(one))
    return "; ".join(parts)


def _why_not_now(one: PersonClaim) -> str:
    if one.expired:
        return say("It is past its date, so nobody is told it.")
    if one.contested:
        return say("Two statements contradict each other, so nobody is told it as true.")
    return say(_WHY_NOT_NOW[one.status])


def _why(one: PersonClaim) -> Markup:
    who = say("You said so yourself") if one.own_words else say("A program concluded it") if one.claim_type == "inference" else say("Somebody else said so")
    parts = [tag("span", who)]
    if one.confirmed_by:
        parts.append(tag("span", phrase("confirmed by {who}", who=_called(one.confirmed_by))))
    sources = [f"“{shorten(title, 80)}”" for title in one.sources]
    if one.hidden_sources:
        sources.append(say_count("{n} document that cannot be named here", "{n} documents that cannot be named here", one.hidden_sources))
    if sources:
        parts.append(tag("span", phrase("taken from {sources}", sources=listed(sources, most=4))))
    if one.derived:
        parts.append(tag("span", say_count("worked out from {n} other record", "worked out from {n} other records", one.derived)))
    return join(parts, "; ")


def _since(one: PersonClaim) -> str:
    if one.state == "waiting":
        return say("proposed on {day}; nobody has accepted it", day=_day(one.since))
    return say("{day}, accepted by {who}", day=_day(one.since), who=one.by) if one.by else _day(one.since)


def _until(one: PersonClaim) -> str:
    parts = []
    if one.expires_at:
        parts.append(say("it ends on {day}", day=exact_day(one.expires_at)))
    if one.review_at:
        parts.append(say("it is looked at again on {day}", day=exact_day(one.review_at)))
    return "; ".join(parts) or say("no end is set yet")


def _told(one: PersonClaim) -> Markup | str:
    if not one.told:
        return say("nobody so far")
    rows = [
        phrase_count("{who} ({n} time, last on {day})", "{who} ({n} times, last on {day})", told.times, who=tag("b", shorten(told.name or say("somebody unnamed"), 60)), day=_day(told.last))
        for told in one.told[:12]
    ]  # fmt: skip
    return listed(rows, total=len(one.told))


# --- the rest -----------------------------------------------------------------------------------------------------


def _reports(held: PersonHeld) -> Markup:
    if not held.reports and not held.reports_hidden:
        return Markup("")
    rows = []
    for one in held.reports:
        sent = [phrase("{who} on {day}", who=shorten(who, 60), day=_day(at)) for who, at in one.sent[:12]]
        rows.append(tag("li", tag("b", shorten(one.title, 120)), ": ", listed(sent, total=len(one.sent)) if sent else say("to nobody that was recorded")))
    if held.reports_hidden:
        rows.append(tag("li", say_count("{n} more report, which cannot be named here.", "{n} more reports, which cannot be named here.", held.reports_hidden)))
    return tag("section", tag("h2", say("Reports that were made with it and went out"), cls="cd-heading"), tag("ul", *rows, cls="cd-list"))


def _not_kept(held: PersonHeld) -> Markup:
    rows = [say_count(*_REFUSED[route], count) for route, count in held.refused.items() if route in _REFUSED]
    if held.replaced:
        rows.append(say_count(
            "{n} earlier statement was replaced by a newer one. It is not told any more, and stays on record as history.",
            "{n} earlier statements were replaced by newer ones. They are not told any more, and stay on record as history.", held.replaced,
        ))  # fmt: skip
    if held.withdrawn:
        rows.append(say_count(
            "{n} statement was withdrawn. It is not told any more, and stays on record as history.",
            "{n} statements were withdrawn. They are not told any more, and stay on record as history.", held.withdrawn,
        ))  # fmt: skip
    if held.deleting:
        rows.append(say_count("{n} statement is being forgotten on request.", "{n} statements are being forgotten on request.", held.deleting))
    title = tag("h2", say("What is not used, or no longer"), cls="cd-heading")
    if not rows:
        return tag("section", title, tag("p", say("Nothing was refused, replaced or withdrawn."), cls="cd-small"))
    return tag("section", title, tag("ul", *(tag("li", row) for row in rows), cls="cd-list"))


def _rights(held: PersonHeld) -> Markup:
    who = listed([tag("b", shorten(one, 60)) for one in held.owners], most=4) if held.owners else say("an admin of {tenant}", tenant=held.tenant)
    return tag(
        "section",
        tag("h2", say("How to have it corrected or forgotten"), cls="cd-heading"),
        tag("ul",
            tag("li", phrase("If something is wrong, tell {who} what is right, and whether you mean it from now on or for one occasion. Until it is clear, nobody is told either.", who=who)),
            tag("li", say("If something is to be forgotten, name it, or say that you mean all of it. It stops being used at once; you get a receipt that says what was cleared where, and what is kept until when.")),
            tag("li", say("What was only proposed can be refused the same way.")),
            cls="cd-list"),
    )  # fmt: skip
