"""Copies of stores for the tests take their ledger of erasures along; the ledgers of PostgreSQL stores lie in the tests' own folder."""

import os
import shutil
from pathlib import Path

import sqlalchemy as sa


def ledgers_of(url):
    """Every file in the ledger's place of one database."""
    parsed = sa.engine.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        path = Path(f"{parsed.database}.ledger")
        return [path] if path.exists() else []
    return sorted((Path(os.environ["XDG_STATE_HOME"]) / "claimdesk").glob(f"{parsed.database}-{'[0-9a-f]' * 32}.ledger"))


def copy_ledger(from_url, to_url):
    """Give a copy of a database, made past the store, a copy of its ledger."""
    name, target = (sa.engine.make_url(url).database for url in (from_url, to_url))
    for path in ledgers_of(from_url):
        shutil.copy(path, f"{target}.ledger" if from_url.startswith("sqlite") else path.with_name(target + path.name.removeprefix(name)))


def remove_ledger(url):
    """Remove the ledger of a database that is dropped."""
    for path in ledgers_of(url):
        path.unlink()
