"""A bundle of four documents as they come to a reviewer: a quarterly report, a travel policy, a security questionnaire, minutes.

Thirty-two candidates of `acme/desk`; `RIGHT` says what should become of each. Some contradict what is accepted, some answer what
needs re-validation, some lack what the usual terms set, some are wrong: another figure than the quote, a quote that stands
elsewhere, a remark made a fact.
"""

from __future__ import annotations

from tests.builders import accepted, claim, evidence, predicate, source

SCOPE = "acme/desk"

REPORT = """# Wren Harbour plc: report for the second quarter of 2026

All figures in thousands of USD unless said otherwise.

| Item                    | 30 June 2026 | 31 March 2026 |
|-------------------------|--------------|---------------|
| Revenue                 | 48,210       | 46,300        |
| Operating income        | 6,120        | 5,980         |
| Cash and equivalents    | 14,600       | 12,050        |
| Total debt              | 31,400       | 33,000        |
| Employees (number)      | 412          | 405           |
| Orders on hand          | 102,750      | 98,400        |

The gross margin was 41.5 % after 40.8 % in the first quarter.
A dividend of USD 0.12 per share will be paid on 15 September 2026.
Net new customers were 37, of which 9 in the United Kingdom.
The board expects revenue of USD 195 to 200 million for the year.
"""

POLICY = """# Travel policy, version 7

Valid from 1 July 2026 for all staff.

1. Hotels are booked up to EUR 160 a night; above that a manager approves first.
2. Trains in second class; first class from four hours of travel on.
3. Receipts are handed in within 14 days of the return.
4. The daily allowance inside the country is EUR 32.
5. Flights under 600 kilometres are not booked.
6. Travel insurance is provided by Aldgate Mutual.
7. Private cars are paid at EUR 0.38 a kilometre.
"""

QUESTIONNAIRE = """section,question,answer,note
Access,Is multi-factor authentication enforced,yes,since 2024-02-01
Access,How often are access rights reviewed,every 90 days,last on 2026-06-12
Data,Where is customer data stored,Dublin,Ireland only
Data,How long are backups kept,35 days,encrypted
Incidents,Within how many hours are customers told,72,by mail and telephone
Continuity,Recovery time objective in hours,8,tested 2026-03-20
People,Are staff screened,yes,by an outside firm
Certificates,ISO 27001 valid until,2027-11-30,certificate 4471
"""

MINUTES = """Minutes of the steering group, 9 July 2026
Present: Ana, Ben, Noor.

Noor reports that the move to the new warehouse will be finished by 31 August 2026.
Ben: the pilot in Leeds runs with twelve vehicles.
Ana thinks the supplier might want to raise prices, but nobody has heard anything yet.
Decided: the support line is open from 8:00 to 18:00 from August on.
Decided: orders above EUR 25,000 need two signatures.
Somebody mentions that the old scanner password is still in use.
Next meeting on 6 August 2026.
"""

_DOCUMENTS = {"REPORT-Q2@1": ("REPORT-Q2", REPORT), "TRAVEL-7@1": ("TRAVEL-7", POLICY), "SECURITY@1": ("SECURITY", QUESTIONNAIRE), "MINUTES@1": ("MINUTES", MINUTES)}
_TITLES = {"REPORT-Q2": "Wren Harbour: Q2 report", "TRAVEL-7": "Travel policy", "SECURITY": "Security questionnaire of Northfold", "MINUTES": "Minutes of 9 July"}


def _bound(document, quote, at=None):
    text = _DOCUMENTS[document][1]
    start = text.index(quote) if at is None else at
    return [{"evidence": document, "span": {"start": start, "end": start + len(quote)}, "quote": quote}]


def _from(document, id, subject, name, value, quote, *, at=None, **fields):
    return claim(
        id, value, scope=SCOPE, subject=subject, predicate=name, evidence=_bound(document, quote, at), extraction={"method": "reader", "version": "3.1"},
        task=f"read-{document}", **fields,
    )  # fmt: skip


def _figure(id, name, value, row, **fields):
    line = next(line for line in REPORT.splitlines() if line.startswith(f"| {row}"))
    return _from("REPORT-Q2@1", id, "wren-harbour", name, value, line, qualifiers={"as_of": "2026-06-30"}, **fields)


def _bare(**fields):
    """What a reader leaves out that the usual terms set."""
    return {"owner": None, "review_at": None, **fields}


def ground():
    """What is there before: sources, versions, what was accepted, what fell, and the usual terms."""
    sources = [source(name, SCOPE, title=title, uri=f"https://files.example/{name}") for name, title in _TITLES.items()]
    versions = [
        evidence(id, name, text, media_type="text/csv" if name == "SECURITY" else "text/markdown", captured_at="2026-07-10T08:00:00Z")
        for id, (name, text) in _DOCUMENTS.items()
    ]
    versions.append(evidence("REPORT-Q2@2", "REPORT-Q2", REPORT.replace("41.5 %", "41.9 %"), version=2, media_type="text/markdown", captured_at="2026-07-20T08:00:00Z"))
    q1 = {"revenue": 46300000, "operating_income": 5980000, "cash": 12050000, "debt": 33000000, "employees": 405}
    held = [
        accepted(f"q1-{name}", value, scope=SCOPE, subject="wren-harbour", predicate=name, qualifiers={"as_of": "2026-03-31"}, on=["REPORT-Q2@1"]) for name, value in q1.items()
    ]
    held += [
        accepted("hotel-150", 150, scope=SCOPE, subject="travel", predicate="hotel_limit_eur", on=["TRAVEL-7@1"]),
        accepted("backups-30", 30, scope=SCOPE, subject="northfold", predicate="backup_days", on=["SECURITY@1"]),
        accepted("line-hours", "9:00-17:00", scope=SCOPE, subject="support-line", predicate="hours", on=["MINUTES@1"], status="stale"),
        accepted("allowance-30", 30, scope=SCOPE, subject="travel", predicate="daily_allowance_eur", on=["TRAVEL-7@1"], status="stale"),
    ]
    policy = {
        "type": "policy", "scope": SCOPE,
        "usual_terms": {"*": {"owner": "ben", "review_after_days": 180}, "certificate_until": {"owner": "noor", "review_after_days": 30}},
    }  # fmt: skip
    return [*sources, *versions, *held, policy, predicate("hours", SCOPE)]


