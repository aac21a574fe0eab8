"""Imports point strictly downwards, each library has one owner, and no module is long (DESIGN section 7)."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRODUCT = sorted(path for part in ("app.py", "pages", "store", "sample_data") for path in ([ROOT / part] if part.endswith(".py") else (ROOT / part).rglob("*.py")) if path.exists())

#: What each part of the project may import of it; `facade` is `store/__init__.py`.
MAY_IMPORT = {
    "app": {"pages", "widgets", "facade"},
    "pages": {"widgets", "facade"},
    "widgets": {"facade"},
    "facade": {"actions", "reads", "db", "domain"},
    "command line": {"command line", "bench", "facade", "actions", "reads", "db", "domain"},
    "bench": {"command line", "facade", "actions", "reads", "db", "domain"},
    "actions": {"db", "domain"},
    "reads": {"db", "domain"},
    "db": {"domain"},
    "domain": set(),
    "sample_data": {"facade"},
}

#: `bench` measures the raw drivers as baselines.
OWNERS = {
    "sqlalchemy": {"db"},
    "alembic": {"db"},
    "psycopg": {"db", "bench"},
    "pysqlite3": {"db", "bench"},
    "sqlite3": set(),
    "streamlit": {"app", "pages", "widgets"},
    "pandas": {"app", "pages", "widgets"},
    "pyvis": {"widgets"},
    "networkx": {"domain"},
    "rustworkx": {"bench"},
    "packaging": {"domain"},
    "pypdfium2": {"domain"},
    "charset_normalizer": {"domain"},
    "detect_secrets": {"domain"},
}


def part_of(module):
    """Which part of the project a dotted module name belongs to, None for a library."""
    names = module.split(".")
    if names[0] == "app":
        return "app"
    if names[0] == "pages":
        return "widgets" if names[1:2] == ["widgets"] else "pages"
    if names[0] == "sample_data":
        return "sample_data"
    if names[0] != "store":
        return None
    if names[1:2] and names[1] in ("actions", "reads", "db", "domain", "bench"):
        return names[1]
    return "command line" if names[1:2] and names[1] in ("cli", "commands", "__main__") else "facade"


def name_of(path):
    names = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


@cache
def nodes_of(path):
    """Everything a file says, as the compiler reads it."""
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))


@cache
def imports_of(path):
    """Every module a file imports, wherever in the file it does."""
    return tuple(_find_imports(path))


def _find_imports(path):
    is_package = path.name == "__init__.py"
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                here = name_of(path).split(".")
                here = here[: len(here) - node.level + (1 if is_package else 0)]
                base = ".".join([*here, *([base] if base else [])])
            if base in ("store", "pages", "pages.widgets"):
                for alias in node.names:
                    below = ROOT.joinpath(*base.split("."), alias.name)
                    yield f"{base}.{alias.name}" if below.is_dir() or below.with_suffix(".py").exists() else base
            else:
                yield base


def test_every_module_is_looked_at():
    assert len(PRODUCT) > 60
    assert {part_of(name_of(path)) for path in PRODUCT} >= {"facade", "command line", "actions", "reads", "db", "domain"}


def test_imports_point_strictly_downwards():
    wrong = []
    for path in PRODUCT:
        mine = part_of(name_of(path))
        for module in imports_of(path):
            other = part_of(module)
            if other is not None and other != mine and other not in MAY_IMPORT[mine]:
                wrong.append(f"{name_of(path)} ({mine}) imports {module} ({other})")

    assert wrong == []


@pytest.mark.parametrize("library", OWNERS)
def test_each_library_has_one_owner(library):
    users = {name_of(path) for path in PRODUCT if any(module.split(".")[0] == library for module in imports_of(path))}

    strangers = sorted(name for name in users if part_of(name) not in OWNERS[library])
    assert strangers == []


def test_nothing_but_the_benchmarks_baseline_maps_rows_to_objects():
    mappers = {name_of(path) for path in PRODUCT if any(module.startswith("sqlalchemy.orm") for module in imports_of(path))}
    users = {name_of(path) for path in PRODUCT if "store.db.orm_baseline" in imports_of(path)}

    assert mappers == {"store.db.orm_baseline"}
    assert users == {"store.bench.goals_commit"}


def test_one_module_knows_what_credentials_look_like_and_only_when_it_is_asked():
    """The library is slow to import, and scans files and asks services; only its patterns are wanted."""
    import subprocess
    import sys

    users = {name_of(path) for path in PRODUCT if any(module.split(".")[0] == "detect_secrets" for module in imports_of(path))}
    asked = "import sys, store.names; print('detect_secrets' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)

    assert users == {"store.domain.credentials"}
    assert loaded.stdout.strip() == "False"


def test_a_command_brings_in_its_own_part_of_the_store_only():
    import subprocess
    import sys

    asked = "import sys; from store.cli import build_parser; build_parser(['--db', 'x', 'show', 'C1']); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()

    assert "store.commands.reading" in loaded
    assert {"store.names", "store.commands.deciding", "store.domain.layout", "store.reads.candidate_queue", "store.handing_out"}.isdisjoint(loaded)
    assert {"networkx", "scipy", "alembic", "charset_normalizer", "detect_secrets", "sqlalchemy.orm"}.isdisjoint(loaded)


def test_every_command_is_found_by_its_name_alone_and_by_the_help():
    from store.cli import _ADDERS, build_parser

    def commands(*words):
        return set(build_parser(words)._subparsers._group_actions[0].choices)

    assert [commands("--as", "ana", min(names)) for _, names in _ADDERS] == [set(names) for _, names in _ADDERS]
    everything = set().union(*(names for _, names in _ADDERS))
    assert commands() == commands("--help") == commands("--tenant", "show") == commands("shown") == everything


def test_one_module_each_opens_pdf_files_and_tells_encodings():
    users = {library: {name_of(path) for path in PRODUCT if any(module.split(".")[0] == library for module in imports_of(path))} for library in ("pypdfium2", "charset_normalizer")}

    assert users["pypdfium2"] == {"store.domain.pdf_worker"}
    assert users["charset_normalizer"] <= {"store.domain.media"}


def test_the_process_that_opens_pdf_files_is_a_program_of_its_own():
    """It is run by path: importing the store there would cost every page a second, and importing it here would bring the library along."""
    assert not [module for path in PRODUCT if name_of(path) == "store.domain.pdf_worker" for module in imports_of(path) if module.startswith("store")]
    assert not [name_of(path) for path in PRODUCT if "store.domain.pdf_worker" in imports_of(path)]


def test_the_domain_needs_nothing_but_the_standard_library_arithmetic_the_order_of_versions_and_what_reads_captured_files():
    import sys

    allowed = {*sys.stdlib_module_names, "numpy", "scipy", "networkx", "packaging", "pypdfium2", "charset_normalizer", "detect_secrets", "store"}
    wrong = [f"{name_of(path)} imports {module}" for path in PRODUCT if part_of(name_of(path)) == "domain" for module in imports_of(path) if module.split(".")[0] not in allowed]

    assert wrong == []


def test_the_domain_reads_no_clock_and_no_file():
    wrong = []
    for path in PRODUCT:
        if part_of(name_of(path)) == "domain":
            for node in nodes_of(path):
                if isinstance(node, ast.Call) and ((isinstance(node.func, ast.Attribute) and node.func.attr in ("now", "utcnow", "today", "time")) or (isinstance(node.func, ast.Name) and node.func.id == "open")):
                    wrong.append(f"{name_of(path)}:{node.lineno}")

    assert wrong == []


def test_no_module_has_more_than_450_lines():
    # The facade is a list of names, a line each.
    long = {name_of(path): lines for path in PRODUCT if name_of(path) != "store.names" and (lines := path.read_text("utf-8").count("\n")) > 450}

    assert long == {}


def test_a_file_to_be_saved_is_made_behind_the_veil_of_who_saves_it():
    # Streamlit makes it when it is asked for, outside of the run and of what that run veils.
    made, wrong = 0, []
    for path in (path for path in PRODUCT if path.is_relative_to(ROOT / "pages")):
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "download_button":
                made += 1
                if not ast.unparse(node.args[1]).startswith(("behind_veil(", "text.encode")):
                    wrong.append(f"{name_of(path)}:{node.lineno}")

    assert made > 10
    assert wrong == []


CALLBACK = re.compile("on_(click|submit|select|([a-z]+_)?change)")


def test_what_a_widget_calls_is_carried_out_to_its_end_whatever_is_pressed_meanwhile():
    # Streamlit breaks off a callback at its next use of the session when another run is asked for.
    called, guarded, wrong = set(), set(), []
    for path in (path for path in PRODUCT if path.is_relative_to(ROOT / "pages") or path.name == "app.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.Call):
                for given in (word.value for word in node.keywords if word.arg and CALLBACK.fullmatch(word.arg)):
                    if isinstance(given, ast.Name | ast.Attribute):
                        called.add(ast.unparse(given).rsplit(".", 1)[-1])
                    elif not isinstance(given, ast.Constant) and not ast.unparse(given).startswith("uninterrupted("):
                        wrong.append(f"{name_of(path)}:{given.lineno}")
            elif isinstance(node, ast.FunctionDef):
                guarded |= {one.arg for one in node.args.args if one.annotation and "Callable[" in ast.unparse(one.annotation)}
                if "uninterrupted" in map(ast.unparse, node.decorator_list):
                    guarded.add(node.name)
                elif "counts()" in (ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.Call)):
                    wrong.append(f"{name_of(path)}:{node.lineno}")

    assert len(called) > 60
    assert sorted(called - guarded) == []
    assert wrong == []
