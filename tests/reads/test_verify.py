"""Whether the store is what it says: every table tampered with is noticed, and what happened cannot be rewritten."""

import pytest
import sqlalchemy as sa

from store import OPERATOR, amend, answer_question, record_delivery, reject, verify_store
from store import ask as question
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    ask,
    carry_out,
    claim,
    decide,
    delivered,
    evidence,
    given,
    is_sound,
    predicate,
    preview,
    refused,
    resolving,
    revoking,
    source,
    the_conflict,
)
from tests.conftest import opened
from tests.forgetting import forgotten


def live(desk):
    """Do something of everything, so that every table has rows."""
    given(
        desk, predicate("nav", series=True), {"type": "policy", "scope": "acme", "entity_confidence": 0.5}, accepted("A"), accepted("B", on="A"), artifact("R1", "B", deliveries=[delivered()]),
        claim("C1", task="t"), claim("C2"), claim("C3"), accepted("X", 1, subject="s"), accepted("Y", 2, subject="s"), accepted("P", 1, subject="p"), accepted("Q", 2, subject="p"), source("S2"), evidence("E2", "S2", "two"),
        {"type": "read", "task": "t", "by": "bot", "at": "2026-01-01T00:00:00Z", "records": ["A", "B"]},
    )  # fmt: skip
    amend(desk, "carl", TENANT, "C2", {"value": "y"})
    decide(desk, "C1", terms={"used": ["A"], "not_used": ["B"]})
    reject(desk, "ana", TENANT, "C3", "not_durable", "no")
    carry_out(desk, resolving(the_conflict_over(desk, "p"), "keep", keep="P"))
    carry_out(desk, revoking("B"))
    ask(desk, "subject-A", by="bot")
    preview(desk, revoking("A"))
    given(desk, artifact("R2", "A"), accepted("GONE", "Grey Heron Lane", on="A"))
    record_delivery(desk, "bot", TENANT, "R2", "kim@example.org", "email")
    for of, text in (("ben", "Is that so?"), ("carl", "Was it so?")):
        question(desk, "ana", TENANT, "record", "C2", text, of)
    answer_question(desk, "ben", TENANT, 1, "It is.")
    forgotten(desk, "GONE")
    assert is_sound(desk)


@pytest.fixture
def lived(databases, clock):
    """A store in which every table has rows."""
    databases.make_template("lived", live)
    with opened(databases, clock, "lived") as store:
        yield store


def the_conflict_over(store, subject):
    from tests.builders import conflicts

    return next(one["id"] for one in conflicts(store) if one["subject"] == subject)


def unguarded(store, *statements):
    """Change tables behind the store's back, with triggers and foreign keys out of the way."""
    with store.writer.begin() as connection:
        if connection.dialect.name == "sqlite":
            for (name,) in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
        else:
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
        for statement in statements:
            changed = connection.exec_driver_sql(statement.replace("%", "%%") if connection.dialect.name != "sqlite" else statement).rowcount
            assert changed > 0, statement


NUMBER = "(SELECT record FROM record WHERE id = '{}')"


def of(id):
    return NUMBER.format(id)


