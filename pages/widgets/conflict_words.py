"""What the pages about conflicts say: why a conflict stands where it stands, how values differ, and what verdicts mean."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_words import qualifiers_text, shorten, value_text
from pages.widgets.language import say, say_count
from pages.widgets.markup import Markup, tag
from pages.widgets.status import icon
from store import Answer, ConflictBrief, Foreseen, MatrixColumn, Predicate, show_invisible, spaced

#: Stands for sources the person may not read.
HIDDEN = "?"
#: way to look -> icon.
ONLY_ICONS = {"all": "inbox", "blocks": "block", "delivered": "outbox", "threshold": "straighten", "rest": "more_horiz", "asked": "contact_support"}
VERDICT_ICONS = {
    Answer.KEEP: "check", Answer.SAME: "join_inner", Answer.SPLIT: "call_split", Answer.DIFFERENT: "alt_route", Answer.NONE: "block",
    Answer.UNCLEAR: "contact_support", Answer.READER_ERROR: "smart_toy",
}  # fmt: skip


def only_words(only: str) -> str:
    """Return what one way to look at the list is called, after its count."""
    return {
        "all": say("all"), "blocks": say("block an action"), "delivered": say("reach something delivered"), "threshold": say("cross a threshold"),
        "rest": say("other"), "asked": say("wait for an answer"),
    }[only]  # fmt: skip


def why_words(why: str) -> str:
    """Return why a conflict stands where it stands, as a tooltip says it."""
    return {
        "blocks": say("A high-impact action rests on it and is blocked until it is settled"), "delivered": say("Something that rests on it was delivered"),
        "threshold": say("Its values lie on both sides of a number at which they mean another decision"), "rest": say("Nothing that was delivered rests on it"),
    }[why]  # fmt: skip


def likeness_words(likeness: str) -> str:
    """Return how the values of a conflict differ."""
    return {
        "written": say("same words, written differently"), "more": say("one says more than the other"), "near": say("numbers within 1 %"),
        "partly": say("some words in common"), "apart": say("nothing in common"),
    }[likeness]  # fmt: skip


def verdict_words(verdict: str) -> str:
    """Return what a verdict is called where it is told as a fact."""
    return {
        "keep": say("one value was kept"), "same": say("the same fact written differently"), "split": say("both hold, each for its own"),
        "different": say("they are about different things"), "none": say("none of them is right"), "unclear": say("it could not be told yet"),
        "reader_error": say("a reader had erred"),
    }.get(verdict, say("settled"))  # fmt: skip


def default_reason(verdict: Answer) -> str:
    """Return the reason a verdict is prefilled with; a person may write another."""
    return {
        Answer.KEEP: say("Both passages read; this one is right."), Answer.SAME: say("The same fact, written differently."),
        Answer.SPLIT: say("Both hold, each for its own time or circumstances."), Answer.DIFFERENT: say("They are about different things."),
        Answer.NONE: say("None of the passages supports it."), Answer.UNCLEAR: "",
        Answer.READER_ERROR: say("The extractor misread its passages."),
    }[verdict]  # fmt: skip


def comparison_words(compare: str) -> str:
    """Return what counts as the same value, in the middle of a sentence."""
    return {
        "exact": say("exactly as written"), "number": say("as a number"), "date": say("as a date"), "year": say("by its year"),
        "text": say("as text, without regard to case and space"), "host": say("as a web address, by its host"), "set": say("as a set, without regard to order"),
        "version_range": say("as a range of versions"),
    }.get(compare, compare)  # fmt: skip


def compared_by(predicate: Predicate) -> str:
    """Return how values are really compared: a predicate of numbers compares numbers unless it says otherwise."""
    return "number" if predicate.value_type == "number" and predicate.compare == "exact" else predicate.compare


def left_words(why: str) -> str:
    """Return why a rule leaves a conflict alone, after `because`."""
    return {
        "no_rule": say("no value was chosen in them"), "names_nobody": say("the rule names no value in them"), "names_several": say("the rule names several values in them"),
        "no_time": say("a side does not say the time the rule goes by"), "equally_new": say("several values are equally new"),
        "equally_many": say("several values have equally many independent sources"),
        "starts_together": say("several values hold from the same moment on"), "decided_already": say("somebody settled them already"),
        "left_out": say("they were left out"), "rests_on_other": say("what would stay rests on a side that would go"),
        "rests_on_others": say("what would stay rests on a claim that this takes out of use; settle them afterwards"),
        "not_kept": say("what would stay is suspended, and the policy keeps no such claims any more"),
        "still_contradict": say("two of their sides would still contradict each other"),
    }.get(why, say("the rule does not fit them"))  # fmt: skip


def origin_words(name: str, most: int = 48) -> str:
    """Return a name of sources for the screen: an authority's in words."""
    if name == HIDDEN:
        return say("a source outside your scopes")
    return say("no source") if name == "-" else shorten(show_invisible(spaced(name)), most)


def column_lines(column: MatrixColumn) -> list[Markup]:
    """Return what a set of sources is called, a line for each."""
    lines = [tag("span", origin_words(name, 60)) for name in column.origins[:3]]
    if len(column.origins) > 3:
        lines.append(tag("span", say_count("and {n} more", "and {n} more", len(column.origins) - 3)))
    if column.others:
        lines.append(tag("span", say("and others")))
    elif len(column.origins) == 1:
        lines.append(tag("span", say("against itself")))
    return lines


def which_words(qualifiers: dict[str, Any]) -> str:
    """Return which figure is meant, in words; what is null says nothing."""
    return qualifiers_text({name: value for name, value in qualifiers.items() if value is not None})


def question_words(row: ConflictBrief, most: int = 90) -> str:
    """Return which question a conflict is about: subject and which figure."""
    which = which_words(row.qualifiers)
    return shorten(f"{row.subject} ({which})" if which else row.subject, most)


def short_value(value: object, most: int = 120) -> str:
    """Return a value cut for one line."""
    return shorten(whole_value(value, 2_000), most)


def whole_value(value: object, most: int = 50_000) -> str:
    """Return a value as people read it; a small whole number may be a year, and is not marked by thousands."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10_000:
        return str(value)
    return value_text(value, most)


def reach_words(reach: int, delivered: int) -> Markup:
    """Return how many records rest on something and how many of them were delivered."""
    if not reach:
        return tag("span", say("nothing rests on it"), cls="cd-muted")
    words = say_count("{n} record rests on it", "{n} records rest on it", reach)
    if not delivered:
        return tag("span", words)
    return tag("span", words, ", ", tag("b", icon("outbox"), say_count("{n} delivered", "{n} delivered", delivered), cls="cd-amber"))


def follows_words(foreseen: Foreseen) -> str:
    """Return what else a verdict does, after what agents will read."""
    parts = []
    if foreseen.stale:
        parts.append(say_count("{n} record needs re-validation", "{n} records need re-validation", foreseen.stale))
    if foreseen.delivered:
        parts.append(say_count("{n} delivered artifact is reached", "{n} delivered artifacts are reached", foreseen.delivered))
    if foreseen.recipients:
        parts.append(say_count("{n} recipient is told", "{n} recipients are told", foreseen.recipients))
    if foreseen.opened:
        parts.append(say_count("{n} conflict opens elsewhere", "{n} conflicts open elsewhere", foreseen.opened))
    return "; ".join(parts) if parts else say("Nothing else changes")
