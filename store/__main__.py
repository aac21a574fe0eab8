"""`python -m store …`."""

import sys

from store.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
