"""The first article's experiment on a scratch store: its seven checks, what was expected, what came out."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from store.actions.commit_plan import commit_plan
from store.actions.import_bundle import import_lines
from store.db.claim_store import ClaimStore, create_store
from store.domain.people import OPERATOR
from store.domain.plans import Plan, Verb
from store.domain.text import digest_bytes
from store.domain.times import parse_stated_time
from store.reads.answers import Question, read_claims, read_record
from store.reads.preview import preview_plan
from store.reads.record import show_record

_TENANT, _A, _B = "lab", "lab/project-a", "lab/project-b"
_FIRST = "Interface notes of project A.\nThe interface supports safe retries.\nThe job runs daily.\n"
_SECOND = "Operations handbook, written by somebody else.\nThe office is in Lyon.\nThe job runs weekly.\n"
_EXPIRES = "2026-12-01T00:00:00Z"
_BEFORE = "2026-11-01T00:00:00Z"


def _evidence(name: str, text: str) -> list[dict[str, Any]]:
    source = {
        "type": "source",
        "id": f"S-{name}",
        "uri": f"file:///{name}.md",
        "title": name,
        "authority": "document",
        "owner": "reviewer",
        "scope": _A,
    }
    version = {
        "type": "evidence", "id": name, "source": f"S-{name}", "version": 1, "captured_at": "2026-07-01T09:00:00Z", "media_type": "text/markdown",
        "sha256": digest_bytes(text.encode()), "content": text,
    }  # fmt: skip
    return [source, version]


def _claim(claim_id: str, subject: str, predicate: str, value: Any, *, evidence: str = "", quote: str = "", **fields: Any) -> dict[str, Any]:
    text = {"E1": _FIRST, "E2": _SECOND}.get(evidence, "")
    start = text.find(quote)
    bound = [{"evidence": evidence, "span": {"start": start, "end": start + len(quote)}, "quote": quote}] if evidence else []
    return {
        "type": "claim", "id": claim_id, "scope": _A, "subject": subject, "predicate": predicate, "value": value, "evidence": bound,
        "owner": "reviewer", "review_at": "2030-01-01T00:00:00Z", "extraction": {"method": "lab", "version": "1"}, "entity_confidence": 1,
        "status": "reviewed", **fields,
    }  # fmt: skip


def _lines() -> list[dict[str, Any]]:
    return [
        {"type": "person", "id": "reviewer", "name": "Reviewer", "roles": [{"role": "reviewer", "scope": _TENANT}]},
        {"type": "person", "id": "agent", "name": "Agent", "roles": [{"role": "reader", "scope": _TENANT}]},
        *_evidence("E1", _FIRST),
        *_evidence("E2", _SECOND),
        _claim("M1", "interface", "supports_retry", True, evidence="E1", quote="The interface supports safe retries."),
        _claim("M2", "interface", "retry_plan", "retry twice", claim_type="inference", derived_from=["M1"]),
        {"type": "artifact", "id": "R1", "scope": _A, "artifact_type": "report", "title": "Report 1", "owner": "reviewer", "derived_from": ["M2"], "status": "reviewed"},
        _claim("M9", "office", "city", "Lyon", evidence="E2", quote="The office is in Lyon.", expires_at=_EXPIRES),
        _claim("C1", "interface", "idempotent", True, evidence="E1", quote="The interface supports safe retries.", status="candidate"),
        _claim("K1", "job", "schedule", "daily", evidence="E1", quote="The job runs daily."),
        _claim("K2", "job", "schedule", "weekly", evidence="E2", quote="The job runs weekly."),
    ]  # fmt: skip


def _ask(store: ClaimStore, subject: str, predicate: str, *, scope: str = _A, at: str = _BEFORE) -> str:
    question = Question(scope, subject, predicate, {}, at=parse_stated_time(at))
    return str(read_claims(store, "agent", question)["result"])


def _run(store: ClaimStore) -> list[dict[str, Any]]:
    import_lines(store, OPERATOR, [json.dumps(line).encode() for line in _lines()], reviewed=True)
    found = [
        ("a candidate that nobody approved", "MISSING", _ask(store, "interface", "idempotent")),
        ("project B asks for what project A remembers", "MISSING", _ask(store, "interface", "supports_retry", scope=_B)),
        ("opposite claims about one question", "CONFLICT", _ask(store, "job", "schedule")),
    ]
    plan = Plan(Verb.REVOKE, ("E1",))
    preview = preview_plan(store, "reviewer", _TENANT, plan)
    reached = ", ".join(sorted(row["id"] for row in preview.affected if row["id"] in ("E1", "M1", "M2", "R1")))
    commit_plan(store, "reviewer", _TENANT, plan, preview.fingerprint, "the notes were a guess")
    statuses = [show_record(store, "reviewer", _TENANT, one)["status"] for one in ("E1", "M1", "M2", "R1")]
    found += [
        ("revoking E1 reaches", "E1, M1, M2, R1", reached),
        ("their statuses afterwards", "REVOKED, STALE, STALE, STALE", ", ".join(statuses)),
        ("reading R1 afterwards", "MISSING", str(read_record(store, "agent", _TENANT, "R1", Question(_A))["result"])),
        ("reading the independent claim on E2", "OK", _ask(store, "office", "city")),
        ("reading it at the moment it expires", "MISSING", _ask(store, "office", "city", at=_EXPIRES)),
    ]
    return [{"check": check, "expected": expected, "found": came, "ok": expected == came} for check, expected, came in found]


def run_lab() -> dict[str, Any]:
    """Return `{"ok", "checks": [{"check", "expected", "found", "ok"}]}` and leave nothing behind."""
    with tempfile.TemporaryDirectory(prefix="claimdesk-lab-") as folder:
        store = create_store(f"sqlite:///{Path(folder, 'lab.db')}")
        try:
            checks = _run(store)
        finally:
            store.close()
    return {"ok": all(check["ok"] for check in checks), "checks": checks}
