"""The four tests before memory is written: what each does and retrieves, that none touches the real store, and that they can fail."""

import json

import pytest

from store import OPERATOR, list_proofs, run_memory_gate
from store.cli import main
from tests.builders import TENANT, accepted, dump, given, is_sound, person, refused

ONE_OFF, CORRECTION, OTHER, DELETION = (
    "a one-off stays out", "a correction wins in a new session", "another tenant reads nothing", "nothing comes back after deletion",
)  # fmt: skip


@pytest.fixture
def ruled(desk):
    """A store with records of its own and a policy that a made-up statement has to meet."""
    given(
        desk, accepted("real", "stays as it is"),
        {"type": "policy", "scope": TENANT, "entity_confidence": 1, "kept_types": ["constraint"], "approvers": {"constraint": ["carl"]}},
    )  # fmt: skip
    return desk


def test_the_four_tests_pass_under_the_real_policy_touch_no_record_and_are_kept_as_a_proof(ruled):
    before = {name: rows for name, rows in dump(ruled).items() if name in ("record", "claim", "history", "read_log", "deletion_request")}

    found = run_memory_gate(ruled, "adam", TENANT)

    tests = {test["name"]: test for test in found["tests"]}
    assert {name: test["ok"] for name, test in tests.items()} == dict.fromkeys((ONE_OFF, CORRECTION, OTHER, DELETION), True)
    assert found["ok"]
    assert tests[DELETION]["found"] == "nothing, the proposal refused, and the word in 0 places"
    assert "proposed again: refused, because it was forgotten before" in tests[DELETION]["retrieved"]
    assert found["engine"] == ("SQLite" if ruled.url.startswith("sqlite") else "PostgreSQL")
    assert any("gate-lasting" in look for look in tests[ONE_OFF]["retrieved"])
    assert not any(look.endswith("gate-once") for look in tests[ONE_OFF]["retrieved"])
    assert (tests[CORRECTION]["expected"], tests[CORRECTION]["found"]) == ("gate-new alone; gate-lasting names it as its successor",) * 2
    assert all(look.endswith(": nothing") for look in tests[OTHER]["retrieved"])
    assert "before, read: gate-to-forget" in tests[DELETION]["retrieved"]
    assert "in the restored backup, read: nothing" in tests[DELETION]["retrieved"]
    assert {name: rows for name, rows in dump(ruled).items() if name in before} == before
    (proof,) = list_proofs(ruled, "olga", kind="gate")
    assert (proof.tenant, proof.number, proof.person, proof.ok, proof.found["tests"]) == (TENANT, found["proof"], "adam", True, found["tests"])
    assert list_proofs(ruled, "ana", tenant=TENANT) == (proof,)
    assert list_proofs(ruled, "rita") == list_proofs(ruled, "adam", kind="drill") == list_proofs(ruled, "adam", tenant="elsewhere") == ()
    assert is_sound(ruled)


def test_a_policy_under_which_nobody_can_approve_fails_the_gate_and_says_why(desk, capsys):
    given(desk, {"type": "policy", "scope": TENANT, "approvers": {"preference": ["carl"], "normal": ["dora"]}})

    assert main(["--db", desk.url, "--json", "gate", "memory", "--as", "adam", "--tenant", TENANT]) == 1

    found = json.loads(capsys.readouterr().out)
    first = found["tests"][0]
    assert (found["ok"], first["ok"]) == (False, False)
    assert "refused:" in first["found"]
    assert not list_proofs(desk, "adam")[0].ok


def test_only_an_admin_of_the_tenant_runs_it(desk):
    given(desk, person("nora", "admin", "acme/api"))
    for who, code in (("ana", "not_allowed"), ("rita", "not_allowed"), ("olga", "not_allowed"), ("nora", "not_allowed")):
        with refused(code):
            run_memory_gate(desk, who, TENANT)
    with refused("not_found"):
        run_memory_gate(desk, "adam", "elsewhere")
    assert list_proofs(desk, OPERATOR) == ()
