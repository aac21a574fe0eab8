"""How a value changed, drawn: steps for numbers, bars for everything else, deliveries as marks; with the same as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pages.widgets.about_place import Place
from pages.widgets.candidate_words import moment, qualifiers_text, shorten, value_text
from pages.widgets.desk import record_link
from pages.widgets.language import listed, phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, picture, placed, tag
from pages.widgets.moments import from_micros, say_day
from pages.widgets.status import badge, word
from store import Carried, Point, SubjectHistory, ValueLine, parse_stated_time

_TICKS = 4
#: Part of the picture's width that is left free at its right end, where what still stands runs out.
_AHEAD = 0.02
#: Room a label takes, in percent of the picture, and the last place one may begin.
_LABEL_WIDE, _LABEL_HIGH, _LAST_LABEL = 16.0, 15.0, 84.0
_CLOCKS = ("held", "observed", "recorded")


def _clock_words(clock: str) -> str:
    return {"held": say("valid from"), "observed": say("observed"), "recorded": say("recorded")}[clock]


def _day(micros: int) -> str:
    return say_day(from_micros(micros))


def _value(point: Point, longest: int = 60) -> str:
    return say("not shown") if point.value is None and point.number is None else shorten(value_text(point.value), longest)


@dataclass(frozen=True, slots=True)
class _Axis:
    """The time from left to right."""

    first: int
    last: int
    right: int

    def at(self, micros: int) -> float:
        """Return where a time lies, in percent of the width."""
        return 100 * min(1.0, max(0.0, (micros - self.first) / (self.right - self.first)))

    def ticks(self) -> list[int]:
        """Return times to print below."""
        return [self.first + (self.last - self.first) * n // (_TICKS - 1) for n in range(_TICKS)]


def _axis(line: ValueLine) -> _Axis:
    now = parse_stated_time(line.until)
    starts = [point.start for point in line.points]
    ends = [point.end for point in line.points if point.end is not None]
    sent = [parse_stated_time(one.at) for point in line.points for one in point.carried]
    first, last = min(starts + sent), max(starts + ends + sent + ([now] if any(point.end is None for point in line.points) else []))
    # One moment alone gets a day of room, so that there is something to draw.
    last = max(last, first + 86_400_000_000)
    return _Axis(first, last, last + int((last - first) * _AHEAD))


def _end(point: Point, axis: _Axis) -> int:
    return axis.right if point.end is None else max(point.end, point.start)


def _hint(point: Point) -> str:
    start, end = _day(point.start), _day(point.end) if point.end is not None else say("now")
    return say("{value}: {start} to {end}, {state}", value=_value(point), start=start, end=end, state=word(point.status).lower())


def _tone(point: Point) -> str:
    if point.status == "ACCEPTED":
        return "ca-standing"
    return "ca-waiting" if point.status in ("CANDIDATE", "STALE", "DISPUTED") else "ca-past"


def _sent_hint(one: Carried) -> str:
    return say("{title}, delivered on {day}", title=shorten(one.title, 80), day=say_day(moment(one.at)))


def _draw_ticks(axis: _Axis) -> Markup:
    return tag(
        "div",
        *(placed(_day(at), left=axis.at(at), cls=f"ca-tick{' ca-lasttick' if n == _TICKS - 1 else ''}") for n, at in enumerate(axis.ticks())),
        cls="ca-ticks",
    )


def _steps(line: ValueLine, axis: _Axis) -> Markup:
    numbers = [point.number for point in line.points if point.number is not None]
    least, most = min(numbers), max(numbers)
    room = (most - least) or abs(most) or 1.0
    low, high = least - room * 0.2, most + room * 0.5

    def height(number: float) -> float:
        return 100 * (1 - (number - low) / (high - low))

    parts: list[Markup] = []
    before: tuple[int, float] | None = None
    for point in line.points:
        assert point.number is not None
        left, top = axis.at(point.start), height(point.number)
        if before is not None and before[0] >= point.start:
            upper, lower = sorted((before[1], top))
            parts.append(placed(left=left, top=upper, height=lower - upper, width=0, cls="ca-riser"))
        parts.append(
            placed(left=left, top=top, width=max(0.4, axis.at(_end(point, axis)) - left), height=0, cls=f"ca-step {_tone(point)}", title=_hint(point))
        )
        parts.extend(placed(left=axis.at(parse_stated_time(one.at)), top=top, cls="ca-sent", title=_sent_hint(one)) for one in point.carried)
        before = (_end(point, axis), top)
    return tag("div", *parts, *_labels(line, axis, height), cls="ca-plot")


def _labels(line: ValueLine, axis: _Axis, height: Callable[[float], float]) -> list[Markup]:
    """Return the values above their steps: what stands first, and none where another label is in its place already."""
    taken: list[tuple[float, float]] = []
    found = []
    for point in sorted(line.points, key=lambda point: (point.status != "ACCEPTED", -point.start)):
        assert point.number is not None
        left, top = min(axis.at(point.start), _LAST_LABEL), height(point.number)
        if all(abs(left - other) > _LABEL_WIDE or abs(top - above) > _LABEL_HIGH for other, above in taken):
            taken.append((left, top))
            found.append(placed(tag("span", _value(point, 24)), left=left, top=top, cls="ca-label"))
    return found


def _bars(line: ValueLine, axis: _Axis) -> Markup:
    rows: dict[str, list[Point]] = {}
    for point in line.points:
        rows.setdefault(_value(point, 400), []).append(point)
    drawn = []
    for text, points in list(rows.items())[:12]:
        pieces = []
        for point in points:
            left = axis.at(point.start)
            pieces.append(placed(left=left, width=max(0.6, axis.at(_end(point, axis)) - left), cls=f"ca-bar {_tone(point)}", title=_hint(point)))
            pieces.extend(placed(left=axis.at(parse_stated_time(one.at)), top=50, cls="ca-sent", title=_sent_hint(one)) for one in point.carried)
        drawn.append(tag("div", tag("div", shorten(text, 60), cls="ca-barname"), tag("div", *pieces, cls="ca-track"), cls="ca-barrow"))
    if len(rows) > 12:
        drawn.append(
            tag("div", say_count("{n} more value is in the table.", "{n} more values are in the table.", len(rows) - 12), cls="cd-muted cd-small")
        )
    return tag("div", *drawn, cls="ca-bars")


def _in_words(line: ValueLine) -> str:
    """Return the line as a sentence."""
    parts = []
    for point in line.points[-8:]:
        end = say("until {day}", day=_day(point.end)) if point.end is not None else say("until now")
        parts.append(say("{value} from {start} {end}", value=_value(point), start=_day(point.start), end=end))
    return "; ".join(parts)


def _table(line: ValueLine, tenant: str) -> Markup:
    head = tag("tr", *(tag("th", name) for name in (say("value"), say("from"), say("until"), say("state"), say("carried by"))))
    rows = []
    for point in line.points:
        sent = join(
            tag(
                "div", record_link(one.id, tenant, shorten(one.title, 60)), tag("span", say(" on {day}", day=say_day(moment(one.at))), cls="cd-muted")
            )
            for one in point.carried
        )
        rows.append(
            tag(
                "tr", tag("td", record_link(point.id, tenant, _value(point, 200))),
                tag("td", _day(point.start), tag("span", f" {_clock_words(point.clock)}", cls="cd-muted"), cls="cd-nowrap"),
                tag("td", _day(point.end) if point.end is not None else say("still so"), cls="cd-nowrap"), tag("td", badge(point.status)), tag("td", sent or "–"),
            )
        )  # fmt: skip
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows), cls="cd-table"), cls="cd-scroll")


def draw_line(line: ValueLine, place: Place, tenant: str, *, scope: bool) -> Markup:
    """Return one key's values over time, as picture, sentence and table."""
    axis = _axis(line)
    name = tag("a", line.predicate.replace("_", " ")[:120], cls="cd-link", href=place.link(predicate=line.predicate, state=None))
    which = [qualifiers_text(line.qualifiers), line.scope if scope else ""]
    body = _steps(line, axis) if line.steps else _bars(line, axis)
    clocks = listed([_clock_words(clock) for clock in _CLOCKS if any(point.clock == clock for point in line.points)])
    sent = any(point.carried for point in line.points)
    below = [
        tag("span", say("Time: "), clocks),
        tag("span", tag("span", cls="ca-sent ca-key"), say("a report that rests on it was delivered")) if sent else None,
    ]
    cut = say_count("{n} earlier value is not drawn", "{n} earlier values are not drawn", line.cut) if line.cut else None
    return tag(
        "div", tag("h3", name, tag("span", shorten(", ".join(one for one in which if one), 90), cls="cd-muted"), cls="ca-linehead"),
        picture(say("{what}: {values}", what=line.predicate.replace("_", " "), values=_in_words(line)), body, _draw_ticks(axis), cls="ca-chart" if line.steps else "ca-chart ca-barchart"),
        tag("div", *below, tag("span", cut) if cut else None, cls="ca-legend"),
        tag("details", tag("summary", say("As a table")), _table(line, tenant), cls="ca-astable"), cls="ca-line",
    )  # fmt: skip


def draw_history(history: SubjectHistory, place: Place, tenant: str, *, scope: bool) -> None:
    """Draw how values changed: those that changed most, and how many more there are."""
    if not history.lines:
        return
    shown = tag("div", *(draw_line(line, place, tenant, scope=scope) for line in history.lines), cls="ca-lines")
    title = say("How it changed") if place.predicate else say("What changed over time")
    draw(tag("h2", title, tag("span", f"{history.total:,}", cls="cd-tally"), cls="cd-heading"), shown)
    rest = history.total - len(history.lines)
    if rest:
        words = say_count(
            "{n} further value changed; its predicate above leads to it.", "{n} further values changed; their predicates above lead to them.", rest
        )
        draw(tag("p", phrase("{words}", words=words), cls="cd-muted cd-small"))
