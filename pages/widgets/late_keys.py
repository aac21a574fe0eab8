"""Keys and buttons pressed while the page is still being drawn: carried out once it stands, or said to be ignored; never lost, never about something else.

A button listens to its key from when it is drawn until it is taken away. A key that comes before reaches nobody; one that
comes while the evidence of the next record stands above the buttons of the last would decide on the last, or, where both
are there for a moment, on both. So such a key waits until the page stands. It is carried out if the very button that was there when it was pressed is still there
(a button that decides is named after the record, version and text it decides on); otherwise the person is told.

The page is being drawn from when something is asked of the server, not only from when the server says so. A button that still
stands from the last drawing is held back like a key; the second press of a double click is ignored, and said to be. What was
there when the pointer came down counts: leaving a field draws the page anew before the pointer goes up, and may move the button.
"""

from __future__ import annotations

import streamlit as st

from pages.widgets.language import say

_JS = """
const SAID = 6000, SAID_LONG = 60000, LOOK = 50, LONGEST = 20000, ANSWERED = 5000, DOUBLE = 600;
const BUTTONS = '[data-testid="stButton"] button, [data-testid="stFormSubmitButton"] button', STALE = '[data-stale="true"]';
const writing = (node) => node && (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName));
const WALKS = "jk";

function drawing() {
  const app = document.querySelector('[data-testid="stApp"]');
  const { asked, heard } = window.__claimdeskLate;
  return !!app && (app.getAttribute("data-test-script-state") !== "notRunning" || (asked > heard && performance.now() - asked < ANSWERED));
}

function buttonOf(key) {
  // The button that can be pressed by this key, as it writes the key on itself; what stands from the last drawing counts only where there is no other.
  const shown = [...document.querySelectorAll('button:not([disabled]) [aria-label^="Shortcut "]')].filter((one) => one.textContent.trim().toLowerCase() === key);
  const found = shown.find((one) => !one.closest(STALE)) || shown[0];
  return found ? found.closest("button") : null;
}

function nameOf(button) {
  const box = button && button.closest('[class*="st-key-"]');
  return box ? [...box.classList].find((name) => name.startsWith("st-key-")) : "";
}

function wordsOf(button) {
  return (button.querySelector('[data-testid="stMarkdownContainer"]') || button).textContent.trim();
}

function walks(button) {
  const key = button && button.querySelector('[aria-label^="Shortcut "]');
  return !!key && WALKS.includes(key.textContent.trim().toLowerCase());
}

function sameButton(name, words) {
  const found = [...document.querySelectorAll(`.${CSS.escape(name)} button:not([disabled])`)].filter((one) => wordsOf(one) === words);
  return found.find((one) => !one.closest(STALE)) || found[0] || null;
}

function tell(keys, words = window.__claimdeskLate.words) {
  const line = window.__claimdeskLate.line;
  line.lastChild.textContent = keys.length ? words.replace("{key}", keys.join(", ")) : "";
  line.classList.toggle("cd-on", keys.length > 0);
  clearTimeout(window.__claimdeskLate.over);
  if (keys.length) window.__claimdeskLate.over = setTimeout(() => tell([]), words === window.__claimdeskLate.lostWords ? SAID_LONG : SAID);
}

function stands(then, looks = 0) {
  // The page stands once it did so for three looks: between two runs it does for a moment.
  setTimeout(() => (drawing() ? stands(then) : looks < 2 ? stands(then, looks + 1) : then()), LOOK);
}

function begin(words) {
  // What is pressed is under way until the page stands again.
  const late = window.__claimdeskLate, mine = late.acting = { words };
  late.asked = performance.now();
  stands(() => { if (late.acting === mine) late.acting = null; });
}

function connection() {
  const late = window.__claimdeskLate, connected = document.querySelector('[data-testid="stApp"]')?.getAttribute("data-test-connection-state") === "CONNECTED";
  if (!connected && late.acting) [late.lost, late.acting] = [late.acting.words, null];
  else if (connected && late.lost) { const { lost } = late; late.lost = null; stands(() => tell([`“${lost}”`], late.lostWords)); }
}

function finish(presses) {
  window.__claimdeskLate.presses = null;
  const ignored = [];
  presses.forEach((press, place) => {
    const button = press.words ? sameButton(press.held, press.words) : buttonOf(press.key);
    if (!press.held && (!button || press.event.defaultPrevented)) return;
    const same = button && press.held && nameOf(button) === press.held && (walks(button) || press.address === location.href);
    // One press is carried out; what came after it was pressed before its effect was seen.
    if (same && place === 0 && Date.now() - press.at < LONGEST) { begin(wordsOf(button)); button.click(); }
    else ignored.push(press.words ? `“${press.words}”` : press.key === "escape" ? "Esc" : press.key.toUpperCase());
  });
  tell([...new Set(ignored)]);
}

function notice(event) {
  const key = event.key.toLowerCase();
  if (!event.isTrusted || !/^([a-z0-9]|escape)$/.test(key) || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || writing(event.target)) return;
  const late = window.__claimdeskLate;
  const button = key === "escape" ? null : buttonOf(key), held = nameOf(button);
  if (!drawing() && !late.presses) { if (held && !event.repeat) begin(wordsOf(button)); return; }
  if (held) stop(event);
  if (event.repeat) return;
  if (!late.presses) { const presses = late.presses = []; stands(() => finish(presses)); }
  late.presses.push({ key, held, event, address: location.href, at: Date.now() });
}

function stop(event) {
  event.stopImmediatePropagation();
  event.preventDefault();
}

function come(event) {
  const button = event.isTrusted && event.button === 0 && event.target.closest(BUTTONS), late = window.__claimdeskLate;
  late.down = button ? { button, name: nameOf(button), words: wordsOf(button), stale: isStale(button), x: event.clientX, y: event.clientY } : null;
}

function go(event) {
  // The pointer stayed where it was and the button did not: the page was drawn anew meanwhile.
  const { down } = window.__claimdeskLate;
  if (!down || !event.isTrusted || down.button.contains(event.target) || Math.hypot(event.clientX - down.x, event.clientY - down.y) > 3) return;
  const button = sameButton(down.name, down.words);
  window.__claimdeskLate.down = null;
  if (button && !down.stale) button.click();
}

function isStale(button) {
  return drawing() && !!button.closest(STALE);
}

function press(event) {
  const button = event.isTrusted && event.target.closest(BUTTONS), late = window.__claimdeskLate;
  if (!button) return;
  const held = nameOf(button), words = wordsOf(button), now = performance.now();
  const stale = event.detail && late.down && late.down.button === button ? late.down.stale : isStale(button);
  const last = late.passed, double = last && last.held === held && last.words === words && now - last.at < DOUBLE && drawing() && !walks(button);
  late.down = null;
  if (!held || (!stale && !late.presses && !double)) { late.passed = { held, words, at: now }; begin(words); return; }
  stop(event);
  if (double) { if (!late.presses) tell([`“${words}”`]); return; }
  if (!late.presses) { const presses = late.presses = []; stands(() => finish(presses)); }
  late.presses.push({ held, words, event, address: location.href, at: Date.now() });
}

function listen() {
  const { send } = WebSocket.prototype, late = window.__claimdeskLate, sockets = new WeakSet();
  WebSocket.prototype.send = function (...all) {
    if (!sockets.has(this)) { sockets.add(this); this.addEventListener("message", () => { late.heard = performance.now(); }); }
    late.asked = performance.now();
    return send.apply(this, all);
  };
}

export default function ({ data }) {
  if (window.__claimdeskLate) { Object.assign(window.__claimdeskLate, data); return; }
  const line = document.createElement("div"), sign = document.createElement("span");
  line.className = "cd-late";
  line.setAttribute("role", "status");
  sign.className = "cd-icon cd-amber";
  sign.setAttribute("aria-hidden", "true");
  sign.textContent = "do_not_touch";
  line.append(sign, document.createElement("span"));
  document.body.append(line);
  window.__claimdeskLate = { ...data, line, presses: null, acting: null, lost: null, asked: 0, heard: 0, down: null, passed: null };
  listen();
  new MutationObserver(connection).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-test-connection-state"] });
  window.addEventListener("keydown", notice, true);
  window.addEventListener("pointerdown", come, true);
  window.addEventListener("pointerup", go, true);
  window.addEventListener("click", press, true);
}
"""
_component = st.components.v2.component("claimdesk_late_keys", js=_JS)


def watch_late_keys() -> None:
    """Draw the invisible part that keeps keys pressed too early; the first thing on every page."""
    words = say("{key} came while the page was still being drawn and was ignored. Press it again if you still mean it.", key="{key}")
    lost = say("The connection broke off after {key} was pressed. Look whether it was done.", key="{key}")
    with st.container(key="frame_keys"):
        _component(key="frame.late_keys", data={"words": words, "lostWords": lost})
