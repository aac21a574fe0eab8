"""What each kind of field must look like, as functions of its name and value that return what is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from store.domain.errors import Code
from store.domain.forgetting import ERASED_ID, looks_erased
from store.domain.people import ROLES
from store.domain.records import Binding, Delivery
from store.domain.renditions import LONGEST_TEXT, Rendition, make_rendition
from store.domain.scopes import check_scope
from store.domain.strict_json import BadLine, bad_value
from store.domain.times import parse_time

LONGEST_ID = 500

Check = Callable[[str, Any], Any]


def check_text(name: str, value: Any) -> str | None:
    """Return text or None."""
    if value is not None and not isinstance(value, str):
        raise bad_value(f"{name} must be text or null")
    return value


def check_word(name: str, value: Any) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value or len(value) > LONGEST_ID:
        raise bad_value(f"{name} must be a text of 1 to {LONGEST_ID} characters")
    return value


def check_record_id(name: str, value: Any) -> str:
    """Return the id of a record; none looks like that of what is left of a forgotten one, which nothing but forgetting gives."""
    if isinstance(value, str) and value.startswith(ERASED_ID) and looks_erased(value):
        raise bad_value(f"{name} looks like that of what is left of a forgotten record, and only forgetting gives such ids; give it another one")
    return check_word(name, value)


def check_rendition(name: str, value: Any) -> Rendition | None:
    """Return the text taken out of a captured version; null says that none was taken."""
    if value is None:
        return None
    if not isinstance(value, dict) or not {"extractor", "version", "text"} <= set(value) <= {"extractor", "version", "text", "pages"}:
        raise bad_value(f"{name} must be null, or have extractor, version, text, and pages where there are any")
    text, pages = value["text"], value.get("pages")
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise bad_value(f"{name}.text must be a text of at most {LONGEST_TEXT:,} characters")
    if pages is not None:
        if not isinstance(pages, list) or not all(isinstance(start, int) and not isinstance(start, bool) for start in pages):
            raise bad_value(f"{name}.pages must be a list of whole numbers")
        if not pages or pages[0] != 0 or pages != sorted(pages) or pages[-1] > len(text):
            raise bad_value(f"{name}.pages must begin with 0, rise, and end within the text")
        pages = tuple(pages)
    return make_rendition(text, pages, check_word(f"{name}.extractor", value["extractor"]), check_word(f"{name}.version", value["version"]))


def check_spans(name: str, value: Any) -> tuple[tuple[int, int], ...]:
    """Return passages as [start, end) in code points, in order, none overlapping; null is none."""
    found: list[tuple[int, int]] = []
    for one in [] if value is None else value if isinstance(value, list) else [None]:
        if not isinstance(one, list) or len(one) != 2 or not all(isinstance(n, int) and not isinstance(n, bool) for n in one):
            raise bad_value(f"{name} must be a list of [start, end]")
        start, end = one
        if not (found[-1][1] if found else 0) <= start < end <= LONGEST_TEXT:
            raise bad_value(f"{name} must rise, and no passage may be empty or meet another")
        found.append((start, end))
    return tuple(found)


def check_optional_word(name: str, value: Any) -> str | None:
    """Return a text that is not empty, or None."""
    return None if value is None else check_word(name, value)


def check_path(name: str, value: Any) -> str:
    """Return a well-formed scope."""
    try:
        return check_scope(check_word(name, value))
    except ValueError as error:
        raise bad_value(str(error)) from None


def check_whole(name: str, value: Any) -> int:
    """Return a whole number from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise bad_value(f"{name} must be a whole number from 0")
    return value


def check_one_of(*allowed: str) -> Check:
    """Return a check that takes only the words allowed."""

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise bad_value(f"{name} must be one of {', '.join(allowed)}")
        return value

    return check


def check_words(name: str, value: Any) -> tuple[str, ...]:
    """Return a list of texts as a tuple."""
    if not isinstance(value, list):
        raise bad_value(f"{name} must be a list of texts")
    return tuple(check_word(name, item) for item in value)


def check_flag(name: str, value: Any) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise bad_value(f"{name} must be true or false")
    return value


def check_object(name: str, value: Any) -> dict[str, Any]:
    """Return an object."""
    if not isinstance(value, dict):
        raise bad_value(f"{name} must be an object")
    return value


