"""Of what is being forgotten, and of what is forgotten, no reader of the façade shows anything but the id and the status (R26)."""

import inspect

import pytest

import store as facade
from store import ConflictSift, Plan, Question, Refusal, Sift, StaleSift, Verb, Wanted
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    ask,
    carry_out,
    claim,
    decide,
    delivered,
    evidence,
    given,
    passage,
    source,
    suspending,
)
from tests.forgetting import asked_to_forget

SECRET = "quietwordthatmustgo"
TARGETS = ("CLM", "CND", "REJ", "ART", "EV", "ONE")
#: Readers whose names do not say that they read, and actions whose names say they do.
ALSO = {"measure", "rehearse", "picture_around", "look_around", "verify_store", "ask_as", "search_as", "write_letter", "write_correction_report", "write_message_file", "draw_page"}
READERS = ("list_", "view_", "find_", "show_", "suggest_", "describe_", "explain_", "count_", "search_", "read_", "compare_", "export_", "measure_", "check_", "load_", "preview_", "foresee_", "propose_verdicts", "recall_")


def secret(what):
    return f"{what} {SECRET}"


@pytest.fixture
def told_of(desk, tmp_path):
    """A store in which a claim, a candidate, a rejected one, a report and a version hold a word that is to be forgotten, with all that grew around them."""
    text = f"First line.\nThe note says {SECRET} here.\nLast line.\n"
    quote = f"The note says {SECRET} here."
    span = passage(quote, "EV", text)
    given(desk, source("SX"), evidence("EV", "SX", text), accepted("KEPT", "kept"), accepted("RIVAL", "other", subject="shared", predicate="is"))
    fields = {
        "statement": secret("statement"), "conditions": secret("conditions"), "speaker": secret("speaker"), "evidence": [span],
        "qualifiers": {"of": secret("qualifier")}, "task": secret("task"), "confirmed_by": secret("confirmer"), "authority": secret("authority"),
    }  # fmt: skip
    given(desk, claim("CLM", secret("value"), subject=f"person:{SECRET}", **fields), claim("CND", secret("other value"), subject=f"person:{SECRET}", **fields), reviewed=False)
    decide(desk, "CLM", reason=secret("approved because"))
    given(desk, accepted("BELOW", "kept too", on=["CLM", "KEPT"]))
    given(desk, claim("REJ", secret("rejected value"), **fields), reviewed=False)
    facade.reject(desk, "ana", TENANT, "REJ", "rejected", secret("rejected because"))
    given(desk, artifact("ART", "CLM", title=secret("title"), body=secret("body"), deliveries=[delivered(), delivered("lee")]))
    given(desk, accepted("TWIN", "another", subject=f"person:{SECRET}", scope="acme/api", **{**fields, "task": None, "evidence": [passage()]}))
    facade.ask(desk, "ana", TENANT, "record", "CND", secret("question"), "ben")
    ask(desk, f"person:{SECRET}", scope=TENANT, qualifiers={"of": secret("qualifier")}, task=secret("task"))
    facade.open_correction(desk, "ana", TENANT, "A correction", sources=["SX"])
    facade.save_rehearsal(desk, "ana", TENANT, Plan(Verb.REVOKE, ("CLM",)), "A rehearsal")
    facade.save_rehearsal(desk, "ana", TENANT, Plan(Verb.REVOKE, ("EV",)), "Another")
    event = carry_out(desk, suspending("CLM"), reason=secret("suspended because"))["event"]
    facade.draft_messages(desk, "ana", TENANT, events=[event])
    given(desk, *(accepted(id, secret(id), subject=f"person:{SECRET}", scope="acme/conflict", predicate=f"is {SECRET}", **{**fields, "task": None}) for id in ("ONE", "TWO")))
    conflict = next(one for one in facade.list_queue(desk, "ana", "conflicts")["items"] if one["scope"] == "acme/conflict")
    facade.ask(desk, "ana", TENANT, "conflict", conflict["id"], secret("conflicting"), "ben")
    return desk, conflict["id"]


