"""Which records of an import are taken, what they arrive as, and writing them (R1, R7, R9)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from store.actions.import_part import ImportPart
from store.actions.staging import Staged
from store.db.conflicts import refresh_conflicts
from store.db.content import NewRecords, origins
from store.db.corrections import join_arrived
from store.db.erased import Erased
from store.db.forgetting import erased_or_asked
from store.db.import_lookups import Known, add_rejections, add_successors, crowded_keys, keys_between, load_known, load_versions
from store.db.kept import excluded_by
from store.db.records import load_shas
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.reach import find_cycles
from store.domain.records import Claim, Evidence, full_hash
from store.domain.renditions import render
from store.domain.status import FORGOTTEN, LIVE, STANDS, Status

_FROM_LINE = {
    "reviewed": Status.ACCEPTED,
    "stale": Status.STALE,
    "disputed": Status.DISPUTED,
    "superseded": Status.SUPERSEDED,
    "revoked": Status.REVOKED,
    "rejected": Status.REJECTED,
    "candidate": Status.CANDIDATE,
}


def choose_records(part: ImportPart) -> tuple[list[Staged], dict[str, Status]]:
    """Return the records that are taken, and what each arrives as."""
    mine = _choose_in_scope(part)
    known = load_known(part.tx.connection, part.tx.tenant, [staged.id for staged in mine])
    erased = erased_or_asked(part.tx.connection, part.tx.store, part.tx.tenant, part.tx.tenant_name)
    fresh: dict[str, Staged] = {}
    for staged in mine:
        there = known.get(staged.id)
        if _is_forgotten(part, staged, there, erased):
            continue
        if there is not None:
            if staged.content_hash == there.line_hash or _is_current(part, staged, there.content_hash):
                part.unchanged += 1
                part.known.append({"line": staged.line, "id": staged.id, "status": there.status.name})
            else:
                part.staging.reject(
                    staged.line,
                    staged.id,
                    Code.OTHER_CONTENT,
                    f"{staged.id} is there with other content, and {STANDS[there.status]}. It stays as it is; give the other one an id of its own, or amend.",
                )
        elif staged.id in fresh:
            if fresh[staged.id].content_hash == staged.content_hash:
                part.unchanged += 1
            else:
                part.staging.reject(
                    staged.line, staged.id, Code.OTHER_CONTENT, f"{staged.id} stands earlier in the file with other content. Keep one of the two."
                )
        else:
            fresh[staged.id] = staged
    _drop_taken_versions(part, fresh)
    parents = _load_parents(part, fresh)
    _drop_missing(part, fresh, parents)
    _drop_cycles(part, fresh)
    _drop_missing(part, fresh, parents)
    return list(fresh.values()), _decide_statuses(part, fresh, parents)


def _is_forgotten(part: ImportPart, staged: Staged, there: Known | None, erased: Erased) -> bool:
    """Return whether a line is about something that was forgotten, or says only that; counted or rejected here, but for a new tombstone."""
    if staged.gone is not None:
        if there is None and not erased.has_id(staged.id):
            return False
        if there is not None and there.status is staged.gone:
            part.unchanged += 1
        else:
            part.staging.reject(staged.line, staged.id, Code.OTHER_CONTENT, "a line cannot delete what is there. Use: erase request.")
        return True
    pending = there is not None and there.status in FORGOTTEN
    value = False
    if erased.values and staged.kind == "claim" and not pending:
        record = part.staging.content(staged)
        value = isinstance(record, Claim) and erased.has_value(record.scope, record.subject, record.predicate, record.qualifiers, record.value)
    if not pending and not value and not erased.has_id(staged.id):
        return False
    what = "what it states was forgotten on request and cannot come back" if value else "its record was forgotten on request and cannot come back"
    part.staging.reject(staged.line, staged.id, Code.ERASED_BEFORE, f"{what}. Leave the line out.")
    return True


def _is_current(part: ImportPart, staged: Staged, content_hash: str) -> bool:
    """Return whether a line says what a record says now, after amendments."""
    shas = load_shas(part.tx.connection, part.tx.tenant, staged.parents)
    return full_hash(part.staging.content(staged), staged.content_hash, shas) == content_hash


def _choose_in_scope(part: ImportPart) -> list[Staged]:
    found = []
    for staged in part.staging.records:
        if staged.tenant != part.tx.tenant_name:
            continue
        if staged.gone is not None:
            staged.scope = part.tx.tenant_name
            if not part.reviewed or not part.tx.actor.may(Right.ADMINISTER, staged.scope):
                why = f"it says that a record is forgotten, which takes a reviewed import by an admin of {staged.scope}."
                part.staging.reject(staged.line, staged.id, Code.NOT_ALLOWED, why)
                continue
            found.append(staged)
            continue
        if staged.kind == "evidence":
            known = part.source_scopes.get(staged.source or "")
            if known is None:
                what = f"its source {staged.source} does not exist or was not taken. Import that one first."
                part.staging.reject(staged.line, staged.id, Code.MISSING_PARENT, what)
                continue
            staged.scope = known[1]
            if staged.stated_text and not _text_is_own(part, staged, known[1]):
                continue
        if staged.scope is None:
            continue
        if part.allows(Right.PROPOSE, staged.scope, staged.line, staged.id, f"{'an' if staged.kind != 'claim' else 'a'} {staged.kind}"):
            found.append(staged)
    return found


def _text_is_own(part: ImportPart, staged: Staged, scope: str) -> bool:
    """Return whether a line may say what text was taken out of its bytes: an admin's reviewed import may, else it must be what is taken here."""
    if part.reviewed and part.tx.actor.may(Right.ADMINISTER, scope):
        return True
    evidence = part.staging.content(staged)
    assert isinstance(evidence, Evidence)
    assert evidence.rendition is not None
    try:
        own = render(evidence.content, evidence.media_type)
    except Refusal:
        own = None
    # What was a PDF before passages were blotted out of it is its own text.
    if evidence.redacted and own is None and evidence.content == evidence.rendition.text.encode("utf-8", "surrogatepass"):
        return True
    if own is not None and (own.text, own.pages) == (evidence.rendition.text, evidence.rendition.pages):
        return True
    what = "the text it states is not the text taken out of its bytes here. Leave the rendition out, or let an admin import it with --reviewed."
    part.staging.reject(staged.line, staged.id, Code.OTHER_CONTENT, what)
    return False


