"""What the page that imports says, as sentences."""

from __future__ import annotations

from typing import Any

from pages.widgets.import_job import MOST_LINES, File, Job
from pages.widgets.language import later, later_count, listed, number, phrase, say, say_count
from pages.widgets.markup import Markup, tag

#: code -> what it is called in a list.
CODE_WORDS = {
    "not_json": later("Cannot be read"), "unknown_field": later("Unknown field"), "bad_value": later("Unusable value"), "not_allowed": later("Not allowed"),
    "missing_parent": later("Rests on something missing"), "other_content": later("Same id, other content"), "cycle": later("Rests on itself"),
    "erased_before": later("Was erased before"),
}  # fmt: skip
_KINDS = {
    "source": later_count("{n} source", "{n} sources"), "evidence": later_count("{n} source version", "{n} source versions"),
    "claim": later_count("{n} claim", "{n} claims"), "artifact": later_count("{n} artifact", "{n} artifacts"),
    "person": later_count("{n} person", "{n} people"), "predicate": later_count("{n} predicate", "{n} predicates"),
    "policy": later_count("{n} policy", "{n} policies"),
}  # fmt: skip
STEP_WORDS = {
    "reading": later("Reading the lines"), "checking": later("Looking for what is there already"), "writing": later("Placing the records"),
    "comparing": later("Comparing values for conflicts"),
}  # fmt: skip
#: How far a step is at its beginning and its end, of all there is to do.
STEP_SHARE = {"reading": (0.0, 0.2), "checking": (0.2, 0.35), "writing": (0.35, 0.75), "comparing": (0.75, 0.97)}
ARRIVED = ("CANDIDATE", "ACCEPTED", "STALE", "DISPUTED", "SUPERSEDED", "REVOKED", "REJECTED")


def code_word(code: str) -> str:
    """Return what a code is called in a list."""
    return say(CODE_WORDS.get(code, code.replace("_", " ").capitalize()))


def taken(result: dict[str, Any]) -> int:
    """Return how many lines are taken."""
    return int(sum(result["imported"].values()) + sum(result.get("declared", {}).values()))


def kinds_words(result: dict[str, Any]) -> Markup:
    """Return what is taken, by kind."""
    counts = {**result["imported"], **result.get("declared", {})}
    return listed([say_count(*_KINDS[kind], count) for kind, count in counts.items() if count and kind in _KINDS])


def share_done(job: Job) -> float:
    """Return how much of a check or import is done, from 0 to 1."""
    start, end = STEP_SHARE.get(job.what, (0.0, 0.05))
    part = min(1.0, job.done / job.total) if job.total else 0.0
    return start + (end - start) * part


def size_words(size: int) -> str:
    """Return a size as people write it."""
    if size < 1_000:
        return say_count("{n} byte", "{n} bytes", size)
    return say("{n} kB", n=f"{size / 1_000:.1f}") if size < 1_000_000 else say("{n} MB", n=f"{size / 1_000_000:.1f}")


def problem_of(file: File) -> str | None:
    """Return why a file as a whole cannot be a bundle, before any line of it is read."""
    head = file.data[:4_096]
    if not file.data.strip():
        return say("The file is empty.")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return say("It is written in UTF-16. Save it as UTF-8 and choose it again.")
    if b"\x00" in head:
        return say("It is not text. A bundle is a text file with one JSON object to a line.")
    if file.lines > MOST_LINES:
        return say("It has {n} lines; the page takes {most}. Import it on the command line.", n=number(file.lines), most=number(MOST_LINES))
    return None


def hint_of(file: File) -> str | None:
    """Return what probably is wrong with a file that will be read all the same."""
    head = file.data[:4_096].lstrip()
    if head.startswith(b"\xef\xbb\xbf"):
        return say("It begins with a byte order mark, so its first line cannot be read. Save it as UTF-8 without one.")
    if head.startswith(b"[") or head.split(b"\n", 1)[0].strip() == b"{":
        return say("It looks like one JSON document. A bundle has one whole object to a line.")
    if not head.startswith(b"{"):
        return say("Its first line is no JSON object. A bundle has one to a line.")
    return None


def say_checked(job: Job) -> Markup:
    """Return the sentence that says what importing would do."""
    result = job.result or {}
    count, bad = taken(result), len(result["rejected"])
    nothing = tag("b", say("Nothing is imported yet."))
    if not count and not bad:
        return phrase("{nothing} Every line is in the store already; importing would change nothing.", nothing=nothing)
    if not count:
        return phrase("{nothing} None of it can be taken: {bad}.", nothing=nothing, bad=_bad(bad))
    kinds = kinds_words(result)
    if bad:
        return phrase("{nothing} {kinds} would come in; {bad}.", nothing=nothing, kinds=tag("b", kinds), bad=_bad(bad))
    return phrase("{nothing} {kinds} would come in; every line can be taken.", nothing=nothing, kinds=tag("b", kinds))


def _bad(bad: int) -> str:
    return say_count("{n} line cannot be taken", "{n} lines cannot be taken", bad)


def _left(bad: int) -> str:
    return say_count("{n} line was not taken", "{n} lines were not taken", bad)


def say_imported(job: Job) -> Markup:
    """Return the sentence that says what was imported."""
    result = job.result or {}
    bad = len(result["rejected"])
    if not taken(result):
        return phrase(
            "{nothing} {bad}.", nothing=tag("b", say("Nothing was imported.")), bad=_left(bad) if bad else say("Every line was in the store already")
        )
    if bad:
        return phrase("{kinds} came in; {bad}.", kinds=tag("b", kinds_words(result)), bad=_left(bad))
    return phrase("{kinds} came in; every line was taken.", kinds=tag("b", kinds_words(result)))


def differs(job: Job) -> bool:
    """Return whether an import did something else than its check had said."""
    if job.checked is None or job.result is None:
        return False
    names = ("imported", "declared", "arrived", "unchanged", "conflicts_opened")
    return any(job.checked.get(name) != job.result.get(name) for name in names) or len(job.checked["rejected"]) != len(job.result["rejected"])
