"""A process killed while it sends a message: it is said that nobody knows, nothing is sent again by itself, and a person says what became of it (R24)."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from email import message_from_bytes, policy

import pytest
from aiosmtpd.controller import Controller

from store import (
    MailSettings,
    approve_messages,
    count_waiting,
    draft_messages,
    list_messages,
    send_messages,
    settle_unknown_sending,
    view_message,
)
from tests.builders import TENANT, accepted, artifact, carry_out, delivered, given, is_sound, refused, suspending

SENDER = """
import sys
from store import MailSettings, open_store, send_messages
url, at, port, *ids = sys.argv[1:]
send_messages(open_store(url, now=lambda: int(at)), "ana", "acme", ids, MailSettings("127.0.0.1", int(port), "desk@example.org"))
"""


class Killer:
    """A mail server that ends who is talking to it at a moment, before it answers."""

    def __init__(self, moment):
        self.moment, self.victim, self.mail = moment, None, []

    def kill(self, moment):
        if moment == self.moment and self.victim is not None:
            victim, self.victim = self.victim, None
            victim.kill()
            victim.wait()

    async def handle_MAIL(self, server, session, envelope, address, options):
        self.kill("taken up")
        envelope.mail_from = address
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.mail.append(message_from_bytes(envelope.content, policy=policy.default))
        self.kill("handed over")
        return "250 taken"


@pytest.fixture
def killer(request):
    server = Killer(request.param)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server.port = free.getsockname()[1]
    controller = Controller(server, hostname="127.0.0.1", port=server.port)
    controller.start()
    yield server
    controller.stop()


@pytest.mark.parametrize("killer", ["taken up", "handed over"], indirect=True)
def test_a_message_whose_sender_was_killed_is_left_to_a_person_and_never_sent_again_by_itself(desk, killer):
    given(desk, accepted("A"), artifact("R1", "A", deliveries=[delivered("kim@example.org"), delivered("lee@example.org")]))
    carry_out(desk, suspending("A"))
    draft_messages(desk, "ana", TENANT)
    first, second = sorted(row.id for row in list_messages(desk, "ana").rows if row.address)
    approve_messages(desk, "ana", TENANT, [first, second])
    settings = MailSettings("127.0.0.1", killer.port, "desk@example.org")

    killer.victim = sender = subprocess.Popen([sys.executable, "-c", SENDER, desk.url, str(desk.now()), str(killer.port), first, second])
    assert sender.wait(60) == -signal.SIGKILL

    arrived = killer.moment == "handed over"
    assert len(killer.mail) == arrived
    assert [view_message(desk, "ana", TENANT, id).state for id in (first, second)] == ["sending", "approved"]
    desk.now.pass_by(minutes=3)
    assert view_message(desk, "ana", TENANT, first).unknown
    assert count_waiting(desk, "ana").unknown == 1
    assert draft_messages(desk, "ana", TENANT)["drafted"] == []
    found = send_messages(desk, "ana", TENANT, [first, second], settings)
    assert (found["sent"], [one["id"] for one in found["refused"]]) == ([second], [first])

    settle_unknown_sending(desk, "ana", TENANT, first, arrived=arrived)
    if not arrived:
        assert send_messages(desk, "ana", TENANT, [first], settings)["sent"] == [first]
    assert view_message(desk, "ana", TENANT, first).state == "sent"
    assert sorted(str(one["To"]) for one in killer.mail) == ["kim@example.org", "lee@example.org"], "each once"
    with refused("illegal_step"):
        settle_unknown_sending(desk, "ana", TENANT, first, arrived=True)
    assert is_sound(desk)
