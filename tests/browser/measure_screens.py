"""Times every screen in a real browser: `python -m tests.browser.measure_screens [--db URL] [--claims N] [--as PERSON]`.

First paint: from opening the address in a browser that has not been here (the server has had one visitor) to the page's own text.
Rerun: from the key that runs the page's script again to the script having ended; the 95th percentile of `--times`.
Without `--db` a synthetic store of `--claims` is made in a temporary folder. Nothing here fails: DESIGN's bars are printed beside.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from store import OPERATOR, Sift, create_store, list_candidates, list_queue, list_tenants, open_store, suggest_picks

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
    return url


def addresses(url: str, person: str) -> list[str]:
    """Return an address of every page, with something of the store in it."""
    store = open_store(url)
    try:
        conflicts = list_queue(store, person, "conflicts", limit=1)["items"]
        queue = list_candidates(store, person, Sift())
        heavy = [pick.id for tenant in list_tenants(store, person)[:1] for pick in suggest_picks(store, person, tenant)["heavy"][:1]]
    finally:
        store.close()
    record = queue.chosen[1] if queue.chosen else next(iter(heavy), "")
    conflict = conflicts[0] if conflicts else None
    found = ["/today", "/candidates", "/conflicts", f"/dependencies?record={record}", "/revoke", f"/record?record={record}", "/about", "/search", "/people", "/imports", "/sheet", "/letter"]
    if conflict:
        found += [f"/conflicts?conflict={conflict['id']}", f"/about?subject={conflict['subject']}", f"/record?record={conflict['claims'][0]}", f"/dependencies?record={conflict['claims'][0]}"]
        found += [f"/conflicts?predicate={conflict['predicate']}", "/conflicts?page=2"]
    return found + [f"/{page}={pick}" for pick in heavy for page in ("revoke?pick", "dependencies?record")]


def time_page(visitors: Visitors, served: object, person: str, address: str, times: int) -> tuple[float, list[float]]:
    """Return milliseconds to first paint, and of each rerun."""
    page: Page = visitors.page_as(person, served, "/_stcore/health", wait=False)
    begun = page.evaluate("performance.timeOrigin + performance.now()")
    page.goto(served.url + address, wait_until="commit")
    page.wait_for_function(_PAINTED, polling=20, timeout=60_000)
    paint = page.evaluate("performance.timeOrigin + performance.now()") - begun
    settle(page)
    reruns = []
    for _ in range(times):
        page.evaluate("document.activeElement && document.activeElement.blur()")
        page.evaluate(_ARM)
        page.keyboard.press("r")
        page.wait_for_function("() => window.__ran !== null", polling=10, timeout=60_000)
        reruns.append(page.evaluate("window.__ran"))
        page.wait_for_timeout(150)
    visitors.close(check=False)
    return paint, reruns


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
        print(f"{'page':70} {'first paint':>12} {'rerun middle':>13} {'rerun p95':>10}   bars: {FIRST_PAINT} ms, {RERUN} ms")
        for address in addresses(url, options.person):
            if options.only in address:
                paint, reruns = time_page(visitors, served, options.person, address, options.times)
                p95 = sorted(reruns)[max(0, round(0.95 * len(reruns)) - 1)]
                missed = " missed" if paint > FIRST_PAINT or p95 > RERUN else ""
                print(f"{address[:70]:70} {paint:9.0f} ms {statistics.median(reruns):10.0f} ms {p95:7.0f} ms{missed}", flush=True)
        browser.close()
        served.stop()


if __name__ == "__main__":
    main()
