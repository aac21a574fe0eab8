"""The rules: frozen dataclasses, tables and pure functions; no database, no clock, no screen."""
