"""The one stylesheet of the desk; the tones follow the theme, light or dark."""

from __future__ import annotations

from functools import cache

import streamlit as st

_TONES = {
    "slate": ("#475569", "#94a3b8"), "teal": ("#0f766e", "#2dd4bf"), "violet": ("#6d28d9", "#a78bfa"), "amber": ("#b45309", "#fbbf24"),
    "grey": ("#6b7280", "#9ca3af"), "red": ("#b91c1c", "#f87171"), "rose": ("#9f1239", "#fb7185"),
}  # fmt: skip
_GROUND = {
    "paper": ("#fbfaf7", "#14171a"), "card": ("#ffffff", "#1c2024"), "rule": ("#e7e5df", "#2b3036"), "ink": ("#1c1917", "#e7e5e0"),
    "muted": ("#6b6862", "#9a978f"), "accent": ("#1f4e79", "#8ab4d8"), "mark": ("#fff1b8", "#5a4a12"), "wash": ("#f3f1ec", "#1a1d21"),
    "good": ("#e6f2f0", "#12302c"), "bad": ("#faeaea", "#3a1d1d"), "warn": ("#faf0e1", "#3a2a10"),
}  # fmt: skip

_RULES = """
html { -webkit-font-smoothing: antialiased; }
.stMainBlockContainer { padding-top: 2.2rem; padding-bottom: 3rem; max-width: 1320px; }
[data-testid="stHeader"] { background: transparent; }
h1 { font-size: 1.55rem !important; letter-spacing: -0.01em; padding-bottom: .1rem !important; }
h2 { font-size: 1.12rem !important; } h3 { font-size: 1rem !important; }
.cd-icon { font-family: "Material Symbols Rounded"; font-size: 1.15em; line-height: 1; vertical-align: -0.16em; font-weight: 400;
  letter-spacing: normal; text-transform: none; display: inline-block; white-space: nowrap; direction: ltr; margin-right: .28em; }
.cd-status { white-space: nowrap; font-size: .86rem; font-weight: 500; }
.cd-arrow { color: var(--cd-muted); margin: 0 .45em; }
.cd-lead { font-size: 1.12rem; line-height: 1.5; color: var(--cd-ink); margin: .1rem 0 .6rem; max-width: 78ch; }
.cd-lead b, .cd-lead strong { font-weight: 650; }
.cd-muted { color: var(--cd-muted); } .cd-small { font-size: .86rem; }
.cd-mono { font-family: "Source Code Pro", monospace; font-size: .85em; overflow-wrap: anywhere; }
.cd-card { background: var(--cd-card); border: 1px solid var(--cd-rule); border-radius: 6px; padding: .9rem 1.1rem; margin: .2rem 0 .6rem; }
.cd-band { border-left: 3px solid var(--cd-accent); background: var(--cd-wash); padding: .55rem .9rem; margin: .3rem 0; font-size: .93rem; border-radius: 0 6px 6px 0; }
.cd-band.cd-warnband { border-color: var(--cd-amber); background: var(--cd-warn); }
.cd-band.cd-badband { border-color: var(--cd-red); background: var(--cd-bad); }
.cd-band.cd-goodband { border-color: var(--cd-teal); background: var(--cd-good); }
dl.cd-facts { display: grid; grid-template-columns: max-content 1fr; gap: .22rem .9rem; font-size: .92rem; margin: .2rem 0 !important; padding: 0 !important; }
.cd-facts dt { color: var(--cd-muted); font-weight: 400; margin: 0; } .cd-facts dd { margin: 0 !important; padding: 0; overflow-wrap: anywhere; }
.cd-value { font-size: 1.32rem; font-weight: 600; line-height: 1.35; overflow-wrap: anywhere; }
.cd-passage { font-family: "Source Serif 4", Georgia, "Noto Serif CJK SC", "Songti SC", serif; font-size: 1.06rem; line-height: 1.72; white-space: pre-wrap;
  overflow-wrap: anywhere; max-width: 74ch; max-height: 26rem; overflow-y: auto; }
.cd-passage mark { background: var(--cd-mark); color: inherit; padding: .08em .1em; border-radius: 2px; }
.cd-where { color: var(--cd-muted); font-size: .82rem; margin-bottom: .45rem; }
ul.cd-checks { list-style: none; margin: .2rem 0 !important; padding: 0 !important; font-size: .91rem; }
.cd-checks li { display: flex; gap: .45rem; padding: .16rem 0; margin: 0; align-items: baseline; }
.cd-checks .cd-icon { margin: 0; flex: none; }
.cd-table { width: 100%; border-collapse: collapse; font-size: .91rem; }
.cd-table th { text-align: left; color: var(--cd-muted); font-weight: 500; font-size: .82rem; border-bottom: 1px solid var(--cd-rule); padding: .3rem .6rem .3rem 0; }
.cd-table td { border-bottom: 1px solid var(--cd-rule); padding: .42rem .6rem .42rem 0; vertical-align: top; overflow-wrap: anywhere; }
.cd-table td.cd-num, .cd-table th.cd-num { text-align: right; font-variant-numeric: tabular-nums; }
.cd-scroll { overflow-x: auto; }
.cd-id { font-family: "Source Code Pro", monospace; font-size: .84em; }
a.cd-link { color: var(--cd-accent); text-decoration: none; border-bottom: 1px solid transparent; } a.cd-link:hover { border-bottom-color: currentColor; }
.cd-counts { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; margin: .1rem 0 .5rem; font-size: .93rem; }
.cd-counts b { font-variant-numeric: tabular-nums; font-weight: 650; }
.cd-empty { text-align: center; color: var(--cd-muted); padding: 2.6rem 1rem; }
.cd-empty b { display: block; color: var(--cd-ink); font-size: 1.1rem; margin-bottom: .3rem; }
h1.cd-title { font-size: 1.55rem !important; line-height: 1.3; font-weight: 650; margin: 0 0 .45rem !important; padding: 0 !important; max-width: 46ch; overflow-wrap: anywhere; }
h2.cd-heading { font-size: 1.02rem !important; font-weight: 650; margin: 1.15rem 0 .3rem !important; padding: 0 !important; }
.cd-kicker { color: var(--cd-muted); font-size: .86rem; margin-bottom: .25rem; overflow-wrap: anywhere; }
.cd-question { color: var(--cd-muted); font-size: .92rem; margin-bottom: .1rem; overflow-wrap: anywhere; }
.cd-card .cd-value { margin-bottom: .6rem; white-space: pre-wrap; }
.cd-tally { color: var(--cd-muted); font-weight: 500; font-variant-numeric: tabular-nums; margin-left: .5em; }
.cd-actions { display: flex; flex-wrap: wrap; gap: .5rem; margin: .2rem 0 .4rem; }
a.cd-button { display: inline-block; padding: .36rem .9rem; border: 1px solid var(--cd-rule); border-radius: 6px; background: var(--cd-card); color: var(--cd-ink); font-size: .93rem; }
a.cd-button:hover { border-color: var(--cd-accent); color: var(--cd-accent); } a.cd-button.cd-primary { background: var(--cd-accent); border-color: var(--cd-accent); color: var(--cd-paper); }
ul.cd-list { list-style: none; margin: .3rem 0 !important; padding: 0 !important; font-size: .92rem; }
ul.cd-list li { margin: 0; padding: .4rem 0; border-bottom: 1px solid var(--cd-rule); overflow-wrap: anywhere; line-height: 1.4; } ul.cd-list li:last-child { border-bottom: 0; }
.cd-rowhead { display: flex; gap: .9rem; } .cd-lost { color: var(--cd-amber); font-size: .86rem; font-weight: 500; white-space: nowrap; } .cd-nowrap { white-space: nowrap; }
details.cd-more > summary { cursor: pointer; color: var(--cd-accent); font-size: .86rem; font-family: "Source Sans", sans-serif; font-weight: 400; } details.cd-more { overflow-wrap: anywhere; }
.cd-passage.cd-whole { max-height: none; } .cd-pager { display: flex; gap: 1.2rem; justify-content: space-between; margin-top: .8rem; font-size: .9rem; flex-wrap: wrap; }
.cd-who { font-size: .86rem; line-height: 1.4; border-top: 1px solid var(--cd-rule); padding-top: .8rem; overflow-wrap: anywhere; }
.cd-who span { display: block; } .cd-who b { display: block; font-size: 1rem; font-weight: 650; }
.cd-local { font-size: .8rem; color: var(--cd-muted); margin-top: .7rem; display: flex; gap: .35em; align-items: baseline; } .cd-local .cd-icon { margin: 0; flex: none; }
[data-testid="stSidebarHeader"] { height: 2.2rem; padding-top: .5rem; margin-bottom: 0; }
[data-testid="stSidebarUserContent"] { padding-top: 0; }
[data-testid="stSidebar"] label p { font-size: .8rem; color: var(--cd-muted); }
.cd-brand { font-weight: 650; font-size: 1.12rem; letter-spacing: -.01em; margin-bottom: .5rem; } .cd-brand a.cd-link { color: var(--cd-ink); border: 0; }
.cd-brand span { color: var(--cd-muted); font-weight: 400; font-size: .8rem; display: block; letter-spacing: 0; }
.cd-menu { display: flex; flex-direction: column; gap: 2px; margin: .2rem -.6rem .8rem; }
a.cd-nav { display: flex; justify-content: space-between; align-items: center; color: var(--cd-ink); padding: .38rem .6rem; border: 0; border-radius: 6px; font-size: .95rem; line-height: 1.4; }
a.cd-nav:hover { background: color-mix(in srgb, var(--cd-ink) 5%, transparent); } a.cd-nav.cd-here { background: color-mix(in srgb, var(--cd-accent) 11%, transparent); font-weight: 600; }
a.cd-nav .cd-icon { margin-right: .55em; opacity: .75; } .cd-count { font-variant-numeric: tabular-nums; color: var(--cd-muted); font-size: .86rem; font-weight: 500; }
a.cd-link:focus-visible, button.cd-copy:focus-visible { outline: 2px solid var(--cd-accent); outline-offset: 2px; border-radius: 3px; }
button.cd-copy { all: unset; cursor: copy; font-family: "Source Code Pro", monospace; font-size: .84em; overflow-wrap: anywhere; border-bottom: 1px dotted var(--cd-muted); }
button.cd-copy::after { content: "copied"; visibility: hidden; margin-left: .6em; color: var(--cd-teal); font-family: "Source Sans", sans-serif; font-size: .95em; }
button.cd-copy.cd-copied::after { visibility: visible; }
@media (max-width: 640px) { .stMainBlockContainer { padding-left: .9rem; padding-right: .9rem; } .cd-facts { grid-template-columns: 1fr; gap: .05rem; } .cd-facts dd { margin-bottom: .4rem; } .cd-passage { font-size: 1rem; } }
@media print { [data-testid="stSidebar"], [data-testid="stHeader"], .stButton, .stDownloadButton { display: none !important; } .cd-passage { max-height: none; } }
"""


@cache
def _stylesheet() -> str:
    """Return the stylesheet; `light-dark` follows the theme Streamlit has on, also when it is switched in the menu."""
    variables = " ".join(f"--cd-{name}: light-dark({light}, {dark});" for name, (light, dark) in {**_GROUND, **_TONES}.items())
    tones = " ".join(f".cd-{name} {{ color: var(--cd-{name}); }}" for name in _TONES)
    return f"<style>:root {{ {variables} }} {tones} {_RULES}</style>"


def apply_style() -> None:
    """Put the stylesheet on the page."""
    st.html(_stylesheet())
