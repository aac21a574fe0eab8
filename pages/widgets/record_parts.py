"""The parts of a record's page that say what the record itself is: its head, its statement, its body or text, its facts."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_passage import is_tabular, lines_of
from pages.widgets.candidate_words import exact, exact_day, interval, qualifiers_text, shorten, value_text
from pages.widgets.desk import address, record_link
from pages.widgets.language import later, listed, number, phrase, quote_store, say, say_count
from pages.widgets.markup import Markup, join, long_text, tag
from pages.widgets.status import badge, icon, word
from store import VEIL, RecordView, spaced

_KIND_WORDS = {"claim": later("Claim"), "artifact": later("Artifact"), "evidence": later("Evidence")}
_TYPE_WORDS = {
    "fact": later("fact"), "preference": later("preference"), "constraint": later("constraint"), "external": later("somebody else's statement"),
    "inference": later("inference"), "suggestion": later("suggestion"), "plan": later("plan"), "report": later("report"), "memo": later("memo"),
    "answer": later("answer"), "action": later("action"),
}  # fmt: skip
_TITLE = 220
_WHY_REJECTED = {
    "rejected": later("Not served: it was rejected as wrong."), "session_only": later("Not served: it was true for that task only."),
    "not_durable": later("Not served: it is not kept as a fact."), "sensitive": later("Not served: it is too sensitive to keep."),
}  # fmt: skip
_WHY_STATUS = {
    "CANDIDATE": later("Not served: it is a candidate."), "DISPUTED": later("Not served: it is disputed."),
    "STALE": later("Not served until somebody re-validates it."), "SUPERSEDED": later("Not served: it was superseded."),
    "REVOKED": later("Not served: it was revoked."), "REJECTED": later("Not served: it was rejected."),
    "DELETION_PENDING": later("Not served: it is being deleted."), "DELETED": later("Not served: it was deleted."),
}  # fmt: skip


def is_withheld(view: RecordView) -> bool:
    """Return whether the record was rejected as sensitive, so that its value stays unreadable (R5)."""
    return bool(view.found["route"] == "sensitive")


def facts(pairs: list[tuple[str, Any]]) -> Markup:
    """Return names and values in two columns, those that have a value; long texts are cut and can be opened."""
    rows = []
    for name, value in pairs:
        if value is None or value in ("", []):
            continue
        shown = value if isinstance(value, Markup) else long_text(str(value), 300)
        rows.append(join((tag("dt", name), tag("dd", shown))))
    return tag("dl", *rows, cls="cd-facts")


def _sentence(view: RecordView) -> str:
    line = view.found["record"]
    if is_withheld(view):
        return say("A sensitive detail that was not kept")
    return view.title if view.found.get("veiled") else str(line.get("statement") or view.title)


def why_not(view: RecordView) -> Markup:
    """Return a sentence on whether an agent may be served the record at the time looked at, and if not why."""
    found = view.found
    kind, status = found["kind"], found["status"]
    past = view.known_at is not None
    if kind == "evidence":
        return phrase("What rests on it can be served.") if status == "ACCEPTED" else phrase("Nothing that rests on it is served.")
    if found["usable"]:
        return (
            phrase("An agent with the right to read it was served it then.")
            if past
            else phrase("An agent with the right to read it is served it now.")
        )
    if status == "REJECTED" and found["route"] in _WHY_REJECTED:
        return phrase("{why}", why=say(_WHY_REJECTED[found["route"]]))
    if status != "ACCEPTED":
        return phrase("{why}", why=say(_WHY_STATUS[status]))
    reasons = " ".join(found["why"])
    if reasons.endswith("does not hold at that time."):
        holds = interval(found["record"].get("valid_from"), found["record"].get("valid_to"))
        if past or view.at is not None:
            return phrase("Accepted, but not served at that time: it holds {interval}.", interval=holds)
        return phrase("Accepted, but not served now: it holds {interval}.", interval=holds)
    return phrase("Not served: {reason}", reason=quote_store(reasons))


def draw_head(view: RecordView) -> Markup:
    """Return the first lines: kind and scope, the sentence, the status and what follows from it."""
    found, line = view.found, view.found["record"]
    kind = found["kind"]
    what = [say(_KIND_WORDS[kind])]
    if kind == "claim":
        what += [say(_TYPE_WORDS.get(line["claim_type"], line["claim_type"])), *([say("high impact")] if line["impact"] == "high" else [])]
    elif kind == "artifact":
        what += [say(_TYPE_WORDS.get(line["artifact_type"], line["artifact_type"])), say("edition {n}", n=line["edition"])]
    scope = line.get("scope")
    notes = []
    if found["superseded_by"]:
        other = record_link(found["superseded_by"])
        notes.append(tag("div", icon("published_with_changes"), phrase("Replaced by {other}", other=other), cls="cd-band"))
    if found["decided_before"]:
        links = listed(
            [phrase("{record} ({status})", record=record_link(one["id"]), status=word(one["status"]).lower()) for one in found["decided_before"][:5]]
        )
        notes.append(tag("div", icon("history"), phrase("The same value was decided on before: {records}", records=links), cls="cd-band cd-warnband"))
    if found["answers"]:
        other = record_link(found["answers"])
        notes.append(tag("div", icon("reply"), phrase("If approved, it takes the place of {other}", other=other), cls="cd-band"))
    kicker = " · ".join(what)
    return join((
        tag("div", phrase("{kind} in {scope}", kind=kicker, scope=shorten(scope, 120)) if scope else kicker, cls="cd-kicker"),
        tag("h1", shorten(_sentence(view), _TITLE), cls="cd-title"),
        tag("div", badge(found["status"], kind), tag("span", why_not(view), cls="cd-muted"), cls="cd-counts"),
        *notes,
    ))  # fmt: skip


def draw_statement(view: RecordView, tenant: str, scope: str | None) -> Markup:
    """Return a claim: whose value of what, large, and everything that bounds it."""
    line = view.found["record"]
    name = str(line["subject"])
    there = None if name == VEIL else address("about", subject=name, tenant=tenant, scope=scope)
    subject = tag("a" if there else "span", shorten(name, 200), cls="cd-link" if there else "", href=there)
    head = tag("div", subject, tag("span", " · ", cls="cd-muted"), long_text(spaced(line["predicate"]), 200), cls="cd-question")
    if is_withheld(view):
        value = tag("div", say("This value is not shown: it was rejected as sensitive."), cls="cd-muted")
    else:
        value = tag("div", long_text(value_text(line["value"], 2_000_000), 600), cls="cd-value")
    return tag(
        "div", head, value,
        facts([
            (say("which"), qualifiers_text(line["qualifiers"])), (say("holds"), interval(line["valid_from"], line["valid_to"])),
            (say("authority"), spaced(line["authority"] or "")), (say("said by"), line["speaker"]), (say("source named"), line.get("source_uri")),
        ]), cls="cd-card",
    )  # fmt: skip


def draw_body(view: RecordView) -> Markup:
    """Return an artifact's text."""
    body = view.found["record"]["body"]
    if not body:
        return tag("div", tag("div", say("The store holds no text of it, only what it rests on and where it went."), cls="cd-muted"), cls="cd-card")
    return tag("div", tag("div", long_text(body, 6_000, 100_000), cls="cd-passage"), cls="cd-card cd-hero")


