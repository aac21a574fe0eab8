"""What a committed plan did: receipt, predicted against actual, notices, and what agents are told now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from store.db.agenda import name_conflicts
from store.db.claim_store import ClaimStore
from store.db.impacts import hidden_scopes, read_note
from store.db.keys import load_key_names
from store.db.plan_lists import find_sources, load_changes, load_event, load_named, load_operation, load_sent
from store.db.records import find_numbers, load_cards
from store.db.transaction import Reading, read
from store.db.veils import ShownNames
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.plans import Verb
from store.domain.status import KIND_WORD, Kind, Status
from store.domain.text import question_title
from store.reads.answers import Question, answer_now

_VERBS = tuple(verb.value for verb in Verb if verb is not Verb.ERASE)
_NAMED = 200


@dataclass(frozen=True, slots=True)
class PlanResult:
    """A committed plan, read back from its event.

    Attributes:
        predicted: how many records the preview named; None where that was erased. `actual`: how many the event changed.
        cells: kind, status before and after, and how many.
        notices: recipient -> what was sent to them, the editions listed.
        sample: a few answers: what was told before, what is told now.
        blocked: candidates that rest on what fell.
        foreseen: what the preview said of `opened`, `dissolved` and `changed` conflicts, `notices` and `stale` records; empty where it is not kept.
        conflicts: how many opened and dissolved.
        stale: how many records fell stale; `back`: how many stand again; `moved`: how many have another status by now.
        settled, left: conflicts that were settled, and those the plan named and left alone; None where it was about none.
        created: ids of the candidates it made.
    """

    tenant: str
    seq: int
    at: int
    by: str
    by_name: str
    verb: str
    roots: tuple[str, ...]
    words: dict[str, str]
    receipt: str
    reason: str | None
    fingerprint: str | None
    predicted: int | None
    actual: int
    cells: list[dict[str, Any]]
    notices: dict[str, list[dict[str, Any]]]
    owners: dict[str, str]
    waived: dict[str, str]
    sample: list[dict[str, Any]]
    answers: int
    conflicts: tuple[int, int]
    blocked: list[dict[str, str]]
    blocked_count: int
    delivered: int
    hidden: int
    foreseen: dict[str, int]
    stale: int
    back: int
    moved: int
    settled: int | None
    left: int | None
    created: tuple[str, ...]
    hidden_notices: int

    @property
    def as_predicted(self) -> bool | None:
        """Return whether everything came as the preview said; None where what it said is not kept."""
        if self.predicted is None:
            return None
        told = sum(len(rows) for rows in self.notices.values()) + self.hidden_notices
        found = {"opened": self.conflicts[0], "dissolved": self.conflicts[1], "notices": told, "stale": self.stale}
        return self.predicted == self.actual and all(self.foreseen.get(name, value) == value for name, value in found.items())


def load_plan_result(store: ClaimStore, person: str, tenant: str, seq: int, *, authenticated: bool = False) -> PlanResult:
    """Return what the plan committed as event `seq` did.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        event = load_event(reading.connection, number, seq) if number is not None else None
        missing = Refusal(Code.NOT_FOUND, f"There is no committed plan {tenant}-{seq} that you may see. Check the address.")
        if number is None or event is None or event.action not in _VERBS or not reading.actor.scopes_with(Right.INSPECT):
            raise missing
        scopes = hidden_scopes(reading.connection, number, reading.actor)
        note = read_note(reading.connection, number, seq)
        done = load_operation(reading.connection, number, str(note.get("operation", "")))
        words = note.get("words") or [{}, None, None, {}, {}]
        plan = words[0] if isinstance(words[0], dict) else {}
        changes = load_changes(reading.connection, number, seq, event.touched)
        snapshot = reading.snapshot(number)
        scope_of = snapshot.columns.scope
        hidden = sum(1 for record, *_ in changes if int(scope_of[record]) in scopes)
        roots = tuple(plan.get("roots", ()))
        named_roots = _words(reading, number, event.action, plan)
        # A plan that changes no status is seen by whoever may see what it is about.
        if hidden == len(changes) and (changes or not named_roots):
            raise missing
        walk = snapshot.graph.walk(np.array([record for record, *_ in changes], dtype=np.int64)).records if changes else np.empty(0, np.int64)
        waiting = [record for record in walk.tolist() if snapshot.columns.status[record] == Status.CANDIDATE]
        seen = [record for record in sorted(waiting) if int(scope_of[record]) not in scopes]
        named = load_named(reading.connection, number, seen[:5])
        notices, hidden_notices = _notices(reading, number, seq, scopes)
        created = [one for one in (done.get("created"), *done.get("candidates", ())) if one]
        return PlanResult(
            tenant, seq, event.at, event.by, event.name, event.action, roots, named_roots, f"{tenant}-{seq}", note.get("reason"),
            words[1], done.get("predicted"), len(changes), _cells(changes), notices, dict(words[3]), dict(words[4]),
            _sample(reading, number, done.get("sample", []), [record for record, _, old, _ in changes if old == Status.ACCEPTED]), int(done.get("answers", 0)),
            (len(done.get("conflicts_opened", ())), len(done.get("conflicts_dissolved", ()))),
            [{"id": named[record].id, "title": named[record].title} for record in seen[:5]], len(waiting), int(done.get("delivered", 0)), hidden,
            dict(done.get("foreseen", {})), sum(new == Status.STALE for *_, new in changes), sum(new == Status.ACCEPTED for *_, new in changes),
            sum(int(snapshot.columns.status[record]) != new for record, _, _, new in changes), done.get("settled"), done.get("left"),
            tuple(created), hidden_notices,
        )  # fmt: skip


