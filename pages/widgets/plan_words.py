"""What the page that revokes says, as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pages.widgets.language import later, later_count, listed, number, phrase, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.moments import from_micros, say_day, say_minute
from store import Drift, Plan, Rehearsal, Verb, spaced

VERB_LABELS = {Verb.SUSPEND: later("Stop using it for now"), Verb.REVOKE: later("Withdraw for good"), Verb.REINSTATE: later("Use it again")}
VERB_MEANS = {
    Verb.SUSPEND: later("It is out of use until somebody says otherwise. It can be used again, once what rests on it has been looked at."),
    Verb.REVOKE: later("It stays readable and is never used again. There is no way back; a corrected version comes in as something new."),
    Verb.REINSTATE: later("It is used again at once where all that it rests on is in use."),
}
#: Why a verb is refused for what was chosen, without the store's own words.
VERB_REFUSED = {
    Verb.SUSPEND: later("Only what is accepted can be stopped for now. Above it says where each of these stands."),
    Verb.REVOKE: later("What was withdrawn, rejected or deleted already cannot be withdrawn. Above it says where each of these stands."),
    Verb.REINSTATE: later("Only what was stopped for now can be used again. Above it says where each of these stands."),
}
REASON_HINTS = {
    Verb.SUSPEND: later("What is in doubt, and who looks into it"),
    Verb.REVOKE: later("What turned out to be wrong, and how you know"),
    Verb.REINSTATE: later("Why it may be used again"),
}
_BUTTON = {
    Verb.SUSPEND: later_count("Stop using {n} record as {name}", "Stop using {n} records as {name}"),
    Verb.REVOKE: later_count("Withdraw {n} record as {name}", "Withdraw {n} records as {name}"),
    Verb.REINSTATE: later_count("Use {n} record again as {name}", "Use {n} records again as {name}"),
}
_ANY_BUTTON = later_count("Commit this change of {n} record as {name}", "Commit this change of {n} records as {name}")
#: What else a plan may do, by what it is about, or by how many conflicts.
_DOING = {
    Verb.SUPERSEDE: later("Replacing {what}"), Verb.RECAPTURE: later("Putting the new version of {what} in"), Verb.CONFIRM: later("Confirming {what}"),
    Verb.RESTORE: later("Restoring what rests on {what}"), Verb.COMPARE: later("Comparing {what} otherwise"),
}  # fmt: skip
_CONFLICTS_OF = {
    Verb.RESOLVE: later_count("Deciding {n} conflict", "Deciding {n} conflicts"), Verb.SETTLE: later_count("Settling {n} conflict", "Settling {n} conflicts"),
}  # fmt: skip
_COUNTED = {
    "record": later_count("{n} record", "{n} records"),
    "evidence": later_count("{n} source version", "{n} source versions"),
    "claim": later_count("{n} claim", "{n} claims"),
    "artifact": later_count("{n} artifact", "{n} artifacts"),
    "delivered": later_count("{n} delivered artifact", "{n} delivered artifacts"),
    "other": later_count("{n} other artifact", "{n} other artifacts"),
    "recipient": later_count("{n} recipient", "{n} recipients"),
    "notice": later_count("{n} notice", "{n} notices"),
    "step": later_count("{n} step away", "{n} steps away"),
}
_CONFLICTS = {
    "opened": later_count("{n} conflict opens", "{n} conflicts open"),
    "dissolved": later_count("{n} conflict dissolves", "{n} conflicts dissolve"),
    "changed": later_count("{n} conflict gets other sides", "{n} conflicts get other sides"),
}
_DRIFTED = (
    later_count("{n} record added", "{n} records added"),
    later_count("{n} record no longer in it", "{n} records no longer in it"),
    later_count("{n} record changed", "{n} records changed"),
)


def several(count: int, what: str) -> str:
    """Return a count with its noun, such as a kind of record."""
    return say_count(*_COUNTED[what], count)


def name_roots(words: dict[str, str], roots: tuple[str, ...], most: int = 2) -> Markup:
    """Return what is to change, by name."""
    return listed([tag("span", say("“{name}”", name=words.get(root, root)[:160]), cls="cd-named") for root in roots[:most]], most, len(roots))


#: the words a sentence takes -> how records were made, after “everything”; of those that fit, the first for each word is said
_MADE = (
    (("extractor", "version"), later("read by extractor {extractor}, version {version}")),
    (("extractor",), later("read by extractor {extractor}")),
    (("source",), later("bound to {source}")),
    (("import",), later("brought in by import {import}")),
    (("task",), later("proposed for task {task}")),
    (("proposer",), later("proposed by {proposer}")),
    (("predicate",), later("about {predicate}")),
    (("since", "until"), later("recorded since {since} and before {until}")),
    (("since",), later("recorded since {since}")),
    (("until",), later("recorded before {until}")),
    (("scope",), later("in the scope {scope}")),
)


def made_parts(made: Mapping[str, Any]) -> list[str]:
    """Return how records were made, a part for each word or pair of words."""
    left = {
        name: _moment(str(value)) if name in ("since", "until") else (spaced(str(value)) if name == "predicate" else str(value))[:80]
        for name, value in made.items()
    }
    found = []
    for names, sentence in _MADE:
        if all(name in left for name in names):
            found.append(say(sentence, **{name: left.pop(name) for name in names}))
    return found


def _moment(stated: str) -> str:
    """Return a day or a moment as people write it; as it was typed where it is neither."""
    try:
        at = datetime.fromisoformat(stated)
    except ValueError:
        return stated[:80]
    return say_day(at.replace(tzinfo=UTC)) if len(stated) == len("2026-06-30") else say_minute(at if at.tzinfo else at.replace(tzinfo=UTC))


def say_made(made: Mapping[str, Any]) -> str:
    """Return what a plan picks by what made it, as plain words: `everything read by extractor table-reader, recorded since 1 Jun 2026`."""
    return say("everything {parts}", parts=say(", ").join(made_parts(made)))


def name_plan_roots(words: dict[str, str], plan: Plan) -> Markup:
    """Return what a plan is to change, by name, or by what made it."""
    if not plan.made:
        return name_roots(words, plan.roots)
    made = phrase("everything {parts}", parts=join((tag("span", part, cls="cd-named") for part in made_parts(plan.made)), say(", ")))
    return listed([made, *([name_roots(words, plan.roots)] if plan.roots else [])])


def say_impact(found: Rehearsal) -> Markup:
    """Return the sentence that opens a preview."""
    verb, totals = found.plan.verb, found.totals
    if verb not in _BUTTON:
        return _say_other(found)
    what, groups = name_plan_roots(found.words, found.plan), found.folded.groups
    if verb is Verb.REINSTATE:
        back = sum(group.count for group in groups if group.after == "ACCEPTED")
        waiting = totals["affected"] - back
        parts = [say_count("{n} record is used again at once", "{n} records are used again at once", back)] if back else []
        if waiting:
            parts.append(
                say_count(
                    "{n} record first needs re-validation, because something above is out of use",
                    "{n} records first need re-validation, because something above is out of use",
                    waiting,
                )
            )
        effect = tag("b", listed(parts) if parts else say("nothing changes"))
        return tag(
            "p",
            phrase("Using {what} again: {effect}. What fell with it stays as it is until somebody confirms it.", what=what, effect=effect),
            cls="cd-lead",
        )
    leaving = sum(group.count for group in groups if group.before == "ACCEPTED")
    if leaving == totals["affected"]:
        takes = say_count("takes {n} record out of use", "takes {n} records out of use", leaving)
    else:
        takes = say_count("changes {n} record, {in_use} of them in use now", "changes {n} records, {in_use} of them in use now", totals["affected"], in_use=number(leaving))
    parts = _parts(found, sum(group.delivered for group in groups))
    pieces = {"what": what, "takes": tag("b", takes), "parts": listed(parts), "consequences": _consequences(found)}
    if verb is Verb.SUSPEND and parts:
        sentence = phrase("Stopping the use of {what} {takes}: {parts}. {consequences}", **pieces)
    elif verb is Verb.SUSPEND:
        sentence = phrase("Stopping the use of {what} {takes}. {consequences}", **pieces)
    elif parts:
        sentence = phrase("Withdrawing {what} {takes}: {parts}. {consequences}", **pieces)
    else:
        sentence = phrase("Withdrawing {what} {takes}. {consequences}", **pieces)
    return tag("p", sentence, cls="cd-lead")


def _parts(found: Rehearsal, delivered: int) -> list[str]:
    """Return what is affected, by kind; delivered artifacts first."""
    parts = [several(delivered, "delivered")] if delivered else []
    rest = found.by_kind.get("artifact", 0) - delivered
    if rest:
        parts.append(several(rest, "other" if delivered else "artifact"))
    return parts + [several(found.by_kind[kind], kind) for kind in ("claim", "evidence") if found.by_kind.get(kind)]


def _consequences(found: Rehearsal) -> str:
    totals = found.totals
    parts = []
    if totals["notices"]:
        pieces = {"delivered": several(totals["delivered"], "delivered"), "recipients": several(totals["recipients"], "recipient")}
        parts.append(say_count("{n} notice about {delivered} goes to {recipients}", "{n} notices about {delivered} go to {recipients}", totals["notices"], **pieces))
    parts += [say_count(*words, totals[name]) for name, words in _CONFLICTS.items() if totals[name]]
    return say("{parts}.", parts=say("; ").join(parts)) if parts else say("Nobody outside was sent anything that rests on it.")


def _say_other(found: Rehearsal) -> Markup:
    """Return the sentence that opens a preview of what is neither taken out of use nor back in."""
    verb, totals = found.plan.verb, found.totals
    takes = tag("b", say_count("{n} record changes", "{n} records change", totals["affected"]) if totals["affected"] else say("no status changes"))
    if totals["stale"]:
        falls = say_count("{n} needs re-validation", "{n} need re-validation", totals["stale"])
        takes = phrase("{takes}, {falls}", takes=takes, falls=tag("b", falls))
    pieces = {"takes": takes, "consequences": _consequences(found)}
    if verb in _CONFLICTS_OF:
        doing = tag("span", say_count(*_CONFLICTS_OF[verb], len(found.plan.roots)))
    else:
        doing = phrase(_DOING[verb], what=name_plan_roots(found.words, found.plan))
    return tag("p", phrase("{doing}: {takes}. {consequences}", doing=doing, **pieces), cls="cd-lead")


def reason_hint(verb: Verb) -> str:
    """Return what a reason for a plan may say."""
    return say(REASON_HINTS[verb]) if verb in REASON_HINTS else say("Why this is right, and how you know")


def changes_otherwise(found: Rehearsal) -> bool:
    """Return whether a plan does something although no status changes: it narrows, settles, compares otherwise or carries over."""
    return bool(found.totals["conflicts"] or found.impact.intent.narrowed or found.impact.intent.settled or found.impact.intent.recast)


def button_words(verb: Verb, affected: int, name: str) -> str:
    """Return what the deciding button says."""
    return say_count(*_BUTTON.get(verb, _ANY_BUTTON), affected, name=name)


def confirm_words(verb: Verb, affected: int) -> str:
    """Return the sentence to tick before something large."""
    if verb not in (Verb.SUSPEND, Verb.REVOKE, Verb.REINSTATE):
        return say_count("I have seen what this does to {n} record, and want it.", "I have seen what this does to {n} records, and want it.", affected)
    if verb is Verb.REINSTATE:
        return say_count("I have seen which {n} record comes back.", "I have seen which {n} records come back.", affected)
    return say_count("I have seen what this does, and want {n} record out of use.", "I have seen what this does, and want {n} records out of use.", affected)


#: What somebody did, by what it is about: with their name, and to themselves.
_DONE = {
    Verb.SUSPEND: (later("{who} stopped the use of {what}."), later("You stopped the use of {what}.")),
    Verb.REVOKE: (later("{who} withdrew {what}."), later("You withdrew {what}.")),
    Verb.REINSTATE: (later("{who} took {what} back into use."), later("You took {what} back into use.")),
    Verb.SUPERSEDE: (later("{who} replaced {what}."), later("You replaced {what}.")),
    Verb.RECAPTURE: (later("{who} put the new version of {what} in."), later("You put the new version of {what} in.")),
    Verb.CONFIRM: (later("{who} confirmed {what}."), later("You confirmed {what}.")),
    Verb.RESTORE: (later("{who} restored what rests on {what}."), later("You restored what rests on {what}.")),
    Verb.RESOLVE: (later("{who} decided the conflict about {what}."), later("You decided the conflict about {what}.")),
    Verb.SETTLE: (later("{who} settled conflicts about {what}."), later("You settled conflicts about {what}.")),
    Verb.COMPARE: (later("{who} changed how values of {what} are compared."), later("You changed how values of {what} are compared.")),
}  # fmt: skip


def say_done(verb: str, by: str | None, what: Markup) -> Markup:
    """Return what somebody did; `by` is None for the person looking."""
    theirs, mine = _DONE[Verb(verb)]
    return phrase(theirs, who=by, what=what) if by else phrase(mine, what=what)


def say_drift(drift: Drift) -> Markup:
    """Return what is different by now, as a sentence."""
    if drift.impossible is not None:
        return phrase("What was chosen has another status by now, so the plan cannot be carried out any more.")
    parts = [say_count(*words, count) for count, words in zip(drift.counts, _DRIFTED, strict=True) if count]
    return phrase("{parts}.", parts=listed(parts)) if parts else phrase("Deliveries, conflicts or the policy changed.")


def when(moment: int | None) -> str:
    """Return a day as people write it, from microseconds."""
    return "" if moment is None else say_day(from_micros(moment))


def exactly(moment: int | None) -> str:
    """Return a time in full, from microseconds."""
    return "" if moment is None else say_minute(from_micros(moment))


def say_previewed(moment: int) -> str:
    """Return how long ago a preview was worked out, to the second at first: it may be out of date any minute."""
    seconds = max(0, int(datetime.now(UTC).timestamp() - moment / 1_000_000))
    if seconds < 60:
        return say("previewed {n} s ago", n=seconds)
    if seconds < 3_600:
        return say("previewed {n} min ago", n=seconds // 60)
    return say("previewed {hours} h {minutes} min ago", hours=seconds // 3_600, minutes=seconds % 3_600 // 60)


def shorten(text: str, head: int = 4, tail: int = 3) -> str:
    """Return an id with its middle left out."""
    return text if len(text) <= head + tail + 1 else f"{text[:head]}…{text[-tail:]}"


def is_keyed(title: str, label: str) -> bool:
    """Return whether a claim without a sentence of its own is called by its key, so that only its value tells it from others of that name."""
    return label.startswith("claim") and title.endswith(label.removeprefix("claim"))


def label_beside(title: str, label: str) -> str:
    """Return what stands beside a title: its kind, and of a claim what it tells, unless the title says that already."""
    return "claim" if is_keyed(title, label) else label
