"""The calendar of dates by week: what lapses and what is due for review, each week a link to its list."""

from __future__ import annotations

from datetime import UTC, datetime

from pages.widgets.desk import Desk
from pages.widgets.language import number, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.moments import say_day
from pages.widgets.revalidate_place import Place
from pages.widgets.revalidate_words import DATED
from pages.widgets.status import icon
from store import DueWeek, view_due_weeks

_PAST = "past"


def wants_weeks(place: Place) -> bool:
    """Return whether the calendar is shown: where it was asked for, and with every list of dates."""
    return place.weeks or place.week is not None or place.state in DATED


def owner_of_dates(desk: Desk, place: Place) -> str | None:
    """Return whose dates are looked at; None for everybody's."""
    return desk.person if place.mine else place.owner


def say_week(name: str, first: str) -> str:
    """Return what a week is called; `first` is the name of the week that has begun."""
    if name == _PAST:
        return say("Before today")
    return say("This week") if name == first else say_day(datetime.fromisoformat(name).replace(tzinfo=UTC))


def draw_weeks(desk: Desk, place: Place) -> None:
    """Draw the calendar."""
    weeks = view_due_weeks(desk.store, desk.person, scope=place.scope, owner=owner_of_dates(desk, place))
    most = max((week.reviews + week.expiries for week in weeks), default=0)
    first = weeks[1].name
    title = tag("h2", say("What lapses and what is due, by week from Monday"), cls="cd-heading")
    if not most:
        draw(title, tag("p", say("None is past, and none falls in the next {n} weeks.", n=number(len(weeks) - 1)), cls="cd-muted"))
        return
    draw(title, tag("ol", *(_week(week, place, most, first) for week in weeks), cls="rv-weeks"))


def _week(week: DueWeek, place: Place, most: int, first: str) -> Markup:
    count = week.reviews + week.expiries
    here = place.week == week.name
    parts = [
        say_count("{n} review", "{n} reviews", week.reviews) if week.reviews else None,
        say_count("{n} expiry", "{n} expiries", week.expiries) if week.expiries else None,
    ]
    words = " · ".join(part for part in parts if part is not None)
    name = say_week(week.name, first)
    size = min(9, -(-9 * count // most)) if count else 0
    bar = tag("span", tag("span", cls=f"cy-fill cy-fill{size}"), cls="cy-bar")
    if not count:
        return tag("li", tag("span", name, cls="rv-weekname"), bar, tag("span", say("none"), cls="cd-muted rv-weekcount"))
    href = place.changed(state=None, cause=None, kind=None, correction=None).link(week=None if here else week.name, weeks=True)
    sign = icon("event_busy") if week.name == _PAST else None
    link = tag("a", sign, tag("b", number(count)), cls="cd-link rv-weekcount" + (" cd-here" if here else ""), href=href, label=f"{name}: {words}", title=words)
    return tag("li", tag("span", name, cls="rv-weekname"), bar, link, cls="rv-past" if week.name == _PAST else "")
