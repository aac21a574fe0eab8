"""A letter to the owner of a source: what it says that others contradict, to print or to send as CSV."""

from __future__ import annotations

from pages.widgets.desk import open_desk, show_notices
from pages.widgets.letter_page import draw_letter_page


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    show_notices()
    draw_letter_page(desk)


main()
