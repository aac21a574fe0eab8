"""Numbers that are near enough count as the same, pair by pair (R13)."""

import pytest

from store.domain.conflicts import Side, contradicts, sides_live_at, sides_of_key
from store.domain.declaring import redeclare
from store.domain.strict_json import BadLine
from store.domain.times import ALWAYS, FOREVER
from store.domain.tolerance import Threshold, agree, crosses_threshold, parse_tolerance, read_near, say_tolerance
from store.domain.values import Predicate, value_code

CENT = Predicate("acme", "p", compare="number", tolerance={"absolute": 0.01})
PERCENT = Predicate("acme", "p", tolerance={"relative": 0.01})


def usd(amount, **more):
    return {"amount": amount, "currency": "USD", **more}


NEAR = [
    (CENT, 1.00, 1.01), (CENT, "1.00", 1.01), (CENT, -1, -0.99), (CENT, usd(1), usd(1.01)), (CENT, usd("1.00"), usd(1.01)), (CENT, 1e15, 1e15 + 0.0),
    (PERCENT, 100, 99), (PERCENT, -100, -99), (PERCENT, 0, 0.0), (PERCENT, usd(184_000_000), usd(184_900_000)), (PERCENT, {"value": 10, "pages": 3}, {"value": 10.05, "pages": 3}),
]  # fmt: skip
FAR = [
    (CENT, 1.00, 1.0101), (CENT, 1, True), (CENT, usd(1), {"amount": 1, "currency": "EUR"}), (CENT, usd(1), 1), (CENT, "one", "two"), (CENT, 1, None),
    (CENT, usd(1), usd(1, scale=3)), (PERCENT, 100, 98.9), (PERCENT, 1, -1), (PERCENT, "100", "99"), (PERCENT, {"a": 1, "b": 2}, {"a": 1.001, "b": 2}),
    (PERCENT, {"value": 10, "pages": 300}, {"value": 10, "pages": 301}), (PERCENT, [100], [99]), (Predicate("acme", "p"), 1.0, 1.0000001),
]  # fmt: skip


@pytest.mark.parametrize(("predicate", "one", "other"), NEAR, ids=repr)
def test_values_within_the_tolerance_agree(predicate, one, other):
    assert agree(read_near(one, predicate), read_near(other, predicate))
    assert agree(read_near(other, predicate), read_near(one, predicate))


@pytest.mark.parametrize(("predicate", "one", "other"), FAR, ids=repr)
def test_values_beyond_it_do_not(predicate, one, other):
    assert not agree(read_near(one, predicate), read_near(other, predicate))
    assert not agree(read_near(other, predicate), read_near(one, predicate))


def side(record, value, start=ALWAYS, end=FOREVER, predicate=CENT):
    return Side(record, value_code(value, predicate), start, end, read_near(value, predicate))


@pytest.mark.parametrize("many", [1, 100])
def test_a_value_in_between_is_no_bridge(many):
    between = [side(3 + n, 1.01) for n in range(many)]
    found = sides_of_key([side(1, 1.00), *between, side(2, 1.02)])

    assert [one.record for one in found] == [1, 2]


@pytest.mark.parametrize("many", [1, 40])
def test_sides_are_those_a_comparison_of_every_pair_finds(many):
    values = [1.00, 1.005, 1.01, 1.02, 5, "text", None, usd(1), usd(1.02)]
    sides = [side(n, values[n * 7 % len(values)], n % 5, n % 5 + 1 + n % 3) for n in range(9 * many)]

    wanted = [one.record for one in sides if any(contradicts(one, other) for other in sides)]
    assert [one.record for one in sides_of_key(sides)] == wanted
    assert 0 < len(wanted) < len(sides)


def test_at_a_moment_only_those_in_contradiction_then_are_told():
    early, late, between = side(1, 1.00, 0, 10), side(2, 1.02, 5, 20), side(3, 1.01, 0, 20)

    assert sides_live_at([early, late, between], 2) == []
    assert sides_live_at([early, late, between], 7) == [early, late]
    assert sides_live_at([early, late, between], 12) == []


def test_at_a_moment_thousands_are_told_apart_as_few_are():
    crowd = [side(n, 1 + n / 1e6) for n in range(3000)]
    outlier = side(9999, 1.0115)

    assert sides_live_at(crowd, 0) == []
    told = sides_live_at([*crowd, outlier], 0)
    assert told == [*[one for one in crowd if one.record < 1500], outlier]


def test_a_threshold_belongs_to_what_lies_above_it():
    banded = Predicate("acme", "p", compare="number", thresholds=(9, {"at": 7, "name": "high"}))

    assert crosses_threshold([8.9, 9.0], banded) == Threshold(9.0)
    assert crosses_threshold(["6.5", 9.8], banded) == Threshold(7.0, "high")
    assert crosses_threshold([usd(6), usd(7)], banded) == Threshold(7.0, "high")
    assert crosses_threshold([7, 8.9], banded) is None
    assert crosses_threshold([9, 12], banded) is None
    assert crosses_threshold([1, "words"], banded) is None
    assert crosses_threshold([1, 100], CENT) is None


@pytest.mark.parametrize(("text", "tolerance"), [("0.01", {"absolute": 0.01}), ("1%", {"relative": 0.01}), (" 2.5 % ", {"relative": 0.025}), ("5", {"absolute": 5})])
def test_a_tolerance_is_typed_as_a_difference_or_a_share(text, tolerance):
    assert parse_tolerance(text) == tolerance
    assert parse_tolerance(say_tolerance(Predicate("acme", "p", tolerance=tolerance))) == tolerance


def test_anything_else_is_no_tolerance():
    with pytest.raises(ValueError, match="is no tolerance"):
        parse_tolerance("about a tenth")


UNCOUNTABLE = [float("nan"), float("inf"), 10**400, True, "1"]


@pytest.mark.parametrize("number", UNCOUNTABLE, ids=lambda number: str(number)[:9])
def test_a_number_nobody_can_count_with_is_no_tolerance_and_no_threshold(number):
    for part in ({"tolerance": {"absolute": number}}, {"tolerance": {"relative": number}}, {"thresholds": [number]}, {"thresholds": [{"at": number, "name": "high"}]}):
        with pytest.raises(BadLine, match="must be"):
            redeclare(CENT, part)
