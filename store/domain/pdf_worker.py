"""A process of its own that looks into one PDF: the library under it is C++ and the file may be hostile, so its death is only its own.

It is run by path, never imported by the application, so it imports nothing of the store. It reads one line of JSON and the file's
bytes from standard input, and writes one line of JSON, followed by the bytes of a picture where one was asked for.
"""

from __future__ import annotations

import ctypes
import json
import resource
import sys
import zlib
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

#: Between the texts of two pages.
SEPARATOR = "\n\n"
_PASSWORD = 4
#: Colours of a marked passage: they darken white paper and leave black letters black.
_MARK = (255, 226, 122)
_LONGEST_SIDE = 4_000


class Unreadable(Exception):  # noqa: N818 - it is an answer: a word the application makes a sentence of
    """The file is no PDF that can be looked into; the argument says why."""


def _limit(seconds: int, memory: int) -> None:
    """Bound what this process may use, so that a hostile file cannot take the machine."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _open(content: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        raise Unreadable("encrypted" if code == _PASSWORD or "assword" in str(error) else "broken") from None


def _characters(page: pypdfium2.PdfPage) -> tuple[str, list[int]]:
    """Return a page's text and, for every code point of it, the number of the character it was read from."""
    textpage = page.get_textpage()
    raw, read = textpage.raw, pdfium.FPDFText_GetUnicode
    text: list[str] = []
    places: list[int] = []
    high = 0
    for n in range(pdfium.FPDFText_CountChars(raw)):
        code = read(raw, n)
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) if high else 0
        high = 0
        if code == 13 or (code < 32 and code not in (2, 9, 10)) or 0x7F <= code < 0xA0 or code > 0x10FFFF:
            continue
        if code in (2, 0xFFFE):
            # A word broken at the end of a line: what stands there is a hyphen and a new line.
            text.extend("-\n")
            places.extend((n, n))
            continue
        text.append(chr(code))
        places.append(n)
    textpage.close()
    whole = "".join(text)
    end = len(whole.rstrip())
    return whole[:end], places[:end]


def take_text(content: bytes, most_pages: int) -> dict[str, Any]:
    """Return the text by page: `{"text", "pages": [start of each], "version"}`."""
    document = _open(content)
    count = len(document)
    if count > most_pages:
        raise Unreadable(f"pages:{count}")
    pages: list[int] = []
    parts: list[str] = []
    at = 0
    for n in range(count):
        try:
            page = document[n]
            text, _ = _characters(page)
            page.close()
        except pypdfium2.PdfiumError:
            raise Unreadable(f"page:{n + 1}") from None
        pages.append(at)
        parts.append(text)
        at += len(text) + len(SEPARATOR)
    return {"text": SEPARATOR.join(parts), "pages": pages, "version": str(pypdfium2.PDFIUM_INFO).partition("@")[0]}


def _page(content: bytes, number: int) -> pypdfium2.PdfPage:
    document = _open(content)
    if not 1 <= number <= len(document):
        raise Unreadable("no page")
    try:
        return document[number - 1]
    except pypdfium2.PdfiumError:
        raise Unreadable(f"page:{number}") from None


def _boxes(textpage: Any, places: list[int]) -> list[list[float]]:
    """Return the boxes around some characters, one per line of print: left, bottom, right, top in points."""
    lines: list[list[float]] = []
    box = pdfium.FS_RECTF()
    for place in places:
        if not pdfium.FPDFText_GetLooseCharBox(textpage.raw, place, ctypes.byref(box)):
            continue
        left, bottom, right, top = float(box.left), float(box.bottom), float(box.right), float(box.top)
        if right <= left or top <= bottom:
            continue
        last = lines[-1] if lines else None
        middle = (top + bottom) / 2
        if last is not None and last[1] <= middle <= last[3] and left - last[2] < 4 * (top - bottom):
            lines[-1] = [min(last[0], left), min(last[1], bottom), max(last[2], right), max(last[3], top)]
        else:
            lines.append([left, bottom, right, top])
    return lines


def find_rectangles(content: bytes, number: int, ranges: list[list[int]]) -> dict[str, Any]:
    """Return where ranges of code points of a page's text stand: per range one rectangle per line, as shares of the page from its top left."""
    page = _page(content, number)
    left, bottom, right, top = page.get_bbox()
    width, height = max(right - left, 1.0), max(top - bottom, 1.0)
    text, places = _characters(page)
    textpage = page.get_textpage()
    found = []
    for start, end in ranges:
        part = slice(max(0, start), max(0, end))
        letters = dict.fromkeys(place for letter, place in zip(text[part], places[part], strict=True) if not letter.isspace())
        shares = [
            ((box[0] - left) / width, (top - box[3]) / height, (box[2] - left) / width, (top - box[1]) / height)
            for box in _boxes(textpage, list(letters))
        ]
        found.append([[round(min(max(side, 0.0), 1.0), 5) for side in _turned(share, page.get_rotation())] for share in shares])
    return {"rectangles": found}


def _turned(share: tuple[float, float, float, float], degrees: int) -> tuple[float, float, float, float]:
    """Return a rectangle as it stands on a page that is shown turned clockwise."""
    left, top, right, bottom = share
    if degrees == 90:
        return 1 - bottom, left, 1 - top, right
    if degrees == 180:
        return 1 - right, 1 - bottom, 1 - left, 1 - top
    if degrees == 270:
        return top, 1 - right, bottom, 1 - left
    return share


def _encode_png(pixels: Any) -> bytes:
    """Return an array of rows of red, green and blue as a PNG file."""
    height, width, _ = pixels.shape

    def chunk(name: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")

    rows = b"".join(b"\x00" + row.tobytes() for row in pixels)
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 4)) + chunk(b"IEND", b"")


def draw_page(content: bytes, number: int, rectangles: list[list[float]], scale: float) -> bytes:
    """Return a page as PNG, the rectangles (shares of the page) marked; `scale` is pixels per point."""
    import numpy as np  # noqa: PLC0415 - only pictures need it

    page = _page(content, number)
    scale = min(scale, _LONGEST_SIDE / max(*page.get_size(), 1.0))
    bitmap = page.render(scale=scale, rev_byteorder=True)
    pixels = np.array(bitmap.to_numpy()[:, :, :3])
    height, width, _ = pixels.shape
    for left, top, right, bottom in rectangles:
        part = pixels[int(top * height) : int(bottom * height) + 1, int(left * width) : int(right * width) + 1]
        part[:] = (part.astype(np.uint16) * np.array(_MARK, dtype=np.uint16) // 255).astype(np.uint8)
    return _encode_png(pixels)


def main() -> None:
    """Answer one question about one file."""
    asked = json.loads(sys.stdin.buffer.readline())
    content = sys.stdin.buffer.read()
    _limit(asked["seconds"], asked["memory"])
    picture = b""
    try:
        if asked["do"] == "text":
            answer = take_text(content, asked["most_pages"])
        elif asked["do"] == "rectangles":
            answer = find_rectangles(content, asked["page"], asked["ranges"])
        else:
            picture = draw_page(content, asked["page"], asked["rectangles"], asked["scale"])
            answer = {}
    except Unreadable as why:
        answer = {"error": str(why)}
    except (MemoryError, RecursionError, ValueError, OSError, pypdfium2.PdfiumError):
        answer = {"error": "broken"}
    sys.stdout.buffer.write(json.dumps(answer).encode("ascii") + b"\n" + picture)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
