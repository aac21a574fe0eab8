"""Passages blotted out of texts of every kind: everything around them stays where and what it was (R26)."""

import csv
import io
import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.domain.forgetting import BLOT
from store.domain.records import Binding
from store.domain.redacting import blot_out, blot_quote, fit_spans, is_met, is_telling, merge_spans, passage_span, redact
from store.domain.renditions import HTML, PDF, decode, make_rendition, render
from store.domain.spans import BLOTTED, CapturedText, locate_in, resolve_pointer
from store.domain.text import canonical_json, digest_bytes
from tests.domain.test_renditions import pdf

QUICK = settings(deadline=None, derandomize=True, max_examples=150, suppress_health_check=list(HealthCheck), database=None)
LETTERS = st.sampled_from("aé한字e\u0301👩\u200d👩🏽\n\r\t ,;\"'<&\\{}█\ufeff0z\u202e")
TEXTS = st.lists(LETTERS, min_size=1, max_size=80).map("".join).filter(lambda text: not text.startswith("\ufeff") and text.strip())
SPANS = st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=5)


def captured(content, media_type="text/plain"):
    if isinstance(content, str):
        content = content.encode()
    return CapturedText(content, digest_bytes(content), media_type, render(content, media_type))


@QUICK
@given(TEXTS, SPANS)
def test_only_what_lies_in_a_span_is_blotted_and_lines_stay_lines(text, spans):
    after = blot_out(text, spans)
    covered = {n for start, end in spans for n in range(start, end)}
    assert len(after) == len(text)
    for n, (was, now) in enumerate(zip(text, after, strict=True)):
        assert now == (was if n not in covered or was in "\r\n\ufeff" else BLOT)
    assert blot_out(after, spans) == after


@QUICK
@given(TEXTS, SPANS, st.sampled_from(["utf-8", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "windows-1252", "utf-32", "shift_jis"]), st.data())
def test_a_text_in_its_own_encoding_keeps_its_code_points_and_every_other_passage(text, spans, encoding, data):
    try:
        content = text.encode(encoding)
        if decode(content, encoding) != text:
            return
    except UnicodeEncodeError:
        return
    before = captured(content, "text/plain" if encoding == "utf-8" else f"text/plain; charset={encoding}")
    after = redact(before, spans)
    assert not after.damaged
    assert len(after.text) == len(text)
    covered = merge_spans((start, min(end, len(text))) for start, end in spans)
    assert after.sha256 != before.sha256 or after.content == before.content
    if after.media_type == before.media_type and encoding != "utf-8":
        assert decode(after.content, encoding) == after.text
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    bound = Binding("E1", {"start": start, "end": end}, text[start:end])
    met = is_met(bound, before, covered)
    assert met == any(start < stop and begin < end for begin, stop in covered)
    found = locate_in(bound, after)
    if met:
        assert (found.ok, found.message) == (False, BLOTTED) or after.text[start:end] != bound.quote
        again = blot_quote(bound, before, after, covered)
        assert again.quote == after.text[start:end]
        assert locate_in(again, after).message == BLOTTED
    else:
        assert found.ok
        assert blot_quote(bound, before, after, covered) == bound


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(LETTERS, max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.sampled_from("ab/~1é"), max_size=3), inner, max_size=3),
    max_leaves=10,
)


def pointers(value, at=""):
    yield at, value
    if isinstance(value, dict):
        for name, one in value.items():
            yield from pointers(one, f"{at}/{name.replace('~', '~0').replace('/', '~1')}")
    if isinstance(value, list):
        for n, one in enumerate(value):
            yield from pointers(one, f"{at}/{n}")


@QUICK
@given(VALUES, st.booleans(), st.data())
def test_a_value_is_blotted_out_of_json_that_can_still_be_read(value, ascii_only, data):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=data.draw(st.sampled_from([None, 2])))
    before = captured(text, "application/json")
    every = list(pointers(value))
    pointer, _ = data.draw(st.sampled_from(every))
    for at, one in every:
        start, end = before.spot(at)
        assert json.loads(text[start:end]) == one
    spans = fit_spans(text, [before.spot(pointer)], "application/json")
    after = redact(before, spans)
    assert len(after.text) == len(text)
    document = json.loads(after.text)
    for at, one in every:
        bound = Binding("E1", {"pointer": at}, canonical_json(one))
        assert passage_span(bound, before) == before.spot(at)
        if is_met(bound, before, spans):
            continue
        assert resolve_pointer(document, at) == one
        assert locate_in(bound, after).ok


def test_a_json_value_leaves_nothing_of_itself_whatever_it_is():
    text = '{"a": "diab\\u0065tes", "b": 184000, "c": true, "d": 7, "e": ["x\\"y"]}'
    for at in ("/a", "/b", "/c", "/d", "/e/0"):
        start, end = captured(text, "application/json").spot(at)
        after = blot_out(text, [(start, end)], kind="application/json")
        assert len(after) == len(text)
        assert (after[:start], after[end:]) == (text[:start], text[end:])
        assert json.loads(after) != json.loads(text) or at == "/d"
        assert not set(after[start:end].replace("null", "")) & set("diabts184ruxy")


