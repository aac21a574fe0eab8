"""What the candidates' screen does in the browser: a held key is one press, a field is left with Enter or Esc, the list follows.

The store is safe without it (see `decision_guard`); this only keeps the screen calm.
"""

from __future__ import annotations

import streamlit as st

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
  if (event.key === "Enter" || event.key === "Escape") setTimeout(() => field.blur(), event.key === "Enter" ? 60 : 0);
}

export default function ({ data }) {
  if (!window.__claimdeskKeys) {
    window.__claimdeskKeys = true;
    window.addEventListener("keydown", calm, true);
    window.addEventListener("keydown", leave);
  }
  if (window.__claimdeskShown === data.shown) return;
  window.__claimdeskShown = data.shown;
  if (document.activeElement && document.activeElement.closest && document.activeElement.closest(".st-key-candidates_filters")) document.activeElement.blur();
  for (const text of document.querySelectorAll(".cc-hero .cd-passage")) {
    const mark = text.querySelector("mark");
    if (mark) text.scrollTop += mark.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
  }
  const row = document.querySelector(".st-key-candidates_list .cc-row.cc-here");
  const box = row && row.closest(".st-key-candidates_list");
  if (!box) return;
  const at = row.getBoundingClientRect(), frame = box.getBoundingClientRect();
  if (at.top < frame.top) box.scrollTop -= frame.top - at.top + 8;
  else if (at.bottom > frame.bottom) box.scrollTop += at.bottom - frame.bottom + 40;
  const main = document.querySelector('[data-testid="stMain"]');
  if (main && window.innerWidth > 640) main.scrollTop = 0;
}
"""
_component = st.components.v2.component("claimdesk_candidate_keys", js=_JS)


def calm_keys(shown: str) -> None:
    """Draw the invisible part of the screen.

    Args:
        shown: what is shown, by which a change of candidate is known.
    """
    with st.container(key="candidates_keys"):
        _component(key="candidates.keys", data={"shown": shown})
