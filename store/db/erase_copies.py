"""Clearing what is outside: files that left the store, replicas, other logs. Nobody but their holders can clear them, so each is one entry.

Run again, a worker looks at what became of its entries since, and adds those that were not there; what a person settled stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.db.case_events import names_of_people
from store.db.erase_mentions import BLOTTED, clear_messages
from store.db.export_copies import ExportCopy, exports_carrying
from store.db.keys import load_policy
from store.db.messages import emails_of, insert_message
from store.db.proofs import VERIFICATION
from store.db.transaction import Writing
from store.domain.copy_notice import HeldFile, write_copy_body, write_copy_subject
from store.domain.elsewhere import OTHER_LOGS, REPLICAS, Elsewhere, read_elsewhere
from store.domain.forgetting import SETTLED, Cleared, Surface, SurfaceState
from store.domain.mail import find_address
from store.domain.messages import MessageState

_DAY = 24 * 60 * 60 * 1_000_000
#: Who is named as having settled what settled itself.
_ITSELF = "claimdesk"
#: What a screen puts into the name of a file: the beginning of a fingerprint, which is a hash over what was forgotten too.
_FINGERPRINT = re.compile(r"-[0-9a-f]{8}(?=\.)")
_PARTS = re.compile(r"[^\W_]+")


def clear_exports(tx: Writing, request: int, records: Sequence[int]) -> Cleared:
    """Enter every file that carried one of the records, ask its holder to destroy it, and take out of the register what tells of them.

    The surface is open until each holder answered, or somebody settled it with a reason.
    """
    found = exports_carrying(tx.connection, tx.tenant, records)
    macs = _macs_of(tx, request)
    entered = {row.about: row for row in _entries(tx, request, Surface.EXPORTS)}
    fresh: list[ExportCopy] = []
    for one in found:
        kept = _blot(tx, one, macs)
        if one.number in entered:
            row = entered[one.number]
            if SurfaceState(row.state) not in SETTLED and one.gone_at is not None:
                _settle(tx, request, Surface.EXPORTS, row.n, SurfaceState.DONE, by=one.gone_by, at=one.gone_at)
            continue
        gone = one.gone_at is not None
        state = SurfaceState.DONE if gone else SurfaceState.OPEN
        _enter(tx, request, Surface.EXPORTS, state, owner=one.held_by, by=one.gone_by, at=one.gone_at, about=one.number)
        if not gone:
            fresh.append(kept)
    _ask_holders(tx, request, fresh)
    return _sum_up(tx, request, Surface.EXPORTS, len(fresh))


def clear_replicas(tx: Writing, request: int, records: Sequence[int]) -> Cleared:  # noqa: ARG001 - a worker's signature
    """Enter every replica the tenant's policy names: kept under its rule until it lapses, or open for its owner."""
    return _clear_elsewhere(tx, request, Surface.REPLICAS, REPLICAS)


def clear_logs(tx: Writing, request: int, records: Sequence[int]) -> Cleared:  # noqa: ARG001 - a worker's signature
    """Enter every other log the tenant's policy names: kept under its rule until it lapses, or open for its owner."""
    return _clear_elsewhere(tx, request, Surface.LOGS, OTHER_LOGS)


def settle_export(tx: Writing, export: int) -> list[int]:
    """Settle what open requests wait for of a file that is destroyed; return those requests."""
    s, r = t.deletion_surface, t.deletion_request
    query = (
        sa.select(s.c.request, s.c.n, s.c.state)
        .join(r, (r.c.tenant == s.c.tenant) & (r.c.request == s.c.request))
        .where(s.c.tenant == tx.tenant, s.c.surface == Surface.EXPORTS.value, s.c.about == export, s.c.n > 0, r.c.state == 0)
    )
    rows = [row for row in tx.connection.execute(query).all() if SurfaceState(row.state) not in SETTLED]
    _forget_holder(tx, export)
    for row in rows:
        _settle(tx, row.request, Surface.EXPORTS, row.n, SurfaceState.DONE, by=tx.actor.id, at=tx.at)
        cleared = _sum_up(tx, row.request, Surface.EXPORTS, 0)
        by = None if cleared.state is SurfaceState.OPEN else tx.actor.id
        at = tx.at if by else None
        _settle(tx, row.request, Surface.EXPORTS, 0, cleared.state, rule=cleared.rule, until=cleared.until, by=by, at=at)
    return sorted({row.request for row in rows})


