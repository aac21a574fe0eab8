"""What would be told, and why: claims with their passages, all sides of a conflict, or nothing and its reasons."""

from __future__ import annotations

from typing import Any

from pages.widgets.ask_place import Place
from pages.widgets.ask_words import command_words, role_words, say_why, span_words
from pages.widgets.candidate_words import exact_day, interval, qualifiers_text, value_text
from pages.widgets.desk import record_link
from pages.widgets.language import phrase, phrase_count, quote_store, say, say_count
from pages.widgets.markup import Markup, join, long_text, tag
from pages.widgets.record_parts import facts
from pages.widgets.status import badge, icon
from store import VEIL, AskedKey, Beside, Found, Told, format_time, spaced, write_qualifiers


def draw_lead(told: Told) -> Markup:
    """Return the sentence that says what would be told."""
    who = tag("b", told.identity.name[:120])
    count = len(told.answer["claims"])
    match told.answer["result"]:
        case "OK":
            words = phrase_count("{who} would be told {n} claim.", "{who} would be told {n} claims.", count, who=who)
        case "CONFLICT":
            words = phrase("{who} would be told that this is contested, with all its sides, and that nobody has decided yet.", who=who)
        case _:
            words = phrase("{who} would be told {nothing}.", who=who, nothing=tag("b", say("that there is nothing")))
    return tag("p", tag("span", badge(told.answer["result"]), cls="ak-badge"), words, cls="cd-lead")


def draw_basis(told: Told | Found, place: Place) -> Markup:
    """Return as of when it was asked, by whose right, and that nobody was told anything."""
    parts = []
    if place.at:
        parts.append(
            tag(
                "div",
                icon("history"),
                phrase(
                    "Asked {as_of}: what held then, by what is known now. Nothing can be decided here.",
                    as_of=tag("b", say("as of {time}", time=exact_day(format_time(told.at)))),
                ),
                cls="cd-band cd-warnband",
            )
        )
    if told.allowed_by is not None:
        rule = phrase(
            "{who} is {role}, and who may read {scope} is served what the scopes above it hold too.",
            who=told.identity.name[:120], role=tag("b", role_words(*told.allowed_by)), scope=tag("span", place.within, cls="cd-id"),
        )  # fmt: skip
    else:
        rule = phrase(
            "{who} holds no role that lets it read {scope}: it is told nothing, and not even whether there is anything.",
            who=tag("b", told.identity.name[:120]), scope=tag("span", place.within, cls="cd-id"),
        )  # fmt: skip
    parts.append(tag("p", rule, " ", say("Asking here is not logged as an answer to an agent: nobody was told anything."), cls="cd-muted cd-small"))
    return join(parts)


def draw_answer(told: Told, place: Place, tenant: str) -> Markup:
    """Return the claims told, or the sides, or why there is nothing."""
    answer = told.answer
    if answer["result"] == "OK":
        cards = [_claim(one, tenant, place.within, (told.beside or {}).get(one["id"], ())) for one in answer["claims"]]
        cut = tag("div", say("There are more; the answer is cut at its limit, and says so."), cls="cd-band") if answer["cut"] else None
        return join(part for part in (*cards, cut, _overridden(answer["overridden"], tenant)) if part is not None)
    if answer["result"] == "CONFLICT":
        return _sides(told, tenant, place.within)
    return _missing(told, place, tenant)


def _claim(one: dict[str, Any], tenant: str, within: str, beside: tuple[Beside, ...] = ()) -> Markup:
    text = one.get("untrusted_text") or {}
    head = tag(
        "div", long_text(str(one["subject"]), 200), tag("span", " · ", cls="cd-muted"), long_text(spaced(one["predicate"]), 200),
        tag("span", f" · {qualifiers_text(one['qualifiers'])}", cls="cd-muted") if one["qualifiers"] else None, cls="cd-question",
    )  # fmt: skip
    rank = one.get("authority_rank")
    authority = spaced(one.get("authority") or "")
    if authority and rank:
        authority = say("{authority}, number {rank} in rank", authority=authority, rank=rank)
    pairs = facts([
        (say("Why it matched"), _matched(one, within)), (say("Scope"), one["scope"]), (say("Holds"), interval(one["valid_from"], one["valid_to"])),
        (say("Observed"), exact_day(one["observed_at"])), (say("Expires"), exact_day(one["expires_at"])), (say("Conditions"), text.get("conditions")),
        (say("Authority"), authority), (say("Record"), phrase("{id}, version {version}", id=record_link(one["id"], tenant), version=f"{one['version']:,}")),
    ])  # fmt: skip
    return tag(
        "div",
        head,
        tag("div", badge(one["status"]), tag("span", long_text(value_text(one["value"], 200_000), 600), cls="cd-value"), cls="ak-value"),
        tag("div", text["statement"], cls="ak-statement") if text.get("statement") else None,
        tag("div", _passages(one, text, tenant) or tag("div"), pairs, cls="ak-two"),
        _beside(beside, tenant),
        cls="cd-card",
    )


