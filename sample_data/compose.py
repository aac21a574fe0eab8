"""Compose `bundle.jsonl`, the demonstration store, from `sources/` and `stories/`.

The stories are TOML files: people, predicates, sources, claims, artifacts and reads in nearly the words of
the bundle format. What this module adds to them:

- `defaults` of a story fill what a record does not say; `without` names the fields a record must not have;
- a source's `versions` become evidence lines, with the text of `sources/ID@VERSION.*` and its SHA-256; a PDF stays a file, and the text
  taken out of it stands beside it in `*.pdf.text`;
- `passages` of a claim become evidence references whose span is found by its quote, which must occur exactly
  once (unless `nth` or `start` and `end` say where, or `shift` or `absent` ask for a mistake); in a PDF on the `page` that is named.

What stands in `editions/` is in no bundle: newer editions, to be captured by whoever tries the desk.

Run `python sample_data/compose.py`; the same input always gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MEDIA_TYPES = {".md": "text/markdown", ".csv": "text/csv", ".json": "application/json", ".pdf": "application/pdf"}
ORDER = ("person", "predicate", "policy", "source", "evidence", "claim", "artifact", "read", "message")
READING_TIME = timedelta(minutes=7)

#: One line of the bundle, or one table of a story.
Line = dict[str, Any]


class StoryError(ValueError):
    """A story names something that is not there, or is there more than once."""


def load_stories(folder: Path) -> list[Line]:
    """Return the stories in the order of their file names."""
    return [tomllib.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.toml"))]


def evidence_lines(source: Line, versions: list[Line], folder: Path) -> list[Line]:
    """Return one evidence line per captured version of a source."""
    lines = []
    for number, version in enumerate(versions, start=1):
        name = f"{source['id']}@{number}"
        (path,) = (found for found in folder.glob(f"{name}.*") if found.suffix in MEDIA_TYPES)
        content = path.read_bytes()
        line = {
            "type": "evidence",
            "id": name,
            "source": source["id"],
            "version": number,
            "media_type": MEDIA_TYPES[path.suffix],
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        if path.suffix == ".pdf":
            taken = json.loads(path.with_name(path.name + ".text").read_text("utf-8"))
            line |= {"content_file": f"{folder.name}/{path.name}", "rendition": taken, "status": "reviewed"}
        else:
            line |= {"content": content.decode("utf-8"), "status": "reviewed"}
        lines.append(line | version)
    return lines


def value_at(document: Any, pointer: str) -> Any:
    """Return the value a JSON pointer names."""
    for part in pointer.split("/")[1:]:
        step = part.replace("~1", "/").replace("~0", "~")
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def find_span(content: str, passage: Line) -> Line:
    """Return where a passage's quote stands, in code points.

    Raises:
        StoryError: the quote is not there exactly once, and the passage does not say which one it means.

    """
    quote = passage["quote"]
    if "start" in passage:
        return {"start": passage["start"], "end": passage["end"]}
    found = [at for at in range(len(content)) if content.startswith(quote, at)]
    if passage.get("absent"):
        if found:
            raise StoryError(f"{passage['evidence']} does hold the absent quote {quote!r}")
        return {"start": 0, "end": len(quote)}
    if "nth" not in passage and len(found) != 1:
        raise StoryError(f"{passage['evidence']} holds {quote!r} {len(found)} times")
    start = found[passage.get("nth", 0)] + passage.get("shift", 0)
    return {"start": start, "end": start + len(quote)}


def find_on_page(taken: Line, passage: Line) -> Line:
    """Return where a quote stands on a page, in code points of the page's text.

    Raises:
        StoryError: it is not there exactly once.

    """
    bounds = [*taken["pages"], None]
    page = taken["text"][bounds[passage["page"] - 1] : bounds[passage["page"]]]
    if page.count(passage["quote"]) != 1:
        raise StoryError(f"page {passage['page']} of {passage['evidence']} holds {passage['quote']!r} {page.count(passage['quote'])} times")
    start = page.index(passage["quote"])
    return {"page": passage["page"], "start": start, "end": start + len(passage["quote"])}


def evidence_reference(passage: Line | list[str], evidence: dict[str, Line]) -> Line:
    """Return the reference to a passage: evidence, span and quote."""
    if isinstance(passage, list):
        passage = dict(zip(("evidence", "quote"), passage, strict=True))
    if "page" in passage:
        return {"evidence": passage["evidence"], "span": find_on_page(evidence[passage["evidence"]]["rendition"], passage), "quote": passage["quote"]}
    content = evidence[passage["evidence"]]["content"]
    if "pointer" in passage:
        found = value_at(json.loads(content), passage["pointer"])
        quote = passage.get("quote", json.dumps(found, ensure_ascii=False))
        return {"evidence": passage["evidence"], "span": {"pointer": passage["pointer"]}, "quote": quote}
    return {"evidence": passage["evidence"], "span": find_span(content, passage), "quote": passage["quote"]}


def with_defaults(record: Line, defaults: Line) -> Line:
    """Return a record with its story's defaults, less the fields it is to go without."""
    left_out = record.get("without", [])
    merged = {key: value for key, value in defaults.items() if key not in left_out} | record
    merged.pop("without", None)
    return merged


