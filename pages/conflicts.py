"""Conflicts: claims that cannot all hold, in the order they matter, by group or one by one."""

from __future__ import annotations

from pages.widgets.conflict_screen import draw_screen
from pages.widgets.desk import open_desk

draw_screen(open_desk())
