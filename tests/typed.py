"""Commands as they are typed, told to this process, or to one of their own where that is what a test is about."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from store.cli import main

ROOT = Path(__file__).resolve().parents[1]
LONGEST_SECONDS = 120


def type_command(
    url: str, words: Sequence[str], *, outside: bool = False, branched: bool = False, prepare: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Give one command over a store, and return how it ended: `returncode`, `stdout`, `stderr`.

    Args:
        outside: to a new Python, which takes half a second longer; `prepare` is called in that process before it begins.
        branched: to a process that branches off this one with everything loaded.
    """
    if outside or prepare is not None:
        return subprocess.run(
            [sys.executable, "-m", "store", *words], env={**os.environ, "CLAIMDESK_DB": url}, cwd=ROOT, capture_output=True, text=True,
            timeout=LONGEST_SECONDS, check=False, preexec_fn=prepare,
        )  # fmt: skip
    if branched:
        return _branch_off(url, list(words))
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as changed, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        changed.setenv("CLAIMDESK_DB", url)
        changed.chdir(ROOT)
        code = main(list(words))
    return subprocess.CompletedProcess(list(words), code, out.getvalue(), err.getvalue())


def _branch_off(url: str, words: list[str]) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if child == 0:
            status = 70
            try:
                signal.alarm(LONGEST_SECONDS)
                os.chdir(ROOT)
                os.environ["CLAIMDESK_DB"] = url
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    status = main(words)
            except SystemExit as end:
                status = int(end.code or 0)
            except BaseException:
                traceback.print_exc(file=err)
            finally:
                out.flush()
                err.flush()
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(ended), out.read(), err.read())