def _words(reading: Reading, number: int, verb: str, plan: dict[str, Any]) -> dict[str, str]:
    """Return id -> what a root is called, of those the person may see."""
    roots = list(plan.get("roots", ()))
    if verb == Verb.COMPARE:
        scope = str(plan.get("scope", ""))
        return {one: one for one in roots if reading.actor.may(Right.READ, scope)}
    if verb in (Verb.RESOLVE, Verb.SETTLE):
        conflicts = name_conflicts(reading.connection, number, roots[:_NAMED]).values()
        return {one.id: question_title(one.subject, one.predicate) for one in conflicts if reading.actor.may(Right.INSPECT, one.scope)}
    records = find_numbers(reading.connection, number, roots)
    cards = load_cards(reading.connection, number, records.values())
    named = load_named(reading.connection, number, [one for one in cards if reading.actor.may(Right.INSPECT, cards[one].scope)])
    found = {one.id: one.title for one in named.values()}
    rows = find_sources(reading.connection, number, [one for one in roots if one not in records])
    found.update({row.id: row.title or row.id for row in rows.values() if reading.actor.may(Right.INSPECT, row.scope)})
    return found


def _cells(changes: list[tuple[int, int, int, int]]) -> list[dict[str, Any]]:
    counts: dict[tuple[int, int, int], int] = {}
    for _, kind, old, new in changes:
        counts[kind, old, new] = counts.get((kind, old, new), 0) + 1
    return [
        {"kind": KIND_WORD[Kind(kind)], "from": Status(old).name, "to": Status(new).name, "count": n}
        for (kind, old, new), n in sorted(counts.items())
    ]


def _notices(reading: Reading, number: int, seq: int, scopes: set[int]) -> tuple[dict[str, list[dict[str, Any]]], int]:
    """Return recipient -> what they hold, and how many notices are about what the person may not see."""
    sent = load_sent(reading.connection, number, seq)
    named = load_named(reading.connection, number, [record for record, *_ in sent])
    snapshot = reading.snapshot(number)
    found: dict[str, list[dict[str, Any]]] = {}
    for record, edition, recipient, channel in sent:
        if int(snapshot.columns.scope[record]) not in scopes:
            one = {"id": named[record].id, "title": named[record].title, "edition": edition, "channel": channel, "owner": named[record].owner}
            found.setdefault(recipient, []).append(one)
    shown = sum(len(rows) for rows in found.values())
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))), len(sent) - shown


def _sample(reading: Reading, number: int, sample: list[list[Any]], fell: list[int]) -> list[dict[str, Any]]:
    keys = load_key_names(reading.connection, number, [key for key, *_ in sample])
    claims = reading.snapshot(number)
    found, names = [], ShownNames(reading.connection, number)
    for key, before, after in sample:
        if key not in keys:
            continue
        asked = keys[key]
        told = set(claims.claims_of_keys(np.array([key], dtype=np.int64)).tolist()) & set(fell)
        named = load_named(reading.connection, number, sorted(told)[:3])
        question = Question(asked["scope"], asked["subject"], asked["predicate"], asked["qualifiers"])
        now = answer_now(reading, question)
        found.append({
            **asked, "subject": names.name(asked["scope"], asked["subject"]), "qualifiers": names.qualifiers(asked["scope"], asked["qualifiers"]), "before": before, "predicted": after, "now": now["result"], "value": [named[one].text for one in sorted(named)],
            "value_now": [claim.get("value") for claim in now["claims"]],
        })  # fmt: skip
    return found
