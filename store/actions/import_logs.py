"""What an import says of reads, of fired triggers, and of conflicts beyond the rule."""

from __future__ import annotations

from store.actions.import_part import ImportPart
from store.db.import_lookups import add_closed_conflict, add_read, adopt_open_conflict, load_known
from store.db.triggers import add_trigger
from store.domain.errors import Code
from store.domain.people import Right


def take_reads(part: ImportPart) -> None:
    """Add what tasks read to the read log."""
    tx = part.tx
    known = load_known(tx.connection, tx.tenant, {record for _, entry in part.staging.reads for record in entry.records})
    for line, entry in part.staging.reads:
        if part.staging.read_tenants[line] != tx.tenant_name:
            continue
        scope = entry.scope or next((known[record].scope for record in entry.records if record in known), tx.tenant_name)
        if not part.allows(Right.PROPOSE, scope, line, None, "a read"):
            continue
        missing = [record for record in entry.records if record not in known]
        if missing:
            part.staging.reject(line, None, Code.MISSING_PARENT, f"it names {missing[0]}, which does not exist. Import that one first.")
        else:
            add_read(tx, entry, known)


def take_conflicts(part: ImportPart) -> None:
    """Take what exported conflicts carry beyond the rule: verdicts, questions, owners, and those that are closed."""
    # Open ones first: the rule has just numbered them anew, and a closed one may bear the number they were given.
    for line, entry in sorted(part.staging.conflicts, key=lambda item: item[1].state == "closed"):
        if not part.owns(entry.scope):
            continue
        if not part.reviewed:
            part.staging.reject(line, entry.id, Code.NOT_ALLOWED, "verdicts come in only with --reviewed.")
        elif part.allows(Right.ADMINISTER, entry.scope, line, entry.id, "a conflict"):
            key = part.numbers.key(entry.scope, entry.subject, entry.predicate, entry.qualifiers)
            if entry.state == "open":
                adopt_open_conflict(part.tx, key, entry)
            elif not add_closed_conflict(part.tx, key, entry):
                part.unchanged += 1


def take_triggers(part: ImportPart) -> None:
    """Take the triggers that fired elsewhere; an import fires none itself, so that it changes no status (R21)."""
    tx = part.tx
    known = load_known(tx.connection, tx.tenant, {entry.record for _, entry in part.staging.triggers})
    for line, entry in part.staging.triggers:
        if not part.owns(entry.scope):
            continue
        if not part.reviewed:
            part.staging.reject(line, entry.record, Code.NOT_ALLOWED, "fired triggers come in only with --reviewed.")
        elif entry.record not in known:
            part.staging.reject(line, entry.record, Code.MISSING_PARENT, f"it fired for {entry.record}, which does not exist. Import that one first.")
        elif part.allows(Right.ADMINISTER, entry.scope, line, entry.record, "a trigger") and part.allows(
            Right.ADMINISTER, known[entry.record].scope, line, entry.record, "a trigger"
        ) and not add_trigger(tx, known[entry.record].number, entry):  # fmt: skip
            part.unchanged += 1
