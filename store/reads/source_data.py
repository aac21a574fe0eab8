"""A version that is a table or JSON as rows and cells, or as lines with pointers, with every passage marked in the one it stands in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from store.db.renditions import keep_until_forgotten
from store.domain.json_lines import JsonLine, JsonLines
from store.domain.marking import Mark, Segment, cut_pieces
from store.domain.spans import CapturedText
from store.domain.tables import BrokenTableError, Table, is_table

#: Rows of a table, and lines of JSON, on one screen; cells on one screen; columns that hold no mark.
ROWS_PAGE, LINES_PAGE = 50, 200
_CELLS, _COLUMNS = 3_000, 40
#: Rows or lines shown before the passage that was asked for.
_LEAD_ROWS, _LEAD_LINES = 3, 8
#: Code points of one cell or value that are shown, and those before its first mark.
_LONGEST, _BEFORE_MARK = 1_200, 200
_KEPT = 6


@dataclass(frozen=True, slots=True)
class DataCut:
    """A cell or a value, cut into segments; `before` and `after`: how many code points of it are not shown."""

    segments: tuple[Segment, ...]
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class DataLine:
    """A line of JSON: how deep it lies, the pointer to it, its name with the colon (nothing in lists), and its value or bracket."""

    depth: int
    pointer: str
    name: DataCut
    value: DataCut
    closes: bool


@dataclass(frozen=True, slots=True)
class DataPage:
    """A stretch of a table or of a JSON document.

    Attributes:
        kind: `table` or `json`.
        columns: (number from 1, name) of those shown; `hidden`: how many hold nothing marked and are not shown.
        rows: of a table, (number from 1, its cells); a row that is shorter has fewer. `lines`: of JSON.
        first, count, total: which rows or lines, counted from 0, of how many; the row with the names is none.
        uneven: how many rows have another number of cells than there are names.
        start, end: the code points it takes in the text; `before`, `after`: where the stretches next to it begin, None at the ends.
    """

    kind: str
    columns: tuple[tuple[int, DataCut], ...]
    hidden: int
    rows: tuple[tuple[int, tuple[DataCut, ...]], ...]
    lines: tuple[DataLine, ...]
    first: int
    count: int
    total: int
    uneven: int
    start: int
    end: int
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A version that is not what its type says: `kind` is `table` or `json`, `line` is where that shows, from 1."""

    kind: str
    line: int


_known: OrderedDict[tuple[str, str, str | None], JsonLines | Table | Unreadable] = OrderedDict()
_lock = Lock()


def _forget() -> None:
    with _lock:
        _known.clear()


keep_until_forgotten(_forget)


def structure_of(captured: CapturedText) -> JsonLines | Table | Unreadable | None:
    """Return where the lines or rows of a version begin, kept in memory; None where it is neither JSON nor a table."""
    if captured.text is None or not (captured.is_json or is_table(captured.media_type)):
        return None
    name = (captured.sha256, captured.media_type, captured.rendition.sha256 if captured.rendition else None)
    with _lock:
        if name in _known:
            _known.move_to_end(name)
            return _known[name]
    found = _read(captured, captured.text)
    with _lock:
        _known[name] = found
        while len(_known) > _KEPT:
            _known.popitem(last=False)
    return found


def _read(captured: CapturedText, text: str) -> JsonLines | Table | Unreadable:
    if captured.is_json:
        if isinstance(captured.document, ValueError | RecursionError):
            return Unreadable("json", getattr(captured.document, "lineno", 1))
        return JsonLines(text)
    try:
        return Table(text, captured.media_type)
    except BrokenTableError as error:
        return Unreadable("table", error.line)


def page_of(found: JsonLines | Table, at: int, marks: Sequence[Mark], *, lead: bool) -> DataPage:
    """Return the stretch of a table or document that begins at a code point.

    Args:
        lead: show some rows or lines before it.
    """
    return _table_page(found, at, marks, lead) if isinstance(found, Table) else _json_page(found, at, marks, lead)


