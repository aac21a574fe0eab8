"""The page of conflicts, run without a browser: what each state says, and what its buttons do."""

from __future__ import annotations

import html
import re

import pytest

from store import ConflictSift, create_store, import_lines, list_conflicts_page, list_my_questions, list_queue, open_store, show_record, view_conflict
from tests.builders import CAST, GROUND, accepted, artifact, delivered, encode, evidence, passage, source, told
from tests.pages.opened import opener

open_page = opener("conflicts")



def built(tmp_path, *lines):
    """A small store of our own with the cast and reviewed lines."""
    url = f"sqlite:///{tmp_path}/own.db"
    store = create_store(url)
    assert import_lines(store, "operator", encode([*CAST, *GROUND, *lines]), reviewed=True)["rejected"] == []
    store.close()
    return url


def words(at):
    text = " ".join(re.sub(r"<[^>]+>", " ", element.proto.body if hasattr(element.proto, "body") else "") for element in at.get("html"))
    return re.sub(r"\s+", " ", html.unescape(text))


def button(at, label):
    return next(one for one in at.button if one.label.startswith(label))


def press(at, label):
    """Press a button after the silence a decision needs."""
    at.session_state["decision.last_press"] = 0.0
    button(at, label).click().run()
    assert not at.exception, at.exception
    return at


def conflict_of(url, predicate, person="ana"):
    store = open_store(url)
    page = list_conflicts_page(store, person, ConflictSift(predicate=predicate))
    store.close()
    (chosen,) = page.ids
    return chosen[1]


def test_the_page_opens_with_one_sentence_and_the_blocked_first(monkeypatch, sample):
    at = open_page(monkeypatch, sample)

    said = words(at)
    assert "12 conflicts are open; 4 block an action; 3 more reach something delivered; 1 more crosses a threshold." in said
    assert (
        said.index("A high-impact action rests on it")
        < said.index("Something that rests on it was delivered")
        < said.index("Nothing that was delivered")
    )
    assert said.index("breach notice hours") < said.index("fair value")


def test_a_conflict_shows_its_values_with_their_sources_and_what_is_equal_folded(monkeypatch, sample):
    at = open_page(monkeypatch, sample, conflict=conflict_of(sample, "fair_value"))

    said = words(at)
    assert "2 sources, 1 independent" in said
    assert "1 source, 1 independent" in said
    assert "rows are equal" in said
    assert "Agents will then read 8,100,000" in said
    assert "Agents will then read 6,900,000" in said
    assert "3 records need re-validation" in said


def test_a_verdict_is_chosen_shown_and_committed_and_the_list_moves_on(monkeypatch, fresh):
    chosen = conflict_of(fresh, "breach_notice_hours")
    at = open_page(monkeypatch, fresh, conflict=chosen)
    press(at, "Keep value 2")
    assert "48 is right" in words(at)
    assert "Agents will then read 48" in words(at)

    press(at, "Settle as Ana Belcourt")
    store = open_store(fresh)
    assert not view_conflict(store, "ana", "acme", chosen).open
    assert at.query_params["conflict"] != [chosen]
    assert "Settled northgate · breach notice hours: one value was kept, as Ana Belcourt" in words(at)
    assert told(store, "northgate", "breach_notice_hours", "acme/vendors", by="ana")[0] == "OK"
    history = show_record(store, "ana", "acme", "breach-call")["history"][-1]
    assert (history["actor"], history["to"], history["reason"]) == ("ana", "SUPERSEDED", "Both passages read; this one is right.")
    store.close()


def test_without_a_reason_nothing_is_settled(monkeypatch, fresh):
    chosen = conflict_of(fresh, "legal_name")
    at = open_page(monkeypatch, fresh, conflict=chosen)
    press(at, "Keep value 1")
    at.text_area[0].set_value("  ").run()
    press(at, "Settle as")

    assert "Give a reason" in words(at)
    store = open_store(fresh)
    assert view_conflict(store, "ana", "acme", chosen).open
    store.close()


def test_a_press_too_soon_settles_nothing_and_says_so(monkeypatch, fresh):
    chosen = conflict_of(fresh, "legal_name")
    at = open_page(monkeypatch, fresh, conflict=chosen)
    press(at, "Keep value 1")
    monkeypatch.setattr("pages.widgets.decision_guard.QUIET", 3600.0)
    button(at, "Settle as").click().run()

    assert "came too soon and was ignored" in words(at)
    store = open_store(fresh)
    assert view_conflict(store, "ana", "acme", chosen).open
    store.close()


