"""An import on its way: checked first, then carried out, in a thread of its own so that the page stays usable.

What was checked is what is imported: the bytes are kept from the check on and the button that imports names the check.
The thread writes into its `Job` and nowhere else; all that the store does is one transaction, so that a session or a
server that ends in the middle leaves nothing half done. A link to another page begins another session, so jobs are kept
by the server, one for each person, until they are left, for two hours at most.
"""

from __future__ import annotations

import hashlib
import io
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pages.widgets.desk import Desk
from store import ClaimStore, Refusal, import_lines, latest_event

_log = logging.getLogger("claimdesk")
#: (store, person) -> their job; touched under `_GUARD` only.
_JOBS: OrderedDict[tuple[str, str], Job] = OrderedDict()
_GUARD = threading.Lock()
_MOST_JOBS = 12
_KEPT_SECONDS = 2 * 3600
#: More lines than this go in by the command line: every line that cannot be taken is kept in memory.
MOST_LINES = 200_000


@dataclass(frozen=True, slots=True)
class File:
    """An uploaded file."""

    name: str
    data: bytes

    @property
    def lines(self) -> int:
        """Return how many lines it has."""
        return self.data.count(b"\n") + (not self.data.endswith(b"\n") and bool(self.data))


@dataclass(slots=True)
class Job:
    """A check or an import, going on or finished.

    Attributes:
        id: of what was checked; an import keeps the id of its check.
        sha256: over the bytes of all files.
        scope: of lines that name none; `reviewed`: records come in with the status they claim.
        seen: tenant -> its latest event when the check began.
        what, done, total: what is being done, and how much of it.
        result: what came of it; `refused`: why not; `fault`: the reference of a fault.
        checked: what the check had said, for an import.
    """

    id: str
    person: str
    files: tuple[File, ...]
    sha256: str
    scope: str | None
    reviewed: bool
    dry_run: bool
    seen: dict[str, int] = field(default_factory=dict)
    what: str = "reading"
    done: int = 0
    total: int = 0
    started: float = field(default_factory=time.monotonic)
    result: dict[str, Any] | None = None
    refused: dict[str, Any] | None = None
    fault: str | None = None
    checked: dict[str, Any] | None = None
    thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Return whether it goes on."""
        return self.result is None and self.refused is None and self.fault is None

    @property
    def operation(self) -> str:
        """Return the operation id under which it is imported, once."""
        return f"desk-import-{self.id}"

    @property
    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(len(file.data) for file in self.files)

    def place(self, line: int) -> tuple[str, int]:
        """Return the file and the line in it of a line counted through all files."""
        for file in self.files:
            if line <= file.lines:
                return file.name, line
            line -= file.lines
        return (self.files[-1].name if self.files else ""), line


def sum_of(files: Sequence[File]) -> str:
    """Return the SHA-256 over the bytes of files in order."""
    found = hashlib.sha256()
    for file in files:
        found.update(len(file.data).to_bytes(8, "big"))
        found.update(file.data)
    return found.hexdigest()


def _raw_lines(files: Sequence[File]) -> Any:
    for file in files:
        for raw in io.BytesIO(file.data):
            yield raw if raw.endswith(b"\n") else raw + b"\n"


def _run(store: ClaimStore, job: Job, operation: str | None) -> None:
    def progress(what: str, done: int, total: int) -> None:
        job.what, job.done, job.total = what, done, total

    try:
        job.result = import_lines(
            store, job.person, _raw_lines(job.files), reviewed=job.reviewed, dry_run=job.dry_run, scope=job.scope, operation=operation, progress=progress,
            size=job.size,
        )  # fmt: skip
    except Refusal as refusal:
        job.refused = {"code": refusal.code.value, "message": refusal.message}
    except Exception as error:  # noqa: BLE001 - a thread has nobody above it: the fault is logged, and the page says its reference
        job.fault = secrets.token_hex(4)
        _log.error("fault %s", job.fault, exc_info=error)


def _start(store: ClaimStore, job: Job, operation: str | None = None) -> None:
    job.thread = threading.Thread(target=_run, args=(store, job, operation), daemon=True, name=f"import {job.id}")
    with _GUARD:
        _JOBS[store.url, job.person] = job
        _JOBS.move_to_end((store.url, job.person))
        _drop_old()
    job.thread.start()


def _drop_old() -> None:
    """Drop finished jobs that were left lying, and the oldest where there are many."""
    now = time.monotonic()
    finished = [name for name, job in _JOBS.items() if not job.running]
    for place, name in enumerate(finished):
        if now - _JOBS[name].started > _KEPT_SECONDS or len(finished) - place > _MOST_JOBS:
            del _JOBS[name]


def events_now(desk: Desk) -> dict[str, int]:
    """Return the number of the latest event of each tenant of the person."""
    found = {}
    for tenant in desk.tenants:
        try:
            found[tenant] = latest_event(desk.store, desk.person, tenant)
        except Refusal:
            continue
    return found


def start_check(desk: Desk, files: Sequence[File], scope: str | None, *, reviewed: bool) -> None:
    """Begin to find out what importing these files would do; one at a time."""
    known = current_job(desk)
    if known is None or not known.running:
        job = Job(secrets.token_hex(8), desk.person, tuple(files), sum_of(files), scope, reviewed, dry_run=True, seen=events_now(desk))
        _start(desk.store, job)


def start_import(desk: Desk, job_id: str) -> bool:
    """Begin to import exactly what a check saw, and return whether that is still the check at hand."""
    known = current_job(desk)
    if known is None or known.id != job_id or not known.dry_run or known.running or known.result is None or sum_of(known.files) != known.sha256:
        return False
    job = Job(known.id, desk.person, known.files, known.sha256, known.scope, known.reviewed, dry_run=False, seen=known.seen, checked=known.result)
    _start(desk.store, job, job.operation)
    return True


def current_job(desk: Desk) -> Job | None:
    """Return the check or import of this person."""
    return find_job(desk.store.url, desk.person)


def find_job(url: str, person: str) -> Job | None:
    """Return the check or import of somebody at a store."""
    with _GUARD:
        _drop_old()
        return _JOBS.get((url, person))


def forget_job(desk: Desk) -> None:
    """Drop what was checked or imported; one that is going on goes on."""
    with _GUARD:
        _JOBS.pop((desk.store.url, desk.person), None)
