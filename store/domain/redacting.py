"""Blotting passages out of a captured version: one code point for one, so that every position, line and value around them stays (R26).

What is shown from a request on and what is stored once it is carried out are made by the same function, so neither can say more
than the other.
"""

from __future__ import annotations

import codecs
import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from html import unescape
from typing import Any

from store.domain.forgetting import BLOT
from store.domain.html_text import read_html
from store.domain.records import Binding
from store.domain.renditions import HTML, PDF, decode, make_rendition, name_encoding, split_type
from store.domain.spans import JSON_TYPES, CapturedText, Passage, locate_in
from store.domain.text import canonical_json, digest_bytes

#: Positions [start, end) in code points.
Span = tuple[int, int]
#: What stands for a code point in encodings that have no block; the first that can be written in them.
_STANDINS = (BLOT, "■", "#")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
_TABLES = ("text/csv", "text/tab-separated-values")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PIECE = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"[^\W_]")
#: Comments, what is no text, and values of attributes: parts of an HTML file that a reader does not see; the last group that matched.
_UNSEEN = re.compile(
    r"<!--(.*?)-->|<(script|style|template|noscript|title|textarea|select|iframe|object|svg|math|audio|video|canvas)\b[^<>]*>(.*?)</\2\s*>"
    r"""|=\s*"([^"<>]*)"|=\s*'([^'<>]*)'""",
    re.DOTALL | re.IGNORECASE,
)
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return spans in order, those that overlap or touch made one, empty ones left out."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if end <= start:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def meets(start: int, end: int, spans: Sequence[Span]) -> bool:
    """Return whether [start, end) has a code point in common with one of the spans, which are in order and do not overlap."""
    at = bisect_left(spans, (end, 0)) - 1
    return at >= 0 and start < end and spans[at][1] > start


def is_telling(words: str) -> bool:
    """Return whether words say so much that they are blotted out wherever they stand, and not only where they were quoted.

    Short or common words ("yes", a year, "one of the") stand in texts for other reasons. Telling are eight letters and digits or more,
    five of them in one piece unless all are names; of writings without spaces between words, four characters.
    """
    letters = _LETTER.findall(words)
    if not letters or all(ch == BLOT or not _LETTER.match(ch) for ch in words):
        return False
    if sum(1 for ch in letters if "\u3040" <= ch <= "\u9fff" or "\uac00" <= ch <= "\ud7af") >= 4:
        return True
    pieces = _PIECE.findall(words)
    return len(letters) >= 8 and (max(map(len, pieces)) >= 5 or all(one[0].isupper() or one[0].isdigit() for one in pieces))


def places_of_words(words: str, text: str, *, most: int = 1000) -> list[Span]:
    """Return where words stand in a text, code point for code point, not as a part of a longer word; at most `most` places."""
    found: list[Span] = []
    at = text.find(words) if words else -1
    while at >= 0 and len(found) < most:
        end = at + len(words)
        inside = (at > 0 and text[at - 1].isalnum() and words[0].isascii() and words[0].isalnum()) or (
            end < len(text) and text[end].isalnum() and words[-1].isascii() and words[-1].isalnum()
        )
        if not inside or is_telling(words):
            found.append((at, end))
        at = text.find(words, at + 1)
    return found


# --- JSON ---------------------------------------------------------------------------------------------------------


def _blot_json(text: str, spans: Sequence[Span], blot: str) -> str:
    """Blot values out of JSON such that it can still be read: strings stay strings, anything else becomes a string or null."""
    letters, at = list(text), 0
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        if at == len(spans):
            break
        if not meets(start, end, spans[at : at + 1]):
            continue
        size = end - start
        if text[start] == '"':
            here = [one for one in spans[at:] if one[0] < end]
            for n in range(start + 1, end - 1):
                if meets(n, n + 1, here):
                    letters[n] = blot
            for escape in _ESCAPE.finditer(text, start + 1, end - 1):
                if meets(*escape.span(), here):
                    letters[escape.start() : escape.end()] = blot * len(escape[0])
        elif text[start] in "tfn":
            letters[start:end] = "null".ljust(size)
        elif size == 1:
            letters[start] = "0"
        else:
            letters[start:end] = f'"{blot * (size - 2)}"'
    return "".join(letters)


def fit_spans(text: str, spans: Iterable[Span], kind: str) -> tuple[Span, ...]:
    """Return spans that take in whole numbers, literals and escapes of JSON, of which no part can be blotted out by itself."""
    merged = merge_spans((max(start, 0), min(end, len(text))) for start, end in spans)
    if kind not in JSON_TYPES or not merged or not _is_json(text):
        return merged
    wider = list(merged)
    for token in _TOKEN.finditer(text):
        its = [token.span()] if text[token.start()] != '"' else [one.span() for one in _ESCAPE.finditer(text, token.start() + 1, token.end() - 1)]
        wider += [one for one in its if meets(*one, merged)]
    return merge_spans(wider)


