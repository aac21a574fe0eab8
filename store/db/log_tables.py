"""Tables of conflicts, of what happened, and of counts; `store.db.tables` names them all."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, SmallInteger, Table, Text, UniqueConstraint

from store.db.schema import LONG_NUMBER, metadata, number_key, tenant_key, word_key

# --- conflicts ----------------------------------------------------------------------------------------------------

_open = Column("state") == 0

conflict = Table(
    "conflict",
    metadata,
    tenant_key(),
    number_key("conflict"),
    Column("id", Text, nullable=False),
    Column("key", Integer, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("owner", Text),
    Column("opened_at", BigInteger),
    Column("opened_seq", BigInteger, nullable=False),
    Column("closed_at", BigInteger),
    Column("closed_seq", BigInteger),
    Column("cause", Text),
    Column("verdict", Text),
    Column("reason", Text),
    Column("question", Text),
    Column("asked", Text),
    Column("former", Text),
    #: The values in contradiction, by which the same conflict is known again.
    Column("signature", Text),
    UniqueConstraint("tenant", "id"),
    Index("ix_conflict_open", "tenant", "key", unique=True, sqlite_where=_open, postgresql_where=_open),
    Index("ix_conflict_key", "tenant", "key"),
)

conflict_side = Table(
    "conflict_side",
    metadata,
    tenant_key(),
    number_key("conflict"),
    number_key("record"),
    Index(None, "tenant", "record"),
    sqlite_with_rowid=False,
)

_unanswered = Column("answered_at").is_(None)
_unseen = Column("seen_at").is_(None)

#: What one person asks another about a candidate or a conflict; the texts may have to go, so events do not hold them.
question = Table(
    "question",
    metadata,
    tenant_key(),
    number_key("question"),
    #: `record` or `conflict`, and its id.
    Column("kind", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("asked_by", Text, nullable=False),
    Column("asked_of", Text, nullable=False),
    Column("asked_at", BigInteger, nullable=False),
    Column("asked_seq", BigInteger, nullable=False),
    Column("answer", Text),
    Column("answered_by", Text),
    Column("answered_at", BigInteger),
    Column("answered_seq", BigInteger),
    #: When whoever asked had seen the answer; answered without an answer means withdrawn.
    Column("seen_at", BigInteger),
    Index(None, "tenant", "about"),
    Index("ix_question_open", "tenant", "asked_of", sqlite_where=_unanswered, postgresql_where=_unanswered),
    Index("ix_question_mine", "tenant", "asked_by", sqlite_where=_unseen, postgresql_where=_unseen),
)

# --- what happened ------------------------------------------------------------------------------------------------

event = Table(
    "event",
    metadata,
    tenant_key(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("person", Integer, nullable=False),
    Column("action", Text, nullable=False),
    Column("count", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    Column("note_mac", Text, nullable=False),
    Column("authenticated", Boolean, nullable=False),
    Column("previous", Text, nullable=False),
    Column("hash", Text, nullable=False),
    #: The record numbers of its history rows, 32-bit little-endian, compressed: what other processes must look at again.
    Column("touched", LargeBinary, nullable=False),
)

event_note = Table(
    "event_note",
    metadata,
    tenant_key(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("mac_key", LargeBinary, nullable=False),
    Column("note", Text, nullable=False),
)

history = Table(
    "history",
    metadata,
    tenant_key(),
    number_key("record"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("old", SmallInteger),
    Column("new", SmallInteger, nullable=False),
    Column("version", Integer, nullable=False),
    sqlite_with_rowid=False,
)

operation = Table(
    "operation",
    metadata,
    tenant_key(),
    word_key("operation"),
    Column("seq", BigInteger, nullable=False),
    Column("person", Integer, nullable=False),
    Column("words", Text, nullable=False),
    Column("result", Text, nullable=False),
)

#: What was seen, under its fingerprint, for a while.
preview = Table(
    "preview",
    metadata,
    tenant_key(),
    word_key("fingerprint"),
    Column("plan", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("rows", LargeBinary, nullable=False),
    Column("committed_seq", BigInteger),
)

notice = Table(
    "notice",
    metadata,
    tenant_key(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    number_key("n"),
    Column("record", Integer, nullable=False),
    Column("edition", Integer, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Index(None, "tenant", "record"),
)

read_log = Table(
    "read_log",
    metadata,
    Column("n", LONG_NUMBER, primary_key=True, autoincrement=True),
    Column("tenant", Integer, nullable=False),
    Column("task", Text),
    Column("by", Text),
    Column("at", BigInteger),
    Column("question", Text),
    Column("result", Text),
    Column("scope", Text),
    Index("ix_read_log_task", "tenant", "task", sqlite_where=Column("task").is_not(None), postgresql_where=Column("task").is_not(None)),
    sqlite_autoincrement=True,
)

read_log_record = Table(
    "read_log_record",
    metadata,
    tenant_key(),
    number_key("record"),
    Column("n", BigInteger, primary_key=True, autoincrement=False),
    Column("place", Integer, nullable=False),
    Column("version", Integer),
    Index("ix_read_log_record_n", "n"),
)

refusal = Table(
    "refusal",
    metadata,
    Column("n", LONG_NUMBER, primary_key=True, autoincrement=True),
    Column("tenant", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("by", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("code", Text, nullable=False),
    Index(None, "tenant", "n"),
    sqlite_autoincrement=True,
)

# --- counts -------------------------------------------------------------------------------------------------------

counter = Table(
    "counter",
    metadata,
    tenant_key(),
    number_key("scope"),
    number_key("status"),
    number_key("kind"),
    Column("n", Integer, nullable=False),
)

owner_counter = Table("owner_counter", metadata, tenant_key(), number_key("owner"), number_key("status"), Column("n", Integer, nullable=False))

#: Tables whose rows are only ever added; triggers hold that.
APPEND_ONLY = ("event", "history", "read_log", "read_log_record")
