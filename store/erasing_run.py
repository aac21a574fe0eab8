"""Carrying out a deletion request with everything around it: a marker before, the sweep and the search for what is left after."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from store.actions import forgetting
from store.db.claim_store import ClaimStore
from store.db.erase_marker import plant_marker
from store.db.erase_mentions import Blotting
from store.db.erase_parts import find_parts
from store.db.erase_words import Known, Words, take_parts, take_words
from store.db.forgetting import find_request, no_request, targets_of
from store.db.proofs import VERIFICATION, insert_proof
from store.db.residue import scan_store
from store.db.sweep import sweep_leftovers
from store.db.tenants import chain_state
from store.db.transaction import Reading, read, write
from store.db.verifications import AskedFor, holders_naming, is_column, judge, known_again, last_verification, take_keys
from store.domain.errors import Code, Refusal
from store.domain.mentions import has_cjk
from store.domain.people import Right
from store.domain.scopes import EVERYWHERE
from store.reads.erasure_check import ask_again

_NO_WORDS = Words(frozenset(), frozenset(), {}, 0)
_NOTHING = AskedFor((), (), ())


def run_deletion(store: ClaimStore, person: str, tenant: str, request: str, *, authenticated: bool = False) -> dict[str, Any]:
    """Erase what a request asks for, one surface after the other, sweep out leftovers, and verify that nothing is left.

    Run again it goes on where it was, and looks again at what is open. The words of the records are kept in memory while
    it runs, so that they can be searched for afterwards, and nowhere else.

    Returns:
        `{"request", "state", "surfaces": {surface: state}, "failed": {surface: sentence}, "verification": {"ok", …}}`; nothing is
        searched for, and `ok` is false, while the records themselves could not be cleared.

    Raises:
        Refusal: there is no such request, it was refused, or the person does not administer everything it names; or the database
            cannot be written at all.
    """
    run = _Run(store, person, tenant, authenticated)
    result = forgetting.run_deletion(store, person, tenant, request, begun=run.prepare, cleared=run.verify, authenticated=authenticated)
    return {**result, "verification": run.found}


@dataclass(slots=True)
class _Run:
    """One run of a request, with what has to be remembered from its beginning to its end."""

    store: ClaimStore
    person: str
    tenant: str
    authenticated: bool
    marker: str | None = None
    words: Words = _NO_WORDS
    asked: AskedFor = _NOTHING
    parts: frozenset[str] = frozenset()
    left_out: int = 0
    found: dict[str, Any] = field(default_factory=lambda: {"ok": False})

    def prepare(self, number: int) -> Known | None:
        """Take the words of what is about to be erased, before anybody is kept waiting, and plant the marker; return what is to be blotted out."""
        with read(self.store, self.person, authenticated=self.authenticated) as reading:
            tenant = reading.tenant_number(self.tenant)
            targets = [] if tenant is None else targets_of(reading.connection, tenant, number)
            if tenant is None or all(target.erased_at is not None for target in targets):
                return None
            records, seq = [target.record for target in targets], chain_state(reading.connection, tenant)[0]
            self.words = take_words(reading.connection, tenant, records)
            self.parts, self.left_out = take_parts(reading.connection, tenant, records, self.words)
            self.asked = AskedFor(tuple(sorted(self.words.ids)), take_keys(reading.connection, tenant, records), tuple(sorted(self.words.texts)))
        with write(self.store, self.person, self.tenant, "erase", [number, "marker"], authenticated=self.authenticated) as tx:
            self.marker = plant_marker(tx, records)
        if self.marker is None or tx.seq != seq + 1:
            return None
        return Known(replace(self.words, texts=self.words.texts | {self.marker}), tx.seq)

    def verify(self, number: int) -> None:
        """Sweep, search and ask again; keep what was found. What was verified before and found clean is not gone through again."""
        with read(self.store, self.person, authenticated=self.authenticated) as reading:
            tenant = reading.tenant_number(self.tenant)
            assert tenant is not None
            before = last_verification(reading.connection, tenant, number)
        if self.marker is None and before is not None and before.ok:
            # The words are gone, so nothing can be added to what was found then.
            self.found = {"ok": True, **before.found}
            return
        try:
            swept = sweep_leftovers(self.store)
        except Refusal as refusal:
            why = refusal.message.replace(" Nothing was saved.", "")
            raise Refusal(refusal.code, f"Every surface was gone through, but what erased rows leave behind was not swept out, and nothing is verified. {why} Run it again.") from refusal
        found: dict[str, Any] = {"swept": swept.complete, "unswept": swept.left + swept.beyond, **self._search(tenant)}
        if self.marker is None and before is not None:
            # Files that were swept hold rows and nothing else. What stood in rows can only be searched for by who knows the words.
            found["left"] = {place: count for place, count in before.found["left"].items() if is_column(place)}
            found |= {name: before.found.get(name, found[name]) for name in ("also_said", "also_places", "look", "look_left_out", "names", "held", "holders")}
        found["asked_again"] = ask_again(self.store, self.person, self.tenant, self.asked, self.words.finder()) if self.asked.ids else {}
        ok = swept.complete and not found["unread"] and not found["left"] and not found["known_again"] and not any(found["asked_again"].values())
        self._keep(number, found, ok=ok)

    def _keep(self, number: int, found: dict[str, Any], *, ok: bool) -> None:
        with write(self.store, self.person, self.tenant, "erase", [number, "verification"], authenticated=self.authenticated) as tx:
            insert_proof(tx, VERIFICATION, found, ok=ok, request=number)
        self.found = {"ok": ok, **found}

    def _search(self, tenant: int) -> dict[str, Any]:
        """Return what is left of the words and of the marker, as places and numbers only."""
        words = [*([self.marker] if self.marker else []), *sorted(self.words.ids), *sorted(self.words.texts)]
        residue = scan_store(self.store, words, whole=True)
        with self.store.reader.connect() as connection:
            holders = holders_naming(connection, tenant, self.words.finder())
            verdict = judge(connection, tenant, residue, words, self.marker, held=bool(holders))
            look = find_parts(connection, tenant, self.parts)
            again = known_again(connection, tenant, self.store.ledger.erased(self.tenant))
        return {
            "marker": None if self.marker is None else sum(place.count for place in residue.places if words[place.word] == self.marker),
            "words": "searched" if self.words else "lost", "searched": len(residue.searched) - (self.marker is not None),
            "not_searched": self.words.short + len(words) - len(residue.searched), "left": verdict.left, "known_again": again,
            "look": look, "look_left_out": self.left_out, "also_said": sorted(verdict.also_said), "also_places": verdict.also, "names": verdict.names, "held": verdict.held, "holders": holders, "shared": len(self.words.shared),
            "files": residue.files, "bytes": residue.bytes, "unread": residue.unread, "seconds": round(residue.seconds, 1),
        }  # fmt: skip


def look_through(
    store: ClaimStore, person: str, tenant: str, request: str, words: list[str], *, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Note that somebody looked at the places where single words of a request were found, and blot out those that are not there by chance.

    Args:
        words: what to blot out of the texts people typed, wherever it stands by itself; none where all of it was chance.

    Returns:
        `{"request", "blotted"}`: how many texts.

    Raises:
        Refusal: there is no such request, nothing of it was verified, the person does not administer everything it names, or a word is too short.
    """
    words = sorted({word.strip() for word in words if word.strip()})
    for word in words:
        if len(word) < (2 if has_cjk(word) else 4):
            raise Refusal(Code.BAD_VALUE, "A word to blot out has at least 4 letters, or 2 Chinese characters. Nothing was changed. Leave the shorter ones out.")
    asked = ["looked", store.ledger.mac_id(tenant, repr(words))]
    with write(store, person, tenant, "erase", asked, authenticated=authenticated) as tx:
        found = forgetting.need_request(tx, tenant, request)
        before = last_verification(tx.connection, tx.tenant, found.number)
        if before is None:
            raise Refusal(Code.ILLEGAL_STEP, f"Nothing was searched for {request} yet, so there is nothing to look at. Run it first.")
        blotted = sum(Blotting(tx, Words(frozenset(words), frozenset(), {}, 0), {}).run().values()) if words else 0
        insert_proof(tx, VERIFICATION, {**before.found, "look": {}, "looked": blotted}, ok=before.ok, request=found.number)
    if words:
        sweep_leftovers(store)
    return {"request": request, "blotted": blotted}


