"""What went to whom, what is to be put right, and the outbox, as a person may see them (R24)."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.correction_falls import events_of
from store.db.corrections import find_visible_case
from store.db.export_copies import carry
from store.db.holdings import Holdings, may_read, standing_parents
from store.db.impacts import hidden_scopes, hide
from store.db.keys import load_parties, load_scopes
from store.db.messages import (
    deliveries_of,
    editions_of,
    events_to_tell,
    ids_of_messages,
    items_of_messages,
    last_falls,
    load_messages,
    load_untold,
    named_in_messages,
    remedies_of,
)
from store.db.outbox import OUTBOX_STATES, count_states, filter_messages, may_ask_holders, page_of_messages
from store.db.plan_lists import event_number
from store.db.records import find_card, load_cards, load_ids
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.veils import flags_of, load_shown, veiled
from store.domain.errors import Code, Refusal, not_found
from store.domain.handing_out import Carried, Handout
from store.domain.mail import MailSettings, read_mail_settings, write_mail
from store.domain.messages import PATIENCE, STATE_WORD, UNKNOWN, MessageState, hash_text
from store.domain.people import Right
from store.domain.records import Artifact
from store.domain.scopes import covers, tenant_of
from store.domain.status import Kind, Status

#: Artifacts in a list of what went out.
DELIVERIES_PAGE = 50


def mail_settings() -> MailSettings | None:
    """Return the mail server that CLAIMDESK_SMTP and CLAIMDESK_SMTP_FROM name, None where none is set up.

    Raises:
        Refusal: `bad_value`: they are set, and are no address.
    """
    return read_mail_settings(os.environ.get("CLAIMDESK_SMTP"), os.environ.get("CLAIMDESK_SMTP_FROM"))


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One message; texts come from outside, times in microseconds UTC.

    Attributes:
        documents: (id, title, edition) of what it tells of.
        state: a word of STATE_WORD; `unknown`: it was being sent and nobody knows whether it arrived.
        may_decide: whether the person may change, approve and send it.
        asks_holder: its recipient is asked to destroy files they hold; it tells of no document.
    """

    tenant: str
    id: str
    recipient: str
    address: str | None
    channel: str
    subject: str
    body: str
    state: str
    unknown: bool
    correction: str | None
    documents: tuple[tuple[str, str, int], ...]
    drafted_by: str
    drafted_at: int
    approved_by: str | None
    approved_at: int | None
    sent_at: int | None
    seen_at: int | None
    attempts: int
    failure: str | None
    may_decide: bool
    message_id: str | None = None
    asks_holder: bool = False

    @property
    def seen(self) -> str:
        """Return what binds an approval to this text."""
        return hash_text(self.subject, self.body)


@dataclass(frozen=True, slots=True)
class Outbox:
    """Messages of one state, or all; how many there are in each state; and how much is still in no message.

    Attributes:
        counts: of each of OUTBOX_STATES.
        untold: (tenant, how many documents, counted once for each person to be told) that stand in no message yet and the person may draft.
        after: where the next page begins; None where nothing follows.
    """

    rows: tuple[MessageRow, ...]
    counts: dict[str, int]
    untold: tuple[tuple[str, int], ...]
    after: str | None = None

    @property
    def waiting(self) -> int:
        """Return how many messages somebody has to do something about."""
        return sum(self.counts[name] for name in ("drafted", "approved", "failed", "sending", UNKNOWN))


def list_messages(
    store: ClaimStore, person: str, *, scope: str | None = None, correction: str | None = None, state: str | None = None, after: str | None = None,
    most: int | None = None, authenticated: bool = False,
) -> Outbox:  # fmt: skip
    """Return the messages whose documents the person may see, the newest first.

    Args:
        correction: only those of this case; `state`: only those in it, one of OUTBOX_STATES.
        after: where the page begins, as the page before said; `most`: how many at most, all by default.

    Raises:
        Refusal: `bad_value`: there is no such state.
    """
    if state is not None and state not in OUTBOX_STATES:
        raise Refusal(Code.BAD_VALUE, f"There is no state {state[:40]!r} of a message. Nothing is listed. Choose one of {', '.join(OUTBOX_STATES)}.")
    counts = dict.fromkeys(OUTBOX_STATES, 0)
    rows: list[MessageRow] = []
    untold: list[tuple[str, int]] = []
    following, (begin, before) = None, _begin(after)
    with read(store, person, authenticated=authenticated) as reading:
        for number, tenant in tenants_of(reading, Right.INSPECT):
            if scope is not None and tenant_of(scope) != tenant:
                continue
            case = None if correction is None else find_visible_case(reading.connection, number, reading.actor, correction)
            if correction is not None and case is None:
                continue
            mine = filter_messages(reading, number, scope, None if case is None else case.number)
            for name, count in count_states(reading, mine).items():
                counts[name] += count
            if number >= begin and following is None:
                left = None if most is None else most - len(rows) + 1
                found = page_of_messages(reading, mine, state, before=before if number == begin else None, most=left)
                if left is not None and len(found) == left:
                    found = found[:-1]
                    following = f"{number}.{found[-1].message if found else (before or 0) if number == begin else _NEWEST}"
                rows.extend(_describe(reading, number, tenant, found, None))
            left = _count_untold(reading, number, scope, None if case is None else case.number)
            if left:
                untold.append((tenant, left))
    return Outbox(tuple(rows), counts, tuple(untold), following)


