"""Forgetting thousands keeps nobody waiting longer than need be, and forgets no less for it."""

import sqlalchemy as sa

from store import run_deletion
from store.actions import forgetting
from store.db import tables as t
from store.db.erase_words import Known, take_words
from store.db.forgetting import targets_of
from store.db.tenants import chain_state
from store.db.transaction import tenant_number
from tests.builders import TENANT, accepted, claim, decide, given, is_sound, source
from tests.builders import evidence as version
from tests.forgetting import asked_to_forget

SAID = "the blue heron nests before the ice is gone"


def statements_of(store, act):
    """How many statements an act sends to write; many rows in one count once."""
    sent = []

    def note(*all_of_it):
        sent.append(all_of_it[2])

    sa.event.listen(store.writer, "before_cursor_execute", note)
    try:
        act()
    finally:
        sa.event.remove(store.writer, "before_cursor_execute", note)
    return len(sent)


def chat(name, count):
    lines = [f"{name} line {n:03d}: I would rather have offer {n * 7919} of the season" for n in range(count)]
    text = "\n".join([*lines, "and somebody else said something else"])
    bound = [{"evidence": f"{name}@1", "span": {"start": (at := text.index(line)), "end": at + len(line)}, "quote": line} for line in lines]
    claims = [accepted(f"{name}-{n}", f"offer {n * 7919}", evidence=[one], statement=lines[n]) for n, one in enumerate(bound)]
    return [source(name), version(f"{name}@1", name, text), *claims]


def test_a_hundred_records_are_erased_with_no_more_statements_than_ten(desk):
    given(desk, *chat("few", 10), *chat("many", 100))
    few, many = (asked_to_forget(desk, *(f"{name}-{n}" for n in range(count))) for name, count in (("few", 10), ("many", 100)))

    spent = [statements_of(desk, lambda request=request: run_deletion(desk, "operator", TENANT, request)) for request in (few, many)]

    assert spent[1] <= spent[0] + 10
    assert is_sound(desk)


def test_words_that_somebody_says_while_erasing_begins_are_theirs_too(desk):
    given(desk, accepted("GOES", "x", statement=SAID), claim("OTHER"))
    decide(desk, "OTHER", reason=SAID)
    request = asked_to_forget(desk, "GOES")

    def begun(number):
        with desk.reader.connect() as connection:
            tenant = tenant_number(connection, TENANT)
            records = [target.record for target in targets_of(connection, tenant, number)]
            known = Known(take_words(connection, tenant, records), chain_state(connection, tenant)[0])
        assert SAID in known.words.texts
        given(desk, accepted("SAYS", "y", statement=SAID))
        return known

    forgetting.run_deletion(desk, "operator", TENANT, request, begun=begun)

    with desk.reader.connect() as connection:
        assert connection.execute(sa.select(t.decision.c.reason).where(t.decision.c.reason == SAID)).scalars().all() == [SAID]
        assert connection.execute(sa.select(t.claim.c.statement).where(t.claim.c.statement == SAID)).scalars().all() == [SAID]
