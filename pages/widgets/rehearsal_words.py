"""What rehearsals are called, and how they stand, in words."""

from __future__ import annotations

from collections.abc import Mapping

from pages.widgets.language import later, later_count, listed, phrase, say, say_count
from pages.widgets.markup import Markup, tag
from pages.widgets.plan_words import name_plan_roots, say_made
from pages.widgets.status import icon
from store import Plan, SavedRehearsal, Verb

#: What a plan is called, by what it is about.
_ABOUT = {
    Verb.REVOKE: later("Withdraw {what} for good"), Verb.SUSPEND: later("Stop using {what} for now"), Verb.REINSTATE: later("Use {what} again"),
    Verb.SUPERSEDE: later("Replace {what}"), Verb.RECAPTURE: later("Put the new version of {what} in"), Verb.CONFIRM: later("Confirm {what}"),
    Verb.RESTORE: later("Restore what rests on {what}"), Verb.COMPARE: later("Compare {what} otherwise"),
}  # fmt: skip
_COUNTED = {
    Verb.RESOLVE: later_count("Decide {n} conflict", "Decide {n} conflicts"),
    Verb.SETTLE: later_count("Settle {n} conflict", "Settle {n} conflicts"),
}
#: how a rehearsal stands -> (word, symbol, tone)
_STANDS = {
    "same": (later("As saved"), "check_circle", "teal"), "changed": (later("Result changed"), "sync_problem", "amber"),
    "impossible": (later("Cannot be carried out any more"), "block", "red"), "committed": (later("Committed"), "task_alt", "slate"),
    "unknown": (later("Not looked at yet"), "hourglass_empty", "grey"),
}  # fmt: skip


def plan_words(plan: Plan, words: Mapping[str, str]) -> Markup:
    """Return what a plan does, with its roots by name where they may be seen."""
    if plan.verb in _COUNTED:
        return tag("span", say_count(*_COUNTED[plan.verb], len(plan.roots)))
    roots = listed([tag("span", say("“{name}”", name=words.get(root, root)[:120])) for root in plan.roots[:2]], 2, len(plan.roots))
    if plan.made:
        roots = name_plan_roots(dict(words), plan)
    return phrase(_ABOUT[plan.verb], what=roots)


def plain_plan_words(plan: Plan, words: Mapping[str, str]) -> str:
    """Return what a plan does as plain text, such as a name for it."""
    if plan.verb in _COUNTED:
        return say_count(*_COUNTED[plan.verb], len(plan.roots))
    if plan.made:
        return say(_ABOUT[plan.verb], what=say_made(plan.made)[:160])
    what = words.get(plan.roots[0], plan.roots[0])[:70]
    if len(plan.roots) > 1:
        what = say("{name} and {n} more", name=what, n=len(plan.roots) - 1)
    return say(_ABOUT[plan.verb], what=what)


def stand_of(row: SavedRehearsal) -> str:
    """Return how a rehearsal stands: same, changed, impossible, committed or unknown."""
    if row.committed is not None:
        return "committed"
    if row.changed is None:
        return "unknown"
    return "impossible" if row.impossible is not None else "changed" if row.changed else "same"


def stand_badge(row: SavedRehearsal) -> Markup:
    """Return how a rehearsal stands as icon, word and colour."""
    word, symbol, tone = _STANDS[stand_of(row)]
    return tag("span", icon(symbol), say(word), cls=f"cd-status cd-{tone}")


def totals_words(totals: Mapping[str, int]) -> str:
    """Return in a few words what a plan does."""
    parts = [say_count("{n} record changes", "{n} records change", totals["affected"])]
    if totals["delivered"]:
        parts.append(say_count("{n} delivered artifact", "{n} delivered artifacts", totals["delivered"]))
    if totals["stale"]:
        parts.append(say_count("{n} needs re-validation", "{n} need re-validation", totals["stale"]))
    return say(", ").join(parts)
