"""Words are found in bytes wherever they begin, in every encoding, however many are looked for."""

import base64
import json
import sqlite3
from contextlib import closing

import pytest

from store.domain import byte_search
from store.domain.byte_search import Search, search_files

WORD = "Zqv7-Kärntner-郭靖明"
OTHERS = [f"other-{n}-zzz" for n in range(50)]
WRITTEN = {
    "as it is": WORD.encode(), "capitals": WORD.upper().encode(), "utf-16-le": WORD.encode("utf-16-le"), "utf-16-be": WORD.upper().encode("utf-16-be"),
    **{f"base64 after {n}": base64.b64encode(b" " * n + WORD.encode() + b"  ") for n in range(3)}, "json": json.dumps(WORD)[1:-1].encode(),
}  # fmt: skip


@pytest.mark.parametrize("many", (False, True), ids=("one word", "many words"))
@pytest.mark.parametrize("how", WRITTEN)
def test_a_word_is_counted_once_wherever_a_piece_ends(monkeypatch, how, many):
    monkeypatch.setattr(byte_search, "CHUNK", 400)
    for before in range(330, 420, 7):
        search = Search([WORD, *(OTHERS if many else ())], whole=True)
        stream = b"\0" * before + WRITTEN[how] + b"\0" * 500

        assert search.look_in(stream[at : at + 90] for at in range(0, len(stream), 90)) == len(stream)

        assert [(word, count) for (word, _), count in search.counts.items()] == [(0, 1)], before


@pytest.mark.parametrize(("stands", "text"), (
    (1, b"claim-1"), (1, b'"claim-1",'), (1, b"(CLAIM-1)"), (0, b"claim-10"), (0, b"xclaim-1"), (0, b"claim-1_b"), (1, base64.b64encode(b" claim-1 ")),
    (0, base64.b64encode(b"claim-10 ")), (0, base64.b64encode(b"aclaim-1 ")), (0, "claim-12".encode("utf-16-le")), (0, "claim-12".encode("utf-16-be")),
    (1, "claim-1".encode("utf-16-be")),
))  # fmt: skip
def test_part_of_a_longer_name_is_no_find_where_whole_ones_are_wanted(stands, text):
    search = Search(["claim-1"], whole=True)

    search.look_in([text])

    assert sum(search.counts.values()) == stands
    assert bool(search.parts) is not bool(stands)


def test_what_is_too_short_is_said_not_to_be_looked_for():
    assert Search(["ab", WORD]).searched == {1}


@pytest.mark.parametrize("log", (False, True), ids=("in the file", "in the write-ahead log"))
def test_the_end_of_one_value_and_the_beginning_of_the_next_are_no_word(tmp_path, log):
    file = tmp_path / "rows.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in ("PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0", "CREATE TABLE said (id TEXT, other TEXT, n INTEGER)", "CREATE INDEX told ON said (id, other)"):
            connection.execute(statement)
        connection.executemany("INSERT INTO said VALUES (?, ?, ?)", [("C5017", "3ab9c", 1), ("M", "12345", 0x4D313233), ("long", "x" * 6000 + "C70001", 2), ("name", "see C60001a", 3)])
        if not log:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        found = search_files(["C50173", "M12345", "C70001", "C60001", "3ab9c"], [str(tmp_path / f"rows.db{'-wal' if log else ''}")], whole=False)["found"]

    assert {word for _, word, _, _ in found} == {2, 3, 4}


def test_what_an_erased_row_left_in_a_file_is_found(tmp_path):
    file = tmp_path / "rows.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete=OFF")
        connection.execute("CREATE TABLE said (id TEXT, other TEXT)")
        connection.executemany("INSERT INTO said VALUES (?, ?)", [(f"living-{n}", "3abc") for n in range(40)] + [("C50173", "3abc")])
        connection.execute("DELETE FROM said WHERE id = 'C50173'")

    assert [(word, count) for _, word, _, count in search_files(["C50173"], [str(file)], whole=False)["found"]] == [(0, 1)]


def test_a_word_within_a_digest_of_a_file_full_of_them_is_none(tmp_path):
    files = [tmp_path / name for name in ("one.ledger", "two.db")]
    for file in files:
        file.write_bytes(b"\0" * 40 + b"3f9c50173ab" * 8 + b"\0 C60001 \0")

    found = search_files(["C50173", "C60001"], [str(file) for file in files], whole=False, alone=[str(files[0])])["found"]

    assert [(place, word) for place, word, _, _ in found] == [(str(files[0]), 1), (str(files[1]), 0), (str(files[1]), 1)]


def test_each_of_many_words_of_every_length_is_found_by_itself():
    words = [letter * size for size in range(5, 14) for letter in "abcdefgh"]
    for known in (words, words[::-1]):
        search = Search(known, whole=True)
        for place, word in enumerate(known):
            search.look_in([b"so " + word.encode() + b" it is"])
            assert search.take() == {(place, "text"): 1}, word
