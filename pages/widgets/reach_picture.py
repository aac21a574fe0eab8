"""A small picture of the folded reach: built with pyvis, drawn by its vis-network offline, in a component of our own.

pyvis's own HTML is never used: it loads from elsewhere and lets a node's title become markup. Here nodes are surrogate
integers, labels are drawn on a canvas, and the library's JavaScript comes out of the installed wheel.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.widgets.language import number, say, say_count
from pages.widgets.plan_words import several
from pages.widgets.status import icon_name, tone_name
from store import Picture, show_invisible

_STEP, _ROW = 218, 66
_CSS = """
.s { overflow-x: auto; }
.g { width: 100%; position: relative; }
.g canvas { outline: none; }
.g:focus-within { outline: 1px solid transparent; }
"""
_DRAW_JS = """
const TONES = ["slate", "teal", "violet", "amber", "grey", "red", "rose"];

async function library() {
  for (let n = 0; n < 400 && !(window.vis && window.vis.Network); n++) await new Promise(done => setTimeout(done, 25));
  return window.vis;
}

function colours(host) {
  // The desk's own colours, as this theme has them.
  const probe = document.createElement("span"), found = {};
  host.appendChild(probe);
  for (const name of [...TONES, "ink", "muted", "card", "rule", "accent", "paper"]) {
    probe.style.color = `var(--cd-${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}

function outline(ctx, kind, x, y, w, h) {
  const left = x - w / 2, top = y - h / 2, fold = 9;
  ctx.beginPath();
  if (kind === "evidence") {
    ctx.moveTo(left, top); ctx.lineTo(left + w - fold, top); ctx.lineTo(left + w, top + fold); ctx.lineTo(left + w, top + h); ctx.lineTo(left, top + h);
  } else if (kind === "artifact") {
    const cut = 10;
    ctx.moveTo(left + cut, top); ctx.lineTo(left + w - cut, top); ctx.lineTo(left + w, y); ctx.lineTo(left + w - cut, top + h); ctx.lineTo(left + cut, top + h); ctx.lineTo(left, y);
  } else {
    ctx.roundRect(left, top, w, h, 9);
  }
  ctx.closePath();
}

function cut(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  let short = text;
  while (short.length > 1 && ctx.measureText(short + "…").width > width) short = short.slice(0, -1);
  return short + "…";
}

function renderer(look) {
  const w = 172, h = 48;
  return ({ ctx, id, x, y, state: { selected, hover } }) => ({
    drawNode() {
      const node = look.by[id], c = look.colours;
      if (!node) return;
      ctx.save();
      outline(ctx, node.kind, x, y, w, h);
      ctx.fillStyle = c.card; ctx.fill();
      ctx.strokeStyle = node.chosen || selected || hover ? c.accent : c[node.tone]; ctx.lineWidth = node.chosen || selected ? 2.6 : 1.3; ctx.stroke();
      if (node.delivered) { outline(ctx, node.kind, x, y, w - 6, h - 6); ctx.lineWidth = 0.9; ctx.stroke(); }
      const left = x - w / 2 + 13;
      ctx.textAlign = "left"; ctx.textBaseline = "middle";
      ctx.fillStyle = c[node.tone]; ctx.font = '15px "Material Symbols Rounded"'; ctx.fillText(node.symbol, left, y - 8);
      ctx.fillStyle = c.ink; ctx.font = '600 13px "Source Sans", sans-serif'; ctx.fillText(cut(ctx, node.head, w - 48), left + 20, y - 8);
      ctx.fillStyle = c.muted; ctx.font = '11.5px "Source Sans", sans-serif'; ctx.fillText(cut(ctx, node.under, w - 26), left, y + 10);
      ctx.restore();
    },
    nodeDimensions: { width: w, height: h },
  });
}

export default async function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".g");
  host.style.height = data.height + "px";
  host.style.minWidth = Math.min(data.wide, 760) + "px";
  host.setAttribute("aria-label", data.describe);
  const vis = await library();
  if (!vis || !host.isConnected) return () => {};
  const look = host.__look || (host.__look = {});
  look.fire = setTriggerValue;
  look.colours = colours(host);
  look.by = Object.fromEntries(data.nodes.map(node => [node.id, node]));
  const line = { color: { color: look.colours.muted, opacity: 0.45, highlight: look.colours.muted, hover: look.colours.muted, inherit: false } };
  if (look.struct === data.struct) {
    look.edges.update(data.edges.map(edge => ({ id: edge.id, ...line })));
    look.net.redraw();
  } else {
    if (look.watch) look.watch.disconnect();
    if (look.net) look.net.destroy();
    const shape = renderer(look);
    const nodes = new vis.DataSet(data.nodes.map(node => ({ id: node.id, x: node.x, y: node.y, shape: "custom", ctxRenderer: shape, fixed: true })));
    look.edges = new vis.DataSet(data.edges.map(edge => ({ ...edge, ...line })));
    look.net = new vis.Network(host, { nodes, edges: look.edges }, data.options);
    look.struct = data.struct;
    const xs = data.nodes.map(node => node.x), ys = data.nodes.map(node => node.y);
    const fit = () => {
      if (!look.net || !host.clientWidth) return;
      const wide = Math.max(...xs) - Math.min(...xs) + 190, high = Math.max(...ys) - Math.min(...ys) + 64;
      const scale = Math.min(1.05, host.clientWidth / wide, data.height / high);
      look.net.moveTo({ position: { x: (Math.max(...xs) + Math.min(...xs)) / 2, y: (Math.max(...ys) + Math.min(...ys)) / 2 }, scale, animation: false });
    };
    fit();
    document.fonts.load('15px "Material Symbols Rounded"', "history").then(() => look.net && look.net.redraw());
    look.watch = new ResizeObserver(() => { if (look.net && host.clientWidth) { look.net.setSize("100%", data.height + "px"); look.net.redraw(); fit(); } });
    look.watch.observe(host);
    look.net.on("click", event => { if (event.nodes.length) look.fire("pick", event.nodes[0]); });
    look.net.on("hoverNode", () => { host.style.cursor = "pointer"; });
    look.net.on("blurNode", () => { host.style.cursor = "default"; });
    host.dataset.drawn = String(data.nodes.length);
    host.__places = () => Object.fromEntries(data.nodes.map(node => [node.id, look.net.canvasToDOM({ x: node.x, y: node.y })]));
  }
  return () => { if (look.watch) look.watch.disconnect(); if (look.net) look.net.destroy(); look.net = look.watch = null; look.struct = ""; host.__look = null; };
}
"""


@cache
def _library() -> str:
    """Return vis-network as it lies in the pyvis wheel; found without importing pyvis, which would import IPython."""
    spec = importlib.util.find_spec("pyvis")
    assert spec is not None
    assert spec.submodule_search_locations
    return (Path(next(iter(spec.submodule_search_locations))) / "lib" / "vis-9.1.2" / "vis-network.min.js").read_text("utf-8")


_LOADER = st.components.v2.component("claimdesk_vis_library", js=_library() + "\nexport default function () {}\n")
_PICTURE = st.components.v2.component(
    "claimdesk_reach_picture", html="<div class='s'><div class='g' role='img'></div></div>\n", css=_CSS, js=_DRAW_JS
)


def _build(picture: Picture, chosen: tuple[int, ...], root: str | None) -> dict[str, Any]:
    """Return nodes, edges and options as plain values, by way of pyvis."""
    from pyvis.network import Network  # noqa: PLC0415 - it imports IPython, which takes half a second

    net = Network(directed=True)
    for box in picture.boxes:
        level, row = picture.places[box.number]
        single = root if root is not None and box.level == 0 and box.count == 1 else None
        head = show_invisible(single) if single else several(box.count, box.kind)
        sent = say("delivered") if box.delivered == box.count else say("{n} delivered", n=number(box.delivered)) if box.delivered else ""
        label = show_invisible(box.label[:60])
        under = say(", ").join(part for part in (sent, say("{what} and further", what=label) if box.further else label) if part)
        net.add_node(
            box.number, label=str(box.number), x=level * _STEP, y=row * _ROW, kind=box.kind, tone=tone_name(box.after), symbol=icon_name(box.after),
            head=head[:60], under=under, delivered=box.delivered > 0, chosen=set(box.groups) == set(chosen),
        )  # fmt: skip
    for (source, target), count in picture.links.items():
        net.add_edge(source, target, value=count)
    nodes = [{key: value for key, value in node.items() if key not in ("label", "shape", "color", "font")} for node in net.nodes]
    edges = [
        {"id": f"{edge['from']}>{edge['to']}", "from": edge["from"], "to": edge["to"], "width": 1 + min(1.6, edge["value"] ** 0.25 - 1)}
        for edge in net.edges
    ]
    options = {
        "physics": False, "layout": {"improvedLayout": False}, "edges": {"smooth": {"enabled": True, "type": "cubicBezier", "forceDirection": "horizontal", "roundness": 0.45},
        "arrows": {"to": {"enabled": True, "scaleFactor": 0.45}}}, "nodes": {"chosen": True},
        "interaction": {"keyboard": False, "hover": True, "zoomView": False, "dragView": True, "dragNodes": False, "selectConnectedEdges": False, "tooltipDelay": 1e9},
    }  # fmt: skip
    return {"nodes": nodes, "edges": edges, "options": options}


def draw_reach(picture: Picture, *, name: str, chosen: tuple[int, ...], root: str | None, on_pick: Callable[[tuple[int, ...]], None]) -> None:
    """Draw the picture; a click on a box calls `on_pick` with the numbers of its groups.

    Args:
        picture: the boxes with their places.
        name: changes when the picture does, such as the fingerprint of the plan.
        chosen: the groups that the list shows at the moment.
        root: what the only root is called; None for several.
        on_pick: runs before the page does.
    """
    drawn = _build(picture, chosen, root)
    rows = [row for _, row in picture.places.values()]
    height = int(min(460, max(110, (max(rows) - min(rows) + 1) * _ROW + 16))) if rows else 110
    wide = int((max(level for level, _ in picture.places.values()) + 1) * _STEP * 0.72) if rows else 200
    groups = {box.number: box.groups for box in picture.boxes}

    def picked() -> None:
        found = (st.session_state.get("revoke.picture") or {}).get("pick")
        if found in groups:
            on_pick(groups[found])

    describe = say_count(
        "Picture of {n} group of records from left to right by distance; the table beside it holds the same.",
        "Picture of {n} groups of records from left to right by distance; the table beside it holds the same.",
        len(picture.boxes),
    )
    _PICTURE(key="revoke.picture", data={**drawn, "struct": name, "height": height, "wide": wide, "describe": describe}, on_pick_change=picked)
    _LOADER(key="revoke.vis")
