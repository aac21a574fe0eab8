"""A COMMIT that fails is no rollback: the answer is the truth, and asking again with the same operation id gives one effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fault_proxy import Proxy
from fault_stores import TENANT, check_whole, clock, database_of, encode, events, more_lines, statuses

from store import Approval, ClaimStore, Plan, Refusal, Status, Verb, approve, commit_plan, import_lines, open_store, preview_plan

OPERATION = "in-doubt"
ACCEPTED, CANDIDATE = int(Status.ACCEPTED), int(Status.CANDIDATE)


def do_approve(store: ClaimStore) -> Any:
    return approve(store, "ana", TENANT, "CHILD", Approval("it is so"), operation=OPERATION)


def do_revoke(store: ClaimStore) -> Any:
    plan = Plan(Verb.REVOKE, ("S1",))
    return commit_plan(store, "ana", TENANT, plan, SEEN[store.url], "because", operation=OPERATION)


def do_import(store: ClaimStore) -> Any:
    return import_lines(store, "carla", encode(more_lines()[:30]), reviewed=True, operation=OPERATION)


#: The fingerprint of the preview, by the store's URL.
SEEN: dict[str, str] = {}
ACTIONS = [do_approve, do_revoke, do_import]


def ready(store: ClaimStore, action: Any) -> ClaimStore:
    """Preview, where the action needs one, and look at everything once."""
    if action is do_revoke:
        SEEN[store.url] = preview_plan(store, "ana", TENANT, Plan(Verb.REVOKE, ("S1",))).fingerprint
    check_whole(store)
    return store


def fail_commits(store: ClaimStore, monkeypatch: pytest.MonkeyPatch, *, really: bool, times: int = 1, say: str = "disk I/O error") -> list[int]:
    """Let the next COMMITs of the writing engine raise, after they happened or before."""
    dialect, left, seen = store.writer.dialect, [times], []
    commit = dialect.do_commit

    def failing(connection: Any) -> None:
        if not left[0]:
            commit(connection)
            return
        left[0] -= 1
        seen.append(1)
        if really:
            commit(connection)
        raise dialect.loaded_dbapi.OperationalError(say)

    monkeypatch.setattr(dialect, "do_commit", failing)
    return seen


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("say", ["disk I/O error", "server closed the connection unexpectedly", "something nobody thought of"])
def test_a_commit_that_fails_after_it_happened_is_answered_with_its_result(fresh, monkeypatch, action, say):
    store = ready(open_store(fresh, clock), action)
    was = events(fresh)
    failed = fail_commits(store, monkeypatch, really=True, say=say)
    result = action(store)

    assert failed
    assert events(fresh) == was + 1
    assert action(store) == result
    assert events(fresh) == was + 1
    check_whole(store)
    store.close()


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("say", ["disk I/O error", "server closed the connection unexpectedly", "something nobody thought of"])
def test_a_commit_that_fails_before_it_happened_is_answered_with_nothing_was_saved(fresh, monkeypatch, action, say):
    store = ready(open_store(fresh, clock), action)
    was, before = events(fresh), statuses(fresh)
    failed = fail_commits(store, monkeypatch, really=False, say=say)
    with pytest.raises(Refusal) as refused:
        action(store)

    assert failed
    assert "Nothing was saved" in refused.value.message
    assert refused.value.code in ("busy", "damaged")
    assert refused.value.details["operation"] == OPERATION
    assert (events(fresh), statuses(fresh)) == (was, before)

    result = action(store)
    assert action(store) == result
    assert events(fresh) == was + 1
    check_whole(store)
    store.close()


@pytest.mark.parametrize("really", [True, False], ids=["after", "before"])
@pytest.mark.parametrize("action", ACTIONS)
def test_where_the_look_up_fails_too_the_answer_is_that_nobody_knows_and_how_to_ask_again(fresh, monkeypatch, action, really):
    store = ready(open_store(fresh, clock), action)
    was = events(fresh)
    fail_commits(store, monkeypatch, really=really, times=1)

    def unreachable(*_: Any) -> None:
        raise store.writer.dialect.loaded_dbapi.OperationalError("could not connect to server")

    def break_off(_connection: Any) -> None:
        sa.event.listen(store.writer, "do_connect", unreachable)

    sa.event.listen(store.writer, "commit", break_off)
    with pytest.raises(Refusal) as refused:
        action(store)
    sa.event.remove(store.writer, "commit", break_off)
    sa.event.remove(store.writer, "do_connect", unreachable)

    assert refused.value.code == "outcome_unknown"
    assert OPERATION in refused.value.message
    assert refused.value.details["operation"] == OPERATION
    assert events(fresh) == was + really
    result = action(store)
    assert result == action(store)
    assert events(fresh) == was + 1
    check_whole(store)
    store.close()


@pytest.fixture
def proxied(postgres, prepared_postgres):
    """A proxy, the URL of a fresh store through it, and its plain URL."""
    url = postgres.copy(prepared_postgres)
    folder = Path(sa.engine.make_url(url).query["host"])
    proxy = Proxy(next(path for path in folder.glob(".s.PGSQL.*") if not path.name.endswith(".lock")))
    yield proxy, proxy.url(database_of(url)), url
    proxy.close()
    postgres.drop(url)


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("how", ["before", "during", "after"])
def test_with_the_line_cut_around_the_commit_the_answer_is_the_truth(proxied, how, action):
    proxy, through, url = proxied
    store = ready(open_store(through, clock), action)
    was, before = events(url), statuses(url)
    result = None
    proxy.cut = how if action is not do_import else None
    if action is do_import:
        # The first COMMIT of an import ends a read; the line is cut at the second.
        sa.event.listen(store.writer, "commit", lambda _: setattr(proxy, "cut", how if not proxy.cuts else None))
    try:
        result = action(store)
    except Refusal as refusal:
        assert refusal.code == "busy", refusal
        assert "Nothing was saved" in refusal.message
        assert (events(url), statuses(url)) == (was, before)
        assert how != "after"
    else:
        assert events(url) == was + 1
        assert how != "before"
    assert proxy.cuts == 1

    again = action(store)
    assert result is None or again == result
    assert events(url) == was + 1
    check_whole(store)
    store.close()


@pytest.mark.parametrize("action", [do_approve, do_revoke])
@pytest.mark.parametrize("how", ["before", "after"])
def test_with_the_line_cut_for_good_nobody_knows_and_asking_again_later_is_done_once(proxied, how, action):
    proxy, through, url = proxied
    store = ready(open_store(through, clock), action)
    was = events(url)
    proxy.cut, proxy.down_after_cut = how, True
    with pytest.raises(Refusal) as refused:
        action(store)
    assert refused.value.code == "outcome_unknown"
    assert OPERATION in refused.value.message

    with pytest.raises(Refusal) as refused:
        action(store)
    assert refused.value.code == "busy"
    assert "cannot be reached" in refused.value.message

    proxy.down = False
    result = action(store)
    assert action(store) == result
    assert events(url) == was + 1
    check_whole(store)
    store.close()


@pytest.mark.parametrize("action", ACTIONS)
def test_a_backend_ended_just_before_its_commit_saved_nothing_and_the_pool_recovers(postgres, prepared_postgres, monkeypatch, action):
    url = postgres.copy(prepared_postgres)
    store = ready(open_store(url, clock), action)
    was = events(url)
    dialect, ended = store.writer.dialect, []
    commit = dialect.do_commit

    def ending(connection: Any) -> None:
        if not ended:
            ended.append(connection.driver_connection.info.backend_pid)
            postgres.run(f"SELECT pg_terminate_backend({ended[0]}, 5000)")
        commit(connection)

    monkeypatch.setattr(dialect, "do_commit", ending)
    with pytest.raises(Refusal) as refused:
        action(store)
    assert refused.value.code == "busy"
    assert "Nothing was saved" in refused.value.message
    assert events(url) == was

    action(store)
    assert events(url) == was + 1
    check_whole(store)
    store.close()
    postgres.drop(url)


def test_a_server_that_ended_all_connections_between_two_actions_is_not_noticed(postgres, prepared_postgres):
    url = postgres.copy(prepared_postgres)
    store = ready(open_store(url, clock), do_approve)
    postgres.run(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{database_of(url)}'")

    assert do_approve(store)["decided"] == "CHILD"
    check_whole(store)
    store.close()
    postgres.drop(url)
