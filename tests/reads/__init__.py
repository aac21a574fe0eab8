"""Mirrors store/reads/."""
