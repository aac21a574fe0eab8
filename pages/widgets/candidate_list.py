"""What waits, in one sentence, as counts to press and as a list that keeps its place, document by document."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import Place
from pages.widgets.candidate_words import short_age, value_text
from pages.widgets.desk import address, person_name
from pages.widgets.language import later, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, say_minute
from pages.widgets.status import icon
from pages.widgets.veil import say_kinds
from store import ORDERS, PAGE, CandidateQueue, DocumentCount, Sift, WaitingRow, show_invisible

#: way to look -> (words, icon).
_ONLY = {
    "all": (later("all"), "inbox"), "contradicts": (later("would contradict"), "compare_arrows"),
    "answers": (later("answer a stale record"), "published_with_changes"), "second": (later("wait for a second person"), "how_to_reg"),
    "high": (later("high impact"), "priority_high"), "blocks": (later("hold up another record"), "hourglass_top"), "asked": (later("asked about"), "contact_support"),
    "people": (later("about people"), "person"), "flagged": (later("flagged"), "flag"),
}  # fmt: skip
_ORDER_WORDS = {
    "document": later("by document and page"), "oldest": later("oldest first"), "newest": later("newest first"), "reach": later("most rests on it first"),
}  # fmt: skip
_KIND_WORDS = {"/": later("all kinds"), "claim": later("claims"), "artifact": later("artifacts")}
_KIND = "candidates.kind"
_OWNER = "candidates.owner"
_ORDER = "candidates.order"
_DOCUMENT = "candidates.document"
#: Stands for no choice; others are marked with "=".
_ANY = "/"
#: Owners to choose from: those with the most candidates.
_OWNERS = 200


def draw_sentence(queue: CandidateQueue) -> None:
    """Draw what is so, in one sentence."""
    counts, waiting = queue.whole, queue.yours + queue.others + queue.readable
    if not waiting:
        draw(tag("h1", phrase("{none} waits for you.", none=tag("b", say("No candidate"))), cls="cc-sentence"))
        return
    parts: list[Markup] = []
    if queue.yours:
        wait = tag("b", say_count("{n} candidate", "{n} candidates", queue.yours))
        parts.append(phrase_count("{candidates} waits for you", "{candidates} wait for you", queue.yours, candidates=wait))
    else:
        wait = tag("b", say_count("{n} candidate", "{n} candidates", waiting))
        parts.append(phrase_count("{candidates} waits for somebody else", "{candidates} wait for somebody else", waiting, candidates=wait))
    if counts["contradicts"]:
        bold = tag("b", number(counts["contradicts"]))
        parts.append(phrase_count("{bold} would contradict something accepted", "{bold} would contradict something accepted", counts["contradicts"], bold=bold))
    if counts["second"]:
        bold = tag("b", number(counts["second"]))
        parts.append(phrase_count("{bold} waits for a second person", "{bold} wait for a second person", counts["second"], bold=bold))
    if queue.oldest is not None and datetime.now(UTC).timestamp() - queue.oldest / 1e6 > 60:
        parts.append(phrase("the oldest came {age} ago", age=tag("b", short_age(queue.oldest))))
    draw(tag("h1", join(parts, "; "), ". ", tag("span", " ".join(_not_yours(queue)), cls="cd-muted"), cls="cc-sentence"))


def _not_yours(queue: CandidateQueue) -> list[str]:
    """Return why what waits does not all wait for the person who looks."""
    tail = []
    if not queue.yours:
        if queue.others:
            tail.append(say_count("You had a part in {n} of them.", "You had a part in {n} of them.", queue.others))
        if queue.readable:
            tail.append(say_count("You may look at {n} of them, and decide nothing.", "You may look at {n} of them, and decide nothing.", queue.readable))
        return tail
    if queue.others:
        tail.append(
            say_count(
                "{n} more takes somebody else, because you had a part in it.", "{n} more take somebody else, because you had a part in them.", queue.others
            )
        )
    if queue.readable:
        tail.append(say_count("{n} more you may only look at.", "{n} more you may only look at.", queue.readable))
    return tail


def draw_counts(queue: CandidateQueue, place: Place) -> None:
    """Draw the counts, each a way to the list it counts."""
    chips = []
    for only, (words, symbol) in _ONLY.items():
        count, here = queue.counts[only], place.sift.only == only
        if not count and only != "all" and not here:
            continue
        link = place.link(sift=place.with_sift(only=only))
        shown = (icon(symbol), tag("b", number(count)), " ", say(words))
        chips.append(tag("a", *shown, cls="cd-link cc-pick" + (" cc-here" if here else ""), href=link))
    if queue.unlooked and place.sift.only != "flagged":
        words = say_count("{n} not looked through for flags yet", "{n} not looked through for flags yet", queue.unlooked)
        chips.append(tag("a", icon("flag"), words, cls="cd-link cc-pick cd-muted", href=place.link(sift=place.with_sift(only="flagged")), title=say("Look through all of them now")))
    draw(tag("nav", *chips, cls="cc-picks", label=say("What is shown")))


@uninterrupted
def _take(place: Place) -> None:
    state = st.session_state

    def chosen(key: str) -> str | None:
        return None if state[key] == _ANY else str(state[key])[1:]

    kind = None if state[_KIND] == _ANY else state[_KIND]
    place.go(None, place.with_sift(kind=kind, owner=chosen(_OWNER), document=chosen(_DOCUMENT), order=state[_ORDER]))


def document_words(one: DocumentCount) -> str:
    """Return what a document is called: its source's title and which version."""
    if not one.id:
        return say("Worked out from other records")
    title = show_invisible(one.title)[:90]
    return say("{title}, version {version}", title=title, version=one.version) if one.title != one.id else title


