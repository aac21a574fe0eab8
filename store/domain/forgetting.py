"""The words of forgetting (R26-R28): where a forgotten thing may stand, how each place is settled, on what ground, what is wanted."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from store.domain.status import Status


class Surface(StrEnum):
    """A place in which something forgotten may stand; in the order in which they are cleared."""

    RECORD = "record"
    EVIDENCE = "evidence"
    SEARCH_INDEX = "search_index"
    CACHES = "caches"
    PREVIEWS = "previews"
    HISTORY = "history"
    READ_LOG = "read_log"
    EXPORTS = "exports"
    REPLICAS = "replicas"
    LOGS = "logs"
    BACKUPS = "backups"


#: What is outside the store, or lapses by a rule: people answer for it where no rule does.
OUTSIDE = (Surface.EXPORTS, Surface.REPLICAS, Surface.LOGS, Surface.BACKUPS)


class SurfaceState(IntEnum):
    """How far a surface is. Stored by value."""

    OPEN = 0
    DONE = 1
    KEPT = 2
    FAILED = 3
    UNSUPPORTED = 4
    #: A worker is at it, or was when its run was broken off.
    WORKING = 5


#: The word for each state, in screens, receipts and on the command line.
SURFACE_WORD = {
    SurfaceState.OPEN: "open", SurfaceState.DONE: "done", SurfaceState.KEPT: "kept", SurfaceState.FAILED: "failed",
    SurfaceState.UNSUPPORTED: "unsupported", SurfaceState.WORKING: "working",
}  # fmt: skip
#: States after which a surface is settled: a request is complete when every one is.
SETTLED = (SurfaceState.DONE, SurfaceState.KEPT, SurfaceState.UNSUPPORTED)


class Failure(StrEnum):
    """Why something could not be cleared on a surface; kept as a word, as what a database says of it may name what is to be forgotten."""

    NO_SPACE = "no_space"
    READ_ONLY = "read_only"
    BUSY = "busy"
    DAMAGED = "damaged"
    OTHER_BYTES = "other_bytes"
    BROKEN_OFF = "broken_off"
    UNEXPECTED = "unexpected"


#: What was not done on a surface, and what to do next. Going on takes up what failed in every case.
FAILURE_SENTENCES = {
    Failure.NO_SPACE: "The disk of the database is full or failing, so nothing was erased here. Free some space, then run the request again.",
    Failure.READ_ONLY: "The database can only be read, so nothing was erased here. Give its file and folder write permission, then run the request again.",
    Failure.BUSY: "The database was in use or out of reach, so nothing was erased here. Run the request again when nobody else is writing much.",
    Failure.DAMAGED: "The database is damaged where this stands, so nothing was erased here. Run verify, put back a backup where it says so, then run the request again.",
    Failure.OTHER_BYTES: "The bytes of a version are not those that were captured, so its passages could not be cut out at the right places and stay hidden."
    " Everything else here is erased. Run verify, which names the version; ask that all of it be forgotten, or put back its bytes, then run the request again.",
    Failure.BROKEN_OFF: "The run was broken off while this was worked on, so nothing was erased here. Run the request again: it goes on where it was.",
    Failure.UNEXPECTED: "Something that stands here could not be read or changed, so nothing was erased here."
    " Run verify to see whether a row is damaged, then run the request again; if it fails again, tell whoever looks after the desk.",
}


def read_failure(rule: str | None) -> Failure | None:
    """Return why a surface failed, from what is kept of it as its rule; None where a person said that it failed, or nothing is known."""
    word = (rule or "").partition(":")[0]
    return Failure(word) if word in list(Failure) else None


class RequestState(IntEnum):
    """Where a deletion request stands. Stored by value."""

    OPEN = 0
    COMPLETE = 1
    REFUSED = 2


REQUEST_WORD = {RequestState.OPEN: "open", RequestState.COMPLETE: "complete", RequestState.REFUSED: "refused"}

#: On what ground something is forgotten; the word that stays when the request's own texts are gone.
GROUNDS = ("asked_by_person", "wrong_about_person", "not_allowed_to_keep", "no_longer_needed", "other")
#: How the records of a request were found.
FOUND_BY = ("record", "subject", "source", "search")

#: Reasons of events that Claimdesk gives itself. They say nothing of any record, so they stay when the rest of an event's note goes.
IMPORT_OF_REVIEWED = "import of reviewed records"
OWN_REASONS = (IMPORT_OF_REVIEWED,)


def own_note(reason: str | None) -> str | None:
    """Return all that stays of an event's note whose reason Claimdesk gave itself; None where nothing does."""
    return json.dumps({"reason": reason}, separators=(",", ":")) if reason in OWN_REASONS else None


#: What stands in place of a code point that was blotted out of evidence; one for one, so that every offset stays.
BLOT = "█"
#: What stands in place of a name that was forgotten.
NAMELESS = BLOT * 3
#: How the id of a forgotten record begins; eight random hexadecimal digits follow.
ERASED_ID = "erased-"


_LOOKS_ERASED = re.compile(r"erased-[0-9a-f]{8}")


def looks_erased(record_id: str) -> bool:
    """Return whether an id is of the form that forgetting gives."""
    return _LOOKS_ERASED.fullmatch(record_id) is not None


def is_tombstone(record_id: str, status: int) -> bool:
    """Return whether a record is erased already; its id alone does not tell: before such ids were refused anybody could name a record like that."""
    return status == Status.DELETED and record_id.startswith(ERASED_ID)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request asks to forget.

    Attributes:
        ids: records (claims, evidence, artifacts), for `found_by` record and search; what the requester confirmed.
        found_by: one of `FOUND_BY`.
        name: the subject or the source, for `found_by` subject and source.
        scope: only what lies in this scope, None for the whole tenant.
        left_out: ids found but not meant.
        keep_passages: ids of evidence whose passages stay readable although a forgotten claim was taken from them.
    """

    ids: tuple[str, ...] = ()
    found_by: str = "record"
    name: str | None = None
    scope: str | None = None
    left_out: tuple[str, ...] = ()
    keep_passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Redaction:
    """A passage to blot out of one version: code points `start` to `end` of its text (or rendition)."""

    record: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cleared:
    """What a worker did on its surface.

    Attributes:
        found: how many places held something and were cleared.
        state: DONE, or KEPT with `rule` and `until` (microseconds UTC), FAILED with a `Failure` as `rule`, UNSUPPORTED, OPEN where a person has to act.
    """

    found: int = 0
    state: SurfaceState = SurfaceState.DONE
    rule: str | None = None
    until: int | None = None
