"""What is flagged or marked is veiled on screens until somebody with the right asks to see it, which is logged (issue 5, triage)."""

import json

import pytest

from store import (
    Refusal,
    Sift,
    export_letter_csv,
    list_candidates,
    list_delivered,
    list_events,
    list_grid,
    read_version,
    reveal,
    search_as,
    show_record,
    veiling,
    view_candidate,
    view_delivered,
    view_record,
    view_subject,
    write_letter,
)
from store.domain.veiling import VEIL
from tests.builders import accepted, artifact, claim, delivered, evidence, given, passage, source

SECRET = "ghp_4kT9vQ2mXbL7nR1sYw8cZe5Ud3Ha6Jf0PgKi"
PERSON = {"subject": "person:lea", "speaker": "lea"}


@pytest.fixture
def store(desk):
    given(
        desk, claim("KEY", SECRET, statement=f"The token is {SECRET}."), claim("ILL", "has diabetes", **PERSON), claim("PLAIN", "fine"),
        claim("MARKED", "grey", sensitivity="sensitive"), accepted("KEPT", "takes insulin", statement="She takes insulin.", **PERSON),
        artifact("R1", "KEPT", body="She takes insulin."),
    )  # fmt: skip
    return desk


def told(one):
    return json.dumps(one, default=str, ensure_ascii=False)


@pytest.mark.parametrize("id_", ["KEY", "ILL", "MARKED"])
def test_a_flagged_or_marked_candidate_is_veiled_with_its_passage_and_everything_else_of_it_is_told(store, id_):
    with veiling():
        view = view_candidate(store, "ana", "acme", id_)

    assert view.veiled
    assert view.line["value"] == VEIL
    assert view.line["subject"] == view.title.split(" · ")[0]
    assert [one.look.shown for one in view.passages] == [None]
    assert not any(secret in told(view) for secret in (SECRET, "diabetes", "grey"))


@pytest.mark.parametrize("names", [{"subject": SECRET}, {"qualifiers": {"token": SECRET}}, {"qualifiers": {SECRET: "x"}}, {"speaker": f"bot with {SECRET}"}])
def test_what_is_flagged_in_a_name_is_veiled_where_the_record_is_looked_at(desk, names):
    given(desk, claim("NAMED", "fine", **names), claim("PLAIN", "fine"))
    with veiling():
        view = view_candidate(desk, "ana", "acme", "NAMED")
        seen = told([view, view_record(desk, "ana", "acme", "NAMED"), list_candidates(desk, "ana", Sift()), list_grid(desk, "ana", Sift())])
        assert not view_candidate(desk, "ana", "acme", "PLAIN").veiled

    assert view.veiled
    assert [seen[max(0, at - 160) : at] for at in range(len(seen)) if seen.startswith(SECRET, at)] == []


def test_without_a_screen_nothing_is_veiled_so_checks_and_agents_see_what_is_there(store):
    assert view_candidate(store, "ana", "acme", "KEY").line["value"] == SECRET
    assert show_record(store, "ana", "acme", "KEY")["record"]["value"] == SECRET


def test_lists_tables_and_records_are_veiled_too(store):
    with veiling():
        queue = list_candidates(store, "ana", Sift())
        grid = list_grid(store, "ana", Sift())
        record = view_record(store, "ana", "acme", "KEPT")
        paper = view_record(store, "ana", "acme", "R1")
        about = view_subject(store, "ana", "acme", "person:lea")
        found = search_as(store, "ana", "rita", "insulin", "acme")

    assert {row.id: row.value for row in queue.rows} == {"KEY": VEIL, "ILL": VEIL, "PLAIN": "fine", "MARKED": VEIL}
    assert [one["id"] for one in found.items] == ["KEPT", "R1"]
    for seen in (queue, grid, record, paper, about, found):
        assert not any(secret in told(seen) for secret in (SECRET, "diabetes", "takes insulin"))


def test_asking_to_see_is_an_event_that_names_the_record_and_not_what_is_in_it_and_shows_that_version_to_that_person_only(store):
    done = reveal(store, "ana", "acme", "KEY", seen=1)

    with veiling(frozenset({("acme", done["revealed"], done["version"])})):
        assert view_candidate(store, "ana", "acme", "KEY").line["value"] == SECRET
        assert view_candidate(store, "ana", "acme", "ILL").line["value"] == VEIL
    with veiling(frozenset({("acme", "KEY", 2)})):
        assert view_candidate(store, "ana", "acme", "KEY").line["value"] == VEIL
    [event] = [one for one in list_events(store, "olga", tenant="acme")["items"] if one["action"] == "reveal"]
    assert event["actor"] == "ana"
    assert [one["action"] for one in list_events(store, "olga", tenant="acme", record="KEY")["items"]].count("reveal") == 1
    assert [one["action"] for one in list_events(store, "olga", tenant="acme", record="ILL")["items"]].count("reveal") == 0


