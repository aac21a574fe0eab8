"""What is said once is really seen: kept while drawings are broken off, said again for a moment, gone when something new is done."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets import decision_guard, told
from tests.pages.opened import words


def _page():
    """A page with a press that did something, and a drawing that can be broken off once it has said so."""
    import streamlit as st

    from pages.widgets import told

    st.button("Do it", on_click=told.keep, args=("done", "Done."))
    st.button("Do something else", on_click=told.forget_said)
    with told.drawing_of("page"):
        for _ in range(2):
            if (said := told.take("done")) is not None:
                st.text(said)
        if st.session_state.pop("break off", None):
            st.rerun()


def said(at, button=None):
    found = at.run() if button is None else next(one for one in at.button if one.label == button).click().run()
    return [one.value for one in found.text]


@pytest.fixture
def at():
    return AppTest.from_function(_page).run()


def test_a_drawing_that_is_broken_off_has_said_nothing(at, monkeypatch):
    monkeypatch.setattr(told, "_SECONDS", -1.0)
    at.session_state["break off"] = True
    assert said(at, "Do it") == ["Done."]
    assert said(at) == []


def test_what_was_said_is_said_again_for_some_seconds_until_something_else_is_done(at, monkeypatch):
    monkeypatch.setattr(told, "_SECONDS", 3600.0)
    assert [said(at, "Do it"), said(at)] == [["Done."], ["Done."]]
    assert said(at, "Do something else") == []


def test_what_was_said_is_not_said_of_what_is_looked_at_next(at, monkeypatch):
    monkeypatch.setattr(told, "_SECONDS", 3600.0)
    assert said(at, "Do it") == ["Done."]
    at.query_params["record"] = "another"
    assert said(at) == []


def _page_without_a_line():
    """A page that has no place of its own for presses that were ignored, unless it is told to."""
    import streamlit as st

    from pages.widgets.decision_guard import counts, ignored_said, take_ignored
    from pages.widgets.today_questions import draw_ignored_above

    st.button("Do it", on_click=counts)
    with ignored_said(draw_ignored_above):
        if st.session_state.get("says it itself"):
            take_ignored()


@pytest.mark.parametrize("itself", [False, True])
def test_a_press_that_was_ignored_is_said_on_every_page_once(monkeypatch, itself):
    monkeypatch.setattr(decision_guard, "QUIET", 3600.0)
    at = AppTest.from_function(_page_without_a_line).run()
    at.session_state["says it itself"] = itself
    said(at, "Do it")
    assert "ignored" not in words(at)
    said(at, "Do it")
    assert ("A second press came too soon and was ignored." in words(at)) is not itself
