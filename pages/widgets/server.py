"""The server side of the frame: security headers on every response, and nothing for anybody but this machine.

Rules:
- In local mode nobody proves who they are, so the desk starts on a loopback address only, and answers only requests
  that come from this machine and name it; a page on another site can neither read the desk nor reach its socket.
- Every response carries the same headers: pages, files, refusals, faults and the answer to a socket's handshake.
- Files that lie ready are served only after a look whether something was blocked to be forgotten since they were made.
- Addresses that are no page lead to the desk; what Streamlit offers to programs (metrics, agents) is closed.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import hashlib
import html
import ipaddress
import logging
import re
import secrets
import sys
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit import config
from streamlit.runtime.pages_manager import PagesManager

from pages.widgets.language import language, phrase, say
from pages.widgets.markup import draw, tag
from pages.widgets.prepared_files import PreparedFiles

#: In the address of the desk when it was reached by an address that is no page.
MISSING_PARAMETER = "missing"
_STATIC = (Path(st.__file__).parent / "static").resolve()
#: What Streamlit serves to programs, and sign-in that is not set up: none of it is for the desk's visitors.
_CLOSED = ("_stcore/metrics", "_stcore/agent", "_stcore/script-health-check", "app/static", "auth", "oauth2callback")
#: What is answered by Streamlit itself; everything else is a page or no address of the desk.
_OURS = ("_stcore", "media", "component", "static")
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
#: Tells the page in the browser where its server is; otherwise a deep link would ask for it below the page's own address first.
_BOOT = "window.__streamlit = { BACKEND_BASE_URL: location.origin + '/', MAIN_PAGE_BASE_URL: location.origin + '/' }"
_log = logging.getLogger("claimdesk")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


@cache
def own_page() -> str:
    """Return Streamlit's page as the desk serves it: with its own title, absolute addresses and no pointers for programs."""
    page = (_STATIC / "index.html").read_text("utf-8")
    page = page.replace('"./', '"/').replace("<title>Streamlit</title>", "<title>Claimdesk</title>")
    page = page.replace('<html lang="en">', f'<html lang="{html.escape(language())}">')
    page = re.sub(r"<!--.*?-->", "", page, flags=re.DOTALL)
    page = re.sub(r'<link rel="service-desc"[^>]*/>', "", page)
    page = re.sub(r"<noscript>.*?</noscript>", lambda _: f"<noscript>{html.escape(say('Claimdesk needs JavaScript in the browser.'))}</noscript>", page, flags=re.DOTALL)
    return page.replace("<script>", f"<script>{_BOOT}</script>\n    <script>", 1)


def _policy() -> str:
    """Return the content security policy; the scripts inside the page are admitted by their hashes and no others are."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in _SCRIPT.findall(own_page()))
    return "; ".join((
        "default-src 'none'", f"script-src 'self' blob: 'wasm-unsafe-eval' {hashes}", "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:", "font-src 'self' data:", "connect-src 'self'", "worker-src 'self' blob:", "frame-src 'none'",
        "media-src 'self'", "manifest-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "object-src 'none'",
    ))  # fmt: skip


@cache
def headers() -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers every response carries."""
    pairs = (
        ("content-security-policy", _policy()),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
    )
    return tuple((name.encode(), value.encode()) for name, value in pairs)


def is_loopback(host: str | None) -> bool:
    """Return whether a host name or address means this machine and no other can reach it."""
    if host is None:
        return False
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _host_of(value: str | None) -> str | None:
    """Return the host in a Host or Origin header, None if it is none."""
    if not value:
        return None
    try:
        parts = urlsplit(value if "//" in value else f"//{value}")
        _ = parts.port
    except ValueError:
        return None
    return None if parts.username or parts.path or parts.query or parts.fragment else parts.hostname


def _is_page(message: Message) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in message.get("headers", []))


