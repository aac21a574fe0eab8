"""What somebody of one tenant reads is the same to the byte whatever stands in another, before and after something is forgotten there."""

import inspect
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import store as desk_store
from store import (
    CASES_ONLY,
    CONFLICTS_ONLY,
    ONLY,
    PLAN_TABS,
    QUEUES,
    SOURCES_ONLY,
    TODAY_LISTS,
    ConflictSift,
    NeighbourSift,
    Plan,
    Question,
    Refusal,
    Sift,
    Verb,
    Wanted,
    Way,
    open_store,
)
from store.cli import main
from tests.apart import ERASED, HERE, MANY, MOMENT, NONE, frozen, make_stages
from tests.builders import Clock

#: An admin of acme, and on SQLite an agent too.
VIEWERS = {"sqlite": ("ravi", "bot"), "postgresql": ("ravi",)}
CLAIM, SOURCE, REPORT, STALE_ONE = "nav-2026-q3", "LARCH-Q3", "report-larch-q3", "guess-retry-report"
CONFLICT = "conflict-050fd45811-1"
REQUESTS = ("acme-deletion-1", "zulu-deletion-1", "nobody-knows-it")
QUESTION = Question("acme/api", "parcelwing/shipments", "key_lifetime_hours", at=None)
PLAN = Plan(Verb.REVOKE, (SOURCE,))
f = desk_store


def _rehearsals(s, who):
    return [row.id for row in f.list_rehearsals(s, who)]


def _two(s, who):
    found = _rehearsals(s, who)
    return found[0], found[1]


def _committed(s, who):
    return next(one["seq"] for one in f.list_events(s, who, tenant=HERE)["items"] if one["action"] == "revoke")


def _case(s, who):
    return next(row.id for row in f.list_corrections(s, who, only="all").rows)


