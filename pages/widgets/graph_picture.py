"""The picture of a neighbourhood, its lenses and its legend."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from pages.widgets.graph_canvas import GraphBox, GraphLine, build_graph, load_library, mount_graph
from pages.widgets.graph_place import GraphPlace
from pages.widgets.graph_words import head_of, say_step, sentence_of, subject_of, under_of
from pages.widgets.language import number, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.moments import say_minute
from pages.widgets.status import badge, icon_name, tone_name
from store import GraphNode, GraphPicture, Surroundings, show_invisible

KEY = "dependencies.graph"
_STEP, _ROW, _BOX = 226, 60, (184, 48)
_LEAST, _MOST_HEIGHT = 0.7, 660
#: Tones of the strip along a box, most frequent first; the rest share the last.
_BANDS = ("accent", "amber", "violet", "teal", "rose", "slate", "grey")
_STEP_BANDS = ("ink", "accent", "teal", "violet", "grey")


def _lens_of(node: GraphNode, lens: str) -> str | None:
    """Return what a box is coloured by; None for several or nothing."""
    if node.form == "hidden" or lens == "state":
        return None
    if lens == "owner":
        return node.owner if node.owners <= 1 else None
    if lens == "source":
        return node.family
    return say_step(node.step) if abs(node.step) < len(_STEP_BANDS) - 1 else say("farther")


def _bands(picture: GraphPicture, lens: str) -> dict[str, str]:
    """Return what boxes are coloured by -> tone, in order of the legend."""
    if lens == "distance":
        nearest = sorted(picture.nodes, key=lambda node: (abs(node.step), node.step))
        return {found: _STEP_BANDS[min(abs(node.step), len(_STEP_BANDS) - 1)] for node in nearest if (found := _lens_of(node, lens)) is not None}
    names = dict.fromkeys(name for node in picture.nodes if (name := _lens_of(node, lens)) is not None)
    return {name: _BANDS[min(n, len(_BANDS) - 1)] for n, name in enumerate(names)}


def _boxes(picture: GraphPicture, place: GraphPlace, bands: dict[str, str]) -> list[GraphBox]:
    made = []
    for node in picture.nodes:
        named, hidden = node.named, node.form == "hidden"
        worst = next(iter(node.statuses), "")
        made.append(GraphBox(
            node.key, node.column * _STEP, node.row * _ROW, node.form, "grey" if hidden else tone_name(worst), "visibility_off" if hidden else icon_name(worst),
            head_of(node), under_of(node, place.lens), sentence_of(node), delivered=node.delivered > 0 and named is not None,
            chosen=named.id == place.selected if named else node.key == place.bundle, many=named is None,
            centre=named is not None and node.step == 0, ends=subject_of(node) is not None, band=bands.get(_lens_of(node, place.lens) or ""),
        ))  # fmt: skip
    return made


def say_holding(picture: GraphPicture, around: Surroundings) -> str:
    """Return what the picture holds; the numbers sum to the neighbourhood."""
    parts = [say_count("{n} record drawn", "{n} records drawn", picture.drawn)]
    if picture.folded:
        boxes = sum(node.named is None and node.form != "hidden" for node in picture.nodes)
        parts.append(say_count("{n} folded into one box", "{n} folded", picture.folded) if boxes == 1 else say("{n} folded into {boxes} boxes", n=number(picture.folded), boxes=boxes))
    if picture.hidden:
        parts.append(say_count("{n} hidden", "{n} hidden", picture.hidden))
    parts.append(say_count("{n} line", "{n} lines", around.count_lines()))
    return " · ".join(parts)


def file_name(record_id: str, ending: str) -> str:
    """Return a name for a file about a record."""
    return f"dependencies-{re.sub(r'[^A-Za-z0-9._-]+', '-', record_id)[:80].strip('-.') or 'record'}.{ending}"


def draw_legend(picture: GraphPicture, around: Surroundings, place: GraphPlace) -> Markup:
    """Return what shapes and colours mean."""
    bands = _bands(picture, place.lens)
    if place.lens == "state":
        items = [
            tag("a", badge(status), tag("b", number(count)), cls="cd-link cd-legenditem", href=place.link(state=None if place.state == status else status))
            for status, count in around.count_statuses().items()
        ]
    else:
        items = [tag("span", tag("span", cls=f"cd-swatch cd-swatch-{tone}"), show_invisible(name), cls="cd-legenditem") for name, tone in list(bands.items())[:12]]
    return tag("div", *items, cls="cd-legend cd-lenslegend")


def draw_shapes() -> Markup:
    """Return what the shapes mean."""
    shapes = [
        tag("span", tag("span", cls="cd-shape cd-shape-evidence"), say("source version"), cls="cd-legenditem"),
        tag("span", tag("span", cls="cd-shape cd-shape-claim"), say("claim"), cls="cd-legenditem"),
        tag("span", tag("span", cls="cd-shape cd-shape-artifact"), say("artifact, double where delivered"), cls="cd-legenditem"),
        tag("span", tag("span", cls="cd-shape cd-shape-many"), say("several: open it"), cls="cd-legenditem"),
    ]
    return tag("span", *shapes, cls="cd-legend")


def draw_graph(picture: GraphPicture, around: Surroundings, place: GraphPlace, title: str, on_pick: Callable[[GraphNode], None]) -> None:
    """Draw the picture; a click or Enter on a box calls `on_pick` before the page runs again."""
    bands = _bands(picture, place.lens)
    lines = [
        GraphLine(picture.nodes[a].key, picture.nodes[b].key, 2.4 if (a, b) in picture.on_way else 1 + min(1.6, count**0.25 - 1), (a, b) in picture.on_way)
        for (a, b), count in picture.links.items()
    ]
    by_key = {node.key: node for node in picture.nodes}
    rows = [node.row for node in picture.nodes]
    columns = [node.column for node in picture.nodes]
    height = int(min(_MOST_HEIGHT, max(150, (max(rows) - min(rows) + 1) * _ROW + 34)))
    if place.opened:
        height = max(height, 420)
    describe = say("Picture of {n} boxes from left to right: what {title} rests on, and what rests on it. The table below holds the same.", n=len(rows), title=show_invisible(title[:120]))
    tools = {
        "clipped": say("Drag it to see more"), "wider": say("Show more of the picture"),
        "closer": say("Show it larger"), "fit": say("Fit all of it into the window"), "fitWord": say("Fit"),
        "png": say("Save the whole picture as PNG: {holds}", holds=say_holding(picture, around)),
    }  # fmt: skip
    focus = next((node.key for node in picture.nodes if node.named is not None and node.step == 0), None)
    chosen = next((node.key for node in picture.nodes if node.key == place.bundle or (node.named and node.named.id == place.selected)), None)
    mount_graph(
        build_graph(_boxes(picture, place, bands), lines), key=KEY, view=f"{around.tenant}/{around.id}/{place.up}/{place.down}/{place.to}",
        height=height, wide=(max(columns) - min(columns) + 1) * 190, box=_BOX, describe=describe, centre=focus, least=_LEAST, chosen=chosen, tools=tools,
        title=say("Dependencies of {title}", title=show_invisible(title[:160])),
        holds=f"{say_holding(picture, around)} · {say_minute(datetime.now(UTC))} · {around.id[:80]}",
        file=file_name(around.id, "png"), on_pick=lambda key: on_pick(by_key[key]),
    )  # fmt: skip
    draw(tag("div", tag("span", say_holding(picture, around), cls="cd-muted"), draw_shapes(), cls="cd-small cd-holding"))
    draw(tag("p", say("Keys, once the picture has the focus: ← → along the lines, ↑ ↓ within a column, Enter opens, 0 back to the middle, + − size. Drag to move."), cls="cd-muted cd-small cd-keys"))
    if picture.cut:
        draw(tag("div", say("A picture with more boxes cannot be read. The table below has all of them."), cls="cd-band cd-warnband"))


def load_graph_library() -> None:
    """Send the library; last on the page."""
    load_library("dependencies.vis")

