"""Who else is reading the same thing, without a browser: three people, each in a session of their own."""

from __future__ import annotations

import html
import re
import textwrap
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


def script(about, tenant="acme", kind="record"):
    return textwrap.dedent(f"""
        from pages.widgets.desk import open_desk
        from pages.widgets.presence import draw_readers
        draw_readers(open_desk(), {kind!r}, {tenant!r}, {about!r})
    """)


@pytest.fixture
def reads(sample, monkeypatch):
    """A function that lets somebody read something, in a session of their own, and returns what they are told."""
    monkeypatch.setenv("CLAIMDESK_DB", sample)
    monkeypatch.chdir(ROOT)
    import streamlit as st

    st.cache_resource.clear()

    def read(person, about, at=None, **more):
        if at is None:
            at = AppTest.from_string(script(about, **more), default_timeout=60)
            at.session_state["identity.person"] = person
        at.run()
        assert not at.exception
        text = " ".join(re.sub(r"<[^>]+>", "", element.proto.body) for element in at.get("html") if "cd-readers" in element.proto.body and "<style" not in element.proto.body)
        return html.unescape(text).removeprefix("group"), at

    return read


def test_two_people_who_read_the_same_are_told_of_each_other(reads):
    alone, ana = reads("ana", "C1")
    assert alone == ""

    assert reads("ben", "C1")[0] == "Ana Belcourt is reading this too."
    assert reads("ana", "C1", at=ana)[0] == "Ben Achterberg is reading this too."


def test_of_several_the_names_are_listed(reads):
    for who in ("ben", "noor"):
        reads(who, "C1")

    assert reads("ana", "C1")[0] == "Ben Achterberg and Noor Lindqvist are reading this too."


@pytest.mark.parametrize("other", [{"about": "C2"}, {"about": "C1", "tenant": "other"}, {"about": "C1", "kind": "conflict"}])
def test_who_reads_something_else_is_not_told(reads, other):
    reads("ben", "C1")

    assert reads("ana", **other)[0] == ""


def test_who_went_on_to_something_else_reads_this_no_more(reads):
    _, ben = reads("ben", "C1")
    told, ana = reads("ana", "C1")
    assert told == "Ben Achterberg is reading this too."

    # The same session draws another page: what it reads is the other record from then on.
    other = AppTest.from_string(script("C2"), default_timeout=60)
    other.session_state["identity.person"] = "ben"
    other.session_state["presence.session"] = ben.session_state["presence.session"]
    reads("ben", "C2", at=other)

    assert reads("ana", "C1", at=ana)[0] == ""


def test_oneself_in_another_tab_is_nobody_else(reads):
    reads("ana", "C1")

    assert reads("ana", "C1")[0] == ""


def test_who_went_on_to_the_next_one_does_not_read_the_first_any_more():
    from pages.widgets import presence

    readers = presence._Readers()
    readers.note("s1", ("url", "acme", "record", "C1"), "ben", "Ben", 0.0)
    readers.note("s1", ("url", "acme", "record", "C2"), "ben", "Ben", 1.0)

    assert readers.of(("url", "acme", "record", "C1"), "ana", 2.0) == []
    assert readers.of(("url", "acme", "record", "C2"), "ana", 2.0) == ["Ben"]


def test_who_gives_no_sign_for_a_minute_reads_no_more():
    from pages.widgets import presence

    readers, thing = presence._Readers(), ("url", "acme", "record", "C1")
    readers.note("s1", thing, "ben", "Ben", 0.0)

    assert readers.of(thing, "ana", presence.STAYS) == ["Ben"]
    assert readers.of(thing, "ana", presence.STAYS + 1) == []
    readers.note("s2", thing, "ana", "Ana", presence.STAYS + 1)
    assert list(readers.signs) == [("s2", "record")]
