"""Shared evidence from the request to the end: the passage goes, what was taken from it falls, everything else stays (R26)."""

from store import (
    Plan,
    Verb,
    Wanted,
    capture,
    compare_versions,
    keep_plan_file,
    preview_plan,
    read_version,
    run_deletion,
    view_candidate,
    view_record,
    view_source,
    view_stale,
)
from store.domain.forgetting import BLOT
from store.domain.renditions import render
from tests.builders import (
    TENANT,
    TEXT,
    accepted,
    ask,
    carry_out,
    claim,
    dump,
    evidence,
    failed_checks,
    find,
    given,
    is_sound,
    passage,
    revoking,
    show,
    source,
    statuses,
    told,
)
from tests.forgetting import asked_to_forget, foreseen, forgotten, refuse, surfaces
from tests.redacting import stored
from tests.rehearsing import save

NAV, LYON = "NAV at quarter end was 184,000,000 USD.", "The office is in Lyon."
BLOTS = BLOT * len(LYON)


def office(desk):
    """A on the office; B on the figure; C on both lines, D above C; W on the whole version; K waits on the office too."""
    both = TEXT[TEXT.index(NAV) :].rstrip("\n")
    given(
        desk, accepted("A", "in the old town of Lyon"), accepted("B", 184, quote=NAV), accepted("C", "x", evidence=[passage(both)]), accepted("D", "x", on="C"),
        accepted("W", "x", on="E1"), claim("K", "y"),
    )  # fmt: skip


def everything_shown(desk):
    """All a reviewer reads of the source and of what rests on it."""
    shown = [show(desk, id, "ana") for id in ("B", "C", "D", "W", "E1", "K")]
    shown += [repr(view_record(desk, "ana", TENANT, id)) for id in ("C", "K", "E1")]
    shown += [repr(view_source(desk, "ana", TENANT, "S1")), repr(read_version(desk, "ana", TENANT, "S1", "E1"))]
    return repr(shown)


def test_from_the_request_on_the_passage_is_hidden_and_only_what_was_taken_from_it_falls(desk):
    office(desk)
    kept = ("status", "version", "content_hash", "record")
    before = {id: {name: show(desk, id)[name] for name in kept} for id in ("B", "W")}
    asked_to_forget(desk, "A")

    assert statuses(desk, "A", "B", "C", "D", "W", "K", "E1") == {
        "A": "DELETION_PENDING", "B": "ACCEPTED", "C": "STALE", "D": "STALE", "W": "ACCEPTED", "K": "CANDIDATE", "E1": "ACCEPTED",
    }  # fmt: skip
    assert {id: {name: show(desk, id)[name] for name in kept} for id in ("B", "W")} == before
    assert LYON not in everything_shown(desk)
    assert "blotted out for the deletion request" in repr(view_stale(desk, "ana", TENANT, "C"))
    assert failed_checks(desk, "K") == ["source_bound"]
    assert told(desk, "subject-B") == ("OK", ["B"])
    assert is_sound(desk)


def test_whoever_looks_is_told_that_the_passage_is_blotted_out_rather_than_that_the_quote_is_wrong(desk):
    office(desk)
    asked_to_forget(desk, "A")

    passage_of_k = view_candidate(desk, "ana", TENANT, "K").passages[0].look
    assert (passage_of_k.ok, passage_of_k.blotted, passage_of_k.shown.passage, passage_of_k.occurs) == (False, True, BLOTS, ())
    text = read_version(desk, "ana", TENANT, "S1", "E1")
    assert text.misplaced == ()
    assert {one.id: one.blotted for one in text.claims.values()} == {"B": False, "C": True, "K": True}, "what is being deleted is not listed"


def test_the_reach_says_who_falls_and_that_nobody_does_where_the_passage_is_kept(desk):
    office(desk)
    seen = foreseen(desk, Wanted(("A",))).preview.to_json()
    assert {one["id"]: one["to"] for one in seen["affected"]} == {"A": "DELETION_PENDING", "C": "STALE", "D": "STALE"}
    kept = foreseen(desk, Wanted(("A",), keep_passages=("E1",))).preview.to_json()
    assert {one["id"]: one["to"] for one in kept["affected"]} == {"A": "DELETION_PENDING"}


