"""Deliveries and notices: the messages to everybody who holds something that no longer stands, and what went to whom."""

from __future__ import annotations

from pages.widgets.delivery_screen import draw_screen
from pages.widgets.desk import open_desk

draw_screen(open_desk())
