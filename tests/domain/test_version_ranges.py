"""Ranges that hold the same versions are one value; what cannot be read for certain stays as written (R13)."""

import pytest

from store.domain.values import Predicate, comparable, value_code

RANGES = Predicate("acme", "affected", compare="version_range")

SAME = [
    (">=2.1,<4.7", "<4.7, >=2.1"), (">=2.1,<4.7", "  >= 2.1 ,  < 4.7.0 "), (">=2.1 <4.7", ">=2.1,<4.7"), ("<1.10", ["0 <1.10.0"]), ("<6", ["0 <6.0.0"]),
    ("<=3.5.26", ["0 <=3.5.26"]), ("<1.8.2 || >=2.0.1,<2.3.1", [">=2.0.1,<2.3.1", "<1.8.2"]), ("5.0 <5.0.7", ">=5.0,<5.0.7"), ("*", ">=0"),
    ("^0.3.1", ">=0.3.1,<0.4"), ("^ 0.3.1", "^0.3.1"), ("^1.1.1", ">=1.1.1,<2"), ("^0.0.3", ">=0.0.3,<0.0.4"), ("~1.2.3", ">=1.2.3,<1.3"), ("~=1.4.2", ">=1.4.2,<1.5"),
    ("==1.2.*", ">=1.2,<1.3"), ("1.2.*", "==1.2.*"), ("= 0.2.15", ["0.2.15"]), ("==1.0", "1.0.0"), ("<19.7rc1", "<19.7.0rc1"), ("<0.104.0-alpha.6", "<0.104.0a6"),
    ("<2 || >=1,<3", "<3"), (">=1,<2 || >=2,<3", ">=1,<3"), (">1,<=2 || >2,<3", ">1,<3"), (">=1,<=1", "==1"), (">=2,<1 || >=3", ">=3"), ("v1.2", "1.2"), (["<1", "*"], "*"),
]  # fmt: skip
OTHER = [
    ("<1.10", "<=1.10"), (">1", ">=1"), ("<1", "<1.0.1"), ("<19.7", "<19.7rc1"), ("<0.2.0 || >0.2.0,<0.2.1", "<0.2.1"), ("1.10.0*", "1.10.0"), ("*", "unspecified"),
    ("unspecified <2.8.4", "<2.8.4"), ("n/a", "*"), (">=1.0.0-0,<2", ">=1.0.0.post0,<2"), (["1.0"], ["1.0", "n/a"]), ("1.0,2.0", "1.0"), ("<1,", "<1"), ("", "*"), ([], "*"), ("!=1", "1"),
    ("1.0 - 2.0", ">=1.0,<=2.0"), ("<*", "*"), (1, "1"), (True, "1"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME, ids=repr)
def test_ranges_that_hold_the_same_versions_are_one_value(one, other):
    assert value_code(one, RANGES) == value_code(other, RANGES)
    assert "#range" in comparable(one, RANGES)


@pytest.mark.parametrize(("one", "other"), OTHER, ids=repr)
def test_others_are_two(one, other):
    assert value_code(one, RANGES) != value_code(other, RANGES)


@pytest.mark.parametrize("text", ["Salt masters prior to 3005.2 or 3006.2", "n/a", "1.10.0*", "<1 or >2", "<<1", ">=1.0.0-0", "^", "~=1", "<=2.*", "日本", "x" * 20_000, "<1 || ", "^1!2.0", ">=" + "9" * 5_000, "^" + "9" * 4_300, "1.0rc" + "9" * 5_000])
def test_what_cannot_be_read_stays_as_it_was_written(text):
    assert comparable(text, RANGES) == text
    assert comparable([text, "<1"], RANGES) == [text, "<1"]


def test_without_the_comparison_they_are_texts():
    plain = Predicate("acme", "affected")
    assert value_code(">=2.1,<4.7", plain) != value_code("<4.7, >=2.1", plain)