#: Reads of the façade that leave nothing behind: name -> what is asked. `s` is the store, `w` who asks.
READS = {
    "check_new_session": lambda s, w: f.check_new_session(s, w, HERE, CLAIM),
    "check_record": lambda s, w: f.check_record(s, w, HERE, "brief-paragraphs"),
    "choose_in_group": lambda s, w: f.choose_in_group(s, w, HERE, [CONFLICT], Way("newest")),
    "compare_otherwise": lambda s, w: f.compare_otherwise(s, w, HERE, "nav"),
    "compare_rehearsals": lambda s, w: f.compare_rehearsals(s, w, HERE, *_two(s, w)),
    "compare_versions": lambda s, w: f.compare_versions(s, w, HERE, "REFUND-POLICY", 1, 2),
    "count_kept_backups": lambda s, w: f.count_kept_backups(s, w, HERE),
    "count_made": lambda s, w: f.count_made(s, w, HERE, {"extractor": "passage-reader"}),
    "count_open_corrections": lambda s, w: f.count_open_corrections(s, w),
    "count_waiting": lambda s, w: f.count_waiting(s, w),
    "describe_actor": lambda s, w: f.describe_actor(s, w),
    "describe_neighbour": lambda s, w: f.describe_neighbour(s, w, HERE, CLAIM),
    "describe_picks": lambda s, w: f.describe_picks(s, w, HERE, [CLAIM, SOURCE, "nobody"]),
    "events_of_import": lambda s, w: f.events_of_import(s, w, "import-1"),
    "explain_actions": lambda s, w: f.explain_actions(s, w, HERE, REPORT),
    "explain_path": lambda s, w: f.explain_path(s, w, HERE, PLAN, REPORT),
    "explain_ways": lambda s, w: f.explain_ways(s, w, f.look_around(s, w, HERE, REPORT, to="LARCH-Q3@1", up=None)),
    "find_deletion": lambda s, w: [_told(lambda s, w, one=one: f.find_deletion(s, w, one), s, w) for one in REQUESTS],
    "find_picks": lambda s, w: [f.find_picks(s, w, HERE, text) for text in ("larch", "refund")],
    "find_places": lambda s, w: f.find_places(s, w, HERE, CLAIM, "LARCH-Q3@1", "NAV"),
    "find_stale": lambda s, w: f.find_stale(s, w, HERE, STALE_ONE),
    "find_starts": lambda s, w: f.find_starts(s, w, HERE, "larch"),
    "find_subject": lambda s, w: f.find_subject(s, w, "parcelwing/shipments"),
    "find_tenant": lambda s, w: f.find_tenant(s, w, [CLAIM]),
    "find_words": lambda s, w: f.find_words(s, w, HERE, SOURCE, "LARCH-Q3@1", "NAV"),
    "foresee_group": lambda s, w: f.foresee_group(s, w, HERE, Plan(Verb.SETTLE, (CONFLICT,))),
    "foresee_passages": lambda s, w: f.foresee_passages(s, w, HERE, [CLAIM]),
    "foresee_verdicts": lambda s, w: f.foresee_verdicts(s, w, f.view_conflict(s, w, HERE, CONFLICT), {}),
    "latest_event": lambda s, w: f.latest_event(s, w, HERE),
    "list_backups": lambda s, w: f.list_backups(s, w),
    "list_candidates": lambda s, w: [f.list_candidates(s, w, Sift(only=only)) for only in ONLY],
    "list_case_owners": lambda s, w: f.list_case_owners(s, w, ["acme"]),
    "list_children": lambda s, w: f.list_children(s, w, HERE, CLAIM),
    "list_committers": lambda s, w: f.list_committers(s, w, HERE, _rehearsals(s, w)[0]),
    "list_compared": lambda s, w: f.list_compared(s, w, HERE, *_two(s, w), "affected", "both"),
    "list_conflicts_page": lambda s, w: [f.list_conflicts_page(s, w, ConflictSift(only=only)) for only in CONFLICTS_ONLY],
    "list_corrections": lambda s, w: [f.list_corrections(s, w, only=only) for only in CASES_ONLY],
    "list_corrections_of_event": lambda s, w: f.list_corrections_of_event(s, w, HERE, 5),
    "list_dates": lambda s, w: f.list_dates(s, w, HERE, [CLAIM, REPORT]),
    "list_decided": lambda s, w: f.list_decided(s, w, whole=True),
    "list_deletions": lambda s, w: f.list_deletions(s, w),
    "list_delivered": lambda s, w: f.list_delivered(s, w),
    "list_due": lambda s, w: f.list_due(s, w, "past"),
    "list_due_corrections": lambda s, w: f.list_due_corrections(s, w, 2**62),
    "list_events": lambda s, w: f.list_events(s, w),
    "list_export_copies": lambda s, w: f.list_export_copies(s, w, HERE),
    "list_governing": lambda s, w: f.list_governing(s, w, HERE),
    "list_grid": lambda s, w: f.list_grid(s, w, Sift(document="VENDOR-CALL@1")),
    "list_identities": lambda s, w: f.list_identities(s, w, HERE),
    "list_letter_picks": lambda s, w: [f.list_letter_picks(s, w, by=by, pairs=by == "source") for by in ("authority", "source")],
    "list_made": lambda s, w: f.list_made(s, w, HERE, {"extractor": "passage-reader"}),
    "list_messages": lambda s, w: f.list_messages(s, w, most=3),
    "list_my_questions": lambda s, w: f.list_my_questions(s, w),
    "list_neighbours": lambda s, w: f.list_neighbours(s, w, f.look_around(s, w, HERE, CLAIM), NeighbourSift()),
    "list_open_corrections": lambda s, w: f.list_open_corrections(s, w, HERE),
    "list_people_of": lambda s, w: f.list_people_of(s, w, HERE),
    "list_people_to_ask": lambda s, w: f.list_people_to_ask(s, w, HERE, "record", CLAIM),
    "list_predicates": lambda s, w: f.list_predicates(s, w, HERE),
    "list_questions_about": lambda s, w: f.list_questions_about(s, w, HERE, "record", CLAIM),
    "list_questions_of": lambda s, w: f.list_questions_of(s, w, HERE, "record", [CLAIM]),
    "list_proofs": lambda s, w: f.list_proofs(s, w),
    "list_queue": lambda s, w: [f.list_queue(s, w, queue) for queue in QUEUES],
    "list_recent_decisions": lambda s, w: f.list_recent_decisions(s, w),
    "list_rehearsals": lambda s, w: f.list_rehearsals(s, w),
    "list_saved_rows": lambda s, w: f.list_saved_rows(s, w, HERE, _rehearsals(s, w)[0]),
    "list_scopes": lambda s, w: f.list_scopes(s, w),
    "list_sources": lambda s, w: [f.list_sources(s, w, only=only, find=find) for only in SOURCES_ONLY for find in ("", "policy")],
    "list_stale": lambda s, w: f.list_stale(s, w),
    "list_tenants": lambda s, w: f.list_tenants(s, w),
    "list_today": lambda s, w: [f.list_today(s, w, which, week="past") for which in TODAY_LISTS],
    "list_unsorted": lambda s, w: f.list_unsorted(s, w, HERE),
    "load_plan_result": lambda s, w: f.load_plan_result(s, w, HERE, _committed(s, w)),
    "look_around": lambda s, w: f.look_around(s, w, HERE, CLAIM, up=None, down=None),
    "measure": lambda s, w: f.measure(s, w),
    "measure_exposure": lambda s, w: f.measure_exposure(s, w),
    "measure_extractors": lambda s, w: f.measure_extractors(s, w),
    "picture_around": lambda s, w: f.picture_around(s, w, f.look_around(s, w, HERE, CLAIM)),
    "preview_deletion": lambda s, w: f.preview_deletion(s, w, HERE, Wanted((CLAIM,))),
    "propose_verdicts": lambda s, w: f.propose_verdicts(s, w, HERE, [CONFLICT]),
    "read_version": lambda s, w: f.read_version(s, w, HERE, SOURCE, "LARCH-Q3@1"),
    "show_record": lambda s, w: [f.show_record(s, w, HERE, one) for one in (CLAIM, REPORT, "LARCH-Q3@1", STALE_ONE)],
    "suggest_further_places": lambda s, w: f.suggest_further_places(s, w, HERE, [CLAIM]),
    "suggest_picks": lambda s, w: f.suggest_picks(s, w, HERE),
    "suggest_questions": lambda s, w: f.suggest_questions(s, w, "acme/api"),
    "suggest_starts": lambda s, w: f.suggest_starts(s, w, HERE),
    "suggest_subjects": lambda s, w: [f.suggest_subjects(s, w, text) for text in ("", "par", "larch")],
    "take_span": lambda s, w: f.take_span(s, w, HERE, SOURCE, "LARCH-Q3@1", 0, 20),
    "verify_store": lambda s, w: f.verify_store(s, w),
    "view_answer_ground": lambda s, w: f.view_answer_ground(s, w, HERE, STALE_ONE),
    "view_candidate": lambda s, w: f.view_candidate(s, w, HERE, "brief-paragraphs"),
    "view_conflict": lambda s, w: f.view_conflict(s, w, HERE, CONFLICT),
    "view_correction": lambda s, w: f.view_correction(s, w, HERE, _case(s, w)),
    "view_deletion": lambda s, w: [_told(lambda s, w, one=one: f.view_deletion(s, w, HERE, one), s, w) for one in REQUESTS],
    "view_delivered": lambda s, w: f.view_delivered(s, w, HERE, REPORT),
    "view_due_weeks": lambda s, w: f.view_due_weeks(s, w),
    "view_meant": lambda s, w: f.view_meant(s, w, HERE, "goodwill-restated"),
    "view_message": lambda s, w: f.view_message(s, w, HERE, "told-larch-q2"),
    "view_people": lambda s, w: f.view_people(s, w, HERE),
    "view_person_held": lambda s, w: f.view_person_held(s, w, HERE, "person:lin-yue"),
    "view_policy": lambda s, w: f.view_policy(s, w, "acme"),
    "view_record": lambda s, w: [f.view_record(s, w, HERE, one) for one in (CLAIM, REPORT, "LARCH-Q3@1", STALE_ONE)],
    "view_rehearsal": lambda s, w: f.view_rehearsal(s, w, HERE, _rehearsals(s, w)[0]),
    "view_source": lambda s, w: f.view_source(s, w, HERE, "REFUND-POLICY"),
    "view_stale": lambda s, w: f.view_stale(s, w, HERE, STALE_ONE),
    "view_subject": lambda s, w: f.view_subject(s, w, HERE, "parcelwing/shipments"),
    "view_today": lambda s, w: f.view_today(s, w),
    "write_correction_report": lambda s, w: f.write_correction_report(s, w, HERE, _case(s, w)),
    "write_deletion_letter": lambda s, w: [_told(lambda s, w, one=one: f.write_deletion_letter(s, w, HERE, one), s, w) for one in REQUESTS],
    "write_letter": lambda s, w: f.write_letter(s, w, HERE, "call_notes"),
}
#: Those that are logged, remembered or registered; asked after the others.
LOGGED = {
    "ask_as": lambda s, w: f.ask_as(s, w, "bot", QUESTION),
    "search_as": lambda s, w: f.search_as(s, w, "bot", "refund", "acme/support"),
    "read_claims": lambda s, w: f.read_claims(s, w, QUESTION),
    "read_record": lambda s, w: f.read_record(s, w, HERE, CLAIM, Question("acme/funds")),
    "search_records": lambda s, w: [f.search_records(s, w, text, scope) for text in ("refund", "larch", "nav") for scope in ("acme/support", "acme/funds")],
    "preview_plan": lambda s, w: f.preview_plan(s, w, HERE, PLAN),
    "rehearse": lambda s, w: f.rehearse(s, w, HERE, PLAN),
    "list_plan_rows": lambda s, w: [f.list_plan_rows(s, f.rehearse(s, w, HERE, PLAN), tab) for tab in PLAN_TABS],
    "explain_plan_path": lambda s, w: f.explain_plan_path(s, f.rehearse(s, w, HERE, PLAN), REPORT),
    "check_rehearsal": lambda s, w: f.check_rehearsal(s, f.rehearse(s, w, HERE, PLAN)),
    "picture_of": lambda s, w: f.picture_of(f.rehearse(s, w, HERE, PLAN)),
    "list_recaptured": lambda s, w: f.list_recaptured(s, f.rehearse(s, w, HERE, PLAN)),
    "export_plan_csv": lambda s, w: f.export_plan_csv(s, f.rehearse(s, w, HERE, PLAN)),
    "export_plan_json": lambda s, w: f.export_plan_json(s, f.rehearse(s, w, HERE, PLAN)),
    "export_rehearsal_csv": lambda s, w: f.export_rehearsal_csv(s, w, HERE, _rehearsals(s, w)[0]),
    "export_rehearsal_json": lambda s, w: f.export_rehearsal_json(s, w, HERE, _rehearsals(s, w)[0]),
    "export_comparison_csv": lambda s, w: f.export_comparison_csv(s, w, HERE, *_two(s, w)),
    "export_comparison_json": lambda s, w: f.export_comparison_json(s, w, HERE, *_two(s, w)),
    "export_correction_csv": lambda s, w: f.export_correction_csv(s, w, HERE, _case(s, w)),
    "export_letter_csv": lambda s, w: f.export_letter_csv(s, w, f.write_letter(s, w, HERE, "call_notes")),
    "export_neighbours_csv": lambda s, w: f.export_neighbours_csv(s, w, f.look_around(s, w, HERE, CLAIM)),
    "export_rejections_csv": lambda s, w: f.export_rejections_csv(s, w, [("a.jsonl", 1, CLAIM, "bad_value", "No.")]),
    "export_sheet_csv": lambda s, w: f.export_sheet_csv(s, w),
    "write_message_file": lambda s, w: f.write_message_file(s, w, HERE, "told-larch-q2"),
}
#: Not asked here: what needs no store, draws pages of PDF files, or lists whom one may be before anybody is anybody.
APART = {
    "count_blockings", "draw_given_pages", "draw_page", "export_store", "list_people", "mail_settings", "parse_qualifiers", "rebind", "write_qualifiers",
}  # fmt: skip


