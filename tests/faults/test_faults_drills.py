"""Twenty drills: a backup at a random moment, an erasure killed at random steps and resumed, a restore; nothing comes back (F21, T24).

Each surface that says it is done is done, at every moment somebody could look.
"""

from __future__ import annotations

import contextlib
import random
import time

import pytest
from fault_processes import run_and_kill, tally
from fault_stores import TENANT, claim, clock, load_world, person, report, rows_of
from test_faults_resurrected import check_sound

from store import (
    Plan,
    Refusal,
    Verb,
    Wanted,
    export_store,
    make_backup,
    open_store,
    preview_plan,
    request_deletion,
    restore_backup,
    run_deletion,
    search_records,
    show_record,
)
from store.db.residue import Residue, scan_files, scan_store
from store.db.transaction import read
from store.reads.answers import search_now

WORDS = {"C1": "quagwendorf", "C2": "zylbantrik", "C3": "morvexipol", "C4": "thrundasku"}
#: Where each surface keeps what may name something forgotten: its tables and columns.
KEPT_IN = {
    "record": ("claim.value", "claim.statement", "artifact.title", "artifact.body", "record.id", "claim_key.subject", "binding.quote"),
    "evidence": ("evidence_content.content",),
    "history": ("event_note.note", "operation.result", "replaced_content.line"),
    "previews": ("preview.plan", "rehearsal.plan"),
    "read_log": ("read_log.question", "read_log.task"),
}
#: On PostgreSQL fewer: what they cost there is sweeping its tables, which is the same each time.
DRILLS = [*(("sqlite", seed) for seed in range(14)), *(("postgresql", seed) for seed in (0, 2, 5, 8, 9, 17))]


def lines() -> list[dict]:
    import hashlib

    text = "".join(f"It was told of {word} in a letter.\n" for word in WORDS.values())
    made = [person("ana", "reviewer"), person("carla", "admin")]
    made += [
        {"type": "source", "id": "L", "uri": "https://example.org/l", "scope": TENANT, "owner": "ana", "authority": "paper"},
        {
            "type": "evidence", "id": "L@1", "source": "L", "version": 1, "captured_at": "2026-06-01T00:00:00Z", "media_type": "text/plain",
            "sha256": hashlib.sha256(text.encode()).hexdigest(), "content": text,
        },
    ]  # fmt: skip
    for name, word in WORDS.items():
        quote = f"It was told of {word} in a letter."
        start = text.index(quote)
        bound = [{"evidence": "L@1", "span": {"start": start, "end": start + len(quote)}, "quote": quote}]
        made.append({**claim(f"{name}-{word}", f"about {word}", word, statement=f"They said {word}."), "evidence": bound})
        made.append({**report(f"R{name}-{word}", (f"{name}-{word}",), ("dora",)), "title": f"On {word}", "body": f"It rests on {word}."})
    return made


def ids_of(names) -> list[str]:
    return [f"{kind}{name}-{WORDS[name]}" for name in names for kind in ("", "R")]


@pytest.fixture(scope="module")
def told(place):
    """A store in which every word stands in records, evidence, the log of reads, a preview and the log of events."""
    url = place.empty()
    load_world(url, lines())
    store = open_store(url, clock)
    for name, word in WORDS.items():
        search_records(store, "ana", word, TENANT)
        preview_plan(store, "ana", TENANT, Plan(Verb.REVOKE, (f"{name}-{word}",)))
    store.close()
    return url


@pytest.fixture(scope="module")
def steps(place, told):
    """How many statements the erasure of one claim and its report has."""
    url = place.copy(told)
    request = ask(url, ["C1"])
    done = run_and_kill(lambda: erase(url, request), None)
    assert done.error is None, done.error
    place.drop(url)
    return len(done.reached)


def ask(url: str, names) -> str:
    with contextlib.closing(open_store(url, clock)) as store:
        return request_deletion(store, "operator", TENANT, Wanted(tuple(ids_of(names))), reason="asked for")["request"]


