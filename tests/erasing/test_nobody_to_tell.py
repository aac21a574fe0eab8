"""Whoever was forgotten is told nothing any more: no message waits for a name that stands nowhere."""

from store import Wanted, draft_messages, list_messages, request_deletion, run_deletion
from tests.builders import TENANT, accepted, artifact, given


def test_a_recipient_who_was_forgotten_stands_in_no_draft_and_in_no_count_of_what_is_to_be_told(desk):
    sent = [{"recipient": who, "channel": "email", "delivered_at": "2026-06-01T10:00:00Z"} for who in ("kim-lee@example.org", "desk@example.org")]
    given(desk, accepted("SEAT", "window", subject="person:kim-lee", speaker="kim-lee"), artifact("PLAN", "SEAT", deliveries=sent, owner=None))
    request = request_deletion(desk, "adam", TENANT, Wanted(found_by="subject", name="person:kim-lee"), reason="asked")["request"]
    assert list_messages(desk, "ana").untold == ((TENANT, 2),)
    run_deletion(desk, "adam", TENANT, request)

    assert list_messages(desk, "ana").untold == ((TENANT, 1),)
    draft_messages(desk, "ana", TENANT)
    assert [row.recipient for row in list_messages(desk, "ana").rows] == ["desk@example.org"]
    assert list_messages(desk, "ana").untold == ()
