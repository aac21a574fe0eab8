"""Text taken out of PDF, HTML and other encodings, and pages as pictures; whatever bytes come, an answer or a sentence."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from fpdf import FPDF
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from store.domain import renditions
from store.domain.bundle import LONGEST_LINE, parse_line, write_line
from store.domain.errors import Code, Refusal
from store.domain.html_text import read_html
from store.domain.records import Binding, Evidence
from store.domain.renditions import HTML, PDF, find_rectangles, page_image, quote_rectangles, render
from store.domain.spans import locate
from store.domain.text import digest_bytes
from tests import printed

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")


def pdf(*pages, font=None, **options):
    """A PDF with one line of text per page."""
    made = FPDF()
    if options:
        made.set_encryption(**options)
    if font:
        made.add_font("own", fname=font)
    made.set_font("own" if font else "helvetica", size=12)
    for text in pages:
        made.add_page()
        made.multi_cell(0, 8, text)
    return bytes(made.output())


def page_text(rendition, page):
    start, end = rendition.page_bounds(page)
    return rendition.text[start:end]


def holds(content, media_type, span, quote):
    return locate(Binding("E1", span, quote), content, digest_bytes(content), media_type, render(content, media_type))


def refusal(content, media_type=PDF):
    with pytest.raises(Refusal) as caught:
        render(content, media_type)
    assert caught.value.code is Code.BAD_VALUE
    assert caught.value.message.endswith("Nothing was saved.")
    return caught.value.message


# --- PDF -------------------------------------------------------------------------------------------------------------


def test_the_text_of_a_pdf_is_taken_page_by_page():
    found = render(pdf("Net asset value: 184,000,000", "Second page", "Third"), PDF)

    assert [page_text(found, page) for page in (1, 2, 3)] == ["Net asset value: 184,000,000", "Second page", "Third"]
    assert [found.page_of(found.text.index(word)) for word in ("Net", "Second", "Third")] == [1, 2, 3]
    assert (found.extractor, found.damaged, found.page_bounds(0), found.page_bounds(4)) == ("pdfium", False, None, None)


def test_a_span_by_page_counts_within_the_page_and_one_without_in_the_whole_text():
    content = pdf("The same words.", "The same words. And more.")
    whole = render(content, PDF).text
    last = whole.rindex("same words")

    assert holds(content, PDF, {"page": 2, "start": 4, "end": 14}, "same words").start == last
    assert holds(content, PDF, {"start": last, "end": last + 10}, "same words").page == 2
    assert holds(content, PDF, {"page": 2}, "And more.").ok
    assert not holds(content, PDF, {"page": 1}, "And more.").ok
    assert not holds(content, PDF, {"page": 3, "start": 0, "end": 3}, "The").ok
    assert not holds(content, PDF, {"page": 1, "start": 4, "end": 40}, "same words").ok
    assert not holds(content, PDF, {"page": 1, "start": 0, "end": 10}, "same words").ok
    assert not holds(content, PDF, {"page": True, "start": 0, "end": 3}, "The").ok


def test_a_text_that_is_not_the_one_taken_then_holds_no_quote():
    content = pdf("Net asset value: 184,000,000")
    taken = render(content, PDF)
    forged = replace(taken, text=taken.text.replace("184", "999"))

    found = locate(Binding("E1", {"page": 1, "start": 17, "end": 28}, "999,000,000"), content, digest_bytes(content), PDF, forged)
    assert not found.ok
    assert forged.damaged


@pytest.mark.skipif(not FONT.exists(), reason=f"{FONT} is not there")
@pytest.mark.parametrize("word", ["Größe", "naïve", "Ελλάδα", "Цена", "½ €", "→ ∑"])
def test_letters_of_other_scripts_come_out_of_a_pdf_as_they_went_in(word):
    content = pdf(f"before {word} after", font=FONT)
    text = render(content, PDF).text
    start = text.index(word)

    assert text == f"before {word} after"
    assert holds(content, PDF, {"page": 1, "start": start, "end": start + len(word)}, word).ok
    assert len(quote_rectangles(content, 1, start, start + len(word))) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"%PDF-1.7\nnothing of a PDF", "damaged"),
        (b"", "damaged"),
        (b"plain text", "damaged"),
        (pdf("secret", owner_password="o", user_password="u"), "password"),
        (pdf(""), "no text"),
        (pdf("x")[:300], "damaged"),
    ],
)  # fmt: skip
def test_a_pdf_that_cannot_be_read_is_refused_with_a_sentence(content, says):
    assert says in refusal(content)


def test_a_pdf_of_ten_thousand_pages_is_refused_before_it_is_read():
    empty = FPDF()
    for _ in range(10_000):
        empty.add_page()

    assert "10,000 pages; at most 2,000" in refusal(bytes(empty.output()))


def test_a_file_that_is_too_large_is_not_looked_into():
    assert "200 MB; at most 32 MB" in refusal(b"%PDF-1.7\n" + bytes(200_000_000))


BROKEN = pdf("Net asset value: 184,000,000", "Second page with some words")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, len(BROKEN) - 1), st.binary(min_size=0, max_size=6)), min_size=1, max_size=8), st.integers(0, len(BROKEN)))
def test_a_broken_pdf_is_read_or_refused_and_never_brings_the_desk_down(wounds, cut):
    content = bytearray(BROKEN)
    for at, bytes_ in wounds:
        content[at : at + len(bytes_)] = bytes_
    content = bytes(content[:cut] if cut % 3 == 0 else content)

    try:
        found = render(content, PDF)
    except Refusal as refused:
        assert refused.code is Code.BAD_VALUE
    else:
        found.text.encode("utf-8")
        assert found.pages[0] == 0
        assert "\x00" not in found.text
        assert all(found.page_bounds(page) is not None for page in range(1, len(found.pages) + 1))


def test_a_reader_that_dies_is_a_damaged_file(monkeypatch, tmp_path):
    for death in ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "import os; os._exit(3)", "print('nothing of use')", "x = bytearray(10**13)"):
        worker = tmp_path / "worker.py"
        worker.write_text(death, "utf-8")
        monkeypatch.setattr(renditions, "_WORKER", worker)
        assert "damaged" in refusal(BROKEN)


# --- pages as pictures -------------------------------------------------------------------------------------------------


def test_the_quote_is_marked_on_the_picture_of_its_page_and_nowhere_else():
    content = printed.print_report(printed.RESTATED)
    text = page_text(render(content, PDF), 2)
    quote = "Net asset value 92,800,000 93,100,000"
    start = text.index(quote)
    marks = quote_rectangles(content, 2, start, start + len(quote))

    plain, marked = (Image.open(io.BytesIO(page_image(content, 2, rectangles, 1.0))).convert("RGB") for rectangles in ((), marks))
    inside = [(int((left + right) / 2 * plain.width), int((top + bottom) / 2 * plain.height)) for left, top, right, bottom in marks]

    differ = {(x, y) for x in range(plain.width) for y in range(plain.height) if plain.getpixel((x, y)) != marked.getpixel((x, y))}
    assert len(marks) == 3
    assert all(at in differ for at in inside)
    assert len(differ) < 0.05 * plain.width * plain.height
    assert all(any(a * plain.width - 2 <= x <= c * plain.width + 2 and b * plain.height - 2 <= y <= d * plain.height + 2 for a, b, c, d in marks) for x, y in differ)


def test_a_quote_over_two_lines_has_a_rectangle_on_each():
    content = pdf("word " * 60)
    text = render(content, PDF).text
    marks = quote_rectangles(content, 1, 0, len(text))

    assert len(marks) == text.count("\n") + 1 >= 3
    assert all(upper[3] <= lower[1] + 0.002 for upper, lower in zip(marks, marks[1:], strict=False))


def test_several_ranges_are_found_in_one_look_each_where_it_is_alone():
    content = pdf("alpha beta gamma", "delta")

    assert find_rectangles(content, 1, [(0, 5), (11, 16), (400, 900)]) == (quote_rectangles(content, 1, 0, 5), quote_rectangles(content, 1, 11, 16), ())


def test_marks_stand_where_the_words_are_on_a_page_that_is_turned():
    content = pdf("alpha").replace(b"/Type /Page\n", b"/Type /Page\n/Rotate 90\n")
    ((left, top, right, bottom),) = quote_rectangles(content, 1, 0, 5)
    picture = Image.open(io.BytesIO(page_image(content, 1, (), 1.0))).convert("L")
    dark = [(x, y) for x in range(picture.width) for y in range(picture.height) if picture.getpixel((x, y)) < 128]

    assert picture.width > picture.height
    assert all(left * picture.width - 2 <= x <= right * picture.width + 2 and top * picture.height - 2 <= y <= bottom * picture.height + 2 for x, y in dark)


def test_a_page_that_is_not_there_is_not_found():
    for page in (0, 4, -1):
        with pytest.raises(Refusal) as caught:
            page_image(BROKEN, page)
        assert caught.value.code is Code.NOT_FOUND


# --- HTML --------------------------------------------------------------------------------------------------------------

PAGE = """<!doctype html><html><head><title>not text</title><style>p {color: red}</style></head><body>
<h1>Q2  report</h1>
<script>var hidden = "<p>not text</p>";</script>
<p>Net asset
value: <b>184</b>&nbsp;million &amp; rising.<br>Second line</p>
<table><tr><th>figure<th>June</tr><tr><td> NAV </td><td>184</td></tr></table>
<ul><li>one<li>two</ul><pre>kept
  as it is</pre><p hidden>unseen</p></body></html>"""


def test_html_is_read_as_lines_without_scripts_and_styles():
    assert read_html(PAGE) == (
        "Q2 report\n\nNet asset value: 184\xa0million & rising.\nSecond line\n\nfigure\tJune\nNAV\t184\n\none\ntwo\n\nkept\n  as it is"
    )


def test_spans_of_html_count_in_its_text():
    content = PAGE.encode()
    text = render(content, HTML).text
    start = text.index("184\xa0million")

    assert holds(content, HTML, {"start": start, "end": start + 11}, "184\xa0million").ok
    assert holds(content, HTML, None, "NAV\t184").ok
    assert not holds(content, HTML, {"start": 0, "end": 8}, "not text").ok


def test_a_quote_that_was_bound_to_the_markup_still_stands_there():
    content = PAGE.encode()
    start = PAGE.index("<b>184</b>")

    found = holds(content, HTML, {"start": start, "end": start + 10}, "<b>184</b>")
    assert (found.ok, found.in_markup) == (True, True)
    assert not holds(content, HTML, {"start": start + 1, "end": start + 11}, "<b>184</b>").ok


@pytest.mark.parametrize("word", ["Cafe\u0301", "Café", "👩‍🚀", "שלום עולם", "مرحبا", "e\u0301\u0323", "한국어", "\u202babc\u202c"])
def test_combining_letters_emoji_and_right_to_left_text_are_quoted_exactly(word):
    for media_type, content in (
        (HTML, f"<p>before {word} after</p>".encode()),
        ("text/markdown; charset=utf-16", f"before {word} after".encode("utf-16")),
        ("text/plain", f"before {word} after".encode()),
    ):
        assert holds(content, media_type, {"start": 7, "end": 7 + len(word)}, word).ok
        assert not holds(content, media_type, {"start": 8, "end": 8 + len(word)}, word).ok


@pytest.mark.parametrize("hostile", ["<a " * 700_000, "<!--" * 500_000, "<a href='" * 300_000, "</" * 900_000, "<![CDATA[" * 300_000, "<p>" * 600_000, "<?" * 900_000, "&" * 900_000, "<![0" * 300_000 + ">"])
def test_hostile_html_is_read_or_refused_soon(hostile):
    try:
        render(hostile.encode(), HTML)
    except Refusal as refused:
        assert "does not end" in refused.message


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("<>/&;!-=\"' \n\tapbrtdhe1é\x00\ud7ff"), max_size=80))
def test_any_html_gives_text_that_can_be_stored(text):
    found = read_html(text)
    assert "\x00" not in render(f"<p>{text.replace(chr(0), '')}".encode(), HTML).text
    found.encode("utf-8")


@pytest.mark.parametrize(("markup", "reads"), [("<p>a<![if !x]>b<![endif]>c", "abc"), ("<p>a<![0 nothing]>b", "ab"), ("<p>a<![unheard-of[ x ]]>b", "ab")])
def test_a_section_of_other_markup_is_passed_over_and_the_words_around_it_are_read(markup, reads):
    assert render(markup.encode(), HTML).text == reads


def test_html_of_more_tags_than_can_be_read_soon_is_refused_before_it_is_read():
    assert "1,000,001 tags" in refusal(b"<p>" + b"<" * 1_000_000, HTML)


# --- encodings ---------------------------------------------------------------------------------------------------------


def test_text_in_another_encoding_is_decoded_and_its_quotes_count_in_the_decoded_text():
    content = "Größe: 12 €".encode("cp1252")
    found = render(content, "text/plain; charset=windows-1252")

    assert (found.text, found.extractor, found.version, found.pages) == ("Größe: 12 €", "decoder", "windows-1252", None)
    assert holds(content, "text/plain; charset=windows-1252", {"start": 10, "end": 11}, "€").ok
    assert render("Größe".encode(), "text/plain") is None


def test_json_in_utf_16_is_looked_into_by_pointer():
    content = json.dumps({"a": ["Größe"]}, ensure_ascii=False).encode("utf-16")

    assert holds(content, "application/json; charset=utf-16", {"pointer": "/a/0"}, '"Größe"').ok


@pytest.mark.parametrize("charset", ["no-such-thing", "utf-8x", "rot13", "hex", "shift_jis", "utf-16", "punycode", "idna", "unicode_escape", "utf-7", "a\x00b", "\ud800", "x" * 9_000])
def test_an_encoding_that_does_not_fit_is_refused(charset):
    assert refusal("Größe".encode("cp1252"), f"text/plain; charset={charset}")


def test_whatever_is_captured_makes_a_line_of_a_bundle_that_can_be_read_again():
    content = b"a" + b"\x01" * 17_000_000
    line = write_line(Evidence("S@1", "S", 1, 0, "text/plain", digest_bytes(content), content).to_line()).encode()

    assert len(line) < LONGEST_LINE
    assert parse_line(1, line).content == content
