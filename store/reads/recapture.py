"""What a recapture does to passages, in words and plain values; and which versions arrived without anybody sorting claims against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.keys import load_scopes
from store.db.source_shelf import load_versions, open_shelf
from store.db.transaction import Reading, read
from store.domain.errors import Code, Refusal
from store.domain.impact import Impact
from store.domain.people import Right
from store.domain.recapture import CARRIED
from store.domain.recaptured import Verdict
from store.reads.sources import waiting_sources


@dataclass(frozen=True, slots=True)
class Recapture:
    """A recapture as far as the viewer may see it; `totals` and `count_kept` count all."""

    passages: list[dict[str, Any]]
    evidence: dict[str, Any]
    proposed: list[dict[str, Any]]
    kept: list[dict[str, Any]]
    totals: dict[str, int]
    count_kept: int


def describe_recapture(reading: Reading, number: int, impact: Impact, rows: int | None = None) -> Recapture | None:  # noqa: ARG001
    """Return what becomes of passages, at most `rows` of each list; None where the plan is no recapture."""
    recaptured = impact.intent.recaptured
    if recaptured is None:
        return None

    def seen(scope: str) -> bool:
        return reading.actor.may(Right.INSPECT, scope)

    offered, why = set(recaptured.offered), recaptured.why_kept(set(impact.affected.records.tolist()))
    verdicts = [verdict for verdict in recaptured.verdicts if seen(verdict.scope)][:rows]
    carried = [one for one in recaptured.carried if one.record in why and seen(_scope_of(one.after))][:rows]
    evidence = recaptured.evidence
    return Recapture(
        [_passage(verdict, verdict.record in offered, verdict.record in recaptured.restored) for verdict in verdicts],
        {
            "id": evidence.id, "source": evidence.source, "version": evidence.version, "media_type": evidence.media_type, "sha256": evidence.sha256,
            "new": recaptured.target is None,
        },
        [
            {"id": claim.id, "answers": answers, "value": claim.value, "evidence": [binding.to_line() for binding in claim.evidence]}
            for claim, answers in recaptured.proposed if seen(claim.scope)
        ],
        [{"id": one.after.id, "why": why[one.record]} for one in carried], recaptured.count_fates(), len(why),
    )  # fmt: skip


def _scope_of(content: Any) -> str:
    return str(content.scope)


def _passage(verdict: Verdict, offered: bool, back: bool) -> dict[str, Any]:
    """Return a passage as the command line prints it: where it was, and where it is or what is proposed, with the score."""
    found: dict[str, Any] = {
        "id": verdict.id, "verdict": verdict.fate.value, "status": verdict.status.name, "evidence": verdict.before.evidence,
        "span": verdict.before.span, "quote": verdict.before.quote, "passages": verdict.passages,
    }  # fmt: skip
    after = None if verdict.after is None else {"evidence": verdict.after.evidence, "span": verdict.after.span, "quote": verdict.after.quote}
    if verdict.fate in CARRIED:
        found |= {"now": after, "offered": offered, "comes_back": back}
    else:
        found |= {"proposed": after, "score": verdict.score}
    return found


@dataclass(frozen=True, slots=True)
class Unsorted:
    """A version that arrived without the claims on older ones being sorted against it.

    Attributes:
        id: the newest version; `source` whose; `claims`: how many records rest on older versions that still count.
        older: ids of those versions.
        arrived_at: microseconds UTC.
    """

    tenant: str
    source: str
    title: str | None
    scope: str
    id: str
    version: int
    older: tuple[str, ...]
    claims: int
    arrived_at: int | None


def list_unsorted(store: ClaimStore, person: str, tenant: str, *, source: str | None = None, authenticated: bool = False) -> list[Unsorted]:
    """Return the newer versions nobody sorted, of sources of which the person may see that, by source; what they may not see is not counted.

    Raises:
        Refusal: `not_found`: there is no such tenant for the person.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} that you may see. Check the scope.")
        scopes = load_scopes(reading.connection, number)
        waiting = waiting_sources(reading, number, scopes)
        shelf = open_shelf(reading, number)
        rows = load_versions(reading.connection, number, [one for its in waiting.values() for one in (its.newest, *its.older)])
        found = []
        for its in waiting.values():
            mine, newest = shelf.sources[its.source], rows[its.newest]
            older = tuple(rows[one].id for one in its.older)
            found.append(Unsorted(tenant, mine.id, mine.title, scopes.get(mine.scope, ""), newest.id, newest.version, older, its.resting, newest.captured_at))
        return sorted((one for one in found if source in (None, one.source)), key=lambda one: one.source)
