"""G9, G10, G11 and G15: read checks, queue pages, counts, and readers while a commit runs."""

from __future__ import annotations

import json
import multiprocessing
import statistics
import time
from collections.abc import Callable
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from typing import Any
from unittest.mock import patch

import numpy as np

from store.actions.import_bundle import import_lines
from store.bench.baselines import check_recursively, count_facets, page_naively
from store.bench.goals_commit import CommitCase
from store.bench.texts import OWNERS, SCOPES, TENANT
from store.bench.timing import FULL, ROUNDS, SMALL_ROUNDS, race
from store.bench.workshop import Workshop, connect
from store.db.claim_store import open_store
from store.db.queue_pages import count_statuses
from store.db.transaction import read
from store.domain.people import OPERATOR
from store.domain.snapshot import Standing, answers_of_keys
from store.domain.status import Kind
from store.reads import answers
from store.reads.answers import Question, read_claims
from store.reads.queues import list_queue

_KEYS = 50
#: Asks as agents do: may read, and is told no reasons.
AGENT = "agent"


def choose_questions(shop: Workshop, seed: int = 3) -> tuple[list[Question], list[int]]:
    """Return questions about 50 claims, a contested one among them, and the numbers of their keys."""
    random, shape = np.random.default_rng(seed), shop.shape
    claims = np.flatnonzero(shape.kind == Kind.CLAIM)
    records = [*random.choice(claims, size=_KEYS - 1, replace=False).tolist(), shape.pairs[0][0]]
    questions = [Question(shop.texts.scope(record), *shop.texts.subject(record)) for record in records]
    keys = [shop.raw.execute("SELECT key FROM record WHERE tenant = ? AND record = ?", (shop.tenant, record)).fetchone()[0] for record in records]
    return questions, keys


def measure_checks(shop: Workshop) -> None:
    """G9."""
    questions, keys = choose_questions(shop)
    raw, at = connect(shop.path), shop.store.now()
    role = {"type": "person", "id": AGENT, "roles": [{"role": "reader", "scope": TENANT}]}
    import_lines(shop.store, OPERATOR, [json.dumps(role).encode()])
    snapshot = shop.load_snapshot()
    snapshot.effective_expiry()
    snapshot.contested()
    columns, live = snapshot.columns, snapshot.conflicts_live_at(at)
    standing = Standing(columns.status, columns.key, columns.valid_from, columns.valid_to, live)
    contested = snapshot.contested_by(tuple(sorted(live)))

    def logged() -> list[str]:
        return [read_claims(shop.store, AGENT, question)["result"] for question in questions]

    def apart() -> list[str]:
        with patch.object(answers, "log_answer", lambda *_, **__: None):
            return logged()

    assert check_recursively(raw, shop.tenant, keys, at) == logged()
    found = race(
        {
            "sql": lambda: check_recursively(raw, shop.tenant, keys, at),
            "apart": apart,
            "logged": logged,
            "rule": lambda: answers_of_keys(snapshot, standing, np.array(sorted(keys)), contested, at),
        },
        ROUNDS + 2,
    )
    note = (
        f"{_KEYS} calls of read_claims, each a look of its own with rights, evidence and texts ({_KEYS} results only, by the same rule in memory: "
        f"{found['rule']:.2f} ms, {found['sql'] / found['rule']:.0f}x faster); with the log {found['logged']:.0f} ms"
    )
    shop.report.faster("G9", f"read check of {_KEYS} keys, log apart, equal results", found["sql"], found["apart"], 10, note=note)
    raw.close()


_FILTERS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("newest", {"newest": True}, ""),
    ("oldest", {}, ""),
    ("large scope", {"scope": SCOPES[1], "newest": True}, "AND scope = {scope}"),
    ("rare scope", {"scope": SCOPES[-1], "newest": True}, "AND scope = {scope}"),
    ("owner", {"owner": OWNERS[5], "newest": True}, "AND owner = {owner}"),
    ("kind", {"kind": "claim", "newest": True}, "AND kind = 1"),
    ("scope and kind", {"scope": SCOPES[1], "kind": "claim", "newest": True}, "AND scope = {scope} AND kind = 1"),
    ("owner and kind", {"owner": OWNERS[5], "kind": "claim", "newest": True}, "AND owner = {owner} AND kind = 1"),
    ("scope and owner", {"scope": SCOPES[1], "owner": OWNERS[5], "newest": True}, "AND scope = {scope} AND owner = {owner}"),
)