# --- text ---------------------------------------------------------------------------------------------------------


def blot_out(text: str, spans: Iterable[Span], *, kind: str = "text/plain", blot: str = BLOT) -> str:
    """Return a text of the same length in which the spans are blotted out.

    Line breaks stay, and so do what separates the cells of a table and the tokens of JSON, so that lines and values keep their places.
    """
    merged = merge_spans((max(start, 0), min(end, len(text))) for start, end in spans)
    if kind in JSON_TYPES and _is_json(text):
        return _blot_json(text, merged, blot)
    kept = "\r\n\ufeff" + (',;\t"' if kind in _TABLES else "")
    parts, at = [], 0
    for start, end in merged:
        parts += [text[at:start], "".join(ch if ch in kept else blot for ch in text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def blot_of(encoding: str) -> str:
    """Return what stands for a code point that is blotted out of bytes in an encoding."""
    for one in _STANDINS:
        try:
            one.encode(encoding)
        except (UnicodeEncodeError, LookupError):
            continue
        return one
    return _STANDINS[-1]


def _encoded(text: str, content: bytes, encoding: str) -> bytes:
    """Return a text in the encoding of the bytes it takes the place of, with their byte order mark.

    Raises:
        UnicodeEncodeError: it cannot be written so.
    """
    for mark, exact in _MARKS:
        if content.startswith(mark) and encoding.startswith(exact[:5].rstrip("-")):
            return mark + text.encode(exact)
    return text.encode(encoding)


# --- captured versions --------------------------------------------------------------------------------------------


def redact(captured: CapturedText, spans: Iterable[Span]) -> CapturedText:
    """Return a captured version without some passages of its text; with hashes of its own, and the same number of code points.

    Text is rewritten in the encoding it has, HTML in its markup where each passage's place in it is known. Anything else (a PDF, HTML
    that is not understood) cannot be edited safely: the blotted text takes the place of the file, and the media type says what it was.
    """
    merged = merge_spans(spans)
    text = captured.text
    if not merged or captured.damaged:
        return captured
    if text is None:
        return _made(captured, b"", "application/octet-stream", None, merged)
    kind, charset = split_type(captured.media_type)
    if kind == HTML and captured.rendition is not None:
        if merged[0] == (0, len(text)):
            return _as_text(captured, merged)  # nothing is left whose markup would matter
        return _redact_html(captured, merged, charset or "utf-8") or _as_text(captured, merged)
    if kind == PDF or (captured.rendition is not None and captured.rendition.extractor != "decoder"):
        return _as_text(captured, merged)
    encoding = name_encoding(charset or "utf-8") or "utf-8"
    blot = blot_of(encoding)
    shown = blot_out(text, merged, kind=kind, blot=blot)
    if captured.rendition is None:
        return _made(captured, shown.encode("utf-8"), captured.media_type, None, merged)
    try:
        content = _encoded(shown, captured.content, encoding)
        if decode(content, encoding) != shown:
            return _as_text(captured, merged)
    except (UnicodeError, ValueError):
        return _as_text(captured, merged)
    return _made(captured, content, captured.media_type, shown, merged)


def _made(captured: CapturedText, content: bytes, media_type: str, text: str | None, spans: tuple[Span, ...]) -> CapturedText:
    rendition = captured.rendition
    if rendition is not None and text is not None:
        rendition = make_rendition(text, rendition.pages, rendition.extractor, rendition.version)
    return CapturedText(content, digest_bytes(content), media_type, rendition, merge_spans((*captured.redacted, *spans)))


def _as_text(captured: CapturedText, spans: tuple[Span, ...]) -> CapturedText:
    shown = blot_out(captured.text or "", spans)
    was = split_type(captured.media_type)[0]
    return _made(captured, shown.encode("utf-8", "surrogateescape"), f"text/plain; was={was}", shown, spans)


def _redact_html(captured: CapturedText, spans: tuple[Span, ...], charset: str) -> CapturedText | None:
    """Return an HTML version blotted in its markup, tags and all around it as they were; None where that cannot be done to the letter."""
    text, encoding = captured.text or "", name_encoding(charset) or "utf-8"
    markup = captured.markup if encoding == "utf-8" else None
    if markup is None:
        return None
    blot, letters = blot_of(encoding), list(markup)
    words = set()
    for start, end in spans:
        words.add(_folded(text[start:end]))
        for at in range(start, end):
            if text[at].isspace():
                continue
            place = captured.marked_at(at, at + 1)
            if place is None:
                return None
            size = place[1] - place[0]
            if size == 1:
                letters[place[0]] = blot
            elif size >= 7:
                letters[place[0] : place[1]] = f"&#{'9608'.zfill(size - 3)};"
            elif size >= 5:
                letters[place[0] : place[1]] = f"&#{'35'.zfill(size - 3)};"
            else:
                return None
    _blot_unseen(markup, letters, words - {""}, blot)
    after = "".join(letters)
    try:
        shown = read_html(after.removeprefix("\ufeff"))
        content = _encoded(after, captured.content, encoding)
    except (UnicodeError, ValueError):
        return None
    same = len(shown) == len(text) and len(after) == len(markup)
    # Words that still stand somewhere, in a tag that is not understood for example, make the whole file unfit to be kept.
    left = _folded(after)
    if any(word in left for word in words if is_telling(word)):
        return None
    if not same or blot_out(shown, spans) != blot_out(text, spans) or any(_left(text, shown, one) for one in spans):
        return None
    return _made(captured, content, captured.media_type, shown, spans)


def _folded(text: str) -> str:
    return " ".join(_ESCAPED.sub(lambda found: chr(int(found[1], 16)), unescape(text)).casefold().split())


def _left(text: str, shown: str, span: Span) -> bool:
    """Return whether anything that was seen in a span is seen in it still."""
    return any(was == now and not was.isspace() and was not in "#█■" for was, now in zip(text[slice(*span)], shown[slice(*span)], strict=True))


def _blot_unseen(markup: str, letters: list[str], words: set[str], blot: str) -> None:
    """Blot comments, scripts and values of attributes that hold the words too; what makes them so stays."""
    for part in _UNSEEN.finditer(markup):
        group = next((n for n in (1, 3, 4, 5) if part.group(n)), None)
        if group is not None and any(word in _folded(part.group(group)) for word in words):
            for n in range(*part.span(group)):
                if not markup[n].isspace() and markup[n] not in "<>":
                    letters[n] = blot


# --- bindings -----------------------------------------------------------------------------------------------------


def passage_span(binding: Binding, captured: CapturedText) -> Span | None:
    """Return where a binding's passage stands in the text of its version; None where it names no passage, or none that is there."""
    found = locate_in(binding, captured)
    return _span_of(binding, captured, found)


def _span_of(binding: Binding, captured: CapturedText, found: Passage) -> Span | None:
    span, text = binding.span or {}, captured.text or ""
    pointer = span.get("pointer")
    if isinstance(pointer, str):
        return captured.spot(pointer)
    if found.start is not None and found.end is not None:
        return captured.shown_at(found.start, found.end) if found.in_markup else (found.start, found.end)
    start, end = span.get("start"), span.get("end")
    if span.get("page") is None and isinstance(start, int) and isinstance(end, int) and 0 <= start < min(end, len(text)):
        return start, min(end, len(text))
    return None


def is_met(binding: Binding, captured: CapturedText, spans: Sequence[Span]) -> bool:
    """Return whether what a binding quotes is blotted out, wholly or in part, where spans of its version are.

    A quote without a place falls when no place of it is left; a binding to the whole version never does.
    """
    if binding.span is None and binding.quote:
        places = places_of_words(binding.quote, captured.text or "")
        return bool(places) and all(meets(*place, spans) for place in places)
    found = locate_in(binding, captured)
    if found.in_markup and found.start is not None and found.end is not None:
        marked = [place for place in (captured.marked_at(*one) for one in spans) if place is not None]
        return meets(found.start, found.end, marked)
    place = _span_of(binding, captured, found)
    return place is not None and meets(*place, spans)


def blot_quote(binding: Binding, before: CapturedText, after: CapturedText, spans: Sequence[Span]) -> Binding:
    """Return a binding with its quote blotted where its passage is, so that it says what stands in the version now."""
    if not binding.quote or not is_met(binding, before, spans):
        return binding
    pointer = (binding.span or {}).get("pointer")
    if isinstance(pointer, str):
        place = after.spot(pointer)
        return Binding(binding.evidence, binding.span, canonical_json(None) if place is None else (after.text or "")[slice(*place)])
    found = locate_in(binding, before)
    now = after.markup if found.in_markup and after.rendition is not None and split_type(after.media_type)[0] == HTML else after.text
    if found.start is not None and found.end is not None and now is not None and found.end - found.start == len(binding.quote):
        return Binding(binding.evidence, binding.span, now[found.start : found.end])
    return Binding(binding.evidence, binding.span, blot_out(binding.quote, [(0, len(binding.quote))]))


def blot_line(line: dict[str, Any], evidence: str, before: CapturedText, after: CapturedText, spans: Sequence[Span]) -> None:
    """Blot the quotes of a record's line where they are bound to passages of one version."""
    for one in line.get("evidence") or ():
        if isinstance(one, dict) and one.get("evidence") == evidence and isinstance(one.get("quote"), str):
            one["quote"] = blot_quote(Binding(evidence, one.get("span"), one["quote"]), before, after, spans).quote