def erase(url: str, request: str) -> str:
    with contextlib.closing(open_store(url, clock)) as store:
        return str(run_deletion(store, "operator", TENANT, request)["state"])


def back_up(url: str, path) -> None:
    with contextlib.closing(open_store(url, clock)) as store:
        make_backup(store, "operator", path)


def standing(url: str, words, column: str) -> int:
    """Count the rows of a column in which one of the words stands."""
    table, name = column.split(".")
    return sum(any(word.encode() in as_bytes(value) for word in words) for (value,) in rows_of(url, f'SELECT "{name}" FROM "{table}"'))  # noqa: S608


def as_bytes(value) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value or b"")


def check_surfaces(url: str, words) -> None:
    """No surface says it is done while something stands in it."""
    done = {surface for (surface,) in rows_of(url, "SELECT surface FROM deletion_surface WHERE n = 0 AND state = 1")}
    for surface, columns in KEPT_IN.items():
        if surface in done:
            assert {column: n for column in columns if (n := standing(url, words, column))} == {}, f"{surface} says it is done"


def check_unread(store, names) -> None:
    """Nothing of some records is shown, found, or exported."""
    for record_id in ids_of(names):
        with contextlib.suppress(Refusal):
            assert not any(WORDS[name] in repr(show_record(store, "operator", TENANT, record_id)).replace(record_id, "") for name in names)
    with read(store, "ana") as reading:  # without a line in the log of reads, which would hold the word from now on
        assert [search_now(reading, WORDS[name], TENANT)["items"] for name in names] == [[] for _ in names]


@pytest.mark.parametrize(("place", "seed"), DRILLS, indirect=["place"])
def test_drill(place, told, steps, tmp_path, seed):
    chance, started = random.Random(seed), time.perf_counter()
    url, path = place.copy(told), tmp_path / "backup"
    names = chance.sample(sorted(WORDS), chance.choice((1, 2)))
    words, others = [WORDS[name] for name in names], [name for name in WORDS if name not in names]
    moment = chance.choice(("before", "blocked", "killed once", "killed twice"))
    if moment == "before":
        back_up(url, path)
    request = ask(url, names)
    if moment == "blocked":
        back_up(url, path)
    for time_of_death in ("killed once", "killed twice")[: 2 if moment == "killed twice" or seed % 3 == 0 else 1]:
        death = run_and_kill(lambda: erase(url, request), chance.randrange(1, steps))
        assert death.error is None, death.error
        check_surfaces(url, words)
        with contextlib.closing(open_store(url, clock)) as store:
            check_unread(store, names)
        if moment == time_of_death:
            back_up(url, path)
    erase(url, request)
    check_surfaces(url, words)
    held = Residue()
    scan_files(words, [path], held)
    ((backups,),) = rows_of(url, "SELECT state FROM deletion_surface WHERE surface = 'backups' AND n = 0")
    assert backups == 2 or not held.count, "a backup holds it, and the surface says done"

    killed = run_and_kill(lambda: restore_backup(url, "operator", path, replace=True, now=clock), chance.randrange(1, 4 * steps))
    assert killed.error is None, killed.error
    check_surfaces(url, words)
    if killed.at is not None:
        restore_backup(url, "operator", path, replace=True, now=clock)
    with contextlib.closing(open_store(url, clock)) as store:
        check_unread(store, names)
        export_store(store, "operator", tmp_path / "export", scope=TENANT)
        residue = scan_store(store, words)
        shown = [repr(show_record(store, "operator", TENANT, f"{name}-{WORDS[name]}")) for name in others]
    check_surfaces(url, words)
    assert not any(word.encode() in (tmp_path / "export").read_bytes() for word in words)
    assert all(WORDS[name] in one for name, one in zip(others, shown, strict=True)), "what nobody asked to forget is there"
    assert residue.where() == {}
    if seed % 3 == 0:
        check_sound(url)
    place.drop(url)
    tally(f"drill {seed}: {moment}", place.kind, len(names), started)