def _forget_holder(tx: Writing, export: int) -> None:
    """Blot out who held a file that is destroyed, where that is who was forgotten: until then they had to be known by name."""
    e, s, m, p = t.export_copy, t.deletion_surface, t.message, t.proof
    holder = tx.connection.execute(sa.select(e.c.holder).where(e.c.tenant == tx.tenant, e.c.export == export)).scalar_one_or_none()
    proofs = tx.connection.execute(sa.select(p.c.found).where(p.c.tenant == tx.tenant, p.c.kind == VERIFICATION)).scalars()
    if holder is None or not any(export in json.loads(found).get("holders", ()) for found in proofs):
        return
    tx.connection.execute(sa.update(e).where(e.c.tenant == tx.tenant, e.c.export == export).values(holder=BLOTTED))
    entries = (s.c.tenant == tx.tenant, s.c.surface == Surface.EXPORTS.value, s.c.about == export, s.c.owner == holder)
    tx.connection.execute(sa.update(s).where(*entries).values(owner=BLOTTED))
    others = sa.select(e.c.export).where(e.c.tenant == tx.tenant, e.c.holder == holder, e.c.gone_at.is_(None))
    if tx.connection.execute(others.limit(1)).first() is None:
        to_them = (m.c.tenant == tx.tenant, m.c.recipient == holder)
        clear_messages(tx, tx.connection.execute(sa.select(m.c.message).where(*to_them)).scalars().all())
        tx.connection.execute(sa.update(m).where(*to_them).values(recipient=BLOTTED, address=None))


# --- entries below a surface --------------------------------------------------------------------------------------


def _entries(tx: Writing, request: int, surface: Surface) -> list[Any]:
    s = t.deletion_surface
    query = sa.select(s).where(s.c.tenant == tx.tenant, s.c.request == request, s.c.surface == surface.value, s.c.n > 0)
    return list(tx.connection.execute(query.order_by(s.c.n)))


def _enter(tx: Writing, request: int, surface: Surface, state: SurfaceState, **values: Any) -> None:
    n = max((row.n for row in _entries(tx, request, surface)), default=0) + 1
    tx.connection.execute(
        sa.insert(t.deletion_surface), {"tenant": tx.tenant, "request": request, "surface": surface.value, "n": n, "state": int(state), **values}
    )


def _settle(tx: Writing, request: int, surface: Surface, n: int, state: SurfaceState, **values: Any) -> None:
    s = t.deletion_surface
    where = (s.c.tenant == tx.tenant, s.c.request == request, s.c.surface == surface.value, s.c.n == n)
    tx.connection.execute(sa.update(s).where(*where).values(state=int(state), **values))


def _sum_up(tx: Writing, request: int, surface: Surface, found: int) -> Cleared:
    """Return how far a surface is by its entries: open while one is, else kept as long as the last of them is."""
    rows = _entries(tx, request, surface)
    for row in rows:
        if row.state == SurfaceState.KEPT and row.until is not None and row.until <= tx.at:
            _settle(tx, request, surface, row.n, SurfaceState.DONE, by=_ITSELF, at=row.until)
    rows = _entries(tx, request, surface)
    states = {SurfaceState(row.state) for row in rows}
    if SurfaceState.FAILED in states:
        return Cleared(found, SurfaceState.FAILED)
    if not states <= set(SETTLED):
        return Cleared(found, SurfaceState.OPEN)
    kept = [row for row in rows if row.state == SurfaceState.KEPT]
    if kept:
        last = max(kept, key=lambda row: row.until or 0)
        return Cleared(found, SurfaceState.KEPT, last.rule, last.until)
    return Cleared(found, SurfaceState.UNSUPPORTED if states == {SurfaceState.UNSUPPORTED} else SurfaceState.DONE)


