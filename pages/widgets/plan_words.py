"""What the page that revokes says, as sentences."""

from __future__ import annotations

from datetime import UTC, datetime

from pages.widgets.markup import Markup, join, tag
from store import Drift, Rehearsal, Verb

VERB_LABELS = {Verb.SUSPEND: "Stop using it for now", Verb.REVOKE: "Withdraw for good", Verb.REINSTATE: "Use it again"}
VERB_MEANS = {
    Verb.SUSPEND: "It is out of use until somebody says otherwise. It can be used again, once what rests on it has been looked at.",
    Verb.REVOKE: "It stays readable and is never used again. There is no way back; a corrected version comes in as something new.",
    Verb.REINSTATE: "It is used again at once where all that it rests on is in use.",
}
#: Why a verb is refused for what was chosen, without the store's own words.
VERB_REFUSED = {
    Verb.SUSPEND: "Only what is accepted can be stopped for now. Above it says where each of these stands.",
    Verb.REVOKE: "What was withdrawn, rejected or deleted already cannot be withdrawn. Above it says where each of these stands.",
    Verb.REINSTATE: "Only what was stopped for now can be used again. Above it says where each of these stands.",
}
REASON_HINTS = {
    Verb.SUSPEND: "What is in doubt, and who looks into it", Verb.REVOKE: "What turned out to be wrong, and how you know", Verb.REINSTATE: "Why it may be used again",
}  # fmt: skip
_DOING = {Verb.SUSPEND: "Stopping the use of", Verb.REVOKE: "Withdrawing", Verb.REINSTATE: "Using"}
_BUTTON = {Verb.SUSPEND: "Stop using {what}", Verb.REVOKE: "Withdraw {what}", Verb.REINSTATE: "Use {what} again"}
_DONE = {Verb.SUSPEND: "stopped the use of", Verb.REVOKE: "withdrew", Verb.REINSTATE: "took back into use"}
_PLURALS = {"evidence": ("source version", "source versions"), "claim": ("claim", "claims"), "artifact": ("artifact", "artifacts")}


def several(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def of_kind(count: int, kind: str) -> str:
    """Return a count of records of a kind."""
    return several(count, *_PLURALS[kind])


def name_roots(words: dict[str, str], roots: tuple[str, ...], most: int = 2) -> Markup:
    """Return what is to change, by name."""
    named = [tag("span", f"“{words.get(root, root)[:160]}”", cls="cd-named") for root in roots[:most]]
    rest = len(roots) - len(named)
    if rest:
        return join((join(named, ", "), f" and {rest:,} more"))
    return join(named, " and ")


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def say_impact(found: Rehearsal) -> Markup:
    """Return the sentence that opens a preview."""
    verb, totals, roots = found.plan.verb, found.totals, found.plan.roots
    doing = join((_DOING[verb], " ", name_roots(found.words, roots)))
    groups = found.folded.groups
    if verb is Verb.REINSTATE:
        back = sum(group.count for group in groups if group.after == "ACCEPTED")
        waiting = totals["affected"] - back
        parts = [f"{several(back, 'record')} {'is' if back == 1 else 'are'} used again at once"] if back else []
        parts += (
            [f"{several(waiting, 'record')} first {'needs' if waiting == 1 else 'need'} re-validation, because something above is out of use"]
            if waiting
            else []
        )
        return tag(
            "p",
            doing,
            " again: ",
            tag("b", _listed(parts) if parts else "nothing changes"),
            ". What fell with it stays as it is until somebody confirms it.",
            cls="cd-lead",
        )
    leaving = sum(group.count for group in groups if group.before == "ACCEPTED")
    delivered = sum(group.delivered for group in groups)
    others = {kind: count - (delivered if kind == "artifact" else 0) for kind, count in found.by_kind.items()}
    parts = [several(delivered, "delivered artifact")] if delivered else []
    if others.get("artifact"):
        parts.append(
            f"{others['artifact']:,} other {'artifact' if others['artifact'] == 1 else 'artifacts'}"
            if delivered
            else of_kind(others["artifact"], "artifact")
        )
    parts += [of_kind(others[kind], kind) for kind in ("claim", "evidence") if others.get(kind)]
    what = several(totals["affected"], "record")
    takes = f"takes {what} out of use" if leaving == totals["affected"] else f"changes {what}, {leaving:,} of them in use now"
    return tag("p", doing, " ", tag("b", takes), f": {_listed(parts)}. " if parts else ". ", _consequences(found), cls="cd-lead")


def _consequences(found: Rehearsal) -> str:
    totals = found.totals
    parts = []
    if totals["notices"]:
        go = "goes" if totals["notices"] == 1 else "go"
        about = several(totals["delivered"], "delivered artifact")
        parts.append(f"{several(totals['notices'], 'notice')} about {about} {go} to {several(totals['recipients'], 'recipient')}")
    for name, one, many in (("opened", "opens", "open"), ("dissolved", "dissolves", "dissolve"), ("changed", "gets other sides", "get other sides")):
        if totals[name]:
            parts.append(f"{several(totals[name], 'conflict')} {one if totals[name] == 1 else many}")
    return "; ".join(parts) + "." if parts else "Nobody outside was sent anything that rests on it."


def button_words(verb: Verb, affected: int, name: str) -> str:
    """Return what the deciding button says."""
    return f"{_BUTTON[verb].format(what=several(affected, 'record'))} as {name}"


def confirm_words(verb: Verb, affected: int) -> str:
    """Return the sentence to tick before something large."""
    if verb is Verb.REINSTATE:
        return f"I have seen which {affected:,} records come back."
    return f"I have seen what this does, and want {affected:,} records out of use."


def done_words(verb: str) -> str:
    """Return what somebody did."""
    return _DONE.get(Verb(verb), "changed")


def say_drift(drift: Drift) -> str:
    """Return what is different by now, as a sentence."""
    if drift.impossible is not None:
        return "What was chosen has another status by now, so the plan cannot be carried out any more."
    parts = [
        f"{several(count, 'record')} {word}"
        for count, word in zip(drift.counts, ("added", "no longer in it", "changed"), strict=True)
        if count
    ]  # fmt: skip
    return f"{_listed(parts) if parts else 'Deliveries, conflicts or the policy changed'}."


def when(moment: int | None) -> str:
    """Return a day as people write it, from microseconds."""
    return "" if moment is None else f"{datetime.fromtimestamp(moment / 1_000_000, UTC):%-d %b %Y}"


def exactly(moment: int | None) -> str:
    """Return a time in full, from microseconds."""
    return "" if moment is None else f"{datetime.fromtimestamp(moment / 1_000_000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def ago(seconds: float) -> str:
    """Return how long ago something was."""
    seconds = max(0, int(seconds))
    if seconds < 60:
        return f"{seconds} s ago"
    if seconds < 3600:
        return f"{seconds // 60} min ago"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min ago"


def shorten(text: str, head: int = 4, tail: int = 3) -> str:
    """Return an id with its middle left out."""
    return text if len(text) <= head + tail + 1 else f"{text[:head]}…{text[-tail:]}"
