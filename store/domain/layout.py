"""Where boxes stand in a picture of what rests on what: layers from left to right, few crossings, always the same.

networkx has no layered layout that orders its layers; its spring layouts need SciPy extras and move with every change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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


def place_outward(columns: Sequence[int], links: Iterable[tuple[int, int]]) -> list[float]:
    """Return the row of each box, column after column away from column 0, each near the boxes it hangs on.

    What stands farther out never moves what stands farther in, nor one side the other. Boxes of a column are at least 1 apart; those that want
    the same row keep the order of their numbers.

    Args:
        columns: the column of each box, negative to the left.
        links: pairs of boxes that are joined by a line.
    """
    around: list[list[int]] = [[] for _ in columns]
    for one, other in links:
        around[one].append(other)
        around[other].append(one)
    rows: dict[int, float] = {}
    for column in sorted(set(columns), key=lambda column: (abs(column), column)):
        wanted = {}
        for box in (box for box, its in enumerate(columns) if its == column):
            near = [rows[other] for other in around[box] if other in rows and columns[other] * column >= 0]
            wanted[box] = sum(near) / len(near) if near else 0.0
        boxes = sorted(wanted, key=lambda box: (wanted[box], box))
        rows.update(zip(boxes, _space([wanted[box] for box in boxes]), strict=True))
    return [rows[box] for box in range(len(columns))]


def _space(wanted: Sequence[float]) -> list[float]:
    """Return rows at least 1 apart, in order, as near as can be to those wanted (least squares: pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for n, row in enumerate(wanted):
        total, size = row - n, 1
        while pools and pools[-1][0] / pools[-1][1] > total / size:
            before, count = pools.pop()
            total, size = total + before, size + count
        pools.append((total, size))
    return [place + n for n, place in enumerate(total / size for total, size in pools for _ in range(size))]


def squeeze_in(wanted: float, taken: Sequence[float]) -> float:
    """Return the row nearest to `wanted` that is at least 1 away from every one taken; below rather than above."""
    free = [wanted, *(row + 1 for row in taken), *(row - 1 for row in taken)]
    return min((row for row in free if all(abs(row - other) >= 1 - 1e-9 for other in taken)), key=lambda row: (abs(row - wanted), -row))
