"""Twelve real corrections of documents: every passage became what somebody else found out it became (R21)."""

import json
import time
from pathlib import Path

import pytest

from store import OPERATOR, Plan, Verb, commit_plan, export_store, import_files, keep_plan_file, open_store, preview_plan
from tests.builders import Clock, is_sound, show

REPLAYS = Path(__file__).parents[2] / "shared" / "data" / "replays"
pytestmark = [pytest.mark.real_data, pytest.mark.slow, pytest.mark.skipif(not REPLAYS.is_dir(), reason=f"the replays are not there ({REPLAYS}); nothing of them was tested")]

NAMES = sorted(folder.name for folder in REPLAYS.iterdir()) if REPLAYS.is_dir() else []
FELL = {"changed", "gone"}


@pytest.mark.parametrize(("name", "kind"), [(name, "sqlite_files") for name in NAMES] + [(name, "postgres_databases") for name in NAMES])
def test_a_real_correction_is_sorted_as_expected_and_carried_over(request, record_property, tmp_path, name, kind):
    expected = json.loads((REPLAYS / name / "expected.json").read_text("utf-8"))
    with request.getfixturevalue(kind).new() as url:
        store = open_store(url, now=Clock("2026-11-01T00:00:00Z"))
        assert import_files(store, OPERATOR, [REPLAYS / name / "before.jsonl"], reviewed=True)["rejected"] == []
        started = time.perf_counter()
        kept = keep_plan_file(store, OPERATOR, "policy", (REPLAYS / name / "after.md").read_bytes(), name="after.md")
        plan = Plan(Verb.RECAPTURE, (expected["source"],), file=kept.sha256, media_type=kept.media_type)
        seen = preview_plan(store, OPERATOR, "policy", plan)
        result = commit_plan(store, OPERATOR, "policy", plan, seen.fingerprint, "a new edition")
        record_property("seconds", round(time.perf_counter() - started, 2))

        verdicts = {one["id"]: one["verdict"] for one in seen.passages}
        assert set(verdicts) == set(expected["passages"])
        wrong = {
            one: (wanted, verdicts[one]) for one, wanted in expected["passages"].items()
            if wanted != "any" and verdicts[one] != wanted and not (wanted == "fell" and verdicts[one] in FELL)
        }  # fmt: skip
        assert wrong == {}
        fallen = {one for one, verdict in verdicts.items() if verdict in FELL}
        export_store(store, OPERATOR, tmp_path / "x.jsonl", scope="policy")
        after = {line["id"]: line for line in map(json.loads, (tmp_path / "x.jsonl").read_text("utf-8").splitlines()) if line["type"] == "claim"}
        for one in sorted(set(verdicts) - fallen):
            assert after[one]["status"] == "reviewed"
            assert [binding["evidence"] for binding in after[one]["evidence"]] == [result["evidence"]]
        assert {one for one in verdicts if after[one]["status"] == "stale"} == fallen
        assert show(store, sorted(set(verdicts) - fallen)[0], tenant="policy")["usable"]
        assert is_sound(store)
        store.close()
