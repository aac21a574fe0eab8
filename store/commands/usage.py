"""How a command was called wrongly: what the parser cannot see, because it takes several words together."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

#: The largest number a store keeps.
_MOST = 2**63 - 1


class Usage(Exception):  # noqa: N818 - it says how a command is used
    """A command was called with words that do not make one; nothing was done."""


def whole_from(least: int) -> Callable[[str], int]:
    """Return what reads a whole number from `least` on, in plain digits."""

    def whole(text: str) -> int:
        digits = text.removeprefix("-")
        number = int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None
        if number is None or not least <= number <= _MOST:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is no whole number from {least}" + (" that a store can keep" if number is None and digits.isdigit() else ""))
        return number

    return whole


def find_empty(arguments: argparse.Namespace) -> str | None:
    """Return what is wrong with an option that all commands take and that was given empty; None where nothing is.

    A script whose variable is not set must not act as somebody else, or in another store.
    """
    for option, name in (("--db", "db"), ("--as", "person"), ("--tenant", "tenant")):
        if getattr(arguments, name, None) == "":
            return f"{option} is empty"
    return None


def say_misused(command: str, what: str) -> int:
    """Say what is wrong with the words of a command, as the parser does, and return the exit status."""
    print(f"python -m store {command}: error: {what}", file=sys.stderr)
    return 2
