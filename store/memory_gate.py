"""The four tests to pass before memory may be written: run on made-up data in a scratch store with the real store's policy (second article).

A one-off stays out; a correction wins in a new session; another tenant reads nothing; nothing comes back after deletion,
by search, cached answer or backup. Each looks at what is retrieved at the store, not only at what is answered. No record
of the real store is read or written; what the run found is kept there as a proof.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from store.actions.approve import Approval, approve
from store.actions.backups import make_backup, restore_backup
from store.actions.forgetting import request_deletion
from store.actions.import_bundle import import_lines
from store.actions.review import reject
from store.db.claim_store import ClaimStore, create_store, open_store
from store.db.declarations import list_policies
from store.db.keys import load_predicates
from store.db.proofs import GATE, insert_proof
from store.db.records import find_card
from store.db.residue import scan_store
from store.db.scratch import scratch_places
from store.db.transaction import read, write
from store.domain.errors import Code, Refusal
from store.domain.forgetting import Wanted
from store.domain.people import OPERATOR, Right
from store.domain.text import digest_bytes
from store.erasing_run import run_deletion
from store.reads.answers import Question, read_claims, read_record, search_records
from store.reads.locate import find_tenant
from store.reads.new_session import NewSession, SessionLook, look_anew
from store.reads.record import show_record
from store.reads.subject import suggest_subjects

_OTHER = "gate-other"
_READER, _STRANGER, _MAKER = "gate-reader", "gate-stranger", "gate-agent"
_SUBJECT = "person:gate-author"
_PREDICATE = "gate_brief_format"
_LASTING, _ONCE, _NEW, _ANSWER, _VERSION = "gate-lasting", "gate-once", "gate-new", "gate-answer", "gate-talk@1"
_TO_FORGET, _CACHED = "gate-to-forget", "gate-cached"
_FAR = "2199-01-01T00:00:00Z"
#: Why a proposal was refused -> how the gate tells it.
_REFUSED = {Code.ERASED_BEFORE.value: "refused, because it was forgotten before"}


@dataclass(slots=True)
class GateTest:
    """One test with what it did and found.

    Attributes:
        did: sentences; `retrieved`: what each look retrieved, as sentences with ids of made-up records.
    """

    name: str
    did: list[str] = field(default_factory=list)
    retrieved: list[str] = field(default_factory=list)
    expected: str = ""
    found: str = ""
    ok: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the test as it is kept and printed."""
        return {name: getattr(self, name) for name in ("name", "did", "retrieved", "expected", "found", "ok")}


def run_memory_gate(store: ClaimStore, person: str, tenant: str | None = None, *, authenticated: bool = False) -> dict[str, Any]:
    """Run the four tests under a tenant's policy and keep what they found as a proof.

    Returns:
        `{"ok", "tenant", "proof": number, "engine", "policies": how many, "tests": [{"name", "did", "retrieved", "expected", "found", "ok"}]}`.

    Raises:
        Refusal: `not_allowed` unless the person administers the tenant; a scratch store cannot be made.
    """
    name = tenant or find_tenant(store, person, [], None)
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(name)
        if number is None:
            raise Refusal(Code.NOT_FOUND, f"There is no tenant {name[:80]!r} in which you hold a role. Nothing was done.")
        reading.actor.need(Right.ADMINISTER, name, "run the gate of its memory")
        policies = [one.to_line() for one in list_policies(reading.connection, number)]
        declared = [one.to_line() for one in load_predicates(reading.connection, number).values()]
    with scratch_places(store.url) as scratch:
        gate = _Gate(name, scratch.folder, [scratch.place(), scratch.place()], policies, declared)
        tests = [test.to_json() for test in gate.run()]
        engine = "SQLite" if scratch.kind == "sqlite" else "PostgreSQL"
    found: dict[str, Any] = {"tests": tests, "engine": engine, "policies": len(policies), "predicates": len(declared)}
    ok = all(test["ok"] for test in tests)
    with write(store, person, name, "gate", [], authenticated=authenticated) as tx:
        proof = insert_proof(tx, GATE, found, ok=ok)
        tx.result = {"proof": proof, "event": tx.seq}
    return {"ok": ok, "tenant": name, "proof": proof, **found}


