"""Commands as they are typed, told to this process, or to one of their own where that is what a test is about."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from store.cli import main

ROOT = Path(__file__).resolve().parents[1]


def type_command(url: str, words: Sequence[str], *, outside: bool = False, prepare: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    """Give one command over a store, and return how it ended: `returncode`, `stdout`, `stderr`.

    Args:
        outside: as a process of its own, which takes a second longer; `prepare` is called in that process first.
    """
    if outside or prepare is not None:
        return subprocess.run(
            [sys.executable, "-m", "store", *words], env={**os.environ, "CLAIMDESK_DB": url}, cwd=ROOT, capture_output=True, text=True, timeout=120,
            check=False, preexec_fn=prepare,
        )  # fmt: skip
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as changed, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        changed.setenv("CLAIMDESK_DB", url)
        changed.chdir(ROOT)
        code = main(list(words))
    return subprocess.CompletedProcess(list(words), code, out.getvalue(), err.getvalue())
