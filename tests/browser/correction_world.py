"""The small world of the correction story: a fund's printed report, what was read from it, and a memo that went out."""

from __future__ import annotations

import contextlib
import json

from fpdf import FPDF

from store import OPERATOR, create_store, import_lines, open_store
from store.domain.renditions import render

TENANT = "acme"
SOURCE = "HARBOUR-Q2"
MEMO = "memo-harbour"
#: What the report states, as (claim, subject matter, sentence before, sentence after, value before, value after).
FACTS = (
    ("nav", "Net asset value at the end of June was USD 184.0 million.", "Net asset value at the end of June was USD 176.5 million.", 184_000_000, 176_500_000),
    ("paid-in", "Paid-in capital at the end of June was USD 120.0 million.", None, 120_000_000, None),
    ("distributed", "Distributions up to the end of June were USD 22.0 million.", None, 22_000_000, None),
    ("companies", "The portfolio held fourteen companies at the end of June.", None, 14, None),
    ("fee", "The management fee is 1.75% of commitments a year.", None, 1.75, None),
    ("cash", "Cash at the end of June was USD 6.4 million.", "Cash at the end of June was USD 5.1 million.", 6_400_000, 5_100_000),
)  # fmt: skip
#: Claims that other teams made from them: claim -> what it rests on.
BELOW = {
    "tvpi": ("nav", "paid-in", "distributed"), "nav-growth": ("nav",), "our-share": ("nav",), "runway": ("cash",),
    "dpi": ("distributed", "paid-in"), "fee-year": ("fee",), "fee-quarter": ("fee-year",), "concentration": ("companies",), "pace": ("paid-in",),
    "pace-next": ("pace",), "fee-share": ("fee-year", "paid-in"), "fee-trend": ("fee-share",), "companies-mean": ("companies", "paid-in"), "dpi-rank": ("dpi",),
    "dpi-trend": ("dpi",), "pace-year": ("pace-next",), "concentration-limit": ("concentration",), "fee-limit": ("fee-quarter",),
}  # fmt: skip


def print_report(*, corrected: bool) -> bytes:
    """Return the report as a PDF of two pages."""
    return _print(corrected)[0]


def line_of(name: str) -> tuple[float, float]:
    """Return from where to where the line of a claim reaches on its page of the corrected report, as shares of the page from its top."""
    return _print(True)[1][name]


def _print(corrected: bool) -> tuple[bytes, dict[str, tuple[float, float]]]:
    pdf, lines = FPDF(), {}
    pdf.set_font("helvetica", size=12)
    for page, facts in enumerate((FACTS[:3], FACTS[3:]), 1):
        pdf.add_page()
        pdf.multi_cell(0, 8, f"Harbour Fund II, report for the second quarter, page {page}", new_x="LMARGIN", new_y="NEXT")
        for name, before, after, *_ in facts:
            pdf.ln(4)
            lines[name] = pdf.get_y() / pdf.h, (pdf.get_y() + 8) / pdf.h
            pdf.multi_cell(0, 8, after if corrected and after else before, new_x="LMARGIN", new_y="NEXT")
    return bytes(pdf.output()), lines


def _claim(name, value, statement, **rest):
    return {
        "type": "claim", "id": name, "scope": TENANT, "subject": "harbour-2", "predicate": name.replace("-", "_"), "value": value, "statement": statement,
        "owner": "ana", "review_at": "2099-01-01T00:00:00Z", "extraction": {"method": "table-reader", "version": "2.1"}, "entity_confidence": 0.98,
        "proposed_by": "bot", "status": "reviewed", **rest,
    }  # fmt: skip


def lines_of_world():
    """Yield the lines of the bundle."""
    import base64

    for person, role in (("ana", "reviewer"), ("ben", "reviewer"), ("carl", "reviewer"), ("bot", "contributor"), ("adam", "admin")):
        yield {"type": "person", "id": person, "name": person.title(), "roles": [{"role": role, "scope": TENANT}]}
    yield {"type": "source", "id": SOURCE, "scope": TENANT, "title": "Harbour Fund II: report Q2 2026", "owner": "ana"}
    content = print_report(corrected=False)
    yield {
        "type": "evidence", "id": f"{SOURCE}@1", "source": SOURCE, "version": 1, "captured_at": "2026-08-03T09:00:00Z", "media_type": "application/pdf",
        "content_base64": base64.b64encode(content).decode(),
    }  # fmt: skip
    text = render(content, "application/pdf").text
    for name, before, _, value, _ in FACTS:
        start = text.index(before)
        yield _claim(name, value, before, evidence=[{"evidence": f"{SOURCE}@1", "span": {"start": start, "end": start + len(before)}, "quote": before}])
    for name, parents in BELOW.items():
        yield _claim(name, f"{name} of Harbour Fund II", f"Worked out: {name.replace('-', ' ')}", derived_from=list(parents), qualifiers={"derived": name})
    yield {
        "type": "artifact", "id": MEMO, "scope": TENANT, "artifact_type": "memo", "title": "Memo on Harbour Fund II", "owner": "ana", "impact": "normal",
        "derived_from": ["tvpi", "our-share"], "body": "Harbour Fund II is worth USD 184.0 million.", "edition": 1, "status": "reviewed", "review_at": "2099-01-01T00:00:00Z",
        "deliveries": [{"recipient": who, "channel": "email", "delivered_at": "2026-08-10T10:00:00Z"} for who in ("kim@example.org", "lee@example.org")],
    }  # fmt: skip


def fill_world(url: str) -> None:
    """Put the world into an empty store."""
    store = create_store(url)
    with contextlib.closing(store):
        found = import_lines(store, OPERATOR, [json.dumps(line).encode() for line in lines_of_world()], reviewed=True)
        assert found["rejected"] == []


def opened(url: str):
    """Return an open store, to be closed by a `with`."""
    return contextlib.closing(open_store(url))
