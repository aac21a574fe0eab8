"""One decision per press: a held key, a double click or a press too soon after a decision decides nothing more.

The browser repeats a held key and Streamlit runs a callback for every repetition, each time for whatever is drawn by
then. So a decision needs silence before it: 0.6 seconds since the last press, counted or not. What a press was for is
bound when its button is drawn, never looked up when it arrives.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import streamlit as st

from pages.widgets import told
from pages.widgets.candidate_place import mark_of

#: Seconds without any press before the next one counts.
QUIET = 0.6
#: Seconds for which an ignored press is told.
_SAID = 5.0
_LAST = "decision.last_press"
_SESSION = "decision.session"
_IGNORED = "decision.ignored"
_MODE = "decision.mode"

#: Whether this drawing has asked for the ignored presses, to say them where they belong.
_asked: ContextVar[bool] = ContextVar("asked", default=False)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a decision is about, bound when its buttons were drawn (R3): id, version, hash and operation."""

    tenant: str
    id: str
    version: int
    content_hash: str
    title: str
    operation: str

    @property
    def mark(self) -> str:
        """Return the mark of this candidate at this version."""
        return mark_of(self.tenant, self.id, self.version)

    def operation_for(self, *words: object) -> str:
        """Return the operation id of one way to decide, so that the same press twice is one operation."""
        return f"{self.operation}-{mark_of(*words)}"


def seen_now(tenant: str, record_id: str, version: int, content_hash: str, title: str) -> Seen:
    """Return what is drawn now, with an operation id that stays the same while it is."""
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(8))
    return Seen(tenant, record_id, version, content_hash, title, f"desk-{session}-{mark_of(tenant, record_id, version, content_hash)}")


def counts() -> bool:
    """Return whether this press counts; every press, counted or not, starts the silence anew."""
    now = time.monotonic()
    last = st.session_state.get(_LAST)
    st.session_state[_LAST] = now
    if last is not None and now - last < QUIET:
        st.session_state[_IGNORED] = (st.session_state.get(_IGNORED, (0, None))[0] + 1, None)
        return False
    st.session_state.pop(_IGNORED, None)
    told.forget_said()
    return True


def take_ignored() -> int:
    """Return how many presses were ignored since the last that counted; from when it is first said for a few seconds, however often the page is drawn meanwhile."""
    _asked.set(True)
    count, said = st.session_state.get(_IGNORED, (0, None))
    now = time.monotonic()
    if count and said is None:  # a busy machine draws late: the seconds run from here, not from the press
        st.session_state[_IGNORED] = (count, now)
    elif count and now - said > _SAID:
        st.session_state.pop(_IGNORED, None)
        return 0
    return int(count)


@contextmanager
def ignored_said(otherwise: Callable[[], None]) -> Iterator[None]:
    """Draw ignored presses by `otherwise` where what is drawn inside does not say them itself."""
    token = _asked.set(False)
    try:
        yield
        if not _asked.get():
            otherwise()
    finally:
        _asked.reset(token)


def set_mode(mode: str | None, seen: Seen | None = None) -> None:
    """Let the bar ask something further about one candidate, or nothing any more."""
    if mode is None or seen is None:
        st.session_state.pop(_MODE, None)
    else:
        st.session_state[_MODE] = (mode, seen.mark)


def mode_of(seen: Seen) -> str | None:
    """Return what the bar asks about this candidate."""
    mode, mark = st.session_state.get(_MODE, (None, None))
    return str(mode) if mode and mark == seen.mark else None
