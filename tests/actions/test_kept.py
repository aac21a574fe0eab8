"""What a policy lets be remembered: types, lifetimes, who approves, watched words (R2, R5; issue 5, triage)."""

import json

import pytest

from store import Approval, Sift, Terms, approve, change_policy, export_store, import_lines, list_grid, show_record, view_candidate, view_policy
from store.cli import main
from tests.builders import check, claim, encode, given, refused

PERSON = {"subject": "person:lea", "speaker": "lea", "claim_type": "preference"}
POLICY = {
    "type": "policy", "scope": "acme", "kept_types": ["fact", "preference"], "lifetimes": {"preference": 180}, "approvers": {"preference": ["ben"], "sensitive": ["carl"]},
    "sensitivities": ["sensitive"], "watch_words": {"other": {"en": ["project falcon"], "zh": ["猎鹰计划"]}},
}  # fmt: skip


def failing(desk, id, by="ana", terms=None):
    return {one["name"]: one["message"] for one in check(desk, id, by, terms)["checks"] if not one["ok"]}


def test_a_type_that_is_not_kept_cannot_be_approved_and_the_check_says_so(desk):
    given(desk, POLICY, claim("C1", claim_type="suggestion"))

    assert failing(desk, "C1") == {"claim_type": "Claims of the type suggestion are not kept here. Reject it as not worth keeping."}


def test_who_may_approve_a_type_or_what_is_marked_is_asked_by_the_check_it_belongs_to(desk):
    given(desk, POLICY, claim("LIKES", "tea", **PERSON), claim("SENSITIVE", "grey", sensitivity="sensitive"))

    assert failing(desk, "LIKES")["claim_type"].startswith("Claims of the type preference are approved by ben only, and Ana is not among them.")
    assert failing(desk, "LIKES", "ben") == {}
    assert list(failing(desk, "SENSITIVE", "ben")) == ["sensitivity"]
    assert failing(desk, "SENSITIVE", "carl") == {}
    with pytest.raises(Exception, match="approved by ben only"):
        approve(desk, "ana", "acme", "LIKES", Approval("read"))


def test_without_an_owner_or_an_end_nothing_is_accepted_and_the_usual_lifetime_is_told(desk):
    given(desk, POLICY, claim("C1", "tea", **PERSON, owner=None, review_at=None))

    found = failing(desk, "C1", "ben")
    assert found["owner"] == "Nobody owns it, so nobody would keep it right or remove it. Set an owner as a term."
    assert found["review_date"] == "It has neither an expiry nor a review date, so nothing would ever remove it. Set one as a term. Its type is usually kept for 180 days."


def test_the_lifetime_of_its_type_is_filled_in_by_the_usual_terms_where_it_has_no_end(desk):
    given(desk, POLICY, claim("C1", "tea", **PERSON, review_at=None), claim("DATED", "tea", **PERSON))

    view = view_candidate(desk, "ben", "acme", "C1")
    assert view.usual_sets == {"expires_at": "2026-12-28T00:00:00Z"}
    assert view.usual_failed == ()
    assert (view.suggestion.route, view.suggestion.asks, view.suggestion.days) == ("durable", ("scope", "expiry"), 180)
    assert view_candidate(desk, "ben", "acme", "DATED").usual_sets == {}

    approve(desk, "ben", "acme", "C1", Approval("read", view.usual))
    assert show_record(desk, "ana", "acme", "C1")["record"]["expires_at"] == "2026-12-28T00:00:00Z"


