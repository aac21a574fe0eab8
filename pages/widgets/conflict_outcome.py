"""What a rule about a group of conflicts would do, as sentences."""

from __future__ import annotations

from pages.widgets.conflict_words import left_words, short_value
from pages.widgets.language import listed, number, phrase, phrase_count, say
from pages.widgets.markup import Markup, join, tag
from pages.widgets.status import icon
from store import Answer, GroupForeseen

#: The rule that changes what counts as the same, beside the verdicts.
COMPARE = "compare"


def group_reason(verdict: str) -> str:
    """Return the reason a rule is prefilled with; a person may write another."""
    return {
        Answer.KEEP: say("Looked through; this source is right about it."), Answer.SAME: say("The same facts, written differently."),
        Answer.SPLIT: say("Each held until the next began."), Answer.NONE: say("None of them is supported."), Answer.UNCLEAR: say("Which of these is right?"),
        COMPARE: say("These values are written differently and mean the same."),
    }[verdict]  # fmt: skip


def outcome_words(matched: int, verdict: str, foreseen: GroupForeseen | None, out: int, beside: int) -> Markup:
    """Return what a rule would do.

    Args:
        matched: how many conflicts the group has; `out`: how many of them are not ticked.
        beside: in how many of those ticked the rule names no single value.
    """
    if foreseen is None:
        return tag("div", icon("edit_note"), say("The rule names no value in any of these. Choose another."), cls="cf-missing")
    if foreseen.refusal is not None:
        return tag("div", icon("do_not_disturb_on"), foreseen.refusal, cls="cf-will cd-amber")
    lines: list[Markup] = []
    if verdict == COMPARE:
        closing = phrase_count("{n} conflict closes", "{n} conflicts close", foreseen.settled, n=tag("b", number(foreseen.settled)))
        opening = phrase_count("{n} opens", "{n} open", foreseen.opened, n=tag("b", number(foreseen.opened)))
        lines.append(tag("div", phrase("{closing}; {opening}. No record changes.", closing=closing, opening=opening)))
    else:
        settles = say("asked about") if verdict == Answer.UNCLEAR else say("settled")
        lines.append(tag("div", phrase_count("Of {all}, {n} is {settled}.", "Of {all}, {n} are {settled}.", foreseen.settled,
            all=number(matched), n=tag("b", number(foreseen.settled)), settled=settles)))  # fmt: skip
    left = [phrase_count("{n} left out by you", "{n} left out by you", out)] if out and verdict != COMPARE else []
    reasons = [(say("the rule names no single value in them"), beside)] if beside else []
    reasons += [(left_words(why), count) for why, count in foreseen.left]
    left += [phrase("{n} because {why}", n=number(count), why=why) for why, count in reasons]
    if left:
        lines.append(tag("div", phrase("Left as they are: {reasons}.", reasons=listed(left))))
    falls = []
    if foreseen.stale:
        falls.append(
            phrase_count("{n} record needs re-validation", "{n} records need re-validation", foreseen.stale, n=tag("b", number(foreseen.stale)))
        )
    if foreseen.delivered:
        falls.append(
            phrase_count(
                "{n} delivered artifact is reached", "{n} delivered artifacts are reached", foreseen.delivered, n=tag("b", number(foreseen.delivered))
            )
        )
    if foreseen.recipients:
        falls.append(phrase_count("{n} recipient is told", "{n} recipients are told", foreseen.recipients))
    if falls:
        lines.append(tag("div", listed(falls), ".", cls="cd-amber"))
    elif verdict != COMPARE:
        lines.append(tag("div", say("Nothing that rests on them falls."), cls="cd-muted"))
    if foreseen.samples:
        reads = listed(
            [join((about[:60], ": ", tag("b", short_value(value, 50)))) for about, value in foreseen.samples],
            total=max(foreseen.answered, len(foreseen.samples)),
        )
        lines.append(tag("div", phrase("Agents will then read {what}.", what=reads), cls="cf-samples"))
    return tag("div", *lines, cls="cf-will")
