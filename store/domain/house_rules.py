"""House rules: how the house usually settles conflicts over a predicate. They propose; nothing applies them (R11).

A policy holds a list of `{"predicate": NAME, "verdict": …, "prefer": …, "others": …, "because": SENTENCE}`; a predicate of `*`
stands for every one without a rule of its own. Verdict, prefer and others are those of `store.domain.settling`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from store.domain.fields import check_word
from store.domain.settling import Voice, check_rule, choose
from store.domain.strict_json import BadLine, bad_value

ANY = "*"
_RULE = ("verdict", "prefer", "others")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a house rule would settle a conflict by.

    Attributes:
        rule: as a plan that settles takes it.
        because: why the house has this rule, in its own words.
        keep: the records that would stay, first the one that would succeed the others; none for verdicts that keep none.
        why: why the rule does not settle this conflict, None where it does.
    """

    rule: dict[str, Any]
    because: str
    keep: tuple[int, ...]
    why: str | None


def check_house_rules(value: Any) -> list[dict[str, Any]]:
    """Return house rules as they were written.

    Raises:
        BadLine: with a sentence that names the first that is none.
    """
    if not isinstance(value, list):
        raise bad_value("house_rules must be a list of rules")
    seen: set[str] = set()
    for n, rule in enumerate(value, 1):
        if not isinstance(rule, dict):
            raise bad_value(f"house rule {n} must be an object with predicate, verdict and because")
        unknown = set(rule) - {"predicate", "because", *_RULE}
        if unknown:
            raise bad_value(f"house rule {n} holds predicate, verdict, prefer, others and because, not {min(unknown)[:40]!r}")
        try:
            name = check_word("predicate", rule.get("predicate"))
            check_word("because", rule.get("because"))
            check_rule(rule_of(rule))
        except BadLine as bad:
            raise bad_value(f"house rule {n}: {bad.message}") from None
        if name in seen:
            raise bad_value(f"house rule {n} is the second for {name[:60]}")
        seen.add(name)
    return value


def rule_of(house_rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rule a plan would settle by."""
    return {name: house_rule[name] for name in _RULE if name in house_rule}


def find_rule(rules: Sequence[Mapping[str, Any]], predicate: str) -> Mapping[str, Any] | None:
    """Return the rule for a predicate, its own before the one for all."""
    by_name = {rule["predicate"]: rule for rule in rules}
    return by_name.get(predicate, by_name.get(ANY))


def propose(rules: Sequence[Mapping[str, Any]], predicate: str, voices: Sequence[Voice]) -> Proposal | None:
    """Return what the house would settle a conflict by, None where it has no rule; the caller decides and nothing is done."""
    found = find_rule(rules, predicate)
    if found is None:
        return None
    choice = choose(rule_of(found), voices)
    return Proposal(rule_of(found), found["because"], choice.keep, choice.why)