def test_the_first_reason_named_is_not_called_one_more(monkeypatch, tmp_path):
    fields = {"subject": "x", "predicate": "p"}
    pair = (accepted("A", 1, **fields), accepted("B", 2, **fields))
    at = open_page(monkeypatch, built(tmp_path, *pair, artifact("M", ["A"], deliveries=[delivered()])))

    assert "1 reaches something delivered" in words(at)
    assert "more reaches" not in words(at)


def test_nothing_contested_is_a_state_of_its_own(monkeypatch, tmp_path):
    at = open_page(monkeypatch, built(tmp_path, accepted("A")))

    assert "Nothing is contested" in words(at)


def test_somebody_who_may_not_see_what_waits_sees_nothing_of_it(monkeypatch, tmp_path):
    url = built(tmp_path, accepted("A", "x", subject="hush"), accepted("B", "y", subject="hush"))
    store = open_store(url)
    chosen = list_conflicts_page(store, "ana", ConflictSift()).ids[0][1]
    store.close()

    for query in ({}, {"conflict": chosen, "tenant": "acme"}):
        at = open_page(monkeypatch, url, person="rita", **query)
        assert "Conflicts are not shown to you" in words(at)
        assert "hush" not in words(at)


@pytest.mark.parametrize(
    "query", [{"show": "nonsense"}, {"differ": "x"}, {"page": "-3"}, {"page": "99"}, {"conflict": "none"}, {"predicate": "none"}]
)
def test_an_address_that_names_what_is_not_there_gives_a_page(monkeypatch, sample, query):
    at = open_page(monkeypatch, sample, **query)

    assert words(at)


def test_the_count_in_the_list_is_the_count_of_the_queue(monkeypatch, sample):
    store = open_store(sample)
    total = list_queue(store, "ana", "conflicts")["total"]
    page = list_conflicts_page(store, "ana", ConflictSift())
    store.close()

    assert page.total == page.matched == total == sum(count for _, count, _ in page.matrix.rows)


# --- every verdict ---------------------------------------------------------------------------------------------------


def two(tmp_path, *more, **fields):
    """A store in which A says x and B says y about s; R, delivered, rests on B."""
    lines = (accepted("A", "x", subject="s", **fields), accepted("B", "y", subject="s", **fields), artifact("R", "B", deliveries=[delivered()]))
    return built(tmp_path, *lines, *more)


def settled(monkeypatch, url, verdict, fill=lambda at: None):
    """Open the only conflict, give a verdict with what it takes, and return the page and the store."""
    at = open_page(monkeypatch, url, conflict=conflict_of(url, "says"))
    press(at, verdict)
    fill(at)
    press(at, "Ask as" if verdict.startswith("Not yet") else "Settle as")
    return at, open_store(url)


def field(at, label):
    return next(one for one in at.text_input if one.label == label)


def test_the_same_fact_keeps_one_and_says_so_before(monkeypatch, tmp_path):
    at, store = settled(monkeypatch, two(tmp_path), "Same fact")

    assert told(store, "s", by="ana") == ("OK", ["A"])
    assert show_record(store, "ana", "acme", "B")["status"] == "SUPERSEDED"
    store.close()


def test_keeping_a_value_may_revoke_the_others(monkeypatch, tmp_path):
    def revoke(at):
        at.segmented_control[0].set_value("revoked").run()

    at, store = settled(monkeypatch, two(tmp_path), "Keep value 1", revoke)

    assert show_record(store, "ana", "acme", "B")["status"] == "REVOKED"
    assert show_record(store, "ana", "acme", "R")["status"] == "STALE"
    store.close()


def test_both_hold_once_they_do_not_overlap_and_until_then_it_says_what_is_missing(monkeypatch, tmp_path):
    url = two(tmp_path)
    at = open_page(monkeypatch, url, conflict=conflict_of(url, "says"))
    press(at, "Both hold")
    assert "Say for at least one claim from when" in words(at)
    assert button(at, "Settle as").disabled

    field(at, "A holds until").set_value("2026-01-01").run()
    assert "would still contradict" in words(at)
    field(at, "B holds from").set_value("2026-01-01").run()
    press(at, "Settle as")
    store = open_store(url)
    assert told(store, "s", by="ana") == ("OK", ["B"])
    assert told(store, "s", by="ana", at="2025-06-01T00:00:00Z") == ("OK", ["A"])
    store.close()


