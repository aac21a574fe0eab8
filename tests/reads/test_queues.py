"""Queues: pages cover everything once, and every count is the same number everywhere (R34)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from store import list_queue, measure, open_store
from tests.builders import accepted, artifact, bring, carry_out, claim, decide, evidence, given, person, refused, revoking, source


def pages(store, queue, by="ana", limit=2, **more):
    """Every item of a queue, a page at a time, and the totals the pages gave."""
    items, totals, after = [], set(), None
    for _ in range(100):
        found = list_queue(store, by, queue, limit=limit, after=after, **more)
        assert len(found["items"]) <= limit
        items += [one["id"] for one in found["items"]]
        totals.add(found["total"])
        after = found["next"]
        if after is None:
            return items, totals
    raise AssertionError("the pages do not end")


@pytest.fixture
def busy(desk):
    given(
        desk, *(claim(f"C{n}", scope=("acme", "acme/api", "acme/funds")[n % 3], owner=("ana", "ben")[n % 2]) for n in range(7)),
        *(claim(f"S{n}", status="stale", owner="carl") for n in range(3)), artifact("R1", "E1", status="candidate"),
        *(accepted(f"X{n}{v}", v, subject=f"s{n}") for n in range(5) for v in (1, 2)),
        *(accepted(f"D{n}", review_at=f"2026-07-{10 + n // 2}") for n in range(5)), accepted("PAST", expires_at="2026-01-01"), accepted("FAR", review_at="2026-12-01"),
    )  # fmt: skip
    return desk


EVERYTHING = {
    "candidates": {f"C{n}" for n in range(7)} | {"R1"},
    "stale": {"S0", "S1", "S2"},
    "expiring": {f"D{n}" for n in range(5)} | {"PAST"},
}


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 50])
@pytest.mark.parametrize("queue", EVERYTHING)
def test_pages_cover_everything_once(busy, queue, limit):
    items, totals = pages(busy, queue, limit=limit)

    assert len(items) == len(set(items))
    assert set(items) == EVERYTHING[queue]
    assert totals == {len(items)}


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_pages_of_conflicts_cover_everything_once(busy, limit):
    items, totals = pages(busy, "conflicts", limit=limit)

    assert len(items) == len(set(items)) == 5
    assert totals == {5}


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 50])
@pytest.mark.parametrize("queue", ["candidates", "stale", "conflicts", "expiring"])
def test_pages_cover_several_tenants(busy, queue, limit):
    given(
        busy, person("zoe", "admin", "zeta"), source("S1", "zeta"), *(claim(f"Z{n}", scope="zeta", evidence=[]) for n in range(3)), claim("ZS", scope="zeta", evidence=[], status="stale"),
        accepted("ZA", 1, scope="zeta", evidence=[], subject="s"), accepted("ZB", 2, scope="zeta", evidence=[], subject="s", review_at="2026-07-05"),
    )  # fmt: skip
    every = list_queue(busy, "operator", queue, limit=1000)
    assert every["next"] is None

    items, totals = pages(busy, queue, "operator", limit)
    assert sorted(items) == sorted(one["id"] for one in every["items"])
    assert totals == {every["total"]} == {len(items)}


def test_what_expires_first_comes_first_and_says_whether_it_has(busy):
    items = list_queue(busy, "ana", "expiring")["items"]

    assert [one["id"] for one in items] == ["PAST", "D0", "D1", "D2", "D3", "D4"]
    assert [one["expired"] for one in items] == [True, False, False, False, False, False]


def test_oldest_first_or_newest_first(busy):
    oldest, _ = pages(busy, "candidates")
    newest, _ = pages(busy, "candidates", newest=True)

    assert newest == oldest[::-1]


FILTERS = {
    "a scope and below": ({"scope": "acme/api"}, {"C1", "C4"}),
    "the whole tenant": ({"scope": "acme"}, EVERYTHING["candidates"]),
    "a scope without any": ({"scope": "acme/none"}, set()),
    "an owner": ({"owner": "ben"}, {"C1", "C3", "C5"}),
    "an owner and a scope": ({"owner": "ben", "scope": "acme/funds"}, {"C5"}),
    "an owner nobody knows": ({"owner": "zorro"}, set()),
    "a kind": ({"kind": "artifact"}, {"R1"}),
    "a kind and an owner": ({"kind": "claim", "owner": "ana"}, {"C0", "C2", "C4", "C6"}),
    "a kind, an owner and a scope": ({"kind": "claim", "owner": "ana", "scope": "acme/api"}, {"C4"}),
}


@pytest.mark.parametrize("case", FILTERS)
def test_filters_narrow_the_list_and_its_total(busy, case):
    options, wanted = FILTERS[case]
    items, totals = pages(busy, "candidates", **options)

    assert set(items) == wanted
    assert totals == {len(wanted)}


def test_each_sees_the_scopes_of_ones_roles(busy):
    given(busy, person("dora", "reviewer", "acme/api", ("auditor", "acme/funds")))

    items, totals = pages(busy, "candidates", by="dora")
    assert (set(items), totals) == ({"C1", "C2", "C4", "C5"}, {4})
    assert pages(busy, "conflicts", by="dora") == ([], {0})
    for queue in ("candidates", "stale", "conflicts", "expiring"):
        with refused("not_allowed"):
            list_queue(busy, "rita", queue)


def test_counts_follow_what_is_done(busy):
    decide(busy, "C0")
    assert list_queue(busy, "ana", "candidates")["total"] == 7
    carry_out(busy, revoking("E1"))

    stale = list_queue(busy, "ana", "stale", limit=1000)
    assert stale["total"] == len(stale["items"]) == measure(busy, "ana")["counts"]["STALE"]
    assert list_queue(busy, "ana", "conflicts")["total"] == 0
    assert list_queue(busy, "ana", "stale", owner="carl")["total"] == 3


@pytest.mark.parametrize("options", [{"after": "nonsense"}, {"after": "[1]"}, {"kind": "rumour"}, {"after": '{"acme": {}}'}, {"after": '{"acme": "x"}'}], ids=str)
def test_a_bad_cursor_or_kind_is_refused(busy, options):
    with refused("bad_value"):
        list_queue(busy, "ana", "candidates", **options)


def test_there_are_four_queues(busy):
    with refused("bad_value"):
        list_queue(busy, "ana", "everything")


def test_a_candidate_says_what_is_needed_to_choose_it(desk):
    given(desk, claim("C1", scope="acme/api", owner="ben", impact="high"), evidence("E2", version=2))

    (one,) = list_queue(desk, "ana", "candidates")["items"]
    assert (one["id"], one["kind"], one["scope"], one["owner"], one["impact"]) == ("C1", "claim", "acme/api", "ben", "high")


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_reader_who_had_enough_is_no_fault_of_the_command(sqlite_files, more):
    with sqlite_files.new("desk") as url:
        store = open_store(url)
        bring(store, *(claim(f"C{n}") for n in range(5)))
        store.close()
        command = [sys.executable, "-m", "store", "--db", url, "queue", "candidates", "--as", "ana", *more]
        ours, theirs = os.pipe()
        os.close(ours)
        told = subprocess.run(command, cwd=Path(__file__).resolve().parents[2], stdout=theirs, stderr=subprocess.PIPE, text=True, check=False)
        os.close(theirs)

        assert (told.returncode, told.stderr) == (0, "")


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_terminal_without_the_letters_gets_them_escaped(sqlite_files, more):
    with sqlite_files.new("desk") as url:
        store = open_store(url)
        bring(store, claim("C1", subject="办公室"))
        store.close()
        command = [sys.executable, "-m", "store", "--db", url, "show", "C1", "--as", "ana", *more]
        told = subprocess.run(
            command, cwd=Path(__file__).resolve().parents[2], env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False
        )  # fmt: skip

        assert (told.returncode, told.stderr) == (0, b"")
        if more:
            assert json.loads(told.stdout)["record"]["subject"] == "办公室"
        else:
            assert rb"\u2013" in told.stdout, "a dash, where there is nothing"