def test_a_tenants_own_words_flag_its_candidates_at_once_and_only_its_own(desk):
    given(desk, claim("C1", "Project Falcon ships in May."), claim("C2", "猎鹰计划五月上线"), claim("C3", "fine"))
    assert [row.row.flags for row in list_grid(desk, "ana", Sift()).rows] == [(), (), ()]

    change_policy(desk, "adam", "acme", "acme", {"watch_words": POLICY["watch_words"]}, "a new project")

    assert {row.row.id: row.row.flags for row in list_grid(desk, "ana", Sift(only="flagged")).rows} == {"C1": ("other",), "C2": ("other",)}
    view = view_candidate(desk, "ana", "acme", "C1")
    assert [(flag.field, flag.start, flag.end) for flag in view.flags] == [("value", 0, 14)]
    assert view.suggestion.route == "sensitive"


def test_a_policys_line_goes_out_and_comes_back_as_it_was(desk, tmp_path):
    given(desk, POLICY)
    target = tmp_path / "out.jsonl"
    export_store(desk, "operator", target, scope="acme")
    [line] = [one for one in map(json.loads, target.read_text("utf-8").splitlines()) if one["type"] == "policy"]

    assert line == POLICY
    assert import_lines(desk, "operator", encode([line]))["rejected"] == []
    assert view_policy(desk, "adam", "acme").own == {name: value for name, value in POLICY.items() if name not in ("type", "scope")}


@pytest.mark.parametrize(
    "bad",
    [
        {"kept_types": ["gossip"]}, {"kept_types": "fact"}, {"lifetimes": {"fact": 0}}, {"lifetimes": {"gossip": 3}}, {"lifetimes": [3]}, {"approvers": {"fact": "ana"}},
        {"approvers": {"gossip": ["ana"]}}, {"watch_words": {"health": ["x"]}},
    ],
)
def test_settings_of_no_use_are_refused_and_nothing_is_saved(desk, bad):
    given(desk)
    before = view_policy(desk, "adam", "acme").own

    with refused("bad_value", "Nothing was saved"):
        change_policy(desk, "adam", "acme", "acme", bad, "because")
    assert view_policy(desk, "adam", "acme").own == before


def told(desk, capsys, *words):
    status = main([*words, "--db", desk.url, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_the_command_line_shows_what_is_veiled_only_when_it_is_asked_to_reveal_it_and_logs_that(desk, capsys):
    given(desk, claim("KEY", "ghp_4kT9vQ2mXbL7nR1sYw8cZe5Ud3Ha6Jf0PgKi"), claim("PLAIN", "fine"))

    status, veiled = told(desk, capsys, "show", "KEY", "--as", "ana")
    assert (status, veiled["veiled"]) == (0, ["credential"])
    assert "ghp_" not in json.dumps(veiled)
    assert told(desk, capsys, "show", "PLAIN", "--as", "ana")[1]["record"]["value"] == "fine"

    status, shown = told(desk, capsys, "show", "KEY", "--reveal", "--as", "ana")
    assert shown["record"]["value"].startswith("ghp_")
    assert "veiled" not in shown
    assert told(desk, capsys, "show", "KEY", "--as", "ana")[1]["veiled"] == ["credential"]
    assert [(one["action"], one["actor"]) for one in told(desk, capsys, "events", "--as", "olga")[1]["items"]][-1] == ("reveal", "ana")
    assert told(desk, capsys, "show", "KEY", "--reveal", "--as", "bot")[0] == 1


def test_the_event_of_a_look_holds_nothing_of_what_was_seen(desk, capsys):
    given(desk, claim("KEY", "ghp_4kT9vQ2mXbL7nR1sYw8cZe5Ud3Ha6Jf0PgKi"))
    told(desk, capsys, "show", "KEY", "--reveal", "--as", "ana")

    assert "ghp_" not in json.dumps(told(desk, capsys, "events", "--as", "olga")[1])
    assert told(desk, capsys, "verify", "--as", "operator")[1]["ok"] is True


def test_terms_of_ones_own_stand_before_the_lifetime(desk):
    given(desk, POLICY, claim("C1", "tea", **PERSON, review_at=None))

    view = view_candidate(desk, "ben", "acme", "C1", Terms(review_at=1_800_000_000_000_000))
    assert view.usual_sets == {}