def draw_filters(queue: CandidateQueue, place: Place) -> None:
    """Draw the further filters; the address is what counts, so going back sets them."""
    state, sift = st.session_state, place.sift
    state[_KIND], state[_ORDER] = sift.kind or _ANY, sift.order
    state[_OWNER] = _ANY if sift.owner is None else f"={sift.owner}"
    state[_DOCUMENT] = _ANY if sift.document is None else f"={sift.document}"
    counts = {f"={name}": count for name, count in queue.owners}
    owners = [_ANY, *list(counts)[:_OWNERS]]
    if state[_OWNER] not in owners:
        owners.append(state[_OWNER])
    documents = {f"={one.id}": one for one in queue.documents}
    versions = [_ANY, *documents]
    if state[_DOCUMENT] not in versions:
        versions.append(state[_DOCUMENT])

    def owner_words(name: str) -> str:
        if name == _ANY:
            return say("any owner")
        return say("{name} ({n})", name=show_invisible(person_name(name[1:]))[:60] or say("nobody"), n=number(counts.get(name, 0)))

    def version_words(name: str) -> str:
        if name == _ANY:
            return say("all documents")
        one = documents.get(name)
        return say("{name} ({n})", name=document_words(one), n=number(one.count)) if one else show_invisible(name[1:])[:90]

    with st.container(horizontal=True, key="candidates_filters"):
        for label, options, key, words in (
            (say("Document"), versions, _DOCUMENT, version_words), (say("Owner"), owners, _OWNER, owner_words),
            (say("Kind"), list(_KIND_WORDS), _KIND, lambda one: say(_KIND_WORDS[one])), (say("Order"), list(ORDERS), _ORDER, lambda one: say(_ORDER_WORDS[one])),
        ):  # fmt: skip
            st.selectbox(label, options, key=key, format_func=words, on_change=_take, args=(place,), label_visibility="collapsed")


def row_flags(row: WaitingRow) -> list[Markup]:
    """Return the marks of a candidate in a list, each with its words on hover and for readers of screens."""
    flags = []
    for set_, symbol, words in (
        (row.contradicts, "compare_arrows", say("would contradict something accepted")), (row.answers, "published_with_changes", say("answers a record that needs re-validation")),
        (row.second, "how_to_reg", say("waits for a second person")), (row.high and not row.second, "priority_high", say("high impact: takes two people")),
        (row.before, "history_toggle_off", say("decided before")), (row.blocks, "hourglass_top", say("another record rests on it")),
        (row.asked, "contact_support", say("a question about it is open")),
        (bool(row.flags), "flag", say("seems to tell of {kinds}", kinds=say_kinds(row.flags)) if row.flags else ""),
    ):  # fmt: skip
        if set_:
            flags.append(tag("span", icon(symbol), tag("span", words, cls="cc-onlyread"), title=words, cls="cc-flag"))
    return flags


