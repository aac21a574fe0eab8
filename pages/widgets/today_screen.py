"""The page of the day: one sentence, counts, what waits by name on the left, what comes up on the right."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import streamlit as st

from pages.widgets.case_due import draw_due
from pages.widgets.desk import Desk, address, attempt, show_notices
from pages.widgets.forgetting_words import ground_words
from pages.widgets.language import later_count, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, say_day, when
from pages.widgets.plan_words import say_made
from pages.widgets.rehearsal_place import rehearsal_address
from pages.widgets.rehearsal_words import totals_words
from pages.widgets.status import icon
from pages.widgets.today_place import QUESTIONS, Place, plan_address, read_place
from pages.widgets.today_questions import draw_answers, draw_ignored, draw_own, draw_waiting
from pages.widgets.today_rows import (
    action_row,
    candidate_row,
    conflict_row,
    date_row,
    draw_more,
    draw_section,
    heading,
    list_of,
    more_link,
    note,
    row_of,
    second_row,
    stale_row,
)
from store import AgendaList, AgendaRow, DueWeek, HandedPlan, OwnPlan, Right, Today, Verb, WaitingDeletion, list_today, view_today

_FEW = 3
_PAST = "past"
_DECIDERS = 6
#: verb -> what a plan of so many records, or conflicts, is called.
_PLANS = {
    Verb.REVOKE: later_count("Withdraw {n} record for good", "Withdraw {n} records for good"),
    Verb.SUSPEND: later_count("Stop using {n} record for now", "Stop using {n} records for now"),
    Verb.REINSTATE: later_count("Use {n} record again", "Use {n} records again"),
    Verb.SUPERSEDE: later_count("Replace {n} record", "Replace {n} records"),
    Verb.RESOLVE: later_count("Decide {n} conflict", "Decide {n} conflicts"),
    Verb.SETTLE: later_count("Settle {n} conflict", "Settle {n} conflicts"),
    Verb.COMPARE: later_count("Compare {n} predicate otherwise", "Compare {n} predicates otherwise"),
    Verb.RECAPTURE: later_count("Put the new version in: {n} record", "Put the new version in: {n} records"),
    Verb.CONFIRM: later_count("Confirm {n} record", "Confirm {n} records"),
    Verb.RESTORE: later_count("Restore what rests on {n} record", "Restore what rests on {n} records"),
}


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    place = read_place(desk)
    if place.unknown is not None:
        words = phrase("There is no list {name} here. This is the whole day.", name=tag("b", place.unknown[:80]))
        draw(tag("div", words, cls="cd-band cd-warnband"))
    day = attempt(lambda: view_today(desk.store, desk.person, scope=desk.scope))
    if day is None:
        draw(tag("h1", say("Today"), cls="cd-title"))
        show_notices()
        return
    with st.container(key="today_screen"):
        if place.show == QUESTIONS:
            _draw_questions_only(desk, place, day)
        elif place.show is not None:
            _draw_list(desk, place, place.show)
        else:
            _draw_day(desk, place, day)


def _draw_day(desk: Desk, place: Place, day: Today) -> None:
    _draw_sentence(desk, day)
    draw_ignored()
    show_notices()
    if day.waiting.total:
        _draw_counts(place, day)
    left, right = st.columns([64, 36], gap="large")
    with left:
        if day.waiting.total:
            _draw_waits(desk, place, day)
        else:
            _draw_nothing(desk, day)
        if day.questions.asked:
            draw(heading(say("You wait for an answer"), len(day.questions.asked)))
            draw_own(desk, day.questions.asked[:_FEW])
            draw_more(_FEW, len(day.questions.asked), place.link(QUESTIONS))
    with right:
        draw_due(desk)
        _draw_weeks(place, day)
        _draw_actions(place, day)
        _draw_plans(place, day)
        _draw_decided(desk, place, day)


def _draw_sentence(desk: Desk, day: Today) -> None:
    waiting = day.waiting
    if waiting.total:
        things = tag("b", say_count("{n} thing", "{n} things", waiting.total))
        sentence = phrase_count("{things} waits for you.", "{things} wait for you.", waiting.total, things=things)
    else:
        sentence = phrase("{nothing} waits for you.", nothing=tag("b", say("Nothing")))
    tail = []
    if waiting.proposed:
        tail.append(
            say_count(
                "{n} candidate you had a part in waits for somebody else.",
                "{n} candidates you had a part in wait for somebody else.",
                waiting.proposed,
            )
        )
    decides = bool(desk.actor.scopes_with(Right.DECIDE))
    if not decides and (waiting.team_candidates or waiting.team_conflicts):
        tail.append(
            say(
                "You look and decide nothing: {candidates} and {conflicts} wait for reviewers.",
                candidates=say_count("{n} candidate", "{n} candidates", waiting.team_candidates),
                conflicts=say_count("{n} conflict", "{n} conflicts", waiting.team_conflicts),
            )
        )
    draw(tag("h1", join((sentence, tag("span", join(tail, " "), cls="cd-muted") if tail else None), " ") if tail else sentence, cls="cy-sentence"))


def _draw_counts(place: Place, day: Today) -> None:
    waiting, scope = day.waiting, place.scope
    chips = (
        (waiting.deletions, "ink_eraser", say_count("{n} request to forget", "{n} requests to forget", waiting.deletions), address("forgetting", scope=scope)),
        (waiting.handed, "move_to_inbox", say_count("{n} plan to commit", "{n} plans to commit", waiting.handed), _handed_address(place)),
        (waiting.questions + waiting.answers, "forum", say_count("{n} question or answer", "{n} questions and answers", waiting.questions + waiting.answers), place.link(QUESTIONS)),
        (waiting.candidates, "pending_actions", say_count("{n} candidate", "{n} candidates", waiting.candidates), address("candidates", scope=scope)),
        (waiting.conflicts, "compare_arrows", say_count("{n} conflict", "{n} conflicts", waiting.conflicts), address("conflicts", scope=scope)),
        (waiting.stale, "history", say_count("{n} of yours to re-validate", "{n} of yours to re-validate", waiting.stale), place.link("stale")),
        (waiting.failed, "error", say_count("{n} message that failed", "{n} messages that failed", waiting.failed), address("deliveries", state="failed", scope=scope)),
        (waiting.unknown, "question_mark", say_count("{n} message of unknown outcome", "{n} messages of unknown outcome", waiting.unknown), address("deliveries", state="unknown", scope=scope)),
    )  # fmt: skip
    draw(
        tag(
            "nav", *(tag("a", icon(symbol), words, cls="cd-link cy-pick", href=href) for count, symbol, words, href in chips if count), cls="cy-picks", label=say("What is shown")
        )
    )


def _draw_waits(desk: Desk, place: Place, day: Today) -> None:
    waiting, questions = day.waiting, day.questions
    if day.deletions:
        draw_section(heading(say("To be forgotten"), waiting.deletions), list_of([_deletion(place, one) for one in day.deletions[:_FEW]]))
        draw_more(_FEW, waiting.deletions, address("forgetting", scope=place.scope))
    if questions.waiting:
        draw(heading(say("Asked of you"), waiting.questions))
        draw_waiting(desk, questions.waiting[:_FEW])
        draw_more(_FEW, waiting.questions, place.link(QUESTIONS))
    if questions.answered:
        draw(heading(say("Answers to your questions"), waiting.answers))
        draw_answers(desk, questions.answered[:_FEW])
        draw_more(_FEW, waiting.answers, place.link(QUESTIONS))
    if waiting.handed:
        rows = list_of([_handed(place, one) for one in day.handed])
        draw_section(heading(say("Handed to you, to commit"), waiting.handed), rows, more_link(len(day.handed), waiting.handed, _handed_address(place)))
    if waiting.stale:
        told = [say_count("{n} of them was delivered", "{n} of them were delivered", waiting.delivered)] if waiting.delivered else []
        if not all(row.readable for row in day.stale):
            told.append(say("a reader cannot open what needs re-validation: ask a reviewer of its scope to look at it"))
        rows = list_of([stale_row(row, place.scope) for row in day.stale])
        more = more_link(len(day.stale), waiting.stale, place.link("stale"))
        draw_section(heading(say("Yours, needs re-validation"), waiting.stale), note(*told) if told else None, rows, more)
    if waiting.failed + waiting.unknown:
        draw_section(heading(say("Not told yet"), waiting.failed + waiting.unknown), list_of(_unsent(place, day)))
    if waiting.second:
        rows = list_of([second_row(row, place.scope) for row in day.second])
        draw_section(
            heading(say("Waits for a second approval"), waiting.second), rows, more_link(len(day.second), waiting.second, place.link("second"))
        )
    if waiting.candidates:
        _draw_candidates(place, day)
    if waiting.conflicts:
        _draw_conflicts(place, day)


def _unsent(place: Place, day: Today) -> list[Markup]:
    waiting = day.waiting
    lines = (
        (waiting.failed, "failed", "error", say_count("{n} message could not be sent", "{n} messages could not be sent", waiting.failed), say_count("It says why. Mend it and send it again, or tell them in another way.", "Each says why. Mend it and send it again, or tell them in another way.", waiting.failed)),
        (waiting.unknown, "unknown", "question_mark", say_count("Of {n} message nobody knows whether it arrived", "Of {n} messages nobody knows whether they arrived", waiting.unknown),
         say_count("It is not sent again by itself. Ask, then say what became of it.", "They are not sent again by themselves. Ask, then say what became of each.", waiting.unknown)),
    )  # fmt: skip
    return [
        row_of(tag("a", words, cls="cd-link cy-title", href=address("deliveries", state=state, scope=place.scope)), hint, "", icon(symbol))
        for count, state, symbol, words, hint in lines if count
    ]  # fmt: skip


def _deletion(place: Place, one: WaitingDeletion) -> Markup:
    title = tag("a", ground_words(one.ground), cls="cd-link cy-title", href=address("forgetting", request=one.id, tenant=one.tenant, scope=place.scope))
    hint = say("Erasing began and something is not settled yet") if one.begun else say("Nothing is erased yet; it is only blocked")
    hints = join((tag("span", hint), tag("span", one.id, cls="cd-id")), " · ")
    if one.due_at is None:
        return row_of(title, hints, say("no date"), icon("ink_eraser"))
    due = from_micros(one.due_at)
    return row_of(title, hints, tag("span", phrase("was due {ago}", ago=when(due)), cls="cd-red") if one.late else say("due {day}", day=say_day(due)), icon("ink_eraser"))


def _handed_address(place: Place) -> str:
    return address("rehearsals", show="handed", scope=place.scope)


def _handed(place: Place, one: HandedPlan) -> Markup:
    title = tag("a", one.name, cls="cd-link cy-title", href=rehearsal_address(one.tenant, one.id, place.scope))
    why = phrase("{by}: {why}", by=tag("b", one.by[:60]), why=one.why[:240])
    return row_of(title, join((why, totals_words(one.totals)), " · "), when(from_micros(one.at)), icon("move_to_inbox"))


def _draw_candidates(place: Place, day: Today) -> None:
    waiting = day.waiting
    parts = []
    if waiting.contradict:
        words = say_count("{n} would contradict something accepted", "{n} would contradict something accepted", waiting.contradict)
        parts.append(tag("a", words, cls="cd-link", href=address("candidates", show="contradicts", scope=place.scope)))
    if day.oldest is not None:
        parts.append(phrase("the oldest came {ago}", ago=when(from_micros(day.oldest))))
    draw_section(
        heading(say("Candidates"), waiting.candidates), note(*parts) if parts else None, list_of([candidate_row(row, place.scope) for row in day.candidates]),
        more_link(len(day.candidates), waiting.candidates, address("candidates", scope=place.scope)),
    )  # fmt: skip


def _draw_conflicts(place: Place, day: Today) -> None:
    waiting = day.waiting
    parts = []
    if waiting.blocking:
        parts.append(say_count("{n} blocks a high-impact action", "{n} block a high-impact action", waiting.blocking))
    if waiting.owned:
        parts.append(say_count("you own {n}", "you own {n}", waiting.owned))
    draw_section(
        heading(say("Conflicts"), waiting.conflicts), note(*parts) if parts else None, list_of([conflict_row(row, place.scope) for row in day.conflicts]),
        more_link(len(day.conflicts), waiting.conflicts, address("conflicts", scope=place.scope)),
    )  # fmt: skip


def _draw_nothing(desk: Desk, day: Today) -> None:
    following = next((week for week in day.weeks if week.name != _PAST and week.reviews + week.expiries), None)
    comes: Markup | str
    if following is not None:
        count = following.reviews + following.expiries
        comes = phrase_count(
            "The next date is in the week of {day}: {n} record.",
            "The next dates are in the week of {day}: {n} records.",
            count,
            day=_day(following.name),
        )
    else:
        comes = say("No date falls in the next weeks.")
    reader = not desk.actor.scopes_with(Right.INSPECT) and not desk.actor.scopes_with(Right.PROPOSE)
    hint = (
        say("What you own, and questions asked of you, appear here.")
        if reader
        else say("What agents propose, what contradicts, and questions asked of you appear here.")
    )
    draw(tag("div", icon("task_alt"), tag("b", comes), tag("div", hint), cls="cd-empty"))


# --- what comes up -------------------------------------------------------------------------------------------------


def _day(name: str) -> str:
    found = date.fromisoformat(name)
    return say_day(from_micros(int((found - date(1970, 1, 1)).total_seconds()) * 1_000_000))


def _draw_weeks(place: Place, day: Today) -> None:
    top = heading(say("Dates of what you own") if day.own_dates else say("Review dates and expiries"))
    total = sum(week.reviews + week.expiries for week in day.weeks)
    if not total:
        draw_section(top, note(say("None is past, and none falls in the next {n} weeks.", n=len(day.weeks) - 1)))
        return
    most = max(week.reviews + week.expiries for week in day.weeks)
    draw_section(top, tag("ul", *(_week(place, week, most, now=n == 1) for n, week in enumerate(day.weeks)), cls="cy-weeks"))


def _week(place: Place, week: DueWeek, most: int, *, now: bool) -> Markup:
    count = week.reviews + week.expiries
    label = say("Before today") if week.name == _PAST else say("This week") if now else say("Week of {day}", day=_day(week.name))
    parts = [
        say_count("{n} review", "{n} reviews", week.reviews) if week.reviews else None,
        say_count("{n} expiry", "{n} expiries", week.expiries) if week.expiries else None,
    ]
    words = join((part for part in parts if part is not None), " · ") if count else say("none")
    size = min(9, -(-9 * count // most)) if count else 0
    bar = tag("span", tag("span", cls=f"cy-fill cy-fill{size}"), cls="cy-bar")
    what = tag("a", words, cls="cd-link", href=place.link("dates", week.name)) if count else tag("span", words, cls="cd-muted")
    return tag("li", tag("span", label, cls="cy-week"), bar, what, cls="cy-past" if week.name == _PAST and count else "")


def _draw_actions(place: Place, day: Today) -> None:
    if not day.actions:
        return
    top = heading(say("High-impact actions"))
    if not day.blocked:
        draw_section(top, note(say_count("The one that is open may go ahead.", "All {n} that are open may go ahead.", day.actions)))
        return
    words = say_count("{n} of {all} is blocked", "{n} of {all} are blocked", day.blocked, all=number(day.actions))
    rows = list_of([action_row(row, place.scope) for row in day.blocked_rows])
    draw_section(top, note(words), rows, more_link(len(day.blocked_rows), day.blocked, place.link("actions")))


def _draw_plans(place: Place, day: Today) -> None:
    if not day.plans:
        return
    changed = [plan for plan in day.plans if plan.changed]
    rest = len(day.plans) - len(changed)
    words = ""
    if changed and rest:
        words = say_count(
            "{n} more plan of yours, not committed, would still do the same.",
            "{n} more plans of yours, not committed, would still do the same.",
            rest,
        )
    elif rest:
        words = say_count(
            "{n} plan of yours, not committed, would still do the same.", "{n} plans of yours, not committed, would still do the same.", rest
        )
    rows = list_of([_plan(place, plan) for plan in changed]) if changed else None
    saved = tag("a", say("Plans saved under a name"), cls="cd-link", href=address("rehearsals", scope=place.scope))
    draw_section(heading(say("Plans you looked at")), rows, note(words, saved) if words else note(saved))


def _draw_decided(desk: Desk, place: Place, day: Today) -> None:
    if not desk.actor.scopes_with(Right.INSPECT):
        return
    total = sum(count for _, _, count in day.decided)
    top = heading(say("Decided today"), total)
    sheet = tag("a", say("The decision sheet"), cls="cd-link", href=address("sheet", scope=place.scope))
    if not total:
        draw_section(top, note(say("Nothing yet today"), sheet))
        return
    rows = [_decider(desk, place, *one) for one in day.decided[:_DECIDERS]]
    rest = say_count("{n} more person", "{n} more people", len(day.decided) - _DECIDERS) if len(day.decided) > _DECIDERS else None
    draw_section(top, tag("ul", *rows, cls="cy-weeks cy-deciders"), note(*(part for part in (rest, sheet) if part is not None)))


def _decider(desk: Desk, place: Place, person: str, name: str, count: int) -> Markup:
    who = say("you") if person == desk.person else name[:60]
    words = say_count("{n} decision", "{n} decisions", count)
    return tag("li", tag("span", who, cls="cy-week"), tag("a", words, cls="cd-link", href=address("sheet", by=person, scope=place.scope)))


def _plan(place: Place, plan: OwnPlan) -> Markup:
    words = say_count(*_PLANS[plan.plan.verb], len(plan.plan.roots)) if plan.plan.roots else say("A plan about all that something made")
    href = plan_address(plan, place.scope)
    title = tag("a", words, cls="cd-link cy-title", href=href) if href else tag("span", words, cls="cy-title")
    why = say("it cannot be carried out any more") if plan.impossible else say("its result has changed since you looked")
    root = tag("span", (plan.plan.roots[0] if plan.plan.roots else say_made(plan.plan.made))[:80], cls="cd-id")
    what = tag("div", title, tag("div", tag("span", why, cls="cd-lost"), " · ", root, cls="cy-why"), cls="cy-what")
    return tag("li", icon("sync_problem"), what, tag("span", when(from_micros(plan.at)), cls="cy-since"), cls="cy-row")


# --- whole lists ---------------------------------------------------------------------------------------------------

_ROWS: dict[str, Callable[[AgendaRow, str | None], Markup]] = {"second": second_row, "stale": stale_row, "actions": action_row, "dates": date_row}


def _list_sentence(show: str, total: int, week: str | None) -> Markup:
    things = tag("b", say_count("{n} record", "{n} records", total))
    if show == "second":
        return phrase_count("{things} waits for a second approval, yours.", "{things} wait for a second approval, yours.", total, things=things)
    if show == "stale":
        return phrase_count("{things} of yours needs re-validation.", "{things} of yours need re-validation.", total, things=things)
    if show == "actions":
        return phrase_count("{things} of high impact is blocked.", "{things} of high impact are blocked.", total, things=things)
    if week == _PAST:
        return phrase_count("{things} was due before today.", "{things} were due before today.", total, things=things)
    return phrase_count(
        "{things} is due in the week of {day}.", "{things} are due in the week of {day}.", total, things=things, day=_day(week or "1970-01-01")
    )


def _back(place: Place) -> None:
    draw(tag("div", tag("a", say("‹ Today"), cls="cd-link", href=place.link()), cls="cd-kicker"))


def _draw_list(desk: Desk, place: Place, show: str) -> None:
    _back(place)
    found: AgendaList | None = attempt(lambda: list_today(desk.store, desk.person, show, scope=desk.scope, week=place.week, after=place.after))
    if found is None:
        draw(tag("h1", say("Today"), cls="cd-title"))
        show_notices()
        return
    draw(tag("h1", _list_sentence(show, found.total, place.week), cls="cy-sentence"))
    show_notices()
    if not found.rows:
        draw(tag("div", tag("b", say("Nothing is left here")), tag("a", say("Back to the day"), cls="cd-link", href=place.link()), cls="cd-empty"))
        return
    draw(list_of([_ROWS[show](row, place.scope) for row in found.rows]))
    if found.total > len(found.rows):
        words = say("{first}–{last} of {all}", first=number(found.first + 1), last=number(found.first + len(found.rows)), all=number(found.total))
        start = tag("a", say("‹ from the start"), cls="cd-link", href=place.link(show, place.week)) if found.first else tag("span", cls="cd-muted")
        end = (
            tag("a", say("next page ›"), cls="cd-link", href=place.link(show, place.week, found.next)) if found.next else tag("span", cls="cd-muted")
        )
        draw(tag("div", start, tag("span", words, cls="cd-muted"), end, cls="cd-pager"))


def _draw_questions_only(desk: Desk, place: Place, day: Today) -> None:
    _back(place)
    waiting, answered, asked = day.questions.waiting, day.questions.answered, day.questions.asked
    things = tag("b", say_count("{n} question", "{n} questions", len(waiting)))
    draw(tag("h1", phrase_count("{things} waits for your answer.", "{things} wait for your answer.", len(waiting), things=things), cls="cy-sentence"))
    draw_ignored()
    show_notices()
    for words, rows, draw_them in (
        (say("Asked of you"), waiting, draw_waiting), (say("Answers to your questions"), answered, draw_answers),
        (say("You wait for an answer"), asked, draw_own),
    ):  # fmt: skip
        if rows:
            draw(heading(words, len(rows)))
            draw_them(desk, rows[:_MOST])
            if len(rows) > _MOST:
                draw(tag("p", say("The oldest {n} are shown; the others follow when these are done.", n=number(_MOST)), cls="cd-muted cd-small"))
    if not (waiting or answered or asked):
        draw(
            tag("div", tag("b", say("Nobody asks you anything")), tag("a", say("Back to the day"), cls="cd-link", href=place.link()), cls="cd-empty")
        )


#: Questions drawn at once; each has its own field.
_MOST = 20
