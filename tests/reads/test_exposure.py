"""What hangs on each source, ranked, as each person may see it."""

import networkx as nx
import pytest

from store import OPERATOR, Refusal, import_files, measure_exposure, open_store
from tests.builders import artifact, carry_out, claim, evidence, given, passage, revoking, source
from tests.test_real_data import DATA


@pytest.fixture
def exposed(desk):
    """ONE rests on the second source alone, BOTH on two sources, and a report on both."""
    given(
        desk, source("S2"), evidence("E2", "S2"), source("S3"), evidence("E3", "S3"),
        claim("ONE", 1, subject="one", status="reviewed", evidence=[passage("Line one", "E2")]),
        claim("BOTH", 2, subject="two", status="reviewed", evidence=[passage("Line one", "E2"), passage("Line one", "E3")]), artifact("R", "ONE"),
    )  # fmt: skip
    return desk


def figures(store, by="ana", **options):
    return {one.id: (one.reach, one.sole) for one in measure_exposure(store, by, **options).rows}


def test_reach_counts_everything_and_sole_support_what_would_be_left_with_nothing(exposed):
    found = figures(exposed)

    assert (found["S2"], found["S3"]) == ((3, 2), (1, 0))
    assert next(iter(found)) == "S2"


def test_what_is_lost_leaves_more_to_the_other_source(exposed):
    figures(exposed)
    carry_out(exposed, revoking("E2"))
    assert figures(exposed)["S2"] == (3, 0)
    assert figures(exposed)["S3"] == (1, 0)


def test_pages_follow_each_other(exposed):
    first = measure_exposure(exposed, "ana", limit=1)
    second = measure_exposure(exposed, "ana", limit=1, after=first.next)
    assert [one.id for one in (*first.rows, *second.rows)] == list(figures(exposed))[:2]


@pytest.mark.parametrize("options", [{"order": "beauty"}, {"after": "x"}])
def test_words_that_mean_nothing_are_refused(exposed, options):
    with pytest.raises(Refusal) as refusal:
        measure_exposure(exposed, "ana", **options)
    assert refusal.value.code == "bad_value"


@pytest.mark.real_data
@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the real data is not there; nothing of it was tested")
@pytest.mark.parametrize("name", ["advisories", "companyfacts", "sitepolicy"])
def test_real_data_is_measured_as_networkx_does(sqlite_files, name):
    with sqlite_files.new() as url:
        _compare_with_networkx(open_store(url), name)


def _compare_with_networkx(store, name):
    import_files(store, OPERATOR, [DATA / name / "bundle.jsonl"], reviewed=True)
    page = measure_exposure(store, OPERATOR, limit=1_000)
    rows = list(page.rows)
    while page.next:
        page = measure_exposure(store, OPERATOR, limit=1_000, after=page.next)
        rows.extend(page.rows)
    with store.reader.begin() as connection:
        ask = connection.exec_driver_sql
        edges = ask("SELECT parent, child FROM dependency").fetchall()
        versions = {}
        for its, record, status, expires in ask(
            "SELECT s.id, r.record, x.status, r.expires_at FROM record r JOIN source s ON s.tenant = r.tenant AND s.source = r.source JOIN record_state x ON x.tenant = r.tenant AND x.record = r.record WHERE r.kind = 0"
        ):
            assert expires is None
            versions.setdefault(its, {})[record] = status
        served = {record for (record,) in ask("SELECT record FROM record_state WHERE status = 1 AND kind <> 0")}
    graph = nx.DiGraph([tuple(edge) for edge in edges])
    graph.add_nodes_from(record for its in versions.values() for record in its)
    reach, roots_of = {}, {}
    for its, records in versions.items():
        found = {record: nx.descendants(graph, record) for record in records}
        reach[its] = len(set().union(*found.values()) - set(records))
        for record, status in records.items():
            if status == 1:
                for below in found[record]:
                    roots_of.setdefault(below, set()).add(its)
    sole = dict.fromkeys(versions, 0)
    for record in served:
        if len(roots_of.get(record, ())) == 1:
            sole[next(iter(roots_of[record]))] += 1
    assert {one.id: (one.reach, one.sole) for one in rows} == {its: (reach[its], sole[its]) for its in versions}
    store.close()
