"""Text taken out of what is no plain text: PDF by page, HTML as lines, other encodings decoded; and pictures of PDF pages.

A rendition is taken once, when a version is captured, and stored with what took it and a hash; it is never silently taken again.
"""

from __future__ import annotations

import codecs
import json
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from store.domain.errors import Code, Refusal
from store.domain.html_text import MOST_TAGS, read_html
from store.domain.html_text import VERSION as HTML_VERSION
from store.domain.text import digest_bytes, is_blank

PDF, HTML = "application/pdf", "text/html"
#: Bounds on one file: bytes, code points taken out of it, pages of a PDF (such that its line of a bundle can be read again), and what the process that looks into it may use.
LONGEST_FILE = 32_000_000
LONGEST_TEXT = 8_000_000
MOST_PAGES = 2_000
_SECONDS, _MEMORY = 60, 2_000_000_000
_SEPARATOR = "\n\n"
#: Left, top, right and bottom as shares of a page, from its top left.
Rectangle = tuple[float, float, float, float]
#: Encodings of other things than documents; some take hours for a large file, some make other words of it.
_NO_DOCUMENTS = frozenset(("charmap", "idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"))
_WORKER = Path(__file__).with_name("pdf_worker.py")


@dataclass(frozen=True, slots=True)
class Rendition:
    """Text taken out of a version.

    Attributes:
        pages: the code point at which each page begins; None where there are no pages.
        extractor, version: what took it.
        sha256: of the text in UTF-8.
    """

    text: str
    pages: tuple[int, ...] | None
    extractor: str
    version: str
    sha256: str

    @property
    def damaged(self) -> bool:
        """Return whether this is not the text that was taken."""
        return digest_bytes(self.text.encode("utf-8", "surrogatepass")) != self.sha256

    def page_bounds(self, page: int) -> tuple[int, int] | None:
        """Return (start, end) of a page's text, counted from page 1; None where there is no such page."""
        if self.pages is None or not 1 <= page <= len(self.pages):
            return None
        end = self.pages[page] - len(_SEPARATOR) if page < len(self.pages) else len(self.text)
        return self.pages[page - 1], max(end, self.pages[page - 1])

    def page_of(self, position: int) -> int | None:
        """Return the page, from 1, that holds a code point; None where there are no pages."""
        return None if self.pages is None else max(1, bisect_right(self.pages, position))

    def to_line(self) -> dict[str, Any]:
        """Return the rendition as it stands in an evidence line."""
        line: dict[str, Any] = {"extractor": self.extractor, "version": self.version, "text": self.text}
        if self.pages is not None:
            line["pages"] = list(self.pages)
        return line


def make_rendition(text: str, pages: tuple[int, ...] | None, extractor: str, version: str) -> Rendition:
    """Return a rendition with the hash of its text.

    Raises:
        Refusal: `bad_value`: the text is too long.
    """
    if len(text) > LONGEST_TEXT:
        raise _refuse(f"The file holds {len(text):,} characters of text; at most {LONGEST_TEXT:,} are read. Capture the part that is needed.")
    return Rendition(text, pages, extractor, version, digest_bytes(text.encode("utf-8")))


def split_type(media_type: str) -> tuple[str, str | None]:
    """Return (type, charset) of a media type, the type in lower case, the charset None where none is stated."""
    kind, *parameters = media_type.split(";")
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return kind.strip().lower(), value.strip().strip('"').lower() or None
    return kind.strip().lower(), None


def needs_rendition(media_type: str) -> bool:
    """Return whether text has to be taken out of bytes of this type before anything can be quoted."""
    kind, charset = split_type(media_type)
    return kind in (PDF, HTML) or charset not in (None, "utf-8", "us-ascii")


def _refuse(what: str) -> Refusal:
    return Refusal(Code.BAD_VALUE, f"{what} Nothing was saved.")


def say_size(what: str, size: int) -> str:
    """Return the sentence about a file that is too large; both figures are shown so that they differ."""
    whole = f"{size / 1e6:,.0f} MB" if size >= LONGEST_FILE + 500_000 else f"{size:,} bytes"
    most = f"{LONGEST_FILE / 1e6:,.0f} MB" if whole.endswith("MB") else f"{LONGEST_FILE:,}"
    return f"{what} has {whole}; at most {most} are taken."


def name_encoding(charset: str) -> str | None:
    """Return the name by which an encoding of documents is known here, None where there is none of that name."""
    try:
        found = codecs.lookup(charset)
    except (LookupError, ValueError):
        return None
    return found.name if getattr(found, "_is_text_encoding", True) and found.name not in _NO_DOCUMENTS else None


def decode(content: bytes, charset: str) -> str:
    """Return bytes as text in a stated encoding, without a byte order mark.

    Raises:
        Refusal: there is no such encoding, or the bytes are not written in it.
    """
    name = name_encoding(charset)
    if name is None:
        raise _refuse(f"No encoding is called {charset[:40]!r}; such names are utf-8, utf-16 or windows-1252.")
    try:
        text = codecs.lookup(name).decode(content, "strict")[0]
    except (UnicodeError, ValueError):
        raise _refuse(f"The file is not written in {name}. State the encoding it is written in, or save it as UTF-8.") from None
    text = text.removeprefix("\ufeff")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _refuse(f"Read as {charset} the file holds halves of characters. State the encoding it is written in.") from None
    if "\x00" in text:
        raise _refuse(f"Read as {charset} the file holds null characters, so it is not text in this encoding. State the encoding it is written in.")
    return text


