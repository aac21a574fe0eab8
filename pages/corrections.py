"""Corrections: the cases, and one case from the first stop to the last notice."""

from __future__ import annotations

from pages.widgets.case_screen import draw_screen
from pages.widgets.desk import open_desk


def main() -> None:
    """Draw the page."""
    draw_screen(open_desk())


main()
