"""G1–G4: previews, the walk alone, and loading the graph."""

from __future__ import annotations

from store.bench.baselines import BareWalk, preview_by_levels
from store.bench.texts import TENANT
from store.bench.timing import FULL, ROUNDS, SMALL_ROUNDS, race
from store.bench.workshop import Workshop, connect
from store.db.snapshots import load, load_edges
from store.db.transaction import read
from store.domain.people import OPERATOR
from store.domain.reach import Graph
from store.reads.preview import preview_plan


def measure_previews(shop: Workshop, wanted: set[str]) -> None:
    """G1, G2, G3."""
    raw = connect(shop.path)
    shop.load_snapshot()
    names = (["large", "middle"] if wanted & {"G1", "G2"} else []) + (["small"] if "G3" in wanted else [])
    for name in names:
        plan, case, roots = shop.plan(name), shop.case(name), shop.case(name).roots.tolist()
        bare = BareWalk(shop.shape.graph, case.roots)
        preview_plan(shop.store, OPERATOR, TENANT, plan, rows=50)
        assert bare.run() == case.reached == preview_by_levels(raw, shop.tenant, roots)
        shop.forget_previews()
        graph = shop.load_snapshot().graph
        found = race(
            {
                "sql": lambda: preview_by_levels(raw, shop.tenant, roots),  # noqa: B023 - used within this turn of the loop
                "public": lambda: preview_plan(shop.store, OPERATOR, TENANT, plan, rows=50),  # noqa: B023
                "bare": bare.run,
                "walk": lambda: graph.walk(case.roots),  # noqa: B023
            },
            SMALL_ROUNDS if name == "small" else ROUNDS + 2,
            after={"public": shop.forget_previews},
        )
        what = f"full preview, {case.affected:,} change of {case.reached:,} reached"
        if name == "small":
            note = f"its cost is fixed: {_count_statements(shop)} statements (rights, plan, notices, names) and what was seen saved (fsync)"
            shop.report.within("G3", what, found["sql"], found["public"], 1.5, note=note)
            continue
        if "G1" in wanted:
            shop.report.faster("G1", what, found["sql"], found["public"], 12, needs=FULL)
        if "G2" in wanted and name == "large":
            note = f"the whole preview is {found['public'] / found['bare']:.1f}x the bare search"
            shop.report.within(
                "G2", f"walk with distance and witness, {case.reached:,} reached", found["bare"], found["walk"], 2.5, note=note, needs=FULL
            )
    raw.close()


def _count_statements(shop: Workshop) -> int:
    """Return how many statements a small preview sends."""
    found: list[str] = []
    engines = (shop.store.reader, shop.store.writer)
    pools = [engine.pool.connect() for engine in engines]
    for pool in pools:
        pool.driver_connection.set_trace_callback(found.append)  # type: ignore[union-attr]
    for pool in pools:
        pool.close()
    preview_plan(shop.store, OPERATOR, TENANT, shop.plan("small"), rows=50)
    for engine in engines:
        pool = engine.pool.connect()
        pool.driver_connection.set_trace_callback(None)  # type: ignore[union-attr]
        pool.close()
    shop.forget_previews()
    return len(found)


def measure_loading(shop: Workshop) -> None:
    """G4: the graph from the tables against one scan of the same rows."""
    raw, tenant = connect(shop.path), shop.tenant
    joined = "record_state s CROSS JOIN record r ON r.tenant = s.tenant AND r.record = s.record"

    def graph() -> None:
        with read(shop.store, OPERATOR) as reading:
            Graph(shop.shape.size, load_edges(reading.connection, tenant))

    def everything() -> None:
        with read(shop.store, OPERATOR) as reading:
            load(reading.connection, tenant, 0)

    found = race(
        {
            "scan": lambda: raw.execute("SELECT count(*), sum(parent), sum(child) FROM dependency WHERE tenant = ?", (tenant,)).fetchall(),
            "graph": graph,
            "scan all": lambda: raw.execute(
                f"SELECT count(*), sum(status), sum(version), sum(flags), sum(key), sum(valid_from) FROM {joined} WHERE s.tenant = ?",  # noqa: S608
                (tenant,),
            ).fetchall(),
            "everything": everything,
        },
        ROUNDS,
    )
    edges = len(shop.shape.graph.edges)
    shop.report.within("G4", f"load {edges:,} dependencies from SQLite, both directions", found["scan"], found["graph"], 4, needs=FULL)
    scans = found["scan"] + found["scan all"]
    shop.report.within("G4", "load the whole snapshot (12 columns, keys, conflicts)", scans, found["everything"], 4, needs=FULL)
    shop.report.skipped("G4", "load the graph from a snapshot file", "<= 0.6x", "the store keeps no snapshot file; it loads from the tables")
    raw.close()