def test_a_table_keeps_its_cells():
    text = 'name,note\r\nAna,"likes, a ""low"" sugar"\r\nBen,none\r\n'
    start = text.index("likes")
    after = blot_out(text, [(start, text.index("\r\nBen"))], kind="text/csv")
    assert [len(row) for row in csv.reader(io.StringIO(after, newline=""))] == [2, 2, 2]
    assert "low" not in after
    assert after.endswith("Ben,none\r\n")


PAGE = """<!DOCTYPE html><html><head><title>Ana has diabetes</title><meta name="description" content="Ana has diabetes, they say"></head>
<body><!-- Ana has   diabetes --><p class="x">Ana <b>has</b>&nbsp;diab&eacute;tes.</p><p>Ana <b>has</b>
 diabetes.</p><p>Ben &amp; Carl like tea.</p><script>var x = {"who": "Ana has diabetes"};</script></body></html>"""


def test_html_is_blotted_in_its_markup_where_nobody_sees_it_too():
    before = captured(PAGE, HTML)
    start = before.text.index("Ana has diabetes")
    after = redact(before, [(start, start + 16)])
    assert after.media_type == HTML
    assert len(after.markup) == len(PAGE)
    assert len(after.text) == len(before.text)
    assert render(after.content, HTML).text == after.text
    assert "diabetes" not in after.markup
    assert "Ben & Carl like tea." in after.text
    assert "diabétes" in after.text, "another word is another word"
    tea = Binding("E1", {"start": PAGE.index("Ben &amp;"), "end": PAGE.index(" like tea")}, "Ben &amp; Carl")
    assert locate_in(tea, before).ok
    assert locate_in(tea, after).ok, "a place in the markup still holds"


def test_html_with_references_keeps_them_one_character_each():
    before = captured(PAGE, HTML)
    start = before.text.index("Ben & Carl")
    after = redact(before, [(start, start + 10)])
    assert after.media_type == HTML
    assert "Ben" not in after.markup
    assert after.text[start : start + 10].split() == ["███", "#", "████"]


def test_html_whose_words_stand_where_they_cannot_be_reached_becomes_its_text():
    page = '<html><body data-Ana-has-diabetes title=Ana&#32;has&#32;diabetes><p>Ana has diabetes. Ben likes tea.</p></body></html>'
    before = captured(page, HTML)
    after = redact(before, [(0, 16)])
    assert after.media_type == "text/plain; was=text/html"
    assert b"diabetes" not in after.content
    assert locate_in(Binding("E1", {"start": 18, "end": 32}, "Ben likes tea."), after).ok


def test_a_pdf_becomes_its_text_with_its_pages():
    before = captured(pdf("Ana has diabetes.", "Ben likes tea."), PDF)
    start = before.text.index("Ana has diabetes")
    after = redact(before, [(start, start + 16)])
    assert after.media_type == "text/plain; was=application/pdf"
    assert after.content.decode() == after.text
    assert not after.damaged
    assert b"Ana" not in after.content
    assert after.rendition.pages == before.rendition.pages
    assert locate_in(Binding("E1", {"page": 2, "start": 0, "end": 14}, "Ben likes tea."), after).ok
    assert locate_in(Binding("E1", {"page": 1, "start": 0, "end": 3}, "███"), after).message == BLOTTED


def test_lines_and_quotes_without_a_place_fall_only_where_they_are_met():
    before = captured("one two\nthree four\nfive six\nthree four\n")
    first, second = (8, 18), (28, 38)
    line = Binding("E1", {"line_start": 2, "line_end": 2}, "three four")
    anywhere, whole = Binding("E1", None, "three four"), Binding("E1")
    assert is_met(line, before, [first])
    assert not is_met(line, before, [second])
    assert not is_met(anywhere, before, [first])
    assert is_met(anywhere, before, [first, second])
    assert not is_met(whole, before, [first, second])
    after = redact(before, [first])
    assert locate_in(anywhere, after).ok
    assert blot_quote(line, before, after, [first]).quote == BLOT * 10


def test_bytes_with_hashes_that_do_not_fit_are_never_rewritten():
    broken = CapturedText(b"Ana has diabetes.", "0" * 64, "text/plain")
    assert redact(broken, [(0, 3)]) is broken
    rendition = make_rendition("x", None, "html", "1")
    assert redact(CapturedText(b"y", digest_bytes(b"y"), HTML, rendition), [(0, 1)]).text == BLOT


def test_what_says_much():
    assert all(is_telling(one) for one in ("has diabetes", "Lyon-Perrache", "糖尿病人", "Ana Lee Wu"))
    assert not any(is_telling(one) for one in ("", "yes", "2026", "in 2026", "one of the", "Lyon", "a b c", BLOT * 20, "糖尿", "   "))