def candidates():
    """What the readers propose, document by document but not in the order of their passages."""
    report = [
        _figure("orders", "orders", 102750000, "Orders on hand"), _figure("revenue", "revenue", 48210000, "Revenue"), _figure("operating", "operating_income", 6120000, "Operating income"),
        _figure("cash", "cash", 14600000, "Cash and equivalents"), _figure("debt", "debt", 33000000, "Total debt"), _figure("employees", "employees", 412, "Employees"),
        _from("REPORT-Q2@1", "margin", "wren-harbour", "gross_margin_percent", 41.5, "The gross margin was 41.5 %"),
        _from("REPORT-Q2@1", "dividend", "wren-harbour", "dividend_usd", 0.12, "A dividend of USD 0.12 per share"),
        _from("REPORT-Q2@1", "customers", "wren-harbour", "new_customers", 37, "Net new customers were 37"),
        claim("growth", "up 4 % on the first quarter", scope=SCOPE, subject="wren-harbour", predicate="growth", on=["revenue", "q1-revenue"], task="sum-up"),
    ]  # fmt: skip
    policy = [
        _from("TRAVEL-7@1", "allowance", "travel", "daily_allowance_eur", 32, "The daily allowance inside the country is EUR 32.", **_bare()),
        _from("TRAVEL-7@1", "hotel", "travel", "hotel_limit_eur", 160, "Hotels are booked up to EUR 160 a night", **_bare()),
        _from("TRAVEL-7@1", "receipts", "travel", "receipts_within_days", 14, "Receipts are handed in within 14 days of the return.", **_bare()),
        _from("TRAVEL-7@1", "first-class", "travel", "first_class_from_hours", 4, "first class from four hours of travel on", **_bare()),
        _from("TRAVEL-7@1", "flights", "travel", "no_flights_under_km", 600, "Flights under 600 kilometres are not booked.", **_bare()),
        _from("TRAVEL-7@1", "insurer", "travel", "insurer", "Aldgate Mutual", "Travel insurance is provided by Aldgate Mutual.", **_bare()),
        _from("TRAVEL-7@1", "car", "travel", "car_eur_per_km", 0.83, "Private cars are paid at EUR 0.38 a kilometre.", **_bare()),
    ]  # fmt: skip
    lines = {line.split(",")[1]: line for line in QUESTIONNAIRE.splitlines()}
    security = [
        _from("SECURITY@1", "review-days", "northfold", "access_review_days", 90, lines["How often are access rights reviewed"]),
        _from("SECURITY@1", "data-place", "northfold", "data_location", "Dublin", lines["Where is customer data stored"]),
        _from("SECURITY@1", "backups", "northfold", "backup_days", 35, lines["How long are backups kept"]),
        _from("SECURITY@1", "told-hours", "northfold", "incident_notice_hours", 72, lines["Within how many hours are customers told"]),
        _from("SECURITY@1", "recovery", "northfold", "recovery_hours", 8, lines["Recovery time objective in hours"]),
        _from("SECURITY@1", "certificate", "northfold", "certificate_until", "2027-11-30", lines["ISO 27001 valid until"], **_bare()),
        _from("SECURITY@1", "screened", "northfold", "staff_screened", "yes", lines["Are staff screened"]),
    ]  # fmt: skip
    minutes = [
        _from("MINUTES@1", "warehouse", "warehouse", "move_done_by", "2026-08-31", "the move to the new warehouse will be finished by 31 August 2026."),
        _from("MINUTES@1", "vehicles", "pilot-leeds", "vehicles", 12, "the pilot in Leeds runs with twelve vehicles."),
        _from("MINUTES@1", "prices", "supplier", "raises_prices", "likely", "the supplier might want to raise prices"),
        _from("MINUTES@1", "hours", "support-line", "hours", "8:00-18:00", "the support line is open from 8:00 to 18:00 from August on."),
        _from("MINUTES@1", "signatures", "orders", "two_signatures_above_eur", 25000, "orders above EUR 25,000 need two signatures."),
        _from("MINUTES@1", "scanner", "scanner", "password_state", "unchanged", "the old scanner password is still in use"),
        _from("MINUTES@1", "meeting", "steering-group", "next_meeting", "2026-08-06", "Next meeting on 6 August 2026.", at=3),
        claim("leeds-fleet", "a dozen", scope=SCOPE, subject="leeds", predicate="fleet", on=["vehicles"], task="sum-up"),
    ]  # fmt: skip
    return [*report, *policy, *security, *minutes]


#: candidate -> the status it should have in the end, and the route of a rejection.
RIGHT = {
    **{one["id"]: "ACCEPTED" for one in candidates()}, "debt": "rejected", "car": "rejected", "prices": "not_durable", "scanner": "sensitive", "meeting": "rejected", "margin": "rejected",
}  # fmt: skip
#: What gives way, and what stays beside what replaced it.
AFTER = {"hotel-150": "SUPERSEDED", "backups-30": "SUPERSEDED", "line-hours": "SUPERSEDED", "allowance-30": "SUPERSEDED"}
