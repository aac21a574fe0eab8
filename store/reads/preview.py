"""What a plan would do, for people and programs: a preview writes to no record (DESIGN section 5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.impacts import hidden_scopes, hide, remember, work_out
from store.db.keys import load_parties
from store.db.read_log import Served, count_served
from store.db.records import find_numbers, load_cards, load_ids
from store.db.stays import say_why
from store.db.transaction import Reading, read
from store.db.veils import load_shown, shown_key_names
from store.domain.aftermath import concerned
from store.domain.errors import Code, Refusal
from store.domain.impact import Impact
from store.domain.plans import Plan, check_plan
from store.domain.reach import UNREACHED, Ints
from store.domain.records import Artifact, Claim
from store.domain.snapshot import ANSWERS, CONFLICT, Snapshot
from store.domain.status import KIND_WORD, Kind, Status
from store.domain.text import canonical_json, question_title
from store.domain.times import format_optional, format_time
from store.reads.comparison import describe_comparison
from store.reads.recapture import describe_recapture


@dataclass(slots=True)
class Preview:
    """What somebody saw of a plan.

    Attributes:
        sentence: what the plan would do, in words.
        served: how often what falls was told to agents.
        hidden: how many affected records the viewer may not see, and how many delivered artifacts.
        settlements: for each conflict that is settled its id and key, the ids that stay and go, and what a read answers before and after.
        comparison: for another comparison the declaration before and after, counts, and the conflicts that open, close or change.
        passages: of a recapture, what became of each claim's passage; `evidence`: the version it makes; `proposed`: candidates with new values.
        left: id and reason of each conflict the plan names and leaves alone; they are in `no_effect` too.
        revision: the event after which this was true; `at` the time, microseconds UTC.
    """

    tenant: str
    plan: Plan
    fingerprint: str
    revision: int
    at: int
    complete: bool
    totals: dict[str, Any]
    cells: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    notices: list[dict[str, Any]]
    owners: list[dict[str, Any]]
    unowned: list[str]
    no_effect: list[dict[str, Any]]
    blocked_candidates: list[dict[str, Any]]
    conflicts: dict[str, list[dict[str, Any]]]
    coverage: dict[str, Any]
    served: Served
    hidden: dict[str, int]
    settlements: list[dict[str, Any]] = field(default_factory=list)
    left: list[dict[str, str]] = field(default_factory=list)
    comparison: dict[str, Any] | None = None
    passages: list[dict[str, Any]] = field(default_factory=list)
    evidence: dict[str, Any] | None = None
    proposed: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    impact: Impact | None = field(default=None, repr=False)
    snapshot: Snapshot | None = field(default=None, repr=False)
    visible: Ints | None = field(default=None, repr=False)
    affected: list[dict[str, Any]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the preview as the command line prints it."""
        return {
            "fingerprint": self.fingerprint, "revision": self.revision, "complete": self.complete, "at": format_time(self.at),
            "plan": self.plan.to_json(), "totals": self.totals, "affected": self.affected, "no_effect": self.no_effect,
            "blocked_candidates": self.blocked_candidates, "answers": self.answers, "notices": self.notices, "owners": self.owners,
            "open_questions": self.unowned, "conflicts": self.conflicts, "coverage": self.coverage, "served": {**self.served.to_json(), "since": format_optional(self.served.since)},
            "hidden": self.hidden, **({"settlements": self.settlements, "left": self.left} if self.settlements or self.left else {}),
            **({"passages": self.passages, "evidence": self.evidence, "proposed": self.proposed} if self.evidence is not None else {}),
            **({"comparison": self.comparison} if self.comparison is not None else {}),
        }  # fmt: skip


def preview_plan(store: ClaimStore, person: str, tenant: str, plan: Plan, *, rows: int | None = None, authenticated: bool = False) -> Preview:
    """Return what `plan` would do, and remember it under its fingerprint.

    Args:
        rows: how many affected rows, answers, candidates and untouched records to describe; None for all. `totals` counts all.

    Raises:
        Refusal: something named is not there, not allowed, or no legal step.
    """
    check_plan(plan)
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} that you may see. Check the scope.")
        snapshot, impact = work_out(reading, number, plan)
        preview = describe_impact(reading, number, tenant, snapshot, impact, rows)
        preview.affected = describe_rows(reading, number, preview, 0, rows)
    remember(reading, number, snapshot, impact)
    return preview


