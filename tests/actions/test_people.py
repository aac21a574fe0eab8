"""People, roles and policies: who may change them, that nobody grants more than they hold, and that late changes are refused."""

import pytest

from store import OPERATOR, add_person, change_policy, list_events, list_governing, rename_person, set_roles, verify_store, view_people, view_policy
from tests.builders import TENANT, accepted, bring, check, claim, dump, given, is_sound, person, predicate, refused

WHY = "as agreed on Monday"


def roles_of(desk, who, by="adam"):
    (found,) = [one for one in view_people(desk, by, TENANT).people if one.id == who]
    return found.roles


def unchanged(desk, doing):
    """Refusals go to their own log; nothing else changes."""
    before = dump(desk, but={"refusal"})
    doing()
    assert dump(desk, but={"refusal"}) == before


def test_an_admin_adds_somebody_who_then_may_do_what_the_role_permits(desk):
    done = add_person(desk, "adam", TENANT, "zoe", "Zoë Q", [("reader", TENANT)], WHY)

    assert roles_of(desk, "zoe") == (("reader", TENANT),)
    assert done["after"] == [["reader", TENANT]]
    (event,) = [one for one in list_events(desk, OPERATOR)["items"] if one["seq"] == done["event"]]
    assert (event["actor"], event["action"], event["reason"]) == ("adam", "add_person", WHY)
    with refused("not_allowed"):
        add_person(desk, "zoe", TENANT, "yan", "Yan", [("reader", TENANT)], WHY)
    assert is_sound(desk)


@pytest.mark.parametrize("by", ["ana", "bot", "rita", "olga"])
def test_only_an_admin_changes_people_and_policy(desk, by):
    def try_all():
        with refused("not_allowed", "admin"):
            add_person(desk, by, TENANT, "zoe", "Zoe", [("reader", TENANT)], WHY)
        with refused("not_allowed"):
            set_roles(desk, by, TENANT, "rita", [("contributor", TENANT)], [], WHY)
        with refused("not_allowed"):
            set_roles(desk, by, TENANT, by, [("admin", TENANT)], [], WHY)
        with refused("not_allowed"):
            rename_person(desk, by, TENANT, "rita", "Rita R", WHY)
        with refused("not_allowed"):
            change_policy(desk, by, TENANT, TENANT, {"entity_confidence": 0.1}, WHY)

    unchanged(desk, try_all)


def test_nobody_grants_more_than_they_hold(desk):
    given(desk, person("dora", "admin", f"{TENANT}/api"))

    def try_all():
        with refused("not_allowed", "no admin of acme."):
            add_person(desk, "dora", TENANT, "eve", "Eve", [("reader", f"{TENANT}/api"), ("reviewer", TENANT)], WHY)
        with refused("not_allowed"):
            set_roles(desk, "dora", TENANT, "dora", [("admin", TENANT)], [], WHY)
        with refused("not_allowed", "nobody grants more than they hold"):
            set_roles(desk, "adam", TENANT, "adam", [("auditor", TENANT)], [], WHY)
        with refused("not_allowed", "nobody grants more"):
            set_roles(desk, "adam", TENANT, "olga", [], [("auditor", TENANT)], WHY)
        with refused("bad_value"):
            add_person(desk, OPERATOR, TENANT, "eve", "Eve", [("admin", "*")], WHY)
        with refused("not_allowed"):
            change_policy(desk, "dora", TENANT, TENANT, {"entity_confidence": 0.1}, WHY)

    unchanged(desk, try_all)
    set_roles(desk, "dora", TENANT, "rita", [("reviewer", f"{TENANT}/api")], [], WHY)
    set_roles(desk, OPERATOR, TENANT, "adam", [("auditor", TENANT)], [], WHY)
    set_roles(desk, "adam", TENANT, "rita", [("auditor", TENANT)], [], WHY)
    assert roles_of(desk, "rita") == (("auditor", TENANT), ("reader", TENANT), ("reviewer", f"{TENANT}/api"))


def test_an_import_follows_the_same_rule(desk):
    assert [one["code"] for one in bring(desk, person("eve", "auditor"), by="adam")["rejected"]] == ["not_allowed"]
    assert bring(desk, person("eve", "reviewer"), by="adam")["rejected"] == []


