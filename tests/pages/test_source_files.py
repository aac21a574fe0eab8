"""Files given to the page of a source: a new version, and everything that is none, each answered by a sentence and nothing half done."""

import pytest

from store import create_store, import_lines, latest_event, open_store, show_record, view_source
from tests.builders import CAST, accepted, claim, encode, evidence, passage, source
from tests.pages.opened import opener, words

open_page = opener("sources")

OLD = "# Rates\n\nThe rate is 4 percent.\n\nThe fee is 12 euros for each order.\n"
NEW = OLD.replace("12 euros", "15 euros")
WESTERN = "Der Zinssatz beträgt 4 Prozent. Die Gebühr für jede Bestellung beträgt 15 Euro, und Büros gibt es in Köln und Zürich.\n"


@pytest.fixture
def rates(tmp_path, monkeypatch):
    """A source with one claim on its only version."""
    monkeypatch.setattr("pages.widgets.decision_guard.QUIET", 0.0)
    url = f"sqlite:///{tmp_path}/own.db"
    store = create_store(url)
    lines = [
        *CAST, source("RATES"), evidence("RATES@1", "RATES", OLD, media_type="text/markdown"), accepted("fee", "x", evidence=[passage("The fee is 12 euros", "RATES@1", OLD)]),
    ]  # fmt: skip
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    store.close()
    return url


def press(at, label):
    next(button for button in at.button if button.label.startswith(label)).click()
    at.run()
    assert not at.exception, at.exception
    return at


def give(monkeypatch, url, name, content, label="Compare"):
    """The page after somebody gave a file and pressed a button."""
    at = open_page(monkeypatch, url, source="RATES", tenant="acme", do="recapture")
    at.file_uploader[0].set_value((name, content, ""))
    at.run()
    return press(at, label)


def state(url):
    """What would tell that something was done: the last event and the versions."""
    store = open_store(url)
    found = latest_event(store, "ana", "acme"), [one.id for one in view_source(store, "ana", "acme", "RATES").versions]
    store.close()
    return found


def pdf(pages=1, **encryption):
    from fpdf import FPDF

    made = FPDF()
    for n in range(pages):
        made.add_page()
        made.set_font("Helvetica", size=12)
        made.cell(0, 10, f"Page {n + 1} of the rates")
    if encryption:
        made.set_encryption(**encryption)
    return bytes(made.output())


def test_a_new_version_is_uploaded_and_compared_before_anything_changes(monkeypatch, rates):
    before = state(rates)
    at = give(monkeypatch, rates, "rates.md", NEW.encode())
    assert at.query_params["file"]
    assert "1 passage changed" in words(at)
    assert state(rates) == before


def test_a_new_version_is_put_beside_and_waits_to_be_sorted(monkeypatch, rates):
    at = give(monkeypatch, rates, "rates.md", NEW.encode(), "Only put it beside")
    assert "Version 2 stands beside the older one" in words(at)
    assert "Newer version, not sorted" in words(at)
    assert state(rates)[1] == ["RATES@2", "RATES@1"]


UNFIT = [
    ("rates.pdf", OLD.encode(), "The file is said to be a PDF, and it is none."),
    ("rates.json", b'{"fee": 15', "The file is said to be JSON, and it is none"),
    ("rates.html", OLD.encode(), "The file is said to be an HTML page, and it holds no markup."),
    ("rates.md", b"PK\x03\x04" + bytes(200), "a ZIP archive or an Office document, of which no text can be read."),
    ("rates.txt", pdf(), "The file is said to be plain text, and it is a PDF."),
    ("rates.pdf", b"%PDF-1.7\n" + bytes(range(256)) * 8, "The PDF is damaged or is none: it cannot be read."),
    ("rates.pdf", pdf(owner_password="o", user_password="u"), "The PDF is protected by a password"),
    ("rates.txt", b"", "The file is empty."),
    ("rates.txt", b" \n\n ", "The file holds nothing but white space."),
]


