"""One catalogue of strings: what the screens say is in it, whole, and nowhere else."""

import ast
import re

import pytest
from babel.messages.pofile import read_po

from tests.catalogue import KEYWORDS, ROOT, extract_catalogue, messages_of_code, names_of, read_template

FILES = sorted((ROOT / "pages").rglob("*.py"))
#: Files whose words are not in the catalogue yet. Nothing may be added here.
NOT_YET: set[str] = set()
#: Words that are the same in every language, and what is said to programs and to whoever starts the server.
NO_WORDS_OF_OURS = {
    "pages/widgets/frame.py": {"Claimdesk"},
    "pages/widgets/server.py": None,
    # What is kept in the store as the way a claim was made.
    "pages/widgets/source_select.py": {"chosen by hand"},
    "pages/widgets/style.py": None,
}
#: Functions that put their arguments on the screen as they are.
_SHOWING = {"tag": 1, "join": 0, "draw": 0, "literal": 0}
#: Arguments of theirs, and of Streamlit's, that somebody reads.
_READ = {"title", "label", "help", "placeholder", "alt", "describe", "aria_label"}
#: Arguments nobody reads.
_UNREAD = {"cls", "key", "icon", "mime", "href", "icon_position", "css", "js", "html"}
_WIDGETS = {"button", "checkbox", "download_button", "expander", "file_uploader", "form_submit_button", "number_input", "pills", "popover", "radio", "segmented_control",
            "selectbox", "multiselect", "slider", "spinner", "status", "tabs", "text_area", "text_input", "title", "toast", "toggle", "date_input", "time_input", "link_button", "text"}  # fmt: skip
#: What is printed on a keyboard.
_KEYS = {"Esc", "Enter", "Shift", "Ctrl"}
_SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:.]? [A-Za-z]{2,}|^[A-Z][a-z]+")


def name_of_call(node):
    return node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""


def literals(node):
    """The literal texts an expression may come out as; what a function makes of its arguments is looked at by itself."""
    if isinstance(node, ast.Constant):
        return [node] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return [part for part in node.values if isinstance(part, ast.Constant)] + [
            found for part in node.values if isinstance(part, ast.FormattedValue) for found in literals(part.value)
        ]
    if isinstance(node, ast.IfExp):
        return literals(node.body) + literals(node.orelse)
    if isinstance(node, ast.BoolOp):
        return [found for value in node.values for found in literals(value)]
    if isinstance(node, ast.BinOp):
        return literals(node.left) + literals(node.right)
    if isinstance(node, ast.Starred):
        return literals(node.value)
    if isinstance(node, (ast.Tuple, ast.List)):
        return [found for value in node.elts for found in literals(value)]
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return literals(node.elt)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "join"):
        return literals(node.func.value) + [found for value in node.args for found in literals(value)]
    return []


