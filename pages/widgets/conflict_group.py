"""One rule for a group of conflicts: chosen by a key, shown with all it would do, committed in one press."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.conflict_decide import Receipt, keep_receipt, say_instead
from pages.widgets.conflict_group_table import left_out, name_group, take_in_all
from pages.widgets.conflict_outcome import COMPARE, group_reason, outcome_words
from pages.widgets.conflict_place import Place
from pages.widgets.conflict_table import columns_of
from pages.widgets.conflict_words import HIDDEN, comparison_words, origin_words
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk
from pages.widgets.labels import label_text
from pages.widgets.language import number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, tag
from store import (
    COMPARISONS,
    LESS,
    MORE,
    SAYS,
    Answer,
    Comparing,
    ConflictQueue,
    GroupForeseen,
    Plan,
    ProposedVerdict,
    Refusal,
    Verb,
    Way,
    choose_in_group,
    commit_plan,
    compare_otherwise,
    foresee_group,
    latest_event,
    list_conflicts_page,
    preview_plan,
    propose_verdicts,
    spaced,
)

_RULE = "conflicts.rule"
_FORESEEN = "conflicts.foreseen_group"
#: Origins that have a key of their own.
_KEYED = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule being given to a group.

    Attributes:
        verdict: one of the verdicts, or COMPARE.
        way: which value stays, for those that keep one; None for the rule's own ways `newest` and `independent`.
        prefer: the rule's own way.
        compare: the comparison, for COMPARE.
        house: it is the house rule, as the policy has it.
    """

    verdict: str
    way: Way | None = None
    prefer: str | None = None
    compare: str | None = None
    house: bool = False


def _rule(place: Place) -> Rule | None:
    name, rule = st.session_state.get(_RULE, (None, None))
    return rule if name == name_group(place) and isinstance(rule, Rule) else None


@uninterrupted
def _take(place: Place, rule: Rule | None) -> None:
    """Take a rule up, or lay it down; the press counts as one, so that a held key goes no further."""
    if counts():
        _set(place, rule)


def _set(place: Place, rule: Rule | None) -> None:
    if rule is None:
        st.session_state.pop(_RULE, None)
    else:
        st.session_state[_RULE] = (name_group(place), rule)


def _origins(queue: ConflictQueue, place: Place) -> list[str]:
    """Return the names a rule may prefer: those of the group, and those that stand beside them on this page."""
    known = [name for name in place.sift.origins if name != HIDDEN]
    beside = columns_of(queue.rows) or sorted({name for row in queue.rows for value in row.values for name in value.names})
    return list(dict.fromkeys([*known, *(name for name in beside if name != HIDDEN)]))[:12]


def _field(place: Place, name: str) -> str:
    return f"conflicts.group.{name}.{name_group(place)}"


def draw_rules(desk: Desk, place: Place, queue: ConflictQueue, tenant: str) -> None:
    """Draw the rules, and for the one chosen what it would do."""
    rule = _rule(place)
    if rule is None:
        _draw_choice(desk, place, queue, tenant)
    else:
        _draw_rule(desk, place, queue, tenant, rule)


def _one(place: Place, key: str, label: str, rule: Rule, means: Markup) -> None:
    button, told = st.columns([11, 14], vertical_alignment="center", gap="small")
    name = mark_of(rule.verdict, rule.way, rule.prefer, rule.compare)
    button.button(label, shortcut=key, key=f"conflicts.rule.{name}.{name_group(place)}", on_click=_take, args=(place, rule), width="stretch")
    with told:
        draw(tag("div", means, cls="cf-told"))


