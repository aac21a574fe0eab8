"""The lines that cannot be taken: counted by why, a page at a time, and as a CSV."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from pages.widgets.desk import SCOPE_PARAMETER, Desk, address
from pages.widgets.import_job import Job
from pages.widgets.import_words import code_word
from pages.widgets.language import number, quote_store, say
from pages.widgets.markup import Markup, draw, join, long_text, tag
from pages.widgets.veil import behind_veil
from store import export_rejections_csv

ROWS = 50


def _link(desk: Desk, code: str | None, page: int = 1) -> str:
    return address("imports", code=code, part=str(page) if page > 1 else None, **{SCOPE_PARAMETER: desk.scope})


def draw_errors(desk: Desk, job: Job) -> None:
    """Draw the lines that are not taken, if there are any."""
    rejected: list[dict[str, Any]] = (job.result or {}).get("rejected", [])
    if not rejected:
        return
    counts = Counter(str(one["code"]) for one in rejected)
    asked = st.query_params.get("code", "")
    code = asked if asked in counts else None
    found = [one for one in rejected if code is None or one["code"] == code]
    pages = -(-len(found) // ROWS)
    wanted = st.query_params.get("part", "1")
    page = min(pages, int(wanted)) if wanted.isdecimal() and int(wanted[:9]) > 0 else 1
    tabs = [_tab(say("All"), len(rejected), _link(desk, None), here=code is None)]
    tabs += [_tab(code_word(one), count, _link(desk, one), here=code == one) for one, count in counts.most_common()]
    rows = [_row(job, one) for one in found[(page - 1) * ROWS : page * ROWS]]
    head = tag("tr", *(tag("th", words) for words in (say("Line"), say("Record"), say("Why"), say("In words"))))
    draw(
        tag("h2", say("Lines that cannot be taken") if job.dry_run else say("Lines that were not taken"), cls="cd-heading"),
        tag("nav", *tabs, cls="cd-tabs", label=say("Why lines cannot be taken")),
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows), cls="cd-table im-errors"), cls="cd-scroll"),
        _pager(desk, code, page, pages, len(found)),
    )
    lines = [(*job.place(int(one["line"])), one["id"], str(one["code"]), str(one["message"])) for one in rejected]
    st.download_button(
        say("All of them as CSV"), behind_veil(lambda: export_rejections_csv(desk.store, desk.person, lines, name="lines-not-taken.csv")), "lines-not-taken.csv", "text/csv", key="import.csv", on_click="ignore",
    )  # fmt: skip


def _tab(words: str, count: int, href: str, *, here: bool) -> Markup:
    return tag("a", tag("b", number(count)), words, cls="cd-link cd-tab" + (" cd-here" if here else ""), href=href)


def _row(job: Job, one: dict[str, Any]) -> Markup:
    file, line = job.place(int(one["line"]))
    where = join(
        (tag("div", number(line)), tag("div", file[:80], cls="cd-muted cd-small") if len(job.files) > 1 else None)
        if len(job.files) > 1
        else (number(line),)
    )
    words = str(one["message"]).removeprefix(f"Line {one['line']} was not taken: ")
    return tag(
        "tr", tag("td", where, cls="cd-num"), tag("td", long_text(str(one["id"]), 60) if one["id"] else "–", cls="cd-id"),
        tag("td", code_word(str(one["code"])), cls="cd-keep"), tag("td", quote_store(words[:1].upper() + words[1:1_000])),
    )  # fmt: skip


def _pager(desk: Desk, code: str | None, page: int, pages: int, count: int) -> Markup:
    if pages < 2:
        return Markup("")
    first, last = (page - 1) * ROWS + 1, min(page * ROWS, count)
    before = tag("a", say("← before"), cls="cd-link", href=_link(desk, code, page - 1)) if page > 1 else None
    after = tag("a", say("after →"), cls="cd-link", href=_link(desk, code, page + 1)) if page < pages else None
    shown = tag("span", say("{first}–{last} of {n}", first=number(first), last=number(last), n=number(count)), cls="cd-muted")
    return tag("div", before, shown, after, cls="cd-pager")
