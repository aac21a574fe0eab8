"""What the candidates' screen does in the browser: a held key is one press, a field is left with Enter or Esc, the list follows.

The store is safe without it (see `decision_guard`); this only keeps the screen calm. A click on the box of a row ticks it.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import Place
from pages.widgets.decision_many import toggle_tick
from store import GridRow

_JS = """
const writing = (node) => node && (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName));

function calm(event) {
  // A held key repeats; outside a field every repetition would be a press of a button.
  if (event.repeat && !writing(event.target) && event.key.length === 1) { event.stopImmediatePropagation(); event.preventDefault(); }
}

function leave(event) {
  // After Enter or Esc the field is left, so that keys reach the buttons again.
  const field = event.target;
  if (!writing(field) || field.tagName === "TEXTAREA" && event.key === "Enter") return;
  if (event.key === "Escape") field.blur();
  else if (event.key === "Enter") setTimeout(() => field.blur(), 60);
}

function arrows(event) {
  // In a table the arrows walk as J and K do.
  const key = { ArrowDown: "j", ArrowUp: "k" }[event.key];
  if (!key || event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || writing(event.target)) return;
  if (!document.querySelector(".cg-table") || event.target.closest && event.target.closest("[role=listbox], [role=combobox], details, .cd-passage")) return;
  event.preventDefault();
  const button = document.querySelector(".st-key-candidates-" + (key === "j" ? "next" : "previous") + " button");
  if (button && !button.disabled) button.click();
}

function tick(event) {
  const box = event.target.closest && event.target.closest(".cg-tick");
  const link = box && box.closest("tr").querySelector("a[href]");
  if (!link) return;
  event.preventDefault();
  const asked = new URL(link.href).searchParams;
  window.__claimdeskTick?.("tick", { id: asked.get("candidate"), tenant: asked.get("tenant"), at: Date.now() });
}

function keepInSight(row, box, below) {
  const at = row.getBoundingClientRect(), frame = box.getBoundingClientRect();
  if (at.top < frame.top + below) box.scrollTop -= frame.top + below - at.top + 8;
  else if (at.bottom > frame.bottom) box.scrollTop += at.bottom - frame.bottom + 40;
}

export default function ({ data, setTriggerValue }) {
  window.__claimdeskTick = setTriggerValue;
  if (!window.__claimdeskKeys) {
    window.__claimdeskKeys = true;
    window.addEventListener("keydown", calm, true);
    window.addEventListener("keydown", leave);
    window.addEventListener("keydown", arrows);
    window.addEventListener("click", tick);
  }
  const before = window.__claimdeskShown;
  if (before === data.shown) return;
  window.__claimdeskShown = data.shown;
  if (document.activeElement && document.activeElement.closest && document.activeElement.closest(".st-key-candidates_filters")) document.activeElement.blur();
  for (const text of document.querySelectorAll(".cc-hero .cd-passage")) {
    const mark = text.querySelector("mark");
    if (mark) text.scrollTop += mark.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
  }
  const line = document.querySelector(".cg-row.cc-here"), table = line && line.closest(".cg-box");
  if (table) keepInSight(line, table, 30);
  const row = document.querySelector(".st-key-candidates_list .cc-row.cc-here, .st-key-revalidate_list .rv-one.cd-here");
  const box = row && row.closest(".st-key-candidates_list, .st-key-revalidate_list");
  if (box) keepInSight(row, box, 30);
  const main = document.querySelector('[data-testid="stMain"]');
  const detail = document.querySelector(".st-key-candidates_detail"), narrow = window.innerWidth <= 640;
  if (main && (document.querySelector(".cf-question") || (box && !narrow))) main.scrollTop = 0;
  // On a phone the list stands above: once one has begun, the next starts at its own first line, below the bar of the browser.
  else if (main && box && detail && before) main.scrollTop += detail.getBoundingClientRect().top - 64;
}
"""
_component = st.components.v2.component("claimdesk_candidate_keys", js=_JS)
_KEY = "candidates.keys"


def _tick(place: Place, rows: Sequence[GridRow]) -> None:
    found = (st.session_state.get(_KEY) or {}).get("tick") or {}
    row = next((one for one in rows if one.row.id == found.get("id") and one.row.tenant == found.get("tenant")), None)
    if row is not None:
        toggle_tick(place, row, None)


def calm_keys(shown: str, place: Place | None = None, rows: Sequence[GridRow] = ()) -> None:
    """Draw the invisible part of the screen.

    Args:
        shown: what is shown, by which a change of candidate is known.
        place, rows: where the table is and its rows, if there is one.
    """

    @uninterrupted
    def ticked() -> None:
        if place is not None:
            _tick(place, rows)

    with st.container(key="candidates_keys"):
        _component(key=_KEY, data={"shown": shown}, on_tick_change=ticked)
