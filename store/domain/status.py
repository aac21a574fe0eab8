"""The states of a record and the only table that says how a status may change (DESIGN section 3)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum, StrEnum

from store.domain.errors import Code, Refusal


class Kind(IntEnum):
    """What a record is. Stored by value."""

    EVIDENCE = 0
    CLAIM = 1
    ARTIFACT = 2


#: The word for each kind, in screens, tables and files.
KIND_WORD = {Kind.EVIDENCE: "evidence", Kind.CLAIM: "claim", Kind.ARTIFACT: "artifact"}


class Status(IntEnum):
    """Where a record stands in its life. Stored by value."""

    CANDIDATE = 0
    ACCEPTED = 1
    DISPUTED = 2
    STALE = 3
    SUPERSEDED = 4
    REVOKED = 5
    REJECTED = 6
    DELETION_PENDING = 7
    DELETED = 8


#: What a sentence says of a record in each status, after its name; screens have a badge with the same word.
STANDS = {
    Status.CANDIDATE: "is a candidate", Status.ACCEPTED: "is accepted", Status.DISPUTED: "is disputed", Status.STALE: "needs re-validation",
    Status.SUPERSEDED: "is superseded", Status.REVOKED: "is revoked", Status.REJECTED: "is rejected", Status.DELETION_PENDING: "is being deleted",
    Status.DELETED: "is deleted",
}  # fmt: skip
_WHAT = {
    Status.CANDIDATE: "a candidate", Status.ACCEPTED: "accepted", Status.DISPUTED: "disputed", Status.STALE: "in need of re-validation",
    Status.SUPERSEDED: "superseded", Status.REVOKED: "revoked", Status.REJECTED: "rejected", Status.DELETION_PENDING: "being deleted", Status.DELETED: "deleted",
}  # fmt: skip


def say_statuses(statuses: Iterable[Status]) -> str:
    """Return statuses as words, such as `accepted, disputed or superseded`."""
    words = [_WHAT[one] for one in sorted(set(statuses))]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


class Step(StrEnum):
    """What can happen to a record."""

    AMEND = "amend"
    APPROVE_FIRST = "approve (first of two)"
    APPROVE = "approve"
    REJECT = "reject"
    REOPEN = "reopen"
    RENEW = "renew"
    SUSPEND = "suspend"
    REINSTATE = "reinstate"
    FALL_STALE = "fall stale"
    CONFIRM = "confirm"
    RESTORE = "restore"
    SUPERSEDE = "supersede"
    REVOKE = "revoke"
    REQUEST_DELETION = "request deletion"
    FINISH_DELETION = "finish deletion"
    REFUSE_DELETION = "refuse deletion"
    NARROW = "narrow"
    GAIN_EVIDENCE = "gain evidence"


_C, _A, _D, _S = Status.CANDIDATE, Status.ACCEPTED, Status.DISPUTED, Status.STALE
_SUP, _REV, _REJ = Status.SUPERSEDED, Status.REVOKED, Status.REJECTED
_PEND, _DEL = Status.DELETION_PENDING, Status.DELETED

#: (status now, step) -> the statuses it may lead to. What is not a row here is refused.
TRANSITIONS: dict[tuple[Status, Step], tuple[Status, ...]] = {
    (_C, Step.AMEND): (_C,),
    (_C, Step.APPROVE_FIRST): (_C,),
    (_C, Step.APPROVE): (_A,),
    (_C, Step.REJECT): (_REJ,),
    (_A, Step.REOPEN): (_C,),
    (_REJ, Step.REOPEN): (_C,),
    (_A, Step.RENEW): (_A,),
    (_A, Step.SUSPEND): (_D,),
    (_D, Step.REINSTATE): (_A, _S),
    (_A, Step.FALL_STALE): (_S,),
    (_S, Step.CONFIRM): (_A,),
    (_S, Step.RESTORE): (_A,),
    **{(status, Step.SUPERSEDE): (_SUP,) for status in (_A, _D, _S)},
    **{(status, Step.REVOKE): (_REV,) for status in (_C, _A, _D, _S, _SUP)},
    **{(status, Step.REQUEST_DELETION): (_PEND,) for status in Status if status not in (_DEL, _PEND)},
    (_PEND, Step.FINISH_DELETION): (_DEL,),
    (_PEND, Step.REFUSE_DELETION): (_C, _D, _S, _SUP, _REV, _REJ),
    **{(status, step): (status,) for status in (_A, _D) for step in (Step.NARROW, Step.GAIN_EVIDENCE)},
}

#: Statuses whose claims take part in conflicts (R10).
LIVE = (Status.ACCEPTED, Status.DISPUTED)
#: Statuses in which nothing of a record is shown but its id and its status (R26).
FORGOTTEN = (Status.DELETION_PENDING, Status.DELETED)
#: Statuses after which the same value proposed again counts as "decided before" (R9).
DECIDED_AGAINST = (Status.REVOKED, Status.REJECTED, Status.SUPERSEDED)


def is_legal(status: Status, step: Step) -> bool:
    """Return whether `step` is possible for a record in `status`."""
    return (status, step) in TRANSITIONS


def next_status(record_id: str, status: Status, step: Step, to: Status | None = None) -> Status:
    """Return the status `step` leads to.

    Args:
        record_id: named in the refusal.
        status: the status now.
        step: what is to happen.
        to: which of several outcomes is meant; the first by default.

    Raises:
        Refusal: `illegal_step` when the table has no such row.
    """
    outcomes = TRANSITIONS.get((status, step))
    if outcomes is None or (to is not None and to not in outcomes):
        legal = say_statuses(s for s in Status if is_legal(s, step))
        raise Refusal(Code.ILLEGAL_STEP, f"{record_id} {STANDS[status]}, and {step.value} is possible only for what is {legal}. Nothing was changed.")
    return outcomes[0] if to is None else to


def artifact_validity(status: Status) -> str:
    """Return how an artifact's status reads on its validity axis."""
    return {
        Status.ACCEPTED: "CURRENT",
        Status.STALE: "NEEDS_REVALIDATION",
        Status.SUPERSEDED: "REPLACED",
        Status.REVOKED: "WITHDRAWN",
    }.get(status, status.name)
