"""Places outside the store that hold something of it, as a policy names them: replicas and other logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from store.domain.fields import check_word

_FIELDS = {"name", "owner", "days"}
_MOST_DAYS = 36_500
_MOST = 100
#: The settings of a policy that name such places; those of a tenant's own scope count.
REPLICAS, OTHER_LOGS = "replicas", "other_logs"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A place outside that holds something of the store.

    Attributes:
        owner: who answers for it.
        days: after how many days what was written there is gone by its own rule; None where its owner has to say when it is.
    """

    name: str
    owner: str
    days: int | None = None


def check_elsewhere(name: str, value: Any) -> list[dict[str, Any]]:
    """Return the places a setting names, in a fixed form.

    Raises:
        ValueError: with a sentence, without its full stop.
    """
    if not isinstance(value, list) or len(value) > _MOST:
        raise ValueError(f"{name} is a list of at most {_MOST} places, each with name, owner and, where it forgets by itself, days")
    found = [_check(name, one) for one in value]
    if len({one["name"] for one in found}) != len(found):
        raise ValueError(f"two places of {name} have the same name")
    return found


def _check(name: str, one: Any) -> dict[str, Any]:
    if not isinstance(one, Mapping) or not {"name", "owner"} <= set(one) <= _FIELDS:
        raise ValueError(f"each place of {name} has a name, an owner and, where it forgets by itself, days")
    days = one.get("days")
    if days is not None and (isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= _MOST_DAYS):
        raise ValueError(f"days of a place of {name} must be a whole number from 1 to {_MOST_DAYS:,}")
    place = {"name": check_word("name", one["name"]), "owner": check_word("owner", one["owner"])}
    return place if days is None else {**place, "days": days}


def read_elsewhere(settings: Mapping[str, Any], name: str) -> tuple[Elsewhere, ...]:
    """Return the places a policy in force names under one of its settings."""
    return tuple(Elsewhere(one["name"], one["owner"], one.get("days")) for one in settings.get(name, ()))
