"""erase: asking that something be forgotten, carrying it out, looking how far it is, refusing it, settling what people answer for."""

from __future__ import annotations

import argparse
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from store.actions.forgetting import refuse_deletion, request_deletion, settle_surface
from store.commands.groups import open_group
from store.commands.usage import Usage, whole_from
from store.commands.words import read_time
from store.db.claim_store import ClaimStore, open_store
from store.domain.deletion_letter import write_plainly
from store.domain.errors import Code, Refusal
from store.domain.forgetting import FAILURE_SENTENCES, GROUNDS, SURFACE_WORD, Surface, SurfaceState, Wanted
from store.domain.times import format_optional
from store.erasing_run import find_residue, look_through, run_deletion
from store.reads.forgetting import DeletionView, SurfaceRow, find_deletion, preview_deletion, view_deletion, write_deletion_letter
from store.reads.locate import find_tenant

Outcome = tuple[int, dict[str, Any]]

#: A refusal on the command line may come without a reason; screens ask for one.
UNSAID = "no reason was given"


def add_residue(commands: Any, common: Sequence[argparse.ArgumentParser]) -> None:
    """Add the command `residue`."""
    text = "search every table and file of the store for words, one a line on standard input; tells places and numbers only"
    parser: argparse.ArgumentParser = commands.add_parser("residue", help=text, description=text, parents=list(common))
    parser.add_argument("--word-from-stdin", action="store_true", required=True, help="read the words from standard input, so that no list of processes shows them")
    parser.add_argument("--sweep", action="store_true", help="sweep out leftovers of erased rows first")
    parser.add_argument("--request", help="the deletion request whose verification this is, kept with it")
    parser.set_defaults(run=residue)


def residue(arguments: Namespace) -> Outcome:
    """Search the store for words."""
    words = [line.strip() for line in sys.stdin.read().splitlines() if line.strip()]
    if not words:
        raise Refusal(Code.BAD_VALUE, "No word was given. Nothing was searched. Give words on standard input, one a line.")
    store = open_store(arguments.db)
    about = None
    if arguments.request:
        about = (find_deletion(store, arguments.person, arguments.request, arguments.tenant), arguments.request)
    found = find_residue(store, arguments.person, words, sweep=arguments.sweep, verifies=about)
    return (1 if found["found"] else 0), found


def add_forgetting(commands: Any, common: Sequence[argparse.ArgumentParser]) -> None:
    """Add the command `erase` with what it can do."""
    text = "forget records everywhere: request, run, status, looked, refuse, settle, letter, receipt"
    add = open_group(commands, common, "erase", text)

    asking = add("request", "ask that records be forgotten; nothing of them is read from then on", request)
    asking.add_argument("ids", nargs="*", metavar="ID", help="records; a source means all its versions")
    asking.add_argument("--subject", metavar="S", help="everything held about a subject")
    asking.add_argument("--source", metavar="S", help="all versions of a source, and what was taken from them")
    asking.add_argument("--search", metavar="TEXT", help="what holds these words; lists it, and asks for it with --confirm")
    asking.add_argument("--confirm", action="store_true")
    asking.add_argument("--scope", help="only what lies in this scope")
    asking.add_argument("--except", dest="left_out", action="append", nargs="+", default=[], metavar="ID", help="found, but not meant")
    asking.add_argument("--keep-passages", action="append", nargs="+", default=[], metavar="EVIDENCE", help="passages there stay readable")
    asking.add_argument("--reason", required=True)
    asking.add_argument("--ground", choices=GROUNDS, default="other")
    asking.add_argument("--requester", metavar="WHO")
    asking.add_argument("--due", metavar="T")
    asking.add_argument("--owner", metavar="PERSON", help="who answers for the surfaces that people settle")
    asking.add_argument("--fingerprint", metavar="F", help="of the reach that was looked at; refused if it changed")
    asking.add_argument("--operation", metavar="ID")
    add("run", "erase, one surface after the other, and say of each that failed what to do; run again it goes on where it was", run).add_argument("request", metavar="REQUEST")
    add("status", "say how far every surface is", status).add_argument("request", metavar="REQUEST")
    add("letter", "write the letter to whoever asked, as plain text", letter).add_argument("request", metavar="REQUEST")
    add("receipt", "print the latest receipt", receipt).add_argument("request", metavar="REQUEST")
    looking = add("looked", "note that somebody looked at the texts that hold single words of it", looked)
    looking.add_argument("request", metavar="REQUEST")
    looking.add_argument("--word-from-stdin", action="store_true", help="blot out of all these texts the words on standard input, one a line")
    refusing = add("refuse", "refuse a request before erasing begins", refuse)
    refusing.add_argument("request", metavar="REQUEST")
    refusing.add_argument("--reason", default=UNSAID, help="kept with the request and told to whoever asked")
    refusing.add_argument("--operation", metavar="ID")
    settling = add("settle", "say what became of a surface that people answer for, or of a single copy", settle)
    settling.add_argument("request", metavar="REQUEST")
    settling.add_argument("surface", choices=[surface.value for surface in Surface], metavar="SURFACE")
    settling.add_argument("--copy", type=whole_from(0), default=0, metavar="N")
    by_hand = [SURFACE_WORD[state] for state in (SurfaceState.DONE, SurfaceState.KEPT, SurfaceState.FAILED, SurfaceState.UNSUPPORTED)]
    settling.add_argument("--state", choices=by_hand, required=True)
    settling.add_argument("--rule", metavar="NAME", help="under which something is kept")
    settling.add_argument("--until", metavar="T", help="when that lapses")
    settling.add_argument("--note")
    settling.add_argument("--operation", metavar="ID")


