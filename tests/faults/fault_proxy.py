"""A TCP proxy before PostgreSQL that cuts the line around a COMMIT."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path


class Proxy:
    """Forwards to a server's socket.

    Attributes:
        cut: what to do at the next COMMIT: "before" it is passed on, "during" (passed on, its answer not waited for), "after" it was
            done and before its answer is passed back; None forwards everything.
        down: refuse every connection from the cut on.
    """

    def __init__(self, socket_path: Path) -> None:
        self.path, self.cut, self.down, self.down_after_cut = socket_path, None, False, False
        self.cuts = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, database: str) -> str:
        return f"postgresql://postgres:@127.0.0.1:{self.port}/{database}"

    def close(self) -> None:
        self.listener.close()
        self._close(*self.open)

    def _close(self, *sockets: socket.socket) -> None:
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.down:
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.path))
            self.open += [client, server]
            threading.Thread(target=self._upstream, args=(client, server), daemon=True).start()
            threading.Thread(target=self._downstream, args=(client, server), daemon=True).start()

    def _upstream(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if self.cut and b"COMMIT\0" in data:
                    how, self.cut = self.cut, None
                    self.cuts += 1
                    self.down = self.down_after_cut
                    if how == "during":
                        server.sendall(data)
                    if how == "after":
                        self.waiting = threading.Event()
                        self.swallow = server
                        server.sendall(data)
                        self.waiting.wait(10)
                    break
                server.sendall(data)
        self._close(client, server)

    swallow: socket.socket | None = None

    def _downstream(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if self.swallow is server:
                    self.swallow = None
                    self.waiting.set()
                    return
                client.sendall(data)
        self._close(client, server)
