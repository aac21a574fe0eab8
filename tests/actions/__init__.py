"""Mirrors store/actions/."""
