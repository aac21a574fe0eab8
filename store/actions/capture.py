"""Taking in a file: a new source, or a new version of one, as evidence. The URI is a label; nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.db.captures import count_bound_to, name_corrections, newest_version
from store.db.claim_store import ClaimStore
from store.db.content import NewRecords
from store.db.corrections import corrections_of_sources, note_correction_event
from store.db.declarations import add_sources, load_sources
from store.db.engine import explained
from store.db.keys import Numbers
from store.db.records import find_numbers
from store.db.transaction import Writing, load_actor, write
from store.db.words_again import find_again, forgotten_words
from store.domain.errors import Code, Refusal, not_found
from store.domain.media import Examined, examine_file, need_sure
from store.domain.people import Right
from store.domain.records import Evidence, Source
from store.domain.renditions import Rendition, render
from store.domain.scopes import check_scope, tenant_of
from store.domain.status import Status
from store.domain.times import format_time

#: How far another machine's clock may be ahead.
_AHEAD = 5 * 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class Label:
    """What is said of a source when it is first captured; of one that is known, what is given has to agree."""

    title: str | None = None
    uri: str | None = None
    authority: str | None = None
    owner: str | None = None
    family: str | None = None


def capture(
    store: ClaimStore, person: str, tenant: str, source_id: str, content: bytes, *, name: str | None = None, media_type: str | None = None,
    encoding: str | None = None, captured_at: int | None = None, scope: str | None = None, label: Label = Label(), operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Take in a file as the newest version of a source, making the source where it is new; no other record changes its status (R21).

    Args:
        name: the file's name, of which only the ending counts.
        media_type: what it is said to be; by its ending otherwise.
        encoding: the encoding of its text, where that cannot be told from the bytes.
        captured_at: when, in microseconds UTC; now by default.
        scope: of a new source.
        label: what a new source is called.

    Returns:
        `{"id", "source", "version", "sha256", "media_type", "encoding", "characters", "pages", "unchanged", "claims_on_older", "corrections", "event"}`;
        `unchanged` says that the newest version has these very bytes, so that nothing was made.

    Raises:
        Refusal: the file cannot be read or is not what it is said to be, the person may not, or the version is older than the newest.
    """
    examined = examine_file(content, name, media_type, encoding=encoding)
    need_sure(examined)
    rendition = render(content, examined.media_type)
    words = [source_id, examined.sha256, examined.media_type, captured_at, scope, [label.title, label.uri, label.authority, label.owner, label.family]]
    with explained(), store.reader.begin() as connection:
        create = load_actor(connection, person, authenticated=authenticated).may(Right.ADMINISTER, tenant)
    with write(store, person, tenant, "capture", words, operation=operation, create=create, authenticated=authenticated) as tx:
        if tx.repeated is None:
            _take_in(tx, source_id, content, examined, rendition, captured_at, scope, label)
    return tx.repeated if tx.repeated is not None else tx.result


