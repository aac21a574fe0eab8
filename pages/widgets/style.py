"""The one stylesheet of the desk; the tones follow the theme, light or dark."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

_TONES = {
    "slate": ("#475569", "#94a3b8"), "teal": ("#0f766e", "#2dd4bf"), "violet": ("#6d28d9", "#a78bfa"), "amber": ("#b45309", "#fbbf24"),
    "grey": ("#6b7280", "#9ca3af"), "red": ("#b91c1c", "#f87171"), "rose": ("#9f1239", "#fb7185"),
}  # fmt: skip
_GROUND = {
    "paper": ("#fbfaf7", "#14171a"), "card": ("#ffffff", "#1c2024"), "rule": ("#e7e5df", "#2b3036"), "ink": ("#1c1917", "#e7e5e0"),
    "muted": ("#6b6862", "#9a978f"), "accent": ("#1f4e79", "#8ab4d8"), "mark": ("#fff1b8", "#5a4a12"), "wash": ("#f3f1ec", "#1a1d21"),
    "good": ("#e6f2f0", "#12302c"), "bad": ("#faeaea", "#3a1d1d"), "warn": ("#faf0e1", "#3a2a10"),
}  # fmt: skip
#: The rules, a file per page and one for what all share, which comes first.
_FILES = Path(__file__).with_name("styles")


@cache
def _stylesheet() -> str:
    """Return the stylesheet; `light-dark` follows the theme Streamlit has on, also when it is switched in the menu."""
    variables = " ".join(f"--cd-{name}: light-dark({light}, {dark});" for name, (light, dark) in {**_GROUND, **_TONES}.items())
    tones = " ".join(f".cd-{name} {{ color: var(--cd-{name}); }}" for name in _TONES)
    rules = "\n".join(file.read_text("utf-8") for file in sorted(_FILES.glob("*.css")))
    return f"<style>:root {{ {variables} }} {tones} {rules}</style>"


def apply_style() -> None:
    """Put the stylesheet on the page."""
    st.html(_stylesheet())
