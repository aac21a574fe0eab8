"""Every (status, step) pair is a row of the table of DESIGN section 3, written out here by hand, or refused."""

import pytest

from store.domain.errors import Code, Refusal
from store.domain.status import Kind, Status, Step, artifact_validity, is_legal, next_status

C, A, D, S = Status.CANDIDATE, Status.ACCEPTED, Status.DISPUTED, Status.STALE
SUPERSEDED, REVOKED, REJECTED = Status.SUPERSEDED, Status.REVOKED, Status.REJECTED
PENDING, DELETED = Status.DELETION_PENDING, Status.DELETED

#: step -> {from: the statuses it may lead to}, as DESIGN prints them.
TABLE = {
    Step.AMEND: {C: {C}},
    Step.APPROVE_FIRST: {C: {C}},
    Step.APPROVE: {C: {A}},
    Step.REJECT: {C: {REJECTED}},
    Step.REOPEN: {A: {C}, REJECTED: {C}},
    Step.RENEW: {A: {A}},
    Step.SUSPEND: {A: {D}},
    Step.REINSTATE: {D: {A, S}},
    Step.FALL_STALE: {A: {S}},
    Step.CONFIRM: {S: {A}},
    Step.RESTORE: {S: {A}},
    Step.SUPERSEDE: {A: {SUPERSEDED}, D: {SUPERSEDED}, S: {SUPERSEDED}},
    Step.REVOKE: {C: {REVOKED}, A: {REVOKED}, D: {REVOKED}, S: {REVOKED}, SUPERSEDED: {REVOKED}},
    Step.REQUEST_DELETION: {one: {PENDING} for one in (C, A, D, S, SUPERSEDED, REVOKED, REJECTED)},
    Step.FINISH_DELETION: {PENDING: {DELETED}},
    Step.REFUSE_DELETION: {PENDING: {C, S, D, SUPERSEDED, REVOKED, REJECTED}},
    Step.NARROW: {A: {A}, D: {D}},
    Step.GAIN_EVIDENCE: {A: {A}, D: {D}},
}

#: How a sentence says each status.
SAID = {
    C: "is a candidate", A: "is accepted", D: "is disputed", S: "needs re-validation", SUPERSEDED: "is superseded", REVOKED: "is revoked", REJECTED: "is rejected",
    PENDING: "is being deleted", DELETED: "is deleted",
}  # fmt: skip
PAIRS = [(status, step) for status in Status for step in Step]


def test_every_step_of_the_code_is_in_the_table_and_the_other_way_round():
    assert set(Step) == set(TABLE)


@pytest.mark.parametrize(("now", "step"), PAIRS, ids=lambda one: one.name)
def test_a_step_leads_where_the_table_says_or_is_refused(now, step):
    wanted = TABLE[step].get(now, set())

    reached = set()
    for to in Status:
        try:
            reached.add(next_status("C1", now, step, to))
        except Refusal as refusal:
            assert refusal.code == Code.ILLEGAL_STEP
            assert "C1" in refusal.message
            assert f"C1 {SAID[now]}," in refusal.message
    assert reached == wanted
    assert is_legal(now, step) == bool(wanted)


def test_nothing_but_a_persons_decision_leads_to_accepted():
    ways = {step for step, rows in TABLE.items() for now, to in rows.items() if A in to and now != A}

    assert ways == {Step.APPROVE, Step.REINSTATE, Step.CONFIRM, Step.RESTORE}


def test_statuses_and_kinds_are_the_words_of_the_design():
    words = ["CANDIDATE", "ACCEPTED", "DISPUTED", "STALE", "SUPERSEDED", "REVOKED", "REJECTED", "DELETION_PENDING", "DELETED"]
    assert [one.name for one in Status] == words
    assert {one.name for one in Kind} == {"EVIDENCE", "CLAIM", "ARTIFACT"}


def test_an_artifacts_status_reads_as_its_validity():
    read = {status: artifact_validity(status) for status in (A, S, SUPERSEDED, REVOKED)}

    assert read == {A: "CURRENT", S: "NEEDS_REVALIDATION", SUPERSEDED: "REPLACED", REVOKED: "WITHDRAWN"}