def _clip(start: int, end: int, marks: Sequence[Mark]) -> tuple[int, int]:
    """Return the part of a cell or value that is shown: its beginning, or where it is marked."""
    if end - start <= _LONGEST:
        return start, end
    first = min((mark.start for mark in marks if mark.start < end and mark.end > start), default=start)
    begin = max(start, min(first - _BEFORE_MARK, end - _LONGEST)) if first - start > _LONGEST // 2 else start
    return begin, min(end, begin + _LONGEST)


def _cuts(text: str, ranges: Sequence[tuple[int, int]], marks: Sequence[Mark]) -> list[DataCut]:
    shown = [_clip(start, end, marks) for start, end in ranges]
    return [
        DataCut(segments, first - start, end - last)
        for segments, (first, last), (start, end) in zip(cut_pieces(text, shown, marks), shown, ranges, strict=True)
    ]


def _table_page(table: Table, at: int, marks: Sequence[Mark], lead: bool) -> DataPage:
    names = table.cells(0)
    size = max(1, min(ROWS_PAGE, _CELLS // max(len(names), 1)))
    first = max(1, table.row_at(at) - (_LEAD_ROWS if lead else 0))
    if first >= len(table):
        first = max(1, len(table) - 1)
    last = min(len(table), first + size)
    begin, end = int(table.starts[first]) if first < len(table) else table.end, int(table.starts[last]) if last < len(table) else table.end
    # The names stand over every page; what is marked in them counts on the first.
    from_here = 0 if first == 1 else begin
    mine = [mark for mark in marks if mark.start < end and mark.end > from_here]
    cells = [table.cells(row) for row in range(first, last)]
    width = max([len(names), *(len(row) for row in cells)])
    marked = {n for row in (names, *cells) for n, (start, stop) in enumerate(row) if any(mark.start < stop and mark.end > start for mark in mine)}
    columns = [n for n in range(width) if n < _COLUMNS or n in marked]
    ranges = [row[n] for row in (names, *cells) for n in columns if n < len(row)]
    cuts = iter([_unquoted(one) for one in _cuts(table.text, ranges, mine)])
    rows = [tuple(next(cuts) for n in columns if n < len(row)) for row in (names, *cells)]
    heads = [*rows[0], *(DataCut((), 0, 0) for _ in columns[len(rows[0]) :])]
    return DataPage(
        "table", tuple((n + 1, head) for n, head in zip(columns, heads, strict=True)), width - len(columns),
        tuple((first + n, row) for n, row in enumerate(rows[1:])), (), first - 1, last - first, len(table) - 1, table.uneven, from_here, end,
        int(table.starts[max(1, first - size)]) if first > 1 else None, int(table.starts[last]) if last < len(table) else None,
    )  # fmt: skip


def _unquoted(cut: DataCut) -> DataCut:
    """Return a cell with its doubled quotation marks written once."""
    if not any('""' in one.text for one in cut.segments):
        return cut
    return DataCut(tuple(Segment(one.text.replace('""', '"'), one.marks, one.ending) for one in cut.segments), cut.before, cut.after)


def _json_page(document: JsonLines, at: int, marks: Sequence[Mark], lead: bool) -> DataPage:
    total = len(document)
    first = max(0, min(document.line_at(at) - (_LEAD_LINES if lead else 0), total - 1))
    last = min(total, first + LINES_PAGE)
    begin, end = int(document.begin[first]), int(document.begin[last]) if last < total else len(document.text)
    mine = [mark for mark in marks if mark.start < end and mark.end > begin]
    lines = document.lines(first, last - first)
    ranges = [part for line in lines for part in ((line.start, line.value), (line.value, line.end))]
    cuts = _cuts(document.text, ranges, mine)
    shown = tuple(_line(line, cuts[2 * n], cuts[2 * n + 1]) for n, line in enumerate(lines))
    return DataPage(
        "json", (), 0, (), shown, first, last - first, total, 0, begin, end,
        int(document.begin[max(0, first - LINES_PAGE)]) if first else None, int(document.begin[last]) if last < total else None,
    )  # fmt: skip


def _line(line: JsonLine, name: DataCut, value: DataCut) -> DataLine:
    return DataLine(line.depth, line.pointer, name, value, line.closes)