def describe_impact(reading: Reading, number: int, tenant: str, snapshot: Snapshot, impact: Impact, rows: int | None = None) -> Preview:
    """Return an impact in words and plain values, without its affected rows, and at most `rows` of each other long list."""
    hidden = hidden_scopes(reading.connection, number, reading.actor)
    shown = hide(snapshot, impact.affected.records, hidden)
    seen_artifacts = hide(snapshot, impact.delivered, hidden)
    by_kind = impact.count_by_kind(snapshot)
    totals = {"affected": len(impact.affected), "by_kind": by_kind, "delivered": len(impact.delivered), "reached": len(impact.walk.records)}
    totals["notices"], totals["candidates"] = len(impact.notices), len(impact.candidates)
    totals["answers"], totals["no_effect"] = len(impact.keys), len(impact.untouched) + len(impact.intent.left)
    left = [{"id": conflict, "why": why} for conflict, why in impact.intent.left]
    if impact.intent.settled or left:
        totals["settled"], totals["left"] = len(impact.intent.settled), len(left)
    preview = Preview(
        tenant, impact.intent.plan, impact.fingerprint, impact.seq, reading.at, impact.complete, totals, _cells(snapshot, impact),
        _answers(reading, number, snapshot, impact, hidden, rows), _notices(reading, number, snapshot, impact, hidden), owners_told(reading, number, snapshot, impact, hidden),
        without_owner(reading, number, snapshot, impact), [*left[:rows], *_untouched(reading, number, snapshot, impact, hidden, rows)],
        _name(reading, number, impact.candidates[hide(snapshot, impact.candidates, hidden)][:rows]), _conflicts(reading, number, snapshot, impact, hidden),
        {"unparented": impact.unparented, "sentence": say_coverage(impact.unparented)}, count_served(reading.connection, number, impact.affected.records),
        {"count": int((~shown).sum()), "delivered": int((~seen_artifacts).sum())}, _settlements(reading, number, impact, rows), left,
        describe_comparison(reading, number, snapshot, impact, hidden, rows),
        impact=impact, snapshot=snapshot, visible=np.flatnonzero(shown),
    )  # fmt: skip
    recaptured = describe_recapture(reading, number, impact, rows)
    if recaptured is not None:
        preview.passages, preview.evidence, preview.proposed = recaptured.passages, recaptured.evidence, recaptured.proposed
        preview.no_effect = [*recaptured.kept, *preview.no_effect][:rows]
        preview.totals |= {"passages": recaptured.totals, "no_effect": preview.totals["no_effect"] + recaptured.count_kept}
    return preview


def say_coverage(unparented: int) -> str:
    """Return a sentence on what no preview can include."""
    if not unparented:
        return "Every accepted claim declares what it rests on."
    return f"{unparented:,} accepted claims declare nothing they rest on, so this cannot include them."


def _cells(snapshot: Snapshot, impact: Impact) -> list[dict[str, Any]]:
    return [
        {"kind": KIND_WORD[Kind(kind)], "from": Status(old).name, "to": Status(new).name, "distance": distance, "count": n}
        for (kind, old, new, distance), n in sorted(impact.count_cells(snapshot).items())
    ]


def describe_rows(
    reading: Reading, number: int, preview: Preview, start: int, limit: int | None, *, delivered_first: bool = False
) -> list[dict[str, Any]]:
    """Return affected rows the viewer may see, nearest first: id, kind, status now and then, distance, and what it was reached through."""
    impact, snapshot, visible = preview.impact, preview.snapshot, preview.visible
    assert impact is not None
    assert snapshot is not None
    assert visible is not None
    affected = impact.affected
    if delivered_first:
        visible = visible[np.argsort(~snapshot.delivered[affected.records[visible]], kind="stable")]
    places = visible[start:] if limit is None else visible[start : start + limit]
    records, via = affected.records[places], affected.via[places]
    parents = np.unique(via[via != UNREACHED]).astype(np.int64)
    parents = parents[hide(snapshot, parents, hidden_scopes(reading.connection, number, reading.actor))]
    ids = load_ids(reading.connection, number, sorted({*records.tolist(), *parents.tolist()}))
    seen = set(parents.tolist())
    rows = zip(
        records.tolist(), affected.old[places].tolist(), affected.new[places].tolist(), affected.distance[places].tolist(), via.tolist(), strict=True
    )
    return [
        {
            "id": ids[record], "kind": KIND_WORD[Kind(int(snapshot.columns.kind[record]))], "from": Status(old).name, "to": Status(new).name,
            "distance": distance, "via": ids.get(parent) if parent in seen else None, "delivered": bool(snapshot.delivered[record]),
        }
        for record, old, new, distance, parent in rows
    ]  # fmt: skip