#: What `verify` vouches for: records, their content, status, dependencies, conflicts, counters, history and the chain.
#: Beside it questions, deliveries and receipts, as long as the notes of their events are there; decisions, by whom and when.
#: Other rows (contributors, sources, notices, the read log) are held by triggers and roles only.
TAMPERED = {
    "record_state.status": f"UPDATE record_state SET status = 1 WHERE record = {of('C2')}",
    "record_state.status, quietly": f"UPDATE record_state SET status = 1 WHERE record = {of('B')}",
    "record_state.version": f"UPDATE record_state SET version = 9 WHERE record = {of('A')}",
    "record_state.owner": f"UPDATE record_state SET owner = NULL WHERE record = {of('A')}",
    "record_state.scope": f"UPDATE record_state SET scope = scope + 1 WHERE record = {of('A')}",
    "record.content_hash": f"UPDATE record SET content_hash = '00' WHERE record = {of('A')}",
    "record.valid_to": f"UPDATE record SET valid_to = 1 WHERE record = {of('X')}",
    "record.expires_at": f"UPDATE record SET expires_at = 1 WHERE record = {of('A')}",
    "record.key": f"UPDATE record SET key = (SELECT key FROM record WHERE id = 'B') WHERE record = {of('A')}",
    "record.value_code": f"UPDATE record SET value_code = 7 WHERE record = {of('A')}",
    "record.value_code of a side": f"UPDATE record SET value_code = (SELECT value_code FROM record WHERE id = 'Y') WHERE record = {of('X')}",
    "record.flags": f"UPDATE record SET flags = 0 WHERE record = {of('A')}",
    "record.proposed_by": f"UPDATE record SET proposed_by = NULL WHERE record = {of('A')}",
    "record.source": "UPDATE record SET source = 2 WHERE id = 'E1'",
    "record.id": "UPDATE record SET id = 'AA' WHERE id = 'A'",
    "record deleted": "DELETE FROM record WHERE id = 'Y'",
    "claim.value": f"UPDATE claim SET value = '\"other\"' WHERE record = {of('A')}",
    "claim.statement": f"UPDATE claim SET statement = 'other' WHERE record = {of('A')}",
    "claim deleted": f"DELETE FROM claim WHERE record = {of('A')}",
    "claim_key.subject": "UPDATE claim_key SET subject = 'other' WHERE subject = 'subject-A'",
    "claim_key.hash": "UPDATE claim_key SET hash = 'other' WHERE subject = 'subject-A'",
    "claim_key.many": "UPDATE claim_key SET many = (1 = 1) WHERE subject = 's'",
    "artifact.body": f"UPDATE artifact SET body = 'other' WHERE record = {of('R1')}",
    "evidence.sha256": f"UPDATE evidence SET sha256 = '00' WHERE record = {of('E1')}",
    "evidence_content": f"UPDATE evidence_content SET content = (SELECT content FROM evidence_content WHERE record = {of('E2')}) WHERE record = {of('E1')}",
    "binding.quote": f"UPDATE binding SET quote = 'other' WHERE record = {of('A')}",
    "binding deleted": f"DELETE FROM binding WHERE record = {of('A')}",
    "dependency added": f"INSERT INTO dependency (tenant, parent, child, origin) SELECT 1, {of('A')}, {of('X')}, 2",
    "dependency added onto something lost": f"INSERT INTO dependency (tenant, parent, child, origin) SELECT 1, {of('B')}, {of('X')}, 1",
    "dependency deleted": f"DELETE FROM dependency WHERE child = {of('B')}",
    "dependency of a passage deleted": f"DELETE FROM dependency WHERE child = {of('X')}",
    "conflict.state": "UPDATE conflict SET state = 1 WHERE state = 0",
    "conflict_side deleted": f"DELETE FROM conflict_side WHERE record = {of('X')}",
    "history.new": f"UPDATE history SET new = 5 WHERE record = {of('A')}",
    "history deleted": f"DELETE FROM history WHERE record = {of('A')}",
    "history added": f"INSERT INTO history (tenant, record, seq, old, new, version) SELECT 1, {of('A')}, (SELECT max(seq) FROM event), 1, 1, 1",
    "event.at": "UPDATE event SET at = at + 1 WHERE seq = 3",
    "event.person": "UPDATE event SET person = person + 1 WHERE seq = 3",
    "event.action": "UPDATE event SET action = 'other' WHERE seq = 3",
    "event.count": "UPDATE event SET count = 9 WHERE seq = 3",
    "event.authenticated": "UPDATE event SET authenticated = (1 = 1) WHERE seq = 3",
    "event.touched": "UPDATE event SET touched = digest_of.x FROM (SELECT touched AS x FROM event WHERE seq = 2) AS digest_of WHERE seq = 3",
    "event deleted": "DELETE FROM event WHERE seq = 3",
    "event cut at the end": "DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)",
    "event_note.note": "UPDATE event_note SET note = '{}' WHERE seq = 3",
    "tenant.head": "UPDATE tenant SET head = '00' WHERE tenant = 1",
    "tenant.event_seq": "UPDATE tenant SET event_seq = event_seq + 1 WHERE tenant = 1",
    "decision.person": "UPDATE decision SET person = person + 1",
    "decision added": f"INSERT INTO decision (tenant, record, seq, action, person, at, version) SELECT 1, {of('C3')}, 9999, 'approve', 1, 1, 1",
    "question.text": "UPDATE question SET text = 'other' WHERE question = 1",
    "question.about": "UPDATE question SET about = 'A' WHERE question = 1",
    "question.asked_by": "UPDATE question SET asked_by = 'carl' WHERE question = 1",
    "question.asked_of": "UPDATE question SET asked_of = 'carl' WHERE question = 1",
    "question.asked_at": "UPDATE question SET asked_at = asked_at + 1 WHERE question = 1",
    "question.answer": "UPDATE question SET answer = 'It is not.' WHERE question = 1",
    "question.answered_by": "UPDATE question SET answered_by = 'carl' WHERE question = 1",
    "question answered by nobody": "UPDATE question SET answer = 'Yes.', answered_by = 'carl', answered_at = 1 WHERE question = 2",
    "question answered in an event of something else": "UPDATE question SET answer = 'Yes.', answered_by = 'ana', answered_at = asked_at, answered_seq = asked_seq WHERE question = 2",
    "question deleted": "DELETE FROM question WHERE question = 2",
    "delivery.recipient": f"UPDATE delivery SET recipient = 'max@example.org' WHERE record = {of('R2')}",
    "delivery.delivered_at": f"UPDATE delivery SET delivered_at = 1 WHERE record = {of('R2')}",
    "delivery deleted": f"DELETE FROM delivery WHERE record = {of('R2')}",
    "deletion_receipt.content": "UPDATE deletion_receipt SET content = replace(content, 'done', 'kept')",
    "deletion_receipt.at": "UPDATE deletion_receipt SET at = at + 1",
    "deletion_receipt deleted": "DELETE FROM deletion_receipt",
    "counter": "UPDATE counter SET n = n + 1",
    "owner_counter": "UPDATE owner_counter SET n = n + 1",
    "party.name": "UPDATE party SET name = 'mallory' WHERE name = 'ana'",
}


