"""Re-validation: everything that needs it, upstream first, and the decisions that settle it."""

from __future__ import annotations

from pages.widgets.desk import open_desk
from pages.widgets.revalidate_screen import draw_screen

draw_screen(open_desk())
