"""The letter page: a list of sources to write to, and the letter itself, which holds nothing that belongs in the house."""

from __future__ import annotations

import streamlit as st

from pages.widgets.candidate_words import exact, moment, qualifiers_text, shorten, value_text
from pages.widgets.desk import Desk, attempt, take_refusal
from pages.widgets.language import number, phrase, phrase_count, quote_store, say, say_count
from pages.widgets.letter_place import Place, read_place
from pages.widgets.markup import Markup, draw, join, long_text, tag
from pages.widgets.moments import say_day
from pages.widgets.status import icon
from pages.widgets.veil import behind_veil
from store import LETTER_ROWS, Letter, LetterPick, LetterRow, export_letter_csv, list_letter_picks, write_letter


def _day(text: str | None) -> str:
    return say_day(moment(text)) if text else say("an unknown day")


# --- choosing -----------------------------------------------------------------------------------------------------


def _choice(place: Place) -> Markup:
    def way(words: str, here: bool, **changes: bool) -> Markup:
        return tag("a", words, cls="cd-link cl-way cd-here" if here else "cd-link cl-way", href=place.link(**changes))

    return tag(
        "nav", way(say("by authority"), not place.single, single=False), way(say("by single source"), place.single, single=True),
        tag("span", cls="cl-gap"), way(say("each by itself"), not place.pairs, pairs=False), way(say("as pairs"), place.pairs, pairs=True), cls="cl-ways", label=say("How the letter is divided"),
    )  # fmt: skip


def _pick_row(pick: LetterPick, place: Place, several: bool) -> Markup:
    here = Place(pick.source, pick.other, pick.tenant if several else None, place.scope)
    name = tag("b", shorten(pick.title, 90))
    words = phrase("{source} against {other}", source=name, other=tag("b", shorten(pick.other_title or "", 90))) if pick.other else name
    sources = say_count("{n} source", "{n} sources", pick.sources) if pick.sources > 1 else ""
    settled = tag("a", number(pick.against), cls="cd-link", href=here.link(settled=True)) if pick.against else tag("span", "–", cls="cd-muted")
    return tag(
        "tr", tag("td", tag("a", words, cls="cd-link", href=here.link()), tag("span", f" {sources}", cls="cd-muted") if sources else None),
        tag("td", tag("a", number(pick.open), cls="cd-link", href=here.link()) if pick.open else "–", cls="cd-num"), tag("td", settled, cls="cd-num"),
        tag("td", pick.tenant, cls="cd-muted") if several else None,
    )  # fmt: skip


def _draw_picks(desk: Desk, place: Place) -> None:
    picks = list_letter_picks(desk.store, desk.person, scope=place.scope, pairs=place.pairs, by="source" if place.single else "authority")
    draw(tag("h1", say("Write to the owner of a source"), cls="cd-title"))
    if not desk.scopes:
        words = say("Writing to the owner of a source takes the role of a reviewer, an admin or an auditor. Ask an admin of your team.")
        draw(tag("div", tag("b", say("There is no contradiction you may look into")), words, cls="cd-empty"))
        return
    if not picks:
        words = say("No source is contradicted in what you may see")
        draw(_choice(place), tag("div", tag("b", words), say("As soon as two sources contradict each other, they are listed here."), cls="cd-empty"))
        return
    lead = phrase_count(
        "{n} source is contradicted by others. Choose whom to write to; the letter lists what to check.",
        "{n} sources are contradicted by others. Choose whom to write to; the letter lists what to check.", len(picks),
    )  # fmt: skip
    if place.pairs:
        lead = phrase_count(
            "{n} pair of sources contradicts each other. Choose the one to write to.",
            "{n} pairs of sources contradict each other. Choose the one to write to.",
            len(picks),
        )
    several = len({pick.tenant for pick in picks}) > 1
    names = [say("source"), say("open"), say("settled against it"), *([say("tenant")] if several else [])]
    head = tag("tr", *(tag("th", name, cls="cd-num" if 0 < at < 3 else "") for at, name in enumerate(names)))
    rows = [_pick_row(pick, place, several) for pick in picks]
    draw(
        tag("p", lead, cls="cd-lead"),
        _choice(place),
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows), cls="cd-table cl-picks"), cls="cd-scroll"),
    )


