"""The text of an HTML document as somebody reads it: blocks as lines, no scripts or styles. The standard library's parser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

#: Part of what makes a rendition: another number whenever the text of some document would come out otherwise.
VERSION = "1"

_UNSEEN = frozenset(("head", "script", "style", "template", "noscript", "iframe", "object", "svg", "math", "select", "textarea", "audio", "video", "canvas"))
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "search", "section",
    "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
))  # fmt: skip
#: Blocks set apart by an empty line.
_APART = frozenset(("blockquote", "dl", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul"))
_CELLS = frozenset(("td", "th"))
_VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))
#: What HTML takes for white space; a no-break space is none of it.
_SPACE = re.compile("[ \t\n\f\r]+")
#: Code points given to the parser at a time, and of which no single tag or comment has more.
_PIECE, _LONGEST_TAG = 4_096, 262_144
#: Signs that may open a tag; each takes the parser some microseconds.
MOST_TAGS = 1_000_000


class _Reader(HTMLParser):
    """Collects pieces of text and where lines break."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._line: list[str] = []
        self._unseen: str | None = None
        self._depth = 0
        self._pre = 0
        self._row_begun = False

    @property
    def seen(self) -> bool:
        """Return whether a reader sees the text that comes next."""
        return self._unseen is None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen is not None:
            self._depth += tag == self._unseen
            return
        if tag == "body":
            pass
        elif tag not in _VOID and (tag in _UNSEEN or any(name == "hidden" for name, _ in attrs)):
            self._unseen, self._depth = tag, 1
            return
        if tag == "br":
            self._end_line()
        elif tag in _CELLS:
            if self._row_begun:
                self._line.append("\t")
            self._row_begun = True
        elif tag in _BLOCKS:
            self._break(tag)
        self._pre += tag == "pre"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if self._unseen is None and (tag == "br" or tag in _BLOCKS):
            self.handle_starttag("br" if tag == "br" else "hr", [])

    def handle_endtag(self, tag: str) -> None:
        if self._unseen is not None:
            if tag == self._unseen:
                self._depth -= 1
            # A head that is never closed ends where the body begins.
            if self._depth <= 0:
                self._unseen = None
            return
        if tag in _BLOCKS:
            self._break(tag)
        if tag == "pre" and self._pre:
            self._pre -= 1

    def handle_data(self, data: str) -> None:
        if self._unseen is not None:
            return
        if self._pre:
            first, *more = data.replace("\r\n", "\n").split("\n")
            self._line.append(first)
            for piece in more:
                self._end_line(keep=True)
                self._line.append(piece)
        else:
            self._line.append(_SPACE.sub(" ", data))

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Take what looks like a section of another kind of markup for a comment, as browsers do; the library gives up at it."""
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            return self.parse_bogus_comment(i, report)

    def _end_line(self, *, keep: bool = False) -> None:
        whole = "".join(self._line)
        if not keep and not self._pre:
            whole = re.sub(" {2,}", " ", whole)
            whole = "\t".join(cell.strip(" ") for cell in whole.split("\t"))
        self.lines.append(whole.rstrip(" "))
        self._line.clear()

    def _break(self, tag: str) -> None:
        if tag == "tr":
            self._row_begun = False
        if "".join(self._line).strip(" ") or (self._pre and self._line):
            self._end_line()
        else:
            self._line.clear()
        if tag in _APART and self.lines and self.lines[-1] != "":
            self.lines.append("")

    def read(self, text: str) -> str:
        """Return the text of a whole document.

        The parser looks at an unfinished tag again and again, so it is given little at a time and never a long unfinished rest.
        """
        for start in range(0, len(text), _PIECE):
            self.feed(text[start : start + _PIECE])
            if len(self.rawdata) > _LONGEST_TAG:
                raise ValueError("endless tag")
        if len(self.rawdata) <= _PIECE:
            self.close()
        self._break("p")
        return "\n".join(self.lines).strip("\n")


class Reader(_Reader):
    """Reads one document; leaves a head that was never closed where the body begins."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a tag; the body ends the head."""
        if self._unseen == "head" and tag == "body":
            self._unseen = None
        super().handle_starttag(tag, attrs)


def read_html(text: str) -> str:
    """Return what a reader of an HTML document sees, one block a line, cells of a row parted by tabs.

    Raises:
        ValueError: a tag or comment in it does not end.
    """
    return Reader().read(text.removeprefix("\ufeff"))
