"""The one component that draws boxes and lines: data made with pyvis, drawn by its vis-network offline.

pyvis's own HTML is never used: it loads from elsewhere and lets a node's title become markup. Labels are drawn on a
canvas, and the library's JavaScript comes out of the installed wheel.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted

_SCRIPTS = Path(__file__).with_name("scripts")
_OPTIONS: dict[str, Any] = {
    "physics": False, "layout": {"improvedLayout": False},
    "edges": {"smooth": {"enabled": True, "type": "cubicBezier", "forceDirection": "horizontal", "roundness": 0.45}, "arrows": {"to": {"enabled": True, "scaleFactor": 0.45}}},
    "nodes": {"chosen": True},
    "interaction": {"keyboard": False, "hover": True, "zoomView": False, "dragView": True, "dragNodes": False, "selectConnectedEdges": False, "tooltipDelay": 1e9},
}  # fmt: skip


@cache
def _library() -> str:
    """Return vis-network as it lies in the pyvis wheel; found without importing pyvis, which would import IPython."""
    spec = importlib.util.find_spec("pyvis")
    assert spec is not None
    assert spec.submodule_search_locations
    return (Path(next(iter(spec.submodule_search_locations))) / "lib" / "vis-9.1.2" / "vis-network.min.js").read_text("utf-8")


_LOADER = st.components.v2.component("claimdesk_vis_library", js=_library() + "\nexport default function () {}\n")
_GRAPH = st.components.v2.component(
    "claimdesk_graph",
    html="<div class='s'><div class='t'></div><div class='w'><div class='g' role='img'></div><div class='k' role='listbox' tabindex='0'></div></div></div>\n",
    css=(_SCRIPTS / "graph.css").read_text("utf-8"), js=(_SCRIPTS / "graph.js").read_text("utf-8"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GraphBox:
    """A box as it is drawn.

    Attributes:
        id: what a click tells.
        x, y: its middle, in pixels at full size.
        form: evidence, claim, artifact, or another for a plain box.
        tone: a tone of the stylesheet; `band`: that of the strip along its lower edge.
        symbol: a Material Symbol.
        head, under: its two lines.
        say: the whole of it in words, for who does not see the picture.
        many: whether it stands for several; `centre`: whether it is what the picture is about.
        ends: whether the first line is cut in its middle rather than at its end.
    """

    id: str | int
    x: float
    y: float
    form: str
    tone: str
    symbol: str
    head: str
    under: str
    say: str
    delivered: bool = False
    chosen: bool = False
    many: bool = False
    centre: bool = False
    ends: bool = False
    band: str | None = None


@dataclass(frozen=True, slots=True)
class GraphLine:
    """A line from what is rested on to what rests on it; `way` marks it as part of a chosen way."""

    start: str | int
    end: str | int
    width: float = 1.0
    way: bool = False


def build_graph(boxes: Iterable[GraphBox], lines: Iterable[GraphLine]) -> dict[str, Any]:
    """Return nodes, edges and options as plain values, by way of pyvis."""
    from pyvis.network import Network  # noqa: PLC0415 - it imports IPython, which takes half a second

    net = Network(directed=True)
    stands = {}
    for one in boxes:
        net.add_node(
            one.id, label=str(one.id), x=one.x, y=one.y, form=one.form, tone=one.tone, symbol=one.symbol, head=one.head, under=one.under, say=one.say,
            delivered=one.delivered, chosen=one.chosen, many=one.many, centre=one.centre, ends=one.ends, band=one.band,
        )  # fmt: skip
        stands[one.id] = one
    for each in lines:
        net.add_edge(each.start, each.end, width=each.width, way=each.way)
    nodes = [{key: value for key, value in node.items() if key not in ("label", "shape", "color", "font")} for node in net.nodes]
    edges = []
    for edge in net.edges:
        made = {"id": f"{edge['from']}>{edge['to']}", "from": edge["from"], "to": edge["to"], "width": edge["width"], "way": edge["way"]}
        if stands[edge["from"]].x == stands[edge["to"]].x:
            made["smooth"] = {"enabled": True, "type": "curvedCW", "roundness": 0.25} if abs(stands[edge["from"]].y - stands[edge["to"]].y) > 90 else False
        edges.append(made)
    return {"nodes": nodes, "edges": edges, "options": _OPTIONS}


def mount_graph(
    data: dict[str, Any], *, key: str, view: str, height: int, wide: int, box: tuple[int, int], describe: str, centre: str | int | None = None,
    least: float = 0.0, chosen: str | int | None = None, tools: dict[str, str] | None = None, title: str = "", holds: str = "", file: str = "", on_pick: Callable[[Any], None],
) -> None:  # fmt: skip
    """Put a built graph on the page; a click on a box, or Enter, calls `on_pick` with its id before the page runs again.

    Args:
        view: what is looked at; while it stays the same, so does the part that is in view.
        height: of the window, in pixels; `wide`: how wide it is at least, where the screen is narrow.
        box: width and height of every box.
        describe: what the picture is, in words.
        centre: the box it is about.
        least: the scale below which it is rather cut than shrunk.
        tools: words of the bar above: clipped, wider, closer, fit, fitWord, png; without them there is no bar.
        title, holds: written above the saved picture; `file`: its name.
    """

    @uninterrupted
    def picked() -> None:
        found = (st.session_state.get(key) or {}).get("pick")
        if any(node["id"] == found for node in data["nodes"]):
            on_pick(found)

    name = "".join(ch if ch.isalnum() else "-" for ch in key)
    whole = {
        **data, "name": name, "view": view, "height": height, "wide": wide, "box": list(box), "describe": describe, "centre": centre, "least": least,
        "chosen": chosen, "tools": tools, "title": title, "holds": holds, "file": file,
    }  # fmt: skip
    _GRAPH(key=key, data=whole, on_pick_change=picked)


def load_library(key: str) -> None:
    """Send the library; last on a page, because its place leaves a gap."""
    _LOADER(key=key)
