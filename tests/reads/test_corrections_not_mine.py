"""What belongs to a scope or a tenant one may not see answers, in every part of a correction, as what is not there."""

import json
import re

import store as desk_store
from store import (
    Plan,
    Refusal,
    Verb,
    capture,
    commit_plan,
    draft_messages,
    fire_trigger,
    keep_plan_file,
    open_correction,
    preview_plan,
    save_rehearsal,
)
from tests import printed
from tests.builders import TENANT, accepted, artifact, bring, claim, delivered, evidence, given, passage, person, refused, source

HIDDEN = f"{TENANT}/hidden"
#: Stands in everything that is hidden, so that no list may hold it.
SECRET = "wolframite"

#: What is asked with an id of one kind: (kind, function of a store, who, tenant and an id).
ASKED = {
    "case": ("case", lambda s, who, t, id: desk_store.view_correction(s, who, t, id)),
    "report": ("case", lambda s, who, t, id: desk_store.write_correction_report(s, who, t, id)),
    "report as CSV": ("case", lambda s, who, t, id: desk_store.export_correction_csv(s, who, t, id)),
    "stale of a case": ("case", lambda s, who, t, id: desk_store.list_stale(s, who, correction=id)),
    "messages of a case": ("case", lambda s, who, t, id: desk_store.list_messages(s, who, correction=id)),
    "delivered of a case": ("case", lambda s, who, t, id: desk_store.list_delivered(s, who, correction=id)),
    "draft for a case": ("case", lambda s, who, t, id: draft_messages(s, who, t, correction=id)),
    "waive": ("case", lambda s, who, t, id: desk_store.waive(s, who, t, id, "step", "stop", "because")),
    "close": ("case", lambda s, who, t, id: desk_store.close_correction(s, who, t, id, "done")),
    "reopen": ("case", lambda s, who, t, id: desk_store.reopen_correction(s, who, t, id, "because")),
    "change": ("case", lambda s, who, t, id: desk_store.change_correction(s, who, t, id, {"title": "x"})),
    "add a source": ("case", lambda s, who, t, id: desk_store.add_source_to_correction(s, who, t, id, "S1")),
    "rehearsal": ("rehearsal", lambda s, who, t, id: desk_store.view_rehearsal(s, who, t, id)),
    "rows": ("rehearsal", lambda s, who, t, id: desk_store.list_saved_rows(s, who, t, id)),
    "compare": ("rehearsal", lambda s, who, t, id: desk_store.compare_rehearsals(s, who, t, id, id)),
    "rehearsal as CSV": ("rehearsal", lambda s, who, t, id: desk_store.export_rehearsal_csv(s, who, t, id)),
    "rehearsal as JSON": ("rehearsal", lambda s, who, t, id: desk_store.export_rehearsal_json(s, who, t, id)),
    "comparison as CSV": ("rehearsal", lambda s, who, t, id: desk_store.export_comparison_csv(s, who, t, id, id)),
    "committers": ("rehearsal", lambda s, who, t, id: desk_store.list_committers(s, who, t, id)),
    "hand over": ("rehearsal", lambda s, who, t, id: desk_store.hand_over(s, who, t, id, "ana", "because")),
    "refresh": ("rehearsal", lambda s, who, t, id: desk_store.refresh_rehearsal(s, who, t, id)),
    "remove": ("rehearsal", lambda s, who, t, id: desk_store.remove_rehearsal(s, who, t, id)),
    "rename": ("rehearsal", lambda s, who, t, id: desk_store.rename_rehearsal(s, who, t, id, "x")),
    "message": ("message", lambda s, who, t, id: desk_store.view_message(s, who, t, id)),
    "mail file": ("message", lambda s, who, t, id: desk_store.write_message_file(s, who, t, id)),
    "edit": ("message", lambda s, who, t, id: desk_store.edit_message(s, who, t, id, body="x")),
    "approve": ("message", lambda s, who, t, id: desk_store.approve_messages(s, who, t, [id])),
    "told": ("message", lambda s, who, t, id: desk_store.note_told(s, who, t, [id])),
    "cancel": ("message", lambda s, who, t, id: desk_store.cancel_messages(s, who, t, [id])),
    "delivered": ("artifact", lambda s, who, t, id: desk_store.view_delivered(s, who, t, id)),
    "deliver": ("artifact", lambda s, who, t, id: desk_store.record_delivery(s, who, t, id, "kim", "email")),
    "edition": ("artifact", lambda s, who, t, id: desk_store.propose_edition(s, who, t, id, derived_from=["E1"])),
    "remedy": ("artifact", lambda s, who, t, id: desk_store.note_remedy(s, who, t, id, "annotation", "x")),
    "source": ("source", lambda s, who, t, id: desk_store.view_source(s, who, t, id)),
    "text": ("source", lambda s, who, t, id: desk_store.read_version(s, who, t, id, "H1@1")),
    "difference": ("source", lambda s, who, t, id: desk_store.compare_versions(s, who, t, id, 1, 2)),
    "difference to a file": ("source", lambda s, who, t, id: desk_store.compare_versions(s, who, t, id, 1, None, file="0" * 64)),
    "span": ("source", lambda s, who, t, id: desk_store.take_span(s, who, t, id, "H1@1", 0, 3)),
    "words": ("source", lambda s, who, t, id: desk_store.find_words(s, who, t, id, "H1@1", "Net")),
    "unsorted": ("source", lambda s, who, t, id: desk_store.list_unsorted(s, who, t, source=id)),
    "recapture": ("source", lambda s, who, t, id: preview_plan(s, who, t, Plan(Verb.RECAPTURE, (id,), file=keep_plan_file(s, who, t, b"other words").sha256))),
    "open": ("source", lambda s, who, t, id: open_correction(s, who, t, "x", sources=[id])),
    "version's page": ("version", lambda s, who, t, id: desk_store.draw_page(s, who, t, id, 1)),
    "keep version": ("version", lambda s, who, t, id: desk_store.keep_version(s, who, t, id)),
    "text by version": ("version", lambda s, who, t, id: desk_store.read_version(s, who, t, "S1", id)),
    "span by version": ("version", lambda s, who, t, id: desk_store.take_span(s, who, t, "S1", id, 0, 3)),
    "stale": ("claim", lambda s, who, t, id: desk_store.view_stale(s, who, t, id)),
    "fire": ("claim", lambda s, who, t, id: fire_trigger(s, who, t, "project_ended", [id], "because")),
    "foresee": ("claim", lambda s, who, t, id: desk_store.foresee_trigger(s, who, t, "project_ended", [id])),
    "dismiss": ("claim", lambda s, who, t, id: desk_store.dismiss_trigger(s, who, t, id, "project_ended", "because")),
    "confirm": ("claim", lambda s, who, t, id: preview_plan(s, who, t, Plan(Verb.CONFIRM, (id,)))),
    "confirm on": ("claim", lambda s, who, t, id: preview_plan(s, who, t, Plan(Verb.CONFIRM, ("MINE",), add=(id,)))),
    "confirm on a passage": ("version", lambda s, who, t, id: preview_plan(s, who, t, Plan(Verb.CONFIRM, ("MINE",), add=(f"{id}#0-3",)))),
    "restore": ("claim", lambda s, who, t, id: preview_plan(s, who, t, Plan(Verb.RESTORE, (id,)))),
    "edition on": ("claim", lambda s, who, t, id: desk_store.propose_edition(s, who, t, "MYMEMO", derived_from=[id])),
    "events": ("event", lambda s, who, t, id: desk_store.list_corrections_of_event(s, who, t, id)),
    "result": ("event", lambda s, who, t, id: desk_store.load_plan_result(s, who, t, id)),
    "draft for an event": ("event", lambda s, who, t, id: draft_messages(s, who, t, events=[id])),
}  # fmt: skip
#: Lists, in which nothing of it may stand.
LISTED = {
    "cases": lambda s, who: desk_store.list_corrections(s, who),
    "open cases": lambda s, who: desk_store.list_open_corrections(s, who, TENANT),
    "due cases": lambda s, who: desk_store.list_due_corrections(s, who, 10**17),
    "rehearsals": lambda s, who: desk_store.list_rehearsals(s, who),
    "messages": lambda s, who: desk_store.list_messages(s, who),
    "delivered": lambda s, who: desk_store.list_delivered(s, who),
    "sources": lambda s, who: desk_store.list_sources(s, who),
    "exposure": lambda s, who: desk_store.measure_exposure(s, who),
    "extractors": lambda s, who: desk_store.measure_extractors(s, who),
    "stale": lambda s, who: desk_store.list_stale(s, who),
    "unsorted": lambda s, who: desk_store.list_unsorted(s, who, TENANT),
    "made": lambda s, who: desk_store.list_made(s, who, TENANT, {"extractor": f"{SECRET}-reader"}),
    "today": lambda s, who: desk_store.view_today(s, who),
}  # fmt: skip


