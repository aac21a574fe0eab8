"""Real data, when its folder is there: what was computed without this project's code is what the store says."""

import csv
import hashlib
import io
import json
import random
from pathlib import Path

import pytest

from store import (
    OPERATOR,
    NeighbourSift,
    Plan,
    Verb,
    commit_plan,
    export_neighbours_csv,
    export_store,
    format_time,
    import_files,
    list_letter_picks,
    list_neighbours,
    list_queue,
    look_around,
    measure,
    open_store,
    picture_around,
    preview_plan,
    suggest_subjects,
    view_subject,
    write_letter,
)
from tests.builders import Clock, is_sound, revoking

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = [pytest.mark.real_data, pytest.mark.slow, pytest.mark.skipif(not DATA.is_dir(), reason=f"the real data is not there ({DATA}); nothing of it was tested")]

PLACES = [("advisories", "sqlite_files"), ("companyfacts", "sqlite_files"), ("sitepolicy", "sqlite_files"), ("sitepolicy", "postgres_databases")]


@pytest.fixture(scope="module", params=PLACES, ids=lambda one: f"{one[0]}-{one[1].split('_')[0]}")
def imported(request):
    """The store after the import, what was expected, and the maker of further databases."""
    name, kind = request.param
    databases = request.getfixturevalue(kind)
    with databases.new() as url:
        store = open_store(url, now=Clock("2026-11-01T00:00:00Z"))
        result = import_files(store, OPERATOR, [DATA / name / "bundle.jsonl"], reviewed=True)
        assert result["rejected"] == []
        yield store, json.loads((DATA / name / "expected.json").read_text("utf-8")), databases
        store.close()


def tenant_of(store):
    from store import list_tenants

    (tenant,) = list_tenants(store, OPERATOR)
    return tenant


def test_statuses_after_the_import_are_those_expected(imported):
    store, expected, _ = imported

    assert measure(store, OPERATOR)["counts"] == expected["status_after_reviewed_import"]
    assert is_sound(store)


def test_conflicts_and_their_claims_are_those_expected(imported):
    store, expected, _ = imported

    found = list_queue(store, OPERATOR, "conflicts", limit=10_000)
    assert found["total"] == len(found["items"]) == expected["conflicts"]
    names = ("scope", "subject", "predicate", "qualifiers", "claims")
    assert sorted(json.dumps([one[name] for name in names]) for one in found["items"]) == sorted(json.dumps([one[name] for name in names]) for one in expected["conflict_keys"])


def test_every_revocation_reaches_exactly_what_was_expected(imported):
    store, expected, _ = imported
    tenant = tenant_of(store)

    wrong = []
    for entry in expected["revocations"]:
        found = preview_plan(store, OPERATOR, tenant, revoking(entry["evidence"]))
        ids = "\n".join(sorted(one["id"] for one in found.affected))
        if (found.totals["affected"], hashlib.sha256(ids.encode()).hexdigest()) != (entry["affected"], entry["sha256"]):
            wrong.append((entry["evidence"], found.totals["affected"], entry["affected"]))
    assert wrong == []


@pytest.mark.parametrize("steps", [1, 2, None], ids=["one step", "two steps", "all"])
def test_what_stands_around_a_record_is_one_number_everywhere(imported, steps):
    """Ten records chosen at random: count on the screen, in the table, in the picture and in the file."""
    store, _, _ = imported
    tenant = tenant_of(store)
    everything = sorted(json.loads(line)["id"] for line in (DATA / tenant / "bundle.jsonl").open() if json.loads(line)["type"] in ("evidence", "claim", "artifact"))
    for record_id in random.Random(20261130).sample(everything, 10):
        found = look_around(store, OPERATOR, tenant, record_id, up=steps, down=steps)
        picture = picture_around(store, OPERATOR, found)
        pages = [list_neighbours(store, OPERATOR, found, NeighbourSift(), start=start, limit=50) for start in range(0, found.count(), 50)]
        listed = [row.named.id for page in pages for row in page.rows]
        rows = list(csv.DictReader(io.StringIO(export_neighbours_csv(store, OPERATOR, found).decode("utf-8-sig"))))

        assert found.count() == picture.drawn + picture.folded == pages[0].total == len(set(listed)) == len(rows)
        assert [row["id"] for row in rows] == listed, record_id
        assert listed[0] == record_id
        assert sum(found.count_statuses().values()) == sum(found.count_kinds().values()) == sum(found.count_steps().values()) == len(rows)
        assert found.count(-1) + found.count(1) + 1 == len(rows)
        assert picture.drawn <= 50
        assert sum(picture.links.values()) <= found.count_lines()


