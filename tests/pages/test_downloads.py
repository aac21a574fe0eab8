"""Every download of the screens is made when it is pressed, by a function that registers it."""

import ast

import store
from tests.pages.opened import ROOT

#: What is left of a request to forget: its receipt and the letter about it, which hold nothing of any record.
OF_NO_RECORD = {"forgetting_letter.py", "forgetting_receipt.py"}


def downloads():
    """(file, what is handed out) of every download button."""
    for path in sorted((ROOT / "pages").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "download_button":
                yield path.name, node.args[1] if len(node.args) > 1 else next(one.value for one in node.keywords if one.arg == "data")


def test_every_download_is_made_on_press_and_registered():
    found = list(downloads())
    assert len(found) >= 12
    for name, made in found:
        if name in OF_NO_RECORD:
            continue
        assert isinstance(made, ast.Call), f"{name}: what is handed out is made without the veil of the page"
        assert ast.unparse(made.func) == "behind_veil", f"{name}: what is handed out is made without the veil of the page"
        made = made.args[0]
        assert isinstance(made, ast.Lambda), f"{name}: what is handed out is made before anybody asks for it"
        makes = made.body.func.id if isinstance(made.body, ast.Call) and isinstance(made.body.func, ast.Name) else None
        assert getattr(store, makes or "", None) is not None, f"{name}: {makes} is no function of the store"
        assert getattr(store, makes).__module__ == "store.handing_out", f"{name}: {makes} hands out what nobody registers"