class _Gate:
    """A scratch store with the real one's policy, and made-up people and statements in it."""

    def __init__(self, tenant: str, folder: Path, urls: list[str], policies: list[dict[str, Any]], declared: list[dict[str, Any]]) -> None:
        self.tenant, self.folder, self.urls, self.policies, self.declared = tenant, folder, urls, policies, declared
        self.scope = f"{tenant}/gate-{secrets.token_hex(4)}"
        self.ledger = folder / "gate.ledger"
        #: A word that stands nowhere else, by which what is to be forgotten is looked for.
        self.marker = f"gatemark{secrets.token_hex(8)}"
        settings: dict[str, Any] = {}
        for line in sorted((one for one in policies if one["scope"] == tenant), key=lambda one: len(one["scope"])):
            settings |= line
        kept = settings.get("kept_types") or ["preference"]
        self.claim_type = "preference" if "preference" in kept else kept[0]
        approvers = settings.get("approvers") or {}
        self.reviewer = next((people[0] for people in (approvers.get(self.claim_type), approvers.get("normal")) if people), "gate-reviewer")

    def run(self) -> list[GateTest]:
        """Run the tests one after the other on the same store, each looked at by a session of its own."""
        self._make()
        tests = []
        for name, test in (
            ("a one-off stays out", self._one_off), ("a correction wins in a new session", self._correction),
            ("another tenant reads nothing", self._other_tenant), ("nothing comes back after deletion", self._deletion),
        ):  # fmt: skip
            found = GateTest(name)
            try:
                test(found)
            except Refusal as refusal:
                found.found, found.ok = f"refused: {refusal.message}", False
            tests.append(found)
        return tests

    # --- the scratch store ----------------------------------------------------------------------------------------

    def _make(self) -> None:
        people = [(self.reviewer, "reviewer", self.tenant), (_READER, "reader", self.tenant), (_MAKER, "contributor", self.tenant), (_STRANGER, "reviewer", _OTHER)]
        lines: list[dict[str, Any]] = [
            {"type": "person", "id": one, "name": one, "roles": [{"role": role, "scope": scope}]} for one, role, scope in people
        ]
        text = f"The author: short points from now on. Once: an English letter. And {self.marker}, to be forgotten later."
        lines += [
            *self.policies, *self.declared,
            {"type": "source", "id": "gate-talk", "scope": self.scope, "title": "A made-up talk", "owner": self.reviewer},
            {"type": "evidence", "id": _VERSION, "source": "gate-talk", "version": 1, "captured_at": "2026-01-05T09:00:00Z", "media_type": "text/plain",
             "sha256": digest_bytes(text.encode()), "content": text},
            {"type": "source", "id": "gate-elsewhere", "scope": _OTHER, "title": "Elsewhere", "owner": _STRANGER},
        ]  # fmt: skip
        self.text = text
        store = create_store(self.urls[0], ledger=self.ledger)
        try:
            self._bring(store, lines, reviewed=True)
        finally:
            store.close()

    def _bring(self, store: ClaimStore, lines: list[dict[str, Any]], *, reviewed: bool = False, by: str = OPERATOR) -> dict[str, Any]:
        found = import_lines(store, by, [json.dumps(line).encode() for line in lines], reviewed=reviewed)
        for refused in found["rejected"][:1]:
            raise Refusal(Code(refused["code"]), refused["message"])
        return found

    def _claim(self, record: str, value: str, quote: str, **fields: Any) -> dict[str, Any]:
        start = self.text.index(quote)
        return {
            "type": "claim", "id": record, "scope": self.scope, "subject": _SUBJECT, "predicate": _PREDICATE, "value": value, "claim_type": self.claim_type,
            "speaker": "gate-author", "confirmed_by": "gate-author", "owner": self.reviewer, "review_at": _FAR, "entity_confidence": 1,
            "extraction": {"method": "gate", "version": "1"},
            "evidence": [{"evidence": _VERSION, "span": {"start": start, "end": start + len(quote)}, "quote": quote}], **fields,
        }  # fmt: skip

    def _propose(self, store: ClaimStore, *claims: dict[str, Any]) -> None:
        self._bring(store, list(claims), by=_MAKER)

    def _approve(self, store: ClaimStore, record: str, **how: Any) -> None:
        approve(store, self.reviewer, self.tenant, record, Approval("a test of the gate", **how))

    def _anew(self, look: Callable[[ClaimStore], Any], place: int = 0) -> Any:
        """Return what a session sees that opens the store by itself, with nothing left in memory."""
        store = open_store(self.urls[place], ledger=self.ledger)
        try:
            return look(store)
        finally:
            store.close()

    def _work(self, doing: Callable[[ClaimStore], Any]) -> Any:
        return self._anew(doing)

    def _look_for(self, record: str) -> NewSession:
        """Return what the reader gets, in a session of its own, of what must not come back."""

        def look(store: ClaimStore) -> NewSession:
            with read(store, _READER) as reading:
                number = reading.tenant_number(self.tenant)
                card = None if number is None else find_card(reading.connection, number, record)
                assert number is not None
                assert card is not None
                return look_anew(reading, number, self.tenant, [card])

        found = self._anew(look)
        assert isinstance(found, NewSession)
        return found

    def _question(self) -> Question:
        return Question(self.scope, _SUBJECT, _PREDICATE, limit=200)

    # --- the four tests -------------------------------------------------------------------------------------------

    def _one_off(self, test: GateTest) -> None:
        def doing(store: ClaimStore) -> None:
            self._propose(store, self._claim(_LASTING, "short points", "short points from now on"))
            self._approve(store, _LASTING)
            self._propose(store, self._claim(_ONCE, "an English letter", "Once: an English letter"))
            reject(store, self.reviewer, self.tenant, _ONCE, "session_only", "for one letter")

        self._work(doing)
        found = self._look_for(_ONCE)
        test.did = [
            "A made-up author's lasting wish was proposed and accepted.", "A wish for one letter was proposed and kept to its task only.",
            "A new session read the question, looked both up by id and searched for what the one-off says.",
        ]  # fmt: skip
        test.retrieved = _say_looks(found.looks)
        test.expected, test.found = f"{_LASTING} and nothing else", _say_found(found)
        test.ok = found.ok and found.stands == (_LASTING,)

    def _correction(self, test: GateTest) -> None:
        def doing(store: ClaimStore) -> None:
            answer = {
                "type": "artifact", "id": _ANSWER, "scope": self.scope, "artifact_type": "answer", "title": "A cached answer", "body": "Use short points.",
                "owner": self.reviewer, "derived_from": [_LASTING], "review_at": _FAR, "status": "reviewed",
            }  # fmt: skip
            self._bring(store, [answer], reviewed=True)
            read_claims(store, _READER, self._question())
            self._propose(store, self._claim(_NEW, "whole paragraphs", "The author: short points"))
            self._approve(store, _NEW, replaces=_LASTING)

        self._work(doing)
        found = self._look_for(_LASTING)
        links = self._anew(lambda store: show_record(store, self.reviewer, self.tenant, _LASTING)["superseded_by"])
        test.did = [
            "An answer that rests on the lasting wish was cached, and a reader was told the wish.", "A lasting change was proposed and accepted in its place.",
            "A new session read the question, looked the old wish and the cached answer up by id, and searched for what the old wish says.",
        ]  # fmt: skip
        test.retrieved = _say_looks(found.looks)
        test.expected, test.found = f"{_NEW} alone; {_LASTING} names it as its successor", f"{_say_new(found)}; {_LASTING} names {_say_successor(links)} as its successor"
        test.ok = found.ok and found.stands == (_NEW,) and links == _NEW and found.cached == 1

    def _other_tenant(self, test: GateTest) -> None:
        test.did = [
            "Somebody of another tenant asked the same question in the scope it is held in.", "They looked the statement up by its id, and its record.",
            "They searched for its words there and in their own tenant, and looked the person up by name.",
        ]  # fmt: skip
        found: list[tuple[str, list[str]]] = []

        def look(store: ClaimStore) -> None:
            for scope in (self.scope, _OTHER):
                answer = read_claims(store, _STRANGER, Question(scope, _SUBJECT, _PREDICATE, limit=200))
                found.append((f"read in {scope}", [one["id"] for one in answer["claims"]]))
                items = search_records(store, _STRANGER, "whole paragraphs", scope)["items"]
                found.append((f"search in {scope}", [one["id"] for one in items]))
            answer = read_record(store, _STRANGER, self.tenant, _NEW, Question(self.scope))
            found.append((f"read {_NEW} by id", [one["id"] for one in answer["claims"]]))
            found.append((f"look up {_NEW}", self._shown(store, _NEW)))
            found.append(("look the person up by name", [one.subject for one in suggest_subjects(store, _STRANGER, _SUBJECT)]))

        self._anew(look)
        test.retrieved = [_say(what, ids) for what, ids in found]
        came = [one for _, ids in found for one in ids]
        test.expected, test.found, test.ok = "nothing", ", ".join(came) or "nothing", not came

    def _shown(self, store: ClaimStore, record: str) -> list[str]:
        try:
            return [str(show_record(store, _STRANGER, self.tenant, record)["id"])]
        except Refusal as refusal:
            if refusal.code is not Code.NOT_FOUND:
                raise
            return []

    def _deletion(self, test: GateTest) -> None:
        backup = self.folder / "before.backup"
        claim = self._claim(_TO_FORGET, f"wants {self.marker}", self.marker, predicate="gate_secret_wish")

        def doing(store: ClaimStore) -> None:
            self._propose(store, claim)
            self._approve(store, _TO_FORGET)
            cached = {
                "type": "artifact", "id": _CACHED, "scope": self.scope, "artifact_type": "answer", "title": "Another cached answer",
                "body": f"They want {self.marker}.", "owner": self.reviewer, "derived_from": [_TO_FORGET], "review_at": _FAR, "status": "reviewed",
            }  # fmt: skip
            self._bring(store, [cached], reviewed=True)
            before = read_claims(store, _READER, Question(self.scope, _SUBJECT, "gate_secret_wish"))
            test.retrieved.append(_say("before, read", [one["id"] for one in before["claims"]]))
            make_backup(store, OPERATOR, backup)
            request = request_deletion(store, OPERATOR, self.tenant, Wanted((_TO_FORGET,)), reason="a test of the gate")["request"]
            run_deletion(store, OPERATOR, self.tenant, request)

        self._work(doing)
        # The bytes first: what is searched for is kept in the log of reads.
        places = self._search_bytes(test, 0, "after")
        came = self._look_after(test, 0, "after")
        code = self._again(claim)
        test.retrieved.append(f"proposed again: {_REFUSED.get(code, code)}")
        restore_backup(self.urls[1], OPERATOR, backup, ledger=self.ledger)
        places += self._search_bytes(test, 1, "in the restored backup")
        came += self._look_after(test, 1, "in the restored backup")
        test.did = [
            "A statement with a word that stands nowhere else was accepted and told to a reader; a cached answer rests on it.", "A backup of the store was made.",
            "Its deletion was requested and run.", "A new session read the question, looked statement and cached answer up by id, and searched for the word.",
            "The same statement was proposed again.", "The backup was restored into an empty place, and everything was looked at there again.",
            "Every file and table of both was searched for the word, byte by byte.",
        ]  # fmt: skip
        test.expected = "nothing, the proposal refused, and the word nowhere"
        refused = code == Code.ERASED_BEFORE.value
        test.found = f"{', '.join(came) or 'nothing'}, the proposal {'refused' if refused else 'not refused'}, and the word in {places} places"
        test.ok = not came and not places and refused

    def _look_after(self, test: GateTest, place: int, when: str) -> list[str]:
        """Look by every way for what was forgotten, and return what came."""
        found: list[tuple[str, list[str]]] = []

        def look(store: ClaimStore) -> None:
            answer = read_claims(store, _READER, Question(self.scope, _SUBJECT, "gate_secret_wish", limit=200))
            found.append(("read", [one["id"] for one in answer["claims"]]))
            for record in (_TO_FORGET, _CACHED):
                by_id = read_record(store, _READER, self.tenant, record, Question(self.scope))
                found.append((f"read {record} by id", [one["id"] for one in by_id["claims"]]))
            for words in (self.marker, f"wants {self.marker}"):
                items = search_records(store, _READER, words, self.scope, limit=200)["items"]
                found.append(("search for the word" if words == self.marker else "search for what it said", [one["id"] for one in items]))

        self._anew(look, place)
        test.retrieved += [_say(f"{when}, {what}", ids) for what, ids in found]
        return [one for _, ids in found for one in ids]

    def _search_bytes(self, test: GateTest, place: int, when: str) -> int:
        """Search every file and table for the word and return how often it stands somewhere."""
        found = self._anew(lambda store: scan_store(store, [self.marker]), place)
        where = ", ".join(f"{name} {count}" for name, count in sorted(found.where().items())) or "nowhere"
        test.retrieved.append(f"{when}, the word in {found.files} files and in every table: {where}")
        return int(found.count)

    def _again(self, claim: dict[str, Any]) -> str:
        """Propose what was forgotten again, which is to be refused; return why it was, or that it was not."""

        def doing(store: ClaimStore) -> str:
            found = import_lines(store, _MAKER, [json.dumps(claim).encode()])
            return str(found["rejected"][0]["code"]) if found["rejected"] else "taken in"

        return str(self._work(doing))


def _say(what: str, ids: list[str]) -> str:
    return f"{what}: {', '.join(ids) or 'nothing'}"


_BY = {"read": "read in {asked}", "read_by_id": "read {asked} by id", "search": "search in {asked}", "cached_answer": "read cached answer {asked}"}


def _say_looks(looks: tuple[SessionLook, ...]) -> list[str]:
    return list(dict.fromkeys(_say(_BY[look.by].format(asked=look.asked), list(look.retrieved)) for look in looks))


def _say_new(found: NewSession) -> str:
    said = _say_found(found)
    return f"{said} alone" if found.stands == (_NEW,) and said == _NEW else said


def _say_successor(link: object) -> str:
    return "it" if link == _NEW else str(link or "nothing")


def _say_found(found: NewSession) -> str:
    gone = [one for look in found.looks for one in look.gone]
    return ", ".join(dict.fromkeys([*found.stands, *gone])) or "nothing"
