"""The server side of the frame: security headers on every response, and no start on an address that others can reach."""

from __future__ import annotations

import base64
import hashlib
import logging
import re
import secrets
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import config
from streamlit.runtime.pages_manager import PagesManager

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_log = logging.getLogger("claimdesk")

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


def _inline_script_hashes() -> str:
    """Return the hashes of the scripts inside Streamlit's own page, so that the policy admits these and no others."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts)


def _policy() -> str:
    return "; ".join((
        "default-src 'none'", f"script-src 'self' blob: 'wasm-unsafe-eval' {_inline_script_hashes()}", "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:", "font-src 'self' data:", "connect-src 'self'", "worker-src 'self' blob:", "frame-src 'self'",
        "media-src 'self'", "manifest-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "object-src 'none'",
    ))  # fmt: skip


class SecurityHeaders:
    """ASGI middleware that sets the same headers on every response."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._headers = [
            (name.encode(), value.encode())
            for name, value in (
                ("content-security-policy", _policy()),
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "no-referrer"),
                ("x-frame-options", "DENY"),
                ("cross-origin-opener-policy", "same-origin"),
                ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
            )
        ]

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        """Pass the request on and add the headers to its response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in self._headers}
                kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in ours]
                if str(scope.get("path", "")).startswith("/media"):
                    kept.append((b"cache-control", b"no-store"))
                message["headers"] = [*kept, *self._headers]
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _report_fault(error: Exception) -> bool:
    """Log a fault under a reference and show only the reference."""
    reference = secrets.token_hex(4)
    _log.error("fault %s", reference, exc_info=error)
    st.error(f"Something went wrong on this page. Nothing was saved by it. Reload the page; if it happens again, tell your admin reference {reference}.", icon=":material/error:")
    return True


def check_address() -> None:
    """Refuse to start on an address that other machines can reach: in local mode anybody could say they are anybody."""
    address = config.get_option("server.address")
    if address in LOOPBACK:
        return
    where = address or "every address of this machine"
    print(
        f"Claimdesk did not start: it would listen on {where}, and without sign-in everybody there could act as anybody. "
        "Start it in its own folder, where .streamlit/config.toml binds it to 127.0.0.1, or give --server.address 127.0.0.1.",
        file=sys.stderr,
        flush=True,
    )
    sys.exit(1)


def build_app(script: str) -> st.App:
    """Return the ASGI application of the desk."""
    from starlette.middleware import Middleware  # noqa: PLC0415 - comes with Streamlit, needed only where it serves

    check_address()
    # Without this, the first deep link to a fresh server would run a page without the frame around it.
    PagesManager.uses_pages_directory = False
    return st.App(script, middleware=[Middleware(SecurityHeaders)], on_script_error=_report_fault)
