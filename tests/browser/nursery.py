"""A process that has loaded what every desk loads and forks one per order, so that not each of a hundred desks loads it anew.

What runs in the fork is `streamlit run app.py` from its first line on. That the command itself starts a desk is tested in
`test_server.py`, which starts it so. Orders are lines of JSON on the standard input: `arguments`, `environment` and `log`;
the answer is the number of the process. When the input ends, every desk ends.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def _load() -> None:
    """Load the libraries and the store; nothing of the desk's own pages, which register themselves with the server that runs."""
    import networkx  # noqa: F401
    import numpy  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow  # noqa: F401
    import scipy.sparse  # noqa: F401
    import streamlit.testing.v1  # noqa: F401
    import streamlit.web.bootstrap  # noqa: F401
    import streamlit.web.cli  # noqa: F401
    import uvicorn  # noqa: F401

    import store.__main__
    import store.names  # noqa: F401


def _become_desk(order: dict[str, Any]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    out = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.environ.clear()
    os.environ.update(order["environment"])
    from streamlit.web.cli import main

    sys.argv = ["streamlit", *order["arguments"]]
    main(prog_name="streamlit")


def run() -> None:
    """Fork a desk for every order until there are no more."""
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    gc.disable()
    _load()
    gc.enable()
    gc.freeze()  # a desk looks for garbage after every run of a page: what all desks share is none
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a desk that ended is gone, and nobody has to fetch it
    children = []
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                _become_desk(json.loads(line))
            finally:
                os._exit(1)
        children.append(child)
        print(child, flush=True)
    for child in children:
        try:
            os.kill(child, signal.SIGTERM)
        except ProcessLookupError:
            continue
    time.sleep(0.2)


if __name__ == "__main__":
    run()