# --- the letter ---------------------------------------------------------------------------------------------------


def _tools(desk: Desk, place: Place, letter: Letter) -> None:
    stand = tag(
        "a", say("What is open instead") if letter.settled else say("What was settled against it instead"), cls="cd-link",
        href=place.link(settled=not letter.settled),
    )  # fmt: skip
    back = tag("a", say("← Other sources"), cls="cd-link", href=Place(scope=place.scope).link())
    with st.container(key="letter.tools"):
        draw(
            tag(
                "div",
                back,
                stand,
                tag("span", icon("print"), say("Print it with your browser; this line is left out."), cls="cd-muted"),
                cls="cl-tools",
            )
        )
        if letter.total:
            st.download_button(
                say("The same as CSV"), behind_veil(lambda: export_letter_csv(desk.store, desk.person, _load(desk, place, letter.tenant, most=None), name="letter.csv")), "letter.csv", "text/csv", key="letter.csv",
                on_click="ignore", icon=":material/table_view:",
            )  # fmt: skip


def _load(desk: Desk, place: Place, tenant: str, most: int | None = LETTER_ROWS) -> Letter:
    return write_letter(desk.store, desk.person, tenant, place.source, other=place.other, scope=place.scope, settled=place.settled, most=most)


def _opening(letter: Letter) -> Markup:
    count, title = tag("b", number(letter.total)), tag("b", shorten(letter.title, 160))
    if letter.settled:
        return phrase_count(
            "In {count} case we settled a contradiction against what {title} says. Please correct it, or tell us where we are wrong.",
            "In {count} cases we settled a contradiction against what {title} says. Please correct them, or tell us where we are wrong.",
            letter.total, count=count, title=title,
        )  # fmt: skip
    if letter.other_title:
        return phrase_count(
            "In {count} case {other} contradicts what {title} says. Please check which is right.",
            "In {count} cases {other} contradicts what {title} says. Please check which is right.",
            letter.total, count=count, title=title, other=tag("b", shorten(letter.other_title, 160)),
        )  # fmt: skip
    return phrase_count(
        "In {count} case we hold a value that contradicts what {title} says. Please check which is right.",
        "In {count} cases we hold values that contradict what {title} says. Please check which are right.", letter.total, count=count, title=title,
    )  # fmt: skip


def _ours(row: LetterRow) -> Markup:
    if not row.ours:
        return tag("span", say("none of the values was kept"), cls="cd-muted")
    lines = []
    for value, title in row.ours:
        source = tag("div", shorten(title, 90), cls="cd-muted cd-small") if title else None
        lines.append(tag("div", tag("b", shorten(value_text(value), 300)), source))
    if row.more:
        lines.append(tag("div", say_count("and {n} other value", "and {n} other values", row.more), cls="cd-muted"))
    return join(lines)


def _narrow(name: str) -> Markup:
    """Return the name of a column, shown only where its cells stand below each other."""
    return tag("span", name, cls="cl-name")


def _row(row: LetterRow, before: LetterRow | None) -> Markup:
    same = before is not None and before.subject == row.subject
    which = qualifiers_text(row.qualifiers)
    said = say("{document}, version {version} of {day}", document=shorten(row.document, 120), version=row.version, day=_day(row.captured_at))
    since = say("settled {day}", day=_day(row.settled_at)) if row.settled_at else _day(row.since)
    passage = tag("div", "“", long_text(row.passage, 300), "”", cls="cl-quote") if row.passage and row.passage != value_text(row.theirs) else None
    return tag(
        "tr", tag("td", number(row.number), cls="cd-num cd-muted"),
        tag("td", tag("div", shorten(row.subject, 120), cls="cd-muted" if same else "cl-subject"), tag("div", row.predicate.replace("_", " ")[:120]), tag("div", shorten(which, 90), cls="cd-muted cd-small")),
        tag("td", _narrow(say("you say")), tag("b", shorten(value_text(row.theirs), 300)), passage, tag("div", said, cls="cd-muted cd-small")),
        tag("td", _narrow(say("settled on") if row.settled_at else say("we hold")), _ours(row)), tag("td", _narrow(say("since")), since, cls="cd-muted cl-since"),
    )  # fmt: skip


