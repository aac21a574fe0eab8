"""gate memory, gate session: whether memory may be written here, and what a new session gets after a decision."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from store.db.claim_store import open_store
from store.memory_gate import run_memory_gate
from store.reads.locate import find_tenant
from store.reads.new_session import check_new_session

Outcome = tuple[int, dict[str, Any]]


def add_gating(commands: Any, common: Sequence[argparse.ArgumentParser]) -> None:
    """Add the command `gate` with its two kinds."""
    parser = commands.add_parser("gate", help="tests before memory is written, on made-up data; and what a new session gets", description="Tests before memory is written, run on made-up data; and what a new session gets after a decision.")
    kinds = parser.add_subparsers(dest="gate", required=True, metavar="GATE")
    memory_parser = kinds.add_parser("memory", parents=list(common), help="the four tests, in a scratch store with this store's policy")
    memory_parser.set_defaults(run=memory)
    session_parser = kinds.add_parser("session", parents=list(common), help="what a new session gets of what a record replaced, or of one out of use")
    session_parser.set_defaults(run=session)
    session_parser.add_argument("id", metavar="ID")


def memory(arguments: Namespace) -> Outcome:
    """Run the four tests and keep what they found; exit 1 if any fails."""
    found = run_memory_gate(open_store(arguments.db), arguments.person, arguments.tenant)
    return (0 if found["ok"] else 1), found


def session(arguments: Namespace) -> Outcome:
    """Look what a new session gets; exit 1 if something came back."""
    store = open_store(arguments.db)
    tenant = find_tenant(store, arguments.person, [arguments.id], arguments.tenant)
    found = check_new_session(store, arguments.person, tenant, arguments.id)
    if found is None:
        return 0, {"ok": True, "gone": [], "looks": [], "note": f"{arguments.id} is in use and replaced nothing, so there was nothing to look for."}
    return (0 if found.ok else 1), found.to_json()