def fill(desk, conflict, name, parameters, id, who, tmp_path):
    """Arguments for a reader by the names of its parameters; None where it needs what only another reader gives."""
    known = {
        "tenant": TENANT, "record_id": id, "source_id": "SX", "evidence_id": "EV", "artifact": id, "claim": id, "subject": f"person:{SECRET}", "scope": TENANT,
        "text": SECRET, "words": SECRET, "ids": [id], "records": [id], "abouts": [id], "kind": "record", "about": id, "source": "SX", "plan": Plan(Verb.REVOKE, ("KEPT",)),
        "question": Question(TENANT, f"person:{SECRET}", "says", {"of": secret("qualifier")}), "correction": "correction-SX", "identity": "ana", "path": tmp_path / "out",
        "seq": 4, "made": {"source": "SX"}, "which": "candidates", "queue": "candidates", "week": "2026-07-01", "by": 2**60, "older": 1, "newer": 1, "quote": secret("x"),
        "predicate": "says", "old_id": "KEPT", "name": "source_changed", "wanted": Wanted((id,)), "request": f"{TENANT}-deletion-1",
        "scopes": [TENANT], "to": "BELOW", "day": None, "rehearsal_id": "rehearsal-1", "one": "rehearsal-1", "other": "rehearsal-2", "message": "message-1", "conflict_id": conflict, "conflict": conflict, "what": "records", "pairs": (), "start": 0, "end": 20, "terms": None, "file": "0" * 64,
    }  # fmt: skip
    if any(one.name == "around" for one in parameters):
        known["around"] = facade.look_around(desk, who, TENANT, id, up=3, down=3)
        known["sift"] = facade.NeighbourSift()
    given_ = {}
    for one in parameters[2:]:
        if one.default is inspect.Parameter.empty:
            if one.name not in known:
                return None
            given_[one.name] = known[one.name]
        elif one.name in ("scope", "subject", "claim") and name not in ("list_events",):
            given_[one.name] = known[one.name]
    if name in ("list_candidates", "list_grid"):
        given_["sift"] = Sift()
    if name == "list_conflicts_page":
        given_["sift"] = ConflictSift()
    if name == "list_stale":
        given_ = {"sift": StaleSift()}
    return given_


SPECIAL = {"list_candidates", "list_grid", "list_conflicts_page"}


def readers():
    for name in facade.__all__:
        function = getattr(facade, name)
        if not inspect.isfunction(function) or not (name.startswith(READERS) or name in ALSO):
            continue
        parameters = list(inspect.signature(function).parameters.values())
        if [one.name for one in parameters[:2]] == ["store", "person"]:
            yield name, function, parameters


def look(desk, conflict, tmp_path, ids):
    """Everything any reader says of the ids, by reader; what it refuses with what it was asked taken out."""
    found, unasked = {}, []
    for name, function, parameters in readers():
        if name in SPECIAL:
            parameters = [one for one in parameters if one.name != "sift"]
        about_one = {"record_id", "artifact", "claim", "ids", "records", "abouts", "about", "wanted", "around"} & {one.name for one in parameters}
        for id in ids if about_one else ids[:1]:
            for who in ("operator", "ana"):
                arguments = fill(desk, conflict, name, parameters, id, who, tmp_path)
                if arguments is None:
                    unasked.append(name)
                    continue
                try:
                    said = function(desk, who, **arguments)
                except Refusal as refusal:
                    said = refusal.message.replace(f"person:{SECRET}", "").replace(SECRET, "") if "subject" in arguments or "text" in arguments else refusal.message
                said = repr(said)
                for file in tmp_path.iterdir():
                    said += file.read_text("utf-8", errors="replace")
                    file.unlink()
                found[name, id, who] = said
    return found, sorted(set(unasked))


#: Readers that repeat the words they were asked with.
ECHO = {"view_subject", "find_subject", "ask_as", "search_as", "suggest_questions", "find_words"}


def test_no_reader_shows_anything_of_what_is_being_forgotten(told_of, tmp_path):
    desk, conflict = told_of
    before, unasked = look(desk, conflict, tmp_path, ("CLM", "ART"))
    assert len(unasked) < 8, unasked
    assert len({name for (name, *_), said in before.items() if SECRET in said}) > 50
    asked_to_forget(desk, *TARGETS, "TWO", "TWIN", requester="them")
    found, _ = look(desk, conflict, tmp_path, TARGETS)
    shown = sorted({(name, who) for (name, _, who), said in found.items() if SECRET in said and name not in ECHO})
    assert shown == [], [said[max(0, said.index(SECRET) - 150) :][:220] for said in found.values() if SECRET in said][:5]
