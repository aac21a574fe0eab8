"""Single words of what was forgotten, found afterwards in texts that people typed elsewhere: each by chance or not, so somebody has to look."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.erase_map import ERASE_MAP
from store.db.erase_mentions import BLOTTED
from store.domain.mentions import Finder, texts_in

#: Tables that are no place to look: what living records say, which is theirs, how the tenant is run, what forgetting writes itself.
_NOT_THESE = frozenset({
    "record", "record_state", "claim", "artifact", "evidence", "evidence_content", "rendition", "binding", "contributor", "claim_key", "party", "replaced_content",
    "preview", "deletion_request", "deletion_target", "deletion_receipt", "redaction", "proof", "search_text",
})  # fmt: skip
#: Columns of those that hold no words of people.
_NOT_WORDS = frozenset({"mac_key", "fingerprint", "rows", "seen", "summary", "words", "hash", "signature", "sha256", "id", "operation", "operation_id"})
#: Texts kept as JSON, of which the names are the program's own.
_JSON = frozenset({"note", "terms", "carried", "plan", "settings", "result", "question", "former"})
#: Most rows that are named for each place.
_NAMED = 20


def places_to_look() -> dict[str, list[str]]:
    """Return table -> its columns in which people may have typed a word of something."""
    found: dict[str, list[str]] = {}
    for name, entry in ERASE_MAP.items():
        table, column = name.split(".")
        kept = table in ("export_copy", "backup_copy", "deletion_surface", "policy") and column in ("holder", "name", "note", "rule", "settings")
        if table in _NOT_THESE or column in _NOT_WORDS or (entry.surface is None and not kept):
            continue
        if isinstance(t.metadata.tables[table].c[column].type, sa.Text):
            found.setdefault(table, []).append(column)
    return found


def find_parts(connection: Connection, tenant: int, parts: frozenset[str]) -> dict[str, dict[str, Any]]:
    """Return place -> how many rows hold one of some single words, and the keys of the first of them; never a word."""
    finder, found = Finder(parts, frozenset()), dict[str, dict[str, Any]]()
    if not finder:
        return found
    for name, columns in places_to_look().items():
        table = t.metadata.tables[name]
        keys = [column for column in table.primary_key.columns if column.name != "tenant"]
        query = sa.select(*(column.label(f"key_{place}") for place, column in enumerate(keys)), *(table.c[column] for column in columns))
        for row in connection.execute(query.where(table.c.tenant == tenant).execution_options(yield_per=2000)):
            for column in columns:
                if finder.any_names(_typed(column, getattr(row, column))):
                    one = found.setdefault(f"{name}.{column}", {"n": 0, "rows": []})
                    one["n"] += 1
                    if len(one["rows"]) < _NAMED and all(isinstance(key, int) for key in row[: len(keys)]):
                        one["rows"].append(list(row[: len(keys)]))
    return found


def _typed(column: str, text: str | None) -> Iterator[str]:
    """Yield what people typed in a cell."""
    if not text or text == BLOTTED:
        return
    if column in _JSON:
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = text
        yield from _values(parsed)
    else:
        yield text


def _values(value: Any) -> Iterator[str]:
    """Yield the texts inside parsed JSON, without the names they stand under."""
    if isinstance(value, dict):
        for one in value.values():
            yield from _values(one)
    elif isinstance(value, list):
        for one in value:
            yield from _values(one)
    else:
        yield from texts_in(value)
