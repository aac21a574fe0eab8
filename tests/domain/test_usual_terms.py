"""What a house usually sets with an approval: read from its policy, filled in where a candidate lacks it."""

import pytest

from store.domain.promotion import Terms
from store.domain.records import Artifact, Claim
from store.domain.times import parse_stated_time
from store.domain.usual_terms import UsualTerms, fill_in, parse_one, parse_usual_terms, usual_terms_of

AT = parse_stated_time("2026-07-01T09:30:00Z")


def a_claim(**fields):
    return Claim(**{"id": "C", "scope": "acme", "subject": "s", "predicate": "nav", "value": 1, **fields})


def test_a_predicate_stands_in_front_of_every_predicate_term_by_term():
    policy = {"usual_terms": {"*": {"owner": "ana", "review_after_days": 180}, "nav": {"review_after_days": 90}}}

    assert usual_terms_of(policy, "nav") == UsualTerms("ana", 90)
    assert usual_terms_of(policy, "other") == UsualTerms("ana", 180)
    assert usual_terms_of(policy, None) == UsualTerms("ana", 180)
    assert usual_terms_of({}, "nav") == UsualTerms()


def test_they_fill_in_what_is_missing_and_change_nothing_that_is_stated():
    usual = UsualTerms("ana", 90, None, ("advice",), "sensitive")

    assert fill_in(a_claim(), usual, AT) == Terms(
        owner="ana", review_at=parse_stated_time("2026-09-29T00:00:00Z"), purposes=("advice",), sensitivity="sensitive"
    )
    stated = a_claim(owner="ben", expires_at=AT, purposes=("audit",), sensitivity="credential")
    assert fill_in(stated, usual, AT) == Terms()
    report = Artifact("R", "acme", "report", owner=None)
    assert fill_in(report, usual, AT) == Terms(owner="ana", review_at=parse_stated_time("2026-09-29T00:00:00Z"))


@pytest.mark.parametrize(
    "wrong",
    [{"owner": ""}, {"owner": 3}, {"review_after_days": 0}, {"review_after_days": True}, {"expires_after_days": "90"}, {"purposes": []}, {"sensitivity": "secret"}, {"entity_confirmed": True}, "ana"],
)
def test_what_cannot_be_meant_is_refused_with_a_sentence_and_sets_nothing(wrong):
    with pytest.raises(ValueError, match=r"must be|is no usual term"):
        parse_one(wrong)
    assert usual_terms_of({"usual_terms": {"nav": wrong}}, "nav") == UsualTerms()


def test_what_is_read_is_written_the_same():
    held = {"*": {"owner": "ana"}, "nav": {"review_after_days": 90, "purposes": ["advice", "audit"]}}

    assert {name: one.to_json() for name, one in parse_usual_terms(held).items()} == held
    assert parse_usual_terms(None) == {}