@pytest.mark.parametrize("label", ["Compare", "Only put it beside"])
def test_a_file_that_cannot_be_taken_is_answered_by_a_sentence_and_nothing_is_done(monkeypatch, rates, label):
    before = state(rates)
    at = open_page(monkeypatch, rates, source="RATES", tenant="acme", do="recapture")
    for name, content, said in UNFIT:
        at.file_uploader[0].set_value((name, content, ""))
        at.run()
        press(at, label)
        assert said in words(at)
        assert "Nothing was saved" in words(at)
        assert "file" not in at.query_params
    assert state(rates) == before


def test_a_file_that_is_too_large_or_has_too_many_pages_is_refused_with_the_limit(monkeypatch, rates):
    before = state(rates)
    monkeypatch.setattr("store.domain.media.LONGEST_FILE", 2_000)
    assert "Capture the part that is needed. Nothing was saved." in words(give(monkeypatch, rates, "rates.md", OLD.encode() * 100))
    monkeypatch.undo()
    monkeypatch.setattr("pages.widgets.decision_guard.QUIET", 0.0)
    monkeypatch.setattr("store.domain.renditions.MOST_PAGES", 3)
    assert "The PDF has 4 pages; at most 3 are read." in words(give(monkeypatch, rates, "rates.pdf", pdf(4)))
    assert state(rates) == before


def test_text_in_another_encoding_is_asked_about_and_read_as_somebody_says(monkeypatch, rates):
    before = state(rates)
    at = give(monkeypatch, rates, "rates.txt", WESTERN.encode("windows-1252"))
    assert "The file is not UTF-8. It is probably written in windows-1252" in words(at)
    assert "Which of these reads right?" in words(at)
    assert "beträgt 4 Prozent" in words(at)
    assert state(rates) == before
    press(at, "It is windows-1252")
    press(at, "Compare")
    assert at.query_params["media"] in ("text/plain; charset=windows-1252", ["text/plain; charset=windows-1252"])
    assert "Die Gebühr für jede Bestellung" in words(at)


def test_the_same_bytes_again_make_nothing(monkeypatch, rates):
    at = give(monkeypatch, rates, "rates.md", OLD.encode())
    assert "byte for byte" in words(at)
    assert state(rates)[1] == ["RATES@1"]
    at = give(monkeypatch, rates, "rates.md", OLD.encode(), "Only put it beside")
    assert "The newest version has these very bytes, so nothing was made." in words(at)
    assert state(rates)[1] == ["RATES@1"]


def test_what_is_older_than_the_newest_version_is_refused(monkeypatch, rates):
    store = open_store(rates)
    lines = [evidence("RATES@2", "RATES", NEW, media_type="text/markdown", version=2, captured_at="2098-01-01T00:00:00Z")]
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    store.close()
    before = state(rates)
    assert "RATES@2 is newer" in words(give(monkeypatch, rates, "rates.md", OLD.encode()))
    assert "This file is older than the newest version" in words(give(monkeypatch, rates, "rates.md", OLD.encode() + b"more\n", "Only put it beside"))
    assert state(rates) == before


def test_a_candidate_whose_quote_is_not_where_it_says_is_mended_by_choosing_its_words(monkeypatch, rates):
    store = open_store(rates)
    astray = claim("astray", evidence=[{"evidence": "RATES@1", "span": {"start": 0, "end": 7}, "quote": "4 percent"}])
    assert import_lines(store, "bot", encode([astray]))["rejected"] == []
    store.close()
    at = open_page(monkeypatch, rates, source="RATES")
    assert "1 quote is not where its claim says" in words(at)
    next(one for one in at.text_area if one.label.startswith("Or the words")).set_value("4 percent")
    press(at, "Find these words")
    press(at, "Let astray quote these words")
    assert "Its quote is these words now" in words(at)
    assert "is not where its claim says" not in words(at)
    store = open_store(rates)
    start = OLD.index("4 percent")
    assert show_record(store, "ana", "acme", "astray")["record"]["evidence"] == [{"evidence": "RATES@1", "span": {"start": start, "end": start + 9}, "quote": "4 percent"}]
    store.close()
