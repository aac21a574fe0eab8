"""Times every screen in a real browser: `python -m tests.browser.measure_screens [--db URL] [--claims N] [--as PERSON]`.

First paint: from opening the address in a browser that has not been here (the server has had one visitor) to the page's own text.
Rerun: from the key that runs the page's script again to the script having ended; the 95th percentile of `--times`.
Without `--db` a synthetic store of `--claims` is made in a temporary folder, with a correction of thousands of records in it, and a person
whom thousands of claims are about.
Beside each time stands what the server computed for it: on a machine that others use too, that is the figure to compare.
Nothing here fails: DESIGN's bars are printed beside.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from store import (
    OPERATOR,
    Sift,
    create_store,
    list_candidates,
    list_corrections,
    list_deletions,
    list_queue,
    list_rehearsals,
    list_tenants,
    measure_exposure,
    open_store,
    suggest_picks,
    view_correction,
)
from store.bench.texts import TENANT

from .correction_at_scale import burden
from .memory_at_scale import memory_addresses, remember
from .served import CHROMIUM, FLAGS, Visitors, serve, settle

FIRST_PAINT, RERUN = 2000, 300
_PAINTED = """() => { const main = document.querySelector('[data-testid=stMain]'); return main && !document.querySelector('[data-testid=stAppSkeleton]')
    && main.innerText.trim().length > 40 }"""
_ARM = """() => { const app = document.querySelector('[data-testid=stApp]'); window.__ran = null; const begun = performance.now(); let ran = false;
    const look = () => { const state = app.getAttribute('data-test-script-state'); if (state !== 'notRunning') ran = true;
        else if (ran) { window.__ran = performance.now() - begun; watch.disconnect(); } };
    const watch = new MutationObserver(look); watch.observe(app, { attributes: true, attributeFilter: ['data-test-script-state'] }); }"""


def fill(claims: int, folder: Path) -> str:
    """Make a synthetic store and return its URL."""
    from store.bench.shape import make_shape
    from store.bench.synthetic import fill_store
    from store.bench.texts import OWNERS, SCOPES, Texts

    url = f"sqlite:///{folder / 'store.db'}"
    store = create_store(url)
    fill_store(store, Texts.of(make_shape(claims, len(SCOPES), len(OWNERS))), lambda line: print(line, file=sys.stderr))
    store.close()
    burden(url)
    remember(url)
    return url


def correction_addresses(store: object, person: str) -> list[str]:
    """Return the addresses of the screens that a changed source leads to."""
    found = ["/sources", "/sources?order=sole", "/sources?view=extractors", "/corrections", "/revalidate", "/rehearsals", "/deliveries", "/deliveries?view=delivered"]
    for row in measure_exposure(store, person, order="reach", limit=1).rows:
        found += [f"/sources?source={row.id}&tenant={row.tenant}", f"/revoke?pick={row.id}&do=suspend&tenant={row.tenant}"]
    for case in list_corrections(store, person).rows[:1]:
        source = next(iter(view_correction(store, person, case.tenant, case.id).sources), None)
        found += [f"/corrections?case={case.id}&tenant={case.tenant}", f"/revalidate?correction={case.id}", f"/deliveries?correction={case.id}"]
        if source is not None:
            found += [f"/sources?source={source.id}&tenant={case.tenant}", f"/sources?source={source.id}&tenant={case.tenant}&do=recapture"]
    saved = list_rehearsals(store, person)[:2]
    found += [f"/rehearsals?tenant={one.tenant}&one={one.id}" for one in saved[:1]]
    if len(saved) == 2:
        found.append(f"/rehearsals?tenant={saved[0].tenant}&one={saved[0].id}&other={saved[1].id}")
    return found


def addresses(url: str, person: str) -> list[str]:
    """Return an address of every page, with something of the store in it."""
    store = open_store(url)
    try:
        conflicts = list_queue(store, person, "conflicts", limit=1)["items"]
        queue = list_candidates(store, person, Sift())
        heavy = [pick.id for tenant in list_tenants(store, person)[:1] for pick in suggest_picks(store, person, tenant)["heavy"][:1]]
        changed = correction_addresses(store, person)
        remembered = memory_addresses() if any(row.id == f"{TENANT}-deletion-2" for row in list_deletions(store, person)) else []
    finally:
        store.close()
    record = queue.chosen[1] if queue.chosen else next(iter(heavy), "")
    conflict = conflicts[0] if conflicts else None
    found = ["/today", "/candidates", "/conflicts", f"/dependencies?record={record}", "/revoke", f"/record?record={record}", "/about", "/search", "/people", "/imports", "/sheet", "/letter"]
    if conflict:
        found += [f"/conflicts?conflict={conflict['id']}", f"/about?subject={conflict['subject']}", f"/record?record={conflict['claims'][0]}", f"/dependencies?record={conflict['claims'][0]}"]
        found += [f"/conflicts?predicate={conflict['predicate']}", "/conflicts?page=2"]
    return found + changed + remembered + [f"/{page}={pick}" for pick in heavy for page in ("revoke?pick", "dependencies?record")]


def computed(process: int) -> float:
    """Return the milliseconds a process has been computing so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def time_page(visitors: Visitors, served: object, person: str, address: str, times: int) -> tuple[float, list[float], float, float]:
    """Return milliseconds to first paint and of each rerun, and what the server computed for the first and for one of the others."""
    page: Page = visitors.page_as(person, served, "/_stcore/health", wait=False)
    begun, spent = page.evaluate("performance.timeOrigin + performance.now()"), computed(served.process.pid)
    page.goto(served.url + address, wait_until="commit")
    page.wait_for_function(_PAINTED, polling=20, timeout=60_000)
    paint = page.evaluate("performance.timeOrigin + performance.now()") - begun
    settle(page)
    first = computed(served.process.pid) - spent
    reruns, spent = [], computed(served.process.pid)
    for _ in range(times):
        page.evaluate("document.activeElement && document.activeElement.blur()")
        page.evaluate(_ARM)
        page.keyboard.press("r")
        page.wait_for_function("() => window.__ran !== null", polling=10, timeout=60_000)
        reruns.append(page.evaluate("window.__ran"))
        page.wait_for_timeout(150)
    each = (computed(served.process.pid) - spent) / times
    visitors.close(check=False)
    return paint, reruns, first, each


