"""Mirrors store/domain/."""
