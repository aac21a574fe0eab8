"""Rows of synthetic claims, written out as text rather than through the domain's objects: a million take a minute, not ten.

Content hashes are those the store would compute; `fill_store` compares some of each batch with the real thing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from store.bench.texts import SHA256, Texts
from store.db import tables as t
from store.db.bulk import insert_rows
from store.db.keys import Numbers
from store.db.records import ORIGIN_DECLARED, ORIGIN_SPAN
from store.db.search_index import add_words
from store.db.transaction import Writing
from store.domain.snapshot import ANY_PURPOSE
from store.domain.status import Kind
from store.domain.times import format_time

_LINE = (
    '{{"authority":"fund_report","claim_type":"fact","conditions":null,"confirmed_by":null,"derived_from":[{above}],"entity_confidence":0.98,'
    '"evidence":[{bound}],"expires_at":{expires},"extraction":{extraction},"id":"{id}","impact":"normal","observed_at":null,"on_conflict":"ask",'
    '"owner":"{owner}","predicate":"{predicate}","proposed_by":"{proposer}","purposes":["*"],"qualifiers":{qualifiers},"revalidate_on":[],'
    '"review_at":"{review}","scope":"{scope}","sensitivity":"normal","speaker":null,"statement":"{statement}","subject":"{subject}","task":null,'
    '"type":"claim","valid_from":null,"valid_to":null,"value":{value}}}'
)
#: A member of an enumeration costs a look-up each time it is named.
_CLAIM, _EVIDENCE = int(Kind.CLAIM), int(Kind.EVIDENCE)
_EXTRACTION = '{"method":"table-reader","version":"2.1"}'


def _signed(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big", signed=True)


class ClaimRows:
    """The rows of many claims, gathered and then written at once."""

    def __init__(self, tx: Writing, numbers: Numbers, texts: Texts) -> None:
        self._tx, self._numbers, self._texts = tx, numbers, texts
        self._rows: dict[str, list[tuple[Any, ...]]] = {
            name: [] for name in ("claim_key", "record", "record_state", "claim", "binding", "dependency")
        }
        self._words: list[tuple[int, str]] = []
        self._ids, self._kind = texts.ids, texts.kind

    def add(self, record: int) -> str:
        """Add one claim and return its content hash."""
        tx, texts, ids, rows = self._tx, self._texts, self._ids, self._rows
        tenant, shape = tx.tenant, texts.shape
        parents, kind = shape.graph.parents.of(record).tolist(), self._kind
        bound = [one for one in parents if kind[one] == _EVIDENCE]
        above = sorted((one for one in parents if kind[one] != _EVIDENCE), key=ids.__getitem__)
        subject, predicate, asked = texts.subject(record)
        scope, owner, proposer, statement = texts.scope(record), texts.owner(record), texts.proposer(record), texts.statement(record)
        expires, review, record_id = texts.expires.get(record), texts.review(record), ids[record]
        qualifiers, value = f'{{"as_of":"{asked["as_of"]}"}}', f'{{"amount":{record * 1000},"currency":"USD"}}'
        line = _LINE.format(
            above=",".join(f'"{ids[one]}"' for one in above), bound=",".join(f'{{"evidence":"{ids[one]}"}}' for one in bound),
            expires="null" if expires is None else f'"{format_time(expires)}"', extraction=_EXTRACTION, id=record_id, owner=owner,
            predicate=predicate, proposer=proposer, qualifiers=qualifiers, review=format_time(review), scope=scope, statement=statement,
            subject=subject, value=value,
        )  # fmt: skip
        line_hash = hashlib.sha256(line.encode()).hexdigest()
        shas = ",".join(f'"{SHA256}"' for _ in bound)
        content_hash = hashlib.sha256(f'["{line_hash}",[{shas}]]'.encode()).hexdigest()
        key, place = texts.partner.get(record, record), self._numbers.scope(scope)
        party = self._numbers.party(owner)
        if key == record:
            question = f'["{subject}","{predicate}",{qualifiers}]'
            found = hashlib.sha256(f'["{scope}",{question[1:]}'.encode()).hexdigest()[:32]
            code = _signed(hashlib.sha256(question.encode()).digest())
            rows["claim_key"].append((tenant, key, found, place, subject, predicate, qualifiers, code, False))
        status = int(shape.status[record])
        rows["record"].append((
            tenant, record, record_id, _CLAIM, ANY_PURPOSE, key, _signed(hashlib.blake2b(value.encode(), digest_size=8).digest()), None, None,
            expires, review, review if expires is None else min(expires, review), None, content_hash, line_hash, tx.person,
            self._numbers.party(proposer), None, tx.seq,
        ))  # fmt: skip
        rows["record_state"].append((tenant, record, status, 1, place, party, _CLAIM))
        rows["claim"].append((
            tenant, record, value, "fact", statement, None, '["*"]', None, "fund_report", None, None, "normal", _EXTRACTION, 0.98, "ask", "[]",
            None, None, None,
        ))  # fmt: skip
        rows["binding"].extend((tenant, record, n, one, None, None) for n, one in enumerate(bound))
        rows["dependency"].extend((tenant, one, record, ORIGIN_SPAN) for one in bound)
        rows["dependency"].extend((tenant, one, record, ORIGIN_DECLARED) for one in above)
        self._words.append((record, f"{record_id.lower()} {subject} {predicate} {record * 1000} usd {asked['as_of']} reported of"))
        tx.count_change(place, _CLAIM, party, status, 1)
        return content_hash

    def flush(self) -> list[tuple[int, int]]:
        """Write everything, without history, and return (record, status) of what was written."""
        tx = self._tx
        self._rows["dependency"].sort()
        for name, rows in self._rows.items():
            table = t.metadata.tables[name]
            columns: Sequence[str] = table.columns.keys()
            insert_rows(tx.connection, table, columns, rows)
        add_words(tx.connection, tx.tenant, self._words)
        return [(row[1], row[2]) for row in self._rows["record_state"]]
