"""Page tests run on a copy of the sample store."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pysqlite3
import pytest

from tests.ledgers import copy_ledger

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """The sample store as the command line makes it; copied, never written to."""
    url = f"sqlite:///{tmp_path_factory.mktemp('sample')}/sample.db"
    subprocess.run([sys.executable, "-m", "store", "--db", url, "init", "--sample"], cwd=ROOT, check=True, capture_output=True)
    return url


@pytest.fixture
def fresh(sample, tmp_path):
    """A copy of the sample store for one test."""
    with contextlib.closing(pysqlite3.connect(sample.removeprefix("sqlite:///"))) as one, contextlib.closing(pysqlite3.connect(tmp_path / "copy.db")) as two:
        one.backup(two)
    copy_ledger(sample, f"sqlite:///{tmp_path}/copy.db")
    return f"sqlite:///{tmp_path}/copy.db"
