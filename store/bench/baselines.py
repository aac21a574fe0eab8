"""What the goals are measured against on SQLite: the same questions and writes as raw statements."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from store.domain.reach import Graph, Ints

_LEVEL = (
    "INSERT OR IGNORE INTO temp.reach (record, depth, via) SELECT d.child, ?, d.parent "
    "FROM temp.reach c CROSS JOIN dependency d WHERE c.seq > ? AND c.seq <= ? AND d.tenant = ? AND d.parent = c.record"
)
_GROUPS = ("s.kind, s.status", "s.scope", "s.owner", "s.kind, s.scope, s.owner")


def preview_by_levels(raw: Any, tenant: int, roots: Sequence[int]) -> int:
    """Preview in SQL: closure level by level with distance and witness, groups, digest, 50 rows and 50 paths; return how many are reached."""
    raw.execute("CREATE TEMP TABLE IF NOT EXISTS reach (seq INTEGER PRIMARY KEY, record INTEGER UNIQUE, depth INTEGER, via INTEGER)")
    raw.execute("BEGIN")
    raw.execute("DELETE FROM temp.reach")
    raw.executemany("INSERT INTO temp.reach (record, depth) VALUES (?, 0)", [(root,) for root in roots])
    begin, end, depth = 0, len(roots), 0
    while begin < end:
        depth += 1
        raw.execute(_LEVEL, (depth, begin, end, tenant))
        begin, end = end, raw.execute("SELECT max(seq) FROM temp.reach").fetchone()[0]
    for group in _GROUPS:
        raw.execute(
            f"SELECT {group}, count(*) FROM temp.reach t CROSS JOIN record_state s WHERE s.tenant = ? AND s.record = t.record GROUP BY {group}",  # noqa: S608
            (tenant,),
        ).fetchall()
    numbers = np.fromiter((row[0] for row in raw.execute("SELECT record FROM temp.reach ORDER BY record")), dtype=np.int64)
    hashlib.sha256(numbers.tobytes()).hexdigest()
    rows = raw.execute(
        "SELECT t.record, r.id, s.status, t.depth, t.via FROM temp.reach t CROSS JOIN record_state s CROSS JOIN record r "
        "WHERE t.seq <= 50 AND s.tenant = ?1 AND s.record = t.record AND r.tenant = ?1 AND r.record = t.record",
        (tenant,),
    ).fetchall()
    for row in rows:
        record = row[4]
        while record is not None:
            record = raw.execute("SELECT via FROM temp.reach WHERE record = ?", (record,)).fetchone()[0]
    raw.execute("COMMIT")
    return len(numbers)


class BareWalk:
    """SciPy's breadth-first search alone, over prebuilt rows with a virtual root."""

    def __init__(self, graph: Graph, roots: Ints) -> None:
        self._size = graph.size
        indices = np.concatenate([graph.children.to, roots.astype(np.int32)])
        indptr = np.append(graph.children.start, np.int32(len(indices)))
        self._matrix = csr_array((np.ones(len(indices)), indices, indptr), shape=(self._size + 1, self._size + 1))

    def run(self) -> int:
        """Return how many records are reached."""
        order = breadth_first_order(self._matrix, self._size, directed=True, return_predecessors=False)
        return len(order) - 1


_CHECK = """
WITH RECURSIVE wanted(key) AS MATERIALIZED (SELECT value FROM json_each(:keys)),
found(record, key) AS MATERIALIZED (
  SELECT r.record, r.key FROM wanted CROSS JOIN record r CROSS JOIN record_state s
  WHERE r.tenant = :tenant AND r.key = wanted.key AND s.tenant = :tenant AND s.record = r.record AND s.status = 1
    AND coalesce(r.valid_from, :at) <= :at AND coalesce(r.valid_to, :at + 1) > :at),
above(start, record) AS (
  SELECT record, record FROM found
  UNION
  SELECT above.start, d.parent FROM above CROSS JOIN dependency d WHERE d.tenant = :tenant AND d.child = above.record)
SELECT f.key, max(c.key = f.key), min(coalesce(r.expires_at, :at + 1) > :at), max(c.conflict IS NOT NULL)
FROM found f CROSS JOIN above a ON a.start = f.record CROSS JOIN record r ON r.tenant = :tenant AND r.record = a.record
LEFT JOIN conflict c ON c.tenant = :tenant AND c.key = r.key AND c.state = 0
GROUP BY f.key, f.record
"""


