"""The parts of a record's page that say what the record itself is: its head, its statement, its body or text, its facts."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_passage import is_tabular
from pages.widgets.candidate_words import exact, exact_day, interval, plural, qualifiers_text, value_text
from pages.widgets.desk import address, record_link
from pages.widgets.markup import Markup, join, long_text, tag
from pages.widgets.status import badge, icon, word
from store import RecordView

_KIND_WORDS = {"claim": "Claim", "artifact": "Artifact", "evidence": "Evidence"}
_TITLE = 220
_ROUTE_WORDS = {
    "rejected": "rejected as wrong", "session_only": "true for that task only", "not_durable": "not kept as a fact", "sensitive": "too sensitive to keep",
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
        return "A sensitive detail that was not kept"
    return str(line.get("statement") or view.title)


def _short(text: str, most: int = _TITLE) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def why_not(view: RecordView) -> str:
    """Return a sentence on whether an agent may be served the record now, and if not why."""
    found = view.found
    kind, status = found["kind"], found["status"]
    if kind == "evidence":
        return "What rests on it can be served." if status == "ACCEPTED" else "Nothing that rests on it is served."
    if found["usable"]:
        return "An agent with the right to read it is served it now."
    if status == "REJECTED" and found["route"]:
        return f"Not served: {_ROUTE_WORDS.get(found['route'], 'rejected')}."
    if status != "ACCEPTED":
        return f"Not served: it is {word(status, kind).lower()}." if status != "STALE" else "Not served until somebody re-validates it."
    reasons = " ".join(found["why"])
    if reasons.endswith("does not hold at that time."):
        return f"Accepted, but not served now: it holds {interval(found['record'].get('valid_from'), found['record'].get('valid_to'))}."
    return f"Not served: {reasons}"


def draw_head(view: RecordView) -> Markup:
    """Return the first lines: kind and scope, the sentence, the status and what follows from it."""
    found, line = view.found, view.found["record"]
    kind = found["kind"]
    what = [_KIND_WORDS[kind]]
    if kind == "claim":
        what += [line["claim_type"], *(["high impact"] if line["impact"] == "high" else [])]
    elif kind == "artifact":
        what += [line["artifact_type"], f"edition {line['edition']}"]
    scope = line.get("scope")
    notes = []
    if found["superseded_by"]:
        notes.append(tag("div", icon("published_with_changes"), "Replaced by ", record_link(found["superseded_by"]), cls="cd-band"))
    if found["decided_before"]:
        before = join((join((record_link(one["id"]), f" ({word(one['status']).lower()})")) for one in found["decided_before"][:5]), ", ")
        notes.append(tag("div", icon("history"), "The same value was decided on before: ", before, cls="cd-band cd-warnband"))
    if found["answers"]:
        notes.append(tag("div", icon("reply"), "If approved, it takes the place of ", record_link(found["answers"]), cls="cd-band"))
    return join((
        tag("div", " · ".join(what), tag("span", f" in {_short(scope, 120)}") if scope else None, cls="cd-kicker"),
        tag("h1", _short(_sentence(view)), cls="cd-title"),
        tag("div", badge(found["status"], kind), tag("span", why_not(view), cls="cd-muted"), cls="cd-counts"),
        *notes,
    ))  # fmt: skip


def draw_statement(view: RecordView) -> Markup:
    """Return a claim: whose value of what, large, and everything that bounds it."""
    line = view.found["record"]
    head = tag("div", long_text(str(line["subject"]), 200), tag("span", " · ", cls="cd-muted"), long_text(line["predicate"], 200), cls="cd-question")
    if is_withheld(view):
        value = tag("div", "This value is not shown: it was rejected as sensitive.", cls="cd-muted")
    else:
        value = tag("div", long_text(value_text(line["value"], 2_000_000), 600), cls="cd-value")
    purposes = [one for one in line["purposes"] if one != "*"]
    return tag(
        "div", head, value,
        facts([
            ("which", qualifiers_text(line["qualifiers"])), ("holds", interval(line["valid_from"], line["valid_to"])), ("observed", exact_day(line["observed_at"])),
            ("conditions", line["conditions"]), ("for", ", ".join(purposes) if purposes else "every purpose"), ("authority", line["authority"]),
            ("said by", line["speaker"]), ("confirmed by", line["confirmed_by"]),
            ("sensitivity", line["sensitivity"] if line["sensitivity"] != "normal" else None), ("source named", line.get("source_uri")),
        ]), cls="cd-card",
    )  # fmt: skip


def draw_body(view: RecordView) -> Markup:
    """Return an artifact's text."""
    body = view.found["record"]["body"]
    if not body:
        return tag("div", tag("div", "The store holds no text of it, only what it rests on and where it went.", cls="cd-muted"), cls="cd-card")
    return tag("div", tag("div", long_text(body, 6_000, 100_000), cls="cd-passage"), cls="cd-card cd-hero")


