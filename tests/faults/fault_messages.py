"""What the tests of messages share: running a command, holding a lock, changing a file behind the store's back."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fault_stores import plain_engine

from tests.typed import type_command

ROOT = Path(__file__).parents[2]
SEED = int(os.environ.get("CLAIMDESK_SEED", "20260701"))


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def fingerprint_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run(url: str, *words: str, outside: bool = False, branched: bool = False, prepare: Callable[[], None] | None = None) -> tuple[int, dict[str, Any], float]:
    """Type a command with `--json` and return exit status, its one JSON document, and seconds."""
    started = time.perf_counter()
    done = type_command(url, [*words, "--json"], outside=outside, branched=branched, prepare=prepare)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout.count("\n") == 1, (done.stdout, done.stderr)
    return done.returncode, json.loads(done.stdout), time.perf_counter() - started


def refused(url: str, *words: str, **how: Any) -> dict[str, Any]:
    status, found, _ = run(url, *words, **how)
    assert status == 1, found
    assert found["message"].endswith((".", ")")), found
    return found


#: One command of each sort: reading, showing, deciding, importing nothing, verifying.
APPROVE = ("approve", "CHILD", "--reason", "it is so", "--as", "ana")
SHOW = ("show", "B1")
INIT = ("init",)
VERIFY = ("verify",)
READING = (SHOW, ("queue", "candidates"), VERIFY)


@contextmanager
def held(url: str, seconds: float | None = None) -> Iterator[None]:
    """Let another process hold the write lock for some seconds, or to the end of the block."""
    script = """
import select, sys
url, seconds = sys.argv[1], float(sys.argv[2]) or None
if url.startswith("sqlite"):
    import pysqlite3.dbapi2 as sqlite
    connection = sqlite.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE tenant SET revision = revision")
else:
    import psycopg
    connection = psycopg.connect(url)
    connection.execute("SELECT * FROM tenant FOR UPDATE")
print("held", flush=True)
select.select([sys.stdin], [], [], seconds)
connection.rollback()
"""
    holder = subprocess.Popen([sys.executable, "-c", script, url, str(seconds or 0)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdin is not None
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        yield
    finally:
        holder.terminate()
        holder.wait()
        holder.stdin.close()
        holder.stdout.close()


def change(url: str, statement: str) -> None:
    engine = plain_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)