def _draw_choice(desk: Desk, place: Place, queue: ConflictQueue, tenant: str) -> None:
    draw(tag("h2", say("One rule for all that are ticked"), cls="cf-which"))
    origins = _origins(queue, place)
    proposed = _proposed(desk, queue)
    if proposed is not None:
        because = phrase("The house rule for this: {because}", because=proposed.because[:200])
        _one(place, "H", say("House rule"), Rule(proposed.rule["verdict"], house=True), because)
    for key, name in enumerate(origins[:_KEYED], 1):
        means = phrase("What {source} says is right", source=tag("b", origin_words(name)))
        _one(place, str(key), say("Keep {n}", n=key), Rule(Answer.KEEP, Way(SAYS, name)), means)
    way = Way(MORE) if place.sift.likeness == "more" or not origins else Way(SAYS, origins[0])
    _one(
        place,
        "5",
        say("Same fact"),
        Rule(Answer.SAME, way),
        tag("span", say("One fact, written differently: one writing stays, on the evidence of all")),
    )
    _one(place, "6", say("Each its time"), Rule(Answer.SPLIT), tag("span", say("Each value holds until the next begins")))
    comparing = _comparing(desk, place, queue, tenant)
    best = comparing.others[0] if comparing.others else None
    if best is not None:
        closes = phrase_count("Compared {how}, {n} of all {all} about {predicate} would be no conflict", "Compared {how}, {n} of all {all} about {predicate} would be no conflict", best.closes,
            how=tag("b", comparison_words(best.compare)), n=number(best.closes), all=number(comparing.contested), predicate=spaced(place.sift.predicate or "")) if best.closes else tag("span", say("Change what counts as the same value"))  # fmt: skip
        _one(place, "7", say("Compare"), Rule(COMPARE, compare=best.compare), closes)
    _one(place, "8", say("None"), Rule(Answer.NONE), tag("span", say("All of them are revoked")))
    _one(place, "9", say("Not yet"), Rule(Answer.UNCLEAR), tag("span", say("Every side is set aside, and the owner is asked")))


def _proposed(desk: Desk, queue: ConflictQueue) -> ProposedVerdict | None:
    """Return what the house rule says of the first conflict on the page; the rule is one for the predicate."""
    if not queue.rows:
        return None
    first = queue.rows[0]
    return propose_verdicts(desk.store, desk.person, first.tenant, [first.id]).get(first.id)


def _comparing(desk: Desk, place: Place, queue: ConflictQueue, tenant: str) -> Comparing:
    scope = place.sift.scope or (queue.rows[0].scope if queue.rows else None)
    return compare_otherwise(desk.store, desk.person, tenant, place.sift.predicate or "", scope)


def _title(rule: Rule, place: Place) -> Markup:
    if rule.verdict == Answer.KEEP:
        return phrase("One of them is right, the others are not")
    return {
        Answer.SAME: phrase("The same fact, written differently"), Answer.SPLIT: phrase("Each holds until the next begins"), Answer.NONE: phrase("None is right"),
        Answer.UNCLEAR: phrase("It cannot be told yet"), COMPARE: phrase("Compare {predicate} otherwise", predicate=tag("b", spaced(place.sift.predicate or ""))),
    }[rule.verdict]  # fmt: skip


def _draw_rule(desk: Desk, place: Place, queue: ConflictQueue, tenant: str, rule: Rule) -> None:
    draw(tag("h2", _title(rule, place), cls="cf-which"))
    if rule.verdict in (Answer.KEEP, Answer.SAME) and not rule.house:
        _draw_ways(place, queue, rule)
    if rule.verdict == Answer.KEEP and not rule.house:
        _draw_others(place)
    if rule.verdict == COMPARE:
        _draw_comparisons(desk, place, queue, tenant, rule)
    rule = _rule(place) or rule
    plan, beside = _plan(desk, place, queue, tenant, rule)
    foreseen = _foreseen(desk, tenant, plan) if plan.roots else None
    out = len(left_out(place) & {conflict for _, conflict in queue.ids})
    draw(outcome_words(queue.matched, rule.verdict, foreseen, out, beside))
    if foreseen is not None and foreseen.unowned:
        words = say_count(
            "Nobody owns {n} artifact of this. Why does nobody need to be told?",
            "Nobody owns {n} artifacts of this. Why does nobody need to be told?",
            len(foreseen.unowned),
        )
        st.text_input(words, key=_field(place, "waive"), max_chars=500)
    label = say("Question to the owners") if rule.verdict == Answer.UNCLEAR else say("Reason, kept with the event")
    st.text_area(label, value=group_reason(rule.verdict), key=_field(place, f"reason.{rule.verdict}"), height=68, max_chars=2000)
    ready = foreseen is not None and foreseen.refusal is None and (foreseen.settled > 0 or rule.verdict == COMPARE)
    with st.container(horizontal=True, vertical_alignment="center"):
        name = label_text(desk.actor.name)
        if rule.verdict == COMPARE:
            label = say("Change it as {who}", who=name)
        else:
            settled = foreseen.settled if foreseen else 0
            label = say_count("Settle {n} as {who}", "Settle {n} as {who}", settled, who=name) if settled else say("Nothing to settle")
        mark = foreseen.fingerprint[:12] if foreseen else ""
        st.button(
            label, shortcut="A", type="primary", key=f"conflicts.group.settle.{name_group(place)}.{mark}", disabled=not ready, on_click=_settle,
            args=(desk, place, tenant, rule, foreseen),
        )  # fmt: skip
        st.button(say("Back"), shortcut="Esc", key=f"conflicts.group.back.{name_group(place)}", on_click=_take, args=(place, None), type="tertiary")