def _matched(one: dict[str, Any], within: str) -> str:
    if "side of an open conflict" in one["why"]:
        return say("It is a side of an open conflict.")
    if one["scope"] == within:
        return say("It answers the question in its own scope.")
    return say("It holds in {scope}, which contains the scope asked in.", scope=one["scope"])


def _passages(one: dict[str, Any], text: dict[str, Any], tenant: str) -> Markup | None:
    rows = []
    quotes = list(text.get("quotes") or [])
    for binding in one["evidence"][:8]:
        quote = quotes.pop(0) if quotes and binding["span"] else None
        where = tag("div", record_link(binding["evidence"], tenant), tag("span", f" · {span_words(binding['span'])}"), cls="cd-where")
        rows.append(tag("div", where, tag("div", tag("mark", long_text(quote, 1_500)), cls="cd-passage") if quote else None, cls="ak-quote"))
    rest = len(one["evidence"]) - 8
    if rest > 0:
        rows.append(tag("div", say_count("and {n} more passage", "and {n} more passages", rest), cls="cd-muted cd-small"))
    if one["derived_from"]:
        links = join((record_link(parent, tenant) for parent in one["derived_from"][:12]), ", ")
        more = len(one["derived_from"]) - 12
        tail = say_count(" and {n} more", " and {n} more", more) if more > 0 else ""
        rows.append(tag("div", phrase("It rests on {records}{more}.", records=links, more=tail), cls="cd-muted cd-small"))
    return tag("div", *rows, cls="ak-quotes") if rows else None


def _overridden(overridden: list[dict[str, Any]], tenant: str) -> Markup | None:
    if not overridden:
        return None
    rows = [
        tag("li", phrase("{claim} in {scope}", claim=record_link(one["id"], tenant), scope=tag("span", one["scope"], cls="cd-id")))
        for one in overridden[:20]
    ]
    return join(
        (
            tag("h2", say("Overridden by a nearer scope"), tag("span", f"{len(overridden):,}", cls="cd-tally"), cls="cd-heading"),
            tag("ul", *rows, cls="cd-list"),
        )
    )


def _why_beside(one: Beside) -> str:
    if one.later and one.higher:
        return say("later, and of a higher authority")
    return say("later") if one.later else say("of a higher authority")


def _beside(beside: tuple[Beside, ...], tenant: str) -> Markup | None:
    if not beside:
        return None
    rows = []
    for one in beside:
        words = _why_beside(one)
        rows.append(
            tag(
                "li", badge(one.status), " ", record_link(one.id, tenant), " ", value_text(one.value, 120), tag("span", f" · {words}", cls="cd-muted")
            )
        )
    return tag("div", tag("h2", say("Not told, but worth knowing"), cls="ak-beside"), tag("ul", *rows, cls="cd-list"))


def _sides(told: Told, tenant: str, within: str) -> Markup:
    claims = told.answer["claims"]
    notes = []
    if told.hidden:
        words = say_count("{n} more side lies where you may not look.", "{n} more sides lie where you may not look.", told.hidden)
        notes.append(tag("div", icon("visibility_off"), words, cls="cd-band"))
    if told.answer["cut"]:
        notes.append(tag("div", say("There are more; the answer is cut at its limit, and says so."), cls="cd-band"))
    return join((tag("p", say("Nobody wins by being later or more often repeated; all sides are told until somebody decides."), cls="cd-muted cd-small"),
                 *(_claim(one, tenant, within) for one in claims if "subject" in one), *notes))  # fmt: skip


