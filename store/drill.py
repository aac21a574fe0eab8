"""The restore drill: backup, erase, restore, search, on synthetic records in a scratch place under a tenant's own declarations and policies (R28).

The store's own records are not touched. What each step did and found is kept as a proof, whether it went well or not.
"""

from __future__ import annotations

import json
import random
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from store.actions.backups import make_backup, restore_backup
from store.actions.forgetting import request_deletion
from store.actions.import_bundle import import_lines
from store.db.claim_store import ClaimStore, create_store, open_store
from store.db.declarations import list_policies
from store.db.keys import load_predicates
from store.db.proofs import DRILL, insert_proof
from store.db.residue import Residue, scan_files, scan_store
from store.db.scratch import Scratch, scratch_places
from store.db.transaction import read, write
from store.domain.errors import Code, Refusal
from store.domain.forgetting import Surface, Wanted
from store.domain.people import OPERATOR, Right
from store.domain.text import digest_bytes
from store.domain.times import format_optional
from store.erasing_run import run_deletion
from store.handing_out import export_store
from store.reads.answers import search_now, search_records
from store.reads.forgetting import view_deletion
from store.reads.record import show_record

#: Surfaces the program clears itself; the others of a drill stay open, because nobody answers for them.
_OWN = {Surface.RECORD, Surface.EVIDENCE, Surface.SEARCH_INDEX, Surface.CACHES, Surface.PREVIEWS, Surface.HISTORY, Surface.READ_LOG}
_LETTERS = "bcdfghjklmnpqrstvwxz"


@dataclass(slots=True)
class Drill:
    """A drill under way."""

    scratch: Scratch
    tenant: str
    declared: list[dict[str, Any]]
    now: Callable[[], int]
    marker: str = ""
    source: str = "drill-source"
    steps: list[dict[str, Any]] = field(default_factory=list)

    def note(self, step: str, did: str, ok: bool, **found: Any) -> None:
        """Note what a step did and found."""
        self.steps.append({"step": step, "did": did, "found": found, "ok": bool(ok)})

    @property
    def ledger(self) -> Path:
        """Return the ledger of the scratch stores."""
        return self.scratch.folder / "drill.ledger"

    @property
    def backup(self) -> Path:
        """Return the backup's file."""
        return self.scratch.folder / "drill.backup"

    @property
    def ids(self) -> dict[str, str]:
        """Return the ids of the synthetic records."""
        return {"claim": f"claim-{self.marker}", "artifact": f"artifact-{self.marker}", "evidence": f"{self.source}@1"}


def run_drill(store: ClaimStore, person: str, tenant: str, *, authenticated: bool = False) -> dict[str, Any]:
    """Back up, erase, restore and search synthetic records in a scratch place; keep what was found as a proof of the tenant.

    Returns:
        `{"ok", "message", "tenant", "database", "steps": [{"step", "did", "found", "ok"}], "seconds", "proof"}`.

    Raises:
        Refusal: `not_allowed` unless the person administers the tenant.
    """
    begun = time.monotonic()
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} in which you may act. Nothing was done. Name another tenant.")
        reading.actor.need(Right.ADMINISTER, tenant, "run a restore drill")
        declared = [one.to_line() for one in load_predicates(reading.connection, number).values()]
        declared += [one.to_line() for one in list_policies(reading.connection, number)]
    with scratch_places(store.url) as scratch:
        drill = Drill(scratch, tenant, declared, store.now)
        try:
            _rehearse(drill)
        except Refusal as refusal:
            drill.note("broken off", refusal.message.replace(drill.marker or "\0", "…"), ok=False, code=refusal.code.value)
        found = {"tenant": tenant, "database": scratch.kind, "steps": drill.steps, "seconds": round(time.monotonic() - begun, 2)}
    failed = [one for one in drill.steps if not one["ok"]]
    message = (
        f"Nothing came back: after the backup was restored, the {len(drill.ids)} forgotten records were found nowhere."
        if not failed
        else f"The drill failed at “{failed[0]['step']}”. {_say_found(failed[0])} Do not rely on restoring this store before that is understood."
    )
    found = {"message": message, **found}
    with write(store, person, tenant, "drill", [], authenticated=authenticated) as tx:
        proof = insert_proof(tx, DRILL, found, ok=not failed)
        tx.result = {"proof": proof, "event": tx.seq}
    return {"ok": not failed, **found, "proof": proof}