_NEWEST, _INDEPENDENT = "newest", "independent"


def _draw_ways(place: Place, queue: ConflictQueue, rule: Rule) -> None:
    origins = _origins(queue, place)
    ways: dict[str, Rule] = {f"{SAYS}.{name}": replace(rule, way=Way(SAYS, name), prefer=None) for name in origins}
    ways |= {kind: replace(rule, way=Way(kind), prefer=None) for kind in (MORE, LESS)}
    ways |= {one: replace(rule, way=None, prefer=one) for one in (_NEWEST, _INDEPENDENT)}
    now = rule.prefer or ("" if rule.way is None else f"{SAYS}.{rule.way.origin}" if rule.way.kind == SAYS else rule.way.kind)
    words = {
        MORE: say("what says more than the others"), LESS: say("what says less than the others"), _NEWEST: say("what was observed last"),
        _INDEPENDENT: say("what most independent sources say"),
    }  # fmt: skip
    key = _field(place, f"way.{rule.verdict}")
    st.session_state[key] = now if now in ways else next(iter(ways))
    known = {f"{SAYS}.{name}": say("what {n} says: {source}", n=place_, source=label_text(name, 48)) for place_, name in enumerate(origins, 1)}

    @uninterrupted
    def taken() -> None:
        _set(place, ways.get(st.session_state[key] or "", rule))

    st.pills(say("What stays"), list(ways), key=key, on_change=taken, required=True, format_func=lambda one: words.get(one) or known.get(one, one))


def _draw_others(place: Place) -> None:
    key = _field(place, "others")
    st.session_state.setdefault(key, "superseded")
    words = {"superseded": say("superseded by it"), "revoked": say("revoked: it was never true")}
    st.segmented_control(say("The others are"), list(words), key=key, required=True, format_func=words.__getitem__)


def _draw_comparisons(desk: Desk, place: Place, queue: ConflictQueue, tenant: str, rule: Rule) -> None:
    comparing = _comparing(desk, place, queue, tenant)
    closes = {one.compare: one.closes for one in comparing.others}
    key = _field(place, "compare")
    # A way that would close nothing as it stands is left out, but for numbers, which a tolerance may still bring together.
    options = [one.compare for one in comparing.others if one.closes or one.compare in (rule.compare, "number")]
    st.session_state[key] = rule.compare if rule.compare in options else options[0]

    @uninterrupted
    def taken() -> None:
        _set(place, replace(rule, compare=st.session_state[key] or rule.compare))

    st.pills(
        say("Compare it"), options, key=key, on_change=taken, required=True,
        format_func=lambda one: say_count("{how}: {n} would close", "{how}: {n} would close", closes[one], how=comparison_words(one)),
    )  # fmt: skip
    if rule.compare == "number":
        st.text_input(
            say("Numbers this near are the same"), key=_field(place, "tolerance"), placeholder=say("0.01 or 1 %; leave empty for none"), max_chars=20
        )
    words = phrase(
        "Now it is compared {how}. This changes it for every claim about {predicate} in {scope}; what is written stays as it is.",
        how=comparison_words(comparing.compare), predicate=tag("b", spaced(place.sift.predicate or "")), scope=comparing.scope,
    )  # fmt: skip
    draw(tag("div", words, cls="cd-small cd-muted"))


def _plan(desk: Desk, place: Place, queue: ConflictQueue, tenant: str, rule: Rule) -> tuple[Plan, int]:
    """Return the plan of a rule, and how many of the ticked conflicts it can say nothing about."""
    if rule.verdict == COMPARE:
        comparing = _comparing(desk, place, queue, tenant)
        change: dict[str, object] = {"compare": rule.compare or COMPARISONS[0]}
        text = str(st.session_state.get(_field(place, "tolerance")) or "").strip().replace(" ", "")
        if text and rule.compare == "number":
            change["tolerance"] = _tolerance(text)
        return Plan(Verb.COMPARE, (place.sift.predicate or "",), scope=comparing.scope, comparison=change), 0
    out = left_out(place)
    ids = [conflict for its, conflict in queue.ids if its == tenant and conflict not in out]
    if rule.house:
        proposed = _proposed(desk, queue)
        return Plan(Verb.SETTLE, tuple(ids), rule=proposed.rule if proposed else {"verdict": rule.verdict}), 0
    found: dict[str, object] = {"verdict": rule.verdict}
    if rule.verdict == Answer.KEEP:
        found["others"] = str(st.session_state.get(_field(place, "others")) or "superseded")
    if rule.verdict not in (Answer.KEEP, Answer.SAME):
        return Plan(Verb.SETTLE, tuple(ids), rule=found), 0
    if rule.way is None:
        found["prefer"] = {_NEWEST: {"newest": "observed"}, _INDEPENDENT: {"independent": "most"}}[rule.prefer or _NEWEST]
        return Plan(Verb.SETTLE, tuple(ids), rule=found), 0
    choices = choose_in_group(desk.store, desk.person, tenant, ids, rule.way)
    return Plan(Verb.SETTLE, tuple(sorted(choices)), rule=found, choices=choices), len(ids) - len(choices)


