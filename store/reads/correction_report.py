"""The report of a correction: what was wrong, what fell and how each was settled, who decided what, who was told (R25).

The page shows the beginning of long lists and says so; the CSV holds all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.db.candidate_facts import load_evidence
from store.db.case_events import NamedCaseEvent, load_case_events
from store.db.case_facts import notices_of
from store.db.case_tells import load_messages, load_remedies
from store.db.claim_store import ClaimStore
from store.db.correction_falls import events_of, load_fallen
from store.db.corrections import Case
from store.db.export_copies import carry
from store.db.impacts import hidden_scopes, hide
from store.db.plan_lists import Named, load_named, versions_of
from store.db.records import find_numbers, load_cards, load_contents, load_ids, successors_of
from store.db.transaction import Reading, read
from store.domain.corrections import WAY_WORD, Way
from store.domain.handing_out import Carried, Handout
from store.domain.passages import PassageSorter
from store.domain.records import Claim
from store.domain.status import Kind, Status
from store.domain.text import guard_cell
from store.domain.times import format_time
from store.reads.corrections import CaseView, describe_case, find_visible_case
from store.reads.export import write_cells

#: Rows of each list that the page shows, and passages that are compared at most.
REPORT_ROWS = 200
_PASSAGES = 500


@dataclass(frozen=True, slots=True)
class ReportPassage:
    """A passage of a source of the case whose claim fell: what it said, and what stands there now. Texts come from outside.

    Attributes:
        after: None where nothing like it is there any more. `verdict`: unchanged, moved, cosmetic, changed or gone.
        answer: the claim that took its place, with its value as JSON.
    """

    claim: str
    title: str
    source: str
    old: str
    new: str
    verdict: str
    before: str | None
    after: str | None
    answer: str | None
    value_before: str | None
    value_after: str | None


@dataclass(frozen=True, slots=True)
class ReportFall:
    """A record that fell: by which event, and how it was settled. Texts come from outside; times in microseconds UTC.

    Attributes:
        settled: `open`, `by hand` or `together`; `action`, `by`, `at`, `reason`: of the event that settled it.
    """

    id: str
    kind: str
    title: str
    status: str
    fell_by: str
    fell_at: int | None
    settled: str
    action: str | None
    by: str | None
    at: int | None
    reason: str | None
    successor: str | None


@dataclass(frozen=True, slots=True)
class ReportEdition:
    """A delivered artifact the case's notices are about, and what became of it. Texts come from outside.

    Attributes:
        remedy: `edition`, `annotation` or `none`; None where nothing was done about it. `new`: id of the new edition.
    """

    id: str
    title: str
    edition: int
    status: str
    remedy: str | None
    new: str | None
    text: str | None
    by: str | None
    at: int | None


@dataclass(frozen=True, slots=True)
class ReportNotice:
    """Somebody who was to be told, of how many artifacts; `state` of their message, None where there is none."""

    recipient: str
    artifacts: tuple[str, ...]
    state: str | None
    at: int | None


@dataclass(frozen=True, slots=True)
class CorrectionReport:
    """Everything of a case; lists cut at `REPORT_ROWS` unless all was asked for.

    Attributes:
        fell_total, passages_total: how many there are where the lists are cut; `hidden`: how many fell that the person may not see.
    """

    view: CaseView
    passages: tuple[ReportPassage, ...]
    passages_total: int
    fell: tuple[ReportFall, ...]
    fell_total: int
    hidden: int
    plans: tuple[NamedCaseEvent, ...]
    decisions: tuple[NamedCaseEvent, ...]
    editions: tuple[ReportEdition, ...]
    notices: tuple[ReportNotice, ...]
    at: int


def write_correction_report(
    store: ClaimStore, person: str, tenant: str, correction: str, *, most: int | None = REPORT_ROWS, authenticated: bool = False
) -> CorrectionReport:
    """Return the report of a case.

    Args:
        most: rows of each list; None for all.

    Raises:
        Refusal: `not_found`, also for a case the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number, case = find_visible_case(reading, tenant, correction)
        return _Writer(reading, number, tenant, case).report(most)


