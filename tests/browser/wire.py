"""Asking the desk's server directly, below the browser: exact paths, any header, and a socket's handshake."""

from __future__ import annotations

import base64
import os
import socket
from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


def ask(port: int, path: str, method: str = "GET", host: str | None = None, body: bytes = b"", **headers: str) -> Answer:
    """Send one request, exactly as given, and return the answer."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host if host is not None else f'127.0.0.1:{port}'}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body or method in ("POST", "PUT"):
        lines.append(f"Content-Length: {len(body)}")
    with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
        wire.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        return _read(wire)


def shake_hands(port: int, host: str | None = None, origin: str | None = None, path: str = "/_stcore/stream") -> Answer:
    """Ask to open the desk's socket and return the answer to the handshake."""
    own = f"127.0.0.1:{port}"
    lines = [
        f"GET {path} HTTP/1.1", f"Host: {own if host is None else host}", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Protocol: streamlit",
    ]  # fmt: skip
    if origin != "":
        lines.append(f"Origin: {f'http://{own}' if origin is None else origin}")
    with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
        wire.sendall("\r\n".join([*lines, "", ""]).encode())
        return _read(wire, only_head=True)


def _read(wire: socket.socket, *, only_head: bool = False) -> Answer:
    got = b""
    while b"\r\n\r\n" not in got or not only_head:
        some = wire.recv(65536)
        if not some:
            break
        got += some
    head, _, body = got.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    pairs = [line.partition(":") for line in rest]
    return Answer(int(first.split(" ")[1]), {name.strip().lower(): value.strip() for name, _, value in pairs}, body)
