"""`python -m store [--db URL] COMMAND … [--as PERSON] [--tenant T] [--json]`: the same actions as the screens.

Exit status 0 done, 1 refused, 2 usage. With --json exactly one JSON document goes to stdout and messages to stderr.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from store.commands.meanings import give_meanings
from store.commands.output import print_result
from store.commands.usage import Usage, find_empty, say_misused, whole_from
from store.domain.errors import Refusal
from store.domain.messages import STATE_WORD
from store.domain.people import OPERATOR
from store.domain.periods import TRIGGERS
from store.domain.picking import MADE_BY
from store.domain.plans import STEPS, Answer, Verb
from store.domain.records import ROUTES
from store.domain.settling import NAMING, NEWEST, RULE_VERDICTS
from store.domain.values import COMPARISONS, VALUE_TYPES

DEFAULT_DB = "sqlite:///claimdesk.db"


def _common() -> argparse.ArgumentParser:
    """Return the options every command takes, before or after its name."""
    parser = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    parser.add_argument("--db", metavar="URL", help="the store (default: CLAIMDESK_DB, then sqlite:///claimdesk.db)")
    parser.add_argument("--as", dest="person", metavar="PERSON", help="who acts (default: CLAIMDESK_AS, then operator); proves nothing")
    parser.add_argument("--tenant", metavar="T", help="needed only where an id exists in several of your tenants")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _add(commands: Any, name: str, text: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text, parents=[_common()])
    parser.set_defaults(run=run)
    return parser


_ROOTS = {Verb.RESOLVE: "CONFLICT", Verb.SETTLE: "CONFLICT", Verb.COMPARE: "PREDICATE", Verb.RECAPTURE: "SOURCE"}


def _add_rule(plan: argparse.ArgumentParser) -> None:
    plan.add_argument("--verdict", choices=RULE_VERDICTS)
    plan.add_argument("--prefer", metavar="WAY=WHAT", help=f"which value stays: {', '.join(NAMING)} = a name; newest = {', '.join(NEWEST)}; independent = most")
    plan.add_argument("--others", choices=("superseded", "revoked"))
    plan.add_argument("--choose", action="append", default=[], metavar="CONFLICT=CLAIM", help="the claim that stays in one conflict")
    plan.add_argument("--except", dest="except_", action="append", default=[], metavar="CONFLICT")


def _add_comparison(plan: argparse.ArgumentParser) -> None:
    plan.add_argument("--scope", required=True)
    plan.add_argument("--compare", choices=COMPARISONS)
    plan.add_argument("--tolerance", metavar="0.01|1%|none")
    plan.add_argument("--thresholds", metavar="JSON", help='a list of numbers, or of {"at": number, "name": text}')
    plan.add_argument("--value-type", choices=VALUE_TYPES)
    plan.add_argument("--order", choices=("list", "set"))
    plan.add_argument("--cardinality", choices=("one", "many"))
    plan.add_argument("--series", choices=("yes", "no"))
    plan.add_argument("--about", choices=("thing", "person"))


def _add_plan(commands: Any, name: str, text: str, run: Any) -> None:
    parser = commands.add_parser(name, help=text, description=text)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="PLAN")
    for verb in Verb:
        plan = verbs.add_parser(verb.value, parents=[_common()])
        plan.set_defaults(run=run)
        plan.add_argument("roots", nargs="*" if verb in STEPS else "+", metavar=_ROOTS.get(verb, "ID"))
        if verb in STEPS or verb is Verb.RESOLVE:
            plan.add_argument("--made", action="append", nargs="+", default=[], metavar="WHAT=VALUE", help=f"pick by what made them: {', '.join(MADE_BY)}")
            plan.add_argument("--except", dest="except_", action="append", nargs="+", default=[], metavar="ID", help="picked, but left alone")
        if verb is Verb.ERASE:
            plan.add_argument("--keep-passages", action="append", nargs="+", default=[], metavar="EVIDENCE", help="passages there stay readable")
        if verb is Verb.SUPERSEDE:
            plan.add_argument("--by", required=True, metavar="NEW")
        if verb is Verb.RESOLVE:
            plan.add_argument("--verdict", required=True, choices=[answer.value for answer in Answer])
            plan.add_argument("--keep", metavar="ID")
            plan.add_argument("--other", action="append", default=[], metavar="ID=superseded|revoked")
            plan.add_argument("--narrow", action="append", default=[], metavar="ID:field=value,…")
            plan.add_argument("--subject", action="append", default=[], metavar="ID=SUBJECT")
        if verb is Verb.CONFIRM:
            plan.add_argument("--drop", action="append", nargs="+", default=[], metavar="PARENT")
            plan.add_argument("--add", action="append", nargs="+", default=[], metavar="PARENT[#start-end]")
            plan.add_argument("--replace", action="append", nargs="+", default=[], metavar="OLD=NEW")
        if verb is Verb.RECAPTURE:
            plan.add_argument("--file", metavar="F", help="its new content; without it, name a version that arrived and is not sorted")
            plan.add_argument("--media-type", metavar="T", help="what the file is, such as text/csv; by its ending otherwise")
            plan.add_argument("--encoding", metavar="E", help="of its text, where that cannot be told from the bytes")
            plan.add_argument("--values", metavar="FILE", help='JSON lines of new values: {"id": CLAIM, "value": …}, optionally span and quote')
        if verb is Verb.SETTLE:
            _add_rule(plan)
        if verb is Verb.COMPARE:
            _add_comparison(plan)
        if verb in (Verb.RESOLVE, Verb.SETTLE):
            plan.add_argument("--ask", metavar="PERSON", help="for unclear: who is asked, if not the owner of the conflict")
        if name == "preview":
            plan.add_argument("--explain", metavar="ID", help="print one full path from a root to this record")
        else:
            plan.add_argument("--fingerprint", required=True)
            plan.add_argument("--reason", required=True)
            plan.add_argument("--operation", metavar="ID")
            plan.add_argument("--owner", action="append", default=[], metavar="ID=PERSON")
            plan.add_argument("--waive", action="append", default=[], metavar="ID=REASON")


def _add_operating(commands: Any) -> None:
    from store.commands import operating

    init = _add(commands, "init", "create or migrate the store; with --sample, load the sample store", operating.init)
    init.add_argument("--sample", action="store_true")
    importing = _add(commands, "import", "import bundle files", operating.import_bundle)
    importing.add_argument("files", nargs="+", metavar="FILE")
    importing.add_argument("--reviewed", action="store_true", help="bring records in with the status they claim (admin)")
    importing.add_argument("--dry-run", action="store_true", help="say what would happen and write nothing")
    importing.add_argument("--scope", metavar="DEFAULT", help="the scope of lines that name none")
    importing.add_argument("--operation", metavar="ID")


def _add_capture(commands: Any) -> None:
    from store.commands import capturing

    taking = _add(commands, "capture", "take in a file as a source, or as a new version of one; nothing is fetched", capturing.capture_file)
    taking.add_argument("source", metavar="SOURCE")
    taking.add_argument("--file", required=True, metavar="F")
    taking.add_argument("--scope", metavar="S", help="where a new source belongs")
    taking.add_argument("--media-type", metavar="T", help="what the file is, such as text/csv; by its ending otherwise")
    taking.add_argument("--encoding", metavar="E", help="of its text, where that cannot be told from the bytes")
    taking.add_argument("--captured-at", metavar="TIME", help="when it was captured (default: now)")
    for name, text in (("title", "of a new source"), ("uri", "where it comes from: a label, nothing is fetched"), ("authority", "what kind of source it is"),
                       ("owner", "who answers for it"), ("family", "sources of one family count once")):  # fmt: skip
        taking.add_argument(f"--{name}", metavar="TEXT", help=text)
    taking.add_argument("--operation", metavar="ID")


def _add_export(commands: Any) -> None:
    from store.commands import exporting
    from store.reads.export import FORMATS

    export = _add(commands, "export", "write the store, or one scope, to a file", exporting.export)
    export.add_argument("--scope")
    export.add_argument("--format", choices=FORMATS, default="bundle")
    export.add_argument("-o", "--output", required=True, metavar="FILE")
    export.add_argument("--holder", metavar="WHO", help="who will hold the file, if not you; they are asked when something in it is to be forgotten")


def _add_looking(commands: Any) -> None:
    from store.commands import reading
    from store.reads.queues import QUEUES

    show = _add(commands, "show", "show one record", reading.show)
    show.add_argument("id", metavar="ID")
    show.add_argument("--at", metavar="TIME", help="world time, for validity and expiry")
    show.add_argument("--known-at", metavar="TIME", help="what the store knew then")
    show.add_argument("--reveal", action="store_true", help="show what is veiled; that is logged, and takes the right to see everything of its scope")
    queue = _add(commands, "queue", "list what waits", reading.queue)
    queue.add_argument("queue", choices=QUEUES)
    queue.add_argument("--scope")
    queue.add_argument("--limit", type=whole_from(1), default=50)
    queue.add_argument("--after", metavar="CURSOR")
    _add(commands, "check", "run the promotion checks of a candidate", reading.check).add_argument("id", metavar="ID")
    _add(commands, "blocked", "say what blocks an action", reading.blocked).add_argument("id", metavar="ID")


def _add_forgetting(commands: Any) -> None:
    from store.commands import forgetting

    forgetting.add_forgetting(commands, [_common()])


def _add_copies(commands: Any) -> None:
    from store.commands import copies

    copies.add_copies(commands, [_common()])


def _add_keeping(commands: Any) -> None:
    from store.commands import keeping

    keeping.add_keeping(commands, [_common()])


def _add_residue(commands: Any) -> None:
    from store.commands import forgetting

    forgetting.add_residue(commands, [_common()])


def _add_gating(commands: Any) -> None:
    from store.commands import gating

    gating.add_gating(commands, [_common()])


def _add_reading(commands: Any) -> None:
    from store.commands import reading

    reads = _add(commands, "read", "ask what may be believed", reading.read)
    for name in ("--scope", "--subject", "--predicate", "--purpose", "--at", "--task", "--id"):
        reads.add_argument(name)
    reads.add_argument("--qualifier", action="append", default=[], metavar="K=V")
    reads.add_argument("--limit", type=whole_from(1), default=50)
    search = _add(commands, "search", "find usable records by words", reading.search)
    search.add_argument("text", metavar="TEXT")
    search.add_argument("--scope", required=True)
    search.add_argument("--limit", type=whole_from(1), default=20)


def _add_planning(commands: Any) -> None:
    from store.commands import planning

    _add_plan(commands, "preview", "say what a plan would do; changes no record", planning.preview)
    _add_plan(commands, "commit", "carry out exactly what a preview showed", planning.commit)


def _add_events(commands: Any) -> None:
    from store.commands import reading

    events = _add(commands, "events", "list what happened", reading.events)
    events.add_argument("--record", metavar="ID")
    events.add_argument("--action", metavar="WORD", help="only these: reveal, for instance, lists who looked at what is veiled, and when")
    events.add_argument("--after", type=whole_from(0), default=0, metavar="SEQ")


def _add_checking(commands: Any) -> None:
    from store.commands import checking

    _add(commands, "verify", "check every invariant and the chain of events", checking.verify)


def _add_figures(commands: Any) -> None:
    from store.commands import reading

    metrics = _add(commands, "metrics", "the four figures of a trustworthy memory", reading.metrics)
    metrics.add_argument("--scope")


def _add_upkeep(commands: Any) -> None:
    from store.commands import checking

    _add(commands, "rebuild-index", "make the full-text index anew", checking.rebuild)
    lab = _add(commands, "lab", "the first article's experiment on a scratch store", checking.lab)
    lab.add_argument("--output", metavar="FILE")
    bench = _add(commands, "bench", "measure the speed goals on a synthetic store", checking.bench)
    bench.add_argument("--claims", type=whole_from(1), default=100_000)
    bench.add_argument("--only", action="append", default=[], metavar="GOAL")
    bench.add_argument("--postgresql", metavar="URL", help="an empty PostgreSQL database for the goals that need one")


def _add_deciding(commands: Any) -> None:
    from store.commands import deciding

    approve = _add(commands, "approve", "approve candidates, each on its own", deciding.approve)
    approve.add_argument("ids", nargs="+", metavar="ID")
    approve.add_argument("--reason", required=True)
    approve.add_argument("--seen", type=whole_from(0), metavar="VERSION")
    approve.add_argument("--terms", metavar="JSON", default="{}")
    how = approve.add_mutually_exclusive_group()
    how.add_argument("--replaces", metavar="OLD")
    how.add_argument("--open-conflict", action="store_true")
    approve.add_argument("--from", dest="from_date", metavar="DATE")
    approve.add_argument("--operation", metavar="ID")
    reject = _add(commands, "reject", "reject candidates by a route", deciding.reject)
    reject.add_argument("ids", nargs="+", metavar="ID")
    reject.add_argument("--route", required=True, choices=ROUTES)
    reject.add_argument("--reason", required=True)
    reject.add_argument("--seen", type=whole_from(0), metavar="VERSION")
    reject.add_argument("--operation", metavar="ID")
    amend = _add(commands, "amend", "change a candidate's content; you become a contributor", deciding.amend)
    amend.add_argument("id", metavar="ID")
    amend.add_argument("fields", nargs="+", metavar="FIELD=JSON")
    amend.add_argument("--seen", type=whole_from(0), metavar="VERSION")
    amend.add_argument("--operation", metavar="ID")
    reopen = _add(commands, "reopen", "take back your own decision of the last 15 minutes", deciding.reopen)
    reopen.add_argument("ids", nargs="+", metavar="ID")
    reopen.add_argument("--operation", metavar="ID")
    renew = _add(commands, "renew", "set a new review or expiry date", deciding.renew)
    renew.add_argument("ids", nargs="+", metavar="ID")
    renew.add_argument("--review-at", metavar="T")
    renew.add_argument("--expires-at", metavar="T")
    renew.add_argument("--operation", metavar="ID")


def _add_triggers(commands: Any) -> None:
    from store.commands import revalidating

    fire = _add(commands, "fire", "make records stale because something happened, with all that rests on them", revalidating.fire)
    fire.add_argument("name", choices=tuple(TRIGGERS), metavar=f"{{{','.join(TRIGGERS)}}}")
    fire.add_argument("ids", nargs="*", metavar="ID")
    for name in ("--scope", "--subject", "--owner"):
        fire.add_argument(name, help="everything accepted there instead of single records")
    dismiss = _add(commands, "dismiss", "dismiss a trigger of one record, with a reason", revalidating.dismiss)
    dismiss.add_argument("id", metavar="ID")
    dismiss.add_argument("name", choices=tuple(TRIGGERS), metavar=f"{{{','.join(TRIGGERS)}}}")
    for one in (fire, dismiss):
        one.add_argument("--reason", required=True)
        one.add_argument("--operation", metavar="ID")


def _add_asking(commands: Any) -> None:
    from store.commands import asking

    ask = _add(commands, "ask", "ask somebody about a record or a conflict", asking.ask)
    ask.add_argument("about", metavar="ID")
    ask.add_argument("text", metavar="TEXT")
    ask.add_argument("--of", dest="asked", required=True, metavar="PERSON")
    kind = ask.add_mutually_exclusive_group()
    kind.add_argument("--conflict", action="store_true", help="ID is a conflict's")
    kind.add_argument("--suspend", action="store_true", help="ID is a candidate: stop using what it differs from until the answer is in")
    ask.add_argument("--reason", help="with --suspend: why it is out of use meanwhile")
    ask.add_argument("--operation", metavar="ID")
    answer = _add(commands, "answer", "answer a question, or take one's own back", asking.answer)
    answer.add_argument("number", type=whole_from(1), metavar="NUMBER")
    how = answer.add_mutually_exclusive_group(required=True)
    how.add_argument("text", nargs="?", metavar="TEXT")
    how.add_argument("--withdraw", action="store_true")
    answer.add_argument("--operation", metavar="ID")
    _add(commands, "questions", "list the questions that concern you", asking.questions).add_argument("--scope")


def _add_delivering(commands: Any) -> None:
    from store.commands import delivering

    deliver = _add(commands, "deliver", "record that an artifact went to somebody", delivering.deliver)
    deliver.add_argument("id", metavar="ARTIFACT")
    deliver.add_argument("--to", required=True, metavar="RECIPIENT")
    deliver.add_argument("--channel", default="email")
    deliver.add_argument("--delivered-at", metavar="T")
    edition = _add(commands, "edition", "propose the next edition of an artifact", delivering.edition)
    edition.add_argument("id", metavar="ARTIFACT")
    edition.add_argument("--body", metavar="FILE", help="its text; that of the latest edition by default")
    edition.add_argument("--title")
    edition.add_argument("--parent", action="append", metavar="ID", help="what it rests on, once for each; as the latest edition by default")
    remedy = _add(commands, "remedy", "settle what becomes of a delivered artifact without a new edition", delivering.remedy)
    remedy.add_argument("id", metavar="ARTIFACT")
    how = remedy.add_mutually_exclusive_group(required=True)
    how.add_argument("--annotation", metavar="TEXT", help="told to everybody who holds it")
    how.add_argument("--none", metavar="BECAUSE")
    outbox = _add(commands, "messages", "draft, list, approve and send messages to whoever holds something that changed", delivering.messages)
    outbox.add_argument("what", choices=("list", "draft", "show", "eml", "approve", "send", "told", "seen", "arrived", "lost", "cancel"))
    outbox.add_argument("ids", nargs="*", metavar="MESSAGE")
    outbox.add_argument("--correction", metavar="CASE")
    outbox.add_argument("--event", type=whole_from(1), action="append", metavar="SEQ")
    outbox.add_argument("--state", choices=tuple(STATE_WORD.values()))
    outbox.add_argument("-o", "--output", default="message.eml", metavar="FILE")
    for command in (deliver, edition, remedy, outbox):
        command.add_argument("--operation", metavar="ID")


#: What adds which commands, in the order of the help.
_ADDERS: tuple[tuple[Callable[[Any], None], frozenset[str]], ...] = (
    (_add_operating, frozenset({"init", "import"})),
    (_add_capture, frozenset({"capture"})),
    (_add_export, frozenset({"export"})),
    (_add_looking, frozenset({"show", "queue", "check", "blocked"})),
    (_add_deciding, frozenset({"approve", "reject", "amend", "reopen", "renew"})),
    (_add_asking, frozenset({"ask", "answer", "questions"})),
    (_add_delivering, frozenset({"deliver", "edition", "remedy", "messages"})),
    (_add_triggers, frozenset({"fire", "dismiss"})),
    (_add_forgetting, frozenset({"erase"})),
    (_add_copies, frozenset({"copies"})),
    (_add_keeping, frozenset({"backup", "restore", "drill", "backups"})),
    (_add_residue, frozenset({"residue"})),
    (_add_gating, frozenset({"gate"})),
    (_add_reading, frozenset({"read", "search"})),
    (_add_planning, frozenset({"preview", "commit"})),
    (_add_events, frozenset({"events"})),
    (_add_checking, frozenset({"verify"})),
    (_add_figures, frozenset({"metrics"})),
    (_add_upkeep, frozenset({"rebuild-index", "lab", "bench"})),
)


def build_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of the command line: of the command these words begin with alone, else of the whole.

    A command brings in a part of the store; where it is known which is meant, the others stay away.
    """
    parser = argparse.ArgumentParser(prog="python -m store", description="Claimdesk's store on the command line.", parents=[_common()])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    wanted = _command_of(words)
    meant = [add for add, names in _ADDERS if wanted in names]
    for add in meant or [add for add, _ in _ADDERS]:
        add(commands)
    give_meanings(parser)
    return parser