def _name(reading: Reading, number: int, records: Ints) -> list[dict[str, Any]]:
    ids = load_ids(reading.connection, number, records.tolist())
    return [{"id": ids[record]} for record in records.tolist()]


def _untouched(reading: Reading, number: int, snapshot: Snapshot, impact: Impact, hidden: set[int], rows: int | None) -> list[dict[str, Any]]:
    records = impact.untouched[hide(snapshot, impact.untouched, hidden)][:rows]
    ids, why = load_ids(reading.connection, number, records.tolist()), say_why(reading, number, snapshot, impact, records.tolist())
    return [{"id": ids[record], "why": why[record]} for record in records.tolist()]


def _notices(reading: Reading, number: int, snapshot: Snapshot, impact: Impact, hidden: set[int]) -> list[dict[str, Any]]:
    records = np.array([notice.record for notice in impact.notices], dtype=np.int64)
    shown = hide(snapshot, records, hidden).tolist()
    ids, names = load_ids(reading.connection, number, np.unique(records).tolist()), load_parties(reading.connection, number)
    owners, statuses = snapshot.columns.owner[records].tolist(), snapshot.columns.status[records].tolist()
    words = {int(status): status.name for status in Status}
    return [
        {
            "id": ids[notice.record], "edition": notice.edition, "recipient": notice.recipient, "channel": notice.channel,
            "delivered_at": format_optional(notice.delivered_at), "owner": names.get(owner), "status": words[status],
        }
        for notice, owner, status, visible in zip(impact.notices, owners, statuses, shown, strict=True)
        if visible
    ]  # fmt: skip


def owners_told(reading: Reading, number: int, snapshot: Snapshot, impact: Impact, hidden: set[int]) -> list[dict[str, Any]]:
    """Return who is told, with how many of their artifacts."""
    artifacts = concerned(snapshot, impact)
    artifacts = artifacts[hide(snapshot, artifacts, hidden)]
    names = load_parties(reading.connection, number)
    found: dict[str, int] = {}
    for owner in snapshot.columns.owner[artifacts].tolist():
        if owner:
            found[names[owner]] = found.get(names[owner], 0) + 1
    return [{"id": owner, "artifacts": n} for owner, n in sorted(found.items(), key=lambda item: (-item[1], item[0]))]


def without_owner(reading: Reading, number: int, snapshot: Snapshot, impact: Impact) -> list[str]:
    """Return the affected or delivered artifacts that nobody owns, so that nobody would be told."""
    columns = snapshot.columns
    records = np.unique(np.concatenate([impact.affected.records[columns.kind[impact.affected.records] == Kind.ARTIFACT], impact.delivered]))
    nobody = records[columns.owner[records] == 0].astype(np.int64)
    nobody = nobody[hide(snapshot, nobody, hidden_scopes(reading.connection, number, reading.actor))]
    return sorted(load_ids(reading.connection, number, nobody.tolist()).values())


def _answers(reading: Reading, number: int, snapshot: Snapshot, impact: Impact, hidden: set[int], rows: int | None) -> list[dict[str, Any]]:
    shown = np.flatnonzero(~np.isin(snapshot.keys.scope[impact.keys], list(hidden)))[:rows]
    keys, before, after = impact.keys[shown], impact.before[shown], impact.after[shown]
    named = shown_key_names(reading.connection, number, keys.tolist())
    found = [
        {**named[key], "before": ANSWERS[was], "after": ANSWERS[now]}
        for key, was, now in zip(keys.tolist(), before.tolist(), after.tolist(), strict=True)
    ]
    return sorted(found, key=lambda answer: (answer["scope"], answer["subject"], answer["predicate"], canonical_json(answer["qualifiers"])))