def _drop_taken_versions(part: ImportPart, fresh: dict[str, Staged]) -> None:
    """Refuse the later of two versions of a source that have one number: nobody could say which of them is the newer."""
    versions = [staged for staged in fresh.values() if staged.version is not None]
    taken = load_versions(part.tx.connection, part.tx.tenant, {part.source_scopes[one.source][0] for one in versions if one.source in part.source_scopes})
    for staged in versions:
        number = part.source_scopes[staged.source or ""][0], staged.version or 0
        there = taken.setdefault(number, staged.id)
        if there != staged.id:
            del fresh[staged.id]
            what = f"{staged.source} has a version {staged.version} already, {there}. Give this one the next number, or leave it out."
            part.staging.reject(staged.line, staged.id, Code.OTHER_CONTENT, what)


def _load_parents(part: ImportPart, fresh: dict[str, Staged]) -> dict[str, tuple[int, Status]]:
    """Return id -> (number, status) of parents that are in the store already."""
    wanted = {parent for staged in fresh.values() for parent in staged.parents} - set(fresh)
    known = load_known(part.tx.connection, part.tx.tenant, wanted)
    part.known_parents = {record_id: (one.number, one.status) for record_id, one in known.items()}
    if not part.tx.actor.may(Right.READ, part.tx.tenant_name):
        _drop_unreadable(part, fresh, {record_id: one.scope for record_id, one in known.items()})
    return part.known_parents


def _drop_unreadable(part: ImportPart, fresh: dict[str, Staged], scopes: Mapping[str, str]) -> None:
    """Refuse what rests on records that the importer may not read, as if those were not there."""
    for staged in list(fresh.values()):
        unread = [one for one in sorted(staged.parents) if one in scopes and staged.scope is not None and not part.tx.actor.may_rest_on(scopes[one], staged.scope)]
        if unread:
            _drop(part, fresh.pop(staged.id), unread[0])


def _drop(part: ImportPart, staged: Staged, parent: str) -> None:
    part.staging.reject(staged.line, staged.id, Code.MISSING_PARENT, f"it rests on {parent}, which does not exist or was not taken. Import that one first.")


def _drop_missing(part: ImportPart, fresh: dict[str, Staged], known: dict[str, tuple[int, Status]]) -> None:
    below: dict[str, list[str]] = {}
    for staged in fresh.values():
        for parent in staged.parents:
            below.setdefault(parent, []).append(staged.id)
    waiting = [parent for parent in below if parent not in fresh and parent not in known]
    while waiting:
        parent = waiting.pop()
        for child in below.get(parent, ()):
            if child in fresh:
                _drop(part, fresh.pop(child), parent)
                waiting.append(child)


def _drop_cycles(part: ImportPart, fresh: dict[str, Staged]) -> None:
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
            part.staging.reject(staged.line, staged.id, Code.CYCLE, f"it rests on itself: {ring}. Remove one of these dependencies.")


def _decide_statuses(part: ImportPart, fresh: dict[str, Staged], known: dict[str, tuple[int, Status]]) -> dict[str, Status]:
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
            statuses[stack.pop()] = _decide_status(part, staged, statuses, known)
    return statuses


