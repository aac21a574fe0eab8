"""Pieces that screens share; a folder below pages/, so that none of them becomes a page."""
