"""What the command line prints for people: sentences are whole, whatever stands beside them."""

import argparse
import json

import pytest

from store.cli import build_parser
from tests.typed import type_command


@pytest.fixture
def url(tmp_path):
    url = f"sqlite:///{tmp_path / 'claimdesk.db'}"
    assert type_command(url, ["init", "--sample"]).returncode == 0
    return url


def test_a_refused_line_keeps_the_end_of_its_sentence_where_it_says_what_to_do(url, tmp_path):
    line = {
        "type": "claim",
        "id": "nav",
        "scope": "acme",
        "subject": "fund",
        "predicate": "nav",
        "value": 1,
        "evidence": [{"evidence": "gone@1"}],
        "owner": "operator",
    }
    (tmp_path / "bundle.jsonl").write_text(json.dumps(line), "utf-8")
    words = ["import", str(tmp_path / "bundle.jsonl")]
    message = json.loads(type_command(url, [*words, "--dry-run", "--json"]).stdout)["rejected"][0]["message"]

    printed = type_command(url, words).stdout

    assert len(message) > 60
    assert message in printed


def test_a_drill_prints_whole_sentences_and_a_record_its_whole_hash(url):
    words = type_command(url, ["drill"]).stdout
    record = json.loads(type_command(url, ["show", "nav-2026-q3", "--json"]).stdout)

    assert "What was forgotten was looked for after restoring: by its ids, by searching, in an export and in every byte of the store.\n" in words
    assert "message: Nothing came back: after the backup was restored, the 3 forgotten records were found nowhere.\n" in words
    assert f"content_hash: {record['content_hash']}\n" in type_command(url, ["show", "nav-2026-q3"]).stdout


def words_without_a_meaning(parser, command=""):
    """The words of each command that its help lists without saying what they are."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from words_without_a_meaning(below, f"{command} {name}".strip())
        elif not action.help:
            yield f"{command} {(action.option_strings or [action.metavar or action.dest])[-1]}"


def test_the_help_of_every_command_says_what_each_of_its_words_means():
    assert list(words_without_a_meaning(build_parser())) == []
