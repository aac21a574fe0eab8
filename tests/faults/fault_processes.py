"""Child processes that are killed at a statement boundary, and sleeps put between statements."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy.engine.default import DefaultDialect

BEFORE_COMMIT, COMMITTED = "before COMMIT", "after COMMIT"
#: What was tried, for the summary at the end: (what, kind of database) -> (points, seconds).
TRIED: dict[tuple[str, str], tuple[int, float]] = {}


def tally(what: str, kind: str, points: int, started: float) -> None:
    """Note how many points of something were tried since `started`."""
    TRIED[what, kind] = (points, time.perf_counter() - started)


class Boundaries:
    """Counts the boundaries between the statements of this process, and ends it at number `at`."""

    def __init__(self, at: int | None, say: Callable[[dict[str, Any]], None]) -> None:
        self.at, self.say, self.reached = at, say, list[str]()

    def reach(self, what: str) -> None:
        self.reached.append(what)
        if len(self.reached) == self.at:
            self.say({"killed": what})
            os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)

    def install(self) -> None:
        """Watch every statement, every COPY and every COMMIT of this process from now on."""
        sa.event.listen(sa.Engine, "before_cursor_execute", lambda _c, _cu, statement, *_: self.reach(statement[:80]))
        commit, copy = DefaultDialect.do_commit, psycopg.Cursor.copy

        def watched_commit(dialect: Any, connection: Any) -> None:
            self.reach(BEFORE_COMMIT)
            commit(dialect, connection)
            self.reach(COMMITTED)

        @contextlib.contextmanager
        def watched_copy(cursor: Any, statement: Any, *arguments: Any, **options: Any) -> Any:
            self.reach(str(statement)[:80])
            with copy(cursor, statement, *arguments, **options) as copying:
                yield copying
                self.reach("within " + str(statement)[:80])

        DefaultDialect.do_commit = watched_commit  # type: ignore[method-assign]
        psycopg.Cursor.copy = watched_copy  # type: ignore[method-assign, assignment]


@dataclass
class Death:
    """How a child ended.

    Attributes:
        at: what it was about to do when it was killed; None when it came to its end.
        acknowledged: what its action returned, if it did.
        reached: the boundaries it passed, in order, where it came to its end.
    """

    at: str | None
    acknowledged: Any = None
    error: str | None = None
    reached: list[str] = field(default_factory=list)


def run_and_kill(action: Callable[[], Any], at: int | None, prepare: Callable[[], Any] | None = None) -> Death:
    """Run `action` in a forked child that is killed at its boundary number `at`, and say how that ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)

            def say(what: dict[str, Any]) -> None:
                os.write(writing, json.dumps(what, default=str).encode() + b"\n")

            given = prepare() if prepare else None
            boundaries = Boundaries(at, say)
            boundaries.install()
            try:
                result = action(given) if prepare else action()  # type: ignore[call-arg]
            except BaseException:
                say({"error": traceback.format_exc()})
            else:
                say({"ack": result})
                say({"reached": boundaries.reached})
            status = 0
        finally:
            sys.stderr.flush()
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = [json.loads(line) for line in pipe]
    os.waitpid(child, 0)
    death = Death(None)
    for one in told:
        if "killed" in one:
            death.at = one["killed"]
        if "ack" in one:
            death.acknowledged = one["ack"]
        death.reached = one.get("reached", death.reached)
        if "error" in one:
            death.error = one["error"]
    return death


class Sleeper:
    """Sleeps for a random while between the statements of the threads it knows, so that they interleave anew each time."""

    def __init__(self) -> None:
        self.random: dict[int, random.Random] = {}

    def pause(self, *_: Any) -> None:
        chance = self.random.get(threading.get_ident())
        if chance is not None and chance.random() < 0.4:
            time.sleep(chance.choice((0, 0.0002, 0.001, 0.004)))

    def install(self) -> Callable[[], None]:
        sa.event.listen(sa.Engine, "before_cursor_execute", self.pause)
        sa.event.listen(sa.Engine, "commit", self.pause)

        def remove() -> None:
            sa.event.remove(sa.Engine, "before_cursor_execute", self.pause)
            sa.event.remove(sa.Engine, "commit", self.pause)

        return remove
