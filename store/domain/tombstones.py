"""What is left to tell of a record that was forgotten, or is being: its id, its kind and its status (R26)."""

from __future__ import annotations

from dataclasses import dataclass

from store.domain.records import Artifact, Claim, Evidence, Record
from store.domain.status import Kind, Status


@dataclass(frozen=True, slots=True)
class Tombstone:
    """That a record was forgotten, or is being: all that is exported of it."""

    id: str
    kind: Kind
    status: Status


def bare(record_id: str, scope: str, kind: Kind) -> Record:
    """Return a record of which nothing may be read but its id and its status: it is being forgotten, or is forgotten (R26)."""
    if kind is Kind.CLAIM:
        return Claim(record_id, scope, "", "", None, purposes=())
    if kind is Kind.ARTIFACT:
        return Artifact(record_id, scope, "")
    return Evidence(record_id, "", 0, None, "", "", b"")