def test_who_audits_gets_a_list_of_everybody_who_looked_behind_a_veil_at_which_record_and_when(store):
    reveal(store, "ana", "acme", "KEY", seen=1)
    reveal(store, "ben", "acme", "ILL", seen=1, operation="look-2")

    looks = list_events(store, "olga", action="reveal")["items"]

    assert [(one["actor"], one["record"], one["version"]) for one in looks] == [("ana", "KEY", 1), ("ben", "ILL", 1)]
    assert not {"diabetes", SECRET} & {str(value) for one in looks for value in one.values()}
    assert "record" not in list_events(store, "olga", action="import")["items"][0]


def test_looking_behind_the_veil_takes_the_right_to_see_everything_of_the_scope(store):
    for person in ("rita", "bot"):
        with pytest.raises(Refusal) as refused:
            reveal(store, person, "acme", "KEPT")
        assert refused.value.code.value == "not_found"


def test_another_version_than_the_one_looked_at_is_not_shown(store):
    with pytest.raises(Refusal) as refused:
        reveal(store, "ana", "acme", "KEY", seen=7)

    assert refused.value.code.value == "changed_since_seen"


def test_a_passage_of_a_veiled_claim_is_blotted_in_the_text_of_its_source(desk):
    given(desk, claim("SAFE", quote="The endpoint accepts safe retries."), claim("MARKED", "Lyon", sensitivity="sensitive", evidence=[passage()]))

    with veiling():
        text = read_version(desk, "ana", "acme", "S1", "E1")
        page = view_record(desk, "ana", "acme", "E1")
    bare = read_version(desk, "ana", "acme", "S1", "E1")

    assert "Lyon" in told(bare)
    assert "Lyon" not in told(text)
    assert "The endpoint accepts safe retries." in told(text)
    assert "Lyon" not in (page.text.text or "")


def test_a_long_queue_is_looked_through_a_part_at_each_look_and_says_how_much_is_left_or_wholly_where_flagged_ones_are_asked_for(desk):
    given(desk, *(claim(f"C{n}", f"fine {n}") for n in range(700)), claim("ILL", "has diabetes", **PERSON))

    left = [list_candidates(desk, "ana", Sift(scope="acme")).unlooked for _ in range(3)]
    assert left == [401, 101, 0]
    assert list_candidates(desk, "ana", Sift()).counts["flagged"] == 1

    given(desk, *(claim(f"D{n}", f"fine {n}") for n in range(700)), claim("KEY2", SECRET))
    queue = list_candidates(desk, "ana", Sift(only="flagged"))
    assert ([row.id for row in queue.rows], queue.unlooked) == (["ILL", "KEY2"], 0)


def test_candidates_about_people_are_counted_and_listed_by_subject_and_by_what_their_predicate_is_about(store):
    given(
        store, {"type": "predicate", "scope": "acme", "predicate": "diet", "about": "person"}, claim("FISH", "no fish", subject="traveller-9", predicate="diet"),
        claim("ZED", "4", subject="Person:robot"), claim("PAR", "4", subject="personnel"),
    )  # fmt: skip

    queue = list_candidates(store, "ana", Sift(only="people"))

    assert ([row.id for row in queue.rows], queue.counts["people"], queue.whole["people"]) == (["ILL", "FISH"], 2, 2)
    given(store, claim("TEA", "tea", subject="person:ben"))
    assert list_candidates(store, "ana", Sift()).counts["people"] == 3


def test_what_went_out_is_veiled_in_its_list_and_on_its_page_and_no_new_edition_begins_with_a_veil(store):
    given(store, artifact("SENT", "KEPT", title=f"Token {SECRET}", body=f"It is {SECRET}.", deliveries=[delivered()]))
    with veiling():
        [row], paper = list_delivered(store, "ana").rows, view_delivered(store, "ana", "acme", "SENT")
    assert (row.title, paper.row.title, paper.body) == ("SENT", "SENT", VEIL)
    assert paper.veiled == ("credential",)
    assert SECRET not in told([row, paper])

    with veiling(frozenset({("acme", "SENT", paper.version)})):
        shown = view_delivered(store, "ana", "acme", "SENT")
    assert (shown.body, shown.veiled) == (f"It is {SECRET}.", ())


def test_a_letter_to_the_owner_of_a_source_is_veiled_with_its_passages_and_its_table(store):
    given(
        store, source("S2"), evidence("E2", "S2", text="She takes tablets."),
        accepted("OTHER", "takes tablets", subject="subject-KEPT", evidence=[passage("She takes tablets.", "E2", "She takes tablets.")], sensitivity="sensitive"),
        accepted("ONE", "takes insulin", subject="subject-KEPT", sensitivity="sensitive"),
    )  # fmt: skip
    with veiling():
        letter = write_letter(store, "ana", "acme", "S2", other="S1")
        table = export_letter_csv(store, "ana", letter).decode("utf-8-sig")
    [row] = letter.rows
    assert (row.theirs, row.passage, [value for value, _ in row.ours]) == (VEIL, VEIL, [VEIL])
    assert "takes" not in told(letter) + table
    assert write_letter(store, "ana", "acme", "S2", other="S1").rows[0].theirs == "takes tablets"
