"""Claimdesk's store: what agents may believe, why, and what falls when a source turns out wrong.

This is the façade: pages, the command line and agents use the names of `store.names` and nothing below them. They are
brought in when the first of them is asked for: a command that needs a tenth of the store does not load the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.names import *  # noqa: F403
    from store.names import __all__ as __all__


def __getattr__(name: str) -> object:
    """Bring in the façade's names at the first one that is asked for.

    Raises:
        AttributeError: it is none of them.
    """
    if not name.startswith("__") or name == "__all__":
        names = import_module("store.names")
        globals().update({each: getattr(names, each) for each in names.__all__}, __all__=names.__all__)
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
