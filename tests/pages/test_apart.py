"""Every page of somebody of one tenant is the same to the byte whatever stands in another, before and after something is forgotten there."""

import datetime
import importlib
import pkgutil
import re

import pytest
from streamlit.testing.v1 import AppTest

import pages.widgets
from store import open_store
from tests.apart import ERASED, MANY, MOMENT, NONE, make_stages
from tests.builders import Clock
from tests.pages.opened import ROOT
from tests.places import PLACES

#: One place of each page, and what people look for.
SEEN = [place for n, place in enumerate(PLACES) if all(other[0] != place[0] for other in PLACES[:n])]
SEEN += [("about", {"find": "larch"}), ("sources", {})]


@pytest.fixture
def still(monkeypatch):
    """The store's clock and the screens' stand at one moment."""
    clock = Clock(MOMENT)
    clock.pass_by(days=1)
    now = datetime.datetime.fromtimestamp(clock.at / 1_000_000, datetime.UTC)

    class Standing(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return now.astimezone(tz) if tz else now.replace(tzinfo=None)

    monkeypatch.setattr(open_store, "__defaults__", (clock,))
    for found in pkgutil.iter_modules(pages.widgets.__path__, "pages.widgets."):
        module = importlib.import_module(found.name)
        if getattr(module, "datetime", None) is datetime.datetime:
            monkeypatch.setattr(module, "datetime", Standing)


def drawn(page, query, person):
    """Everything a page draws, as what is sent to the browser."""
    import streamlit as st

    st.cache_resource.clear()
    at = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60)
    at.session_state["identity.person"] = person
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, at.exception
    # A download that is made on press has a random number, a new one each time the page is drawn.
    return [re.sub(r'deferred_file_id: "[0-9a-f]+"', "", str(block)) for block in walk(at._tree)]


def walk(block):
    """Every element below a block, as its message."""
    for child in block.children.values():
        yield child.proto
        if hasattr(child, "children"):
            yield from walk(child)


def test_no_page_shows_anything_of_another_tenant(sqlite_files, monkeypatch, still):
    make_stages(sqlite_files)
    monkeypatch.chdir(ROOT)

    def every_page(stage):
        with sqlite_files.new(stage) as url:
            monkeypatch.setenv("CLAIMDESK_DB", url)
            return [[block.replace(url, "the store") for block in drawn(page, query, "ana")] for page, query in SEEN]

    first = every_page(NONE)
    assert all(len(blocks) > 3 for blocks in first)
    for stage in (MANY, ERASED):
        for place, before, after in zip(SEEN, first, every_page(stage), strict=True):
            differing = next(((old, new) for old, new in zip(before, after, strict=False) if old != new), None)
            assert differing is None, (stage, place, differing)
            assert len(after) == len(before), (stage, place)
