"""What is said once: kept until a drawing that says it has come to its end, and for some seconds after.

A drawing is broken off when something else is pressed or a field is left meanwhile, and the next one stands a moment later.
What the first one had said would be gone before anybody could read it: a press that did something would look as if it had done nothing.
So whatever is said once goes through here and nowhere else.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

_TOLD = "told"
#: Seconds for which it is said again at the same address, from when it was first said to the end.
_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Kept:
    """Something to say; once it was said to the end also when and at which address."""

    what: Any
    since: float | None = None
    address: str | None = None


@dataclass(slots=True)
class _Drawing:
    """What a drawing has said so far."""

    page: str
    said: dict[str, _Kept] = field(default_factory=dict)


_drawing: ContextVar[_Drawing | None] = ContextVar("drawing", default=None)


def _all() -> dict[str, _Kept]:
    found: dict[str, _Kept] = st.session_state.setdefault(_TOLD, {})
    return found


def _address(page: str) -> str:
    return f"{page}?{sorted(st.query_params.to_dict().items())}"


def keep(name: str, what: Any) -> None:
    """Keep something to be said, in place of what has this name and of all that was said already; nothing if there is nothing to say."""
    forget_said()
    kept = _all()
    kept.pop(name, None)
    if what:
        kept[name] = _Kept(what)


def peek(name: str) -> Any:
    """Return what is to be said next under a name, None where nothing is."""
    found = _all().get(name)
    return None if found is None or found.since is not None else found.what


def take(name: str) -> Any:
    """Return what is to be said under a name, None where nothing is or this drawing has said it."""
    kept, drawing = _all(), _drawing.get()
    found = kept.get(name)
    if found is None:
        return None
    if drawing is None:  # nobody tells when this drawing ends
        del kept[name]
        return found.what
    if name in drawing.said:
        return None
    if found.since is not None and (found.address != _address(drawing.page) or time.monotonic() - found.since > _SECONDS):
        del kept[name]
        return None
    drawing.said[name] = found
    return found.what


def forget_said() -> None:
    """Say nothing again of what was said to the end: something new is done."""
    kept = _all()
    for name in [name for name, one in kept.items() if one.since is not None]:
        del kept[name]


@contextmanager
def drawing_of(page: str) -> Iterator[None]:
    """Let what is said inside count as said once the drawing comes to its end."""
    drawing = _Drawing(page)
    token = _drawing.set(drawing)
    try:
        yield
    finally:
        _drawing.reset(token)
    kept, now, here = _all(), time.monotonic(), _address(page)
    for name, one in drawing.said.items():
        if kept.get(name) is one and one.since is None:
            kept[name] = replace(one, since=now, address=here)
