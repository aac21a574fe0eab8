"""A small picture of the folded reach of a plan, on the page that revokes."""

from __future__ import annotations

from collections.abc import Callable

from pages.widgets.graph_canvas import GraphBox, GraphLine, build_graph, load_library, mount_graph
from pages.widgets.language import number, say, say_count
from pages.widgets.plan_words import several
from pages.widgets.status import icon_name, tone_name, word
from store import Picture, show_invisible, spaced

_STEP, _ROW = 218, 66


def _boxes(picture: Picture, chosen: tuple[int, ...], root: str | None) -> list[GraphBox]:
    made = []
    for box in picture.boxes:
        level, row = picture.places[box.number]
        single = root if root is not None and box.level == 0 and box.count == 1 else None
        head = show_invisible(single) if single else several(box.count, box.kind)
        sent = say("delivered") if box.delivered == box.count else say("{n} delivered", n=number(box.delivered)) if box.delivered else ""
        label = show_invisible(spaced(box.label)[:60])
        under = say(", ").join(part for part in (sent, say("{what} and further", what=label) if box.further else label) if part)
        made.append(GraphBox(
            box.number, level * _STEP, row * _ROW, box.kind, tone_name(box.after), icon_name(box.after), head[:60], under,
            say(", ").join((head[:200], word(box.after, box.kind), under)), delivered=box.delivered > 0, chosen=set(box.groups) == set(chosen),
        ))  # fmt: skip
    return made


def draw_reach(picture: Picture, *, name: str, chosen: tuple[int, ...], root: str | None, on_pick: Callable[[tuple[int, ...]], None]) -> None:
    """Draw the picture; a click on a box calls `on_pick` with the numbers of its groups.

    Args:
        picture: the boxes with their places.
        name: changes when the picture does, such as the fingerprint of the plan.
        chosen: the groups that the list shows at the moment.
        root: what the only root is called; None for several.
        on_pick: runs before the page does.
    """
    lines = [GraphLine(source, target, 1 + min(1.6, count**0.25 - 1)) for (source, target), count in picture.links.items()]
    drawn = build_graph(_boxes(picture, chosen, root), lines)
    rows = [row for _, row in picture.places.values()]
    height = int(min(460, max(110, (max(rows) - min(rows) + 1) * _ROW + 16))) if rows else 110
    wide = int((max(level for level, _ in picture.places.values()) + 1) * _STEP * 0.72) if rows else 200
    groups = {box.number: box.groups for box in picture.boxes}
    describe = say_count(
        "Picture of {n} group of records from left to right by distance; the table beside it holds the same.",
        "Picture of {n} groups of records from left to right by distance; the table beside it holds the same.",
        len(picture.boxes),
    )
    mount_graph(
        drawn, key="revoke.picture", view=name, height=height, wide=wide, box=(172, 48), describe=describe, on_pick=lambda picked: on_pick(groups[picked]),
    )  # fmt: skip
    load_library("revoke.vis")
