"""Who may ask the desk's server, and what its answers carry."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time

import pytest

from .served import ROOT, free_port, start
from .wire import ask, shake_hands

MUST_CARRY = {
    "content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin", "permissions-policy": "camera=()",
}  # fmt: skip


def missing_headers(answer):
    return [name for name, value in MUST_CARRY.items() if value not in answer.headers.get(name, "")]


@pytest.fixture(scope="module")
def port(quiet_desk):
    return quiet_desk.port


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/candidates", 200), ("GET", "/revoke", 200), ("GET", "/record?record=x", 200), ("HEAD", "/candidates", 200), ("GET", "/", 307),
        ("GET", "/nowhere", 307), ("GET", "/a/b/c", 307), ("GET", "/pages/record", 307), ("GET", "/pages/record.py", 307), ("GET", "/index.html", 307),
        ("GET", "/record/_stcore/health", 307), ("GET", "/record/_stcore/metrics", 307), ("GET", "/favicon.png", 200), ("GET", "/_stcore/health", 200),
        ("GET", "/_stcore/host-config", 200), ("GET", "/_stcore/nothing", 404), ("GET", "/media/nothing", 404), ("GET", "/static/js/nothing.js", None),
        ("GET", "/component/x/y", None), ("GET", "/_stcore/bidi-components/x", None), ("POST", "/candidates", None), ("PUT", "/_stcore/upload_file/a/b", None),
        ("DELETE", "/_stcore/upload_file/a/b", None), ("OPTIONS", "/_stcore/health", None), ("GET", "/_stcore/metrics", 403), ("GET", "//_stcore/metrics", 403),
        ("GET", "/_stcore/metrics/", 403), ("POST", "/_stcore/agent/interact", 403), ("GET", "/_stcore/agent/openapi.json", 403), ("GET", "/_stcore/agent/mcp", 403),
        ("GET", "/_stcore/%61gent/mcp", 403), ("GET", "/_stcore/script-health-check", 403), ("GET", "/app/static/x", 403), ("GET", "/auth/login", 403),
        ("GET", "/oauth2callback", 403), ("GET", "/..%2f..%2fetc/passwd", None), ("GET", "/static/..%2f..%2f..%2fapp.py", None), ("GET", "//example.org", 307),
    ],
)  # fmt: skip
def test_every_answer_carries_the_headers(port, method, path, status):
    answer = ask(port, path, method)

    assert missing_headers(answer) == []
    assert status is None or answer.status == status
    assert b"root:" not in answer.body
    assert b"build_app" not in answer.body


def test_a_file_that_did_not_change_is_answered_with_the_headers_too(port):
    known = ask(port, "/favicon.png").headers["etag"]
    answer = ask(port, "/favicon.png", If_None_Match=known)

    assert answer.status == 304
    assert missing_headers(answer) == []


def test_an_address_that_is_no_page_leads_to_the_desk_and_nowhere_else(port):
    assert ask(port, "//example.org/x").headers["location"] == "/today?missing=1"
    assert ask(port, "/?scope=acme").headers["location"] == "/today?scope=acme"


def test_only_this_machine_by_its_own_name_is_answered(port):
    for host in ("example.org", f"example.org:{port}", "127.0.0.1.example.org", "a@127.0.0.1", ""):
        answer = ask(port, "/candidates", host=host)
        assert answer.status in (400, 403), host
    assert ask(port, "/candidates", host=f"localhost:{port}").status == 200
    assert ask(port, "/candidates", X_Forwarded_For="203.0.113.9").status == 403


def test_the_socket_opens_for_the_desks_own_page(port):
    answer = shake_hands(port)

    assert answer.status == 101
    assert missing_headers(answer) == []


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        (None, "http://example.org"), (None, "https://127.0.0.1.example.org"), (None, "null"), (None, "http://127.0.0.1:1"), (None, "http://localhost"),
        ("example.org", None), ("example.org", "http://example.org"), ("example.org", ""), ("127.0.0.1.example.org", ""),
    ],
)  # fmt: skip
def test_the_socket_stays_shut_for_others(port, host, origin):
    answer = shake_hands(port, host, origin)

    assert answer.status == 403
    assert missing_headers(answer) == []


@pytest.mark.parametrize("path", ["/_stcore/nothing", "/record/_stcore/stream", "/_stcore/agent/mcp"])
def test_other_sockets_are_refused_with_the_headers(port, path):
    answer = shake_hands(port, path=path)

    assert answer.status in (403, 404)
    assert missing_headers(answer) == []


def own_addresses():
    """Addresses of this machine that others may reach, where it has one."""
    found = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    return sorted(one for one in found if not one.startswith("127."))[:1]


@pytest.mark.parametrize("address", ["0.0.0.0", "::", *own_addresses()])
def test_local_mode_does_not_start_on_an_address_others_can_reach(address):
    found = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.address", address, "--server.port", str(free_port())],
        cwd=ROOT, capture_output=True, text=True, timeout=240,
    )  # fmt: skip

    assert found.returncode not in (0, None)
    assert f"Claimdesk did not start: it would listen on {address}" in found.stderr
    assert "--server.address 127.0.0.1" in found.stderr
    assert "Traceback" not in found.stderr


def test_started_from_another_folder_it_listens_on_this_machine_only(stores, tmp_path):
    port = free_port()
    log = (tmp_path / "log").open("wb+")
    process = start(stores.fresh("sqlite"), port, folder=tmp_path, script=str(ROOT / "app.py"), log=log)
    try:
        answer = None
        while answer is None:
            try:
                answer = ask(port, "/candidates")
            except OSError:
                assert process.poll() is None
                time.sleep(0.1)
        listening = f"127.0.0.1:{port}"
        if shutil.which("ss"):
            listening = subprocess.run(["ss", "-Hltn", f"sport = :{port}"], capture_output=True, text=True).stdout

        assert answer.status == 200
        assert missing_headers(answer) == []
        assert f"127.0.0.1:{port}" in listening
        assert f"0.0.0.0:{port}" not in listening
    finally:
        process.terminate()
        process.wait(15)


def test_the_terminal_says_the_address_and_nothing_else(stores, tmp_path):
    port = free_port()
    with (tmp_path / "log").open("wb") as log:
        process = start(stores.fresh("sqlite"), port, log=log)
        try:
            for _ in range(600):
                try:
                    assert ask(port, "/candidates").status == 200
                    break
                except OSError:
                    assert process.poll() is None
                    time.sleep(0.1)
            else:
                pytest.fail("The desk did not begin to answer within a minute.")
        finally:
            process.terminate()
            process.wait(15)

    said = [line.strip() for line in (tmp_path / "log").read_text("utf-8").splitlines() if line.strip()]
    assert said[:2] == ["You can now view your Streamlit app in your browser.", f"URL: http://127.0.0.1:{port}"]
    assert [line for line in said[2:] if "Stopping" not in line] == []


def test_from_another_folder_with_settings_of_its_own_it_does_not_start_wide_open(tmp_path):
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text('[server]\naddress = "0.0.0.0"\n')
    found = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(free_port())],
        cwd=tmp_path, capture_output=True, text=True, timeout=240, env={**os.environ, "STREAMLIT_SERVER_ADDRESS": "0.0.0.0"},
    )  # fmt: skip

    assert found.returncode != 0
    assert "did not start" in found.stderr


def test_streamlit_takes_app_py_for_the_hardened_application():
    from streamlit.web.server.app_discovery import discover_asgi_app

    assert discover_asgi_app(ROOT / "app.py").is_asgi_app