def draw_text(view: RecordView, scope: str | None, tenant: str) -> Markup:
    """Return the text of a captured version, a stretch at a time."""
    part = view.text
    assert part is not None
    line = view.found["record"]
    if part.text is None:
        words = say_count(
            "This version is not text ({type}, {n} byte); it can be exported, not read here.", "This version is not text ({type}, {n} bytes); it can be exported, not read here.",
            part.size, type=line["media_type"][:80],
        )  # fmt: skip
        return tag("div", tag("div", words, cls="cd-muted"), cls="cd-card")
    captured = say("captured {time}", time=exact(line["captured_at"])) if line["captured_at"] else say("capture time not recorded")
    size = say_count("{n} character", "{n} characters", part.total)
    head = tag("div", " · ".join((captured, line["media_type"][:80], size)), cls="cd-where")
    if part.total == 0:
        return tag("div", head, tag("div", say("This version is empty."), cls="cd-muted"), cls="cd-card")
    whole = tag("a", say("With every passage marked, on the page of its source"), cls="cd-link", href=address("sources", source=line["source"], tenant=tenant, a=str(line["version"]), scope=scope))
    pieces = [head, tag("p", whole, cls="cd-small"), tag("div", *(lines_of(part.text) if is_tabular(part.text) else (part.text,)), cls="cd-passage cd-whole cd-tabular" if is_tabular(part.text) else "cd-passage cd-whole")]
    if part.parts > 1:

        def to(n: int) -> str:
            return address("record", record=view.found["id"], tenant=tenant, part=str(n), scope=scope, known=view.known_at)

        where = say(
            "characters {first}–{last} of {total}, from line {line}", first=number(part.start + 1), last=number(part.end), total=number(part.total), line=number(part.first_line)
        )  # fmt: skip
        before = tag("a", say("← before"), cls="cd-link", href=to(part.part - 1)) if part.part > 1 else None
        after = tag("a", say("after →"), cls="cd-link", href=to(part.part + 1)) if part.part < part.parts else None
        pieces.append(tag("div", before, tag("span", where, cls="cd-muted"), after, cls="cd-pager"))
    return tag("div", *pieces, cls="cd-card cd-hero")


