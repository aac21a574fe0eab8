"""Asking for what was forgotten does not write it down anew in the log of reads (R17, R27)."""

import json

import sqlalchemy as sa

from store.db import tables as t
from store.db.read_log import digest_of_question
from tests.builders import TENANT, accepted, ask, dump, find, given, told
from tests.forgetting import forgotten

OTHER = "The endpoint accepts safe retries."


def questions(store):
    with store.reader.connect() as connection:
        return [json.loads(text) for text in connection.execute(sa.select(t.read_log.c.question).order_by(t.read_log.c.n)).scalars() if text]


def test_words_of_a_question_that_told_nothing_are_kept_as_a_keyed_digest_once_something_was_forgotten(desk):
    given(desk, accepted("A", "diabetes", subject="person:quindlewick"), accepted("B", "well", quote=OTHER))
    forgotten(desk, "A")
    assert find(desk, "Diabetes  quindlewick") == []
    assert told(desk, "person:quindlewick") == ("MISSING", [])
    assert told(desk, "somebody quite different") == ("MISSING", [])

    kept = repr([rows for name, rows in dump(desk).items() if name.startswith("read_log")]).casefold()
    assert "diabetes" not in kept
    assert "quindlewick" not in kept
    asked = questions(desk)[-3:]
    assert [one["asked"] for one in asked] == ["search", "key", "key"]
    assert asked[0]["digest"] == digest_of_question(desk, TENANT, {"search": "diabetes quindlewick"})
    assert asked[1]["digest"] == digest_of_question(desk, TENANT, {"subject": "person:quindlewick", "predicate": "says", "qualifiers": {}})
    assert len({one["digest"] for one in asked}) == 3


def test_a_question_whose_words_living_records_hold_is_kept_as_it_was_asked(desk):
    given(desk, accepted("A", "diabetes"), accepted("B", "retries", quote=OTHER), accepted("C", "late", quote="NAV at quarter end", status="stale"))
    forgotten(desk, "A")
    assert find(desk, "retries") == ["B"]
    ask(desk, "subject-B")
    assert told(desk, "subject-C") == ("MISSING", [])
    assert [one.get("search") or one["subject"] for one in questions(desk)[-3:]] == ["retries", "subject-B", "subject-C"]


def test_where_nothing_was_ever_forgotten_every_question_is_kept_as_it_was_asked(desk):
    find(desk, "diabetes")
    told(desk, "nobody")
    assert [one.get("search") or one["subject"] for one in questions(desk)] == ["diabetes", "nobody"]
