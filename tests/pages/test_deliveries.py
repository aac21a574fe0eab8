"""The page of deliveries and notices, run without a browser: drafting, approving, sending or telling by hand, and putting right."""

from __future__ import annotations

import re
import socket

import pytest

from store import (
    Plan,
    Verb,
    add_person,
    approve_messages,
    commit_plan,
    create_store,
    edit_message,
    list_delivered,
    list_messages,
    open_store,
    preview_plan,
    record_delivery,
    send_messages,
)
from store.actions.sending import _take_up
from tests.actions.test_deliveries import mail, postbox  # noqa: F401 - fixtures
from tests.builders import CAST, GROUND, given
from tests.pages.opened import opener, raw, words

open_page = opener("deliveries")

HOSTILE = '<img src=x onerror=alert(1)> ![x](http://evil.example/x) **b** =1+1'


def labels(at):
    return [button.label for button in at.button]


def press(at, label):
    # A second press so soon would be taken for the first one held down.
    at.session_state["decision.last_press"] = None
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception, at.exception
    return at


def do(url, action):
    store = open_store(url)
    try:
        return action(store)
    finally:
        store.close()


def fall(store):
    """Withdraw the source of the quarterly report."""
    plan = Plan(Verb.REVOKE, ("LARCH-Q3",))
    seen = preview_plan(store, "ana", "acme", plan, rows=0)
    return commit_plan(store, "ana", "acme", plan, seen.fingerprint, "because", waived=dict.fromkeys(seen.unowned, "an agent made it"))


def boxes(url, by="ana"):
    """The messages drafted here, not those the sample brings."""
    return [row for row in do(url, lambda store: list_messages(store, by)).rows if row.id.startswith("message-")]


@pytest.fixture
def fallen(fresh):
    """The sample after a source of delivered artifacts was withdrawn."""
    do(fresh, fall)
    return fresh


@pytest.fixture
def drafted(monkeypatch, fallen):
    """The same with its messages drafted; url and the first message to somebody with an address."""
    monkeypatch.delenv("CLAIMDESK_SMTP", raising=False)
    press(open_page(monkeypatch, fallen), "Draft messages")
    return fallen, next(row for row in boxes(fallen) if row.address)


def at_message(monkeypatch, url, row, person="ana"):
    return open_page(monkeypatch, url, person, message=row.id, tenant="acme")


