"""Two rehearsals side by side: sets whose counts are their lists, and what each leaves to be decided."""

import csv
import io
import json

from store import (
    Plan,
    Verb,
    export_comparison_csv,
    export_comparison_json,
    export_rehearsal_csv,
    keep_plan_file,
    list_compared,
)
from tests.builders import (
    TENANT,
    TEXT,
    accepted,
    artifact,
    carry_out,
    claim,
    given,
    refused,
    revoking,
    suspending,
)
from tests.rehearsing import compare, compared, save, view


def test_two_plans_are_compared_as_sets_whose_counts_are_their_lists(chain):
    one, other = save(chain, revoking("c1")), save(chain, suspending("c2"))
    found = compare(chain, one, other)

    assert found.counts["affected"] == {"one": 4, "other": 3, "only_one": 1, "only_other": 0, "both": 3, "differ": 1}
    assert compared(chain, one, other, "affected", "only_one") == ["c1"]
    assert compared(chain, one, other, "affected", "differ") == ["c2"]
    assert compared(chain, one, other, "delivered", "both") == ["R1"]
    assert compared(chain, one, other, "answers", "only_one") == ["subject-c1"]
    assert set(compared(chain, one, other, "messages", "both")) == {"kim@example.org", "ana"}
    for what, counts in found.counts.items():
        for which, count in counts.items():
            assert len(compared(chain, one, other, what, which)) == count, (what, which)


def test_what_each_leaves_to_be_decided_tells_withdrawing_from_stopping(chain):
    """Withdrawing leaves what rested on it directly to be looked at; stopping leaves one decision, and one that brings the rest back."""
    one, other = save(chain, revoking("E1")), save(chain, suspending("E1"))
    found = compare(chain, one, other)

    assert compared(chain, one, other, "by_hand", "one") == ["c1", "d1"]
    assert compared(chain, one, other, "together", "one") == ["c2", "c3", "R1"]
    assert compared(chain, one, other, "by_hand", "other") == []
    assert compared(chain, one, other, "stopped", "other") == ["E1"]
    assert found.decisions == (3, 2)


def test_correcting_leaves_less_to_decide_than_withdrawing(chain):
    given(chain, accepted("e1", "other", quote="The endpoint accepts safe retries."), accepted("e2", on="e1"))
    file = keep_plan_file(chain, "ana", TENANT, TEXT.replace("safe retries", "no retries").encode(), name="new.txt")
    correct = save(chain, Plan(Verb.RECAPTURE, ("S1",), file=file.sha256, media_type=file.media_type), "correct")
    withdraw = save(chain, revoking("S1"), "withdraw")
    found = compare(chain, correct, withdraw)

    assert compared(chain, correct, withdraw, "by_hand", "one") == ["e1"]
    assert set(compared(chain, correct, withdraw, "by_hand", "other")) == {"c1", "d1", "e1"}
    assert found.counts["delivered"]["one"] < found.counts["delivered"]["other"] == 1
    assert found.decisions[0] < found.decisions[1]


def test_what_fell_when_the_source_was_stopped_first_is_work_left_by_withdrawing_it_and_less_by_correcting_it(chain):
    given(chain, accepted("e1", "other", quote="The endpoint accepts safe retries."), accepted("e2", on="e1"))
    file = keep_plan_file(chain, "ana", TENANT, TEXT.replace("safe retries", "no retries").encode(), name="new.txt")
    carry_out(chain, suspending("S1"))
    correct = save(chain, Plan(Verb.RECAPTURE, ("S1",), file=file.sha256, media_type=file.media_type), "correct")
    withdraw = save(chain, revoking("S1"), "withdraw")
    found = compare(chain, correct, withdraw)

    assert compared(chain, correct, withdraw, "by_hand", "one") == ["e1"]
    assert compared(chain, correct, withdraw, "together", "one") == ["e2"]
    assert set(compared(chain, correct, withdraw, "by_hand", "other")) == {"c1", "d1", "e1"}
    assert set(compared(chain, correct, withdraw, "together", "other")) == {"c2", "c3", "R1", "e2"}
    assert found.decisions == (2, 4)
    row = next(row for row in list_compared(chain, "ana", TENANT, correct, withdraw, "by_hand", "other").items if row["id"] == "c1")
    assert (row["one"], row["other"], row["looks"]) == ("ACCEPTED", "STALE", [None, "by_hand"])


def test_a_comparison_has_one_fingerprint_whichever_is_named_first(chain):
    one, other = save(chain, revoking("c1")), save(chain, suspending("c1"))

    assert compare(chain, one, other).fingerprint == compare(chain, other, one).fingerprint
    assert json.loads(export_comparison_json(chain, "ana", TENANT, one, other))["fingerprint"] == compare(chain, one, other).fingerprint
    with refused("bad_value"):
        compare(chain, one, one)


def test_a_spreadsheet_runs_nothing_of_what_is_exported(chain):
    given(chain, artifact("R9", on="c1", title="=cmd|' /C calc'!A0", owner="@ana"))
    one, other = save(chain, revoking("c1"), '=HYPERLINK("http://evil")'), save(chain, suspending("c1"), "+1")
    cells = [
        cell
        for content in (export_rehearsal_csv(chain, "ana", TENANT, one), export_comparison_csv(chain, "ana", TENANT, one, other))
        for row in csv.reader(io.StringIO(content.decode("utf-8-sig")))
        for cell in row
    ]

    assert any("cmd|" in cell for cell in cells)
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@")]


def test_a_candidate_that_is_blocked_and_new_values_are_counted_apart(chain):
    given(chain, claim("waits", on="c1"), reviewed=False)
    one, other = save(chain, revoking("c1")), save(chain, revoking("d1"))

    assert compared(chain, one, other, "blocked", "only_one") == ["waits"]
    assert view(chain, one).saved.totals["affected"] == 4
