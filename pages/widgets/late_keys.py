"""Keys pressed while the page is still being drawn: carried out once it stands, or said to be ignored; never lost, never about something else.

A button listens to its key from when it is drawn until it is taken away. A key that comes before reaches nobody; one that
comes while the evidence of the next record stands above the buttons of the last would decide on the last, or, where both
are there for a moment, on both. So such a key waits until the page stands. It is carried out if the very button that was there when it was pressed is still there
(a button that decides is named after the record, version and text it decides on); otherwise the person is told.
"""

from __future__ import annotations

import streamlit as st

from pages.widgets.language import say

_JS = """
const SAID = 6000, LOOK = 50, LONGEST = 20000;
const writing = (node) => node && (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName));
const WALKS = "jk";

function drawing() {
  const app = document.querySelector('[data-testid="stApp"]');
  return !!app && app.getAttribute("data-test-script-state") !== "notRunning";
}

function buttonOf(key) {
  // The button that can be pressed by this key, as it writes the key on itself; what stands from the last drawing counts only where there is no other.
  const shown = [...document.querySelectorAll('button:not([disabled]) [aria-label^="Shortcut "]')].filter((one) => one.textContent.trim().toLowerCase() === key);
  const found = shown.find((one) => !one.closest('[data-stale="true"]')) || shown[0];
  return found ? found.closest("button") : null;
}

function nameOf(button) {
  const box = button && button.closest('[class*="st-key-"]');
  return box ? [...box.classList].find((name) => name.startsWith("st-key-")) : "";
}

function tell(keys) {
  const line = window.__claimdeskLate.line;
  line.lastChild.textContent = keys.length ? window.__claimdeskLate.words.replace("{key}", keys.join(", ")) : "";
  line.classList.toggle("cd-on", keys.length > 0);
  clearTimeout(window.__claimdeskLate.over);
  if (keys.length) window.__claimdeskLate.over = setTimeout(() => tell([]), SAID);
}

function finish(presses) {
  window.__claimdeskLate.presses = null;
  const ignored = [];
  presses.forEach((press, place) => {
    const button = buttonOf(press.key);
    if (!press.held && (!button || press.event.defaultPrevented)) return;
    const same = button && press.held && nameOf(button) === press.held && (WALKS.includes(press.key) || press.address === location.href);
    // One press is carried out; what came after it was pressed before its effect was seen.
    if (same && place === 0 && Date.now() - press.at < LONGEST) button.click();
    else ignored.push(press.key === "escape" ? "Esc" : press.key.toUpperCase());
  });
  tell([...new Set(ignored)]);
}

function wait(presses, looks) {
  // The page stands once it did so for three looks: between two runs it does for a moment.
  setTimeout(() => (drawing() ? wait(presses, 0) : looks < 2 ? wait(presses, looks + 1) : finish(presses)), LOOK);
}

function notice(event) {
  const key = event.key.toLowerCase();
  if (!event.isTrusted || !/^([a-z0-9]|escape)$/.test(key) || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || writing(event.target)) return;
  const late = window.__claimdeskLate;
  if (!drawing() && !late.presses) return;
  const held = key === "escape" ? "" : nameOf(buttonOf(key));
  if (held) { event.stopImmediatePropagation(); event.preventDefault(); }
  if (event.repeat) return;
  if (!late.presses) wait(late.presses = [], 0);
  late.presses.push({ key, held, event, address: location.href, at: Date.now() });
}

export default function ({ data }) {
  if (window.__claimdeskLate) { window.__claimdeskLate.words = data.words; return; }
  const line = document.createElement("div"), sign = document.createElement("span");
  line.className = "cd-late";
  line.setAttribute("role", "status");
  sign.className = "cd-icon cd-amber";
  sign.setAttribute("aria-hidden", "true");
  sign.textContent = "do_not_touch";
  line.append(sign, document.createElement("span"));
  document.body.append(line);
  window.__claimdeskLate = { words: data.words, line, presses: null };
  window.addEventListener("keydown", notice, true);
}
"""
_component = st.components.v2.component("claimdesk_late_keys", js=_JS)


def watch_late_keys() -> None:
    """Draw the invisible part that keeps keys pressed too early; the first thing on every page."""
    words = say("{key} came while the page was still being drawn and was ignored. Press it again if you still mean it.", key="{key}")
    with st.container(key="frame_keys"):
        _component(key="frame.late_keys", data={"words": words})
