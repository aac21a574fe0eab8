"""People and policy, run without a browser: what each state says, and that nothing changes without a reason and the right."""

from __future__ import annotations

import re
from html import unescape

import pytest

from store import list_governing, open_store, set_email, set_roles, view_people, view_policy
from tests.pages.opened import opener

open_page = opener("people", "ravi")



@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Presses of a test follow each other faster than anybody's; the guard against that has tests of its own."""
    from pages.widgets import decision_guard

    monkeypatch.setattr(decision_guard, "QUIET", 0.0)


def plain(at):
    found = unescape(" ".join(re.sub(r"<[^>]+>", " ", element.proto.body) for element in at.get("html")))
    return re.sub(r" ([.,:;])", r"\1", " ".join(found.split()))


def field(at, kind, beginning):
    (found,) = [one for one in at.get(kind) if one.key and one.key.startswith(beginning)]
    return found


@pytest.mark.parametrize(
    ("query", "person", "says"),
    [
        ({}, "ravi", "10 people and agents may act in acme; 2 of them are admins of something."),
        ({}, "ravi", "Add somebody"),
        ({}, "ana", "You can look, and change nothing"),
        ({}, "mei", "Roles add up."),
        ({"who": "noor"}, "ravi", "reviewer in acme/vendors"),
        ({"who": "operator"}, "ravi", "Roles everywhere are made with the store"),
        ({"who": "mei"}, "ravi", "You may not take these away"),
        ({"who": "nobody<b>"}, "ravi", "Nobody called nobody<b> is here"),
        ({"add": "1"}, "ravi", "What they do is recorded under the id"),
        ({"tab": "policy", "where": "acme/api"}, "ravi", "The policy of acme/api sets nothing itself"),
        ({"tab": "policy"}, "ana", "a policy is changed by an admin of acme"),
        ({"tab": "policy", "where": "acme/funds"}, "ravi", "How sure an extractor must be as the desk has it"),
        ({"tab": "policy", "where": "acme/vendors"}, "noor", "The policy of acme/vendors"),
        ({"tab": "history"}, "ravi", "Nothing was changed here yet"),
        ({"tab": "history"}, "noor", "may not see what was changed about people and policy"),
        ({}, "olga", "may not see who may do what in acme"),
        ({"tab": "policy"}, "olga", "There is no policy you may see"),
    ],
)  # fmt: skip
def test_every_state_says_what_is_so(monkeypatch, sample, query, person, says):
    assert says in plain(open_page(monkeypatch, sample, person, **query))


@pytest.mark.parametrize("person", ["ana", "mei", "noor"])
def test_who_may_not_change_is_shown_nothing_to_press(monkeypatch, sample, person):
    for query in ({"who": "bot"}, {"add": "1"}, {"tab": "policy", "edit": "entity_confidence"}):
        at = open_page(monkeypatch, sample, person, **query)
        assert not [one for one in at.button if one.key and one.key.startswith("people.")]
        assert "Add somebody" not in plain(at)


def test_a_role_is_given_with_a_reason_and_the_list_says_so(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, who="olga")
    field(at, "selectbox", "people.role.").set_value("reviewer")
    field(at, "selectbox", "people.scope.").set_value("acme/vendors")
    field(at, "button", "people.save.").click().run()

    assert "Nothing was changed." in plain(at)
    assert "Give a reason." in plain(at)
    assert field(at, "selectbox", "people.role.").value == "reviewer"

    field(at, "text_area", "people.reason.").set_value("Noor is away").run()
    assert "reader in acme → reader in acme reviewer in acme/vendors" in plain(at)
    field(at, "button", "people.save.").click().run()

    assert "Olga Termini changed: reader in acme, reviewer in acme/vendors." in plain(at)
    assert field(at, "text_area", "people.reason.").value == ""
    store = open_store(fresh)
    assert list_governing(store, "mei", "acme")[0][0].reason == "Noor is away"
    store.close()
    assert "Roles changed olga by Ravi Solanke" in plain(open_page(monkeypatch, fresh, tab="history"))