def main() -> None:
    """Measure, and print a line per page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--db")
    parser.add_argument("--claims", type=int, default=100_000)
    parser.add_argument("--as", dest="person", default=OPERATOR)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="claimdesk-screens-") as folder, sync_playwright() as playwright:
        url = options.db or fill(options.claims, Path(folder))
        served = serve(url)
        browser = playwright.chromium.launch(executable_path=CHROMIUM if Path(CHROMIUM).exists() else None, args=FLAGS)
        visitors = Visitors(browser)
        visitors.page_as(options.person, served, "/candidates")
        visitors.close(check=False)
        print(f"{'page':70} {'first paint':>12} {'rerun middle':>13} {'rerun p95':>10} {'CPU first':>10} {'CPU rerun':>10}   bars: {FIRST_PAINT} ms, {RERUN} ms")
        for address in addresses(url, options.person):
            if any(word in address for word in options.only.split(",")):
                paint, reruns, first, each = time_page(visitors, served, options.person, address, options.times)
                p95 = sorted(reruns)[max(0, round(0.95 * len(reruns)) - 1)]
                missed = " missed" if paint > FIRST_PAINT or p95 > RERUN else ""
                print(f"{address[:70]:70} {paint:9.0f} ms {statistics.median(reruns):10.0f} ms {p95:7.0f} ms {first:7.0f} ms {each:7.0f} ms{missed}", flush=True)
        browser.close()
        served.stop()


if __name__ == "__main__":
    main()
