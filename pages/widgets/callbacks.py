"""Callbacks that are carried out to their end.

Streamlit runs a callback in the script's thread and breaks it off at its next use of `st.session_state` when the browser asks
for another run meanwhile: a second press, a field that is left. What it had done stays, the rest is lost without a word
(`SessionState._run_callback_and_record_rerun`, Streamlit 1.67). So a press that was noted as counted could do nothing, and a
decision that was saved could leave the screen where it was.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

P = ParamSpec("P")
T = TypeVar("T")
_inside: ContextVar[bool] = ContextVar("uninterrupted", default=False)


def uninterrupted(callback: Callable[P, T]) -> Callable[P, T]:
    """Let a callback finish before the next run that is asked for begins; every callback of a widget carries this, and what is done while a page is drawn."""

    @functools.wraps(callback)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        context = get_script_run_ctx(suppress_warning=True)
        requests = None if context is None else context.script_requests
        outermost = requests is not None and "on_scriptrunner_yield" not in vars(requests)
        if requests is not None and outermost:
            requests.on_scriptrunner_yield = lambda: None  # type: ignore[method-assign]
        token = _inside.set(True)
        try:
            return callback(*args, **kwargs)
        finally:
            _inside.reset(token)
            if requests is not None and outermost:
                del requests.on_scriptrunner_yield  # what was asked for meanwhile is carried out after the last callback

    return run


def is_uninterrupted() -> bool:
    """Return whether what runs is carried out to its end: something that was pressed, not a drawing."""
    return _inside.get()


def draw_anew() -> None:
    """End this drawing for the next one; what was pressed meanwhile comes first, and a page somebody went to is not taken away."""
    st.session_state.get("desk.anew")  # breaks off here if something was asked for
    st.rerun()
