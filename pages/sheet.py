"""The decision sheet of a day: what was decided, on which passage, by whom and why; to read, print or take along as CSV."""

from __future__ import annotations

from pages.widgets.desk import open_desk
from pages.widgets.sheet_screen import draw_screen

draw_screen(open_desk())
