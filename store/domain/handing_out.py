"""What a file that leaves the store carries: which records of which tenant, and how many lines about them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Carried:
    """What a file carries of one tenant.

    Attributes:
        records: numbers of the records it tells something of; never fewer than it does, so that nobody is left out who has to be asked.
        named: numbers of records of which it gives the id and the status only, because they are to be forgotten.
        lines: how many of its lines are about this tenant.
        revision: the tenant's revision that was read.
    """

    tenant: str
    records: tuple[int, ...]
    lines: int
    revision: int
    named: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Handout:
    """A file ready to be handed out: its bytes and what they carry, one entry per tenant it tells of."""

    content: bytes
    carried: tuple[Carried, ...]
