"""G17: a person of thousands of claims forgotten, from the request to what was searched for afterwards; and how long others wait to write."""

from __future__ import annotations

import threading
import time
from typing import Self

from store.actions.forgetting import request_deletion
from store.actions.import_bundle import import_lines
from store.bench.person import PERSON, person_lines
from store.bench.texts import TENANT
from store.bench.timing import time_once
from store.bench.workshop import Workshop, connect
from store.domain.forgetting import Wanted
from store.domain.people import OPERATOR
from store.erasing_run import run_deletion
from store.reads.forgetting import preview_deletion

_CLAIMS = 5_000
#: What the bars are, in milliseconds: nothing is left a minute later, and nobody waits much longer than a second.
_DONE, _WAIT, _LOOK = 60_000, 1_500, 2_000
#: How often somebody else wants to write.
_EVERY = 0.02


class _Other:
    """Somebody else who wants to write all the time, and notes the longest wait."""

    def __init__(self, shop: Workshop) -> None:
        self._connection, self._over, self.longest = connect(shop.path), threading.Event(), 0.0
        self._thread = threading.Thread(target=self._write)

    def _write(self) -> None:
        while not self._over.wait(_EVERY):
            begun = time.perf_counter()
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("ROLLBACK")
            self.longest = max(self.longest, (time.perf_counter() - begun) * 1000)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._connection.close()


def measure_forgetting(shop: Workshop) -> None:
    """G17, on SQLite; it changes the store, so it comes last. The baselines are the bars themselves, in milliseconds."""
    import_lines(shop.store, OPERATOR, person_lines(_CLAIMS), reviewed=True)
    wanted, requests = Wanted(found_by="subject", name=PERSON), list[str]()

    def ask() -> None:
        requests.append(request_deletion(shop.store, OPERATOR, TENANT, wanted, reason="measured")["request"])

    def run() -> None:
        found = run_deletion(shop.store, OPERATOR, TENANT, requests[0])["verification"]
        assert found["ok"], found

    looked = time_once(lambda: preview_deletion(shop.store, OPERATOR, TENANT, wanted, rows=50))
    with _Other(shop) as asking:
        asked = time_once(ask)
    with _Other(shop) as running:
        ran = time_once(run)
    about = f"{_CLAIMS:,} claims about one person"
    shop.report.within("G17", f"reach of forgetting {about}", _LOOK, looked, 1, note=f"computing {looked.cpu:,.0f} ms")
    shop.report.within("G17", f"longest wait of others: request for {about}", _WAIT, asking.longest, 1, note=f"computing {asked.cpu:,.0f} ms")
    shop.report.within("G17", f"erase, sweep, search again: {about}", _DONE, ran, 1, note=f"computing {ran.cpu:,.0f} ms here, files apart")
    shop.report.within("G17", "longest wait of others meanwhile", _WAIT, running.longest, 1, note="the sweep rewrites the file")
