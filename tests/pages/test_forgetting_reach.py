"""What a request to forget reaches, as its page shows it before anything is asked."""

from __future__ import annotations

import json
from urllib.parse import unquote

from store import Plan, Verb, export_store, import_lines, list_deletions, open_store, rehearse, show_record
from tests.pages.opened import links, opener, raw, words

open_page = opener("forgetting", "ravi")


def test_the_reach_is_shown_before_anything_is_asked(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, do="request", record="nav-2026-q2", tenant="acme")
    said = words(at)

    assert "1 record is blocked at once" in said
    assert "need re-validation" in said
    assert "Nothing has changed yet" in said
    assert "Previewed to the end" in said
    assert "Complete" not in said
    store = open_store(fresh)
    assert list_deletions(store, "ravi") == []
    found = rehearse(store, "ravi", "acme", Plan(Verb.ERASE, ("nav-2026-q2",)))
    assert f"{found.totals['stale']} records that rest on it need re-validation" in said
    store.close()


def test_one_of_a_kind_is_counted_as_one(monkeypatch, sample):
    said = " ".join(words(open_page(monkeypatch, sample, do="request", subject="person:traveller-7", tenant="acme")).split())

    assert "1 Owner 0 Answers that change 0 Conflicts 1 Blocked candidate 0" in said


def test_the_reach_names_files_that_hold_it_and_passages_with_the_text_around_them(monkeypatch, fresh, tmp_path):
    store = open_store(fresh)
    export_store(store, "ravi", tmp_path / "all.jsonl", scope="acme", form="bundle")
    store.close()
    at = open_page(monkeypatch, fresh, do="request", record="goodwill", tenant="acme")
    said = words(at)

    assert "Files that were exported 1" in said
    assert "held by Ravi Solanke" in said
    assert "Passages that are blacked out" in said
    assert "<mark>" in raw(at)
    assert "&keep=" in links(at)


def test_passages_of_a_document_can_be_left_readable_and_are_then_not_counted(monkeypatch, sample):
    at = open_page(monkeypatch, sample, do="request", record="goodwill", tenant="acme")
    kept = unquote(links(at).split("&keep=")[1].split("&")[0].split(chr(34))[0])
    at = open_page(monkeypatch, sample, do="request", record="goodwill", tenant="acme", keep=kept)

    assert "stay readable" in words(at)
    assert "black them out after all" in words(at)


def test_what_is_veiled_elsewhere_is_veiled_in_the_reach_too(monkeypatch, sample):
    store = open_store(sample)
    secret = show_record(store, "ravi", "acme", "console-password")["record"]["evidence"][0]["quote"]
    store.close()
    reach = open_page(monkeypatch, sample, do="request", record="console-password", tenant="acme")

    assert "Passages that are blacked out 1" in words(reach)
    assert secret not in words(reach)


def test_a_long_reach_is_folded_and_its_records_are_told_apart_by_their_values(monkeypatch, fresh):
    store = open_store(fresh)
    lines = [{"type": "claim", "id": f"mast-{n}", "scope": "acme/funds", "subject": "mast", "predicate": "height", "value": f"tall {n}"} for n in range(15)]
    import_lines(store, "ravi", [json.dumps(line).encode() for line in lines])
    store.close()
    at = open_page(monkeypatch, fresh, do="request", subject="mast", tenant="acme")

    assert "What is forgotten 15" in words(at)
    shown, folded = raw(at).split("3 more records that are forgotten")
    assert "mast · height" in shown
    assert "tall 11" in shown and "tall 12" not in shown  # noqa: PT018
    assert "<details" in shown[-200:]
    assert "tall 14" in folded.split("</details>")[0]


def test_editions_that_were_sent_and_count_no_more_are_not_called_part_of_what_falls(monkeypatch, sample):
    at = open_page(monkeypatch, sample, do="request", record="nav-2026-q3", tenant="acme")
    store = open_store(sample)
    found = rehearse(store, "ravi", "acme", Plan(Verb.ERASE, ("nav-2026-q3",)))
    store.close()

    assert f"{found.totals['stale']} records that rest on it need re-validation. It reaches 5 delivered artifacts." in words(at).replace(" .", ".")


def test_versions_with_passages_are_folded_after_the_sixth(monkeypatch, sample):
    at = open_page(monkeypatch, sample, do="request", by="search", search="fund", tenant="acme", record=["M1", "cancel-support", "rate-measured", "rate-guide", "erp-retry", "commitments-total", "name-portfolio"])
    shown, folded = raw(at).split("1 more version with passages")

    assert shown.split("Passages that are blacked out")[1].count("fg-passagehead") == 6
    assert folded.split("</details>")[0].count("fg-passagehead") == 1


def test_claims_that_fall_by_their_passage_are_folded_after_the_sixth_and_have_their_ids(monkeypatch, fresh):
    store = open_store(fresh)
    evidence = show_record(store, "ravi", "acme", "nav-2026-q3")["record"]["evidence"]
    same = [{"type": "claim", "id": f"same-{n}", "scope": "acme/funds", "subject": f"fund-{n}", "predicate": "nav", "value": n, "evidence": evidence, "owner": "ana", "status": "reviewed"} for n in range(8)]
    assert not import_lines(store, "operator", [json.dumps(one).encode() for one in same], reviewed=True)["rejected"]
    store.close()
    at = open_page(monkeypatch, fresh, do="request", record="nav-2026-q3", tenant="acme")

    shown, folded = raw(at).split("2 more claims that fall")
    assert shown.split("other claims fall")[1].count("same-") >= 6
    assert "same-7" in folded.split("</details>")[0]