def _take_in(
    tx: Writing, source_id: str, content: bytes, examined: Examined, rendition: Rendition | None, captured_at: int | None, scope: str | None, label: Label,
) -> None:  # fmt: skip
    numbers = Numbers(tx.connection, tx.tenant)
    known = load_sources(tx.connection, tx.tenant, [source_id])
    at = tx.at if captured_at is None else captured_at
    if at > tx.at + _AHEAD:
        raise Refusal(Code.BAD_VALUE, f"{format_time(at)} has not come yet. Nothing was saved. State when the file was captured.")
    if known:
        number, source = known[0].number, known[0].source
        _need_same(tx, source, scope, label)
        tx.actor.need(Right.PROPOSE, source.scope, f"capture a version of {source_id}")
    else:
        source = _new_source(tx, source_id, scope, label)
        number = add_sources(tx, [(source, numbers.scope(source.scope))])[source_id]
    newest = newest_version(tx.connection, tx.tenant, number)
    result: dict[str, Any] = {
        "source": source_id, "sha256": examined.sha256, "media_type": examined.media_type, "encoding": examined.encoding,
        "characters": len(rendition.text if rendition is not None else examined.text or ""),
        "pages": None if rendition is None or rendition.pages is None else len(rendition.pages), "corrections": [], "claims_on_older": 0,
    }  # fmt: skip
    if newest is not None and newest.sha256 == examined.sha256 and newest.status == int(Status.ACCEPTED):
        tx.result = {"id": newest.id, "version": newest.version, "unchanged": True, **result, "event": tx.seq}
        return
    if newest is not None and newest.captured_at is not None and at < newest.captured_at:
        when = f"{format_time(at)}, and {newest.id} on {format_time(newest.captured_at)}"
        raise Refusal(
            Code.BAD_VALUE, f"This file is older than the newest version: it was captured on {when}. Nothing was saved. State its time, or capture it as a source of its own."
        )
    version = 1 if newest is None else newest.version + 1
    record_id = f"{source_id}@{version}"
    if find_numbers(tx.connection, tx.tenant, [record_id]):
        raise Refusal(Code.OTHER_CONTENT, f"{record_id} is another record already. Nothing was saved. Capture the file as a source of another name.")
    evidence = Evidence(record_id, source_id, version, at, examined.media_type, examined.sha256, content, rendition=rendition)
    record = tx.allocate(1)
    new = NewRecords(tx, numbers, {record_id: examined.sha256})
    new.add(record, evidence, Status.ACCEPTED, {}, scope=source.scope, source=number, ids={})
    new.flush()
    joined = corrections_of_sources(tx.connection, tx.tenant, [number])
    for correction in joined:
        note_correction_event(tx, correction, "compare")
    result["corrections"] = name_corrections(tx.connection, tx.tenant, joined)
    result["claims_on_older"] = 0 if newest is None else count_bound_to(tx.connection, tx.tenant, newest.record)
    words = forgotten_words(tx.connection, tx.tenant, number)
    if words:
        text = rendition.text if rendition is not None else examined.text or ""
        again = find_again(words, tx.store.ledger.words_macs(tx.tenant_name), text, examined.sha256)[0]
        if again:
            result["forgotten_before"] = len(again)
    tx.result = {"id": record_id, "version": version, "unchanged": False, **result, "event": tx.seq}


def _new_source(tx: Writing, source_id: str, scope: str | None, label: Label) -> Source:
    if scope is None:
        raise Refusal(Code.BAD_VALUE, f"{source_id} is new, so its scope has to be stated. Nothing was saved. Give one such as {tx.tenant_name}.")
    try:
        check_scope(scope)
    except ValueError as error:
        raise Refusal(Code.BAD_VALUE, f"{error.args[0]}. Nothing was saved.") from None
    if tenant_of(scope) != tx.tenant_name:
        raise Refusal(Code.BAD_VALUE, f"{scope} is no scope of {tx.tenant_name}. Nothing was saved.")
    tx.actor.need(Right.PROPOSE, scope, f"capture a source in {scope}")
    if not source_id.strip() or len(source_id) > 400:
        raise Refusal(Code.BAD_VALUE, "A source needs a name of 1 to 400 characters. Nothing was saved.")
    return Source(source_id, scope, label.uri, label.title, label.authority, label.owner, label.family or source_id)


def _need_same(tx: Writing, source: Source, scope: str | None, label: Label) -> None:
    """Refuse to say something else of a source that is known; one the person may not see is as if it were not there."""
    if not (tx.actor.may(Right.READ, source.scope) or tx.actor.may(Right.PROPOSE, source.scope)):
        raise not_found(source.id)
    stated = {"scope": scope, "title": label.title, "uri": label.uri, "authority": label.authority, "owner": label.owner, "family": label.family}
    for name, value in stated.items():
        if value is not None and value != getattr(source, name):
            kept = "Nothing was saved. Leave it out, or capture the file as a source of another name."
            raise Refusal(Code.OTHER_CONTENT, f"The source {source.id} is known with another {name}: {str(getattr(source, name))[:120]}. {kept}")