def _say_found(step: dict[str, Any]) -> str:
    """Return what was found at a step that failed, as a sentence."""
    found = step["found"]
    if where := found.get("where"):
        return f"What was forgotten still stands in {', '.join(sorted(where))}."
    if step["step"] == "erase":
        undone = sorted(name for name in _OWN if found["surfaces"].get(name) != "done")
        return f"Not done: {', '.join(undone)}." if undone else "Something was left when the erasure was verified."
    return str(step["did"])


def _rehearse(drill: Drill) -> None:
    letters = random.SystemRandom()
    drill.marker = "".join(letters.choice(_LETTERS) for _ in range(14))
    url = drill.scratch.place()
    store = create_store(url, drill.now, ledger=drill.ledger)
    try:
        _prepare(drill, store)
        _back_up(drill, store)
        _erase(drill, store)
        _search(drill, store, "after erasing")
    finally:
        store.close()
    _restore_without_ledger(drill)
    place = drill.scratch.place()
    found = restore_backup(place, OPERATOR, drill.backup, now=drill.now, ledger=drill.ledger)
    drill.note(
        "restore", "The backup was restored into another scratch place; what the ledger names was erased again before it could be read.",
        ok=found["erased_again"] > 0, erased_again=found["erased_again"],
    )  # fmt: skip
    restored = open_store(place, drill.now, ledger=drill.ledger)
    try:
        _search(drill, restored, "after restoring")
        _import_again(drill, restored)
    finally:
        restored.close()


def _lines(drill: Drill) -> list[bytes]:
    text = f"In the drill {drill.marker} was written down.\n"
    quote, ids, owner = text.strip(), drill.ids, OPERATOR
    later = format_optional(drill.now() + 400 * 24 * 3600 * 1_000_000)
    return [
        json.dumps(line).encode() + b"\n"
        for line in (
            {"type": "source", "id": drill.source, "uri": "https://example.org/drill", "scope": drill.tenant, "owner": owner, "authority": "drill"},
            {
                "type": "evidence", "id": ids["evidence"], "source": drill.source, "version": 1, "captured_at": format_optional(drill.now()),
                "media_type": "text/plain", "sha256": digest_bytes(text.encode()), "content": text,
            },
            {
                "type": "claim", "id": ids["claim"], "scope": drill.tenant, "subject": f"drill {drill.marker}", "predicate": f"drill-{secrets.token_hex(4)}",
                "value": drill.marker, "statement": f"Somebody said {drill.marker}.", "owner": owner, "review_at": later, "status": "reviewed",
                "proposed_by": "drill", "extraction": {"method": "drill", "version": "1"}, "entity_confidence": 1.0, "derived_from": [],
                "evidence": [{"evidence": ids["evidence"], "span": {"start": 0, "end": len(quote)}, "quote": quote}],
            },
            {
                "type": "artifact", "id": ids["artifact"], "artifact_type": "report", "title": f"About {drill.marker}", "body": f"It says {drill.marker}.",
                "scope": drill.tenant, "owner": owner, "review_at": later, "status": "reviewed", "proposed_by": "drill", "derived_from": [ids["claim"]],
            },
        )
    ]  # fmt: skip