def claim_line(record: Line, defaults: Line, evidence: dict[str, Line], authorities: dict[str, str]) -> Line:
    """Return the line of a claim; one bound to a passage was observed shortly after the newest capture."""
    merged = with_defaults(record, defaults)
    references = [evidence_reference(passage, evidence) for passage in merged.pop("passages", [])]
    if references:
        bound = [evidence[reference["evidence"]] for reference in references]
        read_at = max(datetime.fromisoformat(line["captured_at"]) for line in bound) + READING_TIME
        merged["evidence"] = references
        if "observed_at" not in record:
            merged["observed_at"] = read_at.strftime("%Y-%m-%dT%H:%M:%SZ")
        if "authority" not in record:
            merged["authority"] = authorities[bound[0]["source"]]
    return {"type": "claim"} | merged


def artifact_line(record: Line, defaults: Line) -> Line:
    """Return the line of an artifact; its deliveries are given as recipient, channel, time and operation."""
    merged = with_defaults(record, {key: defaults[key] for key in ("scope", "owner") if key in defaults})
    names = ("recipient", "channel", "delivered_at", "operation_id")
    deliveries = [dict(zip(names, delivery, strict=True)) for delivery in merged.pop("deliveries", [])]
    line = {"type": "artifact"} | merged
    return line | {"deliveries": deliveries} if deliveries else line


def compose(stories: list[Line], sources: Path) -> list[Line]:
    """Return all lines of the bundle, people first, reads and messages last."""
    lines: list[Line] = []
    evidence: dict[str, Line] = {}
    authorities: dict[str, str] = {}
    for story in stories:
        for table in ("person", "predicate", "policy", "read", "message"):
            lines += [{"type": table} | record for record in story.get(table, [])]
        for record in story.get("source", []):
            source = {"type": "source"} | {key: value for key, value in record.items() if key != "versions"}
            authorities[source["id"]] = source["authority"]
            captured = evidence_lines(source, record["versions"], sources)
            evidence |= {line["id"]: line for line in captured}
            lines += [source, *captured]
    for story in stories:
        defaults, made = story.get("defaults", {}), story.get("artifact_defaults", {})
        lines += [claim_line(record, defaults, evidence, authorities) for record in story.get("claim", [])]
        lines += [artifact_line(record, defaults | made) for record in story.get("artifact", [])]
    check_references(lines)
    return sorted(lines, key=lambda line: ORDER.index(line["type"]))


def check_references(lines: list[Line]) -> None:
    """Refuse an id used twice and a parent, successor or read record that does not exist.

    Raises:
        StoryError: naming the id.

    """
    records = [line["id"] for line in lines if line["type"] in ("evidence", "claim", "artifact")]
    known = set(records)
    if len(known) != len(records):
        raise StoryError(f"used twice: {sorted(name for name in known if records.count(name) > 1)}")
    for line in lines:
        named = [*line.get("derived_from", []), *line.get("records", []), *line.get("artifacts", []), *line.get("names", [])]
        named += [line[key] for key in ("superseded_by", "edition_of") if line.get(key)]
        missing = [name for name in named if name not in known]
        if missing:
            raise StoryError(f"{line.get('id', line.get('task'))} names {missing}")


def main() -> None:
    """Write the bundle beside this file."""
    lines = compose(load_stories(HERE / "stories"), HERE / "sources")
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (HERE / "bundle.jsonl").write_text(text, "utf-8")
    print(f"{len(lines)} lines")


if __name__ == "__main__":
    main()
