"""HTML built from pieces in which every text is escaped, because claims, titles and ids come from outside (R33).

A `Markup` is text this module made; any other value put into a tag is shown literally, its invisible characters as
visible tokens. There is no way to pass HTML through.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any

import streamlit as st

from store import show_invisible

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_CLASS = re.compile(r"[A-Za-z0-9_ -]*")
#: Blocks that scroll by themselves, and so are reached by the Tab key.
_SCROLLING = frozenset(("cd-passage", "cd-scroll"))
_HREF = re.compile(r"/?[A-Za-z0-9_-]*(\?[A-Za-z0-9_.~%=&+-]*)?")

_PICTURE_HTML = '<div class="{cls}" role="img" aria-label="{label}">{inside}</div>'
#: The only style on an element: numbers, by which the parts of a picture stand where they belong.
_PLACED_HTML = '<div class="{cls}" style="{where}" title="{hint}">{inside}</div>'


class Markup(str):
    """HTML that is safe to draw."""

    __slots__ = ()


def literal(value: Any) -> Markup:
    """Return a value as text to be drawn exactly as it is."""
    if isinstance(value, Markup):
        return value
    return Markup(html.escape(show_invisible(str(value)), quote=True))


def join(parts: Iterable[Any], between: str = "") -> Markup:
    """Return parts one after the other, each escaped unless it is markup."""
    return Markup(html.escape(between).join(literal(part) for part in parts))


def tag(
    name: str,
    *children: Any,
    cls: str = "",
    title: str | None = None,
    href: str | None = None,
    lang: str | None = None,
    label: str | None = None,
    here: bool = False,
) -> Markup:
    """Return an element; children that are no `Markup` are escaped.

    Args:
        href: a link inside the desk; anything else is refused.
        label: what it is called to somebody who does not see it, such as a link that is an icon, or a menu among menus.
        here: of a link, that it leads to where one is.
    """
    if not _NAME.fullmatch(name) or not _CLASS.fullmatch(cls):
        raise ValueError(name)
    attributes = f' class="{cls}"' if cls else ""
    if title is not None:
        attributes += f' title="{literal(title)}"'
    if lang is not None:
        attributes += f' lang="{literal(lang)}"'
    if label is not None:
        attributes += f' aria-label="{literal(label)}"'
    if here or (name == "a" and "cd-here" in cls.split()):
        attributes += f' aria-current="{"page" if here else "true"}"'
    if not _SCROLLING.isdisjoint(cls.split()):
        attributes += ' tabindex="0"'
    if "cd-icon" in cls.split():
        attributes += ' aria-hidden="true" translate="no"'
    if href is not None:
        if not _HREF.fullmatch(href):
            raise ValueError(href)
        attributes += f' href="{html.escape(href, quote=True)}" target="_self"'
    return Markup(f"<{name}{attributes}>{join(child for child in children if child is not None)}</{name}>")


def picture(label: str, *children: Any, cls: str = "") -> Markup:
    """Return what is to be looked at as one picture; `label` says the same to whoever does not see it."""
    if not _CLASS.fullmatch(cls):
        raise ValueError(cls)
    return Markup(_PICTURE_HTML.format(cls=cls, label=literal(label), inside=join(child for child in children if child is not None)))


def placed(*children: Any, cls: str = "", title: str | None = None, **percent: float) -> Markup:
    """Return a block at a place inside its picture: `left`, `top`, `width`, `height` in percent of it."""
    if not set(percent) <= {"left", "top", "width", "height"} or not _CLASS.fullmatch(cls):
        raise ValueError(cls)
    where = ";".join(f"{name}:{float(value):.3f}%" for name, value in percent.items())
    return Markup(_PLACED_HTML.format(cls=cls, where=where, hint=literal(title or ""), inside=join(child for child in children if child is not None)))


def draw(*parts: Any) -> None:
    """Draw markup on the page; what is None is not there."""
    st.html(str(join(part for part in parts if part is not None)))


def long_text(text: str, most: int, limit: int = 20_000) -> Markup:
    """Return a text of which only the beginning is shown, until somebody opens the rest.

    Args:
        most: characters shown at once.
        limit: characters sent at all; what is beyond is said, not sent.
    """
    from pages.widgets.language import say_count  # noqa: PLC0415 - the catalogue is built on markup

    if len(text) <= most:
        return literal(text)
    beyond, words = None, say_count("show all {n} characters", "show all {n} characters", len(text))
    if len(text) > limit:
        words = say_count("show {some} of {n} characters", "show {some} of {n} characters", len(text), some=f"{limit:,}")
        left = say_count(" … {n} more character is not shown here.", " … {n} more characters are not shown here.", len(text) - limit)
        beyond = tag("span", left, cls="cd-muted")
    rest = tag("details", tag("summary", words), text[most:limit], beyond, cls="cd-more")
    return join((text[:most], "…", rest))
