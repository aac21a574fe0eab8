"""Scopes: paths whose first segment is the tenant (DESIGN section 2)."""

from __future__ import annotations

EVERYWHERE = "*"
_LONGEST = 500


def tenant_of(scope: str) -> str:
    """Return the tenant a scope belongs to."""
    return scope.split("/", 1)[0]


def covers(outer: str, inner: str) -> bool:
    """Return whether `inner` is `outer` or lies below it."""
    return outer in (EVERYWHERE, inner) or inner.startswith(outer + "/")


def nearest_first(scope: str) -> list[str]:
    """Return `scope` and its ancestors, nearest first: a/b/c, a/b, a."""
    parts = scope.split("/")
    return ["/".join(parts[:n]) for n in range(len(parts), 0, -1)]


def check_scope(scope: str) -> str:
    """Return `scope` if it is well formed.

    Raises:
        ValueError: it is empty, too long, or has an empty segment or one with spaces around it.
    """
    parts = scope.split("/")
    if len(scope) > _LONGEST or scope == EVERYWHERE or any(not part or part != part.strip() for part in parts):
        raise ValueError(f"{scope[:60]!r} is not a scope such as acme/funds (at most {_LONGEST} characters)")
    return scope
