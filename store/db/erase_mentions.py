"""Texts that people and programs wrote elsewhere, and that name something forgotten: found while its words are known, and blotted out.

Rows tied to a record by its number are cleared by the worker of their surface; here are those that only their words tell.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.claim_store import STORE_ITSELF
from store.db.engine import is_sqlite
from store.db.erase_words import Words
from store.db.transaction import Writing
from store.domain.forgetting import NAMELESS, Surface, own_note
from store.domain.mentions import Finder
from store.domain.text import canonical_json

#: What stands where somebody's words stood that cannot be left out.
BLOTTED = NAMELESS
#: How the words of an operation begin whose hash was given up.
NO_WORDS = "erased-"
#: Up to so many words the database itself looks for them; more are looked for in every text, once.
_FEW = 40
#: Actions in which people type what concerns a record and need not name it.
_ASKING, _WRITING, _REHEARSING = ("ask", "ask_which", "answer"), ("edit message",), ("save rehearsal", "rename rehearsal", "hand over rehearsal")
#: States of a message that was not sent, and of one that was cancelled.
_UNSENT, _CANCELLED = (0, 1, 3, 6), 5


def rows_naming(connection: Connection, tenant: int, table: sa.Table, columns: Sequence[str], finder: Finder, keys: Sequence[str]) -> Iterator[Any]:
    """Yield rows (their `keys` and `columns`) of a table in which one of the columns names something."""
    if not finder:
        return
    chosen = [table.c[name] for name in dict.fromkeys((*keys, *columns))]
    query = sa.select(*chosen).where(table.c.tenant == tenant)
    pieces = finder.steady
    texts = [table.c[name] for name in columns if not isinstance(table.c[name].type, sa.LargeBinary)]
    if pieces is not None and len(pieces) <= _FEW and len(texts) == len(columns):
        find = sa.func.instr if is_sqlite(connection) else sa.func.strpos
        # What is no ASCII may be written as an escape, and that within other JSON, of which only the first sign is sure.
        written = pieces | {json.dumps(piece[0])[2:-1].lower() for piece in pieces if not piece.isascii()}
        query = query.where(sa.or_(*(find(sa.func.lower(column), one) > 0 for column in texts for one in sorted(written))))
    for row in connection.execute(query.execution_options(yield_per=2000)):
        if finder.any_names(getattr(row, name) for name in columns):
            yield row


class Blotting:
    """One pass over everything that may name what is forgotten; counts what was cleared per surface."""

    def __init__(self, tx: Writing, words: Words, renamed: Mapping[str, str]) -> None:
        self._tx, self._finder, self._renamed, self._subjects = tx, words.finder(), renamed, words.subjects
        self.found: dict[Surface, int] = {}

    def _count(self, surface: Surface, rows: int) -> None:
        if rows:
            self.found[surface] = self.found.get(surface, 0) + rows

    def _rows(self, table: sa.Table, columns: Sequence[str], *keys: str) -> list[Any]:
        return list(rows_naming(self._tx.connection, self._tx.tenant, table, columns, self._finder, keys))

    def _update(self, table: sa.Table, row: Any, keys: Sequence[str], values: dict[str, Any]) -> None:
        where = [table.c.tenant == self._tx.tenant, *(table.c[key] == getattr(row, key) for key in keys)]
        self._tx.connection.execute(sa.update(table).where(*where).values(values))

    def _blank(self, surface: Surface, table: sa.Table, keys: Sequence[str], columns: Mapping[str, Any]) -> None:
        """Put a value in place of those texts of a row that name something, the others stay."""
        rows = self._rows(table, list(columns), *keys)
        for row in rows:
            self._update(table, row, keys, {name: value for name, value in columns.items() if self._finder.names(getattr(row, name))})
        self._count(surface, len(rows))

    def run(self) -> dict[Surface, int]:
        """Blot out every mention and return how many rows were cleared, by surface."""
        self._blank(Surface.RECORD, t.decision, ("record", "seq"), {"reason": None, "terms": None})
        self._blank(Surface.RECORD, t.fired_trigger, ("record", "n"), {"cause": None, "reason": None})
        self._blank(Surface.RECORD, t.remedy, ("record", "seq"), {"text": None})
        self._blank(Surface.RECORD, t.conflict, ("conflict",), {"owner": None, "cause": None, "reason": None, "question": None, "former": None})
        self._blank(Surface.RECORD, t.correction, ("correction",), {"title": BLOTTED, "cause": None, "closing_note": None, "carried": None})
        self._blank(Surface.RECORD, t.delivery, ("record", "n"), {"recipient": BLOTTED, "channel": BLOTTED})
        self._blank(Surface.RECORD, t.notice, ("seq", "n"), {"recipient": BLOTTED, "channel": BLOTTED})
        self._blank(Surface.RECORD, t.source, ("source",), {"title": None})
        self._blank(Surface.EXPORTS, t.export_copy, ("export",), {"name": None})
        self._blank(Surface.RECORD, t.deletion_request, ("request",), {"reason": None, "requester": None, "refusal": None})
        self._blank(Surface.RECORD, t.deletion_surface, ("request", "surface", "n"), {"note": None})
        self._blot_holders()
        self._blot_refusals()
        self._blank(Surface.READ_LOG, t.read_log, ("n",), {"question": None, "task": None, "by": None})
        self._blot_asked_about()
        self._blot_questions()
        self._blot_waivers()
        self._blot_messages()
        self._blot_replaced()
        self._blot_plans()
        self._blot_events()
        return self.found

    def _blot_holders(self) -> None:
        """Who holds a copy has to be asked to destroy it; once that was done nobody needs to know who it was."""
        e = t.export_copy
        gone = {row.export: row for row in self._rows(e, ("holder",), "export", "gone_at") if row.gone_at is not None}
        for row in gone.values():
            self._update(e, row, ("export",), {"holder": None})
        self._count(Surface.EXPORTS, len(gone))

    def _blot_refusals(self) -> None:
        """Refusals are kept by the name that was given, which may be any; those of no tenant stand with the store itself."""
        f, connection = t.refusal, self._tx.connection
        numbers = [row.n for tenant in (self._tx.tenant, STORE_ITSELF) for row in rows_naming(connection, tenant, f, ("by",), self._finder, ("n",))]
        for some in chunks(numbers):
            connection.execute(sa.update(f).where(f.c.n.in_(some)).values(by=BLOTTED))
        self._count(Surface.LOGS, len(numbers))

    def _blot_asked_about(self) -> None:
        """Questions to the store about subjects of which nothing else speaks, however short their names are."""
        log, done = t.read_log, 0
        find = sa.func.instr if is_sqlite(self._tx.connection) else sa.func.strpos
        for some in chunks(sorted(self._subjects), _FEW):
            named = sa.or_(*(find(log.c.question, f'"subject":{canonical_json(one)}') > 0 for one in some))
            statement = sa.update(log).where(log.c.tenant == self._tx.tenant, log.c.question.is_not(None), named)
            done += self._tx.connection.execute(statement.values(question=None)).rowcount
        self._count(Surface.READ_LOG, done)

    def _blot_questions(self) -> None:
        q, tx = t.question, self._tx
        rows = self._rows(q, ("about", "text", "answer"), "question")
        clear_questions(tx, [row.question for row in rows], self._renamed)
        self._count(Surface.RECORD, len(rows))

    def _blot_waivers(self) -> None:
        w = t.correction_waiver
        rows = self._rows(w, ("about", "reason"), "correction", "kind")
        for row in rows:
            about = self._renamed.get(row.about) or (f"erased-{secrets.token_hex(4)}" if self._finder.names(row.about) else row.about)
            self._update(w, row, ("correction", "kind", "about"), {"about": about, "reason": BLOTTED})
        self._count(Surface.RECORD, len(rows))

    def _blot_messages(self) -> None:
        m = t.message
        rows = self._rows(m, ("subject", "body", "failure", "recipient", "address"), "message")
        clear_messages(self._tx, [row.message for row in rows])
        for row in rows:
            named = {name: value for name, value in (("recipient", BLOTTED), ("address", None)) if self._finder.names(getattr(row, name))}
            if named:
                self._update(m, row, ("message",), named)
        self._count(Surface.RECORD, len(rows))

    def _blot_replaced(self) -> None:
        """Lines of other records as they once were: ids become what they are now, other words are blotted."""
        c = t.replaced_content
        rows = self._rows(c, ("line",), "record", "version")
        for row in rows:
            line = canonical_json(blot_json(json.loads(row.line), self._finder, self._renamed))
            # The hash covered what is forgotten; nothing compares with it any more.
            self._update(c, row, ("record", "version"), {"line": line, "content_hash": secrets.token_hex(32)})
        self._count(Surface.HISTORY, len(rows))

    def _blot_plans(self) -> None:
        tx = self._tx
        saved = self._rows(t.rehearsal, ("name", "plan", "seen", "summary", "handed_why"), "rehearsal")
        clear_rehearsals(tx, [row.rehearsal for row in saved])
        looked = self._rows(t.preview, ("plan",), "fingerprint")
        remove_rows(tx, t.preview, "fingerprint", [row.fingerprint for row in looked])
        files = self._rows(t.plan_file, ("name", "content"), "sha256")
        remove_rows(tx, t.plan_file, "sha256", [row.sha256 for row in files])
        self._count(Surface.PREVIEWS, len(saved) + len(looked) + len(files))

    def _blot_events(self) -> None:
        seqs = {row.seq for row in self._rows(t.event_note, ("note",), "seq")}
        seqs.update(row.seq for row in self._rows(t.operation, ("result", "operation"), "seq"))
        self._count(Surface.HISTORY, clear_events(self._tx, seqs, self._finder))


def blot_json(value: Any, finder: Finder, renamed: Mapping[str, str]) -> Any:
    """Return parsed JSON with ids renamed and every other text that names something blotted."""
    if isinstance(value, dict):
        return {key: blot_json(item, finder, renamed) for key, item in value.items()}
    if isinstance(value, list):
        return [blot_json(item, finder, renamed) for item in value]
    if isinstance(value, str):
        return renamed.get(value) or (BLOTTED if finder.names(value) else value)
    return value


# --- what workers of surfaces clear too --------------------------------------------------------------------------------


def remove_rows(tx: Writing, table: sa.Table, column: str, values: Iterable[Any]) -> int:
    """Remove rows of the tenant with these values in a column, and return how many there were."""
    done = 0
    for some in chunks(sorted(set(values))):
        done += tx.connection.execute(sa.delete(table).where(table.c.tenant == tx.tenant, table.c[column].in_(some))).rowcount
    return done


def clear_questions(tx: Writing, numbers: Sequence[int], renamed: Mapping[str, str]) -> None:
    """Blot out questions with their answers, and the notes of their events; what nobody had answered counts as taken back."""
    q = t.question
    for some in chunks(numbers):
        where = (q.c.tenant == tx.tenant, q.c.question.in_(some))
        rows = tx.connection.execute(sa.select(q.c.asked_seq, q.c.answered_seq).where(*where)).all()
        clear_events(tx, _events_among(tx, _ASKING, {seq for row in rows for seq in row if seq is not None}))
        open_ones = (*where, q.c.answered_at.is_(None))
        tx.connection.execute(sa.update(q).where(*open_ones).values(answered_at=tx.at, answered_seq=tx.seq, answered_by=tx.actor.id, seen_at=tx.at))
        tx.connection.execute(sa.update(q).where(*where).values(text=BLOTTED, answer=None))
    for some in chunks(sorted(renamed)):
        for number, about in tx.connection.execute(sa.select(q.c.question, q.c.about).where(q.c.tenant == tx.tenant, q.c.about.in_(some))).all():
            tx.connection.execute(sa.update(q).where(q.c.tenant == tx.tenant, q.c.question == number).values(about=renamed[about]))


def clear_messages(tx: Writing, numbers: Sequence[int]) -> int:
    """Blot out messages, and the notes of the events in which somebody wrote them; those not sent yet are cancelled."""
    m, done = t.message, 0
    for some in chunks(numbers):
        ids = tx.connection.execute(sa.select(m.c.id).where(m.c.tenant == tx.tenant, m.c.message.in_(some))).scalars()
        clear_events(tx, _events_that_gave(tx, _WRITING, "message", set(ids)))
        where = (m.c.tenant == tx.tenant, m.c.message.in_(some))
        tx.connection.execute(sa.update(m).where(*where, m.c.state.in_(_UNSENT)).values(state=_CANCELLED))
        done += tx.connection.execute(sa.update(m).where(*where, m.c.body != BLOTTED).values(subject=BLOTTED, body=BLOTTED, failure=None)).rowcount
    return done


def clear_rehearsals(tx: Writing, numbers: Sequence[int]) -> int:
    """Empty saved plans, take them off the list, and blot out the notes of the events in which somebody named them or handed them over."""
    r, done = t.rehearsal, 0
    for some in chunks(numbers):
        ids = tx.connection.execute(sa.select(r.c.id).where(r.c.tenant == tx.tenant, r.c.rehearsal.in_(some))).scalars()
        clear_events(tx, _events_that_gave(tx, _REHEARSING, "rehearsal", set(ids)))
    for number in numbers:
        values = {
            "name": BLOTTED, "plan": "{}", "fingerprint": secrets.token_hex(32), "rows": b"", "seen": "{}", "summary": "{}", "handed_why": None,
            "removed_at": sa.func.coalesce(r.c.removed_at, tx.at),
        }  # fmt: skip
        done += tx.connection.execute(sa.update(r).where(r.c.tenant == tx.tenant, r.c.rehearsal == number, r.c.plan != "{}").values(values)).rowcount
    return done


def _events_among(tx: Writing, actions: Sequence[str], seqs: set[int]) -> list[int]:
    """Return those of some events that are of these actions."""
    e, found = t.event, list[int]()
    for some in chunks(sorted(seqs)):
        found.extend(tx.connection.execute(sa.select(e.c.seq).where(e.c.tenant == tx.tenant, e.c.seq.in_(some), e.c.action.in_(actions))).scalars())
    return found


def _events_that_gave(tx: Writing, actions: Sequence[str], name: str, ids: set[str]) -> list[int]:
    """Return the events of these actions whose result names one of some ids: their notes need not name the records it was about."""
    e, o = t.event, t.operation
    query = sa.select(o.c.seq, o.c.result).join(e, (e.c.tenant == o.c.tenant) & (e.c.seq == o.c.seq)).where(o.c.tenant == tx.tenant, e.c.action.in_(actions))
    return [row.seq for row in tx.connection.execute(query) if json.loads(row.result).get(name) in ids] if ids else []


def _clear_notes(tx: Writing, seqs: Sequence[int]) -> int:
    n, gone, done = t.event_note, list[int](), 0
    for row in tx.connection.execute(sa.select(n.c.seq, n.c.note).where(n.c.tenant == tx.tenant, n.c.seq.in_(seqs))).all():
        bare = own_note(json.loads(row.note).get("reason"))
        if bare is None:
            gone.append(row.seq)
        elif bare != row.note:
            tx.connection.execute(sa.update(n).where(n.c.tenant == tx.tenant, n.c.seq == row.seq).values(note=bare, mac_key=b""))
            done += 1
    return done + tx.connection.execute(sa.delete(n).where(n.c.tenant == tx.tenant, n.c.seq.in_(gone))).rowcount


def clear_events(tx: Writing, seqs: Iterable[int], finder: Finder | None = None) -> int:
    """Destroy the notes of events with the keys that vouched for them, and what their operations were asked and gave.

    The events themselves stay, and so does the chain over them. A reason that Claimdesk gives itself stays too, with nothing
    around it and no key: it says nothing of any record. An operation id is given up where it names something.
    """
    o, done = t.operation, 0
    for some in chunks(sorted(set(seqs))):
        done += _clear_notes(tx, some)
        for row in tx.connection.execute(sa.select(o.c.operation, o.c.result, o.c.words).where(o.c.tenant == tx.tenant, o.c.seq.in_(some))).all():
            if row.words.startswith(NO_WORDS):
                continue
            # A random token is the hash of nothing: the operation id given again is refused, and says nothing of what was asked.
            values = {"words": NO_WORDS + secrets.token_hex(28), "result": "{}"}
            if finder is not None and finder.names(row.operation):
                values["operation"] = f"erased-{secrets.token_hex(8)}"
            tx.connection.execute(sa.update(o).where(o.c.tenant == tx.tenant, o.c.operation == row.operation).values(values))
            done += 1
    return done
