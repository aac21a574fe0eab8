"""What hangs on each source, held against networkx on graphs chosen at random."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from store.domain.exposure import NOBODY, PAIRS, SEVERAL, measure_sources
from store.domain.reach import Graph
from store.domain.snapshot import Columns
from store.domain.status import Kind, Status
from store.domain.times import ALWAYS, FOREVER

NOW = 1_000


@st.composite
def worlds(draw):
    """Sources with versions, records on them and on each other, whatever their statuses; number 0 is no record."""
    sources = draw(st.integers(1, 5))
    size = draw(st.integers(sources + 2, 40))
    source_of = [-1] + [draw(st.integers(-1, sources - 1)) if n < size // 2 else -1 for n in range(1, size)]
    edges = sorted({(p, c) for p, c in draw(st.lists(st.tuples(st.integers(1, size - 1), st.integers(1, size - 1)), max_size=90)) if p < c})
    status = [-1] + [draw(st.sampled_from([Status.ACCEPTED, Status.ACCEPTED, Status.STALE, Status.REVOKED, Status.CANDIDATE])) for _ in range(1, size)]
    expiry = [FOREVER] + [draw(st.sampled_from([FOREVER, FOREVER, NOW, NOW + 1])) for _ in range(1, size)]
    kind = [0] + [Kind.EVIDENCE if source_of[n] >= 0 else draw(st.sampled_from([Kind.CLAIM, Kind.ARTIFACT])) for n in range(1, size)]
    return sources, source_of, edges, status, expiry, kind, [draw(st.integers(0, 3)) for _ in range(size)], [draw(st.booleans()) for _ in range(size)]


@settings(max_examples=300, deadline=None)
@given(worlds(), st.sampled_from([1, 20, PAIRS]))
def test_reach_sole_support_deliveries_and_owners_are_those_of_a_plain_walk(world, pairs):
    sources, source_of, edges, status, expiry, kind, owner, delivered = world
    size, nothing = len(source_of), np.zeros(len(source_of), np.int32)
    graph = Graph(size, np.array([(p << 32) | c for p, c in edges], dtype=np.int64))
    always, forever = np.full(size, ALWAYS), np.full(size, FOREVER)
    columns = Columns(
        np.array(kind, np.int8), np.array(status, np.int8), nothing, nothing, np.array(owner, np.int32), nothing.astype(np.int8), nothing, always,
        np.zeros(size, bool), always, forever, np.array(expiry, np.int64),
    )  # fmt: skip
    inherited = graph.inherit_least(columns.expires_at)
    found = measure_sources(graph, columns, np.array(delivered), np.array(source_of, np.int64), sources, inherited, NOW, pairs=pairs)

    plain = nx.DiGraph(edges)
    plain.add_nodes_from(range(1, size))
    reached = [{v for root in range(1, size) if source_of[root] == s for v in nx.descendants(plain, root) if source_of[v] != s} for s in range(sources)]
    standing = {v: {source_of[r] for r in {*nx.ancestors(plain, v), v} if source_of[r] >= 0 and status[r] == Status.ACCEPTED and inherited[r] > NOW} for v in plain}
    assert found.reach.tolist() == [len(its) for its in reached]
    assert found.delivered.tolist() == [sum(delivered[v] for v in its) for its in reached]
    assert found.owners.tolist() == [len({owner[v] for v in its if kind[v] == Kind.ARTIFACT and owner[v]}) for its in reached]
    counted = [v for v in plain if status[v] == Status.ACCEPTED and kind[v] != Kind.EVIDENCE]
    assert found.sole.tolist() == [sum(standing[v] == {s} for v in counted) for s in range(sources)]
    for v in plain:
        alone = next(iter(standing[v])) if len(standing[v]) == 1 else None
        assert found.supported_by[v] == (alone if alone is not None else SEVERAL if standing[v] else NOBODY)


def test_of_ten_thousand_sources_each_reaches_what_its_chain_holds():
    """More sources than are carried at a time: ten to a chain, the nth of a chain reaches the ten minus n claims below it."""
    sources = 10_000
    size, nothing = 2 * sources + 1, np.zeros(2 * sources + 1, np.int32)
    source_of = np.full(size, -1)
    source_of[1 : sources + 1] = np.arange(sources)
    claims = np.arange(sources) + sources + 1
    chained = claims[np.arange(sources) % 10 != 0]
    parent, child = np.concatenate([np.arange(1, sources + 1), chained - 1]), np.concatenate([claims, chained])
    edges = (parent << 32) | child
    edges.sort()
    kind = np.where(source_of >= 0, int(Kind.EVIDENCE), int(Kind.CLAIM)).astype(np.int8)
    always, forever = np.full(size, ALWAYS), np.full(size, FOREVER)
    columns = Columns(kind, np.full(size, int(Status.ACCEPTED), np.int8), nothing, nothing, nothing, nothing.astype(np.int8), nothing, always, np.zeros(size, bool), always, forever, forever)
    found = measure_sources(Graph(size, edges), columns, np.zeros(size, bool), source_of, sources, forever, NOW)

    assert (found.reach == 10 - np.arange(sources) % 10).all()
    assert (found.sole == (np.arange(sources) % 10 == 0)).all()
