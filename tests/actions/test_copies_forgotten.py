"""What a request to forget does about files that left the store, replicas and other logs: entries, notices to holders, and no trace."""

import pytest

from store import (
    Plan,
    Verb,
    Wanted,
    cancel_messages,
    change_policy,
    export_neighbours_csv,
    export_plan_csv,
    export_store,
    list_export_copies,
    list_messages,
    look_around,
    name_copy_holder,
    record_copy_destroyed,
    rehearse,
    request_deletion,
    run_deletion,
    settle_surface,
    view_deletion,
    view_message,
)
from tests.builders import TENANT, accepted, given, person, refused


@pytest.fixture
def chain(desk):
    given(desk, accepted("C1"), accepted("C2", on="C1"), accepted("X9", quote="NAV at quarter end was 184,000,000 USD."))
    return desk


def forget(store, *ids, who="adam"):
    request = request_deletion(store, who, TENANT, Wanted(ids), reason="asked", ground="asked_by_person")["request"]
    run_deletion(store, who, TENANT, request)
    return request


def surface(store, request, name="exports", who="adam"):
    return next(one for one in view_deletion(store, who, TENANT, request).surfaces if one.name == name)


def entries(store, request, name="exports"):
    return [(one.n, one.state, one.owner, one.about) for one in surface(store, request, name).copies]


def notices(store, who="adam"):
    return [row for row in list_messages(store, who).rows if row.asks_holder]


def test_without_a_file_that_carried_it_the_surface_is_done(chain, tmp_path):
    given(chain, accepted("Y1", scope="acme/web"))
    export_store(chain, "adam", tmp_path / "web.jsonl", scope="acme/web")
    request = forget(chain, "C2")

    assert (surface(chain, request).state, entries(chain, request), notices(chain)) == ("done", [], [])


def test_each_file_that_carried_it_waits_for_its_holder_who_is_asked_in_one_message(chain, tmp_path):
    export_store(chain, "adam", tmp_path / "one.jsonl", scope=TENANT, holder="kim@example.org")
    export_store(chain, "adam", tmp_path / "two.csv", scope=TENANT, form="csv", holder="kim@example.org")
    export_store(chain, "adam", tmp_path / "mine.jsonl", scope=TENANT)
    request = forget(chain, "C2")

    assert surface(chain, request).state == "open"
    assert entries(chain, request) == [(1, "open", "kim@example.org", 1), (2, "open", "kim@example.org", 2), (3, "open", "adam", 3)]
    told = {row.recipient: row for row in notices(chain)}
    assert sorted(told) == ["adam", "kim@example.org"]
    assert (told["kim@example.org"].address, told["kim@example.org"].state) == ("kim@example.org", "drafted")
    body = told["kim@example.org"].body
    assert "no. 1: an export as a bundle “one.jsonl”, made on 1 Jul 2026 at 09:00 UTC" in body
    assert "“two.csv”" in body
    assert told["adam"].body.startswith("Dear Adam,")
    assert told["adam"].subject == "Please destroy file no. 3: an export as a bundle, made on 1 Jul 2026"
    assert "mine.jsonl" not in body
    assert "C2" not in body
    run_deletion(chain, "adam", TENANT, request)
    assert len(notices(chain)) == 2


def test_when_every_holder_has_answered_the_surface_is_settled(chain, tmp_path):
    for name in ("one", "two", "three"):
        export_store(chain, "adam", tmp_path / f"{name}.jsonl", scope=TENANT)
    record_copy_destroyed(chain, "adam", TENANT, 3)
    request = forget(chain, "C2")
    assert [state for _, state, *_ in entries(chain, request)] == ["open", "open", "done"]

    assert record_copy_destroyed(chain, "adam", TENANT, 1)["requests"] == 1
    assert surface(chain, request).state == "open"
    settle_surface(chain, "adam", TENANT, request, "exports", 2, "kept", rule="tax law", until=2_000_000_000_000_000)
    found = surface(chain, request)
    assert (found.state, found.rule, found.until) == ("kept", "tax law", 2_000_000_000_000_000)
    run_deletion(chain, "adam", TENANT, request)
    assert [state for _, state, *_ in entries(chain, request)] == ["done", "kept", "done"]


def test_settling_the_last_open_copy_completes_the_request_with_its_receipt(chain, tmp_path):
    for name in ("one", "two"):
        export_store(chain, "adam", tmp_path / f"{name}.jsonl", scope=TENANT)
    request = request_deletion(chain, "adam", TENANT, Wanted(("C2",)), reason="asked", ground="asked_by_person")["request"]
    run_deletion(chain, "adam", TENANT, request)
    record_copy_destroyed(chain, "adam", TENANT, 1)
    assert view_deletion(chain, "adam", TENANT, request).receipts == ()

    record_copy_destroyed(chain, "adam", TENANT, 2)
    view = view_deletion(chain, "adam", TENANT, request)
    assert (view.row.state, view.reason, len(view.receipts)) == ("complete", None, 1)
    assert view.receipts[0].content["state"] == "complete"


