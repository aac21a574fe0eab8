"""A word in every text of every kind of record and in everything people do with them: after forgetting, no byte of it is left, and no hash of it."""

import base64
import hashlib
import hmac
import itertools
import re
import time

import pytest
import sqlalchemy as sa

from store import (
    Plan,
    Question,
    Refusal,
    Verb,
    Wanted,
    amend,
    answer_question,
    ask,
    draft_messages,
    edit_message,
    export_store,
    find_deletion,
    fire_trigger,
    hand_over,
    import_lines,
    keep_plan_file,
    keep_plan_values,
    make_backup,
    name_copy_holder,
    open_correction,
    read_claims,
    record_copy_destroyed,
    record_delivery,
    reject,
    rename_rehearsal,
    request_deletion,
    run_deletion,
    save_rehearsal,
    search_records,
    view_deletion,
    waive,
)
from store.db import tables as t
from store.db.residue import scan_store
from store.db.sweep import sweep_leftovers
from store.domain.records import key_hash
from store.domain.text import canonical_json, digest
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    carry_out,
    claim,
    conflicts,
    decide,
    encode,
    given,
    is_sound,
    person,
    preview,
    resolving,
    revoking,
    status,
    suspending,
)
from tests.erasing.marked import ids_of, marked

WORD = "Zqv7-Kärntner-郭靖明"


def bound(name):
    """The passage the bundle of `marked` binds its claims to."""
    quote = f"{name} asked for a dessert without sugar."
    start = f"First line.\n{quote}".index(quote)
    return {"evidence": f"E-{name}", "span": {"start": start, "end": start + len(quote)}, "quote": quote}


def live_through(store, tmp_path):
    """Everything people and agents do with records in which the word stands, the word in whatever they type."""
    given(
        store, *marked(WORD), person("zoe", "reviewer", "other"),
        accepted(f"K-{WORD}", WORD, subject=f"pair {WORD}", evidence=[bound(WORD)]), accepted(f"L-{WORD}", f"not {WORD}", subject=f"pair {WORD}", evidence=[bound(WORD)]),
        claim(f"J-{WORD}", f"reject {WORD}", evidence=[bound(WORD)]), claim(f"M-{WORD}", f"first {WORD}", evidence=[bound(WORD)]),
        artifact(f"ANS-{WORD}", f"C-{WORD}", artifact_type="answer", title=f"On {WORD}", body=f"{WORD} likes it."),
        accepted("BELOW", "of its own words", on=f"C-{WORD}"), artifact("PAPER", "BELOW", deliveries=[{"recipient": "kim@example.org", "channel": "email", "delivered_at": "2026-06-01T10:00:00Z"}]),
        {"type": "read", "task": f"task of {WORD}", "by": f"agent {WORD}", "at": "2026-05-01T00:00:00Z", "records": [f"C-{WORD}"]},
    )  # fmt: skip
    amend(store, "bot", TENANT, f"M-{WORD}", {"value": f"second {WORD}", "statement": f"again {WORD}", "subject": "somebody"})
    ask(store, "ana", TENANT, "record", f"M-{WORD}", f"Is {WORD} right?", "ben")
    answer_question(store, "ben", TENANT, 1, f"{WORD} is.")
    ask(store, "ana", TENANT, "record", "BELOW", f"What of {WORD}?", "ben")
    reject(store, "ana", TENANT, f"J-{WORD}", "sensitive", f"too much about {WORD}")
    decide(store, f"M-{WORD}", by="carl", reason=f"{WORD} told me", terms={"purposes": [f"for {WORD}"]})
    (pair,) = [one["id"] for one in conflicts(store) if f"K-{WORD}" in str(one)]
    carry_out(store, resolving(pair, "unclear", ask="ben"), reason=f"who of {WORD} is it?")
    case = open_correction(store, "ana", TENANT, f"The case of {WORD}", cause=f"{WORD} complained", sources=[f"S-{WORD}"])["correction"]
    saved = save_rehearsal(store, "ana", TENANT, revoking(f"C-{WORD}"), f"Without {WORD}")["rehearsal"]
    rename_rehearsal(store, "ana", TENANT, saved, f"Really without {WORD}")
    hand_over(store, "ana", TENANT, saved, "ben", f"{WORD} is yours")
    save_rehearsal(store, "ana", TENANT, suspending(f"E-{WORD}"), "A plan that only reaches it")
    keep_plan_file(store, "ana", TENANT, f"New text about {WORD}.".encode(), name=f"{WORD}.txt")
    keep_plan_values(store, "ana", TENANT, f"S-{WORD}", "0" * 64, {"value": WORD})
    preview(store, revoking(f"C-{WORD}"))
    fire_trigger(store, "ana", TENANT, "role_changed", [f"M-{WORD}"], f"{WORD} moved")
    record_delivery(store, "bot", TENANT, f"R-{WORD}", f"{WORD}@example.com", f"by {WORD}")
    carry_out(store, revoking(f"C-{WORD}"), reason=f"because of {WORD}", correction=case)
    waive(store, "ana", TENANT, case, "record", "BELOW", f"{WORD} knows")
    drafted = draft_messages(store, "ana", TENANT)["drafted"]
    assert drafted
    for message in drafted:
        edit_message(store, "ana", TENANT, message, subject=f"About {WORD}", body=f"Dear reader, {WORD}.", address="kim@example.org")
    read_claims(store, "rita", Question(TENANT, f"person:{WORD}", f"says {WORD}", task=f"errand for {WORD}"))
    read_claims(store, "rita", Question(TENANT, f"pair {WORD}", "says"))
    search_records(store, "rita", WORD, TENANT)
    search_records(store, "rita", f"dessert {WORD}", TENANT)
    import_lines(store, "bot", encode([claim(f"Q-{WORD}", WORD, evidence=[bound(WORD)])]), operation=f"op-{WORD}")
    with pytest.raises(Refusal):
        search_records(store, f"stranger {WORD}", WORD, TENANT)
    with pytest.raises(Refusal):
        reject(store, f"stranger {WORD}", TENANT, f"J-{WORD}", "rejected", "no")
    with pytest.raises(Refusal):
        reject(store, f"stranger {WORD}", f"tenant {WORD}", f"J-{WORD}", "rejected", "no")
    export_store(store, "adam", tmp_path / f"{WORD}.jsonl", scope=TENANT)
    name_copy_holder(store, "adam", TENANT, 1, f"the desk of {WORD}")
    make_backup(store, "operator", tmp_path / "backup.db")


