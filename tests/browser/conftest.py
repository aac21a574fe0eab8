"""Fixtures of the browser tests: a browser, stores to copy, desks over them, and visitors.

    def test_something(desk, visitors):
        page = visitors.page_as("ana", desk, "/candidates")
        page.get_by_role("button", name="Approve").click()
        settle(page)                      # from browser.served import settle
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[2])]

from playwright.sync_api import expect, sync_playwright  # noqa: E402

from .booths import PATIENCE  # noqa: E402
from .served import CHROMIUM, FLAGS, Stores, Visitors, serve, stores_in_memory  # noqa: E402

expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items):
    """Mark every test of this folder: they need a browser."""
    for item in items:
        if Path(__file__).parent in Path(item.fspath).parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium():
    """One browser for the session; Debian's where it is there, else Playwright's own."""
    with sync_playwright() as playwright:
        path = CHROMIUM if Path(CHROMIUM).exists() else None
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def stores():
    """Prepared stores to copy: `stores.fresh("sqlite")` or `stores.fresh("postgresql")` is a fresh sample store's URL."""
    with stores_in_memory() as found:
        yield found


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, stores: Stores):
    """A fresh sample store on each kind of database in turn."""
    return stores.fresh(request.param)


@pytest.fixture
def start_desk():
    """A function of a database URL, and of settings of the environment, that starts a desk over it; stopped after the test."""
    running = []

    def begin(url: str, *options: str, **settings: str):
        running.append(serve(url, *options, **settings))
        return running[-1]

    yield begin
    for one in running:
        one.stop()


@pytest.fixture
def desk(start_desk, stores: Stores):
    """A desk over a fresh sample store on SQLite, on a server nobody visited."""
    return start_desk(stores.fresh("sqlite"))


@pytest.fixture
def desk_on_both(start_desk, database):
    """A desk over a fresh sample store, on SQLite and on PostgreSQL in turn."""
    return start_desk(database)


@pytest.fixture(scope="session")
def quiet_desk(stores: Stores):
    """One desk for the session, for tests that only look."""
    served = serve(stores.fresh("sqlite"))
    yield served
    served.stop()


@pytest.fixture
def visitors(request, chromium):
    """Opens pages as people; fails the test on a console error or a request that leaves the desk."""
    found = Visitors(chromium)
    yield found
    failed = getattr(request.node, "rep_call", None)
    found.close(check=not (failed and failed.failed))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    setattr(item, f"rep_{report.when}", report)
