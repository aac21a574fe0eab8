"""Opening a page without a browser, as somebody, at an address; and reading what it says."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


def opener(page: str, person: str = "ana") -> Callable[..., AppTest]:
    """Return a function that opens a page over a store: `open_page(monkeypatch, url, person=…, script=…, **query)`."""

    def open_page(monkeypatch: Any, url: str, person: str = person, script: str = f"pages/{page}.py", **query: Any) -> AppTest:
        monkeypatch.setenv("CLAIMDESK_DB", url)
        monkeypatch.chdir(ROOT)
        import streamlit as st

        st.cache_resource.clear()
        at = AppTest.from_file(str(ROOT / script), default_timeout=60)
        at.session_state["identity.person"] = person
        for name, value in query.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception, at.exception
        return at

    return open_page


def raw(at: AppTest) -> str:
    """Return the HTML a page drew, without its style sheets."""
    return " ".join(element.proto.body for element in at.get("html") if hasattr(element.proto, "body") and not element.proto.body.startswith("<style"))


def links(at: AppTest) -> str:
    """Return the HTML a page drew with its addresses as they are followed."""
    return raw(at).replace("&amp;", "&")


def words(at: AppTest) -> str:
    """Return what a page says, on one line."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", raw(at))))
