"""Whole stories, told to `python -m store` as an outsider would, on both databases.

In one of them each command is a process of its own; the others, where that would only be slower, are told to this process.

A story is one JSON file of `scenarios/`: "name", "why", "bundle" (lines) and "steps". A step: "run" (words), "exit" (0),
"expect" {path: value}, "ids" {path: ids in any order}, "has" {path: text}, "absent" [text], "save" {name: path} for later
steps as $name, "write" {file: text}. $bundle is the story's bundle, $dir its folder.
"""

import json
import re
from pathlib import Path

import pytest

from tests.typed import type_command

STORIES = sorted(Path(__file__).parent.joinpath("scenarios").glob("*.json"))


def look(value, path):
    """Follow a.b, a[0].b, a[id=C1].b or a.length into parsed JSON."""
    for part in re.findall(r"[^.\[\]]+|\[[^\]]*\]", path):
        if part == "length":
            value = len(value)
        elif part.startswith("[") and "=" in part:
            key, wanted = part[1:-1].split("=", 1)
            value = next(item for item in value if str(item[key]) == wanted)
        else:
            value = value[int(part[1:-1])] if part.startswith("[") else value[part]
    return value


def ids_of(items):
    return sorted(item if isinstance(item, str) else str(item["id"]) for item in items)


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_the_story_goes_as_told(path, database_url, tmp_path):
    story = json.loads(path.read_text("utf-8"))
    saved = {"dir": str(tmp_path), "bundle": str(tmp_path / "bundle.jsonl")}
    Path(saved["bundle"]).write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in story["bundle"]), "utf-8")

    def fill(value):
        return re.sub(r"\$(\w+)", lambda match: str(saved.get(match[1], match[0])), value) if isinstance(value, str) else value

    for number, step in enumerate([{"run": ["init"]}, *story["steps"]]):
        for name, text in step.get("write", {}).items():
            (tmp_path / name).write_text(text, "utf-8")
        words = [fill(word) for word in step["run"]]
        where = f"step {number}: {' '.join(words)}"
        done = type_command(database_url, [*words, "--json"], outside=path == STORIES[0] and database_url.startswith("sqlite"))

        assert done.returncode == step.get("exit", 0), f"{where}\n{done.stdout}{done.stderr}"
        answer = json.loads(done.stdout)
        for key, wanted in step.get("expect", {}).items():
            assert look(answer, key) == fill(wanted), f"{where}: {key}"
        for key, wanted in step.get("ids", {}).items():
            assert ids_of(look(answer, key)) == sorted(map(fill, wanted)), f"{where}: {key}"
        for key, wanted in step.get("has", {}).items():
            assert wanted.lower() in str(look(answer, key)).lower(), f"{where}: {key}"
        for text in step.get("absent", []):
            assert text not in done.stdout + done.stderr, where
        for name, key in step.get("save", {}).items():
            saved[name] = look(answer, key)


def test_there_are_stories():
    assert len(STORIES) >= 3
