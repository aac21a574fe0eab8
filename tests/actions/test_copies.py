"""Every file that leaves the store is registered before it appears: who made it, who holds it, what it carried."""

import json

import pytest

from store import (
    OPERATOR,
    Plan,
    Refusal,
    Verb,
    export_letter_csv,
    export_neighbours_csv,
    export_plan_csv,
    export_plan_json,
    export_sheet_csv,
    export_store,
    list_events,
    list_export_copies,
    look_around,
    name_copy_holder,
    record_copy_destroyed,
    rehearse,
    write_letter,
)
from store.actions.copies import register_copies
from store.cli import main
from store.reads.export import write_export
from tests.builders import TENANT, accepted, artifact, claim, delivered, given, person, refused, source


def copies(store, who="adam", tenant=TENANT, **asked):
    return list_export_copies(store, who, tenant, **asked)


def named(found):
    return [(row.format, row.name, row.records, row.lines) for row in found.rows]


@pytest.fixture
def chain(desk):
    given(desk, accepted("C1"), accepted("C2", on="C1"), artifact("A1", "C2", deliveries=[delivered()]), claim("N1", scope="acme/api"))
    return desk


def test_an_export_is_registered_with_who_made_it_who_holds_it_and_what_it_carried(chain, tmp_path):
    made = export_store(chain, "adam", tmp_path / "all.jsonl", scope=TENANT, holder="Kim of Finance")
    found = copies(chain)

    (row,) = found.rows
    assert (found.total, found.open, made["exports"]) == (1, 1, {TENANT: 1})
    assert (row.format, row.name, row.scope, row.person, row.made_by, row.holder, row.gone_at) == ("bundle", "all.jsonl", TENANT, "adam", "Adam", "Kim of Finance", None)
    assert (row.records, row.lines) == (5, made["lines"])
    assert [event["action"] for event in list_events(chain, "adam", tenant=TENANT)["items"]][-1] == "export"


def test_of_a_scope_the_register_names_also_what_its_records_rest_on(chain, tmp_path):
    given(chain, accepted("X", on="C1", scope="acme/web"))
    export_store(chain, "adam", tmp_path / "web.csv", scope="acme/web", form="csv")

    assert [copies(chain, records=[one]).total for one in ("X", "C1", "C2", "nowhere")] == [1, 1, 0, 0]
    assert copies(chain, records=["X", "C1"]).rows[0].touched == 2


def test_every_download_of_the_screens_is_registered_and_looking_at_them_is_not(chain):
    preview = rehearse(chain, "adam", TENANT, Plan(Verb.REVOKE, ("C1",)))
    around = look_around(chain, "adam", TENANT, "C1")
    given(chain, source("S2", title="Theirs"), accepted("Y", "other", subject="subject-C1"))
    letter = write_letter(chain, "adam", TENANT, "S1")
    before = list_events(chain, "adam", tenant=TENANT)["items"][-1]["seq"]
    assert copies(chain).total == 0

    export_plan_csv(chain, preview, name="preview-1.csv")
    export_plan_json(chain, preview)
    export_neighbours_csv(chain, "adam", around)
    export_letter_csv(chain, "adam", letter)
    export_sheet_csv(chain, "adam", scope=TENANT, name="decisions.csv")

    assert [row.format for row in copies(chain).rows] == ["letter-csv", "neighbourhood-csv", "preview-json", "preview-csv"]
    assert copies(chain, records=["C2"]).total == 3
    assert copies(chain, records=["Y"]).total == 1
    assert list_events(chain, "adam", tenant=TENANT)["items"][-1]["seq"] == before + 4


