"""What the desk does in the browser itself: it remembers who was chosen, follows links without a reload, and copies ids.

Everything works without it, only slower: links are real links, and the choice then lasts as long as the page is open.
"""

from __future__ import annotations

import streamlit as st

_JS = """
const NARROW = 768;

function remember({ cookie, person, mark }) {
  // A choice or a forgetting made in this session, written once; a session that only read the cookie never writes it.
  if (!mark || window.__claimdeskMark === mark) return;
  window.__claimdeskMark = mark;
  const age = person ? 60 * 60 * 24 * 30 : 0;
  document.cookie = `${cookie}=${encodeURIComponent(person || "")}; path=/; SameSite=Strict; max-age=${age}`;
}

function follow(event) {
  // A link inside the desk: the page changes, the session stays.
  const link = event.target.closest && event.target.closest("a.cd-link");
  if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.href, location.href);
  if (url.origin !== location.origin) return;
  event.preventDefault();
  history.pushState({}, "", url.pathname + url.search);
  window.dispatchEvent(new PopStateEvent("popstate"));
  const main = document.querySelector('[data-testid="stMain"]');
  if (main) main.scrollTo(0, 0);
  const close = document.querySelector('[data-testid="stSidebarCollapseButton"] button');
  if (close && window.innerWidth < NARROW && link.closest('[data-testid="stSidebar"]')) close.click();
}

function skip(event) {
  // Past the menu, for whoever goes by keys.
  const main = event.target.closest && event.target.closest("button.cd-skip") && document.querySelector('[data-testid="stMain"]');
  if (!main) return;
  main.tabIndex = -1;
  main.focus();
}

function jump(event) {
  // On a narrow screen the card that asks for what is listed stands below all of it.
  const card = event.target.closest && event.target.closest("button.cd-jump") && document.querySelector(".cd-jumpto");
  const box = card && card.closest('[class*="st-key-"]');
  if (!box) return;
  box.scrollIntoView({ block: "start" });
  const field = box.querySelector("input, textarea, button");
  if (field) field.focus({ preventScroll: true });
}

async function copy(event) {
  const button = event.target.closest && event.target.closest("button.cd-copy");
  if (!button) return;
  await navigator.clipboard.writeText(button.title);
  button.classList.add("cd-copied");
  setTimeout(() => button.classList.remove("cd-copied"), 1200);
}

export default function ({ data }) {
  remember(data);
  if (window.__claimdeskListens) return;
  window.__claimdeskListens = true;
  document.addEventListener("click", follow);
  document.addEventListener("click", copy);
  document.addEventListener("click", skip);
  document.addEventListener("click", jump);
}
"""
_component = st.components.v2.component("claimdesk_browser", js=_JS)


def tell_browser(cookie: str, person: str, mark: str) -> None:
    """Draw the invisible part of the frame.

    Args:
        cookie: under which name this browser remembers.
        person: whom; nobody if empty.
        mark: names the choice, so that it is written once; empty where nothing was chosen in this session.
    """
    _component(key="frame.browser", data={"cookie": cookie, "person": person, "mark": mark})
