"""What a captured file really is, whatever it is called; and in what encoding its text is written, told and never silently guessed.

The bytes stay as they are. An encoding other than UTF-8 becomes part of the media type (`text/csv; charset=windows-1252`), from which
the decoded text follows as a rendition.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from contextlib import suppress
from dataclasses import dataclass

from store.domain.errors import Code, Refusal
from store.domain.renditions import HTML, LONGEST_FILE, PDF, decode, name_encoding, say_size, split_type
from store.domain.strict_json import BadLine, read_json
from store.domain.text import digest_bytes, is_blank

_BY_ENDING = {
    "pdf": PDF, "html": HTML, "htm": HTML, "xhtml": HTML, "json": "application/json", "csv": "text/csv", "tsv": "text/tab-separated-values",
    "md": "text/markdown", "markdown": "text/markdown", "txt": "text/plain", "text": "text/plain", "log": "text/plain", "yaml": "text/yaml",
    "yml": "text/yaml", "toml": "application/toml",
}  # fmt: skip
#: Types of text that are kept as they are called, besides every text/….
_TEXTS = ("application/json", "application/vnd.observation+json", "application/toml", "application/yaml", "application/xml", "application/xhtml+xml")
#: What somebody's program says when it does not know.
_UNTOLD = ("", "application/octet-stream", "binary/octet-stream", "application/x-unknown")
_CALLED = {
    PDF: "a PDF", HTML: "an HTML page", "application/json": "JSON", "text/csv": "CSV", "text/markdown": "Markdown", "text/plain": "plain text",
}  # fmt: skip
_MAGIC = (
    (b"PK\x03\x04", "a ZIP archive or an Office document", "Save it as PDF, or take out the text that is needed"),
    (b"\xd0\xcf\x11\xe0", "an old Office document", "Save it as PDF"),
    (b"{\\rtf", "a Rich Text document", "Save it as PDF"),
    (b"\x89PNG", "a picture", "Run text recognition on it and capture the result"),
    (b"\xff\xd8\xff", "a picture", "Run text recognition on it and capture the result"),
    (b"GIF8", "a picture", "Run text recognition on it and capture the result"),
    (b"RIFF", "a picture or a recording", "Capture a text of it"),
    (b"II*\x00", "a picture", "Run text recognition on it and capture the result"),
    (b"MM\x00*", "a picture", "Run text recognition on it and capture the result"),
    (b"\x1f\x8b", "a compressed file", "Unpack it first"),
    (b"BZh", "a compressed file", "Unpack it first"),
    (b"7z\xbc\xaf", "a compressed file", "Unpack it first"),
    (b"\xfd7zXZ", "a compressed file", "Unpack it first"),
    (b"SQLite format 3", "a database", "Capture what was read from it as CSV or JSON"),
    (b"\x7fELF", "a program", "Capture a document"),
)  # fmt: skip
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_DOCUMENT = re.compile(r"\s*(<\?xml[^>]{0,200}\?>\s*)?(<!--.{0,2000}?-->\s*)*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_MARKUP = re.compile(r"<(!doctype\s+html|html|head|body|div|p|table|h[1-6]|ul|ol|article|section|span|br|main|pre|title)\b", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_HEADING = re.compile(r"^(#{1,6} \S|[-*] \S|\|.+\|$|\[[^\]]+\]\()", re.MULTILINE)
_LOOKED_AT = 200_000
_SHOWN = 60
#: Encodings files are still met in; every other guess is likelier wrong than right.
_COMMON = frozenset((
    "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874", "cp932", "cp949", "shift_jis", "shift_jis_2004",
    "euc_jp", "iso2022_jp", "euc_kr", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "koi8_r", "koi8_u", "iso8859_2", "iso8859_5", "iso8859_7", "cp437", "cp850",
    "cp866", "mac_roman",
))  # fmt: skip
#: Below so many bytes nothing can be told from how often letters stand in a language.
_FEW = 64
#: Names of encodings as people know them.
_WELL_KNOWN = {"cp1252": "windows-1252", "cp1250": "windows-1250", "cp1251": "windows-1251", "latin_1": "iso-8859-1", "iso8859_1": "iso-8859-1"}


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a file's bytes as text: the encoding, and a line of what it gives where it matters."""

    encoding: str
    sample: str