def copyable(text: str, most: int = 40) -> Markup:
    """Return an id or hash in monospace, shortened in the middle; a click copies all of it."""
    shown = text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 3) :]}"
    # What is copied is the attribute, so a text too long for it is only shown.
    return tag("button", shown, cls="cd-copy", title=text) if len(text) <= 4_000 else tag("span", shown, cls="cd-id")


def draw_identity(view: RecordView, tenant: str) -> Markup:
    """Return the facts about the record as a record."""
    found, line = view.found, view.found["record"]
    kind = found["kind"]
    pairs: list[tuple[str, Any]] = [(say("id"), copyable(found["id"])), (say("version"), number(found["version"]))]
    if kind == "evidence":
        source = view.source or {}
        title = source.get("title") or line["source"]
        letter = tag(
            "a", say("What contradicts it, as a letter to its owner"), cls="cd-link", href=address("letter", source=line["source"], tenant=tenant)
        )
        pairs += [
            (say("source"), title), (say("source id"), copyable(line["source"])), (say("address"), source.get("uri")), (say("authority"), spaced(source.get("authority") or "")),
            (say("edition"), number(line["version"])), ("SHA-256", copyable(line["sha256"], 24)), (say("letter"), letter),
        ]  # fmt: skip
        return tag("div", facts(pairs), cls="cd-card")
    extraction = line.get("extraction") or {}
    pairs += [
        (say("content hash"), copyable(found["content_hash"], 24)), (say("proposed by"), person_name(view, line.get("proposed_by"))),
        (say("taken out by"), " ".join(str(extraction[name])[:200] for name in ("method", "version") if name in extraction)), (say("task"), line.get("task")),
        (say("edition of"), record_link(line["edition_of"], tenant) if line.get("edition_of") else None),
        (say("entity"), say("{share} sure", share=f"{line['entity_confidence']:.0%}") if line.get("entity_confidence") is not None else None),
    ]  # fmt: skip
    if kind == "artifact":
        pairs += [
            (say("owner"), person_name(view, line.get("owner")) or tag("span", say("nobody yet"), cls="cd-amber")),
            (say("review by"), exact_day(line.get("review_at"))), (say("expires"), exact_day(line.get("expires_at"))),
        ]  # fmt: skip
    return tag("div", facts(pairs), cls="cd-card")


def person_name(view: RecordView, person: str | None) -> str | None:
    """Return what a person is called; the id where the store knows nobody by it."""
    return view.names.get(person, person) if person else None
