"""Two tenants in one store: `acme` with the sample, and `zulu` beside it with thousands of records under the same ids, names and words.

What somebody of acme is shown must be the same to the byte whatever zulu holds or has forgotten. The store at each stage is a
template, so that every look begins with the same past.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from store import (
    OPERATOR,
    ClaimStore,
    Plan,
    Question,
    Rehearsal,
    Verb,
    Wanted,
    ask,
    commit_plan,
    draft_messages,
    export_store,
    import_files,
    import_lines,
    list_queue,
    open_correction,
    preview_plan,
    read_claims,
    record_delivery,
    reject,
    request_deletion,
    run_deletion,
    save_rehearsal,
    search_records,
)
from store.domain.snapshot import Snapshot
from tests.builders import Clock, person

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data" / "bundle.jsonl"
MOMENT = "2026-11-30T13:00:00Z"
HERE, BESIDE = "acme", "zulu"
#: How zulu stands at each stage.
STAGES = ("apart_none", "apart_many", "apart_asked", "apart_erased")
NONE, MANY, ASKED, ERASED = STAGES
RECORDS, FORGOTTEN = 5_000, 150


def sample_lines():
    """The lines of the sample bundle, parsed."""
    return [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]


def _moved(value, ids):
    """A line as it stands in the other tenant: same words, another scope, and its own ids from the second time on."""
    if isinstance(value, dict):
        return {key: _moved(item, ids) for key, item in value.items()}
    if isinstance(value, list):
        return [_moved(item, ids) for item in value]
    if isinstance(value, str):
        if value == HERE or value.startswith(f"{HERE}/"):
            return BESIDE + value[len(HERE) :]
        return ids.get(value, value)
    return value


def _renamed(name, suffix):
    """An id from the second time on; that of a version keeps the form SOURCE@N."""
    source, at, version = name.partition("@")
    return f"{source}{suffix}{at}{version}"


def beside_lines(records=RECORDS):
    """Lines of zulu: the sample again and again, until there are so many records."""
    lines = [line for line in sample_lines() if line["type"] in ("source", "evidence", "claim", "artifact")]
    made, turn, count = [], 0, 0
    while count < records:
        ids = {line["id"]: _renamed(line["id"], f"-{turn}") for line in lines} if turn else {}
        for line in lines:
            if line["type"] != "source" and count >= records:
                break
            moved = _moved(line, ids)
            if moved.pop("content_file", None):
                moved.pop("rendition", None), moved.pop("sha256", None)
                moved |= {"content": "NAV at quarter end was 184,000,000 USD.", "media_type": "text/plain"}
            made.append(moved)
            count += line["type"] != "source"
        turn += 1
    return made


def _encode(lines):
    return [json.dumps(line).encode() for line in lines]


def _fill_here(store):
    """The sample, and something of everything that can be done with it."""
    store.now = clock = Clock(MOMENT)
    import_files(store, OPERATOR, [SAMPLE], reviewed=True)
    import_lines(store, OPERATOR, _encode([person("zed", "admin", BESIDE), person("zoe", "reviewer", BESIDE)]), reviewed=True)
    clock.pass_by(minutes=5)
    save_rehearsal(store, "ana", HERE, Plan(Verb.REVOKE, ("LARCH-Q3",)), "What if the report is wrong")
    save_rehearsal(store, "ana", HERE, Plan(Verb.SUSPEND, ("nav-2026-q3",)), "Only the figure")
    open_correction(store, "ana", HERE, "The third quarter report", sources=["LARCH-Q3"], cause="The fund wrote again")
    waiting = [item["id"] for item in list_queue(store, "ana", "candidates")["items"]]
    reject(store, "ana", HERE, waiting[-1], "not_durable", "Looked up each time")
    ask(store, "ana", HERE, "record", "nav-2026-q3", "Is it the audited one?", "ben")
    record_delivery(store, "ana", HERE, "memo-larch-q2", "kim@example.org", "email")
    draft_messages(store, "ana", HERE)
    small = Plan(Verb.REVOKE, ("trip-seat",))
    commit_plan(store, "ana", HERE, small, preview_plan(store, "ana", HERE, small).fingerprint, "It was returned")
    request_deletion(store, "ravi", HERE, Wanted(("languages-deck",)), reason="asked", ground="asked_by_person")
    clock.pass_by(minutes=5)


def _fill_beside(store):
    """Thousands of records of zulu, and something of everything that can be done with them."""
    store.now = clock = Clock(MOMENT)
    clock.pass_by(minutes=20)
    done = import_lines(store, "zed", _encode(beside_lines()), reviewed=True)
    assert sum(done["imported"].values()) - done["imported"]["source"] > 0.95 * RECORDS, done["rejected"][:12]
    read_claims(store, "zed", Question(f"{BESIDE}/api", "parcelwing/shipments", "key_lifetime_hours"))
    search_records(store, "zed", "refund", f"{BESIDE}/support")
    save_rehearsal(store, "zed", BESIDE, Plan(Verb.REVOKE, ("LARCH-Q3",)), "What if")
    open_correction(store, "zed", BESIDE, "Another one", sources=["LARCH-Q3"])
    with TemporaryDirectory() as folder:
        export_store(store, "zed", Path(folder, "all.jsonl"), scope=BESIDE, holder="kim@example.org")
    ask(store, "zed", BESIDE, "record", "nav-2026-q3", "And here?", "zoe")


def _forget(store):
    store.now = clock = Clock(MOMENT)
    clock.pass_by(minutes=30)
    ids = [line["id"] for line in beside_lines(FORGOTTEN) if line["type"] != "source"]
    request_deletion(store, "zed", BESIDE, Wanted(tuple(ids)), reason="asked", ground="asked_by_person", requester="somebody")


def _erase(store):
    store.now = clock = Clock(MOMENT)
    clock.pass_by(minutes=31)
    run_deletion(store, "zed", BESIDE, f"{BESIDE}-deletion-1")


def make_stages(databases):
    """Make every stage of the store, each of the one before it."""
    before = "bare"
    for name, fill in zip(STAGES, (_fill_here, _fill_beside, _forget, _erase), strict=True):
        databases.make_template(name, fill, of=before)
        before = name


def frozen(value):
    """A result as plain values, everything in it, so that two can be compared to the byte."""
    if isinstance(value, ClaimStore | Snapshot):
        return type(value).__name__
    if isinstance(value, Rehearsal):
        # The number of an answer in the log of reads is the store's; it is shown nowhere.
        return ["Rehearsal", *(frozen(getattr(value, one.name)) for one in fields(value) if one.name != "told"), list(value.told.values())]
    if is_dataclass(value) and not isinstance(value, type):
        return {"": type(value).__name__, **{one.name: frozen(getattr(value, one.name)) for one in fields(value)}}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return [[frozen(key), frozen(item)] for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [frozen(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(repr(frozen(item)) for item in value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Enum):
        return repr(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return type(value).__name__ if " at 0x" in repr(value) else repr(value)