def test_a_change_made_meanwhile_by_somebody_else_is_told_and_nothing_is_lost(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, who="olga")
    field(at, "selectbox", "people.role.").set_value("contributor")
    field(at, "selectbox", "people.scope.").set_value("acme/api")
    field(at, "text_area", "people.reason.").set_value("she writes too").run()
    store = open_store(fresh)
    set_roles(store, "operator", "acme", "olga", [("reviewer", "acme/funds")], [], "meanwhile")
    field(at, "button", "people.save.").click().run()

    assert "Somebody changed the roles of olga since you looked. Nothing was saved." in plain(at)
    assert field(at, "text_area", "people.reason.").value == "she writes too"
    assert "reviewer in acme/funds" in plain(at)
    field(at, "button", "people.save.").click().run()
    assert "Olga Termini changed" in plain(at)
    (olga,) = [one for one in view_people(store, "ravi", "acme").people if one.id == "olga"]
    assert olga.roles == (("reader", "acme"), ("contributor", "acme/api"), ("reviewer", "acme/funds"))
    store.close()


def test_somebody_is_added_and_shown(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, add="1")
    at.text_input(key="people.new.id").set_value("zoe")
    at.text_input(key="people.new.name").set_value("Zoë <b>Q</b>")
    at.text_area(key="people.new.reason").set_value("new in the team")
    at.button(key="people.add").click().run()
    assert "Choose a role and the scope it holds in." in plain(at)
    assert at.text_input(key="people.new.id").value == "zoe"

    field(at, "selectbox", "people.role.new").set_value("reader")
    field(at, "selectbox", "people.scope.new").set_value("acme/api").run()
    at.button(key="people.add").click().run()
    assert "Zoë <b>Q</b> was added: reader in acme/api." in plain(at)
    assert at.query_params["who"] == "zoe"
    assert "<b>Q</b>" not in "".join(element.proto.body for element in at.get("html"))


def test_a_policy_is_changed_seen_before_and_after_and_taken_back(monkeypatch, fresh):
    store = open_store(fresh)
    before = view_policy(store, "ravi", "acme").own
    store.close()
    at = open_page(monkeypatch, fresh, tab="policy", edit="entity_confidence")
    at.number_input[0].set_value(90).run()
    assert "80% → 90%" in plain(at)
    field(at, "button", "people.policysave.").click().run()
    assert "Give a reason." in plain(at)
    field(at, "text_area", "people.policyreason.").set_value("two mix-ups last week").run()
    field(at, "button", "people.policysave.").click().run()

    assert "The policy of acme changed: how sure an extractor must be." in plain(at)
    assert "How sure an extractor must be set here" in plain(at)
    assert "from acme" in plain(open_page(monkeypatch, fresh, tab="policy", where="acme/funds"))

    at = open_page(monkeypatch, fresh, tab="policy", edit="entity_confidence")
    field(at, "text_area", "people.policyreason.").set_value("enough").run()
    field(at, "button", "people.policydrop.").click().run()
    store = open_store(fresh)
    assert view_policy(store, "ravi", "acme").own == before
    store.close()


def test_usual_terms_and_ranks_are_typed_as_people_write_them(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, tab="policy", edit="usual_terms")
    field(at, "text_input", "people.policyvalue.review.").set_value("soon").run()
    assert "Write a whole number of days" in plain(at)
    field(at, "text_input", "people.policyvalue.review.").set_value("180")
    field(at, "text_input", "people.policyvalue.owner.").set_value("ana").run()
    field(at, "text_area", "people.policyreason.").set_value("house habit").run()
    field(at, "button", "people.policysave.").click().run()
    assert "every predicate: owner Ana Belcourt, review after 180 days" in plain(at)

    at = open_page(monkeypatch, fresh, tab="policy", edit="authority_ranks")
    field(at, "text_area", "people.policyvalue.").set_value("register\npress\nregister").run()
    assert "register stands there twice." in plain(at)
    field(at, "text_area", "people.policyvalue.").set_value("register\n press \n").run()
    field(at, "text_area", "people.policyreason.").set_value("as in the handbook").run()
    field(at, "button", "people.policysave.").click().run()
    store = open_store(fresh)
    own = view_policy(store, "ravi", "acme").own
    assert (own["authority_ranks"], own["usual_terms"]) == (["register", "press"], {"*": {"owner": "ana", "review_after_days": 180}})
    store.close()


