"""Browser contexts that one visitor leaves to the next, swept: what Streamlit's own files cost to load and to compile is paid once.

A booth is a context whose visitor has gone: its tabs are closed, its cookies and everything else a site can keep are removed.
What stays is what the browser knows of unchanging files. Everything is swept by `leave`, not by the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

#: Milliseconds for which anything is waited for that will stand and stay: how long it takes is the machine's business, not the tests'.
PATIENCE = 60_000
#: Shown by the tab that stays, so that the process which holds the compiled scripts stays as well; no server is asked for it.
_STAYING = "http://127.0.0.1:19999/"
#: What a site can keep in a browser, but for what is only a copy of its files.
_KEPT = "cookies,file_systems,indexeddb,local_storage,service_workers,cache_storage"
#: After so many visitors a booth is pulled down: a browser that runs for long grows.
_VISITORS = 40

#: Tells when something was asked of the server last, and when the server said something last; and how many drawings were asked for
#: (field 11 of what is sent) and began (field 4 of what is said), because the end of one drawing is no answer to what was asked meanwhile.
_LISTENS = """() => {
  const Plain = window.WebSocket;
  window.__asked = window.__heard = window.__wanted = window.__begun = 0;
  const holds = (data, wanted) => {
    if (!(data instanceof ArrayBuffer || ArrayBuffer.isView(data))) return false;
    const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    let at = 0;
    const read = () => { let found = 0, weight = 1, byte; do { byte = bytes[at++]; found += (byte & 127) * weight; weight *= 128; } while (byte & 128); return found; };
    while (at < bytes.length) {
      const tag = read(), kind = tag % 8;
      if (Math.floor(tag / 8) === wanted) return true;
      if (kind === 0) read();
      else if (kind === 2) { const size = read(); at += size; }
      else at += kind === 1 ? 8 : 4;
    }
    return false;
  };
  window.WebSocket = class extends Plain {
    constructor(...all) {
      super(...all);
      this.addEventListener("message", (event) => { window.__heard = performance.now(); if (holds(event.data, 4)) window.__begun += 1; });
    }
    send(...all) {
      window.__asked = performance.now();
      if (holds(all[0], 11)) { window.__begun = Math.min(window.__begun, window.__wanted); window.__wanted += 1; }
      return super.send(...all);
    }
  };
}"""


@dataclass(eq=False)
class Booth:
    """A context, and who is told of what happens in it."""

    context: BrowserContext
    staying: Page
    kind: tuple[Any, ...]
    visitors: int = 0
    tell: Callable[[str, Any], None] = field(default=lambda *_: None)

    def sweep(self, origins: set[str]) -> None:
        """Close the tabs and remove everything sites kept."""
        self.tell = lambda *_: None
        for page in self.context.pages:
            if page != self.staying:
                page.close()
        self.context.clear_cookies()
        session = self.context.new_cdp_session(self.staying)
        for origin in origins:
            session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": _KEPT})
        session.detach()


_free: dict[Browser, list[Booth]] = {}


def enter(browser: Browser, **options: Any) -> Booth:
    """Return a swept booth with these options of a context, a new one if none is free."""
    kind = tuple(sorted((name, repr(value)) for name, value in options.items()))
    free = _free.setdefault(browser, [])
    found = next((booth for booth in free if booth.kind == kind), None)
    if found is not None:
        free.remove(found)
        found.visitors += 1
        return found
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    context.add_init_script(f"({_LISTENS})()")
    staying = context.new_page()
    staying.route(_STAYING, lambda route: route.fulfill(content_type="text/html", body="<!doctype html><title>Stays</title><link rel=icon href=data:,>"))
    staying.goto(_STAYING)
    staying.unroute_all()
    booth = Booth(context, staying, kind)
    context.on("console", lambda message: booth.tell("console", message))
    context.on("weberror", lambda error: booth.tell("weberror", error))
    context.on("request", lambda request: booth.tell("request", request))
    return booth


def leave(booth: Booth, origins: set[str], *, for_good: bool = False) -> None:
    """Sweep a booth for the next visitor, or pull it down."""
    if for_good or booth.visitors >= _VISITORS:
        booth.context.close()
        return
    booth.sweep(origins)
    _free.setdefault(booth.context.browser, []).append(booth)  # type: ignore[arg-type]
