"""What waits, in one sentence, as counts to press and as a list that keeps its place."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from pages.widgets.candidate_place import Place
from pages.widgets.candidate_words import plural, short_age, value_text
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from store import PAGE, CandidateQueue, Sift, WaitingRow, show_invisible

#: way to look -> (words, icon).
_ONLY = {
    "all": ("all", "inbox"), "contradicts": ("would contradict", "compare_arrows"), "second": ("wait for a second person", "how_to_reg"),
    "high": ("high impact", "priority_high"), "blocks": ("hold up another record", "hourglass_top"),
}  # fmt: skip
_KIND = "candidates.kind"
_OWNER = "candidates.owner"
_ORDER = "candidates.order"
_ANY = "any"
#: Owners to choose from: those with the most candidates.
_OWNERS = 200


def draw_sentence(queue: CandidateQueue) -> None:
    """Draw what is so, in one sentence."""
    counts, waiting = queue.counts, queue.yours + queue.others + queue.readable
    if not waiting:
        draw(tag("h1", tag("b", "No candidate"), " waits for you.", cls="cc-sentence"))
        return
    parts = [
        join(
            (tag("b", plural(queue.yours, "candidate") if queue.yours else "No candidate"), " wait for you" if queue.yours > 1 else " waits for you")
        )
    ]
    if counts["contradicts"]:
        parts.append(join((tag("b", f"{counts['contradicts']:,}"), " would contradict something accepted")))
    if counts["second"]:
        parts.append(
            join((tag("b", f"{counts['second']:,}"), " waits for a second person" if counts["second"] == 1 else " wait for a second person"))
        )
    if queue.oldest is not None and short_age(queue.oldest) != "now":
        parts.append(join(("the oldest came ", tag("b", short_age(queue.oldest)), " ago")))
    tail = (
        [f"{plural(queue.others, 'more takes', 'more take')} somebody else, because you had a part in {'it' if queue.others == 1 else 'them'}."]
        if queue.others
        else []
    )
    tail += [f"{queue.readable:,} more you may only look at."] if queue.readable else []
    draw(tag("h1", join(parts, "; "), ". ", tag("span", " ".join(tail), cls="cd-muted"), cls="cc-sentence"))


def draw_counts(queue: CandidateQueue, place: Place) -> None:
    """Draw the counts, each a way to the list it counts."""
    chips = []
    for only, (words, symbol) in _ONLY.items():
        count, here = queue.counts[only], place.sift.only == only
        if not count and only != "all" and not here:
            continue
        cls = "cd-link cc-pick" + (" cc-here" if here else "")
        chips.append(tag("a", icon(symbol), tag("b", f"{count:,}"), f" {words}", cls=cls, href=place.link(sift=place.with_sift(only=only))))
    draw(tag("nav", *chips, cls="cc-picks"))


def _take(place: Place) -> None:
    state = st.session_state
    owner = state[_OWNER]
    kind = None if state[_KIND] == _ANY else state[_KIND]
    place.go(None, place.with_sift(kind=kind, owner=None if owner == _ANY else owner[1:], newest=state[_ORDER] == "newest"))


def draw_filters(queue: CandidateQueue, place: Place) -> None:
    """Draw the further filters; the address is what counts, so going back sets them."""
    state, sift = st.session_state, place.sift
    state[_KIND], state[_ORDER] = sift.kind or _ANY, "newest" if sift.newest else "oldest"
    state[_OWNER] = _ANY if sift.owner is None else f"={sift.owner}"
    counts = {f"={name}": count for name, count in queue.owners}
    owners = [_ANY, *list(counts)[:_OWNERS]]
    if state[_OWNER] not in owners:
        owners.append(state[_OWNER])

    def owner_words(name: str) -> str:
        return "any owner" if name == _ANY else f"{show_invisible(name[1:])[:60] or 'nobody'} ({counts.get(name, 0):,})"

    kinds = {_ANY: "all kinds", "claim": "claims", "artifact": "artifacts"}
    with st.container(horizontal=True, key="candidates_filters"):
        st.selectbox("Owner", owners, key=_OWNER, format_func=owner_words, on_change=_take, args=(place,), label_visibility="collapsed")
        st.selectbox("Kind", list(kinds), key=_KIND, format_func=kinds.__getitem__, on_change=_take, args=(place,), label_visibility="collapsed")
        st.selectbox(
            "Order",
            ["oldest", "newest"],
            key=_ORDER,
            format_func=lambda one: f"{one} first",
            on_change=_take,
            args=(place,),
            label_visibility="collapsed",
        )


def _row(row: WaitingRow, place: Place, now: datetime, *, here: bool) -> Markup:
    flags = []
    for set_, symbol, words in (
        (row.contradicts, "compare_arrows", "would contradict something accepted"), (row.second, "how_to_reg", "waits for a second person"),
        (row.high and not row.second, "priority_high", "high impact: takes two people"), (row.before, "history_toggle_off", "decided before"), (row.blocks, "hourglass_top", "another record rests on it"),
    ):  # fmt: skip
        if set_:
            flags.append(tag("span", icon(symbol), title=words, cls="cc-flag"))
    age = tag("span", short_age(row.since, now), title=datetime.fromtimestamp(row.since / 1e6, UTC).strftime("%-d %b %Y, %H:%M UTC"), cls="cc-age")
    first = tag("span", tag("span", row.title, cls="cc-rowtitle"), *flags, age, cls="cc-rowtop")
    return tag(
        "a",
        first,
        tag("span", value_text(row.value, 120), cls="cc-rowvalue"),
        cls="cd-link cc-row" + (" cc-here" if here else ""),
        href=place.link((row.tenant, row.id)),
    )


def _pager(queue: CandidateQueue, place: Place) -> Markup:
    last = min(queue.first + PAGE, queue.matched)
    parts = [tag("span", f"{queue.first + 1:,}–{last:,} of {queue.matched:,}", cls="cd-muted")]
    for chosen, words in ((queue.page_before, "‹ earlier page"), (queue.page_after, "next page ›")):
        parts.append(tag("a", words, cls="cd-link", href=place.link(chosen)) if chosen else tag("span", words, cls="cc-off"))
    return tag("div", parts[1], parts[0], parts[2], cls="cc-pager")


def draw_list(queue: CandidateQueue, place: Place, shown: tuple[str, str] | None) -> None:
    """Draw one page of the list, the candidate looked at marked."""
    now = datetime.now(UTC)
    with st.container(height=600, border=True, key="candidates_list"):
        if not queue.rows:
            draw(tag("div", tag("b", "Nothing matches"), "Choose other filters above.", cls="cd-empty"))
            return
        draw(tag("div", *(_row(row, place, now, here=shown == (row.tenant, row.id)) for row in queue.rows), cls="cc-rows"))
    if queue.matched > PAGE:
        draw(_pager(queue, place))


def draw_nothing(place: Place) -> None:
    """Draw the state in which nothing is left to decide."""
    sift = place.sift
    if sift == Sift(scope=sift.scope):
        where = f" in {sift.scope}" if sift.scope else ""
        draw(
            tag(
                "div",
                icon("task_alt"),
                tag("b", f"Nothing waits{where}"),
                "What agents propose from now on appears here. Until then, there is nothing to decide.",
                cls="cd-empty",
            )
        )
    else:
        draw(
            tag(
                "div",
                tag("b", "Nothing matches these filters"),
                tag("a", "Show everything that waits", cls="cd-link", href=place.link(sift=Sift(scope=sift.scope))),
                cls="cd-empty",
            )
        )