def check_recursively(raw: Any, tenant: int, keys: Sequence[int], at: int) -> list[str]:
    """Return the answer for each key, from its claims' ancestors by a recursive query."""
    rows = raw.execute(_CHECK, {"keys": json.dumps(list(keys)), "tenant": tenant, "at": at}).fetchall()
    found: dict[int, str] = {}
    for key, own, unexpired, contested in rows:
        if own or (contested and unexpired):
            found[key] = "CONFLICT"
        elif unexpired:
            found.setdefault(key, "OK")
    return [found.get(key, "MISSING") for key in keys]


_MOVE = (
    "INSERT INTO history (tenant, record, seq, old, new, version) SELECT ?, p.record, ?, ?, ?, s.version + 1 "
    "FROM temp.ids p CROSS JOIN record_state s WHERE s.tenant = ? AND s.record = p.record"
)


def move_records(raw: Any, tenant: int, seq: int, records: Ints, old: int, new: int) -> None:
    """Move records to another status in two set statements."""
    raw.execute("CREATE TEMP TABLE IF NOT EXISTS ids (record INTEGER PRIMARY KEY)")
    raw.execute("DELETE FROM temp.ids")
    raw.execute("INSERT INTO temp.ids SELECT value FROM json_each(?)", ("[" + ",".join(map(str, records.tolist())) + "]",))
    raw.execute(_MOVE, (tenant, seq, old, new, tenant))
    raw.execute(
        "UPDATE record_state SET status = ?, version = version + 1 WHERE tenant = ? AND record IN (SELECT record FROM temp.ids)", (new, tenant)
    )


NAIVE = (
    (
        "CREATE TABLE naive.wide (record INTEGER PRIMARY KEY, id TEXT NOT NULL, kind INTEGER, status INTEGER, version INTEGER, scope INTEGER, "
        "owner INTEGER, created INTEGER, key INTEGER, expires_at INTEGER, content_hash TEXT, value TEXT, statement TEXT, purposes TEXT, "
        "authority TEXT, extraction TEXT)"
    ),
    (
        "INSERT INTO naive.wide SELECT r.record, r.id, r.kind, s.status, s.version, s.scope, s.owner, r.record * 1000 + r.record * 7919 % 50000, r.key, "
        "r.expires_at, r.content_hash, c.value, c.statement, c.purposes, c.authority, c.extraction FROM record r "
        "JOIN record_state s ON s.tenant = r.tenant AND s.record = r.record LEFT JOIN claim c ON c.tenant = r.tenant AND c.record = r.record"
    ),
    "CREATE INDEX naive.wide_status ON wide (status)",
    "CREATE INDEX naive.wide_scope ON wide (scope, status)",
    "CREATE TABLE naive.past (record INTEGER, seq INTEGER, old INTEGER, new INTEGER, version INTEGER, PRIMARY KEY (record, seq)) WITHOUT ROWID",
    "CREATE TABLE naive.batch (seq INTEGER PRIMARY KEY, count INTEGER)",
)


def commit_naively(raw: Any, seq: int, records: Ints, new: int) -> None:
    """Commit over the wide table, in set statements."""
    raw.execute("BEGIN IMMEDIATE")
    raw.execute("CREATE TEMP TABLE IF NOT EXISTS ids (record INTEGER PRIMARY KEY)")
    raw.execute("DELETE FROM temp.ids")
    raw.execute("INSERT INTO temp.ids SELECT value FROM json_each(?)", ("[" + ",".join(map(str, records.tolist())) + "]",))
    raw.execute("INSERT INTO batch VALUES (?, ?)", (seq, len(records)))
    raw.execute(
        "INSERT INTO past SELECT w.record, ?, w.status, ?, w.version + 1 FROM temp.ids p CROSS JOIN wide w WHERE w.record = p.record", (seq, new)
    )
    raw.execute("UPDATE wide SET status = ?, version = version + 1 WHERE record IN (SELECT record FROM temp.ids)", (new,))
    raw.execute("COMMIT")


def page_naively(raw: Any, where: str, values: Sequence[Any]) -> list[Any]:
    """Return a page of 50 candidates found by an index on status alone, then sorted."""
    query = f"SELECT * FROM wide INDEXED BY wide_status WHERE status = 0 {where} ORDER BY created DESC, record DESC LIMIT 50"  # noqa: S608
    found: list[Any] = raw.execute(query, values).fetchall()
    return found


def count_facets(raw: Any, tenant: int) -> list[Any]:
    """Return the three facets of the candidates by GROUP BY over the covering index, which is chosen by its condition's text."""
    return [
        raw.execute(
            f"SELECT {name}, count(*) FROM record_state WHERE tenant = ? AND status = 0 AND status IN (0, 3) GROUP BY {name}",  # noqa: S608 - names of ours
            (tenant,),
        ).fetchall()
        for name in ("scope", "kind", "owner")
    ]
