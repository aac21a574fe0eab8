"""Files made ready for the browser: downloads that were pressed, and pictures of pages. They lie in the server's memory.

What is blocked to be forgotten must not be served from there any more, whoever blocked it and in whichever process. So each
request for such a file looks first whether anything was blocked since the last look, and every few seconds somebody looks who
needs no request; then all that was ready is dropped. A screen that still needs a picture makes it anew, from what may be read.
"""

from __future__ import annotations

import logging
import threading

import streamlit as st
from streamlit import runtime

from pages.widgets.desk import desk_store
from store import Refusal, count_blockings

#: Seconds between two looks that no request asks for.
_EVERY = 20.0
_log = logging.getLogger("claimdesk")


def drop_prepared() -> int:
    """Drop every file that lies ready and everything screens remember; return how many files there were."""
    st.cache_data.clear()
    if not runtime.exists():
        return 0
    manager = runtime.get_instance().media_file_mgr
    with manager._lock:  # noqa: SLF001 - Streamlit drops files by itself only, when a session draws anew or ends
        ready = list(manager._file_metadata)  # noqa: SLF001
        for file_id in ready:
            manager._delete_file(file_id)  # noqa: SLF001
    return len(ready)


class PreparedFiles:
    """Drops what lies ready once something was blocked after it was made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: int | None = None
        self._once_more = False

    def may_serve(self, *, again: bool = False) -> bool:
        """Drop what must not be served any more; return False where that cannot be told, and nothing may be served.

        Args:
            again: drop also what came after it was dropped last: it may have been read before that was blocked, and put there later.
        """
        try:
            now = count_blockings(desk_store())
        except Refusal:
            return False
        with self._lock:
            blocked = self._known is not None and now != self._known
            drop = blocked or (again and self._once_more)
            self._once_more = blocked or (self._once_more and not again)
            self._known = now
        if drop:
            drop_prepared()
        return True

    def watch(self) -> None:
        """Look every few seconds from now on, in a thread of its own."""
        threading.Thread(target=self._look, name=__name__, daemon=True).start()

    def _look(self) -> None:
        pause = threading.Event()
        while True:
            try:
                self.may_serve(again=True)
            except (OSError, RuntimeError):
                # Whatever stood in the way, the next look may do better; until then each request looks for itself.
                _log.exception(__name__)
            pause.wait(_EVERY)