class _Writer:
    """Gathers a report from one look at the store."""

    def __init__(self, reading: Reading, number: int, tenant: str, case: Case) -> None:
        self.reading, self.number, self.case = reading, number, case
        self.snapshot = reading.snapshot(number)
        self.hidden = hidden_scopes(reading.connection, number, reading.actor)
        self.view = describe_case(reading, number, tenant, case)

    def report(self, most: int | None) -> CorrectionReport:
        """Return the report."""
        fallen = load_fallen(self.reading, self.number, self.case.number, self.snapshot)
        seen = np.flatnonzero(hide(self.snapshot, fallen.records, self.hidden))
        shown = seen if most is None else seen[:most]
        named = load_named(self.reading.connection, self.number, fallen.records[shown].tolist())
        others = {*fallen.fell[shown].tolist(), *fallen.left[shown].tolist()} - {0}
        events = {one.seq: one for one in load_case_events(self.reading.connection, self.number, [(seq, "settle") for seq in sorted(others)])}
        successors = self._successors(fallen.records[shown].tolist())
        fell = tuple(
            self._fall(named[record], events.get(by), events.get(left), Way(way), successors.get(record))
            for record, by, left, way in zip(
                fallen.records[shown].tolist(), fallen.fell[shown].tolist(), fallen.left[shown].tolist(), fallen.way[shown].tolist(), strict=True
            )
        )  # fmt: skip
        passages = self._passages(fallen.records[seen].tolist())
        plans = tuple(one for one in self.view.events if one.plan is not None)
        decisions = tuple(one for one in self.view.events if one.step == "settle")
        notices = [one for one in notices_of(self.reading.connection, self.number, self._events()) if self._visible(one.record)]
        return CorrectionReport(
            self.view, tuple(passages if most is None else passages[:most]), len(passages), fell, len(seen), len(fallen.records) - len(seen), plans, decisions,
            self._editions(notices), self._notices(notices), self.reading.at,
        )  # fmt: skip

    def _events(self) -> list[tuple[int, str]]:
        return events_of(self.reading.connection, self.number, self.case.number)

    def _visible(self, record: int) -> bool:
        return bool(hide(self.snapshot, np.array([record], dtype=np.int64), self.hidden)[0])

    def _successors(self, records: list[int]) -> dict[int, str]:
        found = successors_of(self.reading.connection, self.number, records)
        shown = {record: one for record, one in found.items() if self._visible(one)}
        ids = load_ids(self.reading.connection, self.number, sorted(set(shown.values())))
        return {record: ids[one] for record, one in shown.items()}

    def _fall(self, one: Named, fell: NamedCaseEvent | None, left: NamedCaseEvent | None, way: Way, successor: str | None) -> ReportFall:
        return ReportFall(
            one.id, one.kind, one.title, one.status, fell.action if fell else "import", fell.at if fell else None, WAY_WORD[way], left.action if left else None,
            left.by_name if left else None, left.at if left else None, left.reason if left else None, successor,
        )  # fmt: skip

    def _passages(self, records: list[int]) -> list[ReportPassage]:
        """Return the passages of the case's sources on which something that fell stood, against the newest version that stands."""
        connection, status = self.reading.connection, self.snapshot.columns.status
        versions = self._versions()
        below = self.snapshot.graph.children.neighbours(np.array([number for rows in versions.values() for number, _ in rows], dtype=np.int64))
        claims = [record for record in np.intersect1d(below, records).tolist() if self.snapshot.columns.kind[record] == Kind.CLAIM]
        cards = load_cards(connection, self.number, claims)
        contents = load_contents(connection, self.number, list(cards.values()), with_bytes=False)
        newest: dict[str, str] = {}
        source_of: dict[str, str] = {}
        for source, rows in versions.items():
            standing = [(number, name) for number, name in rows if status[number] == Status.ACCEPTED]
            for _, name in rows:
                source_of[name] = source
                if standing and standing[-1][1] != name:
                    newest[name] = standing[-1][1]
        bound = [
            (record, binding) for record in claims for binding in _bindings(contents[record]) if binding.evidence in newest
        ][:_PASSAGES]  # fmt: skip
        texts = load_evidence(connection, self.number, sorted({one for _, binding in bound for one in (binding.evidence, newest[binding.evidence])}))
        sorters: dict[str, PassageSorter] = {}
        successors = self._successors([record for record, _ in bound])
        answers = load_named(connection, self.number, [record for record, _ in bound])
        values = self._values(sorted(set(successors.values())))
        found = []
        for record, binding in bound:
            old, new = binding.evidence, newest[binding.evidence]
            sorter = sorters.setdefault(old, PassageSorter(texts[old], texts[new], new))
            became = sorter.sort(binding)
            answer = successors.get(record)
            found.append(ReportPassage(
                answers[record].id, answers[record].title, source_of[old], old, new, became.fate.value, binding.quote,
                None if became.after is None else became.after.quote, answer, answers[record].text, values.get(answer or ""),
            ))  # fmt: skip
        return found

    def _values(self, ids: list[str]) -> dict[str, str | None]:
        numbers = find_numbers(self.reading.connection, self.number, ids)
        return {one.id: one.text for one in load_named(self.reading.connection, self.number, numbers.values()).values()}

    def _versions(self) -> dict[str, list[tuple[int, str]]]:
        found = versions_of(self.reading.connection, self.number, sorted(self.case.sources))
        ids = load_ids(self.reading.connection, self.number, [number for rows in found.values() for number, _ in rows])
        return {self.case.sources[source][0]: [(number, ids[number]) for number, _ in rows] for source, rows in found.items()}

    def _editions(self, notices: list[Any]) -> tuple[ReportEdition, ...]:
        edition_of = {row.record: row.edition for row in notices}
        named = load_named(self.reading.connection, self.number, edition_of)
        remedies = load_remedies(self.reading.connection, self.number, list(edition_of), min((row.seq for row in notices), default=0))
        new = load_ids(self.reading.connection, self.number, [one.edition for one in remedies.values() if one.edition is not None])
        found = []
        for record, edition in sorted(edition_of.items()):
            one, remedy = named[record], remedies.get(record)
            found.append(ReportEdition(
                one.id, one.title, edition, one.status, remedy.way if remedy else None, new.get(remedy.edition) if remedy and remedy.edition else None,
                remedy.text if remedy else None, remedy.person if remedy else None, remedy.at if remedy else None,
            ))  # fmt: skip
        return tuple(found)

    def _notices(self, notices: list[Any]) -> tuple[ReportNotice, ...]:
        titles = {number: one.title for number, one in load_named(self.reading.connection, self.number, {row.record for row in notices}).items()}
        messages = load_messages(self.reading.connection, self.number, sorted({row.seq for row in notices}))
        found: dict[str, tuple[dict[str, None], Any]] = {}
        for row in notices:
            artifacts, message = found.get(row.recipient, ({}, None))
            artifacts[titles[row.record]] = None
            found[row.recipient] = artifacts, messages.get((row.seq, row.n)) or message
        return tuple(
            ReportNotice(recipient, tuple(artifacts), message.word if message else None, message.at if message else None)
            for recipient, (artifacts, message) in sorted(found.items())
        )


