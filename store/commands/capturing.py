"""capture: taking in a file as a source or as a new version of one."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from store.actions.capture import Label, capture
from store.commands.words import read_time
from store.db.claim_store import open_store
from store.domain.errors import Code, Refusal
from store.domain.renditions import LONGEST_FILE, say_size
from store.domain.scopes import tenant_of
from store.reads.locate import find_tenant

Outcome = tuple[int, dict[str, Any]]


def read_file(name: str) -> bytes:
    """Return a file's bytes; of one that is too large only so much that it is found to be.

    Raises:
        Refusal: it cannot be read.
    """
    try:
        with Path(name).open("rb") as file:
            size = Path(name).stat().st_size
            if size > LONGEST_FILE:
                raise Refusal(Code.BAD_VALUE, f"{say_size(name, size)} Nothing was saved. Capture the part that is needed.")
            return file.read(LONGEST_FILE + 1)
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise Refusal(Code.NOT_FOUND, f"{name} was not read: {reason}. Nothing was saved. Check the name.") from None


def capture_file(arguments: Namespace) -> Outcome:
    """Take in a file."""
    content = read_file(arguments.file)
    store = open_store(arguments.db)
    tenant = tenant_of(arguments.scope) if arguments.scope else find_tenant(store, arguments.person, [arguments.source], arguments.tenant)
    label = Label(arguments.title, arguments.uri, arguments.authority, arguments.owner, arguments.family)
    found = capture(
        store, arguments.person, tenant, arguments.source, content, name=Path(arguments.file).name, media_type=arguments.media_type,
        encoding=arguments.encoding, captured_at=read_time(arguments.captured_at), scope=arguments.scope, label=label, operation=arguments.operation,
    )  # fmt: skip
    return 0, found