def test_nothing_to_tell_says_so(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/bare.db"
    store = create_store(url)
    given(store, *CAST, *GROUND)
    store.close()
    at = open_page(monkeypatch, url)

    assert "Nobody is to be told anything" in words(at)
    assert "Draft messages" not in labels(at)


def test_what_stands_in_no_message_is_drafted_once(monkeypatch, fallen):
    at = open_page(monkeypatch, fallen)
    assert "in no message yet" in words(at)

    press(at, "Draft messages")

    assert boxes(fallen)
    assert "drafted" in words(at)
    assert "in no message yet" not in words(at)
    assert "Draft messages" not in labels(at)


def test_without_a_mail_server_a_message_is_approved_and_told_by_hand(monkeypatch, drafted):
    url, row = drafted
    at = at_message(monkeypatch, url, row)
    next(field for field in at.text_input if field.label == "Subject").set_value("Read this")

    press(at, "Approve as Ana Belcourt")
    assert "No mail server is set up" in words(at)
    assert "Send" not in labels(at)
    press(at, "Told by hand")
    press(at, "Mark as seen")

    (now,) = [one for one in boxes(url) if one.id == row.id]
    assert (now.subject, now.state) == ("Read this", "seen")


def test_with_a_mail_server_it_is_sent_once(monkeypatch, drafted, postbox):  # noqa: F811
    url, row = drafted
    monkeypatch.setenv("CLAIMDESK_SMTP", f"smtp://127.0.0.1:{postbox.settings.port}")
    monkeypatch.setenv("CLAIMDESK_SMTP_FROM", "desk@example.org")
    at = at_message(monkeypatch, url, row)
    press(at, "Approve as Ana Belcourt")
    postbox.refuses = {row.address}

    press(at, "Send")
    assert "no such box" in words(at)
    assert "Failed" in words(at)
    postbox.refuses = set()
    press(at, "Send again")

    assert "1 message was sent" in words(at)
    assert [one["To"] for one in postbox.mail] == [row.address]
    assert "Send again" not in labels(at)


def test_one_of_which_nobody_knows_is_left_to_a_person(monkeypatch, drafted, postbox):  # noqa: F811
    url, row = drafted
    monkeypatch.setenv("CLAIMDESK_SMTP", f"smtp://127.0.0.1:{postbox.settings.port}")
    monkeypatch.setenv("CLAIMDESK_SMTP_FROM", "desk@example.org")
    postbox.lost = True
    at = at_message(monkeypatch, url, row)
    press(at, "Approve as Ana Belcourt")

    press(at, "Send")
    assert "nobody knows whether it arrived" in words(at)
    assert "Send again" not in labels(at)
    press(at, "It arrived")

    assert next(one for one in boxes(url) if one.id == row.id).state == "sent"


def test_approving_what_somebody_changed_meanwhile_is_refused(monkeypatch, drafted):
    url, row = drafted
    at = at_message(monkeypatch, url, row)
    do(url, lambda store: edit_message(store, "ana", "acme", row.id, body="Something else."))

    press(at, "Approve as Ana Belcourt")

    assert "changed since you saw it" in words(at)
    assert next(one for one in boxes(url) if one.id == row.id).state == "drafted"


def test_a_wrong_address_is_a_sentence_and_changes_nothing(monkeypatch, drafted):
    url, row = drafted
    at = at_message(monkeypatch, url, row)
    next(field for field in at.text_input if field.label == "Mail address").set_value("nobody at all")

    press(at, "Save")

    assert "That is no mail address" in words(at)
    assert next(one for one in boxes(url) if one.id == row.id).address == row.address


def test_the_ticked_are_approved_and_the_exception_is_not(monkeypatch, drafted):
    url, row = drafted
    do(url, lambda store: record_delivery(store, "ana", "acme", row.documents[0][0], "zoe@example.org", "email"))
    before = boxes(url)
    at = open_page(monkeypatch, url)
    if len(before) < 2:
        pytest.fail("the sample tells fewer than two people")
    for tick in at.checkbox:
        tick.set_value(True)
    at.checkbox[0].set_value(False)

    press(at, "Approve the ticked as Ana Belcourt")

    assert sorted(one.state for one in boxes(url)) == ["approved"] * (len(before) - 1) + ["drafted"]


def test_what_went_out_and_needs_to_be_put_right_comes_first(monkeypatch, fallen):
    needing = do(fallen, lambda store: list_delivered(store, "ana", only="needing"))
    at = open_page(monkeypatch, fallen, view="delivered")

    assert f"{needing.needing} artifact" in words(at)
    assert raw(at).index(needing.rows[0].id) > 0
    one = open_page(monkeypatch, fallen, view="delivered", artifact=needing.rows[0].id, tenant="acme")
    next(area for area in one.text_area if area.label.startswith("What whoever")).set_value("Read 190 instead.")
    press(one, "Keep the annotation")
    assert "The annotation is kept" in words(one)
    assert "To be put right" not in words(one)


def test_a_delivery_to_somebody_with_a_hostile_name_is_shown_as_text(monkeypatch, fresh):
    id = do(fresh, lambda store: list_delivered(store, "ana")).rows[0].id
    at = open_page(monkeypatch, fresh, view="delivered", artifact=id, tenant="acme")
    next(field for field in at.text_input if field.label == "It went to").set_value(HOSTILE)
    press(at, "Record it")

    assert "The delivery is recorded" in words(at)
    assert HOSTILE in words(at)
    assert "<img" not in raw(at)
    do(fresh, fall)
    press(open_page(monkeypatch, fresh), "Draft messages")
    for row in boxes(fresh):
        assert "<img" not in raw(at_message(monkeypatch, fresh, row))
    assert "<img" not in raw(open_page(monkeypatch, fresh))


def test_recording_a_delivery_of_what_fell_says_who_is_to_be_told(monkeypatch, drafted):
    url, _ = drafted
    id = do(url, lambda store: list_delivered(store, "ana", only="needing")).rows[0].id
    at = open_page(monkeypatch, url, view="delivered", artifact=id, tenant="acme")
    assert "It no longer stands. Whoever got it will be in the next messages" in words(at)
    next(field for field in at.text_input if field.label == "It went to").set_value("zoe@example.org")
    press(at, "Record it")

    assert "zoe@example.org is to be told" in words(at)
    press(open_page(monkeypatch, url), "Draft messages")
    assert [one.address for one in boxes(url)].count("zoe@example.org") == 1


def test_somebody_of_another_team_sees_nothing_of_it(monkeypatch, drafted):
    url, row = drafted
    do(url, lambda store: add_person(store, "ravi", "acme", "nina", "Nina", [("reader", "acme/none")], "new here"))
    at = open_page(monkeypatch, url, "nina")
    assert row.recipient not in words(at)
    assert row.recipient not in words(at_message(monkeypatch, url, row, "nina"))
    assert row.documents[0][1] not in words(open_page(monkeypatch, url, "nina", view="delivered"))


def test_the_record_of_an_artifact_leads_to_where_it_went(monkeypatch, sample):
    id = do(sample, lambda store: list_delivered(store, "ana")).rows[0].id
    at = open_page(monkeypatch, sample, script="pages/record.py", record=id, tenant="acme")

    assert f"/deliveries?view=delivered&amp;artifact={id}" in raw(at)


def with_server(monkeypatch, postbox):  # noqa: F811
    monkeypatch.setenv("CLAIMDESK_SMTP", f"smtp://{postbox.settings.host}:{postbox.settings.port}")
    monkeypatch.setenv("CLAIMDESK_SMTP_FROM", postbox.settings.sender)


@pytest.fixture
def approved(drafted):
    """Every message that has an address approved; url and their number."""
    url, _ = drafted
    ids = [row.id for row in boxes(url) if row.address]
    do(url, lambda store: approve_messages(store, "ana", "acme", ids))
    assert len(ids) > 2
    return url, len(ids)


def test_many_are_sent_one_after_the_other_one_failure_stops_none_and_another_window_sends_none_again(monkeypatch, approved, postbox):  # noqa: F811
    url, many = approved
    with_server(monkeypatch, postbox)
    postbox.refuses = {next(row.address for row in boxes(url) if row.state == "approved")}
    at, other = open_page(monkeypatch, url), open_page(monkeypatch, url)
    press(at, f"Send all {many} approved messages")

    assert f"{many - 1} messages were sent. 1 failed" in words(at)
    assert len(postbox.mail) == many - 1
    press(other, f"Send all {many} approved messages")
    assert "0 messages are approved by now. Nothing was sent." in words(other)
    assert len(postbox.mail) == many - 1
    assert "1 message that failed" in words(open_page(monkeypatch, url, script="pages/today.py"))
    assert "Failed" in words(open_page(monkeypatch, url, state="failed"))


def test_a_sending_that_was_broken_off_goes_on_and_sends_nothing_twice(monkeypatch, approved, postbox):  # noqa: F811
    url, many = approved
    with_server(monkeypatch, postbox)
    ids = [row.id for row in boxes(url) if row.state == "approved"]
    do(url, lambda store: send_messages(store, "ana", "acme", ids[:1], postbox.settings, operation="press"))
    at = open_page(monkeypatch, url)
    at.session_state["delivery.batch"] = {"left": [("acme", id) for id in ids], "all": many, "operation": "press", "done": {}}
    at.run()

    assert f"{many - 1} messages were sent." in words(at)
    assert "was taken up by this press already. It was not sent again." in words(at)
    assert len(postbox.mail) == many


def test_after_three_without_an_answer_the_rest_is_not_tried(monkeypatch, approved):
    url, many = approved
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("CLAIMDESK_SMTP", f"smtp://127.0.0.1:{closed.getsockname()[1]}")
        monkeypatch.setenv("CLAIMDESK_SMTP_FROM", "desk@example.org")
        at = press(open_page(monkeypatch, url), f"Send all {many} approved messages")

    assert f"did not answer 3 times in a row, so {many - 3} more" in words(at)
    assert sorted(row.state for row in boxes(url) if row.address) == ["approved"] * (many - 3) + ["failed"] * 3


def test_the_outbox_is_paged_and_each_message_is_on_one_page(monkeypatch, drafted):
    url, _ = drafted
    monkeypatch.setattr("pages.widgets.outbox_list._SHOWN", 2)
    ids, query = [], {}
    while True:
        at = open_page(monkeypatch, url, **query)
        ids += re.findall(r"message=(message-\d+)", raw(at))
        following = re.search(r"begin=([\d.]+)", raw(at))
        if following is None:
            break
        query = {"begin": following[1]}
    assert ids == [row.id for row in boxes(url)]


def test_what_is_being_sent_is_no_message_of_which_nobody_knows(monkeypatch, approved):
    url, _ = approved
    row = next(row for row in boxes(url) if row.state == "approved")
    do(url, lambda store: _take_up(store, "ana", "acme", row.id, operation=None, authenticated=False))

    assert "Being sent" in words(open_page(monkeypatch, url, state="sending"))
    at = at_message(monkeypatch, url, row)
    assert "It is being sent just now." in words(at)
    assert "It arrived" not in labels(at)
