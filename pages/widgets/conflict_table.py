"""The conflicts of a group as a dense table with a tick for each: what a rule takes, and what it leaves alone.

A component of our own, because a tick must stand for a conflict's id and never for a row, and because keys have to go on
working after a tick: its boxes are buttons, in which the keyboard's letters are no text. Texts are set as text only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.conflict_place import Place
from pages.widgets.conflict_words import origin_words, question_words, short_value
from pages.widgets.language import say, say_count
from store import ConflictBrief, show_invisible

_CSS = """
:host, .w { font-family: "Source Sans", sans-serif; font-size: .9rem; color: var(--cd-ink); }
.w { overflow-x: auto; } @media (max-width: 640px) { .w { max-height: 50vh; overflow-y: auto; } }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; color: var(--cd-muted); font-weight: 500; font-size: .8rem; border-bottom: 1px solid var(--cd-rule); padding: .3rem .8rem .3rem 0; vertical-align: bottom; }
td { border-bottom: 1px solid var(--cd-rule); padding: .34rem .8rem .34rem 0; vertical-align: top; overflow-wrap: anywhere; line-height: 1.4; min-width: 5.5rem; }
td.t, th.t { width: 1.7rem; min-width: 0; padding-right: .5rem; } th.u { white-space: nowrap; } td.a { min-width: 9rem; } td.u { min-width: 0; color: var(--cd-muted); font-size: .84rem; white-space: nowrap; } td.u b { color: var(--cd-amber); font-weight: 600; }
tr.off td { color: var(--cd-muted); } tr.off td.v { text-decoration: line-through; text-decoration-color: var(--cd-muted); text-decoration-thickness: 1px; }
a { color: var(--cd-accent); text-decoration: none; font-weight: 550; } a:hover { text-decoration: underline; } a:focus-visible, button:focus-visible { outline: 2px solid var(--cd-accent); outline-offset: 2px; border-radius: 3px; }
button { all: unset; box-sizing: border-box; cursor: pointer; width: 1.12rem; height: 1.12rem; border: 1.5px solid var(--cd-muted); border-radius: 3px; display: inline-flex; align-items: center; justify-content: center; font-size: .86rem; line-height: 1; background: var(--cd-card); margin-top: .1rem; }
button[aria-checked=true] { background: var(--cd-accent); border-color: var(--cd-accent); color: var(--cd-paper); } button[aria-checked=true]::before { content: "✓"; } button[aria-checked=mixed]::before { content: "–"; }
kbd { font-family: "Source Code Pro", monospace; font-size: .78rem; border: 1px solid var(--cd-rule); border-bottom-width: 2px; border-radius: 4px; padding: 0 .34rem; background: var(--cd-card); color: var(--cd-ink); }
.s { color: var(--cd-muted); font-size: .84em; }
"""
_JS = """
const make = (name, text, cls) => { const node = document.createElement(name); if (text !== undefined) node.textContent = text; if (cls) node.className = cls; return node; };

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".w");
  const state = host.__state || (host.__state = {});
  state.fire = setTriggerValue;
  const stamp = JSON.stringify(data);
  if (state.stamp === stamp) return;
  const focused = parentElement.activeElement || document.activeElement;
  const kept = focused && focused.dataset ? focused.dataset.conflict : null;
  state.stamp = stamp;
  const table = make("table"), head = make("tr");
  const tell = (ids, on) => state.fire("ticks", { ids, on, at: Date.now() });
  const box = (label, on, act) => {
    const node = make("button");
    node.setAttribute("role", "checkbox"); node.setAttribute("aria-checked", on); node.setAttribute("aria-label", label);
    node.addEventListener("click", act);
    return node;
  };
  const all = data.rows.every(row => row.on), some = data.rows.some(row => row.on);
  if (data.ticks) {
    const cell = make("th", undefined, "t");
    cell.append(box(data.words.all, all ? "true" : some ? "mixed" : "false", () => tell(data.rows.map(row => row.id), !all)));
    head.append(cell);
  }
  data.heads.forEach((name, place) => {
    const cell = make("th", undefined, place === data.heads.length - 1 ? "u" : "");
    if (data.numbered && place && place < data.heads.length - 1) { cell.append(make("kbd", String(place))); cell.append(" "); }
    cell.append(name); head.append(cell);
  });
  table.append(head);
  for (const row of data.rows) {
    const line = make("tr", undefined, row.on || !data.ticks ? "" : "off");
    if (data.ticks) {
      const cell = make("td", undefined, "t");
      const tick = box(data.words.tick + " " + row.about, String(row.on), () => {
        row.on = !row.on; tick.setAttribute("aria-checked", String(row.on)); line.className = row.on ? "" : "off"; tell([row.id], row.on);
      });
      tick.dataset.conflict = row.id;
      tick.addEventListener("keydown", event => {
        if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
        event.preventDefault();
        const boxes = [...host.querySelectorAll("td.t button")], next = boxes[boxes.indexOf(tick) + (event.key === "ArrowDown" ? 1 : -1)];
        if (next) next.focus();
      });
      cell.append(tick); line.append(cell);
    }
    const name = make("td", undefined, "a"), link = make("a", row.about);
    link.href = row.href;
    link.addEventListener("click", event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault(); state.fire("open", { id: row.id, at: Date.now() });
    });
    name.append(link); line.append(name);
    for (const cell of row.cells) {
      const node = make("td", undefined, "v");
      cell.forEach((said, place) => {
        if (place) node.append(make("br"));
        node.append(make("span", said[0]));
        if (said[1]) node.append(make("span", "  " + said[1], "s"));
      });
      line.append(node);
    }
    const uses = make("td", undefined, "u");
    uses.append(row.uses); if (row.sent) { uses.append(" "); uses.append(make("b", row.sent)); }
    line.append(uses); table.append(line);
  }
  host.replaceChildren(table);
  const again = kept && [...host.querySelectorAll("td.t button")].find(node => node.dataset.conflict === kept);
  if (again) again.focus();
}
"""
_TABLE = st.components.v2.component("claimdesk_conflict_table", html="<div class='w'></div>\n", css=_CSS, js=_JS)
#: Sources that have a column of their own.
_COLUMNS = 4


def columns_of(rows: Sequence[ConflictBrief]) -> list[str]:
    """Return the names that say something in every row once, for which the table has a column each; none where rows differ."""
    if not rows:
        return []
    names = sorted({name for value in rows[0].values for name in value.names})
    same = all(sorted({name for value in row.values for name in value.names}) == names for row in rows)
    return names if same and 1 < len(names) <= _COLUMNS else []


def _cells(row: ConflictBrief, names: list[str]) -> list[list[list[str]]]:
    if names:
        return [[[short_value(value.value, 160), ""] for value in row.values if name in value.names] for name in names]
    return [[[short_value(value.value, 160), ", ".join(origin_words(name, 40) for name in value.names[:3])] for value in row.values]]


def draw_table(
    rows: Sequence[ConflictBrief],
    place: Place,
    out: set[str],
    *,
    ticks: bool,
    on_ticks: Callable[[list[str], bool], None],
    on_open: Callable[[str], None],
) -> None:
    """Draw one page of a group.

    Args:
        out: the conflicts that are left out, by id.
        ticks: whether there is something to tick; who may not decide only looks.
        on_ticks, on_open: run before the page does, with ids.
    """
    names, known = columns_of(rows), {row.id for row in rows}
    shown: list[dict[str, Any]] = []
    for row in rows:
        uses = say_count("{n} rests on it", "{n} rest on it", row.reach) if row.reach else "–"
        sent = say_count("{n} delivered", "{n} delivered", row.delivered) if row.delivered else ""
        cells = [[[show_invisible(text) for text in said] for said in cell] for cell in _cells(row, names)]
        about = show_invisible(question_words(row))
        shown.append({
            "id": row.id, "about": about, "href": place.of((row.tenant, row.id)).address(), "cells": cells, "uses": uses, "sent": sent, "on": row.id not in out,
        })  # fmt: skip
    heads = [say("about"), *([show_invisible(origin_words(name, 60)) for name in names] or [say("what is said, and where")]), say("who uses it")]
    key = "conflicts.table"

    @uninterrupted
    def ticked() -> None:
        found = (st.session_state.get(key) or {}).get("ticks") or {}
        ids = [one for one in found.get("ids", ()) if one in known]
        if ids:
            on_ticks(ids, bool(found.get("on")))

    @uninterrupted
    def opened() -> None:
        found = (st.session_state.get(key) or {}).get("open") or {}
        if found.get("id") in known:
            on_open(str(found["id"]))

    _TABLE(
        key=key, data={"rows": shown, "heads": heads, "numbered": bool(names), "ticks": ticks, "words": {"all": say("all on this page"), "tick": say("take in")}},
        on_ticks_change=ticked, on_open_change=opened,
    )  # fmt: skip
