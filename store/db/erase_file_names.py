"""Names that people gave files they exported: taken out of the register where they tell what is forgotten, while its words are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import sqlalchemy as sa

from store.db import tables as t
from store.db.bulk import chunks
from store.db.export_copies import exports_carrying
from store.db.keys import load_scopes
from store.db.transaction import Writing
from store.domain.mentions import fold

#: Forms whose file is named by whoever makes it; the screens name theirs after a day, a number or a fingerprint.
_NAMED_BY_HAND = ("bundle", "csv", "prov-json")
_RUN = re.compile(r"[^\W\d_]+")
#: A text of more words is a sentence: what a file is called is not taken from it.
_MOST_RUNS, _SHORTEST = 5, 3
#: What files are called that are called nothing.
_ORDINARY = frozenset(
    ["all", "and", "backup", "bundle", "claims", "copy", "csv", "data", "demo", "export", "exported", "file", "for", "from", "full", "json", "jsonl", "list", "new", "old", "our", "out", "output", "person", "prov", "report", "subject", "table", "test", "the", "with"]
)


def blot_file_names(tx: Writing, records: Sequence[int], words: Iterable[str], keys: Sequence[int]) -> int:
    """Take away the names of exported files that carried the records and are called after what they said; return how many there were.

    Args:
        words: ids and texts of the records; `keys`: claim keys that nothing else has, whose subjects count however short they are.
    """
    k, subjects = t.claim_key, set[str]()
    for some in chunks(keys):
        subjects.update(tx.connection.execute(sa.select(k.c.subject).where(k.c.tenant == tx.tenant, k.c.key.in_(some))).scalars())
    told = _telling({*words, *subjects}) - _ORDINARY - {run for path in load_scopes(tx.connection, tx.tenant).values() for run in _RUN.findall(fold(path))}
    c, done = t.export_copy.c, 0
    for one in exports_carrying(tx.connection, tx.tenant, records):
        if one.name is not None and one.format in _NAMED_BY_HAND and not told.isdisjoint(_pieces(one.name)):
            tx.connection.execute(sa.update(t.export_copy).where(c.tenant == tx.tenant, c.export == one.number).values(name=None))
            done += 1
    return done


def _telling(words: Iterable[str]) -> set[str]:
    return {piece for word in words if len(_RUN.findall(word)) <= _MOST_RUNS for piece in _pieces(word)}


def _pieces(text: str) -> Iterator[str]:
    """Yield the words of a text in one case; of words without spaces between them every two characters."""
    for run in _RUN.findall(fold(text)):
        if run.isascii():
            if len(run) >= _SHORTEST:
                yield run
        else:
            yield run
            yield from (run[at : at + 2] for at in range(len(run) - 1))