def test_an_import_by_an_admin_of_a_part_calls_nobody_otherwise(desk):
    given(desk, person("fia", "admin", f"{TENANT}/funds"))
    line = {"type": "person", "id": "adam", "name": "Somebody Else", "roles": [{"role": "reader", "scope": f"{TENANT}/funds"}]}

    assert_rejected(bring(desk, line, by="fia"), "not_allowed", "is called Adam here")
    assert roles_of(desk, "adam") == (("admin", TENANT),)
    assert bring(desk, line | {"name": "Adam"}, by="fia")["rejected"] == []
    assert bring(desk, line | {"roles": [*line["roles"], {"role": "admin", "scope": TENANT}]}, by="adam")["rejected"] == []
    assert [one.name for one in view_people(desk, "adam", TENANT).people if one.id == "adam"] == ["Somebody Else"]


def assert_rejected(result, code, words):
    ((found, message),) = [(one["code"], one["message"]) for one in result["rejected"]]
    assert found == code
    assert words in message


def test_an_import_leaves_no_tenant_without_an_admin_and_may_hand_it_over(desk):
    assert_rejected(bring(desk, person("adam", "reader"), by="adam"), "illegal_step", "without an admin")
    assert ("admin", TENANT) in roles_of(desk, "adam")
    assert bring(desk, person("adam", "reader"), person("ben", "admin"), by="adam")["rejected"] == []
    assert (roles_of(desk, "adam", "ben"), roles_of(desk, "ben", "ben")) == ((("reader", TENANT),), (("admin", TENANT),))


def test_of_two_lines_about_somebody_the_last_one_counts(desk):
    assert bring(desk, person("rita", "contributor"), person("rita", "reviewer"), by="adam")["rejected"] == []
    assert roles_of(desk, "rita") == (("reviewer", TENANT),)


NO_POLICY = [{"usual_terms": {"*": 5}}, {"usual_terms": {"*": {"review_after_days": 10**30}}}, {"house_rules": 5}, {"sensitivities": ["secretish"]}, {"authority_ranks": ["a", "a"]}]


@pytest.mark.parametrize("settings", NO_POLICY, ids=str)
def test_an_import_brings_in_no_policy_that_the_page_would_refuse(desk, settings):
    with refused("bad_value"):
        change_policy(desk, "adam", TENANT, TENANT, settings, WHY)
    assert_rejected(bring(desk, {"type": "policy", "scope": TENANT, **settings}, by="adam"), "bad_value", "")


def test_a_setting_of_null_says_nothing(desk):
    given(desk, {"type": "policy", "scope": TENANT, "entity_confidence": None})
    given(desk, claim("C"), reviewed=False)
    assert check(desk, "C")["can_approve"]
    with desk.writer.begin() as connection:
        connection.exec_driver_sql("UPDATE policy SET settings = '{\"entity_confidence\":null}'")
    assert check(desk, "C")["can_approve"]


def test_roles_end_at_the_tenant(desk):
    given(desk, person("mallory", "admin", "other"))

    def try_all():
        with refused("bad_value", "outside"):
            set_roles(desk, OPERATOR, TENANT, "rita", [("reader", "other")], [], WHY)
        with refused("not_found"):
            set_roles(desk, "mallory", TENANT, "rita", [("reader", TENANT)], [], WHY)
        with refused("not_found"):
            change_policy(desk, "mallory", TENANT, TENANT, {"entity_confidence": 0.1}, WHY)
        with refused("bad_value", "outside"):
            change_policy(desk, "mallory", "other", TENANT, {"entity_confidence": 0.1}, WHY)
        with refused("not_allowed"):
            view_people(desk, "mallory", TENANT)
        with refused("not_allowed"):
            view_policy(desk, "mallory", TENANT)

    unchanged(desk, try_all)


def test_the_last_admin_of_a_tenant_cannot_leave_it_without_one(desk):
    def try_alone():
        with refused("illegal_step", "without an admin"):
            set_roles(desk, "adam", TENANT, "adam", [], [("admin", TENANT)], WHY)

    unchanged(desk, try_alone)
    set_roles(desk, "adam", TENANT, "ben", [("admin", TENANT)], [], WHY)
    set_roles(desk, "adam", TENANT, "adam", [("reader", TENANT)], [("admin", TENANT)], WHY)
    assert roles_of(desk, "adam", "ben") == (("reader", TENANT),)
    with refused("illegal_step"):
        set_roles(desk, "ben", TENANT, "ben", [], [("admin", TENANT)], WHY)


