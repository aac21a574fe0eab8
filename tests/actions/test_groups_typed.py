"""The command line's words for settling groups and for changing comparisons."""

import json

import pytest

from store.cli import main
from tests.builders import TENANT, accepted, bring, conflicts, evidence, given, is_sound, passage, person, source, told


@pytest.fixture
def typed(desk, capsys):
    """Type words as somebody; the status and the one document on stdout."""
    given(desk, source("S2"), evidence("E2", "S2"), person("adam", "admin"))
    given(desk, *(accepted(f"{subject}{n}", n, subject=subject, evidence=[passage(evidence=f"E{n}")]) for subject in ("a", "b", "c") for n in (1, 2)))
    capsys.readouterr()

    def run(*words, by="ana"):
        status = main([*words, "--db", desk.url, "--as", by, "--json"])
        return status, json.loads(capsys.readouterr().out)

    return desk, run


def ids(store):
    return {one["subject"]: one["id"] for one in conflicts(store)}


def test_a_group_is_settled_by_a_rule_with_choices_and_exceptions(typed):
    desk, run = typed
    found = ids(desk)
    words = [*found.values(), "--verdict", "keep", "--prefer", "source=S2", "--others", "revoked", "--choose", f"{found['b']}=b1", "--except", found["c"]]
    status, seen = run("preview", "settle", *words)

    assert (status, seen["totals"]["settled"], seen["totals"]["left"]) == (0, 2, 1)
    status, done = run("commit", "settle", *words, "--fingerprint", seen["fingerprint"], "--reason", "checked")
    assert (status, done["settled"], done["left"]) == (0, 2, 1)
    assert told(desk, "a") == ("OK", ["a2"])
    assert told(desk, "b") == ("OK", ["b1"])
    assert set(ids(desk)) == {"c"}
    assert is_sound(desk)


def test_a_rule_that_is_none_says_so(typed):
    desk, run = typed
    assert run("preview", "settle", ids(desk)["a"], "--verdict", "keep")[1]["error"] == "bad_value"
    assert run("preview", "settle", ids(desk)["a"], "--verdict", "keep", "--prefer", "S2")[1]["error"] == "bad_value"
    assert run("preview", "settle", "nothing", "--verdict", "none")[1]["error"] == "not_found"


def test_a_comparison_is_changed_in_the_words_of_its_parts(typed):
    desk, run = typed
    words = ["says", "--scope", TENANT, "--compare", "number", "--tolerance", "100%"]
    assert run("preview", "compare", *words, by="adam")[1]["error"] == "bad_value"
    words = ["says", "--scope", TENANT, "--compare", "number", "--tolerance", "1", "--thresholds", "[2]", "--series", "yes", "--cardinality", "one", "--value-type", "number", "--order", "list"]
    status, seen = run("preview", "compare", *words, by="adam")

    assert (status, seen["comparison"]["closes"]) == (0, 3)
    assert run("preview", "compare", *words)[1]["error"] == "not_allowed"
    status, done = run("commit", "compare", *words, "--fingerprint", seen["fingerprint"], "--reason", "agreed", by="adam")
    assert (status, len(done["conflicts_dissolved"])) == (0, 3)
    assert run("preview", "compare", "says", "--scope", TENANT, "--tolerance", "none", by="adam")[1]["comparison"]["opens"] == 3
    assert run("preview", "compare", "says", "--scope", TENANT, "--tolerance", "much", by="adam")[1]["error"] == "bad_value"
    assert is_sound(desk)


def test_a_bundle_cannot_declare_a_predicate_again(typed):
    desk, _ = typed
    given(desk, {"type": "predicate", "scope": TENANT, "predicate": "says"})
    (wrong,) = bring(desk, {"type": "predicate", "scope": TENANT, "predicate": "says", "tolerance": {"absolute": 1}}, reviewed=True)["rejected"]

    assert (wrong["code"], "preview compare" in wrong["message"]) == ("other_content", True)
