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
.cd-passage.cd-tabular { font-family: "Source Code Pro", monospace; font-size: .86rem; line-height: 1.65; white-space: pre-wrap; max-width: none; }
.cd-passage mark { background: var(--cd-mark); color: inherit; padding: .08em .1em; border-radius: 2px; }
.cd-where { color: var(--cd-muted); font-size: .82rem; margin-bottom: .45rem; }
ul.cd-checks { list-style: none; margin: .2rem 0 !important; padding: 0 !important; font-size: .91rem; }
.cd-checks li { display: flex; gap: .45rem; padding: .16rem 0; margin: 0; align-items: baseline; }
.cd-checks .cd-icon { margin: 0; flex: none; }
.cd-table { width: 100%; border-collapse: collapse; font-size: .91rem; }
.cd-table th { text-align: left; color: var(--cd-muted); font-weight: 500; font-size: .82rem; border-bottom: 1px solid var(--cd-rule); padding: .3rem .6rem .3rem 0; }
.cd-table td { border-bottom: 1px solid var(--cd-rule); padding: .42rem .6rem .42rem 0; vertical-align: top; overflow-wrap: anywhere; }
.cd-table td.cd-keep { white-space: nowrap; }
.cd-table td.cd-num, .cd-table th.cd-num { text-align: right; font-variant-numeric: tabular-nums; }
.cd-scroll { overflow-x: auto; } @media (max-width: 640px) { .cd-scroll > table { min-width: 36rem; } }
.cd-id { font-family: "Source Code Pro", monospace; font-size: .84em; }
a.cd-link { color: var(--cd-accent); text-decoration: none; border-bottom: 1px solid transparent; } a.cd-link:hover { border-bottom-color: currentColor; }
.cd-counts { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; margin: .1rem 0 .5rem; font-size: .93rem; }
.cd-counts b { font-variant-numeric: tabular-nums; font-weight: 650; }
.cd-empty { text-align: center; color: var(--cd-muted); padding: 2.6rem 1rem; }
.cd-empty b { display: block; color: var(--cd-ink); font-size: 1.1rem; margin-bottom: .3rem; }
h1.cd-title { font-size: 1.55rem !important; line-height: 1.3; font-weight: 650; margin: 0 0 .45rem !important; padding: 0 !important; max-width: 60ch; overflow-wrap: anywhere; }
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
button.cd-copy { all: unset; position: relative; cursor: copy; font-family: "Source Code Pro", monospace; font-size: .84em; overflow-wrap: anywhere; border-bottom: 1px dotted var(--cd-muted); }
button.cd-copy::after { content: "copied"; visibility: hidden; position: absolute; left: 100%; top: 0; padding-left: .6em; color: var(--cd-teal); font-family: "Source Sans", sans-serif; font-size: .95em; }
button.cd-copy.cd-copied::after { visibility: visible; }
@media (max-width: 640px) { .stMainBlockContainer { padding: 3.4rem .9rem 2rem; } .cd-facts { grid-template-columns: 1fr; gap: .05rem; } .cd-facts dd { margin-bottom: .4rem; } .cd-passage { font-size: 1rem; } }
@media print { [data-testid="stSidebar"], [data-testid="stHeader"], .stButton, .stDownloadButton { display: none !important; } .cd-passage { max-height: none; } }
"""


#: The page that revokes.
_PLAN = """
.cd-named { font-weight: 600; }
.cd-chips { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .5rem 0 .3rem; }
.cd-chip { display: inline-flex; align-items: center; gap: .55rem; border: 1px solid var(--cd-rule); background: var(--cd-card); border-radius: 6px; padding: .38rem .7rem; font-size: .93rem; max-width: 100%; }
.cd-chip b { font-weight: 600; overflow-wrap: anywhere; } .cd-chip > .cd-icon, .cd-off .cd-icon { margin: 0; color: var(--cd-muted); } a.cd-off { border: 0; line-height: 1; }
a.cd-add { font-size: .9rem; padding: .3rem .2rem; }
.cd-verbs { display: inline-flex; flex-wrap: wrap; border: 1px solid var(--cd-rule); border-radius: 6px; overflow: hidden; background: var(--cd-card); }
a.cd-verb { color: var(--cd-ink); padding: .42rem 1rem; font-size: .93rem; border: 0; border-right: 1px solid var(--cd-rule); } a.cd-verb:last-child { border-right: 0; }
a.cd-verb:hover { background: var(--cd-wash); } a.cd-verb.cd-here { background: var(--cd-accent); color: var(--cd-card); font-weight: 600; }
p.cd-means { margin: .4rem 0 .1rem !important; max-width: 78ch; }
.cd-badges { display: flex; flex-wrap: wrap; gap: .15rem 1.3rem; font-size: .86rem; color: var(--cd-muted); align-items: baseline; } .cd-badges .cd-teal, .cd-badges .cd-amber, .cd-badges .cd-red { font-weight: 500; }
.cd-badges button.cd-copy::after { margin-left: .4em; }
.cd-drift > div { margin-top: .3rem; }
.cd-tabs { display: flex; flex-wrap: wrap; gap: 0 1.35rem; border-bottom: 1px solid var(--cd-rule); margin-top: .5rem; }
a.cd-tab { color: var(--cd-muted); font-size: .9rem; padding: .38rem 0 .5rem; border: 0; border-bottom: 2px solid transparent; margin-bottom: -1px; white-space: nowrap; }
a.cd-tab b { color: var(--cd-ink); font-weight: 650; font-variant-numeric: tabular-nums; margin-right: .38em; font-size: 1.02rem; }
a.cd-tab:hover { border-bottom-color: var(--cd-rule); } a.cd-tab.cd-here { color: var(--cd-ink); border-bottom-color: var(--cd-accent); } a.cd-tab.cd-none b { color: var(--cd-muted); font-weight: 400; }
.cd-quiet { padding: 1.6rem 1rem; font-size: .93rem; }
.cd-row { display: grid; grid-template-columns: minmax(0, 1fr) 14.8rem; gap: .1rem 1.6rem; align-items: baseline; border-bottom: 1px solid var(--cd-rule); padding: .5rem 0; font-size: .93rem; }
.cd-row small, .cd-pick small, .cd-reachtable small { display: block; font-size: .84rem; line-height: 1.45; overflow-wrap: anywhere; } .cd-main { overflow-wrap: anywhere; }
.cd-main > a.cd-link { color: var(--cd-ink); font-weight: 500; } .cd-main small a.cd-link { color: var(--cd-muted); text-decoration: underline; text-decoration-color: var(--cd-rule); text-underline-offset: 2px; }
.cd-row.cd-two-columns { grid-template-columns: minmax(0, 1fr) auto; } .cd-two-columns .cd-moved { text-align: right; }
.cd-moved { font-size: .9rem; } .cd-moved .cd-arrow { margin: 0 .3em; } .cd-moved.cd-num { font-variant-numeric: tabular-nums; color: var(--cd-muted); }
.cd-change small { margin-left: .5em; display: inline; } .cd-row em { font-style: normal; white-space: nowrap; } .cd-sent { font-size: .86rem; margin-top: .1rem; }
.cd-pathrow { grid-column: 1 / -1; } ol.cd-path { list-style: none; margin: .4rem 0 .3rem !important; padding: 0 0 0 .9rem !important; border-left: 2px solid var(--cd-rule); font-size: .88rem; }
ol.cd-path li { margin: 0; padding: .14rem 0; } ol.cd-path .cd-status { margin-left: .5em; }
.cd-hiddenline, .cd-chosen { padding: .5rem 0; font-size: .88rem; } .cd-pager { display: flex; gap: 1.1rem; align-items: baseline; padding: .6rem 0; font-size: .9rem; }
ul.cd-sides { list-style: none; margin: .25rem 0 0 !important; padding: 0 !important; font-size: .88rem; } ul.cd-sides li { margin: 0; padding: .08rem 0; }
.cd-foldrow { display: grid; grid-template-columns: 9.5rem 1fr; gap: .1rem 1.2rem; padding: .42rem 0; border-bottom: 1px solid var(--cd-rule); font-size: .91rem; align-items: baseline; } .cd-foldrow .cd-moved { text-align: left; }
.cd-foldhead a.cd-link { font-weight: 600; color: var(--cd-ink); } .cd-foldhead small { display: block; font-size: .82rem; } .cd-foldhead { grid-row: span 2; }
.cd-folds { display: flex; flex-wrap: wrap; gap: .2rem .9rem; } .cd-folds details { display: contents; } .cd-folds summary { cursor: pointer; color: var(--cd-accent); font-size: .86rem; }
a.cd-fold { color: var(--cd-muted); font-size: .86rem; overflow-wrap: anywhere; } a.cd-fold b { margin-left: .35em; font-weight: 600; color: var(--cd-ink); font-variant-numeric: tabular-nums; } a.cd-fold.cd-here, .cd-foldhead a.cd-here, .cd-reachtable a.cd-here { color: var(--cd-accent); border-bottom-color: currentColor; }
.cd-folded { margin: .3rem 0 .9rem; } .cd-folded > .cd-small { padding-top: .4rem; }
.cd-limits { padding-top: .5rem; } .cd-limits div { display: flex; gap: .4em; align-items: baseline; } .cd-limits .cd-icon { margin: 0; flex: none; }
.cd-picks { margin: .2rem 0 .8rem; }
.cd-pick { display: grid; grid-template-columns: minmax(0, 1fr) 12.5rem 7rem 7.5rem 5rem; gap: .1rem 1.1rem; align-items: center; padding: .42rem .5rem; margin: 0 -.5rem; border-bottom: 1px solid var(--cd-rule); font-size: .93rem; color: var(--cd-ink); }
a.cd-link.cd-pick { color: var(--cd-ink); border-bottom: 1px solid var(--cd-rule); } a.cd-link.cd-pick:hover { background: var(--cd-wash); border-bottom-color: var(--cd-rule); }
.cd-pickhead { color: var(--cd-muted); font-size: .82rem; padding-bottom: .2rem; } .cd-pickhead span:nth-child(n+4) { text-align: right; } .cd-pick .cd-num { text-align: right; font-variant-numeric: tabular-nums; }
.cd-what { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: .55rem; align-items: baseline; } .cd-what b { font-weight: 550; overflow-wrap: anywhere; } .cd-what small { grid-column: 2; } .cd-what .cd-icon { margin: 0; color: var(--cd-muted); } .cd-pick em { font-style: normal; color: var(--cd-amber); }
.st-key-revoke-card { position: sticky; top: 3.4rem; background: var(--cd-card); border: 1px solid var(--cd-rule); border-radius: 6px; padding: 1rem 1.1rem 1.1rem; }
.st-key-revoke-card h2 { padding: 0 !important; margin: 0 !important; } [data-testid="stColumn"]:has(.st-key-revoke-card) > div, [data-testid="stColumn"]:has(.st-key-revoke-card) { overflow: visible; }
ul.cd-problems { margin: .2rem 0 0 !important; padding-left: 1.1rem !important; } ul.cd-problems li { margin: .1rem 0; }
.cd-reachtable td.cd-num { white-space: nowrap; overflow-wrap: normal; } .cd-reachtable td { padding: .26rem .6rem .26rem 0; } .cd-reachtable td:first-child { width: 2.6rem; color: var(--cd-muted); } .cd-reachtable .cd-arrow { margin: 0 .25em; } .cd-reachtable .cd-status { font-size: .82rem; }
.cd-two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 3rem; } .cd-two h2 { margin-top: .6rem; }
.cd-quotecard { border-left: 2px solid var(--cd-rule); padding: .1rem 0 .1rem .9rem; margin: .9rem 0; white-space: pre-wrap; overflow-wrap: anywhere; } .cd-samples small { display: block; }
ul.cd-notices, ul.cd-next { list-style: none; margin: 0 !important; padding: 0 !important; font-size: .93rem; } ul.cd-notices > li, ul.cd-next > li { margin: 0; padding: .4rem 0; border-bottom: 1px solid var(--cd-rule); }
ul.cd-notices ul { list-style: none; margin: 0 !important; padding: 0 !important; font-size: .88rem; } ul.cd-notices ul li { margin: 0; }
@media (max-width: 760px) {
  .cd-row { grid-template-columns: minmax(0, 1fr); } .cd-row .cd-main { grid-column: 1 / -1; } .cd-row .cd-moved { text-align: left; }
  .cd-pick { grid-template-columns: minmax(0, 1fr) auto; } .cd-pick .cd-what { grid-column: 1 / -1; } .cd-pick.cd-pickhead, .cd-pick > span:nth-child(3), .cd-pick > span:nth-child(5) { display: none; } .cd-reachtable .cd-status { white-space: normal; }
  .cd-foldrow, .cd-two { grid-template-columns: minmax(0, 1fr); } .cd-foldhead { grid-row: auto; } .st-key-revoke-card { position: static; } a.cd-verb { border-right: 0; flex: 1 1 100%; } .cd-verbs { display: flex; }
}
"""


# --- candidates (pages/candidates.py) -----------------------------------------------------------------------------
_CANDIDATES = """
.stMainBlockContainer:has(.st-key-candidates_screen) { padding: 1.6rem 2.2rem 0; max-width: 1560px; }
h1.cc-sentence { font-size: 1.22rem !important; font-weight: 400 !important; line-height: 1.45; letter-spacing: 0; padding: 0 2.5rem .1rem 0 !important; margin: 0; } h1.cc-sentence b { font-weight: 650; }
[data-testid="stLayoutWrapper"]:has(> .st-key-candidates_bar) { position: sticky; bottom: 0; z-index: 20; }
.cd-band.cc-violetband { border-color: var(--cd-violet); background: color-mix(in srgb, var(--cd-violet) 8%, var(--cd-paper)); }
.cc-against td b { font-size: 1.02rem; }
.cc-picks { display: flex; flex-wrap: wrap; gap: .35rem .5rem; margin: 0 0 .2rem; }
a.cd-link.cc-pick { color: var(--cd-ink); border: 1px solid var(--cd-rule); border-radius: 999px; padding: .14rem .8rem .16rem .6rem; font-size: .88rem; background: var(--cd-card); }
a.cc-pick b { font-variant-numeric: tabular-nums; font-weight: 650; } a.cc-pick .cd-icon { color: var(--cd-muted); }
a.cd-link.cc-pick:hover { border-color: var(--cd-accent); } a.cd-link.cc-pick.cc-here { border-color: var(--cd-accent); background: color-mix(in srgb, var(--cd-accent) 10%, var(--cd-card)); }
.st-key-candidates_filters { gap: .4rem !important; } .st-key-candidates_filters > div { flex: 1 1 30%; min-width: 6.2rem !important; }
.st-key-candidates_filters [data-baseweb="select"] > div { min-height: 2rem; font-size: .84rem; } .st-key-candidates_filters [data-baseweb="select"] input { font-size: .84rem; }
.st-key-candidates_list { padding: 0 !important; background: var(--cd-card); }
[data-testid="stLayoutWrapper"]:has(> .st-key-candidates_list), .st-key-candidates_list { height: calc(100vh - 11.5rem) !important; min-height: 20rem; flex: 0 0 max(20rem, calc(100vh - 11.5rem)) !important; }
.stColumn:has(.st-key-candidates_list) { position: sticky; top: .8rem; align-self: flex-start; }
.cc-rows { display: flex; flex-direction: column; }
a.cd-link.cc-row { display: block; color: var(--cd-ink); padding: .42rem .75rem .45rem .65rem; border: 0; border-bottom: 1px solid var(--cd-rule); border-left: 3px solid transparent; line-height: 1.35; }
a.cd-link.cc-row:hover { background: var(--cd-wash); } a.cd-link.cc-row.cc-here { background: color-mix(in srgb, var(--cd-accent) 9%, transparent); border-left-color: var(--cd-accent); }
a.cd-link.cc-row:focus-visible { outline-offset: -2px; }
.cc-rowtop { display: flex; align-items: baseline; gap: .3rem; font-size: .89rem; } .cc-rowtitle { flex: 1; min-width: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.cc-here .cc-rowtitle { font-weight: 600; } .cc-age { color: var(--cd-muted); font-size: .76rem; white-space: nowrap; font-variant-numeric: tabular-nums; min-width: 2.4rem; text-align: right; }
.cc-flag { color: var(--cd-amber); } .cc-flag .cd-icon { margin: 0; font-size: 1rem; }
.cc-rowvalue { display: block; color: var(--cd-muted); font-size: .82rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-height: 1.1em; }
.cc-pager { display: flex; justify-content: space-between; font-size: .84rem; } .cc-off { color: var(--cd-muted); opacity: .5; }
.cc-head { padding: .1rem 0 .3rem; } .cc-headline { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .2rem 1rem; align-items: baseline; }
.cc-question { font-size: .98rem; overflow-wrap: anywhere; } .cc-marks { display: flex; gap: .7rem; align-items: baseline; font-size: .86rem; flex-wrap: wrap; }
.cc-chip { color: var(--cd-muted); white-space: nowrap; } .cc-chip.cd-amber { color: var(--cd-amber); }
.cc-big { font-size: 1.85rem; letter-spacing: -.012em; line-height: 1.25; margin: .15rem 0 .2rem; } .cc-big.cc-long { font-size: 1.2rem; max-height: 16rem; overflow-y: auto; }
.cc-head p.cc-statement { margin: .1rem 0 .35rem; font-size: 1.02rem; color: var(--cd-ink); max-width: 74ch; overflow-wrap: anywhere; }
.cc-inline { display: flex; flex-wrap: wrap; gap: .1rem 1.3rem; font-size: .88rem; } .cc-inline i { font-style: normal; color: var(--cd-muted); margin-right: .4em; } .cc-inline span { overflow-wrap: anywhere; }
.cc-hero { padding: 1rem 1.25rem 1.1rem; border-left: 3px solid var(--cd-accent); } .cc-sourceline { font-size: .86rem; margin-bottom: .6rem; overflow-wrap: anywhere; } .cc-sourceline b { display: block; font-size: .97rem; font-weight: 600; }
.cc-hero .cd-passage { max-height: 22rem; } .cc-around { color: color-mix(in srgb, var(--cd-ink) 72%, transparent); } .cc-hero mark { font-weight: 500; color: var(--cd-ink); }
.cc-notthere { opacity: .85; } .cc-notthere mark { background: var(--cd-bad); text-decoration: underline wavy var(--cd-red); text-underline-offset: 4px; }
.cd-passage.cc-code { font-family: "Source Code Pro", monospace; font-size: .84rem; line-height: 1.6; } .cc-body { font-size: 1rem; border-left: 3px solid var(--cd-rule); padding-left: 1rem; margin: .4rem 0; }
.cc-label { font-size: .8rem; font-weight: 600; margin: .75rem 0 .25rem; } .cc-label span { font-weight: 400; }
.cd-band .cd-icon { margin-right: .45em; } .cc-violetband .cd-icon { color: var(--cd-violet); } .cc-against { border-color: color-mix(in srgb, var(--cd-violet) 45%, var(--cd-rule)); }
.cc-aside h4, .cd-card h4, .st-key-candidates_reads h4 { font-size: .86rem !important; font-weight: 650; padding: 0 0 .3rem !important; margin: 0; } aside.cc-aside section + section { margin-top: 1rem; }
ul.cc-checklist { list-style: none; margin: 0 !important; padding: 0 !important; font-size: .87rem; } ul.cc-checklist li { display: flex; gap: .4rem; align-items: baseline; margin: 0; padding: .1rem 0; }
.cc-checklist .cd-icon { margin: 0; flex: none; font-size: 1rem; } li.cc-ok { color: var(--cd-muted); } li.cc-ok .cd-icon { color: var(--cd-teal); } li.cc-bad .cd-icon { color: var(--cd-red); }
ul.cc-checklist li.cc-bad { padding: .25rem 0 .35rem; } li.cc-bad b { display: block; } li.cc-bad i { font-style: normal; display: block; color: var(--cd-muted); }
aside.cc-aside dl.cd-facts { grid-template-columns: 1fr; gap: 0; font-size: .87rem; } aside.cc-aside dl.cd-facts dt { font-size: .78rem; } aside.cc-aside dl.cd-facts dd { margin-bottom: .35rem !important; }
.cc-sides th { white-space: nowrap; vertical-align: top; } .cc-sides td { min-width: 9rem; } .cc-sides tr:first-child th { font-size: .86rem; }
  .st-key-candidates_bar { background: var(--cd-paper); border-top: 1px solid var(--cd-rule); padding: .5rem 0 .8rem; margin-top: .2rem; gap: .45rem !important; }
.cc-receipt { font-size: .87rem; overflow-wrap: anywhere; } .cc-receipt .cd-icon { margin-right: .4em; } .cc-blocked { font-size: .9rem; } .cc-ask { font-size: .95rem; }
.st-key-candidates_detail { gap: .5rem !important; } .st-key-candidates_two { gap: .5rem; }
.st-key-candidates_keys { height: 0; overflow: hidden; position: absolute; }
@media (max-width: 1080px) { .st-key-candidates_two > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] { flex-wrap: wrap; } .st-key-candidates_two > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] > .stColumn { flex: 1 1 100%; width: 100%; } }
@media (max-width: 640px) { [data-testid="stLayoutWrapper"]:has(> .st-key-candidates_list), .st-key-candidates_list { height: 11.5rem !important; min-height: 0; flex: 0 0 11.5rem !important; } .stColumn:has(.st-key-candidates_list) { position: static; } .stMainBlockContainer:has(.st-key-candidates_screen) { padding: 3rem .9rem 0; } .cc-big { font-size: 1.45rem; } .cc-hero { padding: .8rem .9rem; } .st-key-candidates_bar { padding-bottom: .5rem; } .cc-hero .cd-passage { max-height: 15rem; } }
@media print { .st-key-candidates_bar, .st-key-candidates_list, .st-key-candidates_filters { display: none !important; } }
"""
# --- end of candidates --------------------------------------------------------------------------------------------


@cache
def _stylesheet() -> str:
    """Return the stylesheet; `light-dark` follows the theme Streamlit has on, also when it is switched in the menu."""
    variables = " ".join(f"--cd-{name}: light-dark({light}, {dark});" for name, (light, dark) in {**_GROUND, **_TONES}.items())
    tones = " ".join(f".cd-{name} {{ color: var(--cd-{name}); }}" for name in _TONES)
    return f"<style>:root {{ {variables} }} {tones} {_RULES} {_CANDIDATES} {_PLAN}</style>"


def apply_style() -> None:
    """Put the stylesheet on the page."""
    st.html(_stylesheet())