@pytest.mark.parametrize("case", TAMPERED)
def test_a_table_tampered_with_is_noticed_and_named(lived, case):
    unguarded(lived, TAMPERED[case])

    found = verify_store(lived, OPERATOR)
    assert found["ok"] is False
    assert found["problems"] or not found["chain"]["ok"]
    assert not all(found["invariants"].values()) or not found["chain"]["ok"]


@pytest.mark.parametrize("table", ["event", "history", "read_log", "read_log_record"])
@pytest.mark.parametrize("change", ["UPDATE {} SET tenant = tenant + 1", "DELETE FROM {}", "REPLACE INTO {0} SELECT * FROM {0}", "TRUNCATE {}"])
def test_what_happened_and_what_was_told_is_only_ever_added_to(lived, table, change):
    sqlite = lived.writer.dialect.name == "sqlite"
    if change.startswith("TRUNCATE" if sqlite else "REPLACE"):
        return
    with pytest.raises(sa.exc.DBAPIError, match="append-only"), lived.writer.begin() as connection:
        connection.exec_driver_sql(change.format(table))
    assert is_sound(lived)


@pytest.mark.parametrize("column", ["question", "task", "by"])
def test_what_was_asked_may_be_emptied_in_the_log_of_reads_and_not_rewritten(lived, column):
    with pytest.raises(sa.exc.DBAPIError, match="append-only"), lived.writer.begin() as connection:
        connection.exec_driver_sql(f"UPDATE read_log SET {column} = 'another'")
    with lived.writer.begin() as connection:
        emptied = connection.exec_driver_sql(f"UPDATE read_log SET {column} = NULL").rowcount
    assert emptied > 0
    assert is_sound(lived)


def test_a_good_store_is_said_to_be_good(lived):
    found = verify_store(lived, OPERATOR)

    assert found["ok"] is True
    assert all(found["invariants"].values())
    assert found["chain"]["length"] > 5
    assert len(found["chain"]["head"]) == 64


def test_an_erased_note_leaves_the_chain_whole(lived):
    unguarded(lived, "DELETE FROM event_note WHERE seq = 3")

    assert verify_store(lived, OPERATOR)["ok"] is True


def test_each_verifies_the_tenants_of_ones_roles(lived):
    assert verify_store(lived, "olga", tenant=TENANT)["ok"] is True
    with refused("not_allowed"):
        verify_store(lived, "rita", tenant=TENANT)


def test_a_conflict_left_open_is_noticed(lived):
    assert the_conflict(lived)["claims"] == ["X", "Y"]
    unguarded(lived, f"UPDATE record_state SET status = 5 WHERE record = {of('Y')}")

    assert verify_store(lived, OPERATOR)["invariants"]["conflicts_open_as_ruled"] is False
