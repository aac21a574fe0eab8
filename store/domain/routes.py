"""Where a proposed claim should go, and why; three questions about it. A suggestion: nothing applies it by itself (R5)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from store.domain.detection import Flag
from store.domain.records import Claim
from store.domain.times import format_time
from store.domain.values import Predicate

#: Where a candidate can go: kept with a scope and an end, or the routes of a rejection.
SUGGESTED = ("durable", "session_only", "not_durable", "sensitive")
#: Why, as short names; the screens have a sentence for each.
WHYS = (
    "flagged", "marked", "inference", "others_words", "type_not_kept", "one_off", "short", "looked_up", "own_words", "confirmed", "sourced",
)  # fmt: skip
_PERSON = "person:"
_DAY = 86_400_000_000
#: What holds for less than this was meant for one occasion.
_SHORT = 2 * _DAY
_ONCE = re.compile(
    r"\b(?:just (?:this once|for (?:now|today|this))|this (?:one )?time(?: only)?|only (?:for )?this (?:time|order|trip|task|letter|meeting|booking|once)|for (?:this|the current) (?:order|trip|task|letter|meeting|booking|visit|stay|session)"
    r"|(?:for )?today only|only today|for now|tonight|exceptionally|as an exception|one-off)\b|这一?次|本次|此次|这回|仅限今天|只限今天|今天先|今晚|暂时|临时|这一?单|本单|此单|这封信|下不为例|例外",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:from now on|always|in (?:the )?future|every time|by default|as a rule|never|remember that)\b|以后|今后|从现在起|一直|总是|每次|默认|永远|记住|都用|都要",
    re.IGNORECASE,
)
_MOVES = re.compile(
    r"(?:^|_)(?:weather|temperature|exchange_rate|stock_price|share_price|spot_price|price_now|current_\w+|opening_hours|availability|in_stock|stock_level|queue_length|waiting_time|traffic|time_now|location_now|balance_now|headline|status_now|wait_time)(?:$|_)"
    r"|天气|汇率|股价|实时|库存|营业时间|路况|当前",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the three questions, answered from the record's own fields.

    Attributes:
        question: `improves` (which future task does it improve), `about` (whom does it describe) or `lapses` (when).
        told: (field, what it says) of the fields that answer it; none: nobody said.
    """

    question: str
    told: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the answer as the command line prints it."""
        return {"question": self.question, "told": dict(self.told)}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Where a candidate should go.

    Attributes:
        route: one of `SUGGESTED`; `why`: one of `WHYS`; `reason`: the same as a sentence.
        asks: what keeping it should still be asked: `scope`, `expiry`, `improves`.
        days: how long what it is is kept by default under the policy, None where the policy does not say.
        confirmation: how the person meant confirmed it: `confirmed`, `own_words`, `no`, or `nobody` where no person is meant.
    """

    route: str
    why: str
    reason: str
    answers: tuple[Answer, ...]
    asks: tuple[str, ...] = ()
    days: int | None = None
    confirmation: str = "nobody"

    def to_json(self) -> dict[str, Any]:
        """Return the suggestion as the command line prints it."""
        return {
            "route": self.route, "why": self.why, "reason": self.reason, "answers": [one.to_json() for one in self.answers], "asks": list(self.asks),
            "days": self.days, "confirmation": self.confirmation,
        }  # fmt: skip


def lifetime_of(policy: Mapping[str, Any], claim_type: str) -> int | None:
    """Return for how many days claims of a type are kept by default, None where the policy does not say."""
    held = policy.get("lifetimes")
    days = held.get(claim_type) if isinstance(held, Mapping) else None
    return days if isinstance(days, int) and not isinstance(days, bool) and days > 0 else None


def describes_person(record: Claim, predicate: Predicate | None) -> bool:
    """Return whether a claim is about a person: by its subject, or by what its predicate is about."""
    return record.subject.startswith(_PERSON) or (predicate is not None and predicate.about == "person")