#: Above the number of every message.
_NEWEST = 2**31 - 1


def _begin(after: str | None) -> tuple[int, int | None]:
    """Return the tenant and the message a page begins after; the beginning where `after` is no such place."""
    parts = (after or "").split(".")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 11 for part in parts):
        return 0, None
    return int(parts[0]), min(int(parts[1]), _NEWEST)


def view_message(store: ClaimStore, person: str, tenant: str, message: str, *, authenticated: bool = False) -> MessageRow:
    """Return one message.

    Raises:
        Refusal: `not_found`, the same for what is missing and what tells of something the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        rows = [] if number is None else _describe(reading, number, tenant, load_messages(reading.connection, number, ids=[message]), None)
        if not rows:
            raise not_found(message)
        return rows[0]


def write_message_file(store: ClaimStore, person: str, tenant: str, message: str, *, authenticated: bool = False) -> tuple[Handout, str]:
    """Return a message as a mail file (.eml), for whoever sends it by other means, and to whom it goes."""
    row = view_message(store, person, tenant, message, authenticated=authenticated)
    settings = mail_settings()
    content = write_mail(
        recipient=row.recipient, address=row.address, sender=None if settings is None else settings.sender, subject=row.subject, body=row.body,
        message_id=row.message_id or f"{row.tenant}.{row.id}.{row.drafted_at}@claimdesk.invalid", at=row.approved_at or row.drafted_at,
    )  # fmt: skip
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise not_found(message)
        return Handout(content, (_carried(reading, number, tenant, message),)), row.recipient


def _carried(reading: Reading, number: int, tenant: str, message: str) -> Carried:
    numbers = [one.message for one in load_messages(reading.connection, number, ids=[message])]
    about = {record for its in items_of_messages(reading.connection, number, numbers).values() for _, _, record in its}
    named = {record for its in named_in_messages(reading.connection, number, numbers).values() for record in its}
    return carry(reading, number, tenant, about | named, 1)


def _describe(reading: Reading, number: int, tenant: str, rows: Sequence[Any], scope: str | None) -> list[MessageRow]:
    items = items_of_messages(reading.connection, number, [row.message for row in rows])
    holdings = Holdings(reading.connection, number, reading.actor, {record for its in items.values() for _, _, record in its})
    ids = ids_of_messages(reading.connection, number, items)
    named = named_in_messages(reading.connection, number, [row.message for row in rows])
    seen = may_read(reading.connection, number, reading.actor, {record for its in named.values() for record in its})
    place = {card.id: card for card in holdings.cards.values()}
    may_ask = may_ask_holders(reading, number)
    found = []
    for row in rows:
        records = [record for _, _, record in items[row.message]]
        asks = row.request is not None and may_ask
        if not (records or asks) or not all(holdings.may_name(record) for record in records):
            continue
        if not seen.issuperset(named[row.message]):
            continue
        if scope is not None and not asks and not any(covers(scope, holdings.cards[record].scope) for record in records):
            continue
        documents = []
        for name in ids[row.message]:
            artifact = holdings.artifacts[place[name].number]
            documents.append((name, artifact.title or name, artifact.edition))
        state = MessageState(row.state)
        found.append(MessageRow(
            tenant, row.id, row.recipient, row.address, row.channel, row.subject, row.body, STATE_WORD[state],
            state is MessageState.SENDING and (row.failure is not None or reading.at - (row.attempted_at or 0) >= PATIENCE * 1_000_000), row.correction_id, tuple(documents), row.drafted_by, row.drafted_at, row.approved_by, row.approved_at, row.sent_at,
            row.seen_at, row.attempts, row.failure, all(holdings.may_decide(record) for record in records), row.message_id,
            asks,
        ))  # fmt: skip
    return found


#: (store, tenant, event, person, roles, scope, correction) -> how much is untold; true for ever, so kept for a while.
_kept: OrderedDict[tuple[object, ...], int] = OrderedDict()
_KEPT = 64
_lock = Lock()


def _count_untold(reading: Reading, number: int, scope: str | None, correction: int | None) -> int:
    key = (f"{reading.store.lineage}:{reading.store.url}", number, event_number(reading.connection, number), reading.actor.id, reading.actor.roles, scope, correction)
    with _lock:
        known = _kept.get(key)
    if known is None:
        known = _work_out_untold(reading, number, scope, correction)
        with _lock:
            _kept[key] = known
            while len(_kept) > _KEPT:
                _kept.popitem(last=False)
    return known


def _work_out_untold(reading: Reading, number: int, scope: str | None, correction: int | None) -> int:
    events = events_to_tell(reading.connection, number, reading.snapshot(number)) if correction is None else [seq for seq, _ in events_of(reading.connection, number, correction)]
    untold = load_untold(reading.connection, number, reading.snapshot(number), events, load_parties(reading.connection, number))
    cards = load_cards(reading.connection, number, {one.record for one in untold})
    # However many events concern a document, each of its people is told of it once.
    return len({
        (one.recipient, one.record) for one in untold
        if one.record in cards and reading.actor.may(Right.DECIDE, cards[one.record].scope) and (scope is None or covers(scope, cards[one.record].scope))
    })  # fmt: skip


# --- what went out ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WentOut:
    """One delivery of an edition; times in microseconds UTC."""

    recipient: str
    channel: str
    delivered_at: int | None


@dataclass(frozen=True, slots=True)
class DeliveredArtifact:
    """An artifact that went out, with its recipients; texts come from outside.

    Attributes:
        remedy: `edition`, `annotation`, `none` or None; `remedy_text`: what was said; `needs_remedy`: it needs re-validation and got none.
        replaced_by: id of the edition that took its place.
    """

    tenant: str
    id: str
    title: str
    kind: str
    edition: int
    status: Status
    owner: str | None
    deliveries: tuple[WentOut, ...]
    remedy: str | None
    remedy_text: str | None
    needs_remedy: bool
    replaced_by: str | None
    may_decide: bool


@dataclass(frozen=True, slots=True)
class DeliveredList:
    """A page of what went out: what needs to be put right first, then the newest; `after` is where the next page begins."""

    rows: tuple[DeliveredArtifact, ...]
    total: int
    needing: int
    after: int | None


def list_delivered(
    store: ClaimStore, person: str, *, scope: str | None = None, correction: str | None = None, only: str | None = None, after: int = 0, authenticated: bool = False
) -> DeliveredList:
    """Return artifacts that went out.

    Args:
        only: `needing` for those that need to be put right; `correction`: those its notices are about.
        after: how many to pass over.
    """
    found: list[tuple[bool, int, str, int]] = []
    with read(store, person, authenticated=authenticated) as reading:
        numbers = {}
        for number, tenant in tenants_of(reading, Right.INSPECT):
            if scope is not None and tenant_of(scope) != tenant:
                continue
            numbers[tenant] = number
            records = _delivered_records(reading, number, scope, correction)
            remedies = remedies_of(reading.connection, number, records)
            status = reading.snapshot(number).columns.status
            fell = last_falls(reading.connection, number, [one for one in records if status[one] == Status.STALE])
            found.extend((status[one] == Status.STALE and not _is_remedied(remedies.get(one), fell.get(one, 0)), one, tenant, number) for one in records)
        needing = sum(needs for needs, *_ in found)
        wanted = sorted((one for one in found if only != "needing" or one[0]), key=lambda one: (not one[0], one[2], -one[1]))
        page = wanted[after : after + DELIVERIES_PAGE]
        rows: dict[tuple[str, int], DeliveredArtifact] = {}
        for tenant, number in numbers.items():
            its = [record for _, record, of, _ in page if of == tenant]
            rows.update(((tenant, record), row) for record, row in describe_delivered(reading, number, tenant, its).items())
    more = after + DELIVERIES_PAGE
    return DeliveredList(tuple(rows[tenant, record] for _, record, tenant, _ in page), len(found), needing, more if more < len(wanted) else None)


def _is_remedied(remedy: Any, fell: int) -> bool:
    return remedy is not None and remedy.seq >= fell


def _delivered_records(reading: Reading, number: int, scope: str | None, correction: str | None) -> list[int]:
    snapshot = reading.snapshot(number)
    records = np.flatnonzero(snapshot.delivered[: len(snapshot.columns)])
    records = records[~np.isin(snapshot.columns.status[records], (Status.DELETION_PENDING, Status.DELETED))]
    records = records[hide(snapshot, records, hidden_scopes(reading.connection, number, reading.actor))]
    if scope is not None:
        inside = [place for place, path in load_scopes(reading.connection, number).items() if covers(scope, path)]
        records = records[np.isin(snapshot.columns.scope[records], inside)]
    if correction is not None:
        case = find_visible_case(reading.connection, number, reading.actor, correction)
        events = [] if case is None else [seq for seq, _ in events_of(reading.connection, number, case.number)]
        from store.db.case_facts import notices_of  # noqa: PLC0415 - it reads messages itself

        records = records[np.isin(records, [row.record for row in notices_of(reading.connection, number, [(seq, "") for seq in events])])]
    return [int(one) for one in records]


def describe_delivered(reading: Reading, number: int, tenant: str, records: Sequence[int]) -> dict[int, DeliveredArtifact]:
    """Return record -> what is known of it as something that went out."""
    cards = load_cards(reading.connection, number, records)
    contents = load_shown(reading.connection, number, list(cards.values()))
    went: dict[int, list[WentOut]] = {record: [] for record in records}
    for row in deliveries_of(reading.connection, number, records):
        went[row.record].append(WentOut(row.recipient, row.channel, row.delivered_at))
    remedies = remedies_of(reading.connection, number, records)
    fell = last_falls(reading.connection, number, [record for record, card in cards.items() if card.status is Status.STALE])
    ids = load_ids(reading.connection, number, [row.edition for row in remedies.values() if row.edition is not None])
    found = {}
    for record, card in cards.items():
        artifact = contents[record]
        if not isinstance(artifact, Artifact):
            continue
        remedy = remedies.get(record)
        found[record] = DeliveredArtifact(
            tenant, card.id, artifact.title or card.id, artifact.artifact_type, artifact.edition, card.status, card.owner, tuple(went[record]),
            None if remedy is None else remedy.way, None if remedy is None else remedy.text, card.status is Status.STALE and bool(went[record]) and not _is_remedied(remedy, fell.get(record, 0)),
            None if remedy is None or remedy.edition is None else ids.get(remedy.edition), reading.actor.may(Right.DECIDE, card.scope),
        )  # fmt: skip
    return found


@dataclass(frozen=True, slots=True)
class ArtifactPaper:
    """An artifact as something that goes out: its editions, oldest first, and what a next edition may rest on.

    Attributes:
        editions: (id, edition, status); `body`: of the one that was asked for.
        version: of its record; `veiled`: kinds of what was found in it, where its words are veiled from whoever looks.
    """

    row: DeliveredArtifact
    body: str | None
    editions: tuple[tuple[str, int, Status], ...]
    rests_on: tuple[str, ...]
    may_propose: bool
    version: int
    veiled: tuple[str, ...] = ()


def view_delivered(store: ClaimStore, person: str, tenant: str, artifact: str, *, authenticated: bool = False) -> ArtifactPaper:
    """Return one artifact with its deliveries, editions and remedies.

    Raises:
        Refusal: `not_found`: it is not there, is no artifact, or may not be seen.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = None if number is None else find_card(reading.connection, number, artifact)
        if number is None or card is None or card.kind is not Kind.ARTIFACT or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(artifact)
        if card.status in (Status.DELETION_PENDING, Status.DELETED):
            raise not_found(artifact)
        content = load_shown(reading.connection, number, [card])[card.number]
        assert isinstance(content, Artifact)
        editions = load_cards(reading.connection, number, editions_of(reading.connection, number, content.edition_of or content.id))
        papers = load_shown(reading.connection, number, list(editions.values()))
        shown = [
            (one.id, paper.edition, one.status) for key, one in editions.items()
            if isinstance(paper := papers[key], Artifact) and reading.actor.may(Right.INSPECT, one.scope)
        ]  # fmt: skip
        return ArtifactPaper(
            describe_delivered(reading, number, tenant, [card.number])[card.number], content.body, tuple(sorted(shown, key=lambda one: (one[1], one[0]))),
            tuple(standing_parents(reading.connection, number, content)), reading.actor.may(Right.PROPOSE, card.scope), card.version,
            tuple(dict.fromkeys(flag.kind for flag in flags_of(reading.connection, number, [card])[card.number])) if veiled(reading.connection, number, [card]) else (),
        )  # fmt: skip