def _read_wanted(arguments: Namespace) -> Wanted:
    named = [(how, value) for how in ("subject", "source", "search") if (value := getattr(arguments, how)) is not None]
    if len(named) + bool(arguments.ids) != 1:
        raise Usage("name records, or --subject, --source or --search: one of them")
    left_out, keep = (tuple(one for some in given for one in some) for given in (arguments.left_out, arguments.keep_passages))
    if arguments.ids:
        return Wanted(tuple(dict.fromkeys(arguments.ids)), "record", None, arguments.scope, left_out, keep)
    how, value = named[0]
    return Wanted((), how, value, arguments.scope, left_out, keep)


def _find_tenant(arguments: Namespace, store: ClaimStore, wanted: Wanted) -> str:
    if arguments.tenant is None and wanted.scope is not None:
        return wanted.scope.split("/", 1)[0]
    ids = list(wanted.ids) or ([wanted.name] if wanted.found_by == "source" and wanted.name else [])
    return find_tenant(store, arguments.person, ids, arguments.tenant)


def request(arguments: Namespace) -> Outcome:
    """Ask that records be forgotten."""
    wanted = _read_wanted(arguments)
    store = open_store(arguments.db)
    tenant = _find_tenant(arguments, store, wanted)
    if wanted.found_by == "search":
        found = preview_deletion(store, arguments.person, tenant, wanted, rows=0)
        if not arguments.confirm:
            message = f"{len(found.targets):,} records hold these words. Nothing was asked for yet. Look at them, leave out with --except, then say --confirm."
            raise Refusal(Code.INCOMPLETE_PREVIEW, message, found=[{"id": one.id, "kind": one.kind, "status": one.status} for one in found.targets])
        wanted = Wanted(tuple(one.id for one in found.targets), "search", None, wanted.scope, wanted.left_out, wanted.keep_passages)
    return 0, request_deletion(
        store, arguments.person, tenant, wanted, reason=arguments.reason, ground=arguments.ground, requester=arguments.requester,
        due_at=read_time(arguments.due), owner=arguments.owner, seen=arguments.fingerprint, operation=arguments.operation,
    )  # fmt: skip