@dataclass(frozen=True, slots=True)
class Examined:
    """What a file is.

    Attributes:
        media_type: with the encoding, where it is another than UTF-8; what is to be stored.
        kind: the type alone.
        encoding: of its text; None where it is no text (PDF).
        sure: the encoding is stated, marked in the file, or the only one possible; else somebody has to look at `readings` and choose.
        readings: ways to read it, the likeliest first, where the encoding is not sure.
        text: its text as written (of HTML with the markup); None for PDF, and while the encoding is not sure.
    """

    media_type: str
    kind: str
    encoding: str | None
    sure: bool
    readings: tuple[Reading, ...]
    text: str | None
    size: int
    sha256: str


def _refuse(what: str, code: Code = Code.BAD_VALUE) -> Refusal:
    return Refusal(code, f"{what} Nothing was saved.")


def _say_kind(kind: str) -> str:
    return _CALLED.get(kind, kind[:60])


def _wanted(name: str | None, stated: str | None) -> tuple[str | None, str | None, bool]:
    """Return (type, encoding, whether the type was stated), by what was stated or else by the file's ending."""
    kind, charset = split_type(stated or "")
    if kind not in _UNTOLD:
        if kind == "application/xhtml+xml":
            kind = HTML
        return kind, charset, True
    ending = (name or "").rpartition(".")[2].lower() if "." in (name or "") else ""
    return _BY_ENDING.get(ending), charset, False


def examine_file(content: bytes, name: str | None = None, stated: str | None = None, *, encoding: str | None = None) -> Examined:
    """Return what a file is, by its bytes; what it is said to be (`stated`, or else the ending of `name`) has to fit.

    Args:
        content: its bytes.
        name: the file's name, of which only the ending counts.
        stated: the media type somebody states, a charset included if they like.
        encoding: the encoding somebody chose after looking.

    Raises:
        Refusal: `bad_value` with a sentence: empty, too large, not what it is said to be, of no kind that is read, or in another encoding.
    """
    if not content:
        raise _refuse("The file is empty.")
    if len(content) > LONGEST_FILE:
        raise _refuse(f"{say_size('The file', len(content))} Capture the part that is needed.")
    kind, charset, is_stated = _wanted(name, stated)
    if kind is not None and kind not in (PDF, HTML) and kind not in _TEXTS and not kind.startswith("text/"):
        raise _refuse(f"Files of type {kind[:60]} are not read. Capture PDF, HTML, Markdown, plain text, CSV or JSON.")
    digest = digest_bytes(content)
    if b"%PDF-" in content[:1024]:
        if kind not in (None, PDF):
            raise _refuse(f"The file is said to be {_say_kind(kind)}, and it is a PDF. Give it the type {PDF}.")
        return Examined(PDF, PDF, None, True, (), None, len(content), digest)
    for magic, what, instead in _MAGIC:
        if content.startswith(magic):
            raise _refuse(f"The file is {what}, of which no text can be read. {instead}.")
    if kind == PDF:
        raise _refuse("The file is said to be a PDF, and it is none. Give it the type it has, or capture the PDF itself.")
    readings, sure = _encodings(content, encoding or charset, html=kind in (None, HTML))
    chosen = readings[0].encoding
    text = decode(content, chosen)
    kind = _fit(kind, text, stated=is_stated)
    if is_blank(text):
        raise _refuse("The file holds nothing but white space.")
    media_type = kind if chosen == "utf-8" else f"{kind}; charset={chosen}"
    return Examined(media_type, kind, chosen, sure, () if sure else readings, text if sure else None, len(content), digest)


def need_sure(examined: Examined) -> None:
    """Refuse a file of which nobody said in what encoding it is written, and that does not tell; the readings are in the refusal."""
    if not examined.sure:
        first = examined.readings[0]
        what = f"The file is not UTF-8. It is probably written in {first.encoding}, where it reads: “{first.sample}”."
        readings = [{"encoding": one.encoding, "sample": one.sample} for one in examined.readings]
        raise Refusal(Code.BAD_VALUE, f"{what} Nothing was saved. If that is right, state this encoding; otherwise another.", readings=readings)


def _encodings(content: bytes, stated: str | None, *, html: bool) -> tuple[tuple[Reading, ...], bool]:
    """Return ways to read the bytes as text, and whether the first is sure."""
    if stated is not None:
        stated = name_encoding(stated) or stated
        decode(content, stated)
        return (Reading(_WELL_KNOWN.get(stated, stated), ""),), True
    for mark, found in _MARKS:
        if content.startswith(mark):
            decode(content, found)
            return (Reading(found, ""),), True
    if b"\x00" not in content:
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            return (Reading("utf-8", ""),), True
    if html:
        meta = _META.search(content[:4096])
        if meta is not None:
            found = name_encoding(meta[1].decode("ascii")) or "utf-8"
            if found not in ("utf-8", "ascii"):
                with suppress(Refusal):
                    decode(content, found)
                    return (Reading(_WELL_KNOWN.get(found, found), ""),), True
    guesses = _guess(content)
    if not guesses:
        raise _refuse("The file is no text in any encoding that is known here, and of no other kind that is read. Capture PDF, HTML, Markdown, plain text, CSV or JSON.")
    return guesses, False