def render(content: bytes, media_type: str) -> Rendition | None:
    """Return the text taken out of a version's bytes; None for text in UTF-8, which is quoted as it stands.

    Raises:
        Refusal: `bad_value`: the file is broken, encrypted, too large, or holds no text; the sentence says which.
    """
    kind, charset = split_type(media_type)
    if not needs_rendition(media_type):
        return None
    if len(content) > LONGEST_FILE:
        raise _refuse(f"{say_size('The file', len(content))} Capture the part that is needed.")
    if kind == PDF:
        return _render_pdf(content)
    encoding = charset or "utf-8"
    text = decode(content, encoding)
    if kind != HTML:
        return make_rendition(text, None, "decoder", encoding)
    if text.count("<") > MOST_TAGS:
        raise _refuse(f"The HTML holds {text.count('<'):,} tags; at most {MOST_TAGS:,} are read. Capture the part that is needed.")
    try:
        return make_rendition(read_html(text), None, "html", HTML_VERSION if charset is None else f"{HTML_VERSION} {encoding}")
    except ValueError:
        raise _refuse("The HTML holds a tag or comment that does not end, so its text cannot be told from its markup. Save the page again.") from None


# --- PDF, in a process of its own -----------------------------------------------------------------------------------

_BROKEN = "The PDF is damaged or is none: it cannot be read. Open it, save it anew, and capture that."


def _ask(content: bytes, **question: Any) -> tuple[dict[str, Any], bytes]:
    """Return what the process that looks into PDF files answers.

    Raises:
        Refusal: the file cannot be read, or reading it took too long or too much.
    """
    asked = json.dumps({**question, "seconds": _SECONDS, "memory": _MEMORY}).encode("ascii") + b"\n"
    command = [sys.executable, "-I", str(_WORKER)]
    try:
        done = subprocess.run(command, input=asked + content, capture_output=True, timeout=2 * _SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise _refuse("Reading the PDF took too long and was stopped. Save it anew, or capture the part that is needed.") from None
    line, _, rest = done.stdout.partition(b"\n")
    if done.returncode or not line:
        raise _refuse(_BROKEN)
    try:
        answer: dict[str, Any] = json.loads(line)
    except ValueError:
        raise _refuse(_BROKEN) from None
    why = answer.get("error")
    if why is None:
        return answer, rest
    if why == "encrypted":
        raise _refuse("The PDF is protected by a password, so no text can be taken out of it. Save a copy without one and capture that.")
    if why.startswith("pages:"):
        raise _refuse(f"The PDF has {int(why[6:]):,} pages; at most {MOST_PAGES:,} are read. Capture the part that is needed.")
    if why.startswith("page:"):
        raise _refuse(f"Page {int(why[5:]):,} of the PDF is damaged and cannot be read. Open it, save it anew, and capture that.")
    if why == "no page":
        raise Refusal(Code.NOT_FOUND, "The PDF has no such page.")
    raise _refuse(_BROKEN)


def _render_pdf(content: bytes) -> Rendition:
    answer, _ = _ask(content, do="text", most_pages=MOST_PAGES)
    text, pages = str(answer["text"]), tuple(int(start) for start in answer["pages"])
    if is_blank(text):
        count = f"{len(pages):,} pages" if len(pages) != 1 else "1 page"
        raise _refuse(f"The PDF has {count} and no text: it is a scan, or drawn. Run text recognition on it and capture the result.")
    return make_rendition(text, pages, "pdfium", str(answer["version"]))


def find_rectangles(content: bytes, page: int, ranges: Sequence[tuple[int, int]]) -> tuple[tuple[Rectangle, ...], ...]:
    """Return for each range of code points of a page's text where it stands, one rectangle per line of print.

    Raises:
        Refusal: there is no such page, or the file cannot be read.
    """
    return _rectangles(_Bytes(content), page, tuple(ranges))


def quote_rectangles(content: bytes, page: int, start: int, end: int) -> tuple[Rectangle, ...]:
    """Return where code points [start, end) of a page's text stand on it; otherwise as `find_rectangles`."""
    return find_rectangles(content, page, [(start, end)])[0]


def page_image(content: bytes, page: int, rectangles: Sequence[Rectangle] = (), scale: float = 1.5) -> bytes:
    """Return a page of a PDF as PNG with some rectangles (shares of the page) marked; `scale` is pixels per point.

    Raises:
        Refusal: there is no such page, or the file cannot be read.
    """
    return _image(_Bytes(content), page, tuple(rectangles), scale)


class _Bytes:
    """A file that is remembered by its hash, so that what is kept of it does not keep its bytes."""

    __slots__ = ("content", "sha256")

    def __init__(self, content: bytes) -> None:
        self.content: bytes | None = content
        self.sha256 = sha256(content).digest()

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bytes) and other.sha256 == self.sha256

    def take(self) -> bytes:
        """Return the bytes and let go of them."""
        content, self.content = self.content, None
        assert content is not None
        return content


@lru_cache(maxsize=512)
def _rectangles(file: _Bytes, page: int, ranges: tuple[tuple[int, int], ...]) -> tuple[tuple[Rectangle, ...], ...]:
    answer, _ = _ask(file.take(), do="rectangles", page=page, ranges=[list(one) for one in ranges])
    return tuple(tuple((left, top, right, bottom) for left, top, right, bottom in its) for its in answer["rectangles"])


@lru_cache(maxsize=48)
def _image(file: _Bytes, page: int, rectangles: tuple[Rectangle, ...], scale: float) -> bytes:
    return _ask(file.take(), do="image", page=page, rectangles=[list(one) for one in rectangles], scale=scale)[1]


def forget_pictures() -> None:
    """Empty what is kept in memory of pages of files."""
    _rectangles.cache_clear()
    _image.cache_clear()