def measure_queue(shop: Workshop, naive: Any) -> None:
    """G10."""
    raw, worst = shop.raw, (float("inf"), "", 0.0, 0.0)
    ratios = []
    for name, words, where in _FILTERS:
        scope = raw.execute("SELECT scope FROM scope WHERE tenant = ? AND path = ?", (shop.tenant, words.get("scope", TENANT))).fetchone()[0]
        owner = raw.execute("SELECT party FROM party WHERE tenant = ? AND name = ?", (shop.tenant, words.get("owner", OWNERS[0]))).fetchone()[0]
        clause = where.format(scope=scope, owner=owner)
        found = race(
            {
                "naive": lambda: page_naively(naive, clause, ()),  # noqa: B023 - used within this turn of the loop
                "public": lambda: list_queue(shop.store, OPERATOR, "candidates", tenant=TENANT, limit=50, **words),  # noqa: B023
            },
            SMALL_ROUNDS,
        )
        ratio = found["naive"] / found["public"]
        ratios.append(f"{name} {ratio:.0f}x ({found['public']:.1f} ms)")
        worst = min(worst, (ratio, name, found["naive"], found["public"]))
    what = f"queue page of 50, worst filter: {worst[1]}"
    shop.report.faster("G10", what, worst[2], worst[3], 100, note="; ".join(ratios), needs=FULL)
    middle = _cursor_in_the_middle(shop)
    page: dict[str, Any] = {"tenant": TENANT, "limit": 50, "newest": True}
    found = race(
        {
            "first": lambda: list_queue(shop.store, OPERATOR, "candidates", **page),
            "middle": lambda: list_queue(shop.store, OPERATOR, "candidates", after=middle, **page),
        },
        SMALL_ROUNDS,
    )
    shop.report.within("G10", "queue page in the middle against the first", found["first"], found["middle"], 1.5)


def _cursor_in_the_middle(shop: Workshop) -> str:
    waiting = [row[0] for row in shop.raw.execute("SELECT record FROM record_state WHERE tenant = ? AND status = 0 ORDER BY record", (shop.tenant,))]
    tenant, _ = json.loads(str(list_queue(shop.store, OPERATOR, "candidates", tenant=TENANT, limit=50, newest=True)["next"]))
    return json.dumps([tenant, waiting[len(waiting) // 2]])


def measure_counts(shop: Workshop) -> None:
    """G11, the counts themselves."""

    def public() -> None:
        with read(shop.store, OPERATOR) as reading:
            count_statuses(reading, shop.tenant)

    found = race({"sql": lambda: count_facets(shop.raw, shop.tenant), "public": public}, SMALL_ROUNDS)
    shop.report.faster("G11", "counts per kind and status, unfiltered", found["sql"], found["public"], 20, needs=FULL)


def _read_on(url: str, questions: list[Question], ready: Event, stop: Event, out: SimpleQueue[list[tuple[str, float, float]]]) -> None:
    """Read again and again until told to stop, and say how long each reading took (a process of its own)."""
    store = open_store(url)
    sides: dict[str, Callable[[], object]] = {
        "queue page": lambda: list_queue(store, OPERATOR, "candidates", tenant=TENANT, limit=50),
        "answer, log apart": lambda: answers.read_claims(store, OPERATOR, questions[0]),
    }
    times: list[tuple[str, float, float]] = []
    with patch.object(answers, "log_answer", lambda *_, **__: None):
        for side in sides.values():
            side()
        ready.set()
        while not stop.is_set():
            for name, side in sides.items():
                start = time.perf_counter()
                side()
                times.append((name, start, (time.perf_counter() - start) * 1000))
                time.sleep(0.002)
    out.put(times)
    store.close()


def measure_readers(shop: Workshop) -> None:
    """G15: another process reads while a large commit runs."""
    questions, _ = choose_questions(shop)
    case = CommitCase(shop, "large")
    context = multiprocessing.get_context("spawn")
    ready, stop, out = context.Event(), context.Event(), context.SimpleQueue()
    reader = context.Process(target=_read_on, args=(shop.store.url, questions, ready, stop, out), daemon=True)
    reader.start()
    try:
        ready.wait(60)
        spans: list[tuple[float, float]] = []
        quiet: list[tuple[float, float]] = []
        for _ in range(3):
            begin = time.perf_counter()
            time.sleep(1.5)
            quiet.append((begin, time.perf_counter()))
            begin = time.perf_counter()
            case.public()
            spans.append((begin, time.perf_counter()))
            shop.undo()
    finally:
        stop.set()
        times = out.get() if ready.is_set() and reader.is_alive() else []
        reader.join(30)
        if reader.is_alive():
            reader.terminate()
    for name in ("queue page", "answer, log apart"):
        before, during = (_times_in(times, name, some) for some in (quiet, spans))
        if len(during) < 20:
            shop.report.skipped("G15", f"{name} while a commit runs", "<= 2x", f"only {len(during)} readings fell into the commits")
            continue
        note = f"p50 {statistics.median(before):.1f} / {statistics.median(during):.1f} ms, longest {max(before):.0f} / {max(during):.0f} ms"
        what = f"{name}, p95, while {len(case.records()):,} records are committed"
        shop.report.within("G15", what, _p95(before), _p95(during), 2, note=note, needs=FULL)
    shop.forget_previews()


def _times_in(times: list[tuple[str, float, float]], name: str, spans: list[tuple[float, float]]) -> list[float]:
    return [took for one, start, took in times if one == name and any(begin <= start <= end for begin, end in spans)]


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]