def _conflicts(reading: Reading, number: int, snapshot: Snapshot, impact: Impact, hidden: set[int]) -> dict[str, list[dict[str, Any]]]:
    keys = [key for key in (*impact.opened, *impact.dissolved, *impact.changed) if int(snapshot.keys.scope[key]) not in hidden]
    named = shown_key_names(reading.connection, number, keys)
    return {
        name: [named[key] for key in found if key in named]
        for name, found in (("opened", impact.opened), ("dissolved", impact.dissolved), ("changed", impact.changed))
    }


def _settlements(reading: Reading, number: int, impact: Impact, rows: int | None) -> list[dict[str, Any]]:
    """Return what becomes of each conflict, at most `rows` of them; whoever may plan them may see their sides."""
    settled, becomes = impact.intent.settled[:rows], impact.intent.becomes
    ids = load_ids(reading.connection, number, [record for one in settled for record in one.sides])
    named = shown_key_names(reading.connection, number, [one.key for one in settled])
    found = []
    for one in settled:
        was, now = impact.reads.get(one.key, (CONFLICT, CONFLICT))
        going: dict[str, list[str]] = {"superseded": [], "revoked": [], "suspended": []}
        for record in one.sides:
            then = becomes.get(record, (0, 0))[1]
            for name, status in (("superseded", Status.SUPERSEDED), ("revoked", Status.REVOKED), ("suspended", Status.DISPUTED)):
                if record in becomes and then == status:
                    going[name].append(ids[record])
        found.append({
            "id": one.id, **named[one.key], "verdict": one.verdict.value, "keep": [ids[record] for record in one.keep], **going,
            "before": ANSWERS[was], "after": ANSWERS[now],
        })  # fmt: skip
    return found


def explain_path(store: ClaimStore, person: str, tenant: str, plan: Plan, record_id: str, *, authenticated: bool = False) -> list[dict[str, Any]]:
    """Return one full path from a root of the plan to a record it reaches, root first.

    Raises:
        Refusal: the plan does not reach it, or the viewer may not see it.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} that you may see. Check the scope.")
        snapshot, impact = work_out(reading, number, check_plan(plan))
        return path_of(reading, number, snapshot, impact, record_id)


def path_of(reading: Reading, number: int, snapshot: Snapshot, impact: Impact, record_id: str) -> list[dict[str, Any]]:
    """Return one full path to a record as rows of id, kind, status and title, root first."""
    found = find_numbers(reading.connection, number, [record_id]).get(record_id)
    path = impact.path_to(found) if found is not None else []
    if path and not hide(snapshot, np.array(path[-1:], dtype=np.int64), hidden_scopes(reading.connection, number, reading.actor)).all():
        path = []
    if not path:
        raise Refusal(Code.NOT_FOUND, f"The plan does not reach {record_id!r}, or you may not see it.")
    cards = load_cards(reading.connection, number, path)
    visible = hide(snapshot, np.array(path, dtype=np.int64), hidden_scopes(reading.connection, number, reading.actor))
    return [
        {"id": cards[record].id, "kind": KIND_WORD[cards[record].kind], "status": cards[record].status.name}
        if seen else {"id": "hidden", "kind": KIND_WORD[cards[record].kind], "status": ""}
        for record, seen in zip(path, visible, strict=True)
    ]  # fmt: skip


def title_of(content: Any) -> str:
    """Return a line that names a record's content for people."""
    if isinstance(content, Claim):
        return content.statement or question_title(content.subject, content.predicate)
    if isinstance(content, Artifact):
        return content.title or content.id
    return content.id if content is not None else ""


def titles(reading: Reading, number: int, records: list[int]) -> dict[int, str]:
    """Return record -> a line that names it."""
    cards = load_cards(reading.connection, number, records)
    contents = load_shown(reading.connection, number, list(cards.values()), with_bytes=False)
    return {record: title_of(contents.get(record)) for record in records}
