"""Messages, remedies and addresses go out and come in byte for byte."""

import json

from store import (
    MailSettings,
    approve_messages,
    draft_messages,
    list_delivered,
    list_messages,
    note_message_seen,
    note_remedy,
    note_told,
    open_correction,
    send_messages,
    set_email,
)
from tests.builders import TENANT, accepted, artifact, bring, carry_out, delivered, given, person, refused, suspending
from tests.reads.test_export import assert_same_store, export

NOBODY_LISTENS = MailSettings("127.0.0.1", 9, "desk@example.org")


def told_in_part(desk):
    """Five reports, held by five people whose messages stand at five states; two of the reports put right, one of them before it fell again."""
    names = ("drafted", "approved", "failed", "sent", "seen")
    given(
        desk, accepted("A", 184, statement="The NAV is 184."), accepted("B", on="A"),
        *(artifact(f"R-{name}", "B", title=f"Report {name}", deliveries=[delivered(f"{name}@example.org")]) for name in names),
    )  # fmt: skip
    open_correction(desk, "ana", TENANT, "The NAV was restated", sources=["S1"])
    set_email(desk, "adam", TENANT, "ben", "ben@example.org")
    carry_out(desk, suspending("A"))
    note_remedy(desk, "ana", TENANT, "R-sent", "annotation", "Read 176 instead of 184.")
    note_remedy(desk, "ana", TENANT, "R-seen", "none", "It names no figure.")
    draft_messages(desk, "ana", TENANT)
    by_name = {row.recipient.split("@")[0]: row.id for row in list_messages(desk, "ana").rows}
    approve_messages(desk, "ana", TENANT, [by_name[name] for name in names[1:]])
    send_messages(desk, "ana", TENANT, [by_name["failed"]], NOBODY_LISTENS)
    note_told(desk, "ana", TENANT, [by_name["sent"], by_name["seen"]])
    note_message_seen(desk, "ana", TENANT, [by_name["seen"]])


def test_messages_remedies_and_addresses_survive_export_and_import(desk, another_store, tmp_path):
    told_in_part(desk)
    other = another_store()

    assert_same_store(desk, other, tmp_path)

    rows = [{row.recipient: (row.id, row.state, row.subject, row.body, row.failure, row.documents) for row in list_messages(store, "ana").rows} for store in (desk, other)]
    assert rows[0] == rows[1]
    assert {state for _, state, *_ in rows[0].values()} == {"drafted", "approved", "failed", "sent", "seen"}
    put_right = [{row.id: (row.remedy, row.remedy_text, row.needs_remedy) for row in list_delivered(store, "ana").rows} for store in (desk, other)]
    assert put_right[0] == put_right[1]
    assert put_right[1]["R-sent"] == ("annotation", "Read 176 instead of 184.", False)
    assert put_right[1]["R-drafted"] == (None, None, True)
    lines = [json.loads(line) for line in (tmp_path / "two.jsonl").read_text("utf-8").splitlines()]
    assert [line.get("email") for line in lines if line["type"] == "person" and line["id"] in ("ana", "ben")] == [None, "ben@example.org"]


def test_importing_messages_again_changes_nothing_and_other_words_are_refused(desk, tmp_path):
    told_in_part(desk)
    lines = [line for line in export(desk, tmp_path / "one.jsonl").splitlines() if json.loads(line)["type"] in ("message", "remedy")]
    assert len(lines) == 6 + 2

    assert bring(desk, *(line.encode() for line in lines), reviewed=True)["rejected"] == []
    other = [{**json.loads(line), "text": "otherwise"} if '"remedy"' in line else {**json.loads(line), "body": "otherwise"} for line in lines]
    assert {one["code"] for one in bring(desk, *other, reviewed=True)["rejected"]} == {"other_content"}
    fresh = {**json.loads(lines[-1]), "id": "another"}
    assert bring(desk, fresh)["rejected"][0]["code"] == "not_allowed"
    assert bring(desk, {**fresh, "artifacts": ["NOWHERE"]}, reviewed=True)["rejected"][0]["code"] == "missing_parent"
    assert len(list_messages(desk, "ana").rows) == 6


def test_a_line_that_would_add_to_the_head_of_a_mail_is_refused(desk, tmp_path):
    told_in_part(desk)
    line = next(one for one in map(json.loads, export(desk, tmp_path / "one.jsonl").splitlines()) if one["type"] == "message")
    addresses = ("kim@example.org\r\nBcc: eve@example.org", "kim@example.org, eve@example.org", "Kim <kim@example.org>", 5, "")
    ids = ("1@example.org>\r\nBcc: eve@example.org", "⟦1⟧@example.org", "")
    wrong = [{**line, "id": f"message-{n}", "address": one} for n, one in enumerate(addresses, 90)]
    wrong += [{**line, "id": f"message-{n}", "message_id": one} for n, one in enumerate(ids, 80)]

    assert [one["code"] for one in bring(desk, *wrong, reviewed=True)["rejected"]] == ["bad_value"] * 8


def test_an_address_is_set_by_an_admin_or_by_oneself_and_has_to_be_one(desk):
    given(desk, person("dora", "reader"))
    set_email(desk, "dora", TENANT, "dora", "dora@example.org")

    with refused("not_allowed"):
        set_email(desk, "ana", TENANT, "dora", "ana@example.org")
    for wrong in ("dora", "a@b\r\nBcc: c@d", "Dora <dora@example.org>", ""):
        with refused("bad_value"):
            set_email(desk, "adam", TENANT, "dora", wrong)
    with refused("not_found"):
        set_email(desk, "adam", TENANT, "nobody", "a@example.org")
    assert bring(desk, {"type": "person", "id": "eve", "name": "Eve", "email": "no address", "roles": []})["rejected"][0]["code"] == "bad_value"