def test_a_file_that_is_not_written_is_registered_as_gone_and_a_refused_one_not_at_all(chain, tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(Refusal):
        export_store(chain, "adam", tmp_path / "taken", scope=TENANT)
    with pytest.raises(Refusal):
        export_store(chain, "ana", tmp_path / "x.jsonl", scope=TENANT)
    found = copies(chain)

    assert (found.total, found.open, found.rows[0].gone_by) == (1, 0, "Adam")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_what_was_blocked_while_a_file_was_made_keeps_it_from_appearing(chain, tmp_path):
    _, carried = write_export(chain, "adam", tmp_path / "part", scope=TENANT)
    with chain.writer.begin() as connection:
        connection.exec_driver_sql("UPDATE record_state SET status = 7 WHERE record = 2")
        connection.exec_driver_sql("UPDATE tenant SET revision = revision + 1 WHERE name = 'acme'")

    with refused("changed_since_seen"):
        register_copies(chain, "adam", carried, "bundle")
    assert copies(chain).total == 0


def test_holders_are_named_later_and_say_that_a_copy_is_destroyed(chain, tmp_path):
    export_store(chain, "adam", tmp_path / "all.jsonl", scope=TENANT)
    name_copy_holder(chain, "adam", TENANT, 1, "Lee")
    first = record_copy_destroyed(chain, "adam", TENANT, 1, operation="gone")
    again = record_copy_destroyed(chain, "adam", TENANT, 1, operation="gone")

    assert first == again
    (row,) = copies(chain).rows
    assert (row.holder, row.gone_by, copies(chain).open) == ("Lee", "Adam", 0)
    assert not record_copy_destroyed(chain, "adam", TENANT, 1)["destroyed"]
    for bad in ("", " \u200b", "x" * 201):
        with refused("bad_value"):
            name_copy_holder(chain, "adam", TENANT, 1, bad)


def test_whoever_administers_nothing_there_gets_the_answer_for_what_is_not_there(chain, tmp_path):
    given(chain, person("dora", "admin", "acme/api"), person("zoe", "admin", "other"))
    export_store(chain, "adam", tmp_path / "all.jsonl", scope=TENANT)
    export_store(chain, "dora", tmp_path / "api.jsonl", scope="acme/api")

    assert [row.name for row in copies(chain, "dora").rows] == ["api.jsonl"]
    for who in ("ana", "zoe"):
        with refused("not_found"):
            copies(chain, who)
    for number in (1, 9):
        with refused("not_found"):
            record_copy_destroyed(chain, "dora", TENANT, number)


def test_an_export_of_everything_is_registered_in_each_tenant_with_its_own_lines_only(chain, tmp_path):
    given(chain, source("Z", "zeta"), {"type": "claim", "id": "Z1", "scope": "zeta", "subject": "s", "predicate": "p", "value": 1, "proposed_by": "bot"})
    export_store(chain, OPERATOR, tmp_path / "everything.csv", form="csv")

    assert [(row.records, row.lines) for tenant in (TENANT, "zeta") for row in copies(chain, OPERATOR, tenant).rows] == [(5, 5), (1, 1)]


def test_pages_of_the_register_follow_each_other(chain, tmp_path):
    for n in range(5):
        export_store(chain, "adam", tmp_path / f"{n}.jsonl", scope=TENANT)
    first = copies(chain, limit=2)
    second = copies(chain, limit=2, after=first.next)

    assert [row.name for row in (*first.rows, *second.rows)] == ["4.jsonl", "3.jsonl", "2.jsonl", "1.jsonl"]
    assert (first.total, copies(chain, limit=2, after=second.next).next) == (5, None)


def test_the_register_on_the_command_line(tmp_path, capsys, sqlite_files):
    with sqlite_files.new("desk") as url:

        def run(*words, who="adam"):
            status = main(["--db", url, "--as", who, "--json", *words])
            return status, json.loads(capsys.readouterr().out)

        assert run("export", "--scope", TENANT, "-o", str(tmp_path / "all.jsonl"), "--holder", "Kim")[1]["exports"] == {TENANT: 1}
        assert run("copies", "holder", "1", "Lee")[1]["holder"] == "Lee"
        assert run("copies", "destroyed", "1")[1]["destroyed"]
        status, listed = run("copies", "list", "--record", "E1")
        assert (status, listed["total"], listed["not_destroyed"]) == (0, 1, 0)
        assert [(one["name"], one["holder"], one["touched"]) for one in listed["items"]] == [("all.jsonl", "Lee", 1)]
        assert run("copies", "list", who="ana")[1]["error"] == "not_found"
