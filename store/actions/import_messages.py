"""What an import says of messages and of how what went out was put right."""

from __future__ import annotations

from store.actions.import_part import ImportPart
from store.db.corrections import find_case
from store.db.message_lines import add_message, add_remedies, list_message_lines, list_remedy_lines
from store.db.records import find_numbers, load_cards
from store.domain.errors import Code
from store.domain.message_line import RemedyEntry
from store.domain.people import Right
from store.domain.status import Kind


def take_remedies(part: ImportPart) -> None:
    """Add how artifacts were put right, in the order of the lines."""
    wanted: dict[str, list[tuple[int, RemedyEntry]]] = {}
    for line, entry in part.staging.remedies:
        if part.owns(entry.scope) and _may(part, line, entry.artifact, entry.scope, "a remedy"):
            wanted.setdefault(entry.artifact, []).append((line, entry))
    if not wanted:
        return
    known: dict[str, list[RemedyEntry]] = {}
    for one in list_remedy_lines(part.tx.connection, part.tx.tenant):
        known.setdefault(one.artifact, []).append(one)
    for artifact, lines in wanted.items():
        entries = [entry for _, entry in lines]
        if artifact in known:
            if known[artifact] == entries:
                part.unchanged += len(entries)
            else:
                part.staging.reject(lines[0][0], artifact, Code.OTHER_CONTENT, f"{artifact} was put right otherwise here. It stays as it is.")
            continue
        names = sorted({artifact, *(one.edition for one in entries if one.edition is not None)})
        records = _need_artifacts(part, lines[0][0], artifact, names)
        if records is not None:
            add_remedies(part.tx, records[artifact], entries, records)


def take_messages(part: ImportPart) -> None:
    """Add the messages of an export with their states."""
    wanted = [(line, entry) for line, entry in part.staging.messages if part.owns(entry.scope) and _may(part, line, entry.id, entry.scope, "a message")]
    if not wanted:
        return
    tx = part.tx
    known = {entry.id: entry for entry, _ in list_message_lines(tx.connection, tx.tenant)}
    for line, entry in wanted:
        if entry.id in known:
            if known[entry.id] == entry:
                part.unchanged += 1
            else:
                part.staging.reject(line, entry.id, Code.OTHER_CONTENT, f"the message {entry.id} is there with other content. It stays as it is.")
            continue
        case = None if entry.correction is None else find_case(tx.connection, tx.tenant, entry.correction)
        records = find_numbers(tx.connection, tx.tenant, sorted({*entry.artifacts, *entry.names}))
        missing = [one for one in (*entry.artifacts, *entry.names) if one not in records]
        if entry.correction is not None and case is None:
            missing.append(entry.correction)
        if missing:
            part.staging.reject(line, entry.id, Code.MISSING_PARENT, f"it names {missing[0]}, which does not exist. Import that one first.")
            continue
        scopes = {card.scope for card in load_cards(tx.connection, tx.tenant, records.values()).values()}
        if all(part.allows(Right.ADMINISTER, scope, line, entry.id, "a message") for scope in sorted(scopes)):
            add_message(tx, entry, None if case is None else case.number, records)
            known[entry.id] = entry


def _may(part: ImportPart, line: int, name: str, scope: str, what: str) -> bool:
    if not part.reviewed:
        part.staging.reject(line, name, Code.NOT_ALLOWED, f"{what[2:]} lines come in only with --reviewed.")
        return False
    return part.allows(Right.ADMINISTER, scope, line, name, what)


def _need_artifacts(part: ImportPart, line: int, name: str, ids: list[str]) -> dict[str, int] | None:
    tx = part.tx
    records = find_numbers(tx.connection, tx.tenant, ids)
    missing = [one for one in ids if one not in records]
    if missing:
        part.staging.reject(line, name, Code.MISSING_PARENT, f"it names {missing[0]}, which does not exist. Import that one first.")
        return None
    cards = load_cards(tx.connection, tx.tenant, records.values())
    if any(card.kind is not Kind.ARTIFACT for card in cards.values()):
        part.staging.reject(line, name, Code.BAD_VALUE, "it names a record that is no artifact. Only artifacts go out.")
        return None
    return records if all(part.allows(Right.ADMINISTER, card.scope, line, name, "a remedy") for card in cards.values()) else None

