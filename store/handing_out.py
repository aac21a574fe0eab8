"""Handing out files: each is registered before it appears, so that whoever holds a copy can be asked when something in it is to be forgotten.

Screens, the command line and agents take files from here only. A reader who merely looks makes none, and so writes nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from store.actions.copies import register_copies, withdraw_copies
from store.db.claim_store import ClaimStore
from store.db.engine import need_elsewhere
from store.domain.errors import Code, Refusal
from store.domain.handing_out import Handout
from store.reads import (
    correction_report,
    export,
    import_report,
    letter,
    messages,
    neighbour_rows,
    plan_rows,
    rehearsal_compare,
    rehearsal_rows,
    sheet,
)
from store.reads.letter import Letter
from store.reads.neighbourhood import Surroundings
from store.reads.plan_page import Rehearsal


def export_store(
    store: ClaimStore, person: str, path: Path, *, scope: str | None = None, form: str = "bundle", holder: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Write the store, or a scope of it, to a file and return `{"lines": n, "exports": tenant -> number}`; the file appears whole or not at all.

    It is written beside its place, registered, and only then put there.

    Args:
        holder: who will hold it, if not the person.

    Raises:
        Refusal: the person is no admin of what is asked for, or the file cannot be written.
    """
    need_elsewhere(store.url, path, store.ledger.path)
    part = path.with_name(path.name + ".part")
    registered: dict[str, int] = {}
    try:
        lines, carried = export.write_export(store, person, part, scope=scope, form=form, authenticated=authenticated)
        registered = register_copies(store, person, carried, form, name=path.name, scope=scope, holder=holder, authenticated=authenticated)
        part.replace(path)
    except OSError as error:
        withdraw_copies(store, person, registered, authenticated=authenticated)
        raise Refusal(Code.BUSY, f"{path} was not written: {error.strerror or 'the file cannot be written'}. Give another place.") from None
    finally:
        part.unlink(missing_ok=True)
    return {"lines": lines, "exports": registered}


def _hand_out(store: ClaimStore, person: str, made: Handout, form: str, name: str | None, scope: str | None, holder: str | None = None, *, authenticated: bool) -> bytes:
    register_copies(store, person, made.carried, form, name=name, scope=scope, holder=holder, authenticated=authenticated)
    return made.content


def export_plan_csv(store: ClaimStore, rehearsal: Rehearsal, *, name: str | None = None, authenticated: bool = False) -> bytes:
    """Return every affected record as CSV that a spreadsheet does not run, registered as an export; one line per record, and one that counts what is hidden."""
    made = plan_rows.export_plan_csv(store, rehearsal, authenticated=authenticated)
    return _hand_out(store, rehearsal.person, made, "preview-csv", name, None, authenticated=authenticated)


def export_plan_json(store: ClaimStore, rehearsal: Rehearsal, *, name: str | None = None, authenticated: bool = False) -> bytes:
    """Return the rehearsal with every affected record as one JSON document, registered as an export."""
    made = plan_rows.export_plan_json(store, rehearsal, authenticated=authenticated)
    return _hand_out(store, rehearsal.person, made, "preview-json", name, None, authenticated=authenticated)


def export_rehearsal_csv(store: ClaimStore, person: str, tenant: str, rehearsal_id: str, *, name: str | None = None, authenticated: bool = False) -> bytes:
    """Return what a rehearsal did when it was saved as CSV that a spreadsheet does not run, registered as an export."""
    made = rehearsal_rows.export_rehearsal_csv(store, person, tenant, rehearsal_id, authenticated=authenticated)
    return _hand_out(store, person, made, "rehearsal-csv", name, None, authenticated=authenticated)