def test_the_reach_is_worked_out_anew_after_something_happened_and_for_each_request_by_itself(desk):
    def reach(*ids, keep=()):
        return {one["id"]: one["to"] for one in foreseen(desk, Wanted(ids, keep_passages=keep)).preview.to_json()["affected"]}

    given(desk, accepted("A", "Lyon"), accepted("B", 184, quote=NAV))
    assert reach("A") == {"A": "DELETION_PENDING"}
    given(desk, accepted("C", "Lyon again"))
    assert reach("A") == {"A": "DELETION_PENDING", "C": "STALE"}
    assert reach("A", keep=("E1",)) == {"A": "DELETION_PENDING"}
    assert reach("A", "C") == {"A": "DELETION_PENDING", "C": "DELETION_PENDING"}
    assert reach("B") == {"B": "DELETION_PENDING"}
    carry_out(desk, revoking("C"))
    assert reach("A") == {"A": "DELETION_PENDING"}


def test_what_is_brought_in_while_a_request_is_worked_out_falls_with_it_too(desk, monkeypatch):
    given(desk, accepted("A", "Lyon"))
    at = desk.now

    def somebody_else_writes():
        monkeypatch.setattr(desk, "now", at)
        given(desk, accepted("C", "Lyon again"))
        return at()

    monkeypatch.setattr(desk, "now", somebody_else_writes)
    asked_to_forget(desk, "A")

    assert statuses(desk, "A", "C") == {"A": "DELETION_PENDING", "C": "STALE"}
    assert is_sound(desk)


def test_what_was_forgotten_is_blotted_out_of_everything_that_stays(desk):
    given(desk, {**evidence("S1@2", text=f"Preface.\n{TEXT}"), "version": 2})
    office(desk)
    save(desk, revoking("C"))
    request = forgotten(desk, "A")

    assert surfaces(desk, request)["evidence"] == "done"
    content, _, _, _ = stored(desk, "E1")
    assert content.decode() == TEXT.replace(LYON, BLOTS)
    assert stored(desk, "S1@2")[0].decode() == f"Preface.\n{TEXT}".replace(LYON, BLOTS)
    assert [one["quote"] for one in show(desk, "C")["record"]["evidence"]] == [f"{NAV}\n{BLOTS}"]
    assert LYON not in repr(dump(desk))
    assert statuses(desk, "B", "C", "W") == {"B": "ACCEPTED", "C": "STALE", "W": "ACCEPTED"}
    assert find(desk, "subject-B") == ["B"]
    assert is_sound(desk)


def test_a_refused_request_shows_the_passage_again_and_what_fell_has_to_be_confirmed(desk):
    office(desk)
    request = asked_to_forget(desk, "A")
    refuse(desk, request)

    assert statuses(desk, "A", "B", "C") == {"A": "STALE", "B": "ACCEPTED", "C": "STALE"}
    assert LYON in everything_shown(desk)
    assert stored(desk, "E1")[0].decode() == TEXT
    assert is_sound(desk)


def test_two_requests_for_words_that_overlap_are_carried_out_one_after_the_other(desk):
    office(desk)
    given(desk, accepted("L", "where it is", quote="office is in Lyon."))
    first, second = asked_to_forget(desk, "A"), asked_to_forget(desk, "C")
    run_deletion(desk, "adam", TENANT, second)
    assert NAV not in stored(desk, "E1")[0].decode()
    run_deletion(desk, "adam", TENANT, first)
    assert stored(desk, "E1")[0].decode() == TEXT.replace(LYON, BLOTS).replace(NAV, BLOT * len(NAV))
    assert statuses(desk, "B", "L") == {"B": "STALE", "L": "STALE"}
    assert is_sound(desk)


def test_a_source_whose_words_were_forgotten_compares_them_as_gone_and_never_brings_them_back(desk):
    office(desk)
    request = forgotten(desk, "A")
    assert request
    file = keep_plan_file(desk, "ana", TENANT, TEXT.encode(), name="again.txt", media_type="text/plain")
    plan = Plan(Verb.RECAPTURE, ("S1",), file=file.sha256, media_type="text/plain")
    verdicts = {one["id"]: one["verdict"] for one in preview_plan(desk, "ana", TENANT, plan).to_json()["passages"]}

    assert verdicts["B"] == "unchanged"
    assert verdicts["C"] in ("changed", "gone")
    assert verdicts["K"] in ("changed", "gone")
    seen = compare_versions(desk, "ana", TENANT, "S1", 1, None, file=file.sha256)
    assert all(LYON not in repr(one) for one in seen.fates if one.claim.id != "A")


