"""A drill on synthetic records: backed up, forgotten, restored and looked for, in a scratch place."""

import sqlalchemy as sa

from store import list_proofs, list_queue, open_store, run_drill
from store.db.erasing import WORKERS
from store.domain.forgetting import Cleared, Surface
from tests.builders import claim, given, refused

TENANT = "acme"


def databases_of(store):
    """The names of the databases beside a store's own that a drill made."""
    if store.url.startswith("sqlite"):
        return []
    with store.reader.connect() as connection:
        return connection.execute(sa.text("SELECT datname FROM pg_database WHERE datname LIKE 'claimdesk_drill%'")).scalars().all()


def test_a_drill_finds_nothing_of_what_was_forgotten_and_is_kept_as_a_proof(desk):
    found = run_drill(desk, "operator", TENANT)

    assert found["ok"], found
    assert found["database"] == ("sqlite" if desk.url.startswith("sqlite") else "postgresql")
    assert [step["step"] for step in found["steps"]] == [
        "prepare", "backup", "erase", "search after erasing", "restore without the ledger", "restore", "search after restoring", "import again",
    ]  # fmt: skip
    assert found["steps"][1]["found"]["places"] > 0, "what is looked for stood in the backup"
    assert found["message"].startswith("Nothing came back")
    (proof,) = list_proofs(desk, "operator", tenant=TENANT)
    assert (proof.kind, proof.ok, proof.number) == ("drill", True, found["proof"])
    assert proof.found["steps"] == found["steps"]
    assert databases_of(desk) == []


def test_a_drill_leaves_the_stores_own_records_as_they_were(desk):
    given(desk, claim("c1"))

    def state():
        fresh = open_store(desk.url, desk.now)
        found = {queue: list_queue(fresh, "operator", queue) for queue in ("candidates", "stale", "conflicts")}
        with fresh.reader.connect() as connection:
            for table in ("record", "record_state", "claim", "deletion_request", "backup_copy", "export_copy", "read_log"):
                found[table] = [tuple(row) for row in connection.execute(sa.text(f"SELECT * FROM {table} ORDER BY 1, 2"))]  # noqa: S608
        found["ledger"] = fresh.ledger.seq
        fresh.close()
        return found

    before = state()
    run_drill(desk, "operator", TENANT)

    assert state() == before


def test_a_drill_notices_a_surface_that_says_done_wrongly_and_says_where(desk, monkeypatch):
    monkeypatch.setitem(WORKERS, Surface.RECORD, lambda *_: Cleared())
    found = run_drill(desk, "operator", TENANT)

    assert not found["ok"]
    failed = [step for step in found["steps"] if not step["ok"]]
    assert {step["step"] for step in failed} == {"erase", "search after erasing", "search after restoring"}
    assert all(step["found"]["where"]["claim.value"] == 1 for step in failed)
    assert "“erase”" in found["message"]
    assert "claim.value" in found["message"]
    assert not list_proofs(desk, "operator", tenant=TENANT)[0].ok


def test_a_drill_without_a_place_for_scratch_files_says_so(desk, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with refused("bad_value", "nowhere"):
        run_drill(desk, "operator", TENANT)


def test_only_who_administers_a_tenant_may_run_one(desk):
    for person in ("ana", "rita"):
        with refused("not_allowed"):
            run_drill(desk, person, TENANT)
    with refused("not_found"):
        run_drill(desk, "operator", "elsewhere")
    assert list_proofs(desk, "operator") == ()