def _bindings(content: Any) -> Iterable[Any]:
    return content.evidence if isinstance(content, Claim) else ()


_HEAD = ("part", "what", "id", "kind", "title", "before", "after", "state", "who", "when", "reason")


def export_correction_csv(store: ClaimStore, person: str, tenant: str, correction: str, *, authenticated: bool = False) -> Handout:
    """Return the whole report as CSV that a spreadsheet shows and never runs."""
    report = write_correction_report(store, person, tenant, correction, most=None, authenticated=authenticated)
    lines = [write_cells(list(_HEAD)), *(write_cells([guard_cell(cell) for cell in row]) for row in _csv_rows(report))]
    with read(store, person, authenticated=authenticated) as reading:
        carried = _carried(reading, tenant, correction, report, len(lines) - 1)
    return Handout(("\ufeff" + "".join(lines)).encode("utf-8"), (carried,))


def _carried(reading: Reading, tenant: str, correction: str, report: CorrectionReport, lines: int) -> Carried:
    """Return what a report carries: every record it names, what that rests on, and every version of the case's sources."""
    number, case = find_visible_case(reading, tenant, correction)
    named = {name for fell in report.fell for name in (fell.id, fell.successor)} | {name for one in report.editions for name in (one.id, one.new)}
    named |= {name for one in report.passages for name in (one.claim, one.old, one.new, one.answer)}
    named |= {name for plan in report.plans for name in (plan.plan or {}).get("roots", ())}
    numbers = find_numbers(reading.connection, number, sorted(name for name in named if name))
    versions = versions_of(reading.connection, number, sorted(case.sources))
    about = {one.record for one in notices_of(reading.connection, number, events_of(reading.connection, number, case.number))}
    records = {*numbers.values(), *about, *(version for rows in versions.values() for version, _ in rows)}
    return carry(reading, number, tenant, records, lines, around=True)


