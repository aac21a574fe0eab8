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
_HREF = re.compile(r"/?[A-Za-z0-9_-]*(\?[A-Za-z0-9_.~%=&+-]*)?")


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


def tag(name: str, *children: Any, cls: str = "", title: str | None = None, href: str | None = None, lang: str | None = None) -> Markup:
    """Return an element; children that are no `Markup` are escaped.

    Args:
        href: a link inside the desk; anything else is refused.
    """
    if not _NAME.fullmatch(name) or not _CLASS.fullmatch(cls):
        raise ValueError(name)
    attributes = f' class="{cls}"' if cls else ""
    if title is not None:
        attributes += f' title="{literal(title)}"'
    if lang is not None:
        attributes += f' lang="{literal(lang)}"'
    if href is not None:
        if not _HREF.fullmatch(href):
            raise ValueError(href)
        attributes += f' href="{html.escape(href, quote=True)}" target="_self"'
    return Markup(f"<{name}{attributes}>{join(child for child in children if child is not None)}</{name}>")


def draw(*parts: Any) -> None:
    """Draw markup on the page."""
    st.html(str(join(parts)))


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
