"""About X: everything held about one subject, what rests on it and who was told, on one page that can be printed."""

from __future__ import annotations

from pages.widgets.about_page import draw_about
from pages.widgets.desk import open_desk, show_notices


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    show_notices()
    draw_about(desk)


main()
