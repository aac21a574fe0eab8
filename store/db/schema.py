"""What all table definitions share: one metadata, naming, and how keys lead with the tenant."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, MetaData, Text

metadata = MetaData(
    naming_convention={"ix": "ix_%(table_name)s_%(column_0_N_name)s", "uq": "uq_%(table_name)s_%(column_0_N_name)s", "pk": "pk_%(table_name)s"}
)

#: A number that counts itself up.
LONG_NUMBER = BigInteger().with_variant(Integer(), "sqlite")


def tenant_key() -> Column[int]:
    """Return the column every key leads with."""
    return Column("tenant", Integer, primary_key=True, autoincrement=False)


def number_key(name: str) -> Column[int]:
    """Return a whole-number part of a key."""
    return Column(name, Integer, primary_key=True, autoincrement=False)


def word_key(name: str) -> Column[str]:
    """Return a text part of a key."""
    return Column(name, Text, primary_key=True)