def _csv_rows(report: CorrectionReport) -> Iterator[list[str]]:
    view = report.view
    row = view.row
    yield _cells("case", "title", row.id, "correction", row.title, state="closed" if row.closed_at else "open", who=row.owner, when=row.opened_at, reason=row.cause)
    for source in view.sources:
        yield _cells("case", "source", source.id, "source", source.title, state=source.newest)
    for passage in report.passages:
        yield _cells("text", passage.verdict, passage.claim, "claim", passage.title, passage.before, passage.after, passage.answer)
    for fell in report.fell:
        yield _cells("fell", fell.fell_by, fell.id, fell.kind, fell.title, state=fell.status, when=fell.fell_at)
        yield _cells("settled", fell.settled, fell.id, fell.kind, fell.title, after=fell.successor, state=fell.action, who=fell.by, when=fell.at, reason=fell.reason)
    if report.hidden:
        yield _cells("fell", f"{report.hidden} more in scopes you may not see")
    for plan in report.plans:
        predicted = "" if plan.predicted is None else str(plan.predicted)
        yield _cells("plan", plan.action, ", ".join((plan.plan or {}).get("roots", ())), before=predicted, after=str(plan.count), who=plan.by_name, when=plan.at, reason=plan.reason)
    for edition in report.editions:
        yield _cells("edition", edition.remedy or "nothing yet", edition.id, "artifact", edition.title, str(edition.edition), edition.new, edition.status, edition.by, edition.at, edition.text)
    for notice in report.notices:
        yield _cells("notice", notice.recipient, title="; ".join(notice.artifacts), state=notice.state or "not drafted", when=notice.at)
    for waiver in view.waivers:
        yield _cells("left open", waiver.kind, waiver.about, who=waiver.by_name, when=waiver.at, reason=waiver.reason)
    for event in view.events:
        yield _cells("time line", event.action, str(event.seq or ""), event.step, state=str(event.count), who=event.by_name, when=event.at, reason=event.reason)


def _cells(
    part: str, what: str, id: str | None = None, kind: str | None = None, title: str | None = None, before: str | None = None, after: str | None = None,  # noqa: A002
    state: str | None = None, who: str | None = None, when: int | None = None, reason: str | None = None,
) -> list[str]:  # fmt: skip
    return [part, what, id or "", kind or "", title or "", before or "", after or "", state or "", who or "", format_time(when) if when else "", reason or ""]
