"""The four figures of a trustworthy memory, each with what was divided by what (section 9)."""

from store import measure
from tests.builders import TENANT, accepted, artifact, carry_out, claim, evidence, given, passage, person, revoking


def figure(store, name, by="ana", **options):
    one = measure(store, by, **options)[name]
    return one["numerator"], one["denominator"], one["value"]


def test_counts_are_per_status(desk):
    given(desk, accepted("A"), claim("B"), claim("C", status="stale"), artifact("R1", "A"))

    assert measure(desk, "ana")["counts"] == {"ACCEPTED": 3, "CANDIDATE": 1, "STALE": 1}


def test_nothing_to_divide_is_null(desk):
    found = measure(desk, "ana")

    for name in ("bound_coverage", "unresolved_conflict_rate", "reviewed_action_share"):
        assert found[name] == {"value": None, "numerator": 0, "denominator": 0}
    assert found["expired_rate"] == {"value": 0.0, "numerator": 0, "denominator": 1}


def test_bound_coverage_counts_accepted_claims_whose_every_chain_ends_in_a_matching_span(desk):
    given(
        desk, accepted("SPAN"), accepted("BELOW", on="SPAN"), accepted("WRONG", evidence=[{**passage(), "quote": "The office is in Nice."}]), accepted("BELOWWRONG", on="WRONG"), accepted("LOOSE", evidence=[]),
        accepted("MIXED", on=["SPAN", "LOOSE"]), claim("CANDIDATE"), accepted("OVERART", on="R1"), artifact("R1", "SPAN"), accepted("NOSPAN", on="E1"),
    )  # fmt: skip

    assert figure(desk, "bound_coverage") == (3, 8, 3 / 8)


def test_expired_rate_counts_accepted_records_past_their_or_an_ancestors_expiry(desk, clock):
    given(desk, accepted("A", expires_at="2026-07-02"), accepted("B", on="A"), artifact("R1", "B"), accepted("C"), claim("D", expires_at="2026-07-02"))
    assert figure(desk, "expired_rate") == (0, 5, 0.0)

    clock.pass_by(days=2)
    assert figure(desk, "expired_rate") == (3, 5, 0.6)


def test_unresolved_conflict_rate_counts_keys_not_claims(desk):
    given(desk, *(accepted(f"A{n}", n, subject="s") for n in range(4)), accepted("B"), accepted("C"), accepted("C2", subject="subject-C"), claim("D"))

    assert figure(desk, "unresolved_conflict_rate") == (1, 3, 1 / 3)


def test_reviewed_action_share_counts_high_impact_actions_on_usable_supports(desk, clock):
    given(
        desk, accepted("OK"), accepted("EXP", expires_at="2026-07-02"), accepted("A", 1, subject="s"), accepted("B", 2, subject="s"), accepted("GONE"),
        *(artifact(f"ACT{n}", on, artifact_type="action", impact="high") for n, on in enumerate([["OK"], ["OK", "EXP"], ["A"], ["GONE"], ["E1"]])), artifact("LOW", "GONE", artifact_type="action"), artifact("REPORT", "GONE", impact="high"),
    )  # fmt: skip
    carry_out(desk, revoking("GONE"))
    clock.pass_by(days=2)

    assert figure(desk, "reviewed_action_share") == (2, 5, 0.4)


def test_figures_can_be_asked_of_a_scope_and_are_of_what_one_may_see(desk):
    given(desk, person("dora", "reviewer", "acme/api"), accepted("A"), accepted("B", scope="acme/api"), accepted("C", scope="acme/api", evidence=[]), evidence("E2", version=2))

    assert figure(desk, "bound_coverage", scope="acme/api") == (1, 2, 0.5)
    assert figure(desk, "bound_coverage", scope=TENANT) == (2, 3, 2 / 3)
    assert figure(desk, "bound_coverage", by="dora") == (1, 2, 0.5)
    assert measure(desk, "rita")["counts"] == {}
    assert measure(desk, "dora")["counts"] == {"ACCEPTED": 2}
