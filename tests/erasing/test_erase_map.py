"""Every column of the store has its place in what happens when something is forgotten."""

import sqlalchemy as sa

from store.db.erase_map import ERASE_MAP, LINES, NUMBERS
from store.db.erasing import WORKERS
from store.db.tables import APPEND_ONLY, metadata


def columns():
    return {f"{table.name}.{column.name}": column for table in metadata.sorted_tables for column in table.columns}


def test_every_column_says_what_becomes_of_it_and_nothing_else_does():
    assert {*ERASE_MAP} - {"search_text.words"} == {*columns()}
    assert len(ERASE_MAP) == sum(len(names.split()) for _, names, _, _ in LINES)


def test_texts_do_not_pass_for_numbers():
    texts = {name for name, column in columns().items() if isinstance(column.type, sa.Text | sa.LargeBinary)}

    assert [name for name, entry in ERASE_MAP.items() if name in texts and entry.tie == NUMBERS] == []


def test_every_surface_that_is_named_has_a_worker():
    assert {entry.surface for entry in ERASE_MAP.values() if entry.surface} <= {*WORKERS}


def test_what_may_only_be_added_to_holds_no_text_that_has_to_go_but_the_log_of_reads():
    assert {name for name, entry in ERASE_MAP.items() if entry.surface and name.split(".")[0] in APPEND_ONLY} == {"read_log.question", "read_log.task", "read_log.by"}
