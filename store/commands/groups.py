"""Commands that do several things, each by a word of its own, such as `erase run`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any


def open_group(commands: Any, common: Sequence[argparse.ArgumentParser], name: str, text: str) -> Callable[[str, str, Any], argparse.ArgumentParser]:
    """Add a command and return what adds one thing it does: its word, what help says of it, and what runs it."""
    doing = commands.add_parser(name, help=text, description=text).add_subparsers(dest="doing", required=True, metavar="WHAT")

    def add(word: str, says: str, run: Any) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = doing.add_parser(word, help=says, description=says, parents=list(common))
        parser.set_defaults(run=run)
        return parser

    return add
