"""Puts into a synthetic store what agents remember about people: one with thousands of claims, flagged candidates, requests to forget, proofs, files."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from store import OPERATOR, Wanted, export_store, import_lines, open_store, request_deletion, run_deletion
from store.bench.person import PERSON, person_lines
from store.bench.texts import SCOPES, TENANT

#: Claims about the person; of them so many are asked to be forgotten, and so many are erased.
ABOUT, ASKED, ERASED = 5_000, 200, 50
#: Candidates of which a detector says something.
_FLAGGED = 1_000


def _flagged() -> Iterator[bytes]:
    """Yield candidates in which a key stands, or what is said of somebody's health."""
    yield json.dumps({"type": "source", "id": "notes", "scope": SCOPES[1], "title": "Notes"}).encode()
    lines = [f"{n:05d} use AKIA{n:016d}" if n % 2 else f"{n:05d} she has diabetes and takes {n} units" for n in range(_FLAGGED)]
    version = {"source": "notes", "version": 1, "captured_at": "2025-03-02T00:00:00Z", "media_type": "text/plain", "content": "\n".join(lines) + "\n"}
    yield json.dumps({"type": "evidence", "id": "notes@1", **version}).encode()
    begin = 0
    for n, line in enumerate(lines):
        bound = [{"evidence": "notes@1", "span": {"start": begin, "end": begin + len(line)}, "quote": line}]
        begin += len(line) + 1
        said = {"subject": f"person-{n % 50}", "predicate": "note", "value": line, "statement": line, "qualifiers": {"line": str(n)}, "evidence": bound}
        yield json.dumps({"type": "claim", "id": f"F{n}", "scope": SCOPES[1], **said, "owner": "owner-001", "proposed_by": "agent-1", "review_at": "2035-01-01T00:00:00Z"}).encode()


def remember(url: str) -> None:
    """Fill the store."""
    with contextlib.closing(open_store(url)) as store, tempfile.TemporaryDirectory() as folder:
        import_lines(store, OPERATOR, person_lines(ABOUT), reviewed=True)
        # A candidate that says otherwise than what is accepted.
        changed = json.loads(person_lines(1)[-1]) | {"id": "CHANGED", "value": "offer of another year", "status": "candidate"}
        import_lines(store, OPERATOR, [*_flagged(), json.dumps(changed).encode()])
        export_store(store, OPERATOR, Path(folder) / "desk.jsonl", scope=SCOPES[1])
        for first, count in ((1_000, ERASED), (2_000, ASKED)):
            ids = tuple(f"M{n}" for n in range(first, first + count))
            asked = request_deletion(store, OPERATOR, TENANT, Wanted(ids), reason="Asked by the person", requester="the person")
            if count == ERASED:
                run_deletion(store, OPERATOR, TENANT, asked["request"])


def memory_addresses() -> list[str]:
    """Return the addresses of the screens for what is remembered about people, and for forgetting it."""
    here, done, asked = f"tenant={TENANT}", f"request={TENANT}-deletion-1", f"request={TENANT}-deletion-2"
    forgetting = ["", f"?{asked}", f"?{done}", f"?{done}&part=receipt", f"?{done}&part=letter", f"?view=copies&{here}", "?view=proofs", f"?do=request&subject={PERSON}&{here}", f"?do=request&source=chat-1&{here}", f"?do=request&by=search&find=season&{here}", f"?do=request&record=M7&record=M8&{here}"]
    about = [f"/about?subject={PERSON}&{here}", f"/about?subject={PERSON}&{here}&show=person"]
    triage = ["/candidates?show=flagged", f"/candidates?candidate=F7&{here}", f"/candidates?candidate=CHANGED&{here}", f"/record?record=M9&{here}"]
    return [f"/forgetting{one}" for one in forgetting] + about + triage + [f"/people?tab=policy&{here}", f"/people?tab=history&{here}"]
