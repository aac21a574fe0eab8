"""Rehearsals: plans kept under a name, what changed about them, two of them compared, and handed to somebody else to commit."""

from __future__ import annotations

from pages.widgets.desk import open_desk
from pages.widgets.rehearsal_screen import draw_screen

draw_screen(open_desk())