def test_a_press_too_soon_is_ignored_and_says_so(monkeypatch, fresh):
    from pages.widgets import decision_guard

    at = open_page(monkeypatch, fresh, who="olga")
    field(at, "selectbox", "people.role.").set_value("reviewer")
    field(at, "selectbox", "people.scope.").set_value("acme/vendors")
    field(at, "text_area", "people.reason.").set_value("Noor is away").run()
    monkeypatch.setattr(decision_guard, "QUIET", 60.0)
    field(at, "button", "people.save.").click().run()
    field(at, "button", "people.save.").click().run()
    assert "came too soon after the last and was ignored" in plain(at)


@pytest.fixture
def contested(tmp_path):
    """A store in which two claims say 1 and 1.004, and one predicate nobody declared is used."""
    from store import create_store
    from tests.builders import CAST, GROUND, accepted, given, predicate

    url = f"sqlite:///{tmp_path}/contested.db"
    store = create_store(url)
    given(store, *CAST, *GROUND, predicate("nav", value_type="number"), accepted("A", 1, predicate="nav", subject="s"), accepted("B", 1.004, predicate="nav", subject="s"), accepted("C", "x", predicate="colour"))
    store.close()
    return url


def test_predicates_are_listed_with_what_is_held_and_contested_under_each(monkeypatch, contested):
    at = open_page(monkeypatch, contested, "adam", tab="predicates")

    assert "2 predicates are used or declared in acme; how 1 of them compare was decided" in plain(at)
    assert "1 conflict is open over 1 of them." in plain(at)
    assert "nav as a number 2 compare_arrows 1" in plain(at)
    assert "colour exactly as written 1 0" in plain(at)
    assert "Nobody uses a predicate called none-such" in plain(open_page(monkeypatch, contested, "adam", tab="predicates", predicate="none-such"))
    assert "how it is compared is decided by an admin of acme" in plain(open_page(monkeypatch, contested, "ana", tab="predicates", predicate="nav", edit="compare"))


def test_another_comparison_is_seen_before_it_is_made_and_then_is_what_was_seen(monkeypatch, contested):
    at = open_page(monkeypatch, contested, "adam", tab="predicates", predicate="nav", where="acme", edit="compare")
    assert "Change something above" in plain(at)
    field(at, "text_input", "people.cmp.tolerance.").set_value("plenty").run()
    assert "A tolerance is a number such as 0.01" in plain(at)
    field(at, "text_input", "people.cmp.tolerance.").set_value("0.01").run()
    assert not [one for one in at.button if one.key.startswith("people.cmp.save.")]
    field(at, "button", "people.cmp.see.").click().run()

    assert "1 conflict closes, of 2 claims it is about. Values stay as they were written." in plain(at)
    assert "closes s A 1 · B 1.004" in plain(at)
    field(at, "button", "people.cmp.save.").click().run()
    assert "Give a reason." in plain(at)
    field(at, "text_area", "people.cmp.reason.").set_value("rounding is no contradiction").run()
    field(at, "button", "people.cmp.save.").click().run()

    assert "nav is compared otherwise from now on, in acme." in plain(at)
    assert "as a number, within 0.01" in plain(at)
    assert "no open conflict" in plain(at)
    (result,) = re.findall(r'href="(/revoke\?[^"]*done=[^"]*)"[^>]*>See what it did', "".join(element.proto.body for element in at.get("html")))
    asked = dict(pair.split("=") for pair in unescape(result).split("?")[1].split("&"))
    assert "You changed how values of “nav” are compared." in plain(open_page(monkeypatch, contested, "adam", script="pages/revoke.py", **asked))
    assert "Comparison changed nav by Adam" in plain(open_page(monkeypatch, contested, "adam", tab="history"))


def test_a_comparison_seen_before_the_store_moved_is_refused_and_asked_for_again(monkeypatch, contested):
    from tests.builders import accepted, given

    at = open_page(monkeypatch, contested, "adam", tab="predicates", predicate="nav", where="acme", edit="compare")
    field(at, "text_input", "people.cmp.tolerance.").set_value("0.01").run()
    field(at, "button", "people.cmp.see.").click().run()
    field(at, "text_area", "people.cmp.reason.").set_value("rounding").run()
    store = open_store(contested)
    given(store, accepted("D", 9, predicate="nav", subject="s"))
    store.close()
    assert "Something happened in the store since." in plain(at.run())
    field(at, "button", "people.cmp.save.").click().run()

    assert "cd-badband" in "".join(element.proto.body for element in at.get("html"))
    assert "is compared otherwise" not in plain(at)
    field(at, "button", "people.cmp.see.").click().run()
    assert field(at, "text_area", "people.cmp.reason.").value == "rounding"