def _row(row: WaitingRow, place: Place, now: datetime, *, here: bool) -> Markup:
    age = tag("span", short_age(row.since, now), title=say_minute(from_micros(row.since)), cls="cc-age")
    first = tag("span", tag("span", row.title, cls="cc-rowtitle"), *row_flags(row), age, cls="cc-rowtop")
    return tag(
        "a",
        first,
        tag("span", value_text(row.value, 120), cls="cc-rowvalue"),
        cls="cd-link cc-row" + (" cc-here" if here else ""),
        href=place.link((row.tenant, row.id)),
    )


def _rows(queue: CandidateQueue, place: Place, shown: tuple[str, str] | None) -> list[Markup]:
    """Return the lines of the list; in the order of documents each document begins with its name and count."""
    now = datetime.now(UTC)
    documents = {(one.tenant, one.id): one for one in queue.documents}
    found, last = [], None
    for row in queue.rows:
        at = (row.tenant, row.document)
        if place.sift.order == "document" and at != last and at in documents:
            one, last = documents[at], at
            count = say_count("{n} candidate", "{n} candidates", one.count)
            link = place.link(sift=place.with_sift(document=one.id))
            name = tag("a", document_words(one), cls="cd-link", href=link, title=say("Only this document"))
            short = tag("span", number(one.count), tag("span", count, cls="cc-onlyread"), title=count, cls="cd-muted")
            found.append(tag("div", icon("description" if one.id else "schema"), name, short, cls="cc-group"))
        found.append(_row(row, place, now, here=shown == (row.tenant, row.id)))
    return found


def draw_pager(queue: CandidateQueue, place: Place) -> None:
    """Draw where in the list this page is and the ways to its neighbours, if there are any."""
    if queue.matched <= PAGE:
        return
    last = min(queue.first + PAGE, queue.matched)
    here = say("{first}–{last} of {all}", first=number(queue.first + 1), last=number(last), all=number(queue.matched))
    parts = [tag("span", here, cls="cd-muted")]
    for chosen, words in ((queue.page_before, say("‹ earlier page")), (queue.page_after, say("next page ›"))):
        parts.append(tag("a", words, cls="cd-link", href=place.link(chosen)) if chosen else tag("span", words, cls="cc-off"))
    draw(tag("div", parts[1], parts[0], parts[2], cls="cc-pager"))


def draw_list(queue: CandidateQueue, place: Place, shown: tuple[str, str] | None) -> None:
    """Draw one page of the list, the candidate looked at marked."""
    with st.container(height=600, border=True, key="candidates_list"):
        if not queue.rows:
            draw(tag("div", tag("b", say("Nothing matches")), say("Choose other filters above."), cls="cd-empty"))
            return
        draw(tag("div", *_rows(queue, place, shown), cls="cc-rows"))
    draw_pager(queue, place)


def draw_nothing(place: Place) -> None:
    """Draw the state in which nothing is left to decide."""
    sift = place.sift
    if leaves_all_in(sift):
        words = say("Nothing waits in {scope}", scope=sift.scope) if sift.scope else say("Nothing waits")
        told = say("What agents propose from now on appears here. Until then, there is nothing to decide.")
        sheet = tag("a", say("Decisions of today"), cls="cd-link", href=address("sheet", scope=sift.scope))
        draw(tag("div", icon("task_alt"), tag("b", words), told, tag("p", sheet), cls="cd-empty"))
    else:
        everything = tag("a", say("Show everything that waits"), cls="cd-link", href=place.link(sift=Sift(scope=sift.scope)))
        if sift.correction:
            on = tag("a", say("On with the correction"), cls="cd-link cd-button cd-primary", href=address("corrections", case=sift.correction, scope=sift.scope))
            draw(tag("div", icon("task_alt"), tag("b", say("No answer to what fell in this correction waits for you")), tag("p", on), everything, cls="cd-empty"))
            return
        draw(tag("div", tag("b", say("Nothing matches these filters")), everything, cls="cd-empty"))


def leaves_all_in(sift: Sift) -> bool:
    """Return whether a sift leaves out nothing but other scopes."""
    return sift == Sift(scope=sift.scope, order=sift.order)
