"""A backup past its date is deleted by a command that checks the file, and what waits for it is settled by what is really gone (R26, R28)."""

import pytest

from store import drop_backup, list_backups, make_backup, record_backup_destroyed, settle_surface, view_deletion
from store.actions.forgetting import run_deletion
from tests.builders import TENANT, accepted, given, refused
from tests.forgetting import asked_to_forget, state


def copies(store, request):
    (surface,) = [one for one in view_deletion(store, "adam", TENANT, request).surfaces if one.name == "backups"]
    return [(surface.n, surface.state, surface.rule), *((one.n, one.state, one.rule) for one in surface.copies)]


def run(store, request):
    run_deletion(store, "adam", TENANT, request)
    return copies(store, request)


@pytest.fixture
def kept(desk, tmp_path):
    """A store of which two backups hold what is forgotten, as its request says."""
    given(desk, accepted("A"))
    for name in ("one", "two"):
        make_backup(desk, "operator", tmp_path / name, keep_days=30)
    request = asked_to_forget(desk, "A")
    rule = "backup retention"
    assert run(desk, request) == [(0, "kept", rule), (1, "kept", rule), (2, "kept", rule)]
    return desk, request, tmp_path / "one", tmp_path / "two"


def test_a_date_that_passes_deletes_nothing_and_settles_nothing(kept, clock):
    desk, request, _, two = kept
    with refused("illegal_step", "kept until", "--early"):
        drop_backup(desk, "operator", 1)
    clock.pass_by(days=31)
    two.rename(two.with_name("moved"))
    there, lost = "past its date and still there", "past its date and not found from here"
    assert run(desk, request) == [(0, "open", None), (1, "open", there), (2, "open", lost)]
    with refused("illegal_step", "still there"):
        settle_surface(desk, "adam", TENANT, request, "backups", 1, "done")
    with refused("not_found", "not found from here"):
        drop_backup(desk, "operator", 2)
    assert [(row.backup, row.gone_at is None) for row in list_backups(desk, "operator")] == [(2, True), (1, True)]


def test_dropping_deletes_the_file_and_settles_what_waits_when_that_is_run(kept, clock):
    desk, request, one, two = kept
    clock.pass_by(days=31)
    with refused("not_allowed"):
        drop_backup(desk, "adam", 1)
    assert drop_backup(desk, "operator", 1) == {"backup": 1, "file": str(one), "dropped": True}
    assert [path.name for path in one.parent.iterdir() if "one" in path.name] == []
    with refused("already_decided"):
        drop_backup(desk, "operator", 1)
    assert run(desk, request)[:2] == [(0, "open", None), (1, "done", None)]

    two.rename(two.with_name("moved"))
    settle_surface(desk, "adam", TENANT, request, "backups", 2, "done", note="deleted on the other machine")
    assert run(desk, request)[2] == (2, "done", None)
    record_backup_destroyed(desk, "operator", 2)
    assert run(desk, request)[0] == (0, "done", None)
    assert state(desk, request) == "complete"


def test_nothing_but_that_backup_is_deleted(kept, clock):
    desk, _, one, two = kept
    clock.pass_by(days=31)
    two.replace(one)
    with refused("other_content", "is not backup 1"):
        drop_backup(desk, "operator", 1)
    assert one.exists()
    one.write_bytes(b"somebody's notes")
    with refused("damaged"):
        drop_backup(desk, "operator", 1)
    assert one.read_bytes() == b"somebody's notes"