def test_of_two_admins_the_later_one_is_told_what_changed(desk):
    given(desk, person("dora", "admin"))
    seen = roles_of(desk, "rita")
    set_roles(desk, "dora", TENANT, "rita", [("reviewer", TENANT)], [], WHY, seen=seen)

    with refused("changed_since_seen", "Somebody changed the roles of rita") as caught:
        set_roles(desk, "adam", TENANT, "rita", [("contributor", TENANT)], [("reader", TENANT)], WHY, seen=seen)
    assert caught.value.details["now"] == [["reader", TENANT], ["reviewer", TENANT]]
    assert roles_of(desk, "rita") == (("reader", TENANT), ("reviewer", TENANT))

    change_policy(desk, "dora", TENANT, TENANT, {"entity_confidence": 0.9}, WHY, seen={})
    with refused("changed_since_seen") as caught:
        change_policy(desk, "adam", TENANT, TENANT, {"entity_confidence": 0.7}, WHY, seen={})
    assert caught.value.details["now"] == {"entity_confidence": 0.9}
    rename_person(desk, "dora", TENANT, "rita", "Rita One", WHY, seen="Rita")
    with refused("changed_since_seen", "Rita One"):
        rename_person(desk, "adam", TENANT, "rita", "Rita Two", WHY, seen="Rita")


def test_the_same_operation_is_done_once(desk):
    first = set_roles(desk, "adam", TENANT, "rita", [("reviewer", TENANT)], [], WHY, operation="op-1")

    assert set_roles(desk, "adam", TENANT, "rita", [("reviewer", TENANT)], [], WHY, operation="op-1") == first
    with refused("operation_reused"):
        set_roles(desk, "adam", TENANT, "rita", [("contributor", TENANT)], [], WHY, operation="op-1")
    one = change_policy(desk, "adam", TENANT, TENANT, {"entity_confidence": 0.9}, WHY, operation="op-2")
    assert change_policy(desk, "adam", TENANT, TENANT, {"entity_confidence": 0.9}, WHY, operation="op-2") == one


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"new_id": ""}, "bad_value"), ({"new_id": " zoe "}, "bad_value"), ({"name": "  "}, "bad_value"), ({"name": "a\x00b"}, "bad_value"),
        ({"new_id": "x" * 5000}, "bad_value"), ({"roles": []}, "bad_value"), ({"roles": [("king", TENANT)]}, "bad_value"),
        ({"roles": [("reader", f"{TENANT}//x")]}, "bad_value"), ({"new_id": "ana"}, "other_content"), ({"reason": " "}, "bad_value"),
        ({"name": "\u200b\u202e"}, "bad_value"), ({"new_id": "\u2060"}, "bad_value"), ({"reason": "\u200b \u00ad"}, "bad_value"), ({"reason": "x" * 4_001}, "bad_value"),
    ],
)  # fmt: skip
def test_what_nobody_can_be_is_refused_and_leaves_no_trace(desk, how, code):
    given_words = {"new_id": "zoe", "name": "Zoe", "roles": [("reader", TENANT)], "reason": WHY} | how

    def try_it():
        with refused(code):
            add_person(desk, "adam", TENANT, given_words["new_id"], given_words["name"], given_words["roles"], given_words["reason"])

    unchanged(desk, try_it)


@pytest.mark.parametrize("change", [([("reader", TENANT)], []), ([], [("admin", TENANT)]), ([], []), ([("reviewer", TENANT)], [("reviewer", TENANT)])])
def test_a_change_that_changes_nothing_or_something_else_is_refused(desk, change):
    with refused("bad_value"):
        set_roles(desk, OPERATOR, TENANT, "rita", *change, WHY)


def test_who_loses_every_role_may_do_nothing_and_stays_in_the_list(desk):
    set_roles(desk, "adam", TENANT, "rita", [], [("reader", TENANT)], WHY)

    assert roles_of(desk, "rita") == ()
    with refused("not_allowed"):
        view_people(desk, "rita", TENANT)
    set_roles(desk, "adam", TENANT, "rita", [("reader", TENANT)], [], WHY)
    assert verify_store(desk, OPERATOR)["ok"]