def _missing(told: Told, place: Place, tenant: str) -> Markup:
    if told.allowed_by is None:
        return Markup("")
    parts: list[Markup] = []
    head = tag("h2", say("Why, for those who may look into it"), cls="cd-heading")
    if told.nothing_recorded:
        parts.append(tag("p", say("Nothing was ever recorded under exactly this question, in this scope or one above it."), cls="ak-plain"))
    elif told.why:
        rows = [
            tag("li", badge(why.status), " ", say_why(why, place.purpose, tenant), tag("span", f" {value_text(why.value, 100)}", cls="cd-muted"))
            for why in told.why
        ]
        parts.append(tag("ul", *rows, cls="cd-list"))
    if told.unexplained:
        scopes = join((tag("span", one, cls="cd-id") for one in told.unexplained), ", ")
        parts.append(
            tag("p", phrase("You may not look into {scopes}; whether anything there matters is not said.", scopes=scopes), cls="cd-muted cd-small")
        )
    return join((head, *parts))


def draw_questions(keys: tuple[AskedKey, ...] | list[AskedKey], place: Place, title: str) -> Markup:
    """Return questions that can be asked instead, each a link; nothing where there are none."""
    if not keys:
        return Markup("")
    rows = []
    for key in keys:
        which = f" · {qualifiers_text(key.qualifiers)}" if key.qualifiers else ""
        words = join((tag("b", key.subject[:120]), f" · {spaced(key.predicate)[:120]}{which[:300]}"))
        if VEIL in f"{key.subject}{which}":
            # The way to it would name it.
            rows.append(tag("li", words, tag("span", f"  {key.scope}", cls="cd-muted cd-id")))
            continue
        there = place.link_to(key) if key.scope in (place.within, "") or place.within.startswith(key.scope + "/") else None
        href = there or place.link(
            within=key.scope, subject=key.subject, predicate=key.predicate, which=write_qualifiers(key.qualifiers), searching=False
        )
        rows.append(tag("li", tag("a", words, cls="cd-link", href=href), tag("span", f"  {key.scope}", cls="cd-muted cd-id")))
    return join((tag("h2", title, cls="cd-heading"), tag("ul", *rows, cls="cd-list ak-questions")))


def draw_found(found: Found, place: Place, tenant: str) -> Markup:
    """Return what a search finds."""
    who = tag("b", found.identity.name[:120])
    count = len(found.items)
    lead = (
        phrase_count("{who} would find {n} record.", "{who} would find {n} records.", count, who=who)
        if count
        else phrase("{who} would find {nothing}.", who=who, nothing=tag("b", say("nothing")))
    )
    rows = []
    for one in found.items:
        text = one.get("untrusted_text") or {}
        title = text.get("statement") or text.get("title") or f"{one.get('subject', one['id'])} · {spaced(one.get('predicate') or '')}"
        value = tag("div", value_text(one["value"], 300), cls="ak-found") if "value" in one else None
        where = tag("div", record_link(one["id"], tenant), tag("span", " · ", one["scope"], " · ", _where(one["why"])), cls="cd-where")
        rows.append(tag("li", tag("div", badge(one["status"], one["kind"]), " ", record_link(one["id"], tenant, str(title)[:200])), value, where))
    parts = [tag("p", tag("span", badge("OK" if count else "MISSING"), cls="ak-badge"), lead, cls="cd-lead"), draw_basis(found, place)]
    if rows:
        parts.append(tag("ul", *rows, cls="cd-list"))
    elif found.allowed_by is not None:
        parts.append(
            tag(
                "div",
                tag("b", say("No usable record holds all of these words")),
                say("Only what may be served for every purpose is searched."),
                cls="cd-empty",
            )
        )
    if found.cut:
        parts.append(tag("div", say("There are more; only the best are shown."), cls="cd-band"))
    return join(parts)


def _where(why: str) -> Markup:
    names = why.removeprefix("found in ").split("; ")[0]
    return phrase("found in {fields}", fields=quote_store(names))


def draw_command(place: Place) -> Markup:
    """Return the same question for the command line, folded."""
    return tag(
        "details", tag("summary", say("The same on the command line")), tag("code", command_words(place), cls="cd-mono ak-command"), cls="cd-more"
    )
