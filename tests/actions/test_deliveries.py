"""Deliveries, editions, remedies and messages: told once, to everybody who holds something, and never sent twice (R24)."""

import socket
import threading
from contextlib import suppress
from dataclasses import replace
from email import message_from_bytes, policy

import pytest
from aiosmtpd.controller import Controller

from store import (
    MailSettings,
    approve_messages,
    cancel_messages,
    edit_message,
    list_export_copies,
    list_messages,
    note_message_seen,
    record_delivery,
    send_messages,
    set_email,
    settle_unknown_sending,
    view_message,
    write_message_file,
)
from store.actions.sending import _take_up
from tests.builders import (
    QUOTE,
    TENANT,
    accepted,
    artifact,
    carry_out,
    delivered,
    evidence,
    given,
    is_sound,
    passage,
    person,
    refused,
    revoking,
    source,
    status,
    suspending,
)
from tests.messaging import box, draft, setting
from tests.recapturing import NAV, fund, recapture, recapturing  # noqa: F401 - fixture


class Postbox:
    """A mail server's inbox; it may refuse recipients, or be lost while the text goes over."""

    def __init__(self):
        self.mail, self.refuses, self.lost = [], set(), False

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.refuses:
            return "550 no such box"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.mail.append(message_from_bytes(envelope.content, policy=policy.default))
        if self.lost:
            server.transport.close()
        return "250 taken"


@pytest.fixture(scope="module")
def mail():
    box = Postbox()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    box.settings = MailSettings("127.0.0.1", port, "desk@example.org")
    yield box
    controller.stop()


@pytest.fixture
def postbox(mail):
    mail.mail.clear()
    mail.refuses, mail.lost = set(), False
    return mail


def outcome(store, id, settings, **options):
    """What came of sending one message, in one word."""
    found = send_messages(store, "ana", TENANT, [id], settings, **options)
    return next(name for name in ("sent", "failed", "unknown", "refused") if found[name])


def ready(store, recipient="lee@example.org"):
    carry_out(store, suspending("A"))
    draft(store)
    id = box(store)[recipient].id
    approve_messages(store, "ana", TENANT, [id])
    return id


def test_each_person_gets_one_message_about_everything_they_hold(desk):
    setting(desk)
    carry_out(desk, suspending("A"))

    draft(desk)

    found = box(desk)
    assert sorted(found) == ["ben", "kim@example.org", "lee@example.org"]
    assert [id for id, _, _ in found["kim@example.org"].documents] == ["R1", "R2"]
    assert [id for id, _, _ in found["ben"].documents] == ["R1", "R2"], "the owner is told"
    assert "The NAV is 184." in found["kim@example.org"].body
    assert "acme" not in found["kim@example.org"].body
    assert draft(desk)["drafted"] == []
    assert status(desk, "R1") == "STALE"


def test_what_is_drafted_again_joins_the_draft_there_is(desk):
    setting(desk)
    carry_out(desk, suspending("A"))
    draft(desk)
    carry_out(desk, revoking("A"))

    assert len(draft(desk)["extended"]) == 3
    assert len(list_messages(desk, "ana").rows) == 3


