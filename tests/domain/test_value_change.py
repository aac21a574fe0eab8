"""What changed from the value before: numbers with their share, days, items; and which figure is the one before."""

from decimal import Decimal

import pytest

from store.domain.value_change import DAYS, ITEMS, NUMBER, OTHER, SAME, change_between, is_earlier_period


@pytest.mark.parametrize(
    ("before", "after", "kind", "difference", "ratio"),
    [
        (100, 104.2, NUMBER, Decimal("4.2"), 0.042), (-100, -50, NUMBER, Decimal(50), 0.5), (0, 5, NUMBER, Decimal(5), None), (1, 1.0, SAME, Decimal(0), None),
        ({"amount": 10, "currency": "USD"}, {"amount": 12, "currency": "USD"}, NUMBER, Decimal(2), 0.2), ({"amount": 10, "currency": "USD"}, {"amount": 12, "currency": "EUR"}, OTHER, Decimal(0), None),
        ("2026-06-30", "2026-07-31", DAYS, Decimal(31), None), ("Lyon", "Lyon", SAME, Decimal(0), None), ("Lyon", "Rome", OTHER, Decimal(0), None), (True, 1, OTHER, Decimal(0), None),
        (1e308, -1e308, NUMBER, None, None), ("2026-02-30", "2026-03-01", OTHER, Decimal(0), None),
    ],
)  # fmt: skip
def test_how_one_value_differs_from_the_one_before(before, after, kind, difference, ratio):
    found = change_between(before, after)

    assert found.kind == kind
    assert difference is None or found.difference == difference
    assert found.ratio == pytest.approx(ratio) if ratio is not None else True


def test_lists_say_what_came_and_what_went():
    found = change_between(["Frankfurt", "Warsaw"], ["Warsaw", "Ohio"])

    assert (found.kind, found.added, found.gone) == (ITEMS, ("Ohio",), ("Frankfurt",))
    assert change_between([1, 2], [2, 1]).kind == SAME


def test_the_figure_before_asks_the_same_of_an_earlier_period():
    q2 = {"as_of": "2026-06-30", "basis": "GAAP"}

    assert is_earlier_period(q2, {"as_of": "2026-03-31", "basis": "GAAP"}) == "2026-03-31"
    assert is_earlier_period(q2, {"as_of": "2026-09-30", "basis": "GAAP"}) is None
    assert is_earlier_period(q2, {"as_of": "2026-03-31", "basis": "IFRS"}) is None
    assert is_earlier_period(q2, q2) is None
    assert is_earlier_period({"quarter": "2026-Q2"}, {"quarter": "2026-Q1"}) == "2026-Q1"
    assert is_earlier_period({"package": "mako"}, {"package": "jinja"}) is None
    assert is_earlier_period({}, {}) is None