def test_both_hold_for_figures_of_their_own(monkeypatch, tmp_path):
    at, store = settled(monkeypatch, two(tmp_path), "Both hold", lambda at: field(at, "A for the figure").set_value("basis = GAAP").run())

    assert told(store, "s", by="ana", qualifiers={"basis": "GAAP"}) == ("OK", ["A"])
    assert told(store, "s", by="ana") == ("OK", ["B"])
    store.close()


def test_different_things_propose_one_side_about_the_other_subject(monkeypatch, tmp_path):
    def tell(at):
        at.pills[0].set_value("B").run()
        field(at, "What it is about").set_value("t").run()

    at, store = settled(monkeypatch, two(tmp_path), "Different", tell)

    assert told(store, "s", by="ana") == ("OK", ["A"])
    assert show_record(store, "ana", "acme", "B.t")["status"] == "CANDIDATE"
    store.close()


def test_none_is_right_revokes_all(monkeypatch, tmp_path):
    at, store = settled(monkeypatch, two(tmp_path), "None")

    assert told(store, "s", by="ana")[0] == "MISSING"
    assert [show_record(store, "ana", "acme", one)["status"] for one in ("A", "B", "R")] == ["REVOKED", "REVOKED", "STALE"]
    store.close()


def test_what_cannot_be_told_is_asked_of_somebody_and_stays_open(monkeypatch, tmp_path):
    def ask(at):
        at.pills[0].set_value("ben").run()
        at.text_area[0].set_value("Which of them is it?").run()

    at, store = settled(monkeypatch, two(tmp_path), "Not yet", ask)

    assert told(store, "s", by="ana") == ("CONFLICT", ["A", "B"])
    (question,) = list_my_questions(store, "ben").waiting
    assert question.question.text == "Which of them is it?"
    at = open_page(monkeypatch, f"sqlite:///{tmp_path}/own.db", conflict=conflict_of(f"sqlite:///{tmp_path}/own.db", "says"))
    assert "asked Ben" in words(at)
    store.close()


def test_what_was_decided_on_the_same_values_is_offered_in_one_key(monkeypatch, tmp_path):
    url = two(tmp_path)
    settled(monkeypatch, url, "Keep value 2")[1].close()
    store = open_store(url)
    assert import_lines(store, "operator", encode([accepted("C", "x", subject="s")]), reviewed=True)["rejected"] == []
    store.close()
    at = open_page(monkeypatch, url, conflict=conflict_of(url, "says"))
    assert "ana settled the same values on" in words(at)

    press(at, "As decided then")
    assert "y is right" in words(at)
    press(at, "Settle as")
    store = open_store(url)
    assert told(store, "s", by="ana") == ("OK", ["B"])
    store.close()


def test_a_house_rule_proposes_and_a_person_applies_it(monkeypatch, tmp_path):
    rule = {"predicate": "says", "verdict": "keep", "prefer": {"source": "S2"}, "because": "The register is kept by law."}
    lines = (source("S2"), evidence("E2", "S2"), {"type": "policy", "scope": "acme", "house_rules": [rule]})
    url = built(tmp_path, *lines, accepted("A", "x", subject="s"), accepted("B", "y", subject="s", evidence=[passage(evidence="E2")]))
    at = open_page(monkeypatch, url, conflict=conflict_of(url, "says"))
    assert "The house rule proposes to keep y : The register is kept by law." in words(at)

    press(at, "House rule")
    press(at, "Settle as")
    store = open_store(url)
    assert told(store, "s", by="ana") == ("OK", ["B"])
    store.close()


def test_a_reader_of_the_scope_without_the_right_only_looks(monkeypatch, tmp_path):
    url = two(tmp_path)
    at = open_page(monkeypatch, url, person="olga", conflict=conflict_of(url, "says", "olga"))

    assert "settles nothing in acme" in words(at)
    assert not [one for one in at.button if one.label.startswith("Keep value")]


# --- groups ----------------------------------------------------------------------------------------------------------


def many(tmp_path, count=60):
    """`count` subjects about which two sources of two authorities differ; every third says the same and more."""
    lines = [source("S2", authority="register"), evidence("E2", "S2")]
    for n in range(count):
        more = n % 3 == 0
        lines.append(accepted(f"A{n}", f"Town {n}", subject=f"s{n:03}"))
        lines.append(accepted(f"B{n}", f"Town {n}, U.S." if more else f"City {n}0", subject=f"s{n:03}", evidence=[passage(evidence="E2")]))
    return built(tmp_path, *lines)


