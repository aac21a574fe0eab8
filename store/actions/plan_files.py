"""Keeping the file a plan speaks of, apart from every record, until the plan is committed or forgotten."""

from __future__ import annotations

import json
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.engine import explained
from store.db.plan_files import PlanFile, load_values, save_plan_file, save_values
from store.db.transaction import Reading, read
from store.domain.errors import Code, Refusal
from store.domain.media import examine_file, need_sure
from store.domain.people import Right
from store.domain.renditions import render
from store.domain.scopes import EVERYWHERE, tenant_of

_LONGEST_VALUES = 1_000_000


def keep_plan_file(
    store: ClaimStore, person: str, tenant: str, content: bytes, *, name: str | None = None, media_type: str | None = None,
    encoding: str | None = None, authenticated: bool = False,
) -> PlanFile:  # fmt: skip
    """Keep a file under its hash, so that a plan can speak of it; no record is written.

    Args:
        name: the file's name; its ending says what the file is where nothing is stated.
        media_type, encoding: what it is stated to be.

    Returns:
        The file without its bytes: `sha256` and `media_type` go into the plan.

    Raises:
        Refusal: the file is empty, too large, broken, or not what it is said to be, or the person may decide nothing in the tenant.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = _need(reading, tenant, Right.DECIDE)
        examined = examine_file(content, name, media_type, encoding=encoding)
        need_sure(examined)
        render(content, examined.media_type)
        with explained():
            return save_plan_file(reading, number, content, name, examined.media_type)


def _need(reading: Reading, tenant: str, right: Right) -> int:
    number = reading.tenant_number(tenant)
    if number is None:
        raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} that you may see. Check the scope.")
    places = [tenant if scope == EVERYWHERE else scope for _, scope in reading.actor.roles if scope == EVERYWHERE or tenant_of(scope) == tenant]
    if not any(reading.actor.may(right, place) for place in places):
        reading.actor.need(right, tenant, "keep something for a plan")
    return number


def keep_plan_values(
    store: ClaimStore, person: str, tenant: str, source: str, file: str, values: dict[str, Any], *, authenticated: bool = False
) -> None:
    """Keep what a person typed for a plan about a source and a file, for them alone and until it is a week old; no record is written.

    Args:
        values: any JSON object; an empty one forgets what was kept.

    Raises:
        Refusal: it is too long, or the person may propose nothing in the tenant.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = _need(reading, tenant, Right.PROPOSE)
        if len(json.dumps(values)) > _LONGEST_VALUES:
            raise Refusal(Code.BAD_VALUE, f"What was typed is longer than {_LONGEST_VALUES:,} characters. Nothing was kept. Shorten it.")
        with explained():
            save_values(reading, number, source, file, values)


def recall_plan_values(store: ClaimStore, person: str, tenant: str, source: str, file: str, *, authenticated: bool = False) -> dict[str, Any]:
    """Return what the person typed for a plan about a source and a file; nothing where it is not kept.

    Raises:
        Refusal: `not_found`: there is no such tenant for the person.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} that you may see. Check the scope.")
        return load_values(reading, number, source, file)
