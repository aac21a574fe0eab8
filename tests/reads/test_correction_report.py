"""The report of a correction: text before and after, what fell and why, predicted and actual, decisions, editions, notices (R25)."""

from __future__ import annotations

import csv
import io

from store import export_correction_csv, open_correction, preview_plan, view_correction, waive, write_correction_report
from tests.builders import (
    QUOTE,
    TENANT,
    TEXT,
    accepted,
    artifact,
    bring,
    carry_out,
    claim,
    decide,
    delivered,
    evidence,
    given,
    passage,
    person,
    refused,
    revoking,
    source,
)
from tests.recapturing import recapturing

NEW = TEXT.replace("Lyon", "Grenoble")


def corrected(store):
    """A case in which the office turned out to be elsewhere: the old version withdrawn, a candidate from the new one approved."""
    given(store, accepted("C1", "Lyon"), accepted("C2", on="C1"), artifact("R1", on="C2", deliveries=[delivered()]))
    case = open_correction(store, "ana", TENANT, "The office has moved", sources=["S1"], cause="A letter")["correction"]
    bring(store, evidence("E2", "S1", NEW, version=2), by="bot")
    carry_out(store, revoking("E1"), reason="=cmd|' /C calc'!A1")
    quote = QUOTE.replace("Lyon", "Grenoble")
    bring(store, claim("C1b", "Grenoble", subject="subject-C1", evidence=[passage(quote, "E2", NEW)]), by="bot")
    decide(store, "C1b", replaces="C1")
    waive(store, "ana", TENANT, case, "record", "C2", "nobody uses it")
    return case


def test_a_report_holds_text_before_and_after_and_the_claim_that_took_its_place(desk):
    report = write_correction_report(desk, "ana", TENANT, corrected(desk))

    one = report.passages[0]
    assert (one.claim, one.old, one.new, one.verdict) == ("C1", "E1", "E2", "changed")
    assert (one.before, one.answer, one.value_before, one.value_after) == (QUOTE, "C1b", '"Lyon"', '"Grenoble"')
    assert "Grenoble" in one.after


def test_a_report_says_of_each_record_why_it_fell_and_how_it_was_settled(desk):
    report = write_correction_report(desk, "ana", TENANT, corrected(desk))

    assert [(one.id, one.fell_by, one.settled, one.action, one.by, one.successor) for one in report.fell] == [
        ("C1", "revoke", "by hand", "approve", "Ana", "C1b"), ("C2", "revoke", "open", None, None, None), ("R1", "revoke", "open", None, None, None),
    ]  # fmt: skip
    assert [(plan.action, plan.predicted, plan.count) for plan in report.plans] == [("revoke", 4, 4)]
    assert [(one.action, one.by_name) for one in report.decisions] == [("approve", "Ana")]
    assert [(one.id, one.edition, one.status, one.remedy) for one in report.editions] == [("R1", 1, "STALE", None)]
    assert [(one.recipient, one.state) for one in report.notices] == [("kim@example.org", None)]


def test_the_csv_holds_everything_and_runs_nothing(desk):
    case = corrected(desk)
    rows = list(csv.DictReader(io.StringIO(export_correction_csv(desk, "ana", TENANT, case).decode("utf-8-sig"))))

    assert {row["part"] for row in rows} == {"case", "text", "fell", "settled", "plan", "edition", "notice", "left open", "time line"}
    assert [row["id"] for row in rows if row["part"] == "fell"] == ["C1", "C2", "R1"]
    assert [row["reason"][:5] for row in rows if row["part"] == "plan"] == ["'=cmd"]
    assert not [cell for row in rows for cell in row.values() if cell[:1] in ("=", "+", "@")]


def test_what_is_cut_is_counted(desk):
    report = write_correction_report(desk, "ana", TENANT, corrected(desk), most=1)

    assert (len(report.fell), report.fell_total) == (1, 3)


def test_a_report_is_for_who_sees_the_case_and_names_nothing_they_may_not_see(desk):
    given(desk, person("eve", "reviewer", "acme/one"), source("S2", "acme/one"), evidence("E2", "S2"))
    given(desk, accepted("D1", evidence=[{"evidence": "E2"}], scope="acme/one"), artifact("D3", on="D1", scope="acme/two", deliveries=[delivered("lee@example.org")]))
    case = open_correction(desk, "eve", TENANT, "One", sources=["S2"])["correction"]
    carry_out(desk, revoking("S2"), by="eve")

    report = write_correction_report(desk, "eve", TENANT, case)
    assert (report.fell_total, report.hidden) == (1, 1)
    told = export_correction_csv(desk, "eve", TENANT, case).decode()
    assert "D3" not in told
    assert "lee@example.org" not in told
    with refused("not_found"):
        write_correction_report(desk, "rita", TENANT, case)




def test_a_recapture_changed_as_many_records_as_its_preview_said_beside_what_it_bound_anew_and_proposed(fund):
    case = open_correction(fund, "ana", TENANT, "The report was restated", sources=["S1"])["correction"]
    plan = recapturing(fund, values={"NAV": {"value": "179,500,000 USD"}})
    said = preview_plan(fund, "ana", TENANT, plan).totals["affected"]
    carry_out(fund, plan)

    report = write_correction_report(fund, "ana", TENANT, case)
    assert [(one.action, one.predicted, one.count) for one in report.plans] == [("recapture", said, said)]
    assert [one.count for one in view_correction(fund, "ana", TENANT, case).events if one.step == "commit"] == [said]
