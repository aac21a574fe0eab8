"""Running the goals: the store made, each goal measured, nothing left behind."""

from __future__ import annotations

import os
import platform
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pysqlite3.dbapi2 as sqlite3

from store.bench.goals_commit import build_naive, measure_commits
from store.bench.goals_exposure import measure_exposures
from store.bench.goals_forgetting import measure_forgetting
from store.bench.goals_import import measure_import
from store.bench.goals_postgresql import measure_postgresql
from store.bench.goals_preview import measure_loading, measure_previews
from store.bench.goals_read import measure_checks, measure_counts, measure_queue, measure_readers
from store.bench.timing import Report
from store.bench.workshop import Workshop, build_workshop
from store.domain.errors import Code, Refusal

GOALS = ("G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G9", "G10", "G11", "G12", "G13", "G14", "G15", "G16", "G17")


def run_bench(claims: int, only: Sequence[str], postgresql: str | None, *, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure the goals on a synthetic store of `claims` records and return the table.

    Args:
        only: the goals to measure, all where empty.
        postgresql: an empty database for the goals that need one; a server of its own where it can be started.

    Raises:
        Refusal: there is no such goal, or too few claims.
    """
    wanted = {name.upper() for name in only} or set(GOALS)
    if wanted - set(GOALS):
        raise Refusal(Code.BAD_VALUE, f"There is no goal {min(wanted - set(GOALS))}; there are {', '.join(GOALS)}.")
    if claims < 5000:
        raise Refusal(Code.BAD_VALUE, "The synthetic store needs at least 5,000 claims. Give --claims a larger number.")
    started = time.perf_counter()
    report = Report(claims, say)
    with _terminating(), tempfile.TemporaryDirectory(prefix="claimdesk-bench-") as name:
        shop = build_workshop(Path(name), claims, report, say)
        say(f"store made in {time.perf_counter() - started:.0f} s, {shop.path.stat().st_size / 1e6:,.0f} MB")
        try:
            _measure(shop, wanted, postgresql)
        finally:
            shop.close()
    order = {goal: n for n, goal in enumerate(GOALS)}
    goals = sorted(report.goals, key=lambda goal: order[goal.goal])
    return {"goals": [goal.to_json() for goal in goals], "machine": _machine(started), "claims": claims}


def _measure(shop: Workshop, wanted: set[str], postgresql: str | None) -> None:
    if wanted & {"G1", "G2", "G3"}:
        measure_previews(shop, wanted)
    if "G4" in wanted:
        measure_loading(shop)
    if "G9" in wanted:
        measure_checks(shop)
    if wanted & {"G13", "G14"}:
        measure_exposures(shop, wanted)
    if "G11" in wanted:
        measure_counts(shop)
    if wanted & {"G5", "G6", "G7", "G10", "G11"}:
        naive = build_naive(shop)
        if "G10" in wanted:
            measure_queue(shop, naive)
        measure_commits(shop, wanted, naive)
        naive.close()
    if "G15" in wanted:
        measure_readers(shop)
    if wanted & {"G8", "G12", "G16"}:
        measure_postgresql(shop, postgresql, wanted)
    if "G12" in wanted:
        measure_import(shop)
    if "G17" in wanted:
        measure_forgetting(shop)


@contextmanager
def _terminating() -> Iterator[None]:
    """Let a termination clean up as Ctrl-C does."""

    def stop(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _machine(started: float) -> dict[str, Any]:
    return {
        "python": platform.python_version(), "sqlite": sqlite3.sqlite_version, "cores": os.cpu_count(),
        "seconds": round(time.perf_counter() - started), "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }  # fmt: skip