def _told(ask, store, who):
    try:
        found = ask(store, who)
    except Refusal as refusal:
        return ["refused", refusal.code.value, refusal.message, frozen(refusal.details)]
    except (IndexError, StopIteration):
        return "nothing to ask about"
    return frozen(found)


def _everything(databases, stage, viewers):
    """What people of acme are told at a stage, as text."""
    with databases.new(stage) as url, TemporaryDirectory() as folder:
        store = open_store(url, now=Clock(MOMENT))
        store.now.pass_by(days=1)
        try:
            told = {f"{name} as {who}": json.dumps(_told(ask, store, who)) for who in viewers for name, ask in READS.items()}
            told |= {f"{name} as {who}": json.dumps(_told(ask, store, who)) for who in viewers for name, ask in LOGGED.items()}
            for form in ("bundle", "csv", "prov-json"):
                path = Path(folder, form)
                told[f"{form} of everything"] = json.dumps(frozen(f.export_store(store, "ravi", path, form=form))) + path.read_text("utf-8")
            again = ("list_events", "measure", "list_export_copies", "view_record", "list_sources")
            return told | {f"{name} once more": json.dumps(_told(READS[name], store, "ravi")) for name in again}
        finally:
            store.close()


def test_every_read_of_the_desk_is_in_the_list():
    reads = {
        name for name in desk_store.__all__
        if inspect.isfunction(one := getattr(desk_store, name)) and one.__module__.startswith(("store.reads", "store.handing_out"))
    }  # fmt: skip

    assert reads == {*READS, *LOGGED, *APART}