def test_the_register_keeps_nothing_of_what_was_forgotten(chain, tmp_path):
    export_store(chain, "adam", tmp_path / "about-X9.jsonl", scope=TENANT)
    export_store(chain, "adam", tmp_path / "plain.jsonl", scope=TENANT)
    export_neighbours_csv(chain, "adam", look_around(chain, "adam", TENANT, "X9"), name="dependencies-X9.csv")
    export_plan_csv(chain, rehearse(chain, "adam", TENANT, Plan(Verb.REVOKE, ("X9",))), name="preview-0a1b2c3d.csv")
    request = forget(chain, "X9")

    assert [row.name for row in list_export_copies(chain, "adam", TENANT, request=request).rows] == ["preview.csv", None, "plain.jsonl", None]
    assert all("X9" not in row.body and "0a1b2c3d" not in row.body for row in notices(chain))


@pytest.mark.parametrize(("subject", "name"), [("person:zebedee-brown", "Zebedee.jsonl"), ("person:林月", "给林月的.csv"), ("Zebedee Brown", "for_brown_2.json")])
def test_a_file_called_after_what_it_told_has_no_name_any_more(chain, tmp_path, subject, name):
    given(chain, accepted("P1", subject=subject))
    for one in (name, "all-claims-2026.jsonl"):
        export_store(chain, "adam", tmp_path / one, scope=TENANT)
    request = forget(chain, "P1")

    assert [row.name for row in list_export_copies(chain, "adam", TENANT, request=request).rows] == ["all-claims-2026.jsonl", None]
    assert all(name not in row.body for row in notices(chain))


def test_only_who_administers_the_tenant_sees_and_settles_a_notice(chain, tmp_path):
    given(chain, person("dora", "admin", "acme/api"))
    export_store(chain, "adam", tmp_path / "one.jsonl", scope=TENANT, holder="Lee")
    forget(chain, "C2")
    (notice,) = notices(chain)

    for who in ("ana", "olga", "dora"):
        assert notices(chain, who) == []
        with refused("not_found"):
            view_message(chain, who, TENANT, notice.id)
    with refused("not_found"):
        cancel_messages(chain, "ana", TENANT, [notice.id])
    cancel_messages(chain, "adam", TENANT, [notice.id])
    assert view_message(chain, "adam", TENANT, notice.id).state == "cancelled"


def test_replicas_and_other_logs_are_listed_by_the_policy_of_the_tenant(chain, clock):
    request = forget(chain, "C2")
    assert [(surface(chain, request, name).state, surface(chain, request, name).note) for name in ("replicas", "logs")] == [("done", "the policy names none")] * 2
    places = [{"name": "standby", "owner": "ops", "days": 7}, {"name": "warehouse", "owner": "olga"}]
    change_policy(chain, "adam", TENANT, TENANT, {"replicas": places, "other_logs": places[:1]}, "as agreed")
    again = forget(chain, "X9")

    assert entries(chain, again, "replicas") == [(1, "kept", "ops", None), (2, "open", "olga", None)]
    assert surface(chain, again, "replicas").state == "open"
    found = surface(chain, again, "logs")
    assert (found.state, found.rule, found.until) == ("kept", "standby forgets after 7 days", clock.at + 7 * 24 * 60 * 60 * 1_000_000)
    clock.pass_by(days=8)
    settle_surface(chain, "adam", TENANT, again, "replicas", 2, "done")
    run_deletion(chain, "adam", TENANT, again)
    assert [surface(chain, again, name).state for name in ("replicas", "logs")] == ["done", "done"]


@pytest.mark.parametrize(
    "bad", ["x", [{"name": "a"}], [{"name": "a", "owner": "o", "days": 0}], [{"name": "a", "owner": "o"}] * 2, [{"name": "a", "owner": "o", "where": "x"}]]
)
def test_a_place_that_says_too_little_is_refused(chain, bad):
    with refused("bad_value"):
        change_policy(chain, "adam", TENANT, TENANT, {"replicas": bad}, "as agreed")


def test_a_holder_named_later_is_who_is_asked(chain, tmp_path):
    export_store(chain, "adam", tmp_path / "one.jsonl", scope=TENANT)
    name_copy_holder(chain, "adam", TENANT, 1, "ben")
    forget(chain, "C2")

    assert [row.recipient for row in notices(chain)] == ["ben"]
