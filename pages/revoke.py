"""Candidates."""
from pages.widgets.desk import open_desk
open_desk()
