"""The head of the page of dependencies: what is so, the counts, and how far and by what one looks."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, record_address
from pages.widgets.graph_panel import say_ways
from pages.widgets.graph_place import LENSES, STEPS, GraphPlace, read_place
from pages.widgets.graph_start import draw_search
from pages.widgets.language import number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import badge, icon
from store import Surroundings, describe_neighbour

_UP, _DOWN, _LENS = "dependencies.up", "dependencies.down", "dependencies.lens"


def draw_head(desk: Desk, around: Surroundings, place: GraphPlace) -> str:
    """Draw the sentence and the counts; return what the focus is called."""
    focus = describe_neighbour(desk.store, desk.person, around.tenant, around.id)
    title = tag("a", _name(focus.named.title), cls="cd-link cd-named", href=record_address(around.id, around.tenant))
    if around.to is not None:
        other = describe_neighbour(desk.store, desk.person, around.tenant, around.to)
        draw(tag("p", say_ways(around, title, tag("a", _name(other.named.title), cls="cd-link cd-named", href=record_address(around.to, around.tenant))), cls="cd-lead"))
        draw(tag("p", tag("a", icon("arrow_back"), say("Back to what stands around it"), cls="cd-link", href=place.link(to=None))))
    else:
        draw(tag("p", _say_focus(around, place, title, badge(focus.named.status, focus.named.kind)), cls="cd-lead"))
    draw(_counts(around, place))
    return focus.named.title


def _name(title: str) -> str:
    """Return a title as it stands within a sentence."""
    return shorten(title, 160).rstrip(".")


def _say_focus(around: Surroundings, place: GraphPlace, title: Markup, state: Markup) -> Markup:
    above = say_count("{n} record", "{n} records", around.all_up)
    below = say_count("{n} record rests on it", "{n} records rest on it", around.all_down)
    if not around.all_up and not around.all_down:
        return phrase("{title} ({state}) stands alone: it rests on nothing, and nothing rests on it.", title=title, state=state)
    trouble: list[Markup] = []
    if around.lost:
        lost = say_count("{n} of what it rests on is out of use", "{n} of what it rests on are out of use", around.lost)
        trouble.append(tag("a", tag("b", lost, cls="cd-amber"), cls="cd-link", href=place.link(up=None, only="lost")))
    if around.sent:
        sent = say_count("{n} that rests on it was delivered", "{n} that rest on it were delivered", around.sent)
        trouble.append(tag("a", tag("b", sent), cls="cd-link", href=place.link(down=None, only="delivered")))
    rest = join((" ", join(trouble, "; "), ".")) if trouble else ""
    if not around.all_up:
        return phrase("{title} ({state}) rests on nothing else. {below}, directly or not.{rest}", title=title, state=state, below=tag("b", below), rest=rest)
    return phrase(
        "{title} ({state}) rests on {above}, and {below}, directly or not.{rest}", title=title, state=state, above=tag("b", above), below=tag("b", below), rest=rest
    )


def _counts(around: Surroundings, place: GraphPlace) -> Markup:
    """Return how much is in view, known before anything is drawn."""
    up, down = around.found.deepest()
    total = tag("a", phrase("{n} in view", n=tag("b", say_count("{n} record", "{n} records", around.count()))), cls="cd-link", href=place.link(kind=None, state=None, step=None, within=None, only=None))
    parts = [
        total, phrase_count("{b} it rests on", "{b} it rests on", around.count(-1), b=_bold(around.count(-1))),
        phrase_count("{b} that rests on it", "{b} that rest on it", around.count(1), b=_bold(around.count(1))),
        phrase_count("{b} line", "{b} lines", around.count_lines(), b=_bold(around.count_lines())),
        phrase("{up} up, {down} down", up=_bold(up), down=_bold(down)), phrase("at most {n} side by side", n=_bold(around.found.widest())),
    ]  # fmt: skip
    parts = [tag("span", part) for part in parts]
    hidden = around.count(seen=False)
    if hidden:
        parts.append(tag("span", icon("visibility_off"), phrase("{n} hidden", n=tag("b", number(hidden))), cls="cd-muted"))
    return tag("div", *parts, cls="cd-counts")


def _bold(count: int) -> Markup:
    return tag("b", number(count))


def _step_word(steps: int | None) -> str:
    return say("all") if steps is None else str(steps)


def _lens_word(lens: str) -> str:
    return {"state": say("State"), "owner": say("Owner"), "distance": say("Distance"), "source": say("Source")}[lens]


@uninterrupted
def _take(desk: Desk) -> None:
    """Take what the controls say; a control that was clicked off keeps its value."""
    place = read_place(desk)
    up, down, lens = (st.session_state.get(key, "") for key in (_UP, _DOWN, _LENS))
    changes: dict[str, object] = {}
    if up is not None and up != "" and _of(up) != place.up:
        changes["up"] = _of(up)
    if down is not None and down != "" and _of(down) != place.down:
        changes["down"] = _of(down)
    if changes:
        place = place.having(**changes)
    replace(place, lens=lens if lens in LENSES else place.lens).go()


def _of(choice: str) -> int | None:
    return None if choice == "all" else int(choice)


def draw_controls(desk: Desk, around: Surroundings, place: GraphPlace) -> None:
    """Draw the search, the steps each way and the lens."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom", key="dependencies.controls"):
        draw_search(desk, around.tenant)
        if around.ways is None:
            for key, label, value in ((_UP, say("Steps up: what it rests on"), place.up), (_DOWN, say("Steps down: what rests on it"), place.down)):
                _choose(desk, key, label, ["all" if one is None else str(one) for one in _with(value)], "all" if value is None else str(value))
        _choose(desk, _LENS, say("Colour by"), list(LENSES), place.lens)


def _with(value: int | None) -> list[int | None]:
    """Return the steps to choose from, with the value of the address among them."""
    numbers = sorted({*(one for one in STEPS if one is not None), *([] if value is None else [value])})
    return [*numbers, None]


def _choose(desk: Desk, key: str, label: str, options: list[str], value: str) -> None:
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    words = {lens: _lens_word(lens) for lens in LENSES} | {"all": _step_word(None)}
    st.segmented_control(label, options, key=key, format_func=lambda one: words.get(one, one), on_change=_take, args=(desk,))


def draw_too_much(around: Surroundings, place: GraphPlace) -> None:
    """Say that there is too much for a picture, and what to do instead."""
    draw(
        tag(
            "div", tag("b", say_count("{n} record is more than a picture can show. ", "{n} records are more than a picture can show. ", around.count())),
            say("The table below has all of them, and so has its CSV."), " ", tag("a", say("Take one step each way"), cls="cd-link", href=place.link(up=1, down=1)), cls="cd-band",
        )
    )  # fmt: skip