def _tolerance(text: str) -> object:
    from store import parse_tolerance  # noqa: PLC0415

    try:
        return parse_tolerance(text)
    except ValueError:
        return text


def _foreseen(desk: Desk, tenant: str, plan: Plan) -> GroupForeseen:
    """Return what a plan would do, worked out again only when something happened or the plan is another."""
    name = (desk.person, tenant, plan.text(), latest_event(desk.store, desk.person, tenant))
    kept = st.session_state.get(_FORESEEN)
    if kept is None or kept[0] != name:
        kept = (name, foresee_group(desk.store, desk.person, tenant, plan))
        st.session_state[_FORESEEN] = kept
    found: GroupForeseen = kept[1]
    return found


def _go_on(desk: Desk, place: Place) -> int:
    """Stay with what is left of the group, else of the wider group, else of everything; return how many are left there."""
    for wider in (
        replace(place, page=1),
        place.at(likeness=None),
        place.at(only="all", likeness=None),
        place.at(origins=(), others=False, without=(), likeness=None),
    ):
        left = list_conflicts_page(desk.store, desk.person, wider.sift).matched
        if left:
            wider.go()
            return left
    place.overview().go()
    return list_conflicts_page(desk.store, desk.person, place.overview().sift).matched


@uninterrupted
def _settle(desk: Desk, place: Place, tenant: str, rule: Rule, drawn: GroupForeseen) -> None:
    """Commit the rule that is drawn: plan and fingerprint were bound when its button was."""
    if not counts():
        return
    reason = str(st.session_state.get(_field(place, f"reason.{rule.verdict}")) or "").strip()
    if not reason:
        say_instead(say("Give a reason. It is kept with the event. Nothing was settled."))
        return
    waive = str(st.session_state.get(_field(place, "waive")) or "").strip()
    if drawn.unowned and not waive:
        say_instead(say("Say why nobody needs to be told of what nobody owns. Nothing was settled."))
        return
    try:
        # The preview is remembered now: what is committed is still only what has the fingerprint that was drawn.
        preview_plan(desk.store, desk.person, tenant, drawn.plan, rows=0)
        done = commit_plan(
            desk.store, desk.person, tenant, drawn.plan, drawn.fingerprint, reason, operation=f"desk-{mark_of(tenant, drawn.fingerprint, reason)}",
            waived=dict.fromkeys(drawn.unowned, waive) if drawn.unowned else None,
        )  # fmt: skip
    except Refusal as refusal:
        if refusal.code.value in ("unknown_preview", "stale_preview"):
            say_instead(
                say(
                    "Somebody changed something meanwhile, so this would do something else. Nothing was settled. Look at it again, and press once more."
                )
            )
        else:
            say_instead(refusal.message)
        return
    st.session_state.pop(_RULE, None)
    # What was left out is what the next rule is about.
    take_in_all(place)
    left = _go_on(desk, place)
    what = say_count(
        "Settled {n} conflict about {predicate}", "Settled {n} conflicts about {predicate}", drawn.settled, predicate=spaced(place.sift.predicate or "")
    )
    if rule.verdict == COMPARE:
        what = say_count(
            "{predicate} is compared otherwise; {n} conflict closed",
            "{predicate} is compared otherwise; {n} conflicts closed",
            len(done.get("conflicts_dissolved") or ()),
            predicate=spaced(place.sift.predicate or ""),
        )
    elif rule.verdict == Answer.UNCLEAR:
        what = say_count("Asked about {n} conflict", "Asked about {n} conflicts", drawn.settled)
    keep_receipt(Receipt(say("{what}, as {who}", what=what, who=desk.actor.name), "", tenant, left, event=int(done["event"])))