def _command_of(words: Sequence[str]) -> str | None:
    """Return the first word that is no option of all commands and no value of one; None where the words are no good."""
    left = iter(words)
    for word in left:
        if not word.startswith("-"):
            return word
        if any(option.startswith(word) for option in ("--db", "--as", "--tenant")):
            next(left, None)
    return None


def _speak_as_the_terminal_can() -> bool:
    """Let what the terminal's encoding has no letters for be escaped; return whether that encoding knows every letter."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return (sys.stdout.encoding or "utf-8").lower().replace("-", "").startswith("utf")


def main(words: list[str]) -> int:
    """Run one command and return the exit status."""
    every_letter = _speak_as_the_terminal_can()
    arguments = build_parser(words).parse_args(words)
    if (empty := find_empty(arguments)) is not None:
        return say_misused(arguments.command, empty)
    arguments.db = getattr(arguments, "db", None) or os.environ.get("CLAIMDESK_DB") or DEFAULT_DB
    arguments.person = getattr(arguments, "person", None) or os.environ.get("CLAIMDESK_AS") or OPERATOR
    arguments.tenant = getattr(arguments, "tenant", None)
    arguments.json = getattr(arguments, "json", False)
    try:
        status, result = arguments.run(arguments)
    except Usage as wrong:
        return say_misused(arguments.command, str(wrong))
    except Refusal as refusal:
        result = {"error": refusal.code.value, "message": refusal.message, **refusal.details}
        status = 1
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        print("Stopped. Nothing of this command was saved unless it said so.", file=sys.stderr)
        return 130
    try:
        if arguments.json:
            print(json.dumps(result, ensure_ascii=not every_letter, sort_keys=False))
        else:
            print_result(arguments.command, result)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read along had enough, as `head` has: the command was carried out all the same.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return int(status)