def draw_text(view: RecordView, scope: str | None, tenant: str) -> Markup:
    """Return the text of a captured version, a stretch at a time."""
    part = view.text
    assert part is not None
    line = view.found["record"]
    if part.text is None:
        words = f"This version is not text ({line['media_type'][:80]}, {plural(part.size, 'byte')}); it can be exported, not read here."
        return tag("div", tag("div", words, cls="cd-muted"), cls="cd-card")
    captured = f"captured {exact(line['captured_at'])}" if line["captured_at"] else "capture time not recorded"
    head = tag("div", f"{captured} · {line['media_type'][:80]} · {plural(part.total, 'character')}", cls="cd-where")
    if part.total == 0:
        return tag("div", head, tag("div", "This version is empty.", cls="cd-muted"), cls="cd-card")
    pieces = [head, tag("div", part.text, cls="cd-passage cd-whole cd-tabular" if is_tabular(part.text) else "cd-passage cd-whole")]
    if part.parts > 1:

        def to(number: int) -> str:
            return address("record", record=view.found["id"], tenant=tenant, part=str(number), scope=scope)

        shown = tag("span", f"characters {part.start + 1:,}–{part.end:,} of {part.total:,}, from line {part.first_line:,}", cls="cd-muted")
        before = tag("a", "← before", cls="cd-link", href=to(part.part - 1)) if part.part > 1 else None
        after = tag("a", "after →", cls="cd-link", href=to(part.part + 1)) if part.part < part.parts else None
        pieces.append(tag("div", before, shown, after, cls="cd-pager"))
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
    served = "never" if not found["served"] else plural(found["served"], "time")
    extraction = line.get("extraction") or {}
    proposed = line.get("proposed_by")
    pairs: list[tuple[str, Any]] = [("id", copyable(found["id"])), ("version", f"{found['version']:,}")]
    if kind == "evidence":
        source = view.source or {}
        pairs += [
            ("source", source.get("title") or line["source"]), ("source id", copyable(line["source"])), ("address", source.get("uri")),
            ("authority", source.get("authority")), ("edition", f"{line['version']:,}"), ("SHA-256", copyable(line["sha256"], 24)),
        ]  # fmt: skip
    else:
        pairs += [
            ("content hash", copyable(found["content_hash"], 24)), ("owner", _person(view, line.get("owner")) or tag("span", "nobody yet", cls="cd-amber")),
            ("proposed by", _person(view, proposed)),
            ("taken out by", " ".join(str(extraction[name])[:200] for name in ("method", "version") if name in extraction)),
            ("task", line.get("task")), ("edition of", record_link(line["edition_of"], tenant) if line.get("edition_of") else None),
            ("review by", exact_day(line.get("review_at"))), ("expires", exact_day(line.get("expires_at"))),
            ("entity", f"{line['entity_confidence']:.0%} sure" if line.get("entity_confidence") is not None else None),
            ("served", served),
        ]  # fmt: skip
    return tag("div", facts(pairs), cls="cd-card")


def _person(view: RecordView, person: str | None) -> str | None:
    return view.names.get(person, person) if person else None