def in_use(store):
    """Everything of a correction in a scope that `eve` may not see, under ids by kind; and something of her own."""
    given(
        store, person("nell", "reviewer", HIDDEN), person("eve", "reviewer", f"{TENANT}/open"), person("otto", "reviewer", "other"), source("H1", HIDDEN, title=SECRET),
        source("M1", f"{TENANT}/open"), evidence("ME", "M1"), accepted("MINE", scope=f"{TENANT}/open", evidence=[passage(evidence="ME")]),
        artifact("MYMEMO", "MINE", scope=f"{TENANT}/open"), source("HX", HIDDEN, title=SECRET),
    )  # fmt: skip
    capture(store, "nell", TENANT, "H1", printed.print_report(printed.FIRST), name="q2.pdf")
    given(store, accepted("HC", SECRET, scope=HIDDEN, derived_from=["H1@1"], evidence=[], extraction={"method": f"{SECRET}-reader", "version": "1"}))
    given(store, artifact("HM", "HC", scope=HIDDEN, title=SECRET, deliveries=[delivered(f"{SECRET}@example.org")]))
    case = open_correction(store, "nell", TENANT, SECRET, sources=["H1"], due_at=4 * 10**15)["correction"]
    plan = Plan(Verb.SUSPEND, ("H1",))
    saved = save_rehearsal(store, "nell", TENANT, Plan(Verb.REVOKE, ("H1",)), SECRET, correction=case)["rehearsal"]
    event = commit_plan(store, "nell", TENANT, plan, preview_plan(store, "nell", TENANT, plan).to_json()["fingerprint"], "because")["event"]
    message = draft_messages(store, "nell", TENANT)["drafted"][0]
    capture(store, "nell", TENANT, "H1", printed.print_report(printed.RESTATED), name="q2.pdf")
    return {
        "case": (case, "case-of-nobody"), "rehearsal": (saved, "rehearsal-99"), "message": (message, "message-99"), "artifact": ("HM", "NOBODY"), "source": ("H1", "NO1"),
        "version": ("H1@1", "NO1@1"), "claim": ("HC", "NOBODY"), "event": (event, 9_999),
    }  # fmt: skip