def test_nobody_is_served_the_hidden_passage(desk):
    office(desk)
    given(desk, accepted("P", "z", evidence=[passage(f"{NAV}\n{LYON}")], subject="place", status="candidate"))
    asked_to_forget(desk, "A")
    assert find(desk, "Lyon") == []
    assert LYON not in repr([ask(desk, f"subject-{id}") for id in "BCDW"])


def test_a_newer_version_that_says_what_was_forgotten_is_known_again(desk):
    office(desk)
    given(desk, accepted("Y", "yes", evidence=[passage("one of the")]))
    forgotten(desk, "A")
    forgotten(desk, "Y")
    plain = capture(desk, "ana", TENANT, "S1", TEXT.replace(LYON, "The office moved.").encode(), name="x.txt")
    again = capture(desk, "ana", TENANT, "S1", f"{LYON} Really. «{LYON}»\nxThe office is in Lyon.x one of the".encode(), name="x.txt")

    assert "forgotten_before" not in plain
    assert again["forgotten_before"] == 2
    assert {one.version: one.again for one in view_source(desk, "ana", TENANT, "S1").versions} == {1: 0, 2: 0, 3: 2}
    assert LYON in stored(desk, again["id"])[0].decode(), "nothing is blotted out unasked"
    forgotten(desk, again["id"])
    assert LYON not in repr(dump(desk))
    given(desk, source("S5"), evidence("E5", "S5"))
    assert view_source(desk, "ana", TENANT, "S5").versions[0].again == 0, "another source is not compared"
    assert is_sound(desk)


def test_words_of_writings_without_spaces_are_known_again_within_a_sentence(desk):
    said = "该旅客患有糖尿病"
    text = f"记录：{said}，需低糖甜点。"
    given(desk, source("S7"), evidence("Z1", "S7", text), accepted("Z", "糖尿病", evidence=[passage(said, "Z1", text)]))
    forgotten(desk, "Z")
    assert capture(desk, "ana", TENANT, "S7", f"另一份文件也说{said}。".encode(), name="z.txt")["forgotten_before"] == 1


HTML = (
    '<html><head><title>Who eats what</title></head><body><h1>Diets</h1><p>Ana <b>eats no sugar</b>, being diabetic.</p>'
    '<!-- Ana eats no sugar, being diabetic. --><p title="Ben">Ben eats anything.</p></body></html>'
)
JSON = '{"people": [{"name": "Ana", "diet": "no sugar, being diabetic"}, {"name": "Ben", "diet": "anything"}], "count": 2}'


def at(pointer, evidence, quote):
    return {"evidence": evidence, "span": {"pointer": pointer}, "quote": quote}


def within(evidence, text, quote):
    return {"evidence": evidence, "span": {"start": text.index(quote), "end": text.index(quote) + len(quote)}, "quote": quote}


def test_passages_of_html_and_json_go_and_every_other_passage_still_holds(desk):
    text = render(HTML.encode(), "text/html").text
    said = "Ana eats no sugar, being diabetic."
    given(
        desk, source("W"), {**evidence("W1", "W", HTML), "media_type": "text/html"}, source("J"), {**evidence("J1", "J", JSON), "media_type": "application/json"},
        accepted("A", "x", evidence=[within("W1", text, said), at("/people/0/diet", "J1", '"no sugar, being diabetic"')]),
        claim("B", "y", evidence=[within("W1", text, "Ben eats anything."), at("/people/1/diet", "J1", '"anything"')]),
        claim("M", "y", evidence=[within("W1", HTML, '<p title="Ben">Ben eats')]), claim("N", 2, evidence=[at("/count", "J1", "2")]),
        claim("P", "y", evidence=[at("/people/0", "J1", '{"diet": "no sugar, being diabetic", "name": "Ana"}')]),
    )  # fmt: skip
    assert {id: failed_checks(desk, id) for id in "BMNP"} == {"B": [], "M": [], "N": [], "P": []}
    forgotten(desk, "A")

    assert {id: failed_checks(desk, id) for id in "BMNP"} == {"B": [], "M": [], "N": [], "P": ["source_bound"]}
    for id, before in (("W1", HTML), ("J1", JSON)):
        content, _, _, media_type = stored(desk, id)
        assert len(content.decode()) == len(before)
        assert "diabetic" not in content.decode()
        assert media_type in ("text/html", "application/json")
    assert "diabetic" not in repr(dump(desk))
    assert is_sound(desk)