def everything(store):
    """The records of the story, by id."""
    return [*ids_of(WORD), *(f"{kind}-{WORD}" for kind in ("K", "L", "J", "M", "Q", "ANS"))]


def forget(store):
    """Forget all of it, and return the request."""
    words = Wanted(ids=tuple(everything(store)))
    request = request_deletion(store, "adam", TENANT, words, reason=f"{WORD} asked for it", ground="asked_by_person", requester=WORD)["request"]
    return request, run_deletion(store, "operator", TENANT, request)


def test_no_byte_of_the_word_is_left_anywhere(desk, tmp_path):
    live_through(desk, tmp_path)
    before = scan_store(desk, [WORD])
    assert len(before.where()) > 40, sorted(before.where())

    began = time.monotonic()
    request, result = forget(desk)
    held = scan_store(desk, [WORD]).where().keys()
    record_copy_destroyed(desk, "adam", TENANT, 1)
    sweep_leftovers(desk)
    left = scan_store(desk, [WORD])

    assert {place for place in held if "." in place and not place.startswith("store")} <= {"export_copy.holder", "deletion_surface.owner", "message.recipient", "message.body"}
    assert left.where() == {}
    assert left.unread == []
    assert result["verification"]["left"] == {}
    assert result["verification"]["ok"], result["verification"]
    assert time.monotonic() - began < 60
    assert status(desk, "BELOW") == "STALE"
    assert is_sound(desk)


# --- a dictionary ---------------------------------------------------------------------------------------------------

_HASH = re.compile(rb"[0-9a-fA-F]{64}|[0-9a-fA-F]{40}|[0-9a-fA-F]{32}|[A-Za-z0-9+/_-]{43}=?|[A-Za-z0-9+/_-]{27}=?|[A-Za-z0-9+/_-]{22}==")


def every_hash(store):
    """Whatever looks like a hash, and every number of 64 bits, in every table but the ledger's."""
    found, numbers = set(), set()
    with store.reader.connect() as connection:
        for table in t.metadata.sorted_tables:
            for row in connection.execute(sa.select(table)):
                for cell in row:
                    if isinstance(cell, int) and abs(cell) > 2**40:
                        numbers.add(cell)
                    elif cell is not None:
                        raw = bytes(cell) if isinstance(cell, bytes | memoryview) else str(cell).encode()
                        found.update(raw[at : at + 64] for at in range(1) if len(raw) in (16, 20, 32))
                        found.update(match.lower() if len(match) in (32, 40, 64) else match for match in _HASH.findall(raw))
    return found, numbers


