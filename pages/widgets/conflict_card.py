"""The card of verdicts on one conflict: each with what agents will then read, the words it takes, and one press to commit."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_words import exact_day
from pages.widgets.conflict_decide import (
    Choice,
    choice_of,
    choose,
    field,
    last_receipt,
    mark_of_view,
    other_subject,
    plan_of,
    readers_of,
    settle_one,
    take_said,
    value_of,
)
from pages.widgets.conflict_place import Place
from pages.widgets.conflict_reader import draw_reader
from pages.widgets.conflict_words import VERDICT_ICONS, default_reason, follows_words, short_value, verdict_words
from pages.widgets.decision_guard import take_ignored
from pages.widgets.desk import Desk, address
from pages.widgets.labels import label_text
from pages.widgets.language import phrase, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.rehearsal_place import plan_result_address
from pages.widgets.status import icon
from store import Answer, ConflictQueue, ConflictView, Foreseen, Plan, foresee_verdicts, latest_event, list_people_to_ask, propose_verdicts

#: Values that have a key of their own.
_KEYED = 4
_KEYS = {Answer.SAME: "5", Answer.SPLIT: "6", Answer.DIFFERENT: "7", Answer.NONE: "8", Answer.UNCLEAR: "9", Answer.READER_ERROR: "M"}
_FORESEEN = "conflicts.foreseen"
_SIDES = 8
_PEOPLE = 8


def draw_line(*, hint: bool = True) -> None:
    """Draw what the last press did, or why it did nothing; else how keys work."""
    said, ignored, receipt = take_said(), take_ignored(), last_receipt()
    if said is not None:
        draw(tag("div", icon("info"), tag("span", said), cls="cf-receipt cd-amber"))
    elif ignored:
        words = say_count("A second press came too soon and was ignored.", "{n} presses came too soon and were ignored.", ignored)
        before = say(" Before it: {what}.", what=receipt.words) if receipt else ""
        draw(tag("div", icon("do_not_touch"), tag("span", words, before), cls="cf-receipt cd-amber"))
    elif receipt is not None:
        if receipt.event is not None:
            link = tag("a", say("see what it did"), cls="cd-link", href=plan_result_address(receipt.tenant, receipt.event))
        else:
            link = tag("a", say("see it"), cls="cd-link", href=address("conflicts", conflict=receipt.id, tenant=receipt.tenant))
        left = say_count("{n} conflict left in this list", "{n} conflicts left in this list", receipt.left)
        draw(tag("div", icon("task_alt"), tag("span", receipt.words, " · ", left, " · ", link), cls="cf-receipt cd-teal"))
    elif hint:
        draw(tag("div", say("Keys work while no field is being typed in; Esc leaves a field."), cls="cf-receipt cd-muted"))


def draw_walk(queue: ConflictQueue, place: Place) -> None:
    """Draw the ways to the conflicts beside this one."""

    @uninterrupted
    def go(chosen: tuple[str, str] | None) -> None:
        place.of(chosen).go()

    with st.container(horizontal=True, key="conflicts_walk"):
        st.button(say("Later"), shortcut="S", key="conflicts.later", disabled=queue.after is None, on_click=go, args=(queue.after,))
        st.button(
            say("Previous"), shortcut="K", key="conflicts.previous", disabled=queue.before is None, on_click=go, args=(queue.before,), type="tertiary"
        )
        st.button(say("Next"), shortcut="J", key="conflicts.next", disabled=queue.after is None, on_click=go, args=(queue.after,), type="tertiary")


def _plans(view: ConflictView) -> dict[str, Plan]:
    """Return the verdicts that need no further words, each as a plan."""
    found = {f"keep.{place}": plan_of(view, Choice(Answer.KEEP, place)) for place in range(min(len(view.values), _KEYED))}
    for verdict in (Answer.SAME, Answer.NONE, Answer.UNCLEAR):
        found[verdict.value] = plan_of(view, Choice(verdict, value_of(view)))
    return {name: plan for name, plan in found.items() if isinstance(plan, Plan)}


def _foreseen(desk: Desk, view: ConflictView, plans: dict[str, Plan]) -> dict[str, Foreseen]:
    """Return what plans would do: worked out once, and again only when something happened or another is asked for."""
    seq = latest_event(desk.store, desk.person, view.tenant)
    name = (desk.person, mark_of_view(view), seq)
    kept = st.session_state.get(_FORESEEN)
    known: dict[str, Foreseen] = kept[1] if kept and kept[0] == name else {}
    missing = {one: plan for one, plan in plans.items() if plan.text() not in known}
    if missing:
        found = foresee_verdicts(desk.store, desk.person, view, missing)
        known = {**known, **{plans[one].text(): foreseen for one, foreseen in found.items()}}
        st.session_state[_FORESEEN] = (name, known)
    return {one: known[plan.text()] for one, plan in plans.items()}


def _reads(view: ConflictView, choice: Choice, foreseen: Foreseen | None) -> Markup:
    """Return what agents will read after a verdict."""
    if foreseen is not None and foreseen.refusal is not None:
        return tag("span", icon("do_not_disturb_on"), foreseen.refusal, cls="cd-amber")
    answer = foreseen.answer if foreseen is not None else None
    if choice.verdict in (Answer.KEEP, Answer.SAME):
        if answer == "OK":
            return phrase("Agents will then read {value}", value=tag("b", short_value(view.values[choice.value].value, 60)))
        if answer == "CONFLICT":
            return phrase("Agents will still get {conflict}: something it rests on is contested", conflict=tag("b", say("a conflict")))
        return phrase("Agents will then find {nothing}", nothing=tag("b", say("nothing")))
    if choice.verdict is Answer.UNCLEAR:
        return phrase("Agents keep getting {conflict}; every side is set aside and somebody is asked", conflict=tag("b", say("a conflict")))
    if choice.verdict is Answer.NONE:
        return phrase("Agents will then find {nothing}", nothing=tag("b", say("nothing")))
    words = {"OK": say("an answer"), "CONFLICT": say("a conflict"), "MISSING": say("nothing"), None: say("what they read now")}[answer]
    return phrase("Agents asking this question will then get {answer}", answer=tag("b", words))


def draw_card(desk: Desk, place: Place, view: ConflictView, queue: ConflictQueue) -> None:
    """Draw the verdicts, and for the one chosen what it still takes."""
    draw_line()
    if not view.open or not view.may_decide:
        if view.open:
            words = say(
                "{who} may read this and settles nothing in {scope}: that takes the role of a reviewer there.", who=desk.actor.name, scope=view.scope
            )
            draw(tag("div", icon("visibility"), words, cls="cf-blocked"))
        draw_walk(queue, place)
        return
    choice, found = choice_of(view), _foreseen(desk, view, _plans(view))
    if choice is None:
        _draw_verdicts(desk, view, found)
    else:
        _draw_chosen(desk, place, view, choice)
    draw_walk(queue, place)


def _draw_verdicts(desk: Desk, view: ConflictView, found: dict[str, Foreseen]) -> None:
    draw(tag("h2", say("Which is it?"), cls="cf-which"))
    earlier = view.earlier
    if earlier is not None and earlier.repeatable:
        choice = Choice(Answer(earlier.verdict), _place_of(view, earlier.keep), repeated=True)
        words = phrase(
            "{who} settled the same values on {day}: {verdict}", who=earlier.by, day=exact_day(earlier.at), verdict=verdict_words(earlier.verdict)
        )
        _verdict(view, say("As decided then"), "0", choice, tag("span", words, cls="cf-earlier"), None)
    proposed = propose_verdicts(desk.store, desk.person, view.tenant, [view.id]).get(view.id)
    if proposed is not None and proposed.why is None and proposed.rule["verdict"] != Answer.SPLIT:
        keep = _place_of(view, proposed.keep[0]) if proposed.keep else 0
        words = phrase(
            "The house rule proposes {verdict}: {because}",
            verdict=_proposed_words(view, proposed.rule["verdict"], keep),
            because=proposed.because[:200],
        )
        _verdict(
            view, say("House rule"), "H", Choice(Answer(proposed.rule["verdict"]), keep, proposed=proposed.rule.get("others") or ""), words, None
        )
    for number, value in enumerate(view.values[:_KEYED]):
        choice = Choice(Answer.KEEP, number)
        what = tag("b", short_value(value.value, 60))
        _verdict(view, say("Keep value {n}", n=number + 1), str(number + 1), choice, what, found.get(f"keep.{number}"))
    if len(view.values) > _KEYED:
        st.selectbox(
            say("Keep another value"), range(_KEYED, len(view.values)), index=None, key=field(view, "more"), on_change=_take_more, args=(view,),
            format_func=lambda number: say("value {n}", n=number + 1), placeholder=say("Choose by its number"),
        )  # fmt: skip
    kept = value_of(view)
    same = phrase("One fact, written differently: value {n} stays, on the evidence of all", n=kept + 1)
    _verdict(view, say("Same fact"), _KEYS[Answer.SAME], Choice(Answer.SAME, kept), same, found.get(Answer.SAME.value))
    _verdict(view, say("Both hold …"), _KEYS[Answer.SPLIT], Choice(Answer.SPLIT), tag("span", say("Each for its own time, scope or figure")), None)
    _verdict(
        view,
        say("Different …"),
        _KEYS[Answer.DIFFERENT],
        Choice(Answer.DIFFERENT),
        tag("span", say("One of them is about something else")),
        None,
    )
    _verdict(
        view,
        say("None"),
        _KEYS[Answer.NONE],
        Choice(Answer.NONE),
        tag("span", say("None of them is right; all are revoked")),
        found.get(Answer.NONE.value),
    )
    if readers_of(view):
        means = tag("span", say("An extractor got it wrong, and whatever else it made is in doubt"))
        _verdict(view, say("Misread …"), _KEYS[Answer.READER_ERROR], Choice(Answer.READER_ERROR), means, None)
    _verdict(
        view,
        say("Not yet …"),
        _KEYS[Answer.UNCLEAR],
        Choice(Answer.UNCLEAR),
        tag("span", say("It cannot be told yet; ask whoever may know")),
        found.get(Answer.UNCLEAR.value),
    )


def _proposed_words(view: ConflictView, verdict: str, keep: int) -> Markup:
    value = tag("b", short_value(view.values[keep].value, 40))
    return {
        Answer.KEEP: phrase("to keep {value}", value=value), Answer.SAME: phrase("that it is one fact, and {value} stays", value=value),
        Answer.NONE: phrase("that none is right"), Answer.UNCLEAR: phrase("to ask"), Answer.READER_ERROR: phrase("that a reader erred"),
    }[Answer(verdict)]  # fmt: skip


def _place_of(view: ConflictView, side: str | None) -> int:
    return next((place for place, value in enumerate(view.values) for one in value.sides if one.id == side), 0)


@uninterrupted
def _take_more(view: ConflictView) -> None:
    chosen = st.session_state.get(field(view, "more"))
    if chosen is not None:
        choose(view, Choice(Answer.KEEP, int(chosen)))


def _verdict(view: ConflictView, label: str, key: str, choice: Choice, means: Markup, foreseen: Foreseen | None) -> None:
    button, told = st.columns([11, 14], vertical_alignment="center", gap="small")
    name = f"{choice.verdict.value}.{choice.value}.{key}"
    button.button(
        label, shortcut=key, key=f"conflicts.verdict.{name}.{mark_of_view(view)}", on_click=choose, args=(view, choice), width="stretch",
        disabled=foreseen is not None and foreseen.refusal is not None,
    )  # fmt: skip
    follows = None
    if foreseen is not None:
        after = tag("div", _reads(view, choice, foreseen), cls="cf-reads")
        then = tag("div", follows_words(foreseen), cls="cf-follows") if foreseen.refusal is None and (foreseen.stale or foreseen.delivered) else None
        follows = tag("div", after, then)
    with told:
        draw(tag("div", means if follows is None or choice.verdict is not Answer.KEEP else None, follows, cls="cf-told"))


# --- the verdict that is being given ------------------------------------------------------------------------------


def _draw_chosen(desk: Desk, place: Place, view: ConflictView, choice: Choice) -> None:
    draw(tag("h2", icon(VERDICT_ICONS[choice.verdict]), _title(view, choice), cls="cf-which"))
    fields: dict[Answer, Callable[[ConflictView], None]] = {
        Answer.KEEP: lambda seen: _draw_others(seen, choice), Answer.SAME: lambda seen: _draw_others(seen, choice), Answer.SPLIT: _draw_split,
        Answer.DIFFERENT: _draw_different,
    }  # fmt: skip
    if choice.verdict in fields:
        fields[choice.verdict](view)
    if choice.verdict is Answer.UNCLEAR:
        _draw_people(desk, view)
    if choice.verdict is Answer.READER_ERROR:
        draw_reader(desk, view)
    plan = plan_of(view, choice)
    foreseen = _foreseen(desk, view, {"chosen": plan})["chosen"] if isinstance(plan, Plan) else None
    if foreseen is None:
        draw(tag("div", icon("edit_note"), str(plan), cls="cf-missing"))
    else:
        follows = tag("div", follows_words(foreseen), ".", cls="cd-small") if foreseen.refusal is None else None
        draw(tag("div", tag("div", _reads(view, choice, foreseen)), follows, cls="cf-will"))
    if foreseen is not None and foreseen.unowned:
        words = say_count(
            "Nobody owns {n} artifact of this. Why does nobody need to be told?",
            "Nobody owns {n} artifacts of this. Why does nobody need to be told?",
            len(foreseen.unowned),
        )
        st.text_input(words, key=field(view, "waive"), max_chars=500)
    _draw_reason(view, choice)
    ready = foreseen is not None and foreseen.refusal is None
    with st.container(horizontal=True, vertical_alignment="center"):
        name = label_text(desk.actor.name)
        label = say("Ask as {who}", who=name) if choice.verdict is Answer.UNCLEAR else say("Settle as {who}", who=name)
        st.button(
            label, shortcut="A", type="primary", key=f"conflicts.settle.{mark_of_view(view)}", disabled=not ready, on_click=settle_one,
            args=(desk, place, view, foreseen, choice),
        )  # fmt: skip
        st.button(say("Back"), shortcut="Esc", key=f"conflicts.back.{mark_of_view(view)}", on_click=choose, args=(view, None), type="tertiary")


def _draw_people(desk: Desk, view: ConflictView) -> None:
    """Let the person say who is asked: the owner, unless somebody else may know better."""
    people = {one.id: one for one in list_people_to_ask(desk.store, desk.person, view.tenant, "conflict", view.id) if not one.agent}
    if not people:
        return
    key = field(view, "ask")
    if key not in st.session_state:
        st.session_state[key] = view.owner if view.owner in people else None
    st.pills(
        say("Whom to ask"), list(people)[:_PEOPLE], key=key,
        format_func=lambda one: say("{who}, owner", who=label_text(people[one].name)) if people[one].owner else label_text(people[one].name),
    )  # fmt: skip


def _title(view: ConflictView, choice: Choice) -> Markup:
    value = tag("b", short_value(view.values[choice.value].value, 60))
    if choice.verdict is Answer.KEEP:
        return phrase("{value} is right", value=value)
    if choice.verdict is Answer.SAME:
        return phrase("The same fact; {value} stays", value=value)
    return {
        Answer.SPLIT: phrase("Both hold, each for its own"), Answer.DIFFERENT: phrase("They are about different things"),
        Answer.NONE: phrase("None of them is right"), Answer.READER_ERROR: phrase("An extractor misread"), Answer.UNCLEAR: phrase("It cannot be told yet"),
    }[choice.verdict]  # fmt: skip


def _draw_reason(view: ConflictView, choice: Choice) -> None:
    if choice.verdict is Answer.UNCLEAR:
        label = say("The question")
        hint = say("What would settle it? It is answered from their Today page.")
    else:
        label, hint = say("Reason, kept with the event"), ""
    again = view.earlier.reason if choice.repeated and view.earlier else None
    st.text_area(
        label,
        value=again or default_reason(choice.verdict),
        key=field(view, f"reason.{choice.verdict.value}"),
        height=68,
        max_chars=2000,
        placeholder=hint,
    )


def _draw_others(view: ConflictView, choice: Choice) -> None:
    """Let the person say of each other side whether it is superseded, which is the rule, or revoked."""
    others = [side for place, value in enumerate(view.values) if place != choice.value for side in value.sides]
    for side in others[:_SIDES]:
        number = next(place for place, value in enumerate(view.values, 1) if side in value.sides)
        key = field(view, f"other.{side.id}")
        st.session_state.setdefault(key, "revoked" if choice.proposed == "revoked" else "superseded")
        st.segmented_control(
            say("Value {n} is", n=number) if len(others) == len(view.values) - 1 else say("Value {n}, claim {id} is", n=number, id=label_text(side.id)),
            ["superseded", "revoked"], key=key, required=True, format_func={"superseded": say("superseded by it"), "revoked": say("revoked: it was never true")}.__getitem__,
        )  # fmt: skip


def _draw_split(view: ConflictView) -> None:
    words = say("Narrow at least one claim until they do not overlap. A date reads 2026-06-30; what is left empty stays as it is.")
    draw(tag("div", words, cls="cd-small cd-muted"))
    sides = [(number, side) for number, value in enumerate(view.values, 1) for side in value.sides][:_SIDES]
    for number, side in sides:
        draw(
            tag(
                "div",
                tag("kbd", str(number)),
                " ",
                tag("b", short_value(side.line.get("value"), 60)),
                tag("span", f" {side.id}"[:60], cls="cd-muted cd-small"),
                cls="cf-narrow",
            )
        )
        one, two = st.columns(2, gap="small")
        who = label_text(side.id)
        one.text_input(
            say("{id} holds from", id=who),
            key=field(view, f"valid_from.{side.id}"),
            placeholder=say("holds from"),
            label_visibility="collapsed",
            max_chars=40,
        )
        two.text_input(
            say("{id} holds until", id=who),
            key=field(view, f"valid_to.{side.id}"),
            placeholder=say("until"),
            label_visibility="collapsed",
            max_chars=40,
        )
        one.text_input(
            say("{id} in the narrower scope", id=who),
            key=field(view, f"scope.{side.id}"),
            placeholder=say("narrower scope"),
            label_visibility="collapsed",
            max_chars=400,
        )
        two.text_input(
            say("{id} for the figure", id=who),
            key=field(view, f"which.{side.id}"),
            placeholder=say("name = value"),
            label_visibility="collapsed",
            max_chars=400,
        )


def _draw_different(view: ConflictView) -> None:
    sides = {side.id: place for place, value in enumerate(view.values, 1) for side in value.sides}
    several = len(sides) > len(view.values)
    st.pills(
        say("Which claim is about something else"), list(sides), key=field(view, "different"),
        format_func=lambda side: say("value {n}, claim {id}", n=sides[side], id=label_text(side)) if several else say("value {n}", n=sides[side]),
    )  # fmt: skip
    key = field(view, "subject")
    if key not in st.session_state:
        # Whoever tells two things apart under one name does so for every question about it.
        st.session_state[key] = other_subject(view)
    st.text_input(say("What it is about"), key=key, placeholder=view.subject[:120], max_chars=400)
    draw(
        tag(
            "div", say("It is proposed again under that name and waits among the candidates; this side is superseded by it."), cls="cd-small cd-muted"
        )
    )