def run(arguments: Namespace) -> Outcome:
    """Erase what a request asks for."""
    store = open_store(arguments.db)
    tenant = find_deletion(store, arguments.person, arguments.request, arguments.tenant)
    result = run_deletion(store, arguments.person, tenant, arguments.request)
    # Places and numbers only; records that say the same are told by the status, to those who may see them.
    verification = {name: value for name, value in result["verification"].items() if name != "also_said"}
    for surface, sentence in result["failed"].items():
        print(f"{surface}: {sentence}", file=sys.stderr)
    return (1 if result["failed"] else 0), {**describe_status(view_deletion(store, arguments.person, tenant, arguments.request)), "verification": verification}


def status(arguments: Namespace) -> Outcome:
    """Say how far every surface of a request is."""
    store = open_store(arguments.db)
    tenant = find_deletion(store, arguments.person, arguments.request, arguments.tenant)
    return 0, describe_status(view_deletion(store, arguments.person, tenant, arguments.request))


def letter(arguments: Namespace) -> Outcome:
    """Write the letter to whoever asked."""
    store = open_store(arguments.db)
    tenant = find_deletion(store, arguments.person, arguments.request, arguments.tenant)
    return 0, {"letter": write_plainly(write_deletion_letter(store, arguments.person, tenant, arguments.request))}


def receipt(arguments: Namespace) -> Outcome:
    """Print the latest receipt of a request."""
    store = open_store(arguments.db)
    tenant = find_deletion(store, arguments.person, arguments.request, arguments.tenant)
    found = view_deletion(store, arguments.person, tenant, arguments.request).receipts
    if not found:
        raise Refusal(Code.NOT_FOUND, f"{arguments.request} has no receipt yet: some surface is open. Look at its status.")
    return 0, found[0].content


def looked(arguments: Namespace) -> Outcome:
    """Note that the texts with single words were looked at, and blot words out of them."""
    words = [line.strip() for line in sys.stdin.read().splitlines() if line.strip()] if arguments.word_from_stdin else []
    store = open_store(arguments.db)
    tenant = find_deletion(store, arguments.person, arguments.request, arguments.tenant)
    return 0, look_through(store, arguments.person, tenant, arguments.request, words)


def refuse(arguments: Namespace) -> Outcome:
    """Refuse a request before erasing begins."""
    store = open_store(arguments.db)
    tenant = find_deletion(store, arguments.person, arguments.request, arguments.tenant)
    return 0, refuse_deletion(store, arguments.person, tenant, arguments.request, arguments.reason, operation=arguments.operation)


def settle(arguments: Namespace) -> Outcome:
    """Say what became of a surface that people answer for."""
    store = open_store(arguments.db)
    tenant = find_deletion(store, arguments.person, arguments.request, arguments.tenant)
    return 0, settle_surface(
        store, arguments.person, tenant, arguments.request, arguments.surface, arguments.copy, arguments.state, rule=arguments.rule,
        until=read_time(arguments.until), note=arguments.note, operation=arguments.operation,
    )  # fmt: skip


def describe_status(view: DeletionView) -> dict[str, Any]:
    """Return a request as the command line prints it."""
    row = view.row
    return {
        "request": row.id, "state": row.state, "ground": row.ground, "due": format_optional(row.due_at), "entered_by": row.entered_by,
        "entered_at": format_optional(row.entered_at), "begun_at": format_optional(row.begun_at), "finished_at": format_optional(row.finished_at),
        "refused_by": row.refused_by, "targets": [{"id": one.id, "kind": one.kind, "status": one.status} for one in view.targets], "hidden": view.hidden,
        "surfaces": [_surface(one) for one in view.surfaces],
    }  # fmt: skip


def _surface(one: SurfaceRow) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": one.name, "state": one.state, "by": one.by, "at": format_optional(one.at), "until": format_optional(one.until), "rule": one.rule,
        "owner": one.owner, "found": one.found, **({} if one.failure is None else {"why": FAILURE_SENTENCES[one.failure], "kind": one.failure_kind}),
    }  # fmt: skip
    if one.n:
        found |= {"copy": one.n, "about": one.about}
    else:
        found["copies"] = [_surface(copy) for copy in one.copies]
    return found
