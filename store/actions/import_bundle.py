"""Importing a bundle: staged lines resolved against the store under its lock, then written at once (R1, R7, R9, R29).

Bad lines are values: each is named with its number, id, code and a sentence, and the good ones go in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from store.actions.staging import Progress, Staged, Staging, stage_files, stage_lines
from store.db import tables as t
from store.db.bulk import chunks
from store.db.claim_store import ClaimStore
from store.db.conflicts import CLOSED, refresh_conflicts
from store.db.content import NewRecords, origins
from store.db.engine import explained
from store.db.keys import Numbers
from store.db.recount import revalue_claims
from store.db.transaction import Writing, load_actor, write
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.reach import find_cycles
from store.domain.records import Claim, Evidence
from store.domain.scopes import tenant_of
from store.domain.status import LIVE, Status
from store.domain.text import canonical_json
from store.domain.times import parse_time

_FROM_LINE = {
    "reviewed": Status.ACCEPTED, "stale": Status.STALE, "disputed": Status.DISPUTED, "superseded": Status.SUPERSEDED,
    "revoked": Status.REVOKED, "rejected": Status.REJECTED, "candidate": Status.CANDIDATE,
}  # fmt: skip


class _DryRun(Exception):
    """Ends the transaction of a dry run."""


def import_files(
    store: ClaimStore, person: str, paths: list[Path], *, reviewed: bool = False, dry_run: bool = False, scope: str | None = None,
    operation: str | None = None, progress: Progress | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Import bundle files and return counts and rejected lines.

    Args:
        reviewed: let records come in with the status they claim; needs admin of their scopes.
        dry_run: find out what would happen and write nothing.
        scope: the scope of lines that name none.

    Raises:
        Refusal: a file cannot be read, or the person may not import.
    """
    staging = stage_files(paths, scope, progress)
    words = [[path.name for path in paths], reviewed, scope]
    return _import(store, person, staging, words, reviewed=reviewed, dry_run=dry_run, operation=operation, progress=progress, authenticated=authenticated)


