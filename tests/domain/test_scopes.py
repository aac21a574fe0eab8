"""Scopes are paths whose first segment is the tenant."""

import pytest

from store.domain.scopes import EVERYWHERE, check_scope, covers, nearest_first, tenant_of


@pytest.mark.parametrize(
    ("outer", "inner", "holds"),
    [
        ("acme", "acme", True),
        ("acme", "acme/funds", True),
        ("acme/funds", "acme", False),
        ("acme", "acmeter", False),
        ("acme/fund", "acme/funds", False),
        ("acme/a", "acme/b", False),
        ("acme/a", "acme/a/b/c", True),
        (EVERYWHERE, "acme/a", True),
    ],
)
def test_a_scope_covers_itself_and_what_lies_below_it(outer, inner, holds):
    assert covers(outer, inner) is holds


def test_the_tenant_is_the_first_segment():
    assert [tenant_of(scope) for scope in ("acme", "acme/funds/eu")] == ["acme", "acme"]


def test_scopes_are_asked_from_the_nearest_to_the_broadest():
    assert nearest_first("acme/funds/eu") == ["acme/funds/eu", "acme/funds", "acme"]


@pytest.mark.parametrize("scope", ["", "/acme", "acme/", "acme//x", " acme", "acme/ x", "*", "a" * 501])
def test_what_is_no_path_is_no_scope(scope):
    with pytest.raises(ValueError, match="scope"):
        check_scope(scope)


@pytest.mark.parametrize("scope", ["acme", "acme/a b", "租户/年报", "a" * 500])
def test_names_may_hold_spaces_and_any_script(scope):
    assert check_scope(scope) == scope
