"""Where the sides of a conflict come from, named as coarsely as still tells them apart (R13).

A store of many small sources (one per company and list) shows few groups when its sources are named by family or by
authority, and none that says anything when every source is named by itself. So the naming of a conflict is the coarsest
at which no two of its values come from the same place; where both values come from one authority, the collection within
it is named, and where they come from one collection, the sources themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Names of a source from coarse to fine.
LEVELS = ("authority", "collection", "source")
#: Stands for what rests on no source.
NO_SOURCE = "-"
_LAST_PART = re.compile(r"[/:#][^/:#]*$")


@dataclass(frozen=True, slots=True)
class Origin:
    """A source as far as grouping is concerned."""

    source: str
    family: str
    authority: str | None = None

    def name(self, level: int) -> str:
        """Return what the source is called at a level of LEVELS; a declared family stands for an authority."""
        if level == 0:
            return self.family if self.family != self.source else self.authority or self.source
        return collection_of(self.source) if level == 1 else self.source


def collection_of(source: str) -> str:
    """Return the collection a source's id says it belongs to: the id without its last part, or the id."""
    return _LAST_PART.sub("", source) or source


def name_apart(values: Sequence[Iterable[Origin]]) -> tuple[int, tuple[tuple[str, ...], ...]]:
    """Return the level at which the values of a conflict come from different places, and the names of each value's origins.

    Where no level tells them apart, the coarsest is taken.
    """
    found = [tuple(tuple(sorted({one.name(level) for one in origins} or {NO_SOURCE})) for origins in values) for level in range(len(LEVELS))]
    for level, names in enumerate(found):
        if len({name for its in names for name in its}) == sum(len(its) for its in names):
            return level, names
    return 0, found[0]


def count_apart(origins: Iterable[tuple[str, str]]) -> int:
    """Return how many independent families some (family, content hash) pairs come from; families with equal content are one."""
    group: dict[tuple[str, str], tuple[str, str]] = {}

    def top(one: tuple[str, str]) -> tuple[str, str]:
        while group.setdefault(one, one) != one:
            one = group[one]
        return one

    for family, sha256 in origins:
        group[top(("family", family))] = top(("content", sha256))
    return len({top(one) for one in list(group)})
