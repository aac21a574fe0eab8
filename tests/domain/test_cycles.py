"""What rests on itself is found, in few edges and in many."""

import random

import networkx as nx
import numpy as np
import pytest

from store.domain import reach


def told(size, edges):
    parent, child = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return sorted(sorted(group) for group in reach.find_cycles(size, parent, child))


def expected(size, edges):
    graph = nx.DiGraph(edges)
    rings = [sorted(group) for group in nx.strongly_connected_components(graph) if len(group) > 1 or graph.has_edge(*[*group] * 2)]
    return sorted(rings)


@pytest.mark.parametrize("few", [20_000, 0])
def test_groups_that_rest_on_each_other_are_those_of_an_independent_walk(monkeypatch, few):
    monkeypatch.setattr(reach, "_FEW_EDGES", few)
    chance, rings = random.Random(7), 0
    for _ in range(200):
        size = chance.randrange(1, 12)
        edges = [(chance.randrange(size), chance.randrange(size)) for _ in range(chance.randrange(1, 14))]
        if chance.random() < 0.4:
            edges = [(min(edge), max(edge)) for edge in edges if len(set(edge)) == 2] or [(0, 0)]
        assert told(size, edges) == expected(size, edges), edges
        rings += bool(expected(size, edges))
    assert 40 < rings < 180


def test_a_long_chain_has_none_until_its_end_carries_its_beginning():
    chain = [(n, n + 1) for n in range(30_000)]

    assert told(30_001, chain) == told(101, chain[:100]) == []
    assert told(101, [*chain[:100], (100, 0)]) == [list(range(101))]
    assert [len(ring) for ring in told(30_001, [*chain, (30_000, 5)])] == [29_996]
