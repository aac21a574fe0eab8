"""Every table of the store. All keys lead with the tenant; numbers inside, text ids outside.

What changes often (`record_state`) is apart from what is wide (`claim`, `artifact`, `evidence`), so that a commit over
half a million records rewrites narrow rows only. Times are microseconds since 1970 UTC. Texts that people wrote about
their decisions sit in rows of their own (`event_note`, `decision`), because events are for ever and texts may have to go.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={"ix": "ix_%(table_name)s_%(column_0_N_name)s", "uq": "uq_%(table_name)s_%(column_0_N_name)s", "pk": "pk_%(table_name)s"}
)

_LONG_NUMBER = BigInteger().with_variant(Integer(), "sqlite")


def _tenant() -> Column[int]:
    return Column("tenant", Integer, primary_key=True, autoincrement=False)


def _number(name: str) -> Column[int]:
    return Column(name, Integer, primary_key=True, autoincrement=False)


def _word(name: str) -> Column[str]:
    return Column(name, Text, primary_key=True)


# --- the store, its tenants, its people ---------------------------------------------------------------------------

store = Table("store", metadata, _word("name"), Column("value", Text, nullable=False))

tenant = Table(
    "tenant",
    metadata,
    _tenant(),
    Column("name", Text, nullable=False, unique=True),
    Column("revision", BigInteger, nullable=False),
    Column("event_seq", BigInteger, nullable=False),
    Column("next_record", Integer, nullable=False),
    Column("head", Text, nullable=False),
    Column("policy_version", Integer, nullable=False),
)

person = Table(
    "person",
    metadata,
    _tenant(),
    _number("person"),
    Column("id", Text, nullable=False),
    Column("name", Text, nullable=False),
    UniqueConstraint("tenant", "id"),
)

role = Table("role", metadata, _tenant(), _number("person"), _word("role"), _word("scope"), sqlite_with_rowid=False)

scope = Table(
    "scope",
    metadata,
    _tenant(),
    _number("scope"),
    Column("path", Text, nullable=False),
    UniqueConstraint("tenant", "path"),
)

#: Names of owners and proposers, who need not be people of the store.
party = Table(
    "party",
    metadata,
    _tenant(),
    _number("party"),
    Column("name", Text, nullable=False),
    UniqueConstraint("tenant", "name"),
)

predicate = Table(
    "predicate",
    metadata,
    _tenant(),
    _word("scope"),
    _word("name"),
    Column("many", Boolean, nullable=False),
    Column("value_type", Text, nullable=False),
    Column("order", Text, nullable=False),
    Column("series", Boolean, nullable=False),
    Column("compare", Text, nullable=False),
    Column("about", Text, nullable=False),
)

policy = Table("policy", metadata, _tenant(), _word("scope"), Column("settings", Text, nullable=False))

# --- records ------------------------------------------------------------------------------------------------------

source = Table(
    "source",
    metadata,
    _tenant(),
    _number("source"),
    Column("id", Text, nullable=False),
    Column("scope", Integer, nullable=False),
    Column("uri", Text),
    Column("title", Text),
    Column("authority", Text),
    Column("owner", Text),
    Column("family", Text, nullable=False),
    UniqueConstraint("tenant", "id"),
)

claim_key = Table(
    "claim_key",
    metadata,
    _tenant(),
    _number("key"),
    Column("hash", Text, nullable=False),
    Column("scope", Integer, nullable=False),
    Column("subject", Text, nullable=False),
    Column("predicate", Text, nullable=False),
    Column("qualifiers", Text, nullable=False),
    #: Shared by the keys that ask the same in different scopes.
    Column("question", BigInteger, nullable=False),
    #: The predicate is many-valued, so that claims of this key never conflict.
    Column("many", Boolean, nullable=False),
    UniqueConstraint("tenant", "hash"),
    Index(None, "tenant", "question"),
)

#: A record's index card: what it is, and the figures that walks, conflicts and reads need.
record = Table(
    "record",
    metadata,
    _tenant(),
    _number("record"),
    Column("id", Text, nullable=False),
    Column("kind", SmallInteger, nullable=False),
    Column("flags", SmallInteger, nullable=False),
    Column("key", Integer),
    Column("value_code", BigInteger),
    Column("valid_from", BigInteger),
    Column("valid_to", BigInteger),
    Column("expires_at", BigInteger),
    Column("review_at", BigInteger),
    #: The earlier of expiry and review date.
    Column("due_at", BigInteger),
    Column("source", Integer),
    Column("content_hash", Text, nullable=False),
    #: Hash of the line as first given, by which the identical line is known again after amendments.
    Column("line_hash", Text, nullable=False),
    Column("importer", Integer, nullable=False),
    Column("proposed_by", Integer),
    Column("task", Text),
    Column("created_seq", BigInteger, nullable=False),
    UniqueConstraint("tenant", "id"),
    Index("ix_record_key", "tenant", "key", sqlite_where=Column("key").is_not(None), postgresql_where=Column("key").is_not(None)),
    Index("ix_record_source", "tenant", "source", sqlite_where=Column("source").is_not(None), postgresql_where=Column("source").is_not(None)),
    Index("ix_record_due", "tenant", "due_at", "record", sqlite_where=Column("due_at").is_not(None), postgresql_where=Column("due_at").is_not(None)),
    sqlite_with_rowid=False,
)

_waiting = Column("status").in_([0, 3])
_candidate = Column("status") == 0

#: The narrow part that changes.
record_state = Table(
    "record_state",
    metadata,
    _tenant(),
    _number("record"),
    Column("status", SmallInteger, nullable=False),
    Column("version", Integer, nullable=False),
    Column("scope", Integer, nullable=False),
    Column("owner", Integer),
    Column("kind", SmallInteger, nullable=False),
    Index("ix_waiting", "tenant", "status", "record", "scope", "kind", "owner", sqlite_where=_waiting, postgresql_where=_waiting),
    Index("ix_waiting_scope", "tenant", "status", "scope", "record", sqlite_where=_waiting, postgresql_where=_waiting),
    Index("ix_candidate_owner", "tenant", "owner", "record", sqlite_where=_candidate, postgresql_where=_candidate),
    sqlite_with_rowid=False,
    postgresql_with={"fillfactor": 45},
)

claim = Table(
    "claim",
    metadata,
    _tenant(),
    _number("record"),
    Column("value", Text, nullable=False),
    Column("claim_type", Text, nullable=False),
    Column("statement", Text),
    Column("observed_at", BigInteger),
    Column("purposes", Text, nullable=False),
    Column("conditions", Text),
    Column("authority", Text),
    Column("speaker", Text),
    Column("confirmed_by", Text),
    Column("sensitivity", Text, nullable=False),
    Column("extraction", Text),
    Column("entity_confidence", Float),
    Column("on_conflict", Text, nullable=False),
    Column("revalidate_on", Text, nullable=False),
    Column("source_uri", Text),
    Column("source_span", Text),
    Column("assumed_utc", Text),
)

artifact = Table(
    "artifact",
    metadata,
    _tenant(),
    _number("record"),
    Column("artifact_type", Text, nullable=False),
    Column("title", Text),
    Column("body", Text),
    Column("edition", Integer, nullable=False),
    Column("edition_of", Text),
    Column("assumed_utc", Text),
)

evidence = Table(
    "evidence",
    metadata,
    _tenant(),
    _number("record"),
    Column("version", Integer, nullable=False),
    Column("captured_at", BigInteger),
    Column("media_type", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("assumed_utc", Text),
)

evidence_content = Table("evidence_content", metadata, _tenant(), _number("record"), Column("content", LargeBinary, nullable=False))

binding = Table(
    "binding",
    metadata,
    _tenant(),
    _number("record"),
    _number("n"),
    Column("evidence", Integer, nullable=False),
    Column("span", Text),
    Column("quote", Text),
    Index(None, "tenant", "evidence"),
)

dependency = Table(
    "dependency",
    metadata,
    _tenant(),
    _number("parent"),
    _number("child"),
    #: Bits: 1 bound passage, 2 declared, 4 observed.
    Column("origin", SmallInteger, nullable=False),
    Index("ix_dependency_child", "tenant", "child", "parent"),
    sqlite_with_rowid=False,
)

delivery = Table(
    "delivery",
    metadata,
    _tenant(),
    _number("record"),
    _number("n"),
    Column("recipient", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("delivered_at", BigInteger),
    Column("operation_id", Text),
    Column("assumed_utc", Boolean, nullable=False),
)

succession = Table("succession", metadata, _tenant(), _number("record"), Column("successor", Integer, nullable=False))

#: Whoever amended a record or bound its evidence, beside importer and proposer.
contributor = Table("contributor", metadata, _tenant(), _number("record"), _word("name"))

decision = Table(
    "decision",
    metadata,
    _tenant(),
    _number("record"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("action", Text, nullable=False),
    Column("person", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    #: The version the decision left behind; a recorded first approval counts while this is the version.
    Column("version", Integer, nullable=False),
    Column("route", Text),
    Column("reason", Text),
    Column("terms", Text),
)

#: What reviewers said of reads that a proposal does not declare (R8).
dependency_review = Table(
    "dependency_review",
    metadata,
    _tenant(),
    _number("record"),
    _number("read_record"),
    Column("used", Boolean, nullable=False),
    Column("seq", BigInteger, nullable=False),
)

#: Content that was replaced, by the last version that had it.
replaced_content = Table(
    "replaced_content",
    metadata,
    _tenant(),
    _number("record"),
    _number("version"),
    Column("seq", BigInteger, nullable=False),
    Column("line", Text, nullable=False),
)

# --- conflicts ----------------------------------------------------------------------------------------------------

_open = Column("state") == 0

conflict = Table(
    "conflict",
    metadata,
    _tenant(),
    _number("conflict"),
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
    _tenant(),
    _number("conflict"),
    _number("record"),
    Index(None, "tenant", "record"),
    sqlite_with_rowid=False,
)

# --- what happened ------------------------------------------------------------------------------------------------

event = Table(
    "event",
    metadata,
    _tenant(),
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
    _tenant(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("mac_key", LargeBinary, nullable=False),
    Column("note", Text, nullable=False),
)

history = Table(
    "history",
    metadata,
    _tenant(),
    _number("record"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("old", SmallInteger),
    Column("new", SmallInteger, nullable=False),
    Column("version", Integer, nullable=False),
    sqlite_with_rowid=False,
)

operation = Table(
    "operation",
    metadata,
    _tenant(),
    _word("operation"),
    Column("seq", BigInteger, nullable=False),
    Column("person", Integer, nullable=False),
    Column("words", Text, nullable=False),
    Column("result", Text, nullable=False),
)

#: What was seen, under its fingerprint, for a while.
preview = Table(
    "preview",
    metadata,
    _tenant(),
    _word("fingerprint"),
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
    _tenant(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    _number("n"),
    Column("record", Integer, nullable=False),
    Column("edition", Integer, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Index(None, "tenant", "record"),
)

read_log = Table(
    "read_log",
    metadata,
    Column("n", _LONG_NUMBER, primary_key=True, autoincrement=True),
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
    _tenant(),
    _number("record"),
    Column("n", BigInteger, primary_key=True, autoincrement=False),
    Column("place", Integer, nullable=False),
    Column("version", Integer),
    Index("ix_read_log_record_n", "n"),
)

refusal = Table(
    "refusal",
    metadata,
    Column("n", _LONG_NUMBER, primary_key=True, autoincrement=True),
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
    _tenant(),
    _number("scope"),
    _number("status"),
    _number("kind"),
    Column("n", Integer, nullable=False),
)

owner_counter = Table("owner_counter", metadata, _tenant(), _number("owner"), _number("status"), Column("n", Integer, nullable=False))

#: Tables whose rows are only ever added; triggers hold that.
APPEND_ONLY = ("event", "history", "read_log")
