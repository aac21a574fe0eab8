#!/bin/sh
# Sets up what is missing, then runs every test: makes .venv, installs, gets a browser if there is none, runs pytest.
# Usage: sh tests/run.sh [pytest arguments]
set -eu
cd "$(dirname "$0")/.."

# Tests start hundreds of processes: each should find the modules compiled, also where the machine says otherwise.
unset PYTHONDONTWRITEBYTECODE

python=${PYTHON:-python3}
command -v python3.11 >/dev/null 2>&1 && python=${PYTHON:-python3.11}
[ -x .venv/bin/python ] || "$python" -m venv .venv

# Install once per change of the two lists.
wanted=$(cat requirements.txt requirements-dev.txt | sha256sum | cut -c1-40)
if [ "$(cat .venv/installed 2>/dev/null || true)" != "$wanted" ]; then
    echo "Installing what the tests need into .venv ..."
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
    echo "$wanted" > .venv/installed
fi

# A browser: Debian's Chromium where it is or can be installed, else Playwright's own. The tests look for it at this very place.
debian=/usr/bin/chromium
if [ ! -x "$debian" ] && command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Getting a browser ..."
    (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium fonts-noto-cjk) >/tmp/claimdesk-browser.log 2>&1 \
        || echo "Debian's Chromium could not be installed (see /tmp/claimdesk-browser.log); Playwright's own is used."
fi
if [ ! -x "$debian" ]; then
    .venv/bin/python -m playwright install chromium || echo "There is no browser: the tests that need one will fail."
fi

.venv/bin/python -m compileall -q app.py pages store
exec .venv/bin/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder "$@"