class Guard:
    """ASGI middleware around everything: who may ask, what may be asked for, and the headers of what is answered."""

    def __init__(self, app: Any, addresses: Sequence[str]) -> None:
        self._app = app
        self._pages, self._first = frozenset(addresses), addresses[0]
        self._ready = PreparedFiles()
        self._ready.watch()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on and add the headers to its answer."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        asked = _Asked(scope, send)
        refused = asked.why_refused()
        if refused is not None:
            await asked.refuse(receive, refused)
        elif scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and asked.first not in _OURS and not asked.is_file():
            await self._send_page(asked)
        elif asked.first == "media" and not await asyncio.to_thread(self._ready.may_serve):
            await asked.answer(404, b"There is nothing at this address.")
        else:
            await self._pass(asked, receive)

    async def _send_page(self, asked: _Asked) -> None:
        if asked.address in self._pages:
            body = own_page().encode()
            await asked.answer(200, body, (b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-cache"))
            return
        query = f"?{MISSING_PARAMETER}=1" if asked.address else "?" + str(asked.scope.get("query_string", b""), "latin-1")
        await asked.answer(307, b"", (b"location", f"/{self._first}{query.rstrip('?')}".encode("latin-1")), (b"cache-control", b"no-store"))

    async def _pass(self, asked: _Asked, receive: Receive) -> None:
        try:
            await self._app(asked.scope, receive, asked.send)
        except Exception:
            if asked.started or asked.scope["type"] != "http":
                raise
            reference = secrets.token_hex(4)
            _log.exception("fault %s in %s", reference, asked.scope["path"])
            await asked.answer(500, f"Something went wrong (reference {reference}). Reload the page.".encode())


class _Asked:
    """One request, and how it is answered."""

    def __init__(self, scope: Message, send: Send) -> None:
        self.scope, self._send = scope, send
        self.started = self._accepted = self._dropped = False
        parts = [part for part in str(scope.get("path", "")).split("/") if part]
        self.address = "/".join(parts)
        self.first = parts[0] if parts else ""
        self._headers = {name.lower(): value.decode("latin-1") for name, value in scope.get("headers", [])}

    def why_refused(self) -> str | None:
        """Return why this is not answered, as a sentence, or None."""
        client = self.scope.get("client")
        if client is not None and not is_loopback(client[0]):
            return "This desk has no sign-in and answers only the machine it runs on."
        if not is_loopback(_host_of(self._headers.get(b"host"))):
            return "This desk is reached as 127.0.0.1 or localhost only."
        if any(self.address == closed or self.address.startswith(f"{closed}/") for closed in _CLOSED):
            return "There is nothing for you at this address."
        origin = self._headers.get(b"origin")
        if self.scope["type"] == "websocket" and origin is not None and urlsplit(origin).netloc != self._headers.get(b"host"):
            return "The desk's socket is for the desk's own pages."
        return None

    def is_file(self) -> bool:
        """Return whether Streamlit serves a file at this address, such as its icon."""
        path = (_STATIC / self.address).resolve()
        return self.address not in ("", "index.html") and path.is_relative_to(_STATIC) and path.is_file()

    async def refuse(self, receive: Receive, why: str) -> None:
        """Answer 403 with a sentence, to a request or to a handshake."""
        if self.scope["type"] == "http":
            await self.answer(403, why.encode())
            return
        await receive()
        await self.send({"type": "websocket.close", "code": 1008, "reason": why})

    async def answer(self, status: int, body: bytes, *more: tuple[bytes, bytes], kind: str = "http") -> None:
        """Send a whole response."""
        prefix = "websocket.http" if kind == "websocket" else "http"
        plain = (
            ()
            if any(name == b"content-type" for name, _ in more)
            else ((b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store"))
        )
        await self._pass_on(
            {"type": f"{prefix}.response.start", "status": status, "headers": [(b"content-length", str(len(body)).encode()), *plain, *more]}
        )
        await self._pass_on({"type": f"{prefix}.response.body", "body": b"" if self.scope.get("method") == "HEAD" else body})

    async def send(self, message: Message) -> None:
        """Pass a message on, with the headers where it starts a response."""
        kind = message["type"]
        if kind == "websocket.close" and not self._accepted and "websocket.http.response" in self.scope.get("extensions", {}):
            await self.answer(403, str(message.get("reason") or "Refused.").encode(), kind="websocket")
            return
        self._accepted = self._accepted or kind == "websocket.accept"
        if kind == "http.response.start" and not self.started and _is_page(message):
            # Streamlit answers what it does not have with its page; pages are served by the guard alone.
            self._dropped = True
            await self.answer(404, b"There is nothing at this address.")
            return
        if self._dropped:
            return
        await self._pass_on(message)

    async def _pass_on(self, message: Message) -> None:
        kind = message["type"]
        if kind in ("http.response.start", "websocket.accept", "websocket.http.response.start"):
            self.started = True
            ours = {name for name, _ in headers()}
            kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in ours]
            if self.first == "media":
                kept = [*(pair for pair in kept if pair[0].lower() != b"cache-control"), (b"cache-control", b"no-store")]
            message["headers"] = [*kept, *headers()]
        await self._send(message)


def report_fault(error: Exception) -> bool:
    """Log a fault under a reference and show only the reference."""
    reference = secrets.token_hex(4)
    _log.error("fault %s", reference, exc_info=error)
    sentence = phrase(
        "{fault} Nothing was saved by it. Reload the page; if it happens again, tell your admin reference {reference}.",
        fault=tag("b", say("Something went wrong on this page.")), reference=tag("span", reference, cls="cd-id"),
    )  # fmt: skip
    draw(tag("div", sentence, cls="cd-band cd-badband cd-fault"))
    return True


def check_address() -> None:
    """Refuse to start on an address that other machines can reach: in local mode anybody could say they are anybody."""
    address = config.get_option("server.address")
    if is_loopback(address):
        return
    where = address or "every address of this machine"
    print(
        f"Claimdesk did not start: it would listen on {where}, and without sign-in everybody there could act as anybody. "
        "Leave the address as .streamlit/config.toml sets it, or give --server.address 127.0.0.1.",
        file=sys.stderr,
        flush=True,
    )
    sys.exit(1)


def prepare() -> None:
    """Check where the desk would listen, and close what a setting elsewhere might have opened."""
    check_address()
    for option, value in (
        ("server.enableXsrfProtection", True), ("server.enableStaticServing", False), ("client.showErrorDetails", "none"),
        ("client.disableDataExport", True), ("browser.gatherUsageStats", False),
    ):  # fmt: skip
        config.set_option(option, value)
    # Without this, the first deep link to a fresh server would run a page without the frame around it.
    PagesManager.uses_pages_directory = False
    # Streamlit looks for garbage after every run of a page, while everybody else waits; among what was loaded by now there is none to find.
    gc.collect()
    gc.freeze()


def middleware(addresses: Sequence[str]) -> list[Any]:
    """Return what the desk puts around Streamlit's server; `addresses` are the pages there are."""
    from starlette.middleware import Middleware  # noqa: PLC0415 - comes with Streamlit, needed only where it serves

    return [Middleware(Guard, addresses=tuple(addresses))]