def find_residue(
    store: ClaimStore, person: str, words: list[str], *, sweep: bool = False, verifies: tuple[str, str] | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Search the whole store, tables and files, for words; return places and numbers, never the words.

    Args:
        sweep: sweep out leftovers of erased rows first.
        verifies: tenant and id of a deletion request whose verification this is; for one that found something, or that lost the words.

    Returns:
        `{"found": {place: count}, "searched", "not_searched", "files", "bytes", "seconds", "unread"}`.

    Raises:
        Refusal: the person is not an admin of the whole store.
    """
    with read(store, person, authenticated=authenticated) as reading:
        if not reading.actor.may(Right.ADMINISTER, EVERYWHERE):
            raise Refusal(
                Code.NOT_ALLOWED, f"{reading.actor.name} may not search the files of the store: that takes admin of all of it. Ask the operator."
            )
        request = None if verifies is None else _find_begun(reading, *verifies)
    if sweep:
        sweep_leftovers(store)
    found = scan_store(store, words)
    if verifies is not None and request is not None:
        run = _Run(store, person, verifies[0], authenticated)
        searched = {"words": "given", "marker": None, "searched": len(found.searched), "not_searched": len(words) - len(found.searched)}
        read_all = {"files": found.files, "bytes": found.bytes, "unread": found.unread, "seconds": round(found.seconds, 1)}
        left = {"left": found.where(), "known_again": 0, "also_said": [], "also_places": 0, "names": {}, "shared": 0, "asked_again": {}}
        ok = bool(found.searched) and not found.count and not found.unread
        run._keep(request, {"swept": sweep, "unswept": [], **searched, **left, **read_all}, ok=ok)  # noqa: SLF001
    return {
        "found": found.where(), "searched": len(found.searched), "not_searched": len(words) - len(found.searched), "files": found.files,
        "bytes": found.bytes, "seconds": round(found.seconds, 1), "unread": found.unread,
    }  # fmt: skip


def _find_begun(reading: Reading, tenant: str, request: str) -> int:
    """Return the number of a request whose erasing has begun.

    Raises:
        Refusal: there is none.
    """
    number = reading.tenant_number(tenant)
    found = None if number is None else find_request(reading.connection, number, request)
    if found is None:
        raise no_request(request)
    if found.begun_at is None:
        raise Refusal(Code.ILLEGAL_STEP, f"Nothing was erased for {request} yet, so there is nothing to verify. Run it first.")
    return found.number