def shown(tree):
    """The literals with a letter that reach the screen past the catalogue."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name, read = name_of_call(node), [keyword.value for keyword in node.keywords if keyword.arg in _READ]
        if isinstance(node.func, ast.Name) and name in _SHOWING:
            read += node.args[_SHOWING[name] :]
        elif isinstance(node.func, ast.Attribute) and name in _WIDGETS:
            read += node.args[:1]
        else:
            read = []
        for value in read:
            yield from (found for found in literals(value) if re.search("[A-Za-z]", found.value))


def sentences(tree):
    """The literals that read like words for people and are not in a call of the catalogue, wherever they stand."""
    skipped = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            skipped.add(body[0].value)
        if isinstance(node, ast.Call) and name_of_call(node) in KEYWORDS:
            skipped |= {argument for argument in node.args if isinstance(argument, ast.Constant)}
        elif isinstance(node, ast.Call):
            if name_of_call(node) in ("startswith", "endswith", "removeprefix", "removesuffix", "fullmatch", "compile"):
                skipped |= {inner for argument in node.args for inner in ast.walk(argument)}
            skipped |= {inner for keyword in node.keywords if keyword.arg in _UNREAD for inner in ast.walk(keyword.value)}
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            skipped |= set(ast.walk(node.format_spec))
        if isinstance(node, ast.Subscript):
            skipped |= set(ast.walk(node.slice))
        if isinstance(node, ast.Assign) and any(isinstance(target, ast.Name) and re.search("_?(CSS|JS|HTML)$", target.id) for target in node.targets):
            skipped |= set(ast.walk(node.value))
        if isinstance(node, (ast.AnnAssign, ast.arg)) and node.annotation is not None:
            skipped |= set(ast.walk(node.annotation))
        if isinstance(node, (ast.Raise, ast.Compare)):
            skipped |= set(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped and _SENTENCE.search(node.value):
            if not all(word.startswith("cd-") for word in node.value.split()):
                yield node


def past_the_catalogue(path):
    """Where a file says something past the catalogue: `line: text`."""
    name = str(path.relative_to(ROOT))
    excused = NO_WORDS_OF_OURS.get(name, set())
    if excused is None:
        return []
    tree = ast.parse(path.read_text("utf-8"))
    found = {(node.lineno, node.value) for node in [*shown(tree), *sentences(tree)] if node.value not in excused and node.value not in _KEYS and not (len(node.value) == 1 and node.value.isupper())}
    return [f"{name}:{line}: {text[:80]}" for line, text in sorted(found)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_says_anything_past_the_catalogue(path):
    found = past_the_catalogue(path)

    if str(path.relative_to(ROOT)) in NOT_YET:
        assert found, "nothing is said past the catalogue any more: take the file off NOT_YET"
    else:
        assert found == []


def test_the_catalogue_functions_get_literal_sentences_only():
    """The extractor reads literals; a sentence glued together would be in no other language."""
    wrong = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYWORDS:
                spoken = node.args[:2] if node.func.id.endswith("_count") else node.args[:1]
                wrong += [f"{path.name}:{node.lineno}" for argument in spoken if isinstance(argument, (ast.JoinedStr, ast.BinOp))]

    assert wrong == []


def test_the_catalogue_kept_in_the_tree_is_the_one_the_code_makes():
    assert names_of(read_template()) == names_of(extract_catalogue()), "run `python -m tests.catalogue`"


def test_one_text_has_one_plural():
    """Gettext knows a sentence by its singular; two plurals of one singular would be one."""
    plurals = {}
    for _, message, context in messages_of_code():
        if not isinstance(message, str):
            plurals.setdefault((context, message[0]), set()).add(message[1])

    assert {one: many for one, many in plurals.items() if len(many) > 1} == {}


def test_every_place_of_the_singular_is_known_to_the_plural():
    places = re.compile(r"\{(\w+)\}")
    wrong = [(one, many) for _, one, many in names_of(read_template()) if many and set(places.findall(one)) - {"n"} != set(places.findall(many)) - {"n"}]

    assert wrong == []


def test_every_language_in_the_tree_says_everything():
    for path in (ROOT / "pages" / "widgets" / "locale").rglob("*.po"):
        with path.open("rb") as file:
            told = read_po(file)
        assert names_of(told) == names_of(read_template()), path
        assert [message.id for message in told if message.id and not message.string] == [], path


def test_months_are_written_by_the_catalogue():
    assert [path.name for path in FILES if re.search(r"%-?[aAbB]\b|%-d %", path.read_text("utf-8"))] == []


def test_only_the_stylesheets_hold_css():
    """Rules in other files, and styles on elements, are nobody's to keep together; a component's own shadow tree cannot read the sheets."""
    named = {"identity.py": "_CSS", "markup.py": "_PLACED_HTML", "reach_picture.py": "_CSS", "conflict_table.py": "_CSS", "graph_canvas.py": "_CSS"}
    wrong = []
    for path in FILES:
        if path.name == "style.py":
            continue
        tree = ast.parse(path.read_text("utf-8"))
        excused = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.Assign) for target in node.targets if isinstance(target, ast.Name) and target.id == named.get(path.name) for inner in ast.walk(node)}
        wrong += [f"{path.name}:{node.lineno}" for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in excused and re.search(r"<style|\bstyle=|\{\s*[a-z-]+\s*:[^{}]*;[^{}]*\}", node.value)]

    assert wrong == []
