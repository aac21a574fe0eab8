"""`python -m store …`."""

import gc
import sys


def run() -> int:
    """Carry out the command line, and return how it ended."""
    gc.disable()  # what is loaded stays: looking for garbage among it, last when the process ends, took an eighth of a short command
    from store.cli import main  # noqa: PLC0415 - see above

    gc.freeze()
    gc.enable()
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
