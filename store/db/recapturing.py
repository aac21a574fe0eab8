"""From a source and its new file to what recapturing does directly: versions found, passages sorted, content worked out (R21)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.plan_files import PlanFile, load_plan_file
from store.db.records import find_card, load_cards, load_contents, load_shas
from store.db.renditions import keep_until_forgotten, load_captured
from store.domain.errors import Code, Refusal, not_found
from store.domain.media import examine_file, need_sure
from store.domain.new_values import answer_claim
from store.domain.passages import PassageSorter, Sorted
from store.domain.people import Actor, Right
from store.domain.plans import Intent, Plan
from store.domain.recapture import CARRIED, worst
from store.domain.recaptured import Carried, Recaptured, Verdict
from store.domain.records import Artifact, Binding, Card, Claim, Evidence, full_hash
from store.domain.renditions import Rendition, render
from store.domain.spans import CapturedText
from store.domain.status import STANDS, Kind, Status, Step, is_legal, next_status
from store.domain.times import format_time

#: What may still be used, decided on or confirmed, and so has its passages sorted.
SORTED = (Status.CANDIDATE, Status.ACCEPTED, Status.DISPUTED, Status.STALE)
_FORGOTTEN = (Status.DELETION_PENDING, Status.DELETED)


@dataclass(frozen=True, slots=True)
class _Version:
    """A captured version of the source."""

    card: Card
    version: int
    sha256: str
    captured_at: int | None


@lru_cache(maxsize=4)
def _rendered(sha256: str, media_type: str, content: bytes) -> Rendition | None:  # noqa: ARG001 - the hash comes first, so that lookups are cheap
    return render(content, media_type)


@lru_cache(maxsize=4)
def _sorter(old: tuple[str, str, str | None], new: tuple[str, str, str | None], new_id: str, _texts: _Pair) -> PassageSorter:  # noqa: ARG001
    return PassageSorter(_texts.old, _texts.new, new_id)


def _forget() -> None:
    _rendered.cache_clear()
    _sorter.cache_clear()


keep_until_forgotten(_forget)


def _checked_type(media_type: str, file: PlanFile) -> str:
    """Return what a file is said to be; another type than it was kept as has to fit its bytes as well."""
    if media_type != file.media_type:
        examined = examine_file(file.content, file.name, media_type)
        need_sure(examined)
        return examined.media_type
    return media_type


class _Pair:
    """Two texts that a cache does not tell apart: their names do."""

    def __init__(self, old: CapturedText, new: CapturedText) -> None:
        self.old, self.new = old, new

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Pair)


def _named(captured: CapturedText) -> tuple[str, str, str | None]:
    return captured.sha256, captured.media_type, None if captured.rendition is None else captured.rendition.sha256


class RecapturePlanner:
    """Works a recapture out against one tenant as it stands."""

    def __init__(self, connection: Connection, tenant: int, actor: Actor) -> None:
        self.connection, self.tenant, self.actor = connection, tenant, actor

    def work_out(self, plan: Plan) -> Intent:
        """Return what the plan does directly; what comes back is added by `store.db.coming_back`.

        Raises:
            Refusal: the source is not there or not the person's to decide, its file is an old one or the same again, or cannot be compared.
        """
        if len(plan.roots) != 1:
            raise Refusal(Code.BAD_VALUE, "Recapturing takes one source. Nothing was changed. Name one.")
        source = self._source(plan.roots[0])
        versions = self._versions(source)
        recaptured, new = self._new_version(plan, source, versions)
        intent = Intent(plan, roots=sorted(recaptured.olds), recaptured=recaptured)
        for one in versions:
            if one.card.number in recaptured.olds and is_legal(one.card.status, Step.SUPERSEDE):
                intent.becomes[one.card.number] = (one.card.status, next_status(one.card.id, one.card.status, Step.SUPERSEDE))
        self._sort(recaptured, {one.card.number: one.card for one in versions}, new)
        recaptured.proposed = self._answers(plan, recaptured, new)
        return intent

    # --- the source and its versions ------------------------------------------------------------------------------

    def _source(self, named: str) -> Any:
        s, p = t.source, t.scope
        query = (
            sa.select(s.c.source, s.c.id, p.c.path)
            .join(p, (p.c.tenant == s.c.tenant) & (p.c.scope == s.c.scope))
            .where(s.c.tenant == self.tenant)
        )  # fmt: skip
        row = self.connection.execute(query.where(s.c.id == named)).one_or_none()
        if row is None:
            card = find_card(self.connection, self.tenant, named)
            if card is None or card.kind is not Kind.EVIDENCE:
                raise not_found(named)
            row = self.connection.execute(query.where(s.c.source == card.source)).one()
        if not self.actor.may(Right.READ, row.path):
            raise not_found(named)
        self.actor.need(Right.DECIDE, row.path, f"recapture {named}")
        return row

    def _versions(self, source: Any) -> list[_Version]:
        """Return the versions of the source, oldest first."""
        r, e = t.record, t.evidence
        query = (
            sa.select(r.c.record, e.c.version, e.c.sha256, e.c.captured_at)
            .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
            .where(r.c.tenant == self.tenant, r.c.source == source.source)
            .order_by(e.c.version, r.c.record)
        )
        rows = self.connection.execute(query).all()
        cards = load_cards(self.connection, self.tenant, [row.record for row in rows])
        found = [_Version(cards[row.record], row.version, row.sha256, row.captured_at) for row in rows]
        if not found:
            raise Refusal(Code.BAD_VALUE, f"{source.id} has no version yet that a file could be compared with. Nothing was changed. Capture it first.")
        if found[-1].card.status in _FORGOTTEN:
            raise Refusal(
                Code.ILLEGAL_STEP, f"The newest version of {source.id} {STANDS[found[-1].card.status]}, so nothing can be compared with it. Nothing was changed."
            )
        return found

    def _new_version(self, plan: Plan, source: Any, versions: list[_Version]) -> tuple[Recaptured, CapturedText]:
        """Return the version to sort against, the versions whose claims are sorted, and its text."""
        newest = versions[-1]
        if plan.file is None:
            if plan.roots[0] != newest.card.id:
                raise Refusal(Code.BAD_VALUE, f"Recapturing {source.id} needs its new file. Nothing was changed. Give the file.")
            return self._arrived(source, versions, f"Every claim on {source.id} is sorted against {newest.card.id} already. Nothing was changed.")
        file = load_plan_file(self.connection, self.tenant, plan.file)
        standing = newest.card.status is Status.ACCEPTED
        if plan.file == newest.sha256 and standing:
            what = f"This is {newest.card.id} again, byte for byte. Nothing was changed. Give the file that differs."
            return self._arrived(source, versions, what)
        same = next((one for one in reversed(versions) if one.sha256 == plan.file), None)
        if same is not None and standing:
            when = "" if same.captured_at is None else f", captured {format_time(same.captured_at)[:10]}"
            raise Refusal(
                Code.BAD_VALUE,
                f"This file is {same.card.id}{when}, and {newest.card.id} is newer. Nothing was changed. Give a file newer than {newest.card.id}.",
            )
        media_type = _checked_type(plan.media_type or file.media_type, file)
        rendition = _rendered(plan.file, media_type, file.content)
        new = CapturedText(file.content, plan.file, media_type, rendition)
        self._need_text(new, "The file")
        version = newest.version + 1
        evidence = Evidence(self._free_id(f"{source.id}@{version}"), source.id, version, None, media_type, plan.file, file.content, rendition=rendition)
        return Recaptured(source.source, source.id, source.path, evidence, None, (newest.card.number,)), new

    def _arrived(self, source: Any, versions: list[_Version], otherwise: str) -> tuple[Recaptured, CapturedText]:
        """Return the newest version, which is there already, and the older ones on which claims still rest.

        Raises:
            Refusal: nothing rests on an older version any more.
        """
        newest = versions[-1]
        older = {one.card.number for one in versions[:-1] if one.card.status in (Status.ACCEPTED, Status.DISPUTED)}
        olds = tuple(sorted({parent for parent, _ in self._resting(older)}))
        if not olds or newest.card.status is not Status.ACCEPTED:
            raise Refusal(Code.BAD_VALUE, otherwise)
        evidence = load_contents(self.connection, self.tenant, [newest.card])[newest.card.number]
        assert isinstance(evidence, Evidence)
        new = load_captured(self.connection, self.tenant, newest.card.number)
        self._need_text(new, newest.card.id)
        return Recaptured(source.source, source.id, source.path, evidence, newest.card.number, olds), new

    def _need_text(self, captured: CapturedText, what: str) -> None:
        if captured.damaged:
            raise Refusal(Code.DAMAGED, f"{what} no longer has the bytes that were captured. Nothing was changed. Restore it from a backup.")
        if captured.text is None:
            raise Refusal(Code.BAD_VALUE, f"{what} is no text in UTF-8, and no text can be taken out of it, so no passage can be compared. Nothing was changed.")

    def _free_id(self, wanted: str) -> str:
        n, found = 1, wanted
        while find_card(self.connection, self.tenant, found) is not None:
            n += 1
            found = f"{wanted}~{n}"
        return found

    # --- passages -------------------------------------------------------------------------------------------------

    def _resting(self, versions: Iterable[int]) -> list[tuple[int, int]]:
        """Return (version, record that rests on it) where the record's passages are sorted."""
        d, s = t.dependency, t.record_state
        found: list[tuple[int, int]] = []
        query = (
            sa.select(d.c.parent, d.c.child)
            .join(s, (s.c.tenant == d.c.tenant) & (s.c.record == d.c.child))
            .where(d.c.tenant == self.tenant, s.c.status.in_([int(status) for status in SORTED]))
        )
        for some in chunks(sorted(versions)):
            found.extend((parent, child) for parent, child in self.connection.execute(query.where(d.c.parent.in_(some))))
        return found

    def _children(self, versions: Sequence[int]) -> dict[int, list[int]]:
        d = t.dependency
        found: dict[int, list[int]] = {}
        for some in chunks(sorted(versions)):
            query = sa.select(d.c.child, d.c.parent).where(d.c.tenant == self.tenant, d.c.parent.in_(some)).order_by(d.c.child, d.c.parent)
            for child, parent in self.connection.execute(query):
                found.setdefault(child, []).append(parent)
        return found

    def _sort(self, recaptured: Recaptured, versions: Mapping[int, Card], new: CapturedText) -> None:
        resting = self._children(recaptured.olds)
        cards = load_cards(self.connection, self.tenant, resting)
        new_id = recaptured.evidence.id
        sorters: dict[str, PassageSorter] = {}
        for number in recaptured.olds:
            old = load_captured(self.connection, self.tenant, number)
            if old.damaged:
                raise Refusal(
                    Code.DAMAGED, f"{versions[number].id} no longer has the bytes that were captured. Nothing was changed. Restore it from a backup."
                )
            sorters[versions[number].id] = _sorter(_named(old), _named(new), new_id, _Pair(old, new))
        sortable = [card for card in cards.values() if card.status in SORTED]
        contents = load_contents(self.connection, self.tenant, sortable, with_bytes=False)
        shas = self._shas(contents.values(), recaptured)
        for number, parents in sorted(resting.items()):
            content = contents.get(number)
            if not isinstance(content, Claim | Artifact):
                recaptured.falls[number] = parents[0]
                continue
            card, olds = cards[number], [versions[parent] for parent in parents]
            sorts = _sort_one(content, {old.id for old in olds}, sorters)
            fate = worst([one.fate for _, _, one in sorts])
            if isinstance(content, Claim):
                _, before, one = next(item for item in sorts if item[2].fate is fate)
                recaptured.verdicts.append(Verdict(number, card.id, card.scope, card.status, card.version, fate, before, one.after, one.score, len(sorts)))
            if fate not in CARRIED:
                recaptured.falls[number] = parents[0]
                continue
            after = _carry(content, {old.id for old in olds}, new_id, sorts)
            found = full_hash(after, after.content_hash(), shas)
            bindings = tuple((n, one.after) for n, _, one in sorts if n >= 0 and one.after is not None)
            recaptured.carried.append(Carried(number, card.version, card.status, fate, content, after, bindings, tuple(parents), found, card.content_hash))
            if card.status is Status.STALE:
                self._stale(recaptured, number, olds)

    def _stale(self, recaptured: Recaptured, number: int, olds: Sequence[Card]) -> None:
        """Note a claim that may come back, or has to be confirmed, according to what took its version out of use."""
        out = [old for old in olds if old.status is not Status.ACCEPTED]
        if not out:
            return
        if all(old.status is Status.DISPUTED for old in out):
            recaptured.back[number] = out[0].number
        else:
            recaptured.offered.append(number)

    def _shas(self, contents: Iterable[Any], recaptured: Recaptured) -> dict[str, str]:
        named = {parent for content in contents if isinstance(content, Claim | Artifact) for parent in content.parents()}
        return {**load_shas(self.connection, self.tenant, named), recaptured.evidence.id: recaptured.evidence.sha256}

    # --- new values -----------------------------------------------------------------------------------------------

    def _answers(self, plan: Plan, recaptured: Recaptured, new: CapturedText) -> list[tuple[Claim, str]]:
        """Return the candidates that answer fallen claims with the values that were entered."""
        if not plan.values:
            return []
        fallen = {verdict.id: verdict for verdict in recaptured.verdicts if verdict.fate not in CARRIED}
        carried = {verdict.id for verdict in recaptured.verdicts} - set(fallen)
        for named in sorted(plan.values):
            if named in carried:
                raise Refusal(Code.BAD_VALUE, f"The passage of {named} carries over, so its value stays. Nothing was changed. Leave it out of the new values.")
            if named not in fallen or not self.actor.may(Right.INSPECT, fallen[named].scope):
                raise Refusal(Code.BAD_VALUE, f"{named} is no claim whose passage changed, so it gets no new value. Nothing was changed.")
        cards = load_cards(self.connection, self.tenant, [fallen[named].record for named in plan.values])
        contents = load_contents(self.connection, self.tenant, list(cards.values()), with_bytes=False)
        found = []
        for named, fields in sorted(plan.values.items()):
            verdict = fallen[named]
            self.actor.need(Right.PROPOSE, verdict.scope, f"propose a new value for {named}")
            before = contents[verdict.record]
            assert isinstance(before, Claim)
            new_id = self._free_id(f"{named[:400]}.{recaptured.evidence.version}")
            found.append((answer_claim(before, fields, verdict.after, new, recaptured.evidence.id, self.actor.id, new_id), named))
        return found


