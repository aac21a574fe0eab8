"""Two versions side by side, unchanged stretches folded, and beside each change what stands on it."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, attempt, record_link, take_refusal
from pages.widgets.language import number, phrase, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.source_fates import fate_badge, fate_counts, fate_list
from pages.widgets.source_place import Place
from pages.widgets.status import icon
from store import CHANGES_PAGE, Change, Fold, PassageFate, Piece, SourceView, Stretch, VersionDifference, compare_versions

_LOOKS = {"removed": "del", "added": "ins"}
#: Words the same on both sides that are shown next to a change inside one long line.
_LEAST = 400
_MOST = 6_000
_BESIDE = 12
#: Code points of a cell or value that are shown.
_CELL = 1_200


def _piece(piece: Piece, opposite: str) -> Markup:
    if piece.kind in _LOOKS:
        return tag(_LOOKS[piece.kind], piece.text[:_MOST], tag("span", say("… cut"), cls="cd-muted") if len(piece.text) > _MOST else None)
    if piece.kind == "moved":
        return tag("span", piece.text[:_MOST], cls="cs-moved", title=opposite)
    if len(piece.text) <= 3 * _LEAST:
        return tag("span", piece.text)
    left = say_count("… {n} character the same …", "… {n} characters the same …", len(piece.text) - 2 * _LEAST)
    return join((tag("span", piece.text[:_LEAST]), tag("span", left, cls="cs-elided"), tag("span", piece.text[-_LEAST:])))


def show_side(pieces: tuple[Piece, ...], head: Markup | str, opposite: str) -> Markup:
    """Return one side of a difference: its words, those of them marked that are not on the other side; `opposite` says where moved ones are."""
    shown, count = [], 0
    for piece in pieces:
        if count > 2 * _MOST:
            shown.append(tag("span", say("… the rest of this change is not shown here"), cls="cs-elided"))
            break
        shown.append(_piece(piece, opposite))
        count += min(len(piece.text), 2 * _LEAST)
    body = tag("div", *shown, cls="cs-difftext") if pieces else tag("div", say("nothing here"), cls="cd-muted cd-small")
    return tag("div", tag("div", head, cls="cs-sidehead"), body, cls="cs-side2")


def _beside(fates: list[PassageFate], tenant: str) -> Markup | None:
    if not fates:
        return None
    rows = [
        tag("li", fate_badge(one.fate), record_link(one.claim.id, tenant, shorten(one.claim.title, 90))) for one in fates[:_BESIDE]
    ]
    if len(fates) > _BESIDE:
        rows.append(tag("li", say_count("and {n} more", "and {n} more", len(fates) - _BESIDE), cls="cd-muted"))
    return tag("ul", *rows, cls="cs-beside")


def _change(n: int, one: Stretch, found: VersionDifference, view: SourceView, heads: tuple[str, str]) -> Markup:
    fates = [fate for fate in found.fates if fate.stretch == n]
    kind = {"moved": say("moved"), "space": say("white space only")}.get(one.kind)
    note = tag("div", icon("move_down" if one.kind == "moved" else "format_align_left"), kind, cls="cd-status cd-slate") if kind else None
    left, right = show_side(one.left, heads[0], say("stands elsewhere in the newer version")), show_side(one.right, heads[1], say("stood elsewhere in the older version"))
    return tag("div", note, tag("div", left, right, cls="cs-two"), _beside(fates, view.tenant), cls="cs-change")


def _fold(one: Fold, place: Place, newer: int | None) -> Markup:
    middle = None
    if one.characters:
        words = say_count("{n} line unchanged", "{n} lines unchanged", one.lines)
        rest = None
        if one.characters > len(one.inside):
            words_rest = say_count("… {n} more character", "… {n} more characters", one.characters - len(one.inside))
            rest = tag("a", words_rest, cls="cd-link", href=place.link(a=newer, b=None, at=one.start)) if newer is not None else tag("span", words_rest)
        middle = tag("details", tag("summary", icon("unfold_more"), words), tag("div", one.inside, cls="cs-difftext"), rest, cls="cs-fold cd-more")
    head = tag("div", one.head, cls="cs-difftext cs-context") if one.head.strip() else None
    tail = tag("div", one.tail, cls="cs-difftext cs-context") if one.tail.strip() else None
    return tag("div", head, middle, tail)


def _value(text: str | None, name: str) -> Markup:
    if text is None:
        return tag("td", tag("span", say("nothing"), cls="cd-muted"))
    cut = tag("span", say("… cut"), cls="cd-muted") if len(text) > _CELL else None
    return tag("td", tag(name, text[:_CELL], cls="cs-several" if "\n" in text else ""), cut)


def _where(one: Change, before: Change | None, found: VersionDifference) -> list[Markup]:
    """Return the cells that say where a change is; a row that has several is named once."""
    if found.kind == "json":
        was = tag("div", say("was {pointer}", pointer=one.was), cls="cd-muted cd-small") if one.was else None
        return [tag("td", tag("span", one.place or say("the whole"), cls="cd-mono"), was)]
    again = before is not None and before.place == one.place
    if one.column is None:
        what = say("the row is gone") if one.after is None else say("a new row")
        return [tag("td", tag("b", one.place)), tag("td", what, cls="cd-muted")]
    row = tag("b", one.place) if one.place else tag("span", say("a column"), cls="cd-muted")
    return [tag("td", None if again and one.place else row), tag("td", one.column)]


def _data(found: VersionDifference, view: SourceView, heads: tuple[str, str]) -> Markup:
    firsts = [say("JSON pointer")] if found.kind == "json" else [say("Row"), say("Column")]
    beside: dict[int, list[PassageFate]] = {}
    for fate in found.fates:
        if fate.stretch is not None:
            beside.setdefault(fate.stretch, []).append(fate)
    rows: list[Markup] = []
    for n, one in enumerate(found.changed):
        where = _where(one, found.changed[n - 1] if n else None, found)
        rows.append(tag("tr", *where, _value(one.before, "del" if one.after != one.before else "span"), _value(one.after, "ins"), tag("td", _beside(beside.get(found.first + n, []), view.tenant))))
    head = tag("tr", *(tag("th", one) for one in (*firsts, *heads, say("Rests on it"))))
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows), cls="cd-table cs-cells"), cls="cd-scroll")


def _lead(found: VersionDifference) -> Markup:
    if found.identical:
        return phrase("{same} The bytes are equal.", same=tag("b", say("Nothing differs.")))
    if found.kind == "none":
        return phrase("These two cannot be compared: one of them holds no text.")
    if not found.changes:
        return phrase("{same} The bytes differ, the text does not.", same=tag("b", say("Nothing differs.")))
    places = tag("b", say_count("{n} place differs", "{n} places differ", found.changes))
    if found.kind != "text":
        return phrase("{places}; {same}.", places=places, same=say_count("{n} value is the same", "{n} values are the same", found.same))
    words = [
        say_count("{n} word removed", "{n} words removed", found.removed), say_count("{n} added", "{n} added", found.added), say_count("{n} moved", "{n} moved", found.moved),
    ]  # fmt: skip
    return phrase("{places}: {words}.", places=places, words=", ".join(words))


def _pager(found: VersionDifference, place: Place) -> Markup | None:
    if found.changes <= CHANGES_PAGE and not found.first:
        return None
    last = min(found.first + CHANGES_PAGE, found.changes)
    where = say("changes {first}–{last} of {total}", first=number(found.first + 1), last=number(last), total=number(found.changes))
    before = tag("a", say("← before"), cls="cd-link", href=place.link(at=max(0, found.first - CHANGES_PAGE))) if found.first else None
    after = tag("a", say("after →"), cls="cd-link", href=place.link(at=last)) if last < found.changes else None
    return tag("div", before, tag("span", where, cls="cd-muted"), after, cls="cd-pager")


def draw_difference(desk: Desk, view: SourceView, place: Place, older: int, newer: int | None, *, file: str | None = None, fates: bool = True) -> None:
    """Draw what differs between two versions, or between a version and a file that is kept for a plan."""
    found = attempt(lambda: compare_versions(desk.store, desk.person, view.tenant, view.id, older, newer, file=file, first=place.at))
    if found is None:
        refusal = take_refusal()
        draw(tag("div", quote_store(refusal["message"] if refusal else ""), cls="cd-band cd-badband"))
        return
    heads = (say("Version {n}, before", n=older), say("The new document") if newer is None else say("Version {n}, after", n=newer))
    title = say("Version {a} beside the new document", a=older) if newer is None else say("Version {a} beside version {b}", a=older, b=newer)
    parts: list[Any] = [tag("h2", title, cls="cd-heading"), tag("p", _lead(found), cls="cd-lead")]
    if found.cut:
        parts.append(tag("div", icon("content_cut"), say("The documents are longer than what is compared; what is beyond is not shown."), cls="cd-band cd-warnband"))
    if fates and found.fates:
        said = say_count("What became of the {n} passage bound to version {a}:", "What became of the {n} passages bound to version {a}:", sum(found.counts.values()), a=older)
        parts += [tag("p", said, cls="cd-muted cd-small"), fate_counts(found.counts), tag("div", fate_list(found, view.tenant, place), cls="cs-fatelist")]
    pager = _pager(found, place)
    if found.kind in ("json", "table") and found.changed:
        parts += [pager, _data(found, view, heads), pager]
    elif found.changes:
        rows = [_fold(one, place, newer) if isinstance(one, Fold) else _change(one[0], one[1], found, view, heads) for one in found.rows]
        parts += [pager, tag("div", *rows, cls="cs-diff"), pager]
    draw(join(part for part in parts if part is not None))
