"""Compiled statements, kept for every engine of the process.

An engine keeps its own otherwise, and opening a store takes four: its statements would be compiled anew at every opening, and
compiling one costs more than carrying it out.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.util import LRUCache

#: More than there are statements; those with lists of varying length are compiled once as well.
_MOST = 2000


class _Compiled(LRUCache[Any, Any]):
    """Compiled statements by what they say, and for which kind of database they say it instead of for which engine."""

    def get(self, key: Any, default: Any = None) -> Any:
        """Return a compiled statement."""
        return super().get(_of_kind(key), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(_of_kind(key), value)


def _of_kind(key: Any) -> Any:
    dialect, *statement = key
    return (dialect.name, dialect.driver, dialect.server_version_info, dialect.paramstyle, *statement)


#: The option of every engine that makes it use them.
SHARED: dict[str, Any] = {"compiled_cache": _Compiled(_MOST)}
