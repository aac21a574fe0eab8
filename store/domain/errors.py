"""Refusals: what the store says when it will not do something, as a code and a sentence."""

from __future__ import annotations

from enum import StrEnum
from typing import Any


class Code(StrEnum):
    """Every reason for a refusal; scripts rely on these words."""

    NOT_FOUND = "not_found"
    NOT_ALLOWED = "not_allowed"
    UNKNOWN_PERSON = "unknown_person"
    AMBIGUOUS_TENANT = "ambiguous_tenant"
    ILLEGAL_STEP = "illegal_step"
    ALREADY_DECIDED = "already_decided"
    CHANGED_SINCE_SEEN = "changed_since_seen"
    PROMOTION_CHECKS_FAILED = "promotion_checks_failed"
    WOULD_CONTRADICT = "would_contradict"
    PARENTS_NOT_ACCEPTED = "parents_not_accepted"
    STILL_CONTRADICTS = "still_contradicts"
    OTHER_KEY = "other_key"
    CYCLE = "cycle"
    MISSING_PARENT = "missing_parent"
    OTHER_CONTENT = "other_content"
    NOT_JSON = "not_json"
    UNKNOWN_FIELD = "unknown_field"
    BAD_VALUE = "bad_value"
    ERASED_BEFORE = "erased_before"
    STALE_PREVIEW = "stale_preview"
    UNKNOWN_PREVIEW = "unknown_preview"
    INCOMPLETE_PREVIEW = "incomplete_preview"
    OPERATION_REUSED = "operation_reused"
    BUSY = "busy"
    OUTCOME_UNKNOWN = "outcome_unknown"
    NEWER_SCHEMA = "newer_schema"
    OLD_SQLITE = "old_sqlite"
    DAMAGED = "damaged"
    LEDGER_MISSING = "ledger_missing"
    LEDGER_FOREIGN = "ledger_foreign"
    LEDGER_BEHIND = "ledger_behind"


#: Characters of a message at most, and how many of them are its end: names from outside may be of any length, and what to do next stands last.
_LONGEST, _END = 2_000, 400


class Refusal(Exception):  # noqa: N818 - the design's word; it is an answer, not a fault
    """The store did not do what was asked, and nothing was changed.

    Args:
        code: the reason, for programs.
        message: what is so, what was not done, what to do next, for the person who reads it.
        details: further values for programs, such as the records a stale preview lacks.
    """

    def __init__(self, code: Code, message: str, **details: Any) -> None:
        self.code = code
        self.message = message if len(message) <= _LONGEST else f"{message[:_LONGEST - _END]} … {message[-_END:]}"
        self.details = details
        super().__init__(self.message)


def not_found(record_id: str) -> Refusal:
    """Return the one answer for a record that is not there and for one the person may not see."""
    return Refusal(Code.NOT_FOUND, f"There is no record {record_id!r} that you may see. Check the id and your roles.")
