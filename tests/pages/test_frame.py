"""The frame and every page in it, alone and through app.py, without a browser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.name for path in (ROOT / "pages").glob("*.py"))


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('sample') / 'sample.db'}"
    subprocess.run([sys.executable, "-m", "store", "--db", url, "init", "--sample"], cwd=ROOT, check=True, capture_output=True)
    return url


@pytest.fixture
def at(sample, monkeypatch):
    """A function that runs a script at the sample store, as somebody or nobody."""
    monkeypatch.setenv("CLAIMDESK_DB", sample)
    monkeypatch.chdir(ROOT)

    def run(script, person=None, **query):
        app = AppTest.from_file(str(ROOT / script), default_timeout=60)
        if person is not None:
            app.session_state["identity.person"] = person
        for name, value in query.items():
            app.query_params[name] = value
        return app.run()

    return run


def drawn(app):
    """Return all HTML on the page and in the sidebar."""
    return "\n".join(element.proto.body for block in (app.main, app.sidebar) for element in block if element.type == "html")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_run_alone_asks_who_one_is_and_shows_nothing_else(at, page):
    app = at(f"pages/{page}")

    assert not app.exception
    assert [title.value for title in app.title] == ["Who are you?"]
    assert len(app.button) == 0
    assert "acme/funds" not in drawn(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_run_alone_works_for_somebody(at, page):
    app = at(f"pages/{page}", "ana")

    assert not app.exception
    assert "<h1" in drawn(app) or app.title


def test_app_py_shows_the_menu_the_scope_and_the_person(at):
    app = at("app.py", "noor")

    assert not app.exception
    assert "Noor Lindqvist" in drawn(app)
    assert 'href="/candidates"' in drawn(app)
    assert 'href="/revoke"' in drawn(app)
    assert "Local mode" in drawn(app)


def test_a_person_the_store_does_not_know_must_choose(at):
    app = at("app.py", "nobody-at-all")

    assert [title.value for title in app.title] == ["Who are you?"]


def test_the_scope_chooser_offers_what_one_may_see_and_nothing_is_chosen(at):
    """Choosing is tested in a browser: AppTest runs a page without app.py from its second run on, as there is a pages/ folder."""
    everything, vendors = at("app.py", "ana").sidebar.selectbox[0], at("app.py", "noor").sidebar.selectbox

    assert everything.value == "/"
    assert everything.options[0] == "All my scopes"
    assert {"acme", "acme/funds", "acme/vendors"} <= set(everything.options)
    assert not vendors or "acme/funds" not in vendors[0].options


def test_a_store_that_is_not_there_is_said(at, monkeypatch, tmp_path):
    monkeypatch.setenv("CLAIMDESK_DB", f"sqlite:///{tmp_path / 'none.db'}")
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()

    assert not app.exception
    assert [title.value for title in app.title] == ["The desk cannot open its store"]
    assert "python -m store init" in drawn(app)


def test_every_page_has_an_address_and_every_address_a_page():
    from pages.widgets.frame import ADDRESSES

    assert sorted(f"{name}.py" for name in ADDRESSES) == PAGES


def test_every_page_opens_the_desk_first():
    for page in PAGES:
        assert "open_desk" in (ROOT / "pages" / page).read_text(), page


def test_outside_text_never_reaches_a_call_that_reads_markdown():
    """Markdown may only be given words the program itself wrote: no f-string, no variable, and no value in the place of a sentence (R33)."""
    import ast

    def is_our_own(argument):
        if isinstance(argument, ast.Call):
            return isinstance(argument.func, ast.Name) and argument.func.id == "say" and not argument.keywords and isinstance(argument.args[0], ast.Constant)
        return isinstance(argument, ast.Constant)

    reads_markdown = {"markdown", "write", "caption", "error", "warning", "info", "success", "header", "subheader", "title", "metric", "toast", "latex", "badge", "table"}
    found = []
    for path in [*(ROOT / "pages").glob("*.py"), *(ROOT / "pages" / "widgets").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in reads_markdown and isinstance(node.func.value, ast.Name) and node.func.value.id == "st":
                found.extend(f"{path.name}:{node.lineno}" for argument in node.args if not is_our_own(argument))

    assert found == []


def test_roles_held_everywhere_are_told_as_such_and_not_as_a_scope_of_that_name():
    from pages.widgets.identity import roles_in_words

    assert roles_in_words([("admin", "everywhere"), ("auditor", "acme")]) == "auditor in acme; admin everywhere"


def test_a_name_that_was_forgotten_is_told_in_words():
    from pages.widgets.desk import person_name

    assert person_name("███") == "somebody who was forgotten"