def _prepare(drill: Drill, store: ClaimStore) -> None:
    declared = import_lines(store, OPERATOR, [json.dumps(line).encode() + b"\n" for line in drill.declared], reviewed=True)
    found = import_lines(store, OPERATOR, _lines(drill), reviewed=True)
    search_records(store, OPERATOR, drill.marker, drill.tenant)  # so that the log of reads holds it too
    counts = found["imported"]
    drill.note(
        "prepare", f"A scratch store was made under the declarations and policies of {drill.tenant}, with a source, its text, a claim and an artifact.",
        ok=not found["rejected"] and counts["claim"] == counts["artifact"] == counts["evidence"] == 1, rejected=len(found["rejected"]) + len(declared["rejected"]),
        declared=len(drill.declared),
    )  # fmt: skip
    if found["rejected"]:
        reasons = sorted({one["reason"] for one in found["rejected"]})
        raise Refusal(Code.BAD_VALUE, f"The synthetic records were not taken: {', '.join(reasons)}.")


def _bytes_with_marker(drill: Drill, path: Path) -> int:
    residue = Residue()
    scan_files([drill.marker], [path], residue)
    return residue.count


def _back_up(drill: Drill, store: ClaimStore) -> None:
    made = make_backup(store, OPERATOR, drill.backup, keep_days=1)
    held = _bytes_with_marker(drill, drill.backup)
    drill.note("backup", "A backup was made, and what is to be forgotten stands in it.", ok=held > 0, bytes=made["bytes"], places=held)


def _erase(drill: Drill, store: ClaimStore) -> None:
    wanted = Wanted(tuple(sorted(drill.ids.values())))
    request = request_deletion(store, OPERATOR, drill.tenant, wanted, reason="a drill")["request"]
    with suppress(Refusal):
        search_records(store, OPERATOR, drill.marker, drill.tenant)
    verification = run_deletion(store, OPERATOR, drill.tenant, request)["verification"]
    surfaces = {row.name: row.state for row in view_deletion(store, OPERATOR, drill.tenant, request).surfaces}
    undone = [name for name in _OWN if surfaces.get(name.value) != "done"]
    did = "The records were asked to be forgotten, erased on every surface, and that was verified."
    residue = scan_store(store, [drill.marker])
    drill.note("erase", did, ok=not undone and verification["ok"], surfaces=surfaces, verified=verification["ok"], where=residue.where())


def _search(drill: Drill, store: ClaimStore, when: str) -> None:
    """Look for what was forgotten as a reader, an agent, an exporter and byte by byte would find it."""
    shown = 0
    for record_id in drill.ids.values():
        with suppress(Refusal):
            shown += drill.marker in json.dumps(show_record(store, OPERATOR, drill.tenant, record_id), default=str)
    with read(store, OPERATOR) as reading:  # without a line in the log of reads, which would hold what is looked for
        answer = search_now(reading, drill.marker, drill.tenant)
    path = drill.scratch.folder / "export.jsonl"
    export_store(store, OPERATOR, path, scope=drill.tenant)
    exported = path.read_bytes().count(drill.marker.encode())
    path.unlink()
    residue = scan_store(store, [drill.marker])
    found = {"read": shown, "search": len(answer.get("items", [])), "export": exported, "bytes": residue.count}
    drill.note(
        f"search {when}", f"What was forgotten was looked for {when}: by its ids, by searching, in an export and in every byte of the store.",
        ok=not any(found.values()), **found, where=residue.where(), files=residue.files, looked_through=residue.bytes,
    )  # fmt: skip


def _restore_without_ledger(drill: Drill) -> None:
    hidden = drill.ledger.rename(drill.ledger.with_name("put aside"))
    code = "restored"
    try:
        restore_backup(drill.scratch.place(), OPERATOR, drill.backup, now=drill.now, ledger=drill.ledger)
    except Refusal as refusal:
        code = refusal.code.value
    finally:
        hidden.rename(drill.ledger)
    drill.note("restore without the ledger", "Restoring without the ledger of erasures was tried, and has to be refused.", ok=code == Code.LEDGER_MISSING, answer=code)

def _import_again(drill: Drill, restored: ClaimStore) -> None:
    found = import_lines(restored, OPERATOR, _lines(drill), reviewed=True)
    codes = sorted({one["code"] for one in found["rejected"] if "code" in one})
    taken = found["imported"]["claim"] + found["imported"]["artifact"]
    drill.note("import again", "The same records were imported again, and have to be refused.", ok=not taken, imported=taken, answers=codes)