def check_optional_object(name: str, value: Any) -> dict[str, Any] | None:
    """Return an object or None."""
    return None if value is None else check_object(name, value)


def check_share(name: str, value: Any) -> float | None:
    """Return a number from 0 to 1, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise bad_value(f"{name} must be a number from 0 to 1, or null")
    return float(value)


def check_anything(_name: str, value: Any) -> Any:
    """Return any JSON as it is."""
    return value


def check_moment(name: str, value: Any) -> tuple[int, bool] | None:
    """Return (microseconds UTC, whether UTC was assumed), or None."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise bad_value(f"{name} must be a time such as 2026-06-30T09:00:00Z, or null")
    try:
        return parse_time(value)
    except ValueError as error:
        raise bad_value(f"{name}: {error}") from None


_SPAN_FIELDS = {"start", "end", "line_start", "line_end", "page", "pointer", "table"}


def check_bindings(name: str, value: Any) -> tuple[Binding, ...]:
    """Return a claim's bindings."""
    if not isinstance(value, list):
        raise bad_value(f"{name} must be a list")
    found = []
    for item in value:
        entry = check_object(name, item)
        unknown = set(entry) - {"evidence", "span", "quote"}
        if unknown:
            raise BadLine(Code.UNKNOWN_FIELD, f"{name} has an unknown field {min(unknown)!r}")
        span = check_optional_object("span", entry.get("span"))
        if span is not None and set(span) - _SPAN_FIELDS:
            raise BadLine(Code.UNKNOWN_FIELD, f"span has an unknown field {min(set(span) - _SPAN_FIELDS)!r}")
        found.append(Binding(check_word("evidence", entry.get("evidence")), span, check_text("quote", entry.get("quote"))))
    return tuple(found)


def check_deliveries(name: str, value: Any) -> tuple[Delivery, ...]:
    """Return an artifact's deliveries."""
    if not isinstance(value, list):
        raise bad_value(f"{name} must be a list")
    found = []
    for item in value:
        entry = check_object(name, item)
        unknown = set(entry) - {"recipient", "channel", "delivered_at", "operation_id"}
        if unknown:
            raise BadLine(Code.UNKNOWN_FIELD, f"{name} has an unknown field {min(unknown)!r}")
        at = check_moment("delivered_at", entry.get("delivered_at"))
        operation = check_optional_word("operation_id", entry.get("operation_id"))
        recipient, channel = check_word("recipient", entry.get("recipient")), check_word("channel", entry.get("channel"))
        found.append(Delivery(recipient, channel, at and at[0], operation, bool(at and at[1])))
    return tuple(found)


_QUESTION_WORDS = ("text", "by", "of")
_QUESTION_FIELDS = {*_QUESTION_WORDS, "at", "answer", "answered_by", "answered_at"}


def check_questions(name: str, value: Any) -> tuple[dict[str, Any], ...]:
    """Return the questions of a conflict's line, as they stand."""
    if not isinstance(value, list):
        raise bad_value(f"{name} must be a list")
    for item in value:
        entry = check_object(name, item)
        unknown = set(entry) - _QUESTION_FIELDS
        if unknown:
            raise BadLine(Code.UNKNOWN_FIELD, f"{name} has an unknown field {min(unknown)!r}")
        if any(not isinstance(entry.get(word), str) or not entry[word] for word in _QUESTION_WORDS) or check_moment("at", entry.get("at")) is None:
            raise bad_value("each of the questions needs text, by, of and at")
        check_text("answer", entry.get("answer"))
        closed = check_moment("answered_at", entry.get("answered_at")) is not None
        if closed != (check_optional_word("answered_by", entry.get("answered_by")) is not None) or ("answer" in entry and not closed):
            raise bad_value("an answered question needs answered_by and answered_at")
    return tuple(value)


def check_roles(name: str, value: Any) -> tuple[tuple[str, str], ...]:
    """Return (role, scope) pairs, sorted."""
    if not isinstance(value, list):
        raise bad_value(f"{name} must be a list")
    found = []
    for item in value:
        entry = check_object(name, item)
        if set(entry) != {"role", "scope"}:
            raise bad_value("each role needs exactly role and scope")
        found.append((check_one_of(*ROLES)("role", entry["role"]), check_path("scope", entry["scope"])))
    return tuple(sorted(set(found)))
