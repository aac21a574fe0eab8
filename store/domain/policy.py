"""What a scope's policy may say, and how it is read when somebody changes it (R2, R11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from store.domain.elsewhere import OTHER_LOGS, REPLICAS, check_elsewhere
from store.domain.fields import check_share, check_words
from store.domain.house_rules import check_house_rules
from store.domain.records import CLAIM_TYPES, SENSITIVITIES
from store.domain.strict_json import BadLine
from store.domain.text import find_forbidden
from store.domain.usual_terms import check_days, parse_usual_terms
from store.domain.watch_words import check_watch_words

#: What the checks go by where no policy says otherwise.
LEAST_CONFIDENCE = 0.8


def _ranks(value: Any) -> list[str]:
    found = list(check_words("authority_ranks", value))
    if len(set(found)) != len(found):
        raise ValueError("an authority stands in the ranks twice")
    return found


def _sensitivities(value: Any) -> list[str]:
    found = list(check_words("sensitivities", value))
    unknown = [one for one in found if one not in SENSITIVITIES]
    if unknown:
        raise ValueError(f"{unknown[0][:40]!r} is no sensitivity; there are {', '.join(SENSITIVITIES)}")
    return sorted(set(found))


def _usual_terms(value: Any) -> dict[str, Any]:
    return {name: terms.to_json() for name, terms in parse_usual_terms(value).items() if terms.to_json()}


def _kept_types(value: Any) -> list[str]:
    found = list(check_words("kept_types", value))
    unknown = [one for one in found if one not in CLAIM_TYPES]
    if unknown:
        raise ValueError(f"{unknown[0][:40]!r} is no type of claim; there are {', '.join(CLAIM_TYPES)}")
    return sorted(set(found))


def _lifetimes(value: Any) -> dict[str, int]:
    if not isinstance(value, Mapping):
        raise ValueError("lifetimes must be an object: type of claim -> days")  # noqa: TRY004 - a fault of what was typed
    unknown = [str(one) for one in value if one not in CLAIM_TYPES]
    if unknown:
        raise ValueError(f"{unknown[0][:40]!r} is no type of claim; there are {', '.join(CLAIM_TYPES)}")
    return {name: check_days(f"the lifetime of {name}", value[name]) for name in CLAIM_TYPES if value.get(name) is not None}


def _approvers(value: Any) -> dict[str, list[str]]:
    if not isinstance(value, Mapping):
        raise ValueError("approvers must be an object: type of claim or sensitivity -> list of people")  # noqa: TRY004 - a fault of what was typed
    known = (*CLAIM_TYPES, *SENSITIVITIES)
    unknown = [str(one) for one in value if one not in known]
    if unknown:
        raise ValueError(f"{unknown[0][:40]!r} is neither a type of claim nor a sensitivity; there are {', '.join(known)}")
    found = {name: sorted(set(check_words(f"approvers of {name}", value[name]))) for name in known if value.get(name) is not None}
    return {name: people for name, people in found.items() if people}


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "entity_confidence": lambda value: check_share("entity_confidence", value),
    "sensitivities": _sensitivities,
    "kept_types": _kept_types,
    "lifetimes": _lifetimes,
    "approvers": _approvers,
    "watch_words": check_watch_words,
    "authority_ranks": _ranks,
    "usual_terms": _usual_terms,
    "house_rules": check_house_rules,
    REPLICAS: lambda value: check_elsewhere(REPLICAS, value),
    OTHER_LOGS: lambda value: check_elsewhere(OTHER_LOGS, value),
}
#: The settings a policy has.
SETTINGS = tuple(_CHECKS)


def change_settings(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scope's own settings with some changed; None takes a setting away, so that those above hold.

    Raises:
        ValueError: with a sentence, without its full stop; a setting is unknown or its value no use.
    """
    found = dict(settings)
    for name, value in changes.items():
        if name not in _CHECKS:
            raise ValueError(f"{name[:40]!r} is no setting of a policy; there are {', '.join(SETTINGS)}")
        if value is None:
            found.pop(name, None)
            continue
        problem = find_forbidden(value)
        if problem:
            raise ValueError(problem)
        try:
            found[name] = _CHECKS[name](value)
        except BadLine as bad:
            raise ValueError(bad.message) from None
    return {name: found[name] for name in sorted(found)}
