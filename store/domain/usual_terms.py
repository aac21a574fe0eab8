"""The terms a house usually sets when it accepts a claim, per predicate: part of a scope's policy.

In a policy they are an object of objects, `"*"` for every predicate that has none of its own:

    "usual_terms": {"*": {"owner": "ana", "review_after_days": 180}, "reported_nav": {"review_after_days": 90}}

A predicate's own terms stand in front of those of `"*"`, term by term. They fill in what a candidate lacks and never
change what it states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from store.domain.promotion import Facts, Terms, Verdict, apply_terms, judge
from store.domain.records import SENSITIVITIES, Artifact, Claim
from store.domain.routes import lifetime_of

ANY_PREDICATE = "*"
DAY = 86_400_000_000
#: A hundred years; longer is a slip of the hand.
_MOST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class UsualTerms:
    """What is usually set; None means: nothing. Dates are days from the decision on."""

    owner: str | None = None
    review_after_days: int | None = None
    expires_after_days: int | None = None
    purposes: tuple[str, ...] | None = None
    sensitivity: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what is set, as a policy holds it."""
        found = {name: getattr(self, name) for name in self.__slots__}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items() if value is not None}


def check_days(name: str, value: Any) -> int:
    """Return a number of days.

    Raises:
        ValueError: with a sentence, without its full stop.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST_DAYS:
        raise ValueError(f"{name} must be a whole number of days, from 1 to {_MOST_DAYS:,}")
    return value


def parse_one(given: Any) -> UsualTerms:
    """Return the usual terms of one predicate.

    Raises:
        ValueError: with a sentence, without its full stop; a term is unknown or has no usable value.
    """
    if not isinstance(given, Mapping):
        raise ValueError("usual terms of a predicate must be an object")  # noqa: TRY004 - a fault of what was typed
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in UsualTerms.__slots__:
            raise ValueError(f"{str(name)[:40]!r} is no usual term; there are {', '.join(UsualTerms.__slots__)}")
        if value is None:
            continue
        if name.endswith("_days"):
            found[name] = check_days(name, value)
        elif name == "purposes":
            if not isinstance(value, list | tuple) or not value or not all(isinstance(one, str) and one.strip() for one in value):
                raise ValueError("purposes must be a list of texts")
            found[name] = tuple(value)
        elif not isinstance(value, str) or not value.strip():
            raise ValueError(f"{name} must be a text")
        elif name == "sensitivity" and value not in SENSITIVITIES:
            raise ValueError(f"sensitivity must be one of {', '.join(SENSITIVITIES)}")
        else:
            found[name] = value
    return UsualTerms(**found)


def parse_usual_terms(given: Any) -> dict[str, UsualTerms]:
    """Return predicate -> usual terms of a policy, `"*"` among them.

    Raises:
        ValueError: with a sentence, without its full stop.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError("usual_terms must be an object of predicates")  # noqa: TRY004 - a fault of what was typed
    return {str(name): parse_one(value) for name, value in given.items()}


def usual_terms_of(policy: Mapping[str, Any], predicate: str | None) -> UsualTerms:
    """Return what is usually set for a predicate (None: an artifact); entries that cannot be read set nothing."""
    held = policy.get("usual_terms")
    if not isinstance(held, Mapping):
        return UsualTerms()
    found: dict[str, Any] = {}
    for name in (ANY_PREDICATE, predicate):
        try:
            found.update(parse_one(held[name]).to_json() if name in held else {})
        except ValueError:
            continue
    return parse_one(found)


def fill_in(record: Claim | Artifact, usual: UsualTerms, at: int) -> Terms:
    """Return the terms that a decision at `at` (microseconds UTC) sets with the usual ones: only what the record lacks.

    A date is the midnight UTC that begins the day, so that a decision repeated within a day sets the same. A record that
    has a review or an expiry date keeps it alone.
    """
    today = at - at % DAY
    dated = record.review_at is not None or record.expires_at is not None
    review, expiry = (None, None) if dated else (usual.review_after_days, usual.expires_after_days)
    purposes, sensitivity = None, None
    if isinstance(record, Claim):
        purposes = usual.purposes if record.purposes == ("*",) and usual.purposes != ("*",) else None
        sensitivity = usual.sensitivity if record.sensitivity == "normal" and usual.sensitivity != "normal" else None
    return Terms(
        owner=usual.owner if not record.owner else None,
        review_at=today + review * DAY if review else None,
        expires_at=today + expiry * DAY if expiry else None,
        purposes=purposes,
        sensitivity=sensitivity,
    )


def join_terms(given: Terms, usual: Terms) -> Terms:
    """Return terms somebody gave with the usual ones where they gave none."""
    names = ("owner", "review_at", "expires_at", "purposes", "sensitivity")
    dated = given.review_at is not None or given.expires_at is not None
    missing = {name: getattr(usual, name) for name in names if getattr(given, name) is None and not (dated and name.endswith("_at"))}
    return replace(given, **missing)


def judge_usually(facts: Facts) -> tuple[Terms, Verdict]:
    """Return the usual terms of a candidate, joined to those it is judged with, and its checks with them."""
    record = facts.record
    usual = usual_terms_of(facts.policy, record.predicate if isinstance(record, Claim) else None)
    if isinstance(record, Claim) and usual.expires_after_days is None:
        usual = replace(usual, expires_after_days=lifetime_of(facts.policy, record.claim_type))
    filled = fill_in(record, usual, facts.at)
    terms = join_terms(facts.terms, filled)
    return terms, judge(replace(facts, record=apply_terms(record, filled), terms=terms))
