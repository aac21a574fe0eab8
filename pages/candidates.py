"""Candidates: what waits for a decision, the passage it claims to come from, and the decision itself."""

from __future__ import annotations

from pages.widgets.candidate_screen import draw_screen
from pages.widgets.desk import open_desk

draw_screen(open_desk())