def _guess(content: bytes) -> tuple[Reading, ...]:
    """Return the likeliest readings, at most three, each different."""
    names: list[str] = []
    even, odd = content[0:4000:2].count(0), content[1:4000:2].count(0)
    if even or odd:
        # Text in UTF-16 without a mark has its zeros on one side; anything else with zeros is no text.
        if min(even, odd) * 10 > max(even, odd):
            return ()
        names = ["utf-16-le" if odd > even else "utf-16-be"]
    else:
        from charset_normalizer import from_bytes  # noqa: PLC0415 - few files need it, and every command would load it

        names = [one.encoding for one in from_bytes(content[:_LOOKED_AT]) if one.encoding in _COMMON][:6]
        # A few letters tell nothing, and Western European is what most files are that are not UTF-8.
        names = ["cp1252", *names] if len(content) < _FEW or not names else [*names, "cp1252"]
    found: list[Reading] = []
    texts: list[str] = []
    for name in names:
        try:
            text = decode(content, name)
        except Refusal:
            continue
        if sum(letter < " " and letter not in "\t\n\r\f" for letter in text[:_LOOKED_AT]) * 50 > len(text[:_LOOKED_AT]):
            continue
        if text in texts:
            continue
        texts.append(text)
        found.append(Reading(_same_in_western(content, text) or _WELL_KNOWN.get(name, name.replace("_", "-")), _sample(text)))
    return tuple(found[:3])


def _same_in_western(content: bytes, text: str) -> str | None:
    """Return the name of the best known encoding in which the bytes give this very text, None where it does not."""
    try:
        return "windows-1252" if content.decode("cp1252") == text else None
    except UnicodeDecodeError:
        return None


def _sample(text: str) -> str:
    """Return the surroundings of the first letters that depend on the encoding."""
    odd = re.search(r"[^\x00-\x7f]", text)
    at = odd.start() if odd else 0
    start = max(0, at - _SHOWN // 2)
    return " ".join(text[start : start + _SHOWN].split())


def _is_json(text: str) -> bool:
    try:
        read_json(text)
    except (BadLine, ValueError, RecursionError):
        return False
    return True


def _is_table(text: str) -> bool:
    lines = text[:_LOOKED_AT].splitlines()[:20]
    for sign in (",", ";", "\t"):
        try:
            widths = {len(row) for row in csv.reader(io.StringIO("\n".join(lines[:-1] if len(lines) > 2 else lines)), delimiter=sign) if row}
        except csv.Error:
            continue
        if len(lines) > 1 and len(widths) == 1 and widths.pop() > 1:
            return True
    return False


def _fit(kind: str | None, text: str, *, stated: bool) -> str:
    """Return the type of a text, which has to be what it is said to be.

    Raises:
        Refusal: it is something else.
    """
    is_page = _DOCUMENT.match(text) is not None
    if kind is None:
        if is_page:
            return HTML
        if text.lstrip()[:1] in ("{", "[") and _is_json(text):
            return "application/json"
        if _is_table(text):
            return "text/csv"
        return "text/markdown" if _HEADING.search(text) else "text/plain"
    if kind == HTML:
        if _MARKUP.search(text) is None:
            raise _refuse("The file is said to be an HTML page, and it holds no markup. Give it the type text/plain.")
        return kind
    if is_page and not (stated and kind.startswith("text/") and kind not in ("text/csv", "text/tab-separated-values")):
        raise _refuse(f"The file is said to be {_say_kind(kind)}, and it is an HTML page. Give it the type {HTML}, or capture what was meant.")
    if kind in ("application/json", "application/vnd.observation+json"):
        try:
            read_json(text)
        except (BadLine, ValueError, RecursionError) as error:
            why = str(error.args[0] if error.args else "it is nested too deeply").removeprefix("it is not JSON: ")[:120].rstrip(".")
            raise _refuse(f"The file is said to be JSON, and it is none: {why}. Mend it, or give it the type text/plain.") from None
    return kind