def _sort_one(content: Claim | Artifact, olds: set[str], sorters: Mapping[str, PassageSorter]) -> list[tuple[int, Binding, Sorted]]:
    """Return (place in the list, binding, what became of it) of a record's passages in some versions; -1 where it names a version as a whole."""
    bindings = content.evidence if isinstance(content, Claim) else ()
    found = [(n, binding, sorters[binding.evidence].sort(binding)) for n, binding in enumerate(bindings) if binding.evidence in olds]
    bound = {binding.evidence for _, binding, _ in found}
    for old in sorted(olds - bound):
        whole = Binding(old)
        found.append((-1, whole, sorters[old].sort(whole)))
    return found


def _carry(content: Claim | Artifact, olds: set[str], new_id: str, sorts: Sequence[tuple[int, Binding, Sorted]]) -> Claim | Artifact:
    """Return a record's content, resting on the new version where it rested on old ones."""
    derived = tuple(sorted({new_id if parent in olds else parent for parent in content.derived_from}))
    if isinstance(content, Artifact):
        return replace(content, derived_from=derived)
    bindings = list(content.evidence)
    for n, _, one in sorts:
        if n >= 0 and one.after is not None:
            bindings[n] = one.after
    return replace(content, evidence=tuple(bindings), derived_from=derived)