def framings(word):
    """Texts over which a program might have taken a hash of what a record with this word said: bare, and as this one frames it."""
    subject, predicate, qualifiers = f"person:{word}", f"says {word}", {word: f"when {word}"}
    line = accepted(f"C-{word}", f"{word} likes it", subject=subject, predicate=predicate, qualifiers=qualifiers)
    values = (word, f"{word} likes it", f"C-{word}", f"E-{word}", subject, f"{word} asked for a dessert without sugar.", f"{word} wants it")
    yield from values
    for value in values:
        yield canonical_json(value)
        yield canonical_json([value])
    yield canonical_json([TENANT, subject, predicate, qualifiers])
    yield canonical_json([subject, predicate, qualifiers])
    yield canonical_json([TENANT, subject, predicate, qualifiers, f"{word} likes it"])
    yield canonical_json(line)
    yield canonical_json(["revoke", [{"verb": "revoke", "roots": [f"C-{word}"]}]])
    yield Plan(Verb.REVOKE, (f"C-{word}",)).text()
    yield f"First line.\n{word} asked for a dessert without sugar.\nLast line.\n"


def hashes_of(text):
    raw = text.encode()
    for name in ("sha256", "sha1", "md5"):
        for made in (hashlib.new(name, raw, usedforsecurity=False).digest(), hmac.new(b"", raw, name).digest()):
            yield made.hex().encode()
            yield made.hex()[:32].encode()
            yield base64.b64encode(made)
            yield base64.b64encode(made).rstrip(b"=")
            yield made


def hashes_over_it(store):
    """The hashes of records that said the word or rested on one that did, of their former content, and of plans that named them."""
    with store.reader.connect() as connection:
        r, d = t.record, t.dependency
        named = set(connection.execute(sa.select(r.c.record).where(r.c.id.in_(everything(store)))).scalars())
        named |= set(connection.execute(sa.select(d.c.child).where(d.c.parent.in_(named))).scalars())
        queries = [
            sa.select(r.c.content_hash).where(r.c.record.in_(named)), sa.select(r.c.line_hash).where(r.c.record.in_(named)),
            sa.select(t.replaced_content.c.content_hash).where(t.replaced_content.c.record.in_(named)), sa.select(t.evidence.c.sha256).where(t.evidence.c.record.in_(named)),
            *(sa.select(table.c[column]).where(table.c.plan.contains(WORD)) for table, column in ((t.preview, "fingerprint"), (t.rehearsal, "fingerprint"))),
            sa.select(t.plan_file.c.sha256), sa.select(t.claim_key.c.hash).where(t.claim_key.c.subject.contains(WORD)),
            sa.select(t.operation.c.words).join(t.event_note, t.event_note.c.seq == t.operation.c.seq).where(t.event_note.c.note.contains(WORD)),
        ]  # fmt: skip
        return {found.encode() for query in queries for found in connection.execute(query).scalars()}


def test_ten_thousand_guesses_find_no_hash_of_it(desk, tmp_path):
    live_through(desk, tmp_path)
    known = key_hash(TENANT, f"person:{WORD}", f"says {WORD}", {WORD: f"when {WORD}"}).encode()
    assert known in every_hash(desk)[0]
    were = hashes_over_it(desk)

    forget(desk)

    found, numbers = every_hash(desk)
    assert not found & were
    for guess in itertools.chain((f"Guess-{n}-Müller" for n in range(9_999)), (WORD,)):
        for text in framings(guess):
            made = digest(text)
            assert made.encode() not in found
            assert int.from_bytes(bytes.fromhex(made[:16]), "big", signed=True) not in numbers
            if guess == WORD:
                assert not found & set(hashes_of(text)), text


def test_the_receipt_and_what_is_shown_of_the_request_hold_no_word_of_it(desk, tmp_path):
    live_through(desk, tmp_path)

    request, _ = forget(desk)
    record_copy_destroyed(desk, "adam", TENANT, 1)  # until then its holder stands with the request

    view = view_deletion(desk, "adam", find_deletion(desk, "adam", request, None), request)
    assert WORD not in repr(view)
    assert view.receipts
