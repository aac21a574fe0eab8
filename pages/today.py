"""Today: what waits for whoever is at the desk, why and since when; and what comes up."""

from __future__ import annotations

from pages.widgets.desk import open_desk
from pages.widgets.today_screen import draw_screen

draw_screen(open_desk())