def _draw_letter(desk: Desk, place: Place, letter: Letter) -> None:
    _tools(desk, place, letter)
    about = phrase("about {title}", title=shorten(letter.title, 160))
    address_lines = [
        tag("div", phrase("To the owner of {title}", title=tag("b", shorten(letter.title, 160)))), tag("div", letter.uri[:300], cls="cd-muted cd-mono") if letter.uri else None,
        tag("div", say_count("{n} source of theirs is concerned.", "{n} sources of theirs are concerned.", letter.sources), cls="cd-muted") if letter.sources > 1 else None,
        tag("div", phrase("From {who}, {at}", who=letter.writer[:120], at=exact(letter.at)), cls="cl-from"),
    ]  # fmt: skip
    draw(
        tag(
            "h1",
            say("Contradictions to check, {about}", about=about) if not letter.settled else say("Corrections to make, {about}", about=about),
            cls="cd-title",
        ),
        tag("div", *address_lines, cls="cl-address"),
    )
    if not letter.total:
        words = say("Nothing was settled against this source") if letter.settled else say("Nothing that is open concerns this source")
        draw(tag("div", tag("b", words), say("There is no letter to write."), cls="cd-empty"))
        return
    subjects = phrase_count("They concern {n} subject.", "They concern {n} subjects.", letter.subjects)
    names = [say("no."), say("about"), say("you say"), say("settled on") if letter.settled else say("we hold"), say("since")]
    head = tag("tr", *(tag("th", name, cls="cd-num" if at == 0 else "") for at, name in enumerate(names)))
    rows = [_row(row, letter.rows[at - 1] if at else None) for at, row in enumerate(letter.rows)]
    draw(
        tag("p", _opening(letter), " ", subjects, cls="cd-lead cl-opening"),
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows), cls="cd-table cl-table"), cls="cd-scroll"),
    )
    if letter.cut:
        words = say(
            "The first {n} of {total} are printed here; the CSV beside this letter holds all.", n=number(letter.rows[-1].number), total=number(letter.total)
        ) if letter.rows[-1].number < letter.total else say("The first {n} statements are printed here; the CSV beside this letter holds all.", n=number(len(letter.rows)))  # fmt: skip
        draw(tag("p", words, cls="cd-band"))
    draw(
        tag(
            "p",
            say("We compare what sources state about the same thing, for the same time, and quote each source as it stood in the version named."),
            cls="cd-muted cd-small",
        )
    )


def _choose_tenant(desk: Desk, place: Place) -> None:
    links = [tag("li", tag("a", one, cls="cd-link", href=place.link(tenant=one))) for one in desk.tenants]
    draw(tag("h1", say("Whose source is it?"), cls="cd-title"), tag("ul", *links, cls="cd-list"))


def draw_letter_page(desk: Desk) -> None:
    """Draw the list of sources, or the letter to the one the address names."""
    place = read_place(desk)
    if not place.source:
        attempt(lambda: _draw_picks(desk, place))
        return
    tenant = place.tenant or (place.scope.split("/")[0] if place.scope else None) or (desk.tenants[0] if len(desk.tenants) == 1 else None)
    if tenant is None:
        _choose_tenant(desk, place)
        return
    letter = attempt(lambda: _load(desk, place, tenant))
    if letter is None:
        refusal = take_refusal()
        draw(
            tag("h1", say("There is no letter to write"), cls="cd-title"),
            tag("div", quote_store(refusal["message"]) if refusal else "", cls="cd-band cd-warnband"),
        )
        draw(tag("p", tag("a", say("Choose a source"), cls="cd-link", href=Place(scope=place.scope).link())))
        return
    _draw_letter(desk, place, letter)