def answer(asked, store, who, id):
    """What comes back, with the id that was asked for and the number of an event taken out."""
    try:
        return re.sub(r"'event': \d+", "", repr(asked(store, who, TENANT, id)).replace(str(id), "ID"))
    except Refusal as refusal:
        return refusal.code, refusal.message.replace(str(id), "ID")


def test_what_one_may_not_see_answers_as_what_is_not_there_and_stands_in_no_list(desk):
    ids = in_use(desk)
    told = {}
    for name, (kind, asked) in ASKED.items():
        there, not_there = ids[kind]
        for who in ("eve", "otto"):
            found, missing = answer(asked, desk, who, there), answer(asked, desk, who, not_there)
            if found != missing:
                told[name, who] = (found[:300] if isinstance(found, str) else found, missing[:300] if isinstance(missing, str) else missing)
    assert not told, "\n".join(f"{name}: {one}" for name, one in told.items())
    assert [(name, who) for name, asked in LISTED.items() for who in ("eve",) if SECRET in repr(asked(desk, who))] == []


def test_nobody_reads_a_source_by_letting_a_proposal_rest_on_it(desk):
    in_use(desk)
    given(desk, evidence("HE", "HX", text=f"The {SECRET} mine is worth 42."), evidence("TOP", "S1", text="The office is in Lyon, says the top.", version=2))
    bound = [{"evidence": "HE", "span": {"start": 4, "end": 8}, "quote": "tung"}]
    mine = f"{TENANT}/open"

    for hidden, line in (("HE", claim("Y", evidence=bound, scope=mine)), ("HC", claim("Y", on="HC", scope=mine))):
        missing = json.loads(json.dumps(line).replace(hidden, "NOBODY"))
        (there,), (not_there,) = (bring(desk, one, by="eve")["rejected"] for one in (line, missing))
        assert (there["code"], there["message"].replace(hidden, "NOBODY")) == ("missing_parent", not_there["message"])
    bring(desk, claim("W", on="MINE", scope=mine), by="eve")
    for fields in ({"evidence": bound, "derived_from": []}, {"derived_from": ["HC"]}):
        with refused("missing_parent", "does not exist"):
            desk_store.amend(desk, "eve", TENANT, "W", fields)
    # What an ancestor of its scope holds, a record may rest on, and whoever decides on it sees the passage (R14).
    bring(desk, claim("Z", evidence=[{"evidence": "TOP", "span": {"start": 0, "end": 10}, "quote": "The office"}], scope=mine), by="eve")
    assert "says the top" in repr(desk_store.view_candidate(desk, "eve", TENANT, "Z").passages)
    # Who reads both may let it rest on it; who decides in one of them is not shown what lies in the other.
    given(desk, claim("V", evidence=bound, scope=mine), accepted("U", evidence=[{**bound[0], "quote": SECRET[:4]}], scope=mine), reviewed=True)
    assert "lies in a scope you may not read" in repr(desk_store.view_candidate(desk, "eve", TENANT, "V").passages)
    for asked in (desk_store.view_candidate, desk_store.view_record, desk_store.view_stale):
        for id in ("V", "U"):
            assert "mine is worth" not in answer(lambda s, who, t, one, ask=asked: ask(s, who, t, one), desk, "eve", id)
    with refused("not_found"):
        desk_store.find_places(desk, "eve", TENANT, "V", "HE", "mine")