def _confirmation(record: Claim, predicate: Predicate | None) -> str:
    if not describes_person(record, predicate):
        return "nobody"
    if record.confirmed_by:
        return "confirmed"
    own = record.speaker is not None and record.speaker.removeprefix(_PERSON) == record.subject.removeprefix(_PERSON)
    return "own_words" if own and record.claim_type != "inference" else "no"


def answer_questions(record: Claim, predicate: Predicate | None) -> tuple[Answer, ...]:
    """Return the three questions with what the record's own fields say to each."""
    improves = [("purposes", ", ".join(record.purposes))] if record.purposes not in ((), ("*",)) else []
    if record.conditions:
        improves.append(("conditions", record.conditions))
    about = [("subject", record.subject)] if describes_person(record, predicate) or record.subject else []
    lapses = [(name, format_time(at)) for name in ("expires_at", "valid_to", "review_at") if (at := getattr(record, name)) is not None]
    if record.revalidate_on:
        lapses.append(("revalidate_on", ", ".join(record.revalidate_on)))
    return (Answer("improves", tuple(improves)), Answer("about", tuple(about)), Answer("lapses", tuple(lapses)))


def _words(record: Claim) -> str:
    value = record.value if isinstance(record.value, str) else ""
    return "\n".join(part for part in (value, record.statement, record.conditions, *(binding.quote for binding in record.evidence)) if part)[:20_000]


def suggest_route(record: Claim, predicate: Predicate | None, flags: Sequence[Flag], policy: Mapping[str, Any]) -> Suggestion:
    """Return where a claim should go by what it is, who said it and what was found in it, the first reason that holds."""
    confirmation = _confirmation(record, predicate)
    route, why, reason = _route(record, predicate, flags, policy, confirmation)
    days = lifetime_of(policy, record.claim_type)
    asks = []
    if route == "durable":
        if describes_person(record, predicate) and "/" not in record.scope and record.purposes == ("*",):
            asks.append("scope")
        if not any((record.expires_at, record.valid_to, record.review_at, record.revalidate_on)):
            asks.append("expiry")
    return Suggestion(route, why, reason, answer_questions(record, predicate), tuple(asks), days, confirmation)


def _route(record: Claim, predicate: Predicate | None, flags: Sequence[Flag], policy: Mapping[str, Any], confirmation: str) -> tuple[str, str, str]:
    kept = policy.get("sensitivities", ())
    sensitive = [flag for flag in flags if flag.kind != "contact" and ("credential" if flag.kind == "credential" else "sensitive") not in kept]
    if sensitive:
        return "sensitive", "flagged", f"{sensitive[0].reason} Such things are not kept by default."
    if record.sensitivity != "normal" and record.sensitivity not in kept:
        return "sensitive", "marked", f"It is marked {record.sensitivity}, which is not kept by default."
    who = record.subject.removeprefix(_PERSON)[:80]
    if confirmation == "no" and record.claim_type == "inference":
        return "not_durable", "inference", f"It is an inference about {who}, whom nobody asked."
    if confirmation == "no":
        return "not_durable", "others_words", f"It describes {who} in somebody else's words."
    types = policy.get("kept_types")
    if types and record.claim_type not in types:
        return "not_durable", "type_not_kept", f"Claims of the type {record.claim_type} are not kept here."
    words = _words(record)
    if _ONCE.search(words) and not _LASTING.search(words):
        return "session_only", "one_off", "Its words speak of this once."
    if record.task is not None and record.purposes == (record.task,):
        return "session_only", "one_off", "It is kept for the purpose of its own task only."
    if (
        record.valid_from is not None
        and record.valid_to is not None
        and record.valid_to - record.valid_from <= _SHORT
        and not (predicate and predicate.series)
    ):
        return "session_only", "short", "It would hold for two days at most."
    if _MOVES.search(record.predicate):
        return "not_durable", "looked_up", "It changes by itself, and is cheaper to look up each time."
    if confirmation == "confirmed":
        return "durable", "confirmed", f"{record.confirmed_by} confirmed it."
    if confirmation == "own_words":
        return "durable", "own_words", "It is the person's own statement."
    return "durable", "sourced", "It describes no person, and nothing in it speaks against keeping it."
