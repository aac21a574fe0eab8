"""Tests are sentences about behaviour, through the public door, on a real SQLite file and a real PostgreSQL."""
