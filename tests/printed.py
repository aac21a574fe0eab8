"""The printed reports of the sample store: PDF files that always come out with the same bytes.

Run `python -m tests.printed` after a change here; it writes the files and, beside the one the bundle holds, the text taken out of it.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import XPos, YPos

from store.domain.renditions import PDF, render

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data"

FIRST = {
    "sent": "Sent 24 July 2026.", "nav": "96,400,000", "nav_words": "96.4", "grew": "3.9%", "bridge": "31.2", "made": datetime(2026, 7, 24, 9, tzinfo=UTC),
    "note": (),
}  # fmt: skip
RESTATED = {
    "sent": "Restated edition, sent 12 October 2026.", "nav": "93,100,000", "nav_words": "93.1", "grew": "0.3%", "bridge": "27.9", "made": datetime(2026, 10, 12, 9, tzinfo=UTC),
    "note": (
        "Why this edition replaces the one of 24 July",
        "The toll income of Gull Point Bridge for May had been booked twice. Our valuation of the bridge and with it the net asset value were corrected. No other figure changed.",
    ),
}  # fmt: skip


class Report(FPDF):
    """A plain report: a running head, a page number, headings, paragraphs and one table."""

    def __init__(self, made):
        super().__init__(format=(210, 152))
        self.set_creation_date(made)
        self.set_producer("Heron Bay Capital")
        self.set_title("Heron Bay Infrastructure: quarterly report, second quarter 2026")
        self.set_margins(24, 22)
        self.set_auto_page_break(True, 24)

    def header(self):
        self.set_font("helvetica", size=8)
        self.set_text_color(110)
        self.cell(0, 5, "HERON BAY CAPITAL  |  fictional  |  unaudited", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.set_draw_color(190)
        self.line(24, self.get_y() + 1, 186, self.get_y() + 1)
        self.ln(9)
        self.set_text_color(20)

    def footer(self):
        self.set_y(-17)
        self.set_font("helvetica", size=8)
        self.set_text_color(110)
        self.cell(0, 5, f"Page {self.page_no()}", align="R")

    def heading(self, text, size=13):
        self.set_font("helvetica", "B", size)
        self.multi_cell(0, size * 0.48, text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(3)

    def paragraph(self, text):
        self.set_font("times", size=11.5)
        self.multi_cell(0, 5.6, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(3.2)

    def rows(self, rows):
        for n, (name, *figures) in enumerate(rows):
            self.set_font("helvetica", "B" if n == 0 else "", 9.5)
            self.cell(82, 7, name)
            for figure in figures:
                self.cell(40, 7, figure, align="R")
            self.ln(7)
            self.set_draw_color(120 if n == 0 else 215)
            self.line(24, self.get_y(), 186, self.get_y())
        self.ln(6)


def print_report(said):
    """The second quarter's report of Heron Bay Infrastructure, as first sent or restated."""
    pdf = Report(said["made"])
    pdf.add_page()
    pdf.heading("Heron Bay Infrastructure", 20)
    pdf.heading("Quarterly report, second quarter 2026", 13)
    pdf.paragraph(f"To the limited partners. {said['sent']}")
    pdf.paragraph(f"The net asset value of the fund was USD {said['nav_words']} million on 30 June 2026, after USD 92.8 million on 31 March. The quarter brought growth of {said['grew']}.")
    pdf.paragraph("Two assets are in operation: Gull Point Bridge, a toll bridge, and Sandwick Ferries, which runs four terminals. A third, the Marram Point wind farm, is under construction and on schedule.")
    pdf.paragraph("We distributed USD 1.1 million to the partners in June. A second close of the fund is planned for December 2026 and will be open to existing partners first.")
    pdf.add_page()
    pdf.heading("Key figures")
    pdf.rows([
        ("figure (USD)", "31 Mar 2026", "30 Jun 2026"),
        ("Net asset value", "92,800,000", said["nav"]),
        ("Paid-in capital", "68,500,000", "71,000,000"),
        ("Distributions since inception", "7,100,000", "8,200,000"),
        ("Uncalled commitments", "31,500,000", "29,000,000"),
    ])  # fmt: skip
    pdf.paragraph("Borrowings of the fund and its holding companies were 38% of gross assets, below the limit of 45%.")
    pdf.paragraph("The management fee remained at 1.4% of committed capital.")
    pdf.add_page()
    pdf.heading("The assets")
    pdf.paragraph(f"Gull Point Bridge was valued at USD {said['bridge']} million. Its concession runs until 31 December 2051.")
    pdf.paragraph("Sandwick Ferries carried 412,000 passengers in the quarter and was valued at USD 38.5 million.")
    pdf.paragraph("Marram Point will deliver power from March 2027. USD 22.0 million of its cost of USD 34.0 million have been spent.")
    pdf.paragraph("The next report is expected in late October 2026.")
    if said["note"]:
        pdf.heading(said["note"][0], 11)
        pdf.paragraph(said["note"][1])
    return bytes(pdf.output())


def main():
    """Write the reports into the sample's folders."""
    first = print_report(FIRST)
    (SAMPLE / "sources" / "HERON-Q2@1.pdf").write_bytes(first)
    (SAMPLE / "editions" / "HERON-Q2@2.pdf").write_bytes(print_report(RESTATED))
    text = json.dumps(render(first, PDF).to_line(), ensure_ascii=False, indent=1)
    (SAMPLE / "sources" / "HERON-Q2@1.pdf.text").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
