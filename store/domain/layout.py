"""Where boxes stand in a picture of what rests on what: layers from left to right, few crossings, always the same.

networkx has no layered layout that orders its layers; its spring layouts need SciPy extras and move with every change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import networkx as nx

_SWEEPS = 6


def layer(edges: Iterable[tuple[int, int]], nodes: Iterable[int] = ()) -> dict[int, int]:
    """Return node -> layer by the longest path to it; what rests on each other stands in one layer."""
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    whole = nx.condensation(graph)
    level: dict[int, int] = {}
    for part in nx.topological_sort(whole):
        level[part] = max((level[before] + 1 for before in whole.predecessors(part)), default=0)
    return {node: level[part] for part in whole for node in whole.nodes[part]["members"]}


def place(levels: Mapping[int, int], edges: Mapping[tuple[int, int], int]) -> dict[int, tuple[int, float]]:
    """Return node -> (layer, row): rows are whole steps around 0, ordered by the weighted mean of the neighbours' rows.

    Args:
        levels: node -> layer, from 0.
        edges: (node, node) -> weight.
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(sorted(levels))
    graph.add_weighted_edges_from((source, target, weight) for (source, target), weight in sorted(edges.items()))
    columns: dict[int, list[int]] = {}
    for node in sorted(levels):
        columns.setdefault(levels[node], []).append(node)
    rows = {node: _row(column, n) for column in columns.values() for n, node in enumerate(column)}
    depths = sorted(columns)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        for depth in depths if forward else reversed(depths):
            column = columns[depth]
            mean = {node: _mean(graph, node, rows, forward=forward) for node in column}
            column.sort(key=lambda node: (mean[node], node))
            rows.update({node: _row(column, n) for n, node in enumerate(column)})
    return {node: (levels[node], rows[node]) for node in sorted(levels)}


def _row(column: list[int], n: int) -> float:
    return n - (len(column) - 1) / 2


def _mean(graph: nx.DiGraph, node: int, rows: Mapping[int, float], *, forward: bool) -> float:
    around = graph.pred[node] if forward else graph.succ[node]
    total = sum(edge["weight"] for edge in around.values())
    return sum(rows[other] * edge["weight"] for other, edge in around.items()) / total if total else rows[node]
