"""What the README says: its bundle goes in, its Python runs, its commands are the ones there are, its pictures and links lead somewhere."""

import json
import re

import pytest

from store import import_files, open_store
from store.cli import build_parser
from tests.typed import ROOT, type_command

README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = README.partition("## The command line")[2].partition("| setting |")[0]


def blocks(language):
    """The boxes of one language, as they are printed."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def words_of_commands():
    """Every command there is."""
    return set(next(action for action in build_parser()._actions if action.dest == "command").choices)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """A folder in which the store is the sample, as after the first command of the README."""
    folder = tmp_path_factory.mktemp("readme")
    assert type_command(f"sqlite:///{folder / 'claimdesk.db'}", ["init", "--sample"]).returncode == 0
    (folder / "proposed.jsonl").write_text(blocks("json")[0], "utf-8")
    return folder


def typed(sample, command):
    """A command of the README, told to the sample store in its folder."""
    words = command.removeprefix(".venv/bin/python -m store ").split()
    words = [str(sample / word) if word == "proposed.jsonl" else word for word in words]
    return type_command(f"sqlite:///{sample / 'claimdesk.db'}", words)


def test_the_bundle_goes_in_is_not_served_and_the_third_command_says_why(sample):
    box = next(box for box in blocks("sh") if "import proposed.jsonl" in box)
    proposed, read, shown = (typed(sample, line) for line in box.splitlines())

    assert ("claim 1" in proposed.stdout, "rejected: none" in proposed.stdout) == (True, True)
    assert "result: MISSING" in read.stdout
    assert "usable: no\nwhy: larch-partner is CANDIDATE." in shown.stdout


def test_the_claim_it_shows_passes_every_check_but_that_somebody_else_decides(sample):
    store = open_store(f"sqlite:///{sample / 'claimdesk.db'}")
    import_files(store, "bot", [sample / "proposed.jsonl"])

    found = json.loads(type_command(store.url, ["check", "larch-partner", "--as", "ana", "--json"]).stdout)

    assert [check["name"] for check in found["checks"] if not check["ok"]] == []


def test_its_python_runs_and_prints_what_is_held(sample, monkeypatch, capsys):
    monkeypatch.chdir(sample)

    exec(compile(blocks("python")[0], "README.md", "exec"), {})

    proposed, answer = capsys.readouterr().out.splitlines()
    assert proposed in ("1 new, 0 there already, 0 rejected", "0 new, 1 there already, 0 rejected")
    assert answer == "OK [191400000]"


def test_the_table_names_every_command_and_no_other():
    first = set(re.findall(r"(?:^\| |, |/ )`([a-z-]+)", COMMANDS, re.MULTILINE))

    named = {word for word in first if word in words_of_commands()}

    assert words_of_commands() - named == set()
    assert {row for row in re.findall(r"^\| `([a-z-]+)", COMMANDS, re.MULTILINE)} - words_of_commands() == set()


def test_every_picture_is_there_and_shown_and_every_link_within_leads_to_a_heading():
    shown = set(re.findall(r"\]\((\.readme/[^)]+)\)", README))
    headings = {re.sub(r"[^a-z0-9 -]", "", line.lower()).replace(" ", "-") for line in re.findall(r"^#+ (.+)$", README, re.MULTILINE)}

    assert shown == {str(path.relative_to(ROOT)) for path in (ROOT / ".readme").iterdir()}
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) - headings == set()


def test_a_second_init_of_the_sample_says_how_to_open_the_desk(sample):
    refused = type_command(f"sqlite:///{sample / 'claimdesk.db'}", ["init", "--sample"])

    assert refused.returncode == 1
    assert "To open the desk on it: streamlit run app.py." in refused.stderr


def test_a_store_that_is_not_there_is_named_with_its_folder():
    refused = type_command("sqlite:///not-there.db", ["verify"])

    assert f"There is no store in {ROOT / 'not-there.db'}." in refused.stderr


@pytest.mark.parametrize("words", [["backup", "{there}"], ["backups"], ["restore", "{there}"]])
def test_who_may_not_keep_the_store_is_told_whom_to_ask_in_words(sample, tmp_path, words):
    refused = typed(sample, " ".join([*words, "--as", "ravi"]).format(there=tmp_path / "there"))

    assert refused.returncode == 1
    assert "Ask an admin of everything, such as operator." in refused.stderr
    assert "*" not in refused.stderr