def test_no_read_tells_anything_of_another_tenant(databases, request):
    make_stages(databases)
    viewers = VIEWERS[request.node.callspec.params["databases"]]
    first = _everything(databases, NONE, viewers)
    refused = [name for name, told in first.items() if name.endswith("as ravi") and told.startswith(('["refused"', '"nothing'))]
    assert refused == ["list_backups as ravi"], "who administers one tenant sees no backup of the whole store"
    for stage in (MANY, ERASED):
        now = _everything(databases, stage, viewers)
        assert [name for name in first if now[name] != first[name]] == [], stage


COMMANDS = [
    ["events"], ["metrics"], ["verify"], ["read", "--scope", "acme/api", "--subject", "parcelwing/shipments", "--predicate", "key_lifetime_hours"],
    ["read", "--id", CLAIM, "--scope", "acme/funds"], ["search", "refund", "--scope", "acme/support"], ["show", CLAIM], ["show", "LARCH-Q3@1"],
    *(["queue", queue] for queue in QUEUES), ["blocked", REPORT], ["erase", "status", "acme-deletion-1"], ["messages", "list"], ["questions"],
    ["preview", "revoke", SOURCE], ["export", "--scope", "acme", "-o", "OUT"], ["export", "--format", "csv", "-o", "OUT"],
    ["export", "--format", "prov-json", "-o", "OUT"], ["events"],
]  # fmt: skip


def test_no_command_prints_or_writes_anything_of_another_tenant(sqlite_files, tmp_path, monkeypatch, capsys):
    make_stages(sqlite_files)
    clock = Clock(MOMENT)
    clock.pass_by(days=1)
    monkeypatch.setattr(open_store, "__defaults__", (clock,))
    out = tmp_path / "out"

    def printed(stage):
        with sqlite_files.new(stage) as url:
            found = []
            for words in COMMANDS:
                status = main(["--db", url, "--as", "ravi", "--json", *(str(out) if word == "OUT" else word for word in words)])
                found.append((words, status, capsys.readouterr().out, out.read_bytes() if "OUT" in words else b""))
            return found

    first = printed(NONE)
    assert [words for words, status, *_ in first if status] == []
    for stage in (MANY, ERASED):
        for before, after in zip(first, printed(stage), strict=True):
            assert after == before, stage