def test_a_cell_of_the_matrix_is_a_group_with_that_many_and_a_rule_settles_what_is_ticked(monkeypatch, tmp_path):
    url = many(tmp_path)
    at = open_page(monkeypatch, url)
    assert "60 conflicts are open" in words(at)
    at = open_page(monkeypatch, url, predicate="says", source=["S1", "register"])
    assert "60 conflicts about says between S1 × register" in words(at)
    assert "20 one says more than the other" in words(at)

    at.session_state["conflicts.table"] = {"ticks": {"ids": [conflict_named(url, "s001")], "on": False}}
    at.session_state["conflicts.out"] = {group_name(at): {conflict_named(url, "s001"), conflict_named(url, "s059")}}
    at.run()
    press(at, "Keep 2")
    assert "Of 60, 58 are settled." in words(at)
    assert "2 left out by you" in words(at)
    press(at, "Settle 58 as Ana")
    assert "Settled 58 conflicts about says, as Ana · 2 conflicts left in this list" in words(at)
    store = open_store(url)
    assert told(store, "s000", by="ana") == ("OK", ["B0"])
    assert told(store, "s001", by="ana") == ("CONFLICT", ["A1", "B1"])
    store.close()


def group_name(at):
    from pages.widgets.candidate_place import mark_of

    return mark_of(None, "all", "says", ("S1", "register"), False, (), None)


def conflict_named(url, subject):
    store = open_store(url)
    found = [row.id for page in (1, 2) for row in list_conflicts_page(store, "ana", ConflictSift(), page=page).rows if row.subject == subject]
    store.close()
    return found[0]


def test_a_group_is_asked_about_at_once(monkeypatch, tmp_path):
    url = many(tmp_path, 3)
    at = open_page(monkeypatch, url, predicate="says")
    press(at, "Not yet")
    at.text_area[0].set_value("Which list is right?").run()
    press(at, "Settle 3 as Ana")

    assert "Asked about 3 conflicts" in words(at)
    store = open_store(url)
    assert list_conflicts_page(store, "ana", ConflictSift(only="asked")).matched == 3
    store.close()


def test_only_an_admin_changes_how_values_are_compared_and_sees_what_closes(monkeypatch, tmp_path):
    url = built(
        tmp_path,
        accepted("A", "1966", subject="s"),
        accepted("B", "July 1966", subject="s"),
        accepted("C", "a", subject="u"),
        accepted("D", "b", subject="u"),
    )
    at = open_page(monkeypatch, url, person="ana", predicate="says")
    press(at, "Compare")
    assert button(at, "Change it as Ana").disabled
    at = open_page(monkeypatch, url, person="operator", predicate="says")
    assert re.search(r"Compared by its year ?, 1 of all 2 about says would be no conflict", words(at))

    press(at, "Compare")
    assert "1 conflict closes; 0 open." in words(at)
    press(at, "Change it as")
    assert "says is compared otherwise; 1 conflict closed" in words(at)
    store = open_store(url)
    assert told(store, "s", by="ana") == ("OK", ["A", "B"])
    store.close()


def test_a_reader_that_erred_is_named_and_what_else_it_made_is_set_aside_but_for_what_is_left_out(monkeypatch, tmp_path):
    old, new = {"method": "table-reader", "version": "2.1"}, {"method": "table-reader", "version": "2.2"}
    url = built(
        tmp_path, accepted("A", 1, subject="s", extraction=old), accepted("B", 2, subject="s", extraction=new), accepted("C", 3, subject="c", extraction=old),
        accepted("D", 4, subject="d", extraction=old),
    )  # fmt: skip
    at = press(open_page(monkeypatch, url, conflict=conflict_of(url, "says")), "Misread")
    assert "Say which extractor misread" in words(at)
    at.session_state["decision.last_press"] = 0.0
    at.button_group[0].set_value(next(n for n in (0, 1) if "2.1" in at.button_group[0].proto.options[n].content)).run()
    said = words(at)
    assert "2 other claims" in said
    assert "Agents asking this question will then get an answer" in said
    at.multiselect[0].set_value(["D"]).run()
    press(at, "Settle as")
    store = open_store(url)
    found = {id: show_record(store, "ana", "acme", id)["status"] for id in "ABCD"}
    store.close()
    assert found == {"A": "REVOKED", "B": "ACCEPTED", "C": "DISPUTED", "D": "ACCEPTED"}
    assert "a reader had erred" in words(at)
