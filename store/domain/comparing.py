"""Two results of plans beside each other, as sets; pure over what was kept of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from store.domain.aftermath import Seen
from store.domain.status import Status
from store.domain.text import canonical_json, digest

#: Which members of two sets: all of the first, all of the second, those of one only, of both, and those of both with another outcome.
WHICH = ("one", "other", "only_one", "only_other", "both", "differ")


@dataclass(frozen=True, slots=True)
class Sides:
    """The same thing in two rehearsals: member -> outcome, None where there is no outcome to speak of."""

    one: Mapping[int, int | None]
    other: Mapping[int, int | None]

    def pick(self, which: str) -> list[int]:
        """Return the members of one of `WHICH`, in the order of the first, then of the second."""
        if which == "one":
            return list(self.one)
        if which == "other":
            return list(self.other)
        if which == "only_one":
            return [one for one in self.one if one not in self.other]
        if which == "only_other":
            return [one for one in self.other if one not in self.one]
        return [one for one in self.one if one in self.other and (which == "both" or self.one[one] != self.other[one])]

    def counts(self) -> dict[str, int]:
        """Return how many members each of `WHICH` has."""
        return {which: len(self.pick(which)) for which in WHICH}


def _plain(members: Iterable[int]) -> dict[int, int | None]:
    return dict.fromkeys(members)


def compare_sides(one: Seen, other: Seen) -> dict[str, Sides]:
    """Return what is compared as sets: records, and claim keys for `answers` and `conflicts`."""
    found = {
        "affected": Sides(*({int(row[0]): int(row[3]) for row in seen.rows} for seen in (one, other))),
        "answers": Sides(*({key: codes[1] for key, codes in seen.answers.items()} for seen in (one, other))),
        "conflicts": Sides(*(_plain((*seen.opened, *seen.changed)) for seen in (one, other))),
    }
    found["stopped"] = Sides(_plain(stopped_by(one)), _plain(stopped_by(other)))
    for name in ("delivered", "by_hand", "together", "blocked"):
        found[name] = Sides(_plain(getattr(one, name)), _plain(getattr(other, name)))
    return found


def stopped_by(seen: Seen) -> list[int]:
    """Return the records that are out of use only for now, so that somebody has to decide on them later."""
    # A member of an enumeration costs a look-up each time it is named.
    stopped = int(Status.DISPUTED)
    return [int(row[0]) for row in seen.rows if row[3] == stopped and row[2] != stopped]


def count_decisions(seen: Seen) -> int:
    """Return how many decisions a plan leaves: records one by one, one that brings the rest back, what is stopped, conflicts and candidates."""
    return len(seen.by_hand) + bool(seen.together) + len(stopped_by(seen)) + len(seen.opened) + len(seen.changed) + seen.candidates


def people_told(seen: Seen) -> dict[str, set[int]]:
    """Return who would get a message, with the artifacts it is about: recipients of delivered editions, and owners of what is concerned."""
    found: dict[str, set[int]] = {owner: set(records) for owner, records in seen.owners.items()}
    for record, _, recipient, _ in seen.notices:
        found.setdefault(recipient, set()).add(record)
    return found


def fingerprint_of_both(one: str, other: str) -> str:
    """Return the fingerprint of a comparison, the same whichever of the two is named first."""
    return digest(canonical_json(sorted((one, other))))[:32]