def test_a_message_is_sent_once_and_by_one_of_two(desk, postbox):
    setting(desk)
    id = ready(desk)
    outcomes = []
    threads = [threading.Thread(target=lambda: outcomes.append(outcome(desk, id, postbox.settings))) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    assert sorted(outcomes) == ["refused", "sent"]
    assert [one["To"] for one in postbox.mail] == ["lee@example.org"]
    note_message_seen(desk, "ana", TENANT, [id])
    assert view_message(desk, "ana", TENANT, id).state == "seen"
    assert is_sound(desk)


def test_a_refused_recipient_is_told_so_and_can_be_sent_to_again(desk, postbox):
    setting(desk)
    id = ready(desk)
    postbox.refuses = {"lee@example.org"}

    assert outcome(desk, id, postbox.settings) == "failed"

    assert "no such box" in view_message(desk, "ana", TENANT, id).failure
    assert status(desk, "R1") == "STALE", "a failed sending undoes nothing"
    postbox.refuses = set()
    assert outcome(desk, id, postbox.settings) == "sent"
    assert len(postbox.mail) == 1


def test_a_server_that_is_not_there_is_a_failure_with_what_to_do(desk):
    setting(desk)
    id = ready(desk)

    assert outcome(desk, id, MailSettings("127.0.0.1", 1, "desk@example.org")) == "failed"
    assert "send again" in view_message(desk, "ana", TENANT, id).failure


def test_a_server_lost_while_the_text_went_over_leaves_it_to_a_person(desk, postbox):
    setting(desk)
    id = ready(desk)
    postbox.lost = True

    assert outcome(desk, id, postbox.settings) == "unknown"

    assert outcome(desk, id, postbox.settings) == "refused"
    assert view_message(desk, "ana", TENANT, id).unknown
    before = postbox.mail[0]["Message-ID"]
    settle_unknown_sending(desk, "ana", TENANT, id, arrived=False)
    postbox.lost = False
    assert outcome(desk, id, postbox.settings) == "sent"
    assert [one["Message-ID"] for one in postbox.mail] == [before, before]


class Mute:
    """A server that accepts, says what it is told to say, and then nothing more; or a letter of an answer at a time."""

    def __init__(self, *answers, drips=False):
        self.answers, self.drips = answers, drips
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.settings = MailSettings(*self.listening.getsockname(), "desk@example.org")
        self.connections, self.over = [], threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with suppress(OSError):
            connection, _ = self.listening.accept()
            self.connections.append(connection)
            for answer in self.answers:
                connection.sendall(answer + b"\r\n")
                connection.recv(100_000)
            while self.drips and not self.over.wait(0.05):
                connection.sendall(b"2")

    def close(self):
        self.over.set()
        for one in (*self.connections, self.listening):
            one.close()


@pytest.mark.parametrize(
    ("answers", "drips", "patience", "state", "says"),
    [
        ((), False, 0.5, "failed", "did not answer within 0.5 seconds. Nothing was sent."),
        # Time enough for the answers it does give, also on a busy machine.
        ((b"220 here", b"250 you", b"250 from", b"250 to", b"354 go on"), False, 3, "sending", "did not answer within 3 seconds, so nobody knows"),
        ((), True, 0.5, "failed", "did not answer within 0.5 seconds. Nothing was sent."),
    ],
)
def test_a_server_that_never_answers_is_waited_for_no_longer_than_that(desk, answers, drips, patience, state, says):
    setting(desk)
    id, mute = ready(desk), Mute(*answers, drips=drips)  # it would go on like this for ever
    try:
        outcome(desk, id, mute.settings, patience=patience)
    finally:
        mute.close()

    row = view_message(desk, "ana", TENANT, id)
    assert row.state == state
    assert row.unknown is (state == "sending")
    assert says in row.failure


def test_the_same_press_again_sends_nothing_again_and_one_failure_stops_no_other(desk, postbox):
    setting(desk)
    carry_out(desk, suspending("A"))
    draft(desk)
    ids = sorted(row.id for row in box(desk).values() if row.address)
    approve_messages(desk, "ana", TENANT, ids)
    postbox.refuses = {box(desk)["kim@example.org"].address}

    found = send_messages(desk, "ana", TENANT, [*ids, "message-77"], postbox.settings, operation="press-1")
    again = send_messages(desk, "ana", TENANT, ids, postbox.settings, operation="press-1")

    assert (len(found["sent"]), len(found["failed"]), len(found["refused"])) == (1, 1, 1)
    assert [one["code"] for one in again["refused"]] == ["already_decided"] * 2, "not even what failed is sent by it again"
    assert len(postbox.mail) == 1


def test_what_is_mailed_is_registered_once_and_what_the_server_did_not_take_as_gone(desk, postbox):
    setting(desk)
    id = ready(desk)
    address = box(desk)["lee@example.org"].address
    postbox.refuses = {address}
    assert outcome(desk, id, postbox.settings) == "failed"
    refused_one = list_export_copies(desk, "adam", TENANT)
    assert (refused_one.total, refused_one.open) == (1, 0)

    postbox.refuses = set()
    assert outcome(desk, id, postbox.settings) == "sent"
    found = list_export_copies(desk, "adam", TENANT, records=["A"])
    assert (found.total, found.open, found.rows[0].format, found.rows[0].holder) == (2, 1, "mail", "lee@example.org")


def test_hostile_titles_and_subjects_begin_no_header(desk, postbox):
    given(desk, accepted("A"), artifact("R1", "A", title="Good\r\nBcc: all@example.org\u202e", deliveries=[delivered("lee@example.org")]))
    id = ready(desk)
    edit_message(desk, "ana", TENANT, id, subject="Hello\r\nBcc: spy@example.org", body="Text\n\nBcc: not a header")
    approve_messages(desk, "ana", TENANT, [id])

    assert outcome(desk, id, postbox.settings) == "sent"

    assert postbox.mail[0]["Bcc"] is None
    assert message_from_bytes(write_message_file(desk, "ana", TENANT, id), policy=policy.default)["Bcc"] is None


def test_a_recipient_that_is_no_address_is_not_sent_to(desk, postbox):
    given(desk, accepted("A"), artifact("R1", "A", deliveries=[delivered("x@y.example> BCC: all@z.example")]))
    id = ready(desk, "x@y.example> BCC: all@z.example")

    assert outcome(desk, id, postbox.settings) == "refused"
    assert postbox.mail == []
    assert message_from_bytes(write_message_file(desk, "ana", TENANT, id), policy=policy.default)["Bcc"] is None


def test_what_the_drafter_may_not_see_is_counted_and_never_told(desk):
    given(
        desk, person("nina", "reviewer", "acme/open"), accepted("A", statement="Hush hush."), artifact("R1", "A", scope="acme/open", deliveries=[delivered()]),
        artifact("R9", "A", scope="acme/closed", title="Closed report", deliveries=[delivered()]),
    )  # fmt: skip
    carry_out(desk, suspending("A"))

    hidden = draft(desk, "nina")["hidden"]

    body = box(desk, "nina")["kim@example.org"].body
    assert hidden >= 1
    assert "Closed report" not in body
    assert "Hush" not in body


def test_cancelled_notices_are_drafted_anew(desk):
    setting(desk)
    cancel_messages(desk, "ana", TENANT, [ready(desk)])

    assert len(draft(desk)["drafted"]) == 1


def test_a_message_is_shown_and_changed_only_by_who_may_see_all_it_names(desk):
    given(desk, person("nina", "reviewer", "acme/open"), accepted("A", statement="Hush hush."), artifact("R1", "A", scope="acme/open", deliveries=[delivered()]))
    carry_out(desk, suspending("A"))
    draft(desk)
    id = box(desk)["kim@example.org"].id
    assert "Hush hush." in box(desk)["kim@example.org"].body

    assert id not in [row.id for row in list_messages(desk, "nina").rows]
    for doing in (lambda: view_message(desk, "nina", TENANT, id), lambda: write_message_file(desk, "nina", TENANT, id), lambda: edit_message(desk, "nina", TENANT, id, body="x")):
        with refused("not_found"):
            doing()


def test_sensitive_statements_and_ids_do_not_leave_the_house(desk):
    given(desk, accepted("A", statement="Hush hush.", sensitivity="sensitive"), artifact("R1", "A", title=None, deliveries=[delivered()]))
    carry_out(desk, suspending("A"))
    draft(desk)

    body = box(desk)["kim@example.org"].body
    assert "Hush" not in body
    assert "R1" not in body
    assert "1 more statement it rests on changed too." in body


def test_who_may_not_see_all_a_message_names_does_not_see_the_message(desk):
    given(
        desk, source("S2", f"{TENANT}/deep"), evidence("E2", "S2"), accepted("H", scope=f"{TENANT}/deep", evidence=[passage(evidence="E2")]),
        accepted("X", on="H", scope=f"{TENANT}/open"), person("pat", "reviewer", f"{TENANT}/open"), person("sam", "reviewer", TENANT),
        artifact("R1", "X", scope=f"{TENANT}/open", owner="sam", deliveries=[delivered("sam")]),
    )  # fmt: skip
    carry_out(desk, suspending("E2"))
    draft(desk)

    assert QUOTE in box(desk)["sam"].body
    assert box(desk, "pat") == {}


def test_owners_of_what_fell_are_told_though_nobody_got_it_and_no_case_is_open(desk):
    given(desk, accepted("A"), artifact("R1", "A", owner="ben"), artifact("R2", "A", owner="carl"))
    carry_out(desk, suspending("A"))
    assert list_messages(desk, "ana").untold == ((TENANT, 2),)
    draft(desk)

    assert sorted(box(desk)) == ["ben", "carl"]
    assert "What to do: check it, and say how it is put right." in box(desk)["ben"].body
    assert list_messages(desk, "ana").untold == ()
    record_delivery(desk, "bot", TENANT, "R1", "zoe@example.org", "portal")
    draft(desk)
    assert sorted(box(desk)) == ["ben", "carl", "zoe@example.org"]
    assert len(list_messages(desk, "ana").rows) == 3, "a delivery recorded late is no news to the owner"


def test_an_address_given_to_somebody_goes_to_their_drafts_that_had_none(desk):
    setting(desk)
    carry_out(desk, suspending("A"))
    draft(desk)
    assert box(desk)["ben"].address is None
    assert set_email(desk, "adam", TENANT, "ben", "ben@example.org")["filled"] == 1

    assert (box(desk)["ben"].address, box(desk)["ben"].channel) == ("ben@example.org", "email")
    assert set_email(desk, "adam", TENANT, "ben", "ben@other.example")["filled"] == 0
    assert box(desk)["ben"].address == "ben@example.org", "what was given is not changed"


def test_an_approval_is_of_the_text_that_was_read(desk):
    setting(desk)
    carry_out(desk, suspending("A"))
    draft(desk)
    row = box(desk)["lee@example.org"]
    edit_message(desk, "ana", TENANT, row.id, body="Something else.")

    with refused("changed_since_seen"):
        approve_messages(desk, "ana", TENANT, [row.id], seen={row.id: row.seen})

    approve_messages(desk, "ana", TENANT, [row.id], seen={row.id: view_message(desk, "ana", TENANT, row.id).seen})


def test_a_sender_that_died_leaves_it_to_a_person_after_a_while_and_the_same_mail_goes_out(desk, postbox):
    setting(desk)
    id = ready(desk)
    file = message_from_bytes(write_message_file(desk, "ana", TENANT, id), policy=policy.default)
    _take_up(desk, "ana", TENANT, id, operation=None, authenticated=False)

    assert outcome(desk, id, postbox.settings) == "refused"
    assert not view_message(desk, "ana", TENANT, id).unknown, "somebody may be sending it"
    with refused("busy"):
        settle_unknown_sending(desk, "ana", TENANT, id, arrived=False)
    settle_unknown_sending(desk, "ana", TENANT, id, arrived=False, patience=0)

    assert postbox.mail == []
    assert outcome(desk, id, postbox.settings) == "sent"
    assert postbox.mail[0]["Message-ID"] == file["Message-ID"]


def test_a_password_goes_to_no_server_without_encryption(desk, postbox):
    setting(desk)
    id = ready(desk)

    assert outcome(desk, id, replace(postbox.settings, user="desk", password="secret")) == "failed"
    assert "no encryption" in view_message(desk, "ana", TENANT, id).failure
    assert postbox.mail == []