def _clear_elsewhere(tx: Writing, request: int, surface: Surface, setting: str) -> Cleared:
    places = read_elsewhere(load_policy(tx.connection, tx.tenant, tx.tenant_name), setting)
    known = {row.place for row in _entries(tx, request, surface)}
    fresh = [place for place in places if place.name not in known]
    for place in fresh:
        _enter_place(tx, request, surface, place)
    if not known and not fresh:
        _settle(tx, request, surface, 0, SurfaceState.DONE, note="the policy names none")
    return _sum_up(tx, request, surface, len(fresh))


def _enter_place(tx: Writing, request: int, surface: Surface, place: Elsewhere) -> None:
    if place.days is None:
        _enter(tx, request, surface, SurfaceState.OPEN, place=place.name, owner=place.owner)
        return
    rule, until = f"{place.name} forgets after {place.days} days", tx.at + place.days * _DAY
    _enter(tx, request, surface, SurfaceState.KEPT, place=place.name, rule=rule, until=until, owner=place.owner, by=_ITSELF, at=tx.at)


# --- the register and the holders ---------------------------------------------------------------------------------


def _macs_of(tx: Writing, request: int) -> set[str]:
    """Return the keyed digests of the ids a request asks to forget; the ids themselves may be gone already."""
    target = t.deletion_target
    query = sa.select(target.c.id_mac).where(target.c.tenant == tx.tenant, target.c.request == request)
    return {mac for mac in tx.connection.execute(query).scalars() if mac}


def _names(tx: Writing, text: str | None, macs: set[str]) -> bool:
    """Return whether one of the forgotten ids stands in a text, as whole words of it."""
    if not text or not macs:
        return False
    spots = [(part.start(), part.end()) for part in _PARTS.finditer(text)][:40]
    starts, ends = [0, *(start for start, _ in spots)], [*(end for _, end in spots), len(text)]
    pieces = {text[start:end] for start in starts for end in ends if start < end}
    return any(tx.store.ledger.mac_id(tx.tenant_name, piece) in macs for piece in pieces)


def _blot(tx: Writing, one: ExportCopy, macs: set[str]) -> ExportCopy:
    """Take out of a row of the register what tells of the forgotten, and return the row as it is then."""
    name, scope = one.name, one.scope
    if name is not None:
        # The list of dependencies is named after the record it was made around.
        name = None if one.format == "neighbourhood-csv" or _names(tx, name, macs) else _FINGERPRINT.sub("", name)
    if _names(tx, scope, macs):
        scope = None
    if (name, scope) != (one.name, one.scope):
        c = t.export_copy.c
        tx.connection.execute(sa.update(t.export_copy).where(c.tenant == tx.tenant, c.export == one.number).values(name=name, scope=scope))
    return ExportCopy(
        one.number, one.at, one.person, one.format, scope, one.lines, name, one.holder, one.revision, one.records, one.gone_at, one.gone_by
    )


def _ask_holders(tx: Writing, request: int, fresh: Sequence[ExportCopy]) -> None:
    """Draft one message to each holder about the files entered now; what a draft says already is written anew with them."""
    r, m = t.deletion_request, t.message
    name = str(tx.connection.execute(sa.select(r.c.id).where(r.c.tenant == tx.tenant, r.c.request == request)).scalar_one())
    emails, names = emails_of(tx.connection, tx.tenant), names_of_people(tx.connection, tx.tenant, {one.held_by for one in fresh})
    held: dict[str, list[ExportCopy]] = {}
    for one in fresh:
        held.setdefault(one.held_by, []).append(one)
    for holder, its in sorted(held.items()):
        files = [HeldFile(one.number, one.format, one.at, one.name) for one in its]
        address = find_address(holder) or find_address(emails.get(holder))
        number, _ = insert_message(
            tx, correction=None, recipient=holder, address=address, channel="email" if address else "by hand", message_id=None,
            subject=write_copy_subject(files), body=write_copy_body(names.get(holder, holder), tx.actor.name, name, files), state=int(MessageState.DRAFTED),
        )  # fmt: skip
        tx.connection.execute(sa.update(m).where(m.c.tenant == tx.tenant, m.c.message == number).values(request=request))
