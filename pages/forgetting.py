"""Forgetting: requests to forget, what each reaches and how far it is, its receipt, copies outside, and proofs that nothing comes back."""

from __future__ import annotations

from pages.widgets.desk import open_desk
from pages.widgets.forgetting_screen import draw_screen

draw_screen(open_desk())