def test_roles_in_scopes_one_may_not_see_are_counted_only(desk):
    given(desk, person("vic", "reviewer", f"{TENANT}/briefs"), person("sid", "reader", f"{TENANT}/secret", ("reader", TENANT), ("reader", f"{TENANT}/briefs/x")))

    (sid,) = [one for one in view_people(desk, "vic", TENANT).people if one.id == "sid"]
    assert (sid.roles, sid.hidden) == ((("reader", TENANT), ("reader", f"{TENANT}/briefs/x")), 1)
    assert view_people(desk, "vic", TENANT).scopes == ()
    with refused("not_allowed"):
        list_governing(desk, "vic", TENANT)


# --- policy --------------------------------------------------------------------------------------------------------


def test_a_policy_changes_what_the_checks_go_by(desk):
    given(desk, claim("C", entity_confidence=0.85))
    assert check(desk, "C")["can_approve"]

    done = change_policy(desk, "adam", TENANT, TENANT, {"entity_confidence": 0.9}, WHY)
    assert (done["before"], done["after"]) == ({}, {"entity_confidence": 0.9})
    assert not check(desk, "C")["can_approve"]
    change_policy(desk, "adam", TENANT, TENANT, {"entity_confidence": None}, WHY, seen={"entity_confidence": 0.9})
    assert check(desk, "C")["can_approve"]
    assert view_policy(desk, "adam", TENANT).own == {}
    assert is_sound(desk)


def test_each_setting_comes_from_the_nearest_scope_that_has_it(desk):
    deep = f"{TENANT}/api"
    given(desk, accepted("D", scope=deep))
    change_policy(desk, "adam", TENANT, TENANT, {"entity_confidence": 0.9, "authority_ranks": ["register", "press"]}, WHY)
    change_policy(desk, "adam", TENANT, deep, {"entity_confidence": 0.6}, WHY)

    view = view_policy(desk, "ana", deep)
    assert view.own == {"entity_confidence": 0.6}
    assert view.in_force == {"entity_confidence": (deep, 0.6), "authority_ranks": (TENANT, ["register", "press"])}
    assert not view.may_change


@pytest.mark.parametrize(
    "changes",
    [
        {"entity_confidence": 1.5}, {"entity_confidence": "much"}, {"sensitivities": ["secret"]}, {"authority_ranks": ["a", "a"]},
        {"authority_ranks": "a"}, {"usual_terms": {"p": {"review_after_days": 0}}}, {"usual_terms": {"p": {"nonsense": 1}}}, {"colour": "blue"}, {},
        {"authority_ranks": ["a\x00b"]},
    ],
)  # fmt: skip
def test_a_policy_that_cannot_be_read_is_refused(desk, changes):
    def try_it():
        with refused("bad_value", "Nothing was"):
            change_policy(desk, "adam", TENANT, TENANT, changes, WHY)

    unchanged(desk, try_it)


def test_a_preview_made_under_the_old_policy_is_stale_under_the_new_one(desk):
    from store import commit_plan
    from tests.builders import preview, revoking

    given(desk, accepted("A"))
    seen = preview(desk, revoking("A"))
    change_policy(desk, "adam", TENANT, TENANT, {"entity_confidence": 0.9}, WHY)

    with refused("stale_preview"):
        commit_plan(desk, "ana", TENANT, revoking("A"), seen["fingerprint"], WHY)


def test_what_was_changed_is_listed_newest_first_with_before_and_after(desk):
    given(desk, predicate("p"))
    set_roles(desk, "adam", TENANT, "rita", [("reviewer", TENANT)], [], "more hands")
    change_policy(desk, "adam", TENANT, TENANT, {"entity_confidence": 0.9}, "fewer mix-ups")
    rename_person(desk, "adam", TENANT, "rita", "Rita R", "married")

    found, more = list_governing(desk, "olga", TENANT)
    assert [(one.action, one.about, one.reason, one.by) for one in found] == [
        ("rename_person", "rita", "married", "Adam"), ("change_policy", TENANT, "fewer mix-ups", "Adam"), ("set_roles", "rita", "more hands", "Adam"),
    ]  # fmt: skip
    assert (found[1].before, found[1].after) == ({}, {"entity_confidence": 0.9})
    assert not more
    assert [one.action for one in list_governing(desk, "olga", TENANT, before=found[1].seq)[0]] == ["set_roles"]
    assert list_governing(desk, "olga", TENANT, limit=1)[1]