def import_lines(
    store: ClaimStore, person: str, lines: Iterable[bytes], *, reviewed: bool = False, dry_run: bool = False, scope: str | None = None,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Import bundle lines that are in memory; otherwise as `import_files`."""
    staging = stage_lines(Staging(), lines, scope)
    return _import(store, person, staging, ["lines", reviewed, scope], reviewed=reviewed, dry_run=dry_run, operation=operation, authenticated=authenticated)


def _import(
    store: ClaimStore, person: str, staging: Staging, words: Any, *, reviewed: bool, dry_run: bool, operation: str | None,
    progress: Progress | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    result: dict[str, Any] = {
        "imported": {"source": 0, "evidence": 0, "claim": 0, "artifact": 0}, "unchanged": 0, "rejected": [], "conflicts_opened": 0,
        "assumed_utc": [],
    }  # fmt: skip
    try:
        with explained(), store.reader.begin() as connection:
            actor = load_actor(connection, person, authenticated=authenticated)
        tenants = _tenants(store, staging)
        if reviewed:
            for tenant in tenants:
                if not any(actor.may(Right.ADMINISTER, scope) for scope in _scopes_in(staging, tenant)):
                    raise Refusal(Code.NOT_ALLOWED, f"{actor.name} may not import reviewed records into {tenant}: that takes admin there. Nothing was imported. Import without --reviewed.")
        for number, tenant in enumerate(tenants):
            try:
                with write(store, person, tenant, "import", words, operation=_part(operation, number), create=_may_create(actor, tenant), authenticated=authenticated) as tx:
                    if tx.repeated is not None:
                        _merge(result, tx.repeated)
                        continue
                    part = _Import(tx, staging, reviewed, progress).run()
                    tx.result = part
                    tx.reason = "import of reviewed records" if reviewed else None
                    _merge(result, part)
                    if dry_run:
                        raise _DryRun
            except _DryRun:
                continue
        result["rejected"] = [error.to_json() for error in sorted(staging.rejected, key=lambda error: error.line)]
        return result
    finally:
        staging.close()


def _may_create(actor: Any, tenant: str) -> bool:
    return bool(actor.may(Right.ADMINISTER, tenant))


def _part(operation: str | None, number: int) -> str | None:
    return operation if operation is None or number == 0 else f"{operation}:{number}"


def _merge(result: dict[str, Any], part: dict[str, Any]) -> None:
    for kind, count in part["imported"].items():
        result["imported"][kind] += count
    for name in ("unchanged", "conflicts_opened"):
        result[name] += part[name]
    result["assumed_utc"].extend(part["assumed_utc"])


def _scopes_in(staging: Staging, tenant: str) -> list[str]:
    found = {record.scope for record in staging.records if record.scope} | {source.scope for _, source in staging.sources}
    found |= {item.scope for _, item in (*staging.predicates, *staging.policies)}
    found |= {scope for _, person in staging.people for _, scope in person.roles}
    return sorted(scope for scope in found if tenant_of(scope) == tenant) or [tenant]


def _tenants(store: ClaimStore, staging: Staging) -> list[str]:
    """Return the tenants of the files, those of known sources and read records included."""
    found = set(staging.tenants())
    known_here = {source.id for _, source in staging.sources}
    sources = sorted({record.source for record in staging.records if record.source} - known_here)
    read = sorted({record for _, entry in staging.reads for record in entry.records if not entry.scope})
    with explained(), store.reader.begin() as connection:
        for table, ids in ((t.source, sources), (t.record, read)):
            for some in chunks(ids):
                query = sa.select(t.tenant.c.name).join(table, table.c.tenant == t.tenant.c.tenant).where(table.c.id.in_(some)).distinct()
                found.update(connection.execute(query).scalars())
    return sorted(found)


class _Import:
    """One tenant's part of an import, inside its transaction."""

    def __init__(self, tx: Writing, staging: Staging, reviewed: bool, progress: Progress | None) -> None:
        self.tx = tx
        self.staging = staging
        self.reviewed = reviewed
        self.progress = progress
        self.numbers = Numbers(tx.connection, tx.tenant)
        self.imported = {"source": 0, "evidence": 0, "claim": 0, "artifact": 0}
        self.unchanged = 0
        self.assumed: list[int] = []
        self.source_scopes: dict[str, tuple[int, str]] = {}
        self.revalued: set[int] = set()
        self.created: dict[str, tuple[int, Staged]] = {}

    def run(self) -> dict[str, Any]:
        """Take what can be taken and return the counts."""
        self._people()
        self._predicates()
        self._policies()
        self._sources()
        taken, statuses = self._decide()
        opened = self._write(taken, statuses)
        self._reads()
        self._conflict_lines()
        return {
            "imported": self.imported, "unchanged": self.unchanged, "conflicts_opened": opened, "assumed_utc": sorted(self.assumed),
        }  # fmt: skip

    def _mine(self, scope: str) -> bool:
        return tenant_of(scope) == self.tx.tenant_name

    def _allowed(self, right: Right, scope: str, line: int, record_id: str | None, what: str) -> bool:
        if self.tx.actor.may(right, scope):
            return True
        self.staging.reject(line, record_id, Code.NOT_ALLOWED, f"{self.tx.actor.name} may not add {what} in {scope}. Ask an admin of {self.tx.tenant_name}.")
        return False

    # --- people, predicates, policies, sources -----------------------------------------------------------------

    def _people(self) -> None:
        tx = self.tx
        for line, person in self.staging.people:
            roles = [(role, scope) for role, scope in person.roles if self._mine(scope)]
            if not roles:
                continue
            refused = [scope for _, scope in roles if not tx.actor.may(Right.ADMINISTER, scope)]
            if refused:
                self.staging.reject(line, person.id, Code.NOT_ALLOWED, f"{tx.actor.name} may not give roles in {refused[0]}. Nobody grants more than they hold.")
                continue
            p, r = t.person, t.role
            number = tx.connection.execute(sa.select(p.c.person).where(p.c.tenant == tx.tenant, p.c.id == person.id)).scalar_one_or_none()
            if number is None:
                number = tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(p.c.person), 0)).where(p.c.tenant == tx.tenant)).scalar_one() + 1
                tx.connection.execute(sa.insert(p), {"tenant": tx.tenant, "person": number, "id": person.id, "name": person.name})
            else:
                tx.connection.execute(sa.update(p).where(p.c.tenant == tx.tenant, p.c.person == number).values(name=person.name))
            held = tx.connection.execute(sa.select(r.c.role, r.c.scope).where(r.c.tenant == tx.tenant, r.c.person == number)).all()
            for role, scope in held:
                if (role, scope) not in roles and tx.actor.may(Right.ADMINISTER, scope):
                    tx.connection.execute(sa.delete(r).where(r.c.tenant == tx.tenant, r.c.person == number, r.c.role == role, r.c.scope == scope))
            fresh = [{"tenant": tx.tenant, "person": number, "role": role, "scope": scope} for role, scope in roles if (role, scope) not in {tuple(row) for row in held}]
            if fresh:
                tx.connection.execute(sa.insert(r), fresh)

    def _predicates(self) -> None:
        tx = self.tx
        for line, predicate in self.staging.predicates:
            if not self._mine(predicate.scope) or not self._allowed(Right.ADMINISTER, predicate.scope, line, predicate.name, "a predicate"):
                continue
            known = self.numbers.predicates.get((predicate.scope, predicate.name))
            if known == predicate:
                self.unchanged += 1
            elif known is not None:
                self.staging.reject(line, predicate.name, Code.OTHER_CONTENT, f"{predicate.name} is declared otherwise in {predicate.scope}. It stays as it is.")
            else:
                values = {name: getattr(predicate, name) for name in ("scope", "name", "many", "value_type", "order", "series", "compare", "about")}
                tx.connection.execute(sa.insert(t.predicate), {"tenant": tx.tenant, **values})
                self.numbers.predicates[predicate.scope, predicate.name] = predicate
                self.revalued |= revalue_claims(tx, self.numbers, predicate)
                tx.raise_policy_version()

    def _policies(self) -> None:
        tx = self.tx
        for line, policy in self.staging.policies:
            if not self._mine(policy.scope) or not self._allowed(Right.ADMINISTER, policy.scope, line, policy.scope, "a policy"):
                continue
            p = t.policy
            settings = canonical_json(policy.settings)
            known = tx.connection.execute(sa.select(p.c.settings).where(p.c.tenant == tx.tenant, p.c.scope == policy.scope)).scalar_one_or_none()
            if known == settings:
                self.unchanged += 1
                continue
            if known is not None:
                tx.connection.execute(sa.delete(p).where(p.c.tenant == tx.tenant, p.c.scope == policy.scope))
            tx.connection.execute(sa.insert(p), {"tenant": tx.tenant, "scope": policy.scope, "settings": settings})
            tx.raise_policy_version()

    def _sources(self) -> None:
        tx = self.tx
        query = (
            sa.select(t.source, t.scope.c.path)
            .join(t.scope, (t.scope.c.tenant == t.source.c.tenant) & (t.scope.c.scope == t.source.c.scope))
            .where(t.source.c.tenant == tx.tenant)
        )
        named = {source.id for _, source in self.staging.sources} | {record.source for record in self.staging.records if record.source}
        known: dict[str, Any] = {}
        for some in chunks(sorted(named)):
            known.update({row.id: row for row in tx.connection.execute(query.where(t.source.c.id.in_(some)))})
        self.source_scopes = {row.id: (row.source, row.path) for row in known.values()}
        following = tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(t.source.c.source), 0)).where(t.source.c.tenant == tx.tenant)).scalar_one()
        first: dict[str, Any] = {}
        rows = []
        for line, source in self.staging.sources:
            if not self._mine(source.scope) or not self._allowed(Right.PROPOSE, source.scope, line, source.id, "a source"):
                continue
            row = known.get(source.id)
            there = first.get(source.id)
            if row is not None:
                fields = (row.path, row.uri, row.title, row.authority, row.owner, row.family)
                same = fields == (source.scope, source.uri, source.title, source.authority, source.owner, source.family)
            else:
                same = there == source
            if row is not None or there is not None:
                if same:
                    self.unchanged += 1
                else:
                    self.staging.reject(line, source.id, Code.OTHER_CONTENT, f"the source {source.id} is there with other content. It stays as it is; give the other one an id of its own.")
                continue
            following += 1
            first[source.id] = source
            place = self.numbers.scope(source.scope)
            rows.append({
                "tenant": tx.tenant, "source": following, "id": source.id, "scope": place, "uri": source.uri, "title": source.title,
                "authority": source.authority, "owner": source.owner, "family": source.family or source.id,
            })  # fmt: skip
            self.source_scopes[source.id] = (following, source.scope)
            self.imported["source"] += 1
        if rows:
            tx.connection.execute(sa.insert(t.source), rows)

    # --- which lines are taken ---------------------------------------------------------------------------------

    def _decide(self) -> tuple[list[Staged], dict[str, Status]]:
        mine = self._in_scope()
        known = self._known(mine)
        fresh: dict[str, Staged] = {}
        for staged in mine:
            there = known.get(staged.id)
            if there is not None:
                if staged.content_hash in (there.content_hash, there.line_hash):
                    self.unchanged += 1
                else:
                    self.staging.reject(staged.line, staged.id, Code.OTHER_CONTENT, f"{staged.id} is there with other content, as {Status(there.status).name}. It stays as it is; give the other one an id of its own, or amend.")
            elif staged.id in fresh:
                if fresh[staged.id].content_hash == staged.content_hash:
                    self.unchanged += 1
                else:
                    self.staging.reject(staged.line, staged.id, Code.OTHER_CONTENT, f"{staged.id} stands earlier in the file with other content. Keep one of the two.")
            else:
                fresh[staged.id] = staged
        parents = self._parents(fresh)
        self._drop_missing(fresh, parents)
        self._drop_cycles(fresh)
        self._drop_missing(fresh, parents)
        return list(fresh.values()), self._statuses(fresh, parents)

    def _in_scope(self) -> list[Staged]:
        found = []
        for staged in self.staging.records:
            if staged.kind == "evidence":
                known = self.source_scopes.get(staged.source or "")
                if known is None:
                    if len(self.staging.tenants()) <= 1:
                        self.staging.reject(staged.line, staged.id, Code.MISSING_PARENT, f"its source {staged.source} does not exist. Import the source too.")
                    continue
                staged.scope = known[1]
            if staged.scope is None or not self._mine(staged.scope):
                continue
            if self._allowed(Right.PROPOSE, staged.scope, staged.line, staged.id, f"{'an' if staged.kind != 'claim' else 'a'} {staged.kind}"):
                found.append(staged)
        return found

    def _known(self, staged: list[Staged]) -> dict[str, Any]:
        r, s = t.record, t.record_state
        query = sa.select(r.c.id, r.c.content_hash, r.c.line_hash, s.c.status).join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        found: dict[str, Any] = {}
        for some in chunks([one.id for one in staged]):
            found.update({row.id: row for row in self.tx.connection.execute(query.where(r.c.tenant == self.tx.tenant, r.c.id.in_(some)))})
        return found

    def _parents(self, fresh: dict[str, Staged]) -> dict[str, tuple[int, Status]]:
        """Return id -> (number, status) of parents that are in the store already."""
        wanted = sorted({parent for staged in fresh.values() for parent in staged.parents} - set(fresh))
        r, s = t.record, t.record_state
        query = sa.select(r.c.id, r.c.record, s.c.status).join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        found = {}
        for some in chunks(wanted):
            for row in self.tx.connection.execute(query.where(r.c.tenant == self.tx.tenant, r.c.id.in_(some))):
                found[row.id] = (row.record, Status(row.status))
        self.known_parents = found
        return found

    def _drop_missing(self, fresh: dict[str, Staged], known: dict[str, tuple[int, Status]]) -> None:
        below: dict[str, list[str]] = {}
        for staged in fresh.values():
            for parent in staged.parents:
                below.setdefault(parent, []).append(staged.id)
        waiting = [parent for parent in below if parent not in fresh and parent not in known]
        while waiting:
            parent = waiting.pop()
            for child in below.get(parent, ()):
                staged = fresh.pop(child, None)
                if staged is not None:
                    self.staging.reject(staged.line, staged.id, Code.MISSING_PARENT, f"it rests on {parent}, which does not exist or was not taken. Import that one first.")
                    waiting.append(child)

    def _drop_cycles(self, fresh: dict[str, Staged]) -> None:
        place = {record_id: n for n, record_id in enumerate(fresh)}
        pairs = [(place[parent], place[staged.id]) for staged in fresh.values() for parent in staged.parents if parent in place]
        if not pairs:
            return
        names = list(fresh)
        edges = np.array(pairs, dtype=np.int64)
        for group in find_cycles(len(names), edges[:, 0], edges[:, 1]):
            ring = ", ".join(names[n] for n in group[:6])
            for n in group:
                staged = fresh.pop(names[n])
                self.staging.reject(staged.line, staged.id, Code.CYCLE, f"it rests on itself: {ring}. Remove one of these dependencies.")

    def _statuses(self, fresh: dict[str, Staged], known: dict[str, tuple[int, Status]]) -> dict[str, Status]:
        """Return what each record arrives as: reviewed ones on parents that are not all accepted arrive STALE."""
        statuses: dict[str, Status] = {}
        for first in fresh:
            stack = [first]
            while stack:
                staged = fresh[stack[-1]]
                unknown = [parent for parent in staged.parents if parent in fresh and parent not in statuses]
                if unknown:
                    stack.extend(unknown)
                    continue
                statuses[stack.pop()] = self._status(staged, statuses, known)
        return statuses

    def _status(self, staged: Staged, statuses: dict[str, Status], known: dict[str, tuple[int, Status]]) -> Status:
        default = Status.ACCEPTED if staged.kind == "evidence" else Status.CANDIDATE
        if not self.reviewed or staged.wanted is None or staged.scope is None or not self.tx.actor.may(Right.ADMINISTER, staged.scope):
            return default
        wanted = _FROM_LINE.get(staged.wanted, default)
        if wanted is Status.CANDIDATE and staged.kind == "evidence":
            return default
        if wanted is Status.ACCEPTED:
            for parent in staged.parents:
                status = statuses[parent] if parent in statuses else known[parent][1]
                if status is not Status.ACCEPTED:
                    return Status.STALE
        return wanted

    # --- writing -----------------------------------------------------------------------------------------------

    def _write(self, taken: list[Staged], statuses: dict[str, Status]) -> int:
        tx = self.tx
        tx.next_record = max(tx.next_record, 1)
        start = tx.allocate(len(taken))
        place = {staged.id: start + n for n, staged in enumerate(taken)}
        ids = {**{name: number for name, (number, _) in self.known_parents.items()}, **place}
        new = NewRecords(tx, self.numbers)
        for some in (taken[at : at + 20_000] for at in range(0, len(taken), 20_000)):
            contents = [self.staging.content(staged) for staged in some]
            new.prepare_keys([record for record in contents if isinstance(record, Claim)])
            for staged, record in zip(some, contents, strict=True):
                source = self.source_scopes[record.source][0] if isinstance(record, Evidence) else None
                new.add(place[staged.id], record, statuses[staged.id], origins(record, ids), scope=staged.scope or "", source=source, ids=ids)
                self.imported[staged.kind] += 1
                if staged.assumed_utc:
                    self.assumed.append(staged.line)
            if self.progress:
                self.progress("writing", place[some[-1].id] - start + 1, len(taken))
        new.flush()
        self._write_marks(taken, statuses, place)
        live = [place[staged.id] for staged in taken if statuses[staged.id] in LIVE and staged.kind == "claim"]
        keys = self._keys_of(live) | self.revalued
        self._shared = keys
        changes = refresh_conflicts(tx, self._contestable(keys), f"import, event {tx.seq}")
        return len(changes.opened)

    def _keys_of(self, records: list[int]) -> set[int]:
        if not records:
            return set()
        query = sa.select(t.record.c.key).where(t.record.c.tenant == self.tx.tenant, t.record.c.record.between(min(records), max(records)), t.record.c.key.is_not(None))
        return set(self.tx.connection.execute(query.distinct()).scalars())

    def _contestable(self, keys: set[int]) -> list[int]:
        """Return those keys that more than one live claim has, which is a small part of a large import."""
        r, s = t.record, t.record_state
        query = (
            sa.select(r.c.key)
            .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
            .where(r.c.tenant == self.tx.tenant, s.c.status.in_([int(status) for status in LIVE]))
            .group_by(r.c.key)
            .having(sa.func.count() > 1)
        )
        found: list[int] = []
        for some in chunks(sorted(keys)):
            found.extend(self.tx.connection.execute(query.where(r.c.key.in_(some))).scalars())
        known = set(found)
        found.extend(key for key in self.revalued if key not in known)
        return found

    def _write_marks(self, taken: list[Staged], statuses: dict[str, Status], place: dict[str, int]) -> None:
        """Write successors and the routes of rejections that lines carry."""
        tx = self.tx
        successors, decisions = [], []
        for staged in taken:
            status = statuses[staged.id]
            if status is Status.SUPERSEDED and staged.superseded_by:
                successor = place.get(staged.superseded_by) or tx.connection.execute(
                    sa.select(t.record.c.record).where(t.record.c.tenant == tx.tenant, t.record.c.id == staged.superseded_by)
                ).scalar_one_or_none()
                if successor is not None:
                    successors.append({"tenant": tx.tenant, "record": place[staged.id], "successor": successor})
            elif status is Status.REJECTED:
                decisions.append({
                    "tenant": tx.tenant, "record": place[staged.id], "seq": tx.seq, "action": "reject", "person": tx.person, "at": tx.at,
                    "version": 1, "route": staged.route or "rejected", "reason": None, "terms": None,
                })  # fmt: skip
        if successors:
            tx.connection.execute(sa.insert(t.succession), successors)
        if decisions:
            tx.connection.execute(sa.insert(t.decision), decisions)

    def _reads(self) -> None:
        tx = self.tx
        for line, entry in self.staging.reads:
            known: dict[str, tuple[int, int, str]] = {}
            for some in chunks(sorted(set(entry.records))):
                query = (
                    sa.select(t.record.c.id, t.record.c.record, t.record_state.c.version, t.scope.c.path)
                    .join(t.record_state, (t.record_state.c.tenant == t.record.c.tenant) & (t.record_state.c.record == t.record.c.record))
                    .join(t.scope, (t.scope.c.tenant == t.record.c.tenant) & (t.scope.c.scope == t.record_state.c.scope))
                    .where(t.record.c.tenant == tx.tenant, t.record.c.id.in_(some))
                )
                known.update({row[0]: (row[1], row[2], row[3]) for row in tx.connection.execute(query)})
            if not known and not (entry.scope and self._mine(entry.scope)):
                if entry.records and self._is_first_tenant():
                    self.staging.reject(line, None, Code.MISSING_PARENT, f"none of the records it names exists, such as {entry.records[0]}.")
                continue
            scope = entry.scope or next(iter(known.values()))[2]
            if not self._allowed(Right.PROPOSE, scope, line, None, "a read"):
                continue
            missing = [record for record in entry.records if record not in known]
            if missing:
                self.staging.reject(line, None, Code.MISSING_PARENT, f"it names {missing[0]}, which does not exist. Import that one first.")
                continue
            number = tx.connection.execute(
                sa.insert(t.read_log).values(tenant=tx.tenant, task=entry.task, by=entry.by, at=entry.at, scope=entry.scope)
            ).inserted_primary_key[0]
            rows = [
                {"tenant": tx.tenant, "record": known[record][0], "n": number, "place": n, "version": known[record][1]}
                for n, record in enumerate(dict.fromkeys(entry.records))
            ]
            if rows:
                tx.connection.execute(sa.insert(t.read_log_record), rows)

    def _is_first_tenant(self) -> bool:
        """Return whether this part of the import speaks for lines that no tenant can place."""
        return self.staging.tenants()[:1] in ([], [self.tx.tenant_name])

    def _conflict_lines(self) -> None:
        """Take what exported conflicts carry beyond the rule: verdicts, questions, owners, and those that are closed."""
        tx = self.tx
        for line, entry in self.staging.conflicts:
            if not self._mine(entry.scope):
                continue
            if not self.reviewed or not self._allowed(Right.ADMINISTER, entry.scope, line, entry.id, "a conflict"):
                if not self.reviewed:
                    self.staging.reject(line, entry.id, Code.NOT_ALLOWED, "verdicts come in only with --reviewed.")
                continue
            key = self.numbers.key(entry.scope, entry.subject, entry.predicate, entry.qualifiers)
            c = t.conflict
            fields = {name: entry.fields.get(name) for name in ("verdict", "reason", "question", "asked", "owner", "cause", "former", "signature")}
            for name in ("opened_at", "closed_at"):
                moment = entry.fields.get(name)
                fields[name] = None if moment is None else parse_time(moment)[0]
            there = tx.connection.execute(sa.select(c.c.conflict).where(c.c.tenant == tx.tenant, c.c.id == entry.id)).scalar_one_or_none()
            if entry.state == "open":
                opened = tx.connection.execute(sa.select(c.c.conflict).where(c.c.tenant == tx.tenant, c.c.key == key, c.c.state == 0)).scalar_one_or_none()
                if opened is not None:
                    tx.connection.execute(sa.update(c).where(c.c.tenant == tx.tenant, c.c.conflict == opened).values(id=entry.id, **fields))
                continue
            if there is not None:
                self.unchanged += 1
                continue
            number = tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(c.c.conflict), 0)).where(c.c.tenant == tx.tenant)).scalar_one() + 1
            tx.connection.execute(sa.insert(c), {
                "tenant": tx.tenant, "conflict": number, "id": entry.id, "key": key, "state": CLOSED, "opened_seq": tx.seq, "closed_seq": tx.seq, **fields,
            })  # fmt: skip
            records = [self._number(claim) for claim in entry.claims]
            sides = [{"tenant": tx.tenant, "conflict": number, "record": record} for record in records if record is not None]
            if sides:
                tx.connection.execute(sa.insert(t.conflict_side), sides)

    def _number(self, record_id: str) -> int | None:
        return self.tx.connection.execute(
            sa.select(t.record.c.record).where(t.record.c.tenant == self.tx.tenant, t.record.c.id == record_id)
        ).scalar_one_or_none()


def show_progress(report: Callable[[str], None]) -> Progress:
    """Return a progress function that says what is being done and how much is left."""

    def progress(what: str, done: int, total: int) -> None:
        share = f" {100 * done // total} %" if total else ""
        report(f"{what}{share} ({done:,} of {total:,})")

    return progress
