"""A person whom thousands of claims are about, said in shared chats: what is asked to be forgotten at size."""

from __future__ import annotations

import json
from typing import Any

from store.bench.texts import OWNERS, SCOPES

PERSON = "mara-lindqvist"
#: So many claims rest on one chat, each on its own line; every tenth line is about somebody else.
_LINES = 100


def person_lines(claims: int) -> list[bytes]:
    """Return bundle lines of `claims` accepted claims about the person and of the chats they were said in."""
    found: list[dict[str, Any]] = []
    for first in range(0, claims, _LINES):
        chat, some = f"chat-{first // _LINES}", range(first, min(first + _LINES, claims))
        said = [f"{n:05d} {PERSON if n % 10 else 'somebody else'} would rather have offer {n * 7919 % 100_003} than any other of the season." for n in some]
        found.append({"type": "source", "id": chat, "scope": SCOPES[1], "uri": f"chat://{chat}", "title": f"Chat {first // _LINES}"})
        captured = {"captured_at": "2025-03-01T00:00:00Z", "media_type": "text/plain", "content": "\n".join(said) + "\n"}
        found.append({"type": "evidence", "id": f"{chat}@1", "source": chat, "version": 1, **captured})
        begin = 0
        for n, line in zip(some, said, strict=True):
            found.append(
                {
                    "type": "claim", "id": f"M{n}", "scope": SCOPES[1], "subject": PERSON, "predicate": f"offer_{n % 40:02d}", "value": f"offer {n * 7919 % 100_003}",
                    "qualifiers": {"line": str(n)}, "statement": line, "evidence": [{"evidence": f"{chat}@1", "span": {"start": begin, "end": begin + len(line)}, "quote": line}],
                    "owner": OWNERS[1], "status": "reviewed", "review_at": "2035-01-01T00:00:00Z", "proposed_by": "agent-1",
                    "extraction": {"method": "reader", "version": "1"}, "entity_confidence": 0.99,
                }
            )  # fmt: skip
            begin += len(line) + 1
    return [json.dumps(line).encode() for line in found]