def _decide_status(part: ImportPart, staged: Staged, statuses: dict[str, Status], known: dict[str, tuple[int, Status]]) -> Status:
    if staged.gone is not None:
        return staged.gone
    default = Status.ACCEPTED if staged.kind == "evidence" else Status.CANDIDATE
    if not part.reviewed or staged.wanted is None or staged.scope is None or not part.tx.actor.may(Right.ADMINISTER, staged.scope):
        return default
    wanted = _FROM_LINE.get(staged.wanted, default)
    if wanted is Status.CANDIDATE and staged.kind == "evidence":
        return default
    if wanted is Status.ACCEPTED:
        for parent in staged.parents:
            status = statuses[parent] if parent in statuses else known[parent][1]
            if status is not Status.ACCEPTED:
                return Status.STALE
        why = _not_kept(part, staged)
        if why is not None:
            message = f"{why}, so it needs re-validation instead of being accepted. Withdraw it, or ask an admin what the policy should keep."
            part.not_kept.append({"line": staged.line, "id": staged.id, "message": message})
            return Status.STALE
    return wanted


def _not_kept(part: ImportPart, staged: Staged) -> str | None:
    """Return why what stood here before excludes a claim that says it was accepted elsewhere."""
    if staged.kind != "claim" or not any("kept_types" in one or "sensitivities" in one for _, one in part.policies):
        return None
    content = part.staging.content(staged)
    return excluded_by(part.policies, content) if isinstance(content, Claim) else None


def write_records(part: ImportPart, taken: list[Staged], statuses: dict[str, Status]) -> int:
    """Write the records taken and return how many conflicts that opened."""
    tx = part.tx
    tx.next_record = max(tx.next_record, 1)
    start = tx.allocate(len(taken))
    place = {staged.id: start + n for n, staged in enumerate(taken)}
    ids = {**{name: number for name, (number, _) in part.known_parents.items()}, **place}
    shas = load_shas(tx.connection, tx.tenant, part.known_parents)
    shas |= {staged.id: staged.sha256 for staged in taken if staged.sha256 is not None}
    new = NewRecords(tx, part.numbers, shas, checked=True)
    step = 20_000 if len(taken) > 100_000 else 4_000
    for some in (taken[at : at + step] for at in range(0, len(taken), step)):
        contents = [part.staging.content(staged) for staged in some]
        new.prepare_keys([record for staged, record in zip(some, contents, strict=True) if isinstance(record, Claim) and staged.gone is None])
        for staged, record in zip(some, contents, strict=True):
            source = part.source_scopes[record.source][0] if isinstance(record, Evidence) and staged.gone is None else None
            new.add(
                place[staged.id], record, statuses[staged.id], origins(record, ids), scope=staged.scope or "", source=source, ids=ids,
                line_hash=staged.content_hash,
            )  # fmt: skip
            part.imported[staged.kind] += 1
            part.arrived[statuses[staged.id].name] = part.arrived.get(statuses[staged.id].name, 0) + 1
            if staged.assumed_utc:
                part.assumed.append(staged.line)
        part.say("writing", place[some[-1].id] - start + 1, len(taken))
    new.flush()
    part.say("comparing", len(taken), len(taken))
    _write_marks(part, taken, statuses, place)
    arrived = {staged.source for staged in taken if staged.kind == "evidence" and staged.source in part.source_scopes}
    join_arrived(tx, sorted(part.source_scopes[source][0] for source in arrived if source is not None))
    live = [place[staged.id] for staged in taken if statuses[staged.id] in LIVE and staged.kind == "claim"]
    keys = keys_between(tx.connection, tx.tenant, min(live), max(live)) if live else set()
    contestable = {*crowded_keys(tx.connection, tx.tenant, keys | part.revalued), *part.revalued}
    changes = refresh_conflicts(tx, contestable, f"import, event {tx.seq}")
    return len(changes.opened)


def _write_marks(part: ImportPart, taken: list[Staged], statuses: dict[str, Status], place: dict[str, int]) -> None:
    """Write successors and the routes of rejections that lines carry."""
    tx = part.tx
    replaced = [staged for staged in taken if statuses[staged.id] is Status.SUPERSEDED and staged.superseded_by]
    elsewhere = {staged.superseded_by for staged in replaced if staged.superseded_by and staged.superseded_by not in place}
    known = {record_id: one.number for record_id, one in load_known(tx.connection, tx.tenant, elsewhere).items()}
    numbers = {**known, **place}
    add_successors(tx, [(place[one.id], numbers[one.superseded_by]) for one in replaced if one.superseded_by in numbers])
    add_rejections(tx, [(place[one.id], one.route or "rejected") for one in taken if statuses[one.id] is Status.REJECTED])
