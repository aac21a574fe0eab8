"""G13 and G14: what every source alone supports, and everything that rests on it, for all sources at once."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from store.bench.timing import FULL, SMALL_ROUNDS, Milliseconds, race
from store.bench.workshop import Workshop
from store.db.source_shelf import open_shelf
from store.db.transaction import read
from store.domain.exposure import count_reach, count_sole, find_sole_support
from store.domain.people import OPERATOR
from store.domain.reach import Graph, Ints
from store.domain.snapshot import Snapshot
from store.domain.status import Kind, Status
from store.reads.exposure import place_sources

#: Sources whose reach the baseline measures one by one; the rest is extrapolated.
_SAMPLE = 300
_ROUNDS = 3


def _library() -> Any:
    """Return what the goals are stated against, None where it is not installed."""
    try:
        import rustworkx  # noqa: PLC0415 - needed by these goals only, and not by the product
    except ImportError:
        return None
    return rustworkx


def measure_exposures(shop: Workshop, wanted: set[str]) -> None:
    """G13, G14: both exact, over the graph in memory on either side."""
    rustworkx = _library()
    if rustworkx is None:
        for goal, what, least in (("G13", "sole support, all sources", 20), ("G14", "reach, all sources", 8)):
            if goal in wanted:
                shop.report.skipped(goal, what, f">= {least}x faster", "rustworkx is not installed: pip install -r requirements-dev.txt")
        return
    with read(shop.store, OPERATOR) as reading:
        snapshot, at = reading.snapshot(shop.tenant), reading.at
        numbers, source_of = place_sources(open_shelf(reading, shop.tenant), len(snapshot.columns))
    expiry = snapshot.effective_expiry()
    snapshot.graph.strata()

    def sole() -> Ints:
        return count_sole(snapshot.columns, find_sole_support(snapshot.graph, snapshot.columns, source_of, expiry, at), len(numbers))

    def reached() -> Ints:
        return count_reach(snapshot.graph, snapshot.columns, snapshot.delivered, source_of, len(numbers))[0]

    what = f"all {len(numbers):,} sources at once"
    if "G13" in wanted:
        roots = (source_of >= 0) & (snapshot.columns.status == Status.ACCEPTED) & (expiry > at)
        graph, top = _with_root(rustworkx, snapshot.graph, source_of, roots, len(numbers))
        tree: dict[int, int] = {}

        def dominators() -> None:
            tree.clear()
            tree.update(rustworkx.immediate_dominators(graph, top))

        times = race({"dominators": dominators, "ours": sole}, SMALL_ROUNDS if shop.shape.records < FULL else _ROUNDS)
        assert np.array_equal(_sole(tree, snapshot, top, len(numbers)), sole())
        note = "rustworkx makes the whole dominator tree; equal for every source"
        shop.report.faster("G13", f"sole support of {what}", times["dominators"], times["ours"], 20, note=note, needs=FULL)
    if "G14" in wanted:
        plain = _plain(rustworkx, snapshot.graph)
        baseline, reach = _descend(rustworkx, plain, source_of, len(numbers))
        found = reached()
        assert all(found[place] == size for place, size in reach.items())
        took = race({"ours": reached}, _ROUNDS)["ours"]
        note = f"rustworkx.descendants of {len(reach)} sources, extrapolated; exact here, so its error is 0 %, with deliveries and owners"
        shop.report.faster("G14", f"reach of {what}", baseline, took, 8, note=note, needs=FULL)


def _plain(rustworkx: Any, graph: Graph) -> Any:
    found = rustworkx.PyDiGraph()
    found.add_nodes_from([None] * graph.size)
    found.add_edges_from_no_data(list(zip((graph.edges >> 32).tolist(), (graph.edges & 0xFFFFFFFF).tolist(), strict=True)))
    return found


def _with_root(rustworkx: Any, graph: Graph, source_of: Ints, roots: Any, count: int) -> tuple[Any, int]:
    """Return the dependencies below a node per source, and the number of the node above those."""
    found, top = _plain(rustworkx, graph), graph.size + count
    found.add_nodes_from([None] * (count + 1))
    found.add_edges_from_no_data([(top, graph.size + place) for place in range(count)])
    versions = np.flatnonzero(roots)
    found.add_edges_from_no_data(list(zip((graph.size + source_of[versions]).tolist(), versions.tolist(), strict=True)))
    return found, top


def _sole(tree: dict[int, int], snapshot: Snapshot, top: int, count: int) -> Ints:
    """Return how many records in use each source dominates."""
    size, columns = len(snapshot.columns), snapshot.columns
    above: dict[int, int] = {}
    for first in tree:
        node, path = first, []
        while node not in above and node < size and node in tree:
            path.append(node)
            node = tree[node]
        source = above.get(node, node - size if size <= node < top else -1)
        above.update(dict.fromkeys(path, source))
    found = np.zeros(count, dtype=np.int64)
    for node, source in above.items():
        if source >= 0 and columns.status[node] == Status.ACCEPTED and columns.kind[node] != Kind.EVIDENCE:
            found[source] += 1
    return found


def _descend(rustworkx: Any, graph: Any, source_of: Ints, count: int) -> tuple[Milliseconds, dict[int, int]]:
    """Return what the reach of all sources one by one would take, from some of them drawn by lot, and the reach of those."""
    versions: dict[int, list[int]] = {}
    for record in np.flatnonzero(source_of >= 0).tolist():
        versions.setdefault(int(source_of[record]), []).append(record)
    random = np.random.default_rng(5)
    chosen = random.choice(count, size=min(_SAMPLE, count), replace=False).tolist()
    start, computing = time.perf_counter(), time.process_time()
    reach = {place: _below(rustworkx, graph, versions[place]) for place in chosen}
    share = count / len(chosen) * 1000
    return Milliseconds.of((time.perf_counter() - start) * share, (time.process_time() - computing) * share), reach


def _below(rustworkx: Any, graph: Any, versions: list[int]) -> int:
    if len(versions) == 1:
        return len(rustworkx.descendants(graph, versions[0]))
    found: set[int] = set()
    for one in versions:
        found |= rustworkx.descendants(graph, one)
    return len(found - set(versions))