def test_a_house_rule_is_written_in_words_and_shown_in_words(monkeypatch, contested):
    at = open_page(monkeypatch, contested, "adam", tab="policy", edit="house_rules")
    field(at, "button", "people.policysave.").click().run()
    assert "Give the name of what stays." in plain(at)
    field(at, "text_input", "people.policyvalue.names.").set_value("register; press").run()
    field(at, "text_input", "people.policyvalue.because.").set_value("the register is audited").run()
    field(at, "text_area", "people.policyreason.").set_value("handbook 4.2").run()
    field(at, "button", "people.policysave.").click().run()

    says = "every predicate without a rule of its own: keep one value: what a source says: register and press; the others are superseded by it, because “the register is audited”"
    assert says in plain(at)
    store = open_store(contested)
    (rule,) = view_policy(store, "adam", "acme").own["house_rules"]
    assert rule == {"predicate": "*", "verdict": "keep", "prefer": {"source": ["register", "press"]}, "others": "superseded", "because": "the register is audited"}
    store.close()


def test_the_form_shows_how_numbers_are_really_compared(monkeypatch, sample):
    at = open_page(monkeypatch, sample, tab="predicates", predicate="nav", where="acme", edit="compare")

    assert field(at, "selectbox", "people.cmp.how.").value == "number"
    assert "Change something above to see what it would do." in plain(at)


def test_counts_of_predicates_end_where_one_may_not_look(contested):
    from store import list_predicates
    from tests.builders import accepted, given, person

    store = open_store(contested)
    given(store, person("vic", "reviewer", "acme/briefs"), accepted("V", "x", predicate="colour", scope="acme/briefs"), accepted("W", "x", predicate="hidden"))
    assert [(one.predicate.name, one.accepted, one.conflicts) for one in list_predicates(store, "vic", "acme")] == [("colour", 1, 0)]
    assert [(one.predicate.name, one.accepted) for one in list_predicates(store, "ana", "acme")] == [("colour", 2), ("hidden", 1), ("nav", 2)]
    store.close()


def address_of(url, who):
    store = open_store(url)
    try:
        return next(one.email for one in view_people(store, "ravi", "acme").people if one.id == who)
    finally:
        store.close()


def test_an_admin_gives_somebody_a_mail_address_with_a_reason_and_history_says_so(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, who="olga")
    assert "No mail address" in plain(at)
    field(at, "text_input", "people.email.").set_value("not an address")
    field(at, "button", "people.emailgo.").click().run()
    assert "Give a reason." in plain(at)

    field(at, "text_area", "people.emailreason.").set_value("Olga asked")
    field(at, "button", "people.emailgo.").click().run()
    assert "That is no mail address. Nothing was saved." in plain(at)
    assert address_of(fresh, "olga") is None

    field(at, "text_input", "people.email.").set_value("olga@acme.example")
    field(at, "button", "people.emailgo.").click().run()
    assert "Notices for Olga Termini go to olga@acme.example." in plain(at)
    assert address_of(fresh, "olga") == "olga@acme.example"
    history = plain(open_page(monkeypatch, fresh, tab="history"))
    assert "Mail address changed olga by Ravi Solanke" in history
    assert "no mail address → olga@acme.example" in history
    assert "Olga asked" in history


def test_somebody_who_is_no_admin_changes_their_own_address_and_sees_nobody_elses(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, "mei", who="mei")
    field(at, "text_input", "people.email.").set_value("mei@acme.example")
    field(at, "button", "people.emailgo.").click().run()

    assert address_of(fresh, "mei") == "mei@acme.example"
    for query in ({}, {"who": "mei"}):
        assert "mei@acme.example" not in plain(open_page(monkeypatch, fresh, "ana", **query))


def test_an_address_somebody_else_changed_meanwhile_is_not_overwritten(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, "mei", who="mei")
    field(at, "text_input", "people.email.").set_value("mei@acme.example")
    store = open_store(fresh)
    set_email(store, "ravi", "acme", "mei", "mei@other.example")
    store.close()
    field(at, "button", "people.emailgo.").click().run()

    assert "Somebody changed the mail address of mei since you looked." in plain(at)
    assert address_of(fresh, "mei") == "mei@other.example"