def test_export_import_export_is_byte_identical(imported, tmp_path):
    store, _, databases = imported
    export_store(store, OPERATOR, tmp_path / "one.jsonl")
    with databases.new() as url:
        other = open_store(url, now=Clock("2026-11-01T00:00:00Z"))
        assert import_files(other, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)["rejected"] == []
        export_store(other, OPERATOR, tmp_path / "two.jsonl")
        for queue in ("candidates", "conflicts", "stale", "expiring"):
            assert list_queue(other, OPERATOR, queue, limit=10_000) == list_queue(store, OPERATOR, queue, limit=10_000)
        other.close()

    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_every_conflict_can_be_settled_by_one_plan_or_says_why_not(imported):
    store, expected, _ = imported  # The last look at this store: what it does stays done.
    tenant = tenant_of(store)
    ids = tuple(one["id"] for one in list_queue(store, OPERATOR, "conflicts", limit=10_000)["items"])
    if not ids:
        assert expected["conflicts"] == 0
        return

    plan = Plan(Verb.SETTLE, ids, rule={"verdict": "same", "prefer": {"newest": "captured"}})
    seen = preview_plan(store, OPERATOR, tenant, plan)
    assert seen.totals["settled"] + seen.totals["left"] == expected["conflicts"]
    assert seen.totals["settled"] > 0
    done = commit_plan(store, OPERATOR, tenant, plan, seen.fingerprint, "the newest capture counts")
    assert done["changed"] == seen.totals["affected"]
    left = {one["id"] for one in list_queue(store, OPERATOR, "conflicts", limit=10_000)["items"]}
    assert left == {one["id"] for one in seen.left}
    assert is_sound(store)


def test_a_ratio_stood_until_its_source_was_restated_and_the_next_one_follows(imported):
    """Question 5 of the data: Eli Lilly's equity ratio for 2025 was 0.7778 until 2026-03-15, then 0.2359."""
    store, _, _ = imported
    if tenant_of(store) != "companyfacts":
        pytest.skip("of another data set")
    page = view_subject(store, OPERATOR, "companyfacts", "company:Eli Lilly and Company", predicate="equity_ratio")
    line = next(one for one in page.history.lines if one.qualifiers["as_of"] == "2025")

    assert [one.subject for one in suggest_subjects(store, OPERATOR, "eli lilly")] == ["company:Eli Lilly and Company"]
    assert line.steps
    assert [(one.number, format_time(one.start)[:10], one.end and format_time(one.end)[:10]) for one in line.points] == [
        (0.7778, "2026-02-01", "2026-03-15"), (0.2359, "2026-03-15", None),
    ]  # fmt: skip
    assert ("memo:Eli Lilly and Company", "2026-03-15") in [(one.id, one.at[:10]) for one in line.points[1].carried]


def test_a_country_is_told_with_who_says_which(imported):
    """Question 6 of the data: Deutsche Telekom is in Germany by one list and in the Russian Federation by two."""
    store, _, _ = imported
    if tenant_of(store) != "companyfacts":
        pytest.skip("of another data set")
    page = view_subject(store, OPERATOR, "companyfacts", "company:Deutsche Telekom")
    (country,) = [group for group in page.view.groups if group.predicate == "country"]
    isins = {tuple(one.value) for one in page.around.names.names if one.predicate == "isins"}

    assert sorted((row.value, len(row.sources), row.contested) for row in country.rows) == [("Germany", 1, True), ("Russian Federation", 2, True)]
    assert isins == {("DE0005557508", "RU0008943394", "US7785291078")}  # the wrong merge shows in its numbers
    assert sorted(len(one.sides) for one in page.around.conflicts if one.predicate == "country") == [3]


def test_letters_hold_every_conflict_between_the_two_authorities(imported):
    store, expected, _ = imported
    picks = list_letter_picks(store, OPERATOR, pairs=True)

    assert bool(picks) == bool(expected["conflicts"])
    for pick in picks[:6]:
        letter = write_letter(store, OPERATOR, pick.tenant, pick.source, other=pick.other, most=None)
        assert letter.total == pick.open
        assert len({row.number for row in letter.rows}) == letter.total
        assert all(row.ours and row.passage for row in letter.rows)
