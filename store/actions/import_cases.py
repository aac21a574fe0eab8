"""What an import says of corrections."""

from __future__ import annotations

from store.actions.import_part import ImportPart
from store.db.case_lines import add_case, describe_entry
from store.db.corrections import find_case, find_case_sources
from store.db.records import find_numbers
from store.domain.errors import Code
from store.domain.people import Right


def take_corrections(part: ImportPart) -> None:
    """Add the cases of an export, with what happened in them, what fell and how each of that was settled."""
    tx = part.tx
    for line, entry in part.staging.corrections:
        if not part.owns(entry.scope):
            continue
        if not part.reviewed:
            part.staging.reject(line, entry.id, Code.NOT_ALLOWED, "corrections come in only with --reviewed.")
            continue
        sources = find_case_sources(tx.connection, tx.tenant, entry.sources)
        if not all(part.allows(Right.ADMINISTER, scope, line, entry.id, "a correction") for scope in sorted({entry.scope, *(one.scope for one in sources)})):
            continue
        known = find_case(tx.connection, tx.tenant, entry.id)
        if known is not None:
            if describe_entry(tx, tx.tenant, known) == entry:
                part.unchanged += 1
            else:
                part.staging.reject(line, entry.id, Code.OTHER_CONTENT, f"the correction {entry.id} is there with other content. It stays as it is.")
            continue
        records = find_numbers(tx.connection, tx.tenant, list(entry.fell))
        missing = [one for one in entry.sources if one not in {row.id for row in sources}] + [one for one in entry.fell if one not in records]
        if missing:
            part.staging.reject(line, entry.id, Code.MISSING_PARENT, f"it names {missing[0]}, which does not exist. Import that one first.")
            continue
        add_case(tx, entry, part.numbers.scope(entry.scope), sorted(row.number for row in sources), records)
