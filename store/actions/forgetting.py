"""Forgetting: asked for and blocked in one transaction, then erased surface by surface, refused, or settled by hand (R26)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from store.db.backups import is_there, load_backups
from store.db.claim_store import ClaimStore
from store.db.commits import write_impact
from store.db.conflicts import refresh_conflicts
from store.db.erase_words import Known
from store.db.erasing import WORKER, clear_surfaces, name_failure
from store.db.forgetting import (
    Request,
    change_request,
    erasure_plan,
    find_request,
    insert_redactions,
    insert_request,
    keep_ledger_seq,
    no_request,
    noted_of,
    remove_redactions,
    set_surface,
    surfaces_of,
    targets_of,
)
from store.db.impacts import work_out
from store.db.keys import load_predicates, nearest_predicate
from store.db.receipts import close_if_settled, write_receipt
from store.db.records import load_cards, load_contents
from store.db.redactions import note_redacted
from store.db.search_index import add_words, remove_words, words_of
from store.db.transaction import Reading, Writing, read, write
from store.db.wanted import find_wanted
from store.domain.errors import Code, Refusal
from store.domain.forgetting import FAILURE_SENTENCES, GROUNDS, OUTSIDE, SETTLED, SURFACE_WORD, Failure, RequestState, Surface, SurfaceState, Wanted
from store.domain.records import Artifact, Card, Claim
from store.domain.status import Status, Step, next_status
from store.domain.text import find_forbidden, is_blank

_LONGEST = 4_000


def request_deletion(
    store: ClaimStore, person: str, tenant: str, wanted: Wanted, *, reason: str | None, ground: str = "other", requester: str | None = None,
    due_at: int | None = None, owner: str | None = None, seen: str | None = None, operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Ask that records be forgotten: from this moment on nothing of them is read, and what rests on them needs re-validation.

    Args:
        ground: why, a word of `GROUNDS`; it stays when the words of `reason` and `requester` are gone.
        due_at: until when, microseconds UTC.
        owner: who answers for the surfaces that no worker clears; whoever enters the request by default.
        seen: the fingerprint of the reach that was looked at; refused if it changed.

    Returns:
        `{"request", "event", "targets", "changed", "notices"}`.

    Raises:
        Refusal: something is not there, not administered by the person, or being deleted already; `stale_preview`.
    """
    if ground not in GROUNDS:
        raise Refusal(Code.BAD_VALUE, f"{ground!r} is no ground for forgetting; there are {', '.join(GROUNDS)}. Nothing was done.")
    texts = {"reason": _need_text(reason, "A request to forget needs a reason"), "requester": _check_text(requester)}
    _look_ahead(store, person, tenant, wanted, authenticated)
    with write(store, person, tenant, "request deletion", [_asked(store, tenant, wanted, texts, ground, due_at, owner, seen)], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.result = _request(tx, wanted, {**texts, "ground": ground, "due_at": due_at, "owner": owner or person}, seen)
            number = find_request(tx.connection, tx.tenant, tx.result["request"])
            assert number is not None, "it was entered just now"
            blocked = noted_of(tx.connection, store.ledger, (tx.tenant, tx.tenant_name), number.number)
    if tx.repeated is not None:
        return tx.repeated
    # Only what is saved is noted, so that nothing is ever blocked of which nobody was told; where noting fails, the next opening notes it.
    with suppress(Refusal):
        store.ledger.note_asked(tenant, tx.result["request"], *blocked)
    return tx.result


def _asked(store: ClaimStore, tenant: str, *words: Any) -> str:
    """Return what tells one request from another, and is kept in place of words that must not outlive what they name: a keyed digest."""
    return store.ledger.mac_id(tenant, repr(words))


def _need_text(text: str | None, what: str) -> str:
    if text is None or is_blank(text):
        raise Refusal(Code.BAD_VALUE, f"{what}. Nothing was done. Say why.")
    return _check_text(text) or ""


def _check_text(text: str | None) -> str | None:
    if text is None or is_blank(text):
        return None
    if len(text) > _LONGEST:
        raise Refusal(Code.BAD_VALUE, f"That is {len(text):,} characters, and at most {_LONGEST:,} are kept. Nothing was done. Shorten it.")
    if problem := find_forbidden(text):
        raise Refusal(Code.BAD_VALUE, f"Nothing was done: {problem}. Type it again.")
    return text.strip()


def _request(tx: Writing, wanted: Wanted, values: dict[str, Any], seen: str | None) -> dict[str, Any]:
    cards = find_wanted(tx.connection, tx.tenant, tx.actor, wanted)
    snapshot, impact = work_out(tx, tx.tenant, erasure_plan((card.id for card in cards), wanted.keep_passages))
    targets = _targets(tx, tx.tenant, tx.tenant_name, cards)
    if seen is not None and seen != impact.fingerprint:
        raise Refusal(Code.STALE_PREVIEW, "What this request reaches has changed since it was looked at. Nothing was changed. Look at it again.")
    number, request = insert_request(tx, {**values, "found_by": wanted.found_by}, targets)
    tx.reason = f"{request} ({values['ground']})"
    write_impact(tx, snapshot, impact, f"{request}, event {tx.seq}")
    insert_redactions(tx, number, impact.intent.redactions)
    remove_words(tx.connection, tx.tenant, [card.number for card in cards])
    note_redacted(tx, request, impact.intent.falling)
    return {"request": request, "event": tx.seq, "targets": len(cards), "changed": len(impact.affected), "notices": len(impact.notices)}


def _look_ahead(store: ClaimStore, person: str, tenant: str, wanted: Wanted, authenticated: bool) -> None:
    """Work out what a request reaches before anybody is kept waiting: as long as nothing happens meanwhile, it is known under the lock."""
    # Whatever is to be refused is refused under the lock, where it is so.
    with suppress(Refusal), read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is not None:
            cards = find_wanted(reading.connection, number, reading.actor, wanted)
            work_out(reading, number, erasure_plan((card.id for card in cards), wanted.keep_passages))
            _targets(reading, number, tenant, cards)


def _targets(reading: Reading, tenant: int, name: str, cards: list[Card]) -> list[dict[str, Any]]:
    """Return what is kept of each record: the status it had, and keyed digests by which it is known again."""
    ledger = reading.store.ledger

    def work_out() -> list[dict[str, Any]]:
        contents, predicates = load_contents(reading.connection, tenant, cards, with_bytes=False), load_predicates(reading.connection, tenant)
        found = []
        for card in cards:
            content = contents[card.number]
            id_mac, value_mac = ledger.mac_id(name, card.id), None
            if isinstance(content, Claim):
                declared = nearest_predicate(predicates, content.scope, content.predicate)
                value_mac = ledger.mac_value(name, content.scope, content.subject, content.predicate, content.qualifiers, content.value, declared)
            found.append({"record": card.number, "was": int(card.status), "version": card.version, "id_mac": id_mac, "value_mac": value_mac, "erased_at": None})
        return found

    return reading.snapshot(tenant).once(("targets", tuple(card.number for card in cards)), work_out)


# --- running ------------------------------------------------------------------------------------------------------


def run_deletion(
    store: ClaimStore, person: str, tenant: str, request: str, *, begun: Callable[[int], Known | None] | None = None, cleared: Callable[[int], None] | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Erase what a request asks for, one surface after the other; run again it goes on where it was, and looks again at what is open.

    Args:
        begun: called with the request's number once erasing may not be given up any more; may return the words of its records as they are
            known then. `cleared`: called after the last surface.

    Returns:
        `{"request", "state", "surfaces": {surface: state}, "failed": {surface: what was not done and what to do next}}`.

    Raises:
        Refusal: there is no such request, it was refused, or the person does not administer everything it names; or the
            database cannot be written at all: what was erased until then is, and the rest stays blocked.
    """
    with read(store, person, authenticated=authenticated) as reading:
        found = need_request(reading, tenant, request)
    _begin(store, person, tenant, found, authenticated)
    known, unprepared = _prepare(begun, found.number)
    failed = clear_surfaces(store, person, tenant, found.number, found.id, known=known, failed=unprepared, authenticated=authenticated)
    if cleared is not None and Surface.RECORD not in failed:
        # Before the records are erased their words stand everywhere, and are still known to the run that erases them.
        cleared(found.number)
    return {**_finish(store, person, tenant, found.number, authenticated), "failed": {surface.value: FAILURE_SENTENCES[why] for surface, why in failed.items()}}


def _prepare(begun: Callable[[int], Known | None] | None, number: int) -> tuple[Known | None, Failure | None]:
    """Do what comes before the records are erased; return their words, or why it could not be done: nothing could be searched for afterwards."""
    try:
        return (begun(number) if begun is not None else None), None
    except Exception as error:
        if isinstance(error, Refusal) and error.code in (Code.NOT_ALLOWED, Code.NOT_FOUND, Code.UNKNOWN_PERSON):
            raise
        return None, name_failure(error)


def need_request(reading: Reading, tenant: str, request: str) -> Request:
    """Return a request the person may run.

    Raises:
        Refusal: there is none that they may see, or they may not run it.
    """
    number = reading.tenant_number(tenant)
    found = None if number is None else find_request(reading.connection, number, request)
    if found is None or not found.may_see(reading.actor):
        raise no_request(request)
    if not found.may_run(reading.actor):
        raise Refusal(Code.NOT_ALLOWED, f"{reading.actor.name} may not run, settle or refuse {request}: that takes admin of everything it names. Ask an admin.")
    return found


def _begin(store: ClaimStore, person: str, tenant: str, found: Request, authenticated: bool) -> None:
    """Note that erasing begins: in the ledger first, then in the store; from then on it cannot be refused."""
    with write(store, person, tenant, "erase", [found.number, "begin"], authenticated=authenticated) as tx:
        now = need_request(tx, tenant, found.id)
        if now.state is RequestState.REFUSED:
            raise Refusal(Code.ALREADY_DECIDED, f"{found.id} was refused by {now.refused_by}. Nothing was erased. Enter a new request.")
        _note_in_ledger(tx, found)
        if now.begun_at is None:
            change_request(tx, found.number, begun_at=tx.at)


def _note_in_ledger(tx: Writing, found: Request) -> None:
    """Note what is erased where no backup can bring it back from, before anything is."""
    noted = noted_of(tx.connection, tx.store.ledger, (tx.tenant, tx.tenant_name), found.number)
    keep_ledger_seq(tx, tx.store.ledger.note_erasure(tx.tenant_name, found.id, *noted))


def _finish(store: ClaimStore, person: str, tenant: str, number: int, authenticated: bool) -> dict[str, Any]:
    with write(store, person, tenant, "erase", [number, "receipt"], authenticated=authenticated) as tx:
        state = close_if_settled(tx, number)
        rows = [row for row in surfaces_of(tx.connection, tx.tenant, number) if row.n == 0]
        tx.result = {"state": state, "surfaces": {row.surface: SURFACE_WORD[SurfaceState(row.state)] for row in rows}}
    return tx.result


# --- refusing and settling ----------------------------------------------------------------------------------------


def refuse_deletion(
    store: ClaimStore, person: str, tenant: str, request: str, reason: str | None, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Refuse a request before erasing began: its records get back the status they had, STALE if that was ACCEPTED; what fell stays stale.

    Returns:
        `{"request", "event", "changed"}`.

    Raises:
        Refusal: there is no such request, it is decided or begun, or the person does not administer everything it names.
    """
    why = _need_text(reason, "Refusing a request needs a reason")
    with write(store, person, tenant, "refuse deletion", [_asked(store, tenant, request, why)], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            found = need_request(tx, tenant, request)
            if found.state is not RequestState.OPEN:
                done = f"was refused by {found.refused_by}" if found.state is RequestState.REFUSED else "is complete"
                raise Refusal(Code.ALREADY_DECIDED, f"{request} {done}. Nothing was changed.")
            if found.begun_at is not None:
                raise Refusal(Code.ILLEGAL_STEP, f"Erasing for {request} has begun, so it cannot be refused any more. Nothing was changed. Run it to its end.")
            noted = noted_of(tx.connection, store.ledger, (tx.tenant, tx.tenant_name), found.number)
            if any(row.was == Status.DELETION_PENDING for row in targets_of(tx.connection, tx.tenant, found.number)):
                raise Refusal(
                    Code.ILLEGAL_STEP,
                    f"What {request} is about came in with an import as being deleted, with its id and nothing else, so there is nothing to give back. "
                    f"Nothing was changed. Run {request}.",
                )
            tx.result = {"request": request, "event": tx.seq, "changed": _give_back(tx, found)}
            remove_redactions(tx, found.number)
            change_request(tx, found.number, state=int(RequestState.REFUSED), refused_by=tx.actor.id, refused_at=tx.at, refused_seq=tx.seq, refusal=why)
            write_receipt(tx, found.number)
            tx.reason = f"{request} refused"
            # Erasing may have been noted and then broken off before anything was erased.
            store.ledger.note_refused(tenant, request, *noted)
    if tx.repeated is not None:
        return tx.repeated
    # Not before the refusal is saved: until then the request blocks, in an older copy as well. Where it fails, the next opening does it.
    with suppress(Refusal):
        store.ledger.forget_asked(tenant, request)
    return tx.result


def _give_back(tx: Writing, found: Request) -> int:
    """Give the records of a refused request the status they had; return how many changed."""
    targets = targets_of(tx.connection, tx.tenant, found.number)
    cards = load_cards(tx.connection, tx.tenant, [target.record for target in targets])
    moves: dict[tuple[Status, Status], dict[int, int]] = {}
    for target in targets:
        card, was = cards[target.record], Status(target.was)
        to = next_status(card.id, card.status, Step.REFUSE_DELETION, Status.STALE if was is Status.ACCEPTED else was)
        moves.setdefault((card.status, to), {})[card.number] = card.version
    for (status, to), versions in moves.items():
        tx.set_statuses(versions, status, to)
    back = load_cards(tx.connection, tx.tenant, [target.record for target in targets])
    contents = load_contents(tx.connection, tx.tenant, list(back.values()), with_bytes=False)
    add_words(tx.connection, tx.tenant, [(number, words_of(one)) for number, one in sorted(contents.items()) if isinstance(one, Claim | Artifact)])
    refresh_conflicts(tx, {card.key for card in back.values() if card.key is not None}, f"{found.id} refused, event {tx.seq}")
    return len(targets)


def settle_surface(
    store: ClaimStore, person: str, tenant: str, request: str, surface: str, n: int, state: str, *, rule: str | None = None, until: int | None = None,
    note: str | None = None, operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Say what became of a surface that no worker clears, or of a single copy below one.

    Args:
        n: the copy, 0 for the surface itself.
        state: `done`, `kept` (with the rule's name and `until`, microseconds UTC), `failed` or `unsupported`.

    Returns:
        `{"request", "state", "surface", "event"}`.

    Raises:
        Refusal: there is no such request or surface, a worker clears it, or the person does not administer everything the request names.
    """
    words = {word: one for one, word in SURFACE_WORD.items() if one not in (SurfaceState.OPEN, SurfaceState.WORKING)}
    if state not in words:
        raise Refusal(Code.BAD_VALUE, f"A surface is {', '.join(words)}, not {state!r}. Nothing was changed.")
    if state == "kept" and (is_blank(rule or "") or until is None):
        raise Refusal(Code.BAD_VALUE, "What is kept needs the name of the rule and the date on which it lapses. Nothing was changed.")
    note, rule = _check_text(note), _check_text(rule)
    _need_unforgotten(store, tenant, note, rule)
    with write(store, person, tenant, "settle surface", [_asked(store, tenant, request, surface, n, state, rule, until, note)], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            found = need_request(tx, tenant, request)
            rows = [row for row in surfaces_of(tx.connection, tx.tenant, found.number) if row.surface == surface]
            _need_by_hand(found, rows, surface, n)
            if surface == Surface.BACKUPS and state in ("done", "unsupported"):
                _need_no_file(tx, next(row for row in rows if row.n == n))
            kept = state == "kept"
            set_surface(
                tx, found.number, surface, n, words[state], rule=rule if kept else None, until=until if kept else None, by=tx.actor.id, at=tx.at, note=note
            )
            _settle_above(tx, found.number, surface, n)
            tx.result = {"request": request, "surface": surface, "event": tx.seq}
            tx.result["state"] = close_if_settled(tx, found.number, verified=True)
    return tx.repeated if tx.repeated is not None else tx.result


def _need_unforgotten(store: ClaimStore, tenant: str, *texts: str | None) -> None:
    """Refuse texts that name a record by an id that was forgotten: they are written when its words are known no more."""
    erased = store.ledger.erased(tenant)
    if any(erased.has_id(word) for text in texts if text for word in {text, *(piece.strip(".,;:!?()\"'") for piece in text.split())}):
        raise Refusal(Code.BAD_VALUE, "That names something that was forgotten, by the id it had. Nothing was changed. Say it without the id.")


def _need_by_hand(found: Request, rows: list[Any], surface: str, n: int) -> None:
    """Refuse to settle by hand what is not there, was refused, or is a worker's to clear."""
    if found.state is RequestState.REFUSED:
        raise Refusal(Code.ALREADY_DECIDED, f"{found.id} was refused by {found.refused_by}. Nothing was changed.")
    if not any(row.n == n for row in rows):
        raise Refusal(Code.NOT_FOUND, f"{found.id} has no surface {surface!r} with copy {n}. Nothing was changed. Look at its status.")
    if Surface(surface) not in OUTSIDE or (n == 0 and len(rows) > 1):
        what = "its copies are settled one by one" if len(rows) > 1 else "Claimdesk clears it itself"
        raise Refusal(Code.ILLEGAL_STEP, f"The surface {surface} is not settled by hand: {what}. Nothing was changed. Run {found.id}.")


def _need_no_file(tx: Writing, row: Any) -> None:
    """Refuse to call a backup gone whose file is found."""
    for one in load_backups(tx.connection):
        if one.backup == row.about and is_there(one.name):
            raise Refusal(
                Code.ILLEGAL_STEP,
                f"The file of backup {one.backup} is still there, so it cannot be settled as gone. Nothing was changed. Have an operator run backups --drop {one.backup}.",
            )


def _settle_above(tx: Writing, number: int, surface: str, n: int) -> None:
    """Settle a surface once every single copy below it is: kept as long as the last of them is."""
    if n == 0:
        return
    copies = [row for row in surfaces_of(tx.connection, tx.tenant, number) if row.surface == surface and row.n]
    if any(SurfaceState(row.state) not in SETTLED for row in copies):
        worst = SurfaceState.FAILED if any(row.state == SurfaceState.FAILED for row in copies) else SurfaceState.OPEN
        set_surface(tx, number, surface, 0, worst, by=None, at=None, rule=None, until=None)
        return
    kept = [row for row in copies if row.state == SurfaceState.KEPT]
    last = max(kept, key=lambda row: row.until or 0) if kept else None
    state = SurfaceState.KEPT if kept else SurfaceState.UNSUPPORTED if all(row.state == SurfaceState.UNSUPPORTED for row in copies) else SurfaceState.DONE
    by = tx.actor.id or WORKER
    set_surface(tx, number, surface, 0, state, rule=last.rule if last else None, until=last.until if last else None, by=by, at=tx.at)
