"""When two values count as the same (R10, R13)."""

import pytest

from store.domain.values import Predicate, value_code

PLAIN = Predicate("acme", "p")
NUMBER = Predicate("acme", "p", value_type="number")
SET = Predicate("acme", "p", order="set")


def comparing(how):
    return Predicate("acme", "p", compare=how)


SAME = [
    (PLAIN, 1, 1.0),
    (PLAIN, 0, -0.0),
    (PLAIN, 100, 1e2),
    (PLAIN, {"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0}),
    (PLAIN, [1, 2], [1.0, 2.0]),
    (NUMBER, 1, "1.00"),
    (NUMBER, "1.00", "1"),
    (NUMBER, "0.10", 0.1),
    (NUMBER, "184,000,000", 184000000),
    (NUMBER, "-2.50", -2.5),
    (NUMBER, [1, "2.0"], ["1.0", 2]),
    (SET, ["a", "b"], ["b", "a", "b"]),
    (SET, [1, 2], [2.0, 1]),
    (comparing("set"), ["a", "b"], ["b", "a"]),
    (comparing("text"), "Lyon  Part-Dieu", " lyon part-dieu"),
    (comparing("host"), "https://www.example.org/a", "EXAMPLE.org"),
    (comparing("date"), "2026-06-30", "2026-06-30T00:00:00Z"),
    (comparing("year"), "2026-06-30", "2026-01-01"),
    (comparing("year"), "1966", 1966),
    (comparing("year"), "July 6, 1966 ; 59 years ago ( 1966-07-06 )", "1966"),
    (comparing("number"), "3.0", 3),
]
OTHER = [
    (PLAIN, True, 1),
    (PLAIN, False, 0),
    (PLAIN, [True], [1]),
    (PLAIN, {"a": True}, {"a": 1}),
    (PLAIN, "1.00", 1),
    (PLAIN, "1", 1),
    (PLAIN, "a", "A"),
    (PLAIN, ["a", "b"], ["b", "a"]),
    (PLAIN, [1], [1, 1]),
    (PLAIN, 2**53, 2**53 + 1),
    (PLAIN, 0.1, 0.2),
    (PLAIN, [], {}),
    (PLAIN, "", []),
    (NUMBER, True, 1),
    (NUMBER, "one", 1),
    (NUMBER, "NaN", "Infinity"),
    (NUMBER, "1.00", "1.01"),
    (SET, ["a"], ["a", "b"]),
    (SET, ["a"], "a"),
    (comparing("text"), "Lyon", "Lyons"),
    (comparing("date"), "2026-06-30", "2026-07-01"),
    (comparing("year"), "2026-06-30", "2025-06-30"),
    (comparing("year"), "1984 (1925)", "1984"),
    (comparing("year"), "19660", "1966"),
    (comparing("host"), "Ireland [2]", "Ireland [3]"),
    (comparing("host"), "https://a.example.org", "https://b.example.org"),
]


@pytest.mark.parametrize(("predicate", "one", "other"), SAME, ids=repr)
def test_these_are_one_value(predicate, one, other):
    assert value_code(one, predicate) == value_code(other, predicate)


@pytest.mark.parametrize(("predicate", "one", "other"), OTHER, ids=repr)
def test_these_are_two_values(predicate, one, other):
    assert value_code(one, predicate) != value_code(other, predicate)


@pytest.mark.parametrize("predicate", [PLAIN, NUMBER, SET])
def test_null_is_no_value(predicate):
    assert value_code(None, predicate) is None
    assert value_code([], predicate) is not None
    assert value_code(False, predicate) is not None


def test_a_number_too_long_for_any_float_is_still_compared():
    assert value_code("1e399", NUMBER) == value_code(10**399, NUMBER)
    assert value_code("9" * 300, NUMBER) == value_code(int("9" * 300), NUMBER)
