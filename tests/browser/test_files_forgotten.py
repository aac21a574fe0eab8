"""A file made ready for the browser is not served any more once something in it is blocked to be forgotten, whoever blocked it."""

import urllib.error
import urllib.request

import pytest

from store import Wanted, open_store, request_deletion

from .served import settle

LARCH = "/revoke?pick=LARCH-Q3&do=revoke"


def status_of(address):
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.fixture
def desk(stores, start_desk):
    return start_desk(stores.fresh("sqlite"))


def test_a_download_is_gone_once_a_record_of_it_is_blocked(desk, visitors):
    page = visitors.page_as("ravi", desk, LARCH)
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    address = saved.value.url
    code, body = status_of(address)
    assert code == 200
    assert b"nav-2026-q3" in body

    # Somebody at a terminal asks for it, in another process than the desk's.
    store = open_store(desk.database)
    request_deletion(store, "ravi", "acme", Wanted(("nav-2026-q3",)), reason="asked", ground="asked_by_person")
    store.close()

    code, body = status_of(address)
    assert (code, b"nav-2026-q3" in body) == (404, False)
    page.reload()
    settle(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    assert "fund report" not in saved.value.path().read_text("utf-8-sig")
    assert status_of(saved.value.url)[0] == 200