def export_rehearsal_json(store: ClaimStore, person: str, tenant: str, rehearsal_id: str, *, name: str | None = None, authenticated: bool = False) -> bytes:
    """Return what a rehearsal did when it was saved as one JSON document, registered as an export."""
    made = rehearsal_rows.export_rehearsal_json(store, person, tenant, rehearsal_id, authenticated=authenticated)
    return _hand_out(store, person, made, "rehearsal-json", name, None, authenticated=authenticated)


def export_comparison_csv(
    store: ClaimStore, person: str, tenant: str, one: str, other: str, *, name: str | None = None, authenticated: bool = False
) -> bytes:
    """Return every record that either of two rehearsals changes as CSV that a spreadsheet does not run, registered as an export."""
    made = rehearsal_compare.export_comparison_csv(store, person, tenant, one, other, authenticated=authenticated)
    return _hand_out(store, person, made, "comparison-csv", name, None, authenticated=authenticated)


def export_comparison_json(
    store: ClaimStore, person: str, tenant: str, one: str, other: str, *, name: str | None = None, authenticated: bool = False
) -> bytes:
    """Return a comparison with every record of it as one JSON document, registered as an export."""
    made = rehearsal_compare.export_comparison_json(store, person, tenant, one, other, authenticated=authenticated)
    return _hand_out(store, person, made, "comparison-json", name, None, authenticated=authenticated)


def export_neighbours_csv(store: ClaimStore, person: str, around: Surroundings, *, name: str | None = None, authenticated: bool = False) -> bytes:
    """Return the whole neighbourhood as CSV that a spreadsheet does not run, registered as an export."""
    made = neighbour_rows.export_neighbours_csv(store, person, around, authenticated=authenticated)
    return _hand_out(store, person, made, "neighbourhood-csv", name, None, authenticated=authenticated)


def export_letter_csv(store: ClaimStore, person: str, found: Letter, *, name: str | None = None, authenticated: bool = False) -> bytes:
    """Return a letter's rows as CSV that a spreadsheet does not run, registered as an export."""
    return _hand_out(store, person, letter.export_letter_csv(found), "letter-csv", name, None, authenticated=authenticated)


def export_sheet_csv(
    store: ClaimStore, person: str, day: str | None = None, *, scope: str | None = None, by: str | None = None, action: str | None = None,
    name: str | None = None, authenticated: bool = False,
) -> bytes:  # fmt: skip
    """Return every row of a day's sheet as CSV that a spreadsheet shows and never runs, registered as an export; what is cut says so in the last line."""
    made = sheet.export_sheet_csv(store, person, day, scope=scope, by=by, action=action, authenticated=authenticated)
    return _hand_out(store, person, made, "decisions-csv", name, scope, authenticated=authenticated)


def export_correction_csv(
    store: ClaimStore, person: str, tenant: str, correction: str, *, name: str | None = None, authenticated: bool = False
) -> bytes:
    """Return the whole report of a correction as CSV that a spreadsheet shows and never runs, registered as an export."""
    made = correction_report.export_correction_csv(store, person, tenant, correction, authenticated=authenticated)
    return _hand_out(store, person, made, "correction-csv", name, None, authenticated=authenticated)


def export_rejections_csv(
    store: ClaimStore, person: str, rows: list[tuple[str, int, str | None, str, str]], *, name: str | None = None, authenticated: bool = False
) -> bytes:
    """Return (file, line, id, code, sentence) of lines that were not taken as CSV; registered where a line is about a record the store holds."""
    made = import_report.export_rejections_csv(store, person, rows, authenticated=authenticated)
    return _hand_out(store, person, made, "rejections-csv", name, None, authenticated=authenticated)


def write_message_file(store: ClaimStore, person: str, tenant: str, message: str, *, name: str | None = None, authenticated: bool = False) -> bytes:
    """Return a message as a mail file (.eml), for whoever sends it by other means; registered as an export that its recipient holds."""
    made, recipient = messages.write_message_file(store, person, tenant, message, authenticated=authenticated)
    return _hand_out(store, person, made, "eml", name, None, recipient, authenticated=authenticated)
