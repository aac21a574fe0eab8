"""Every table of the store. All keys lead with the tenant; numbers inside, text ids outside.

What changes often (`record_state`) is apart from what is wide (`claim`, `artifact`, `evidence`), so that a commit over
half a million records rewrites narrow rows only. Times are microseconds since 1970 UTC. Texts that people wrote about
their decisions sit in rows of their own (`event_note`, `decision`), because events are for ever and texts may have to go.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, LargeBinary, SmallInteger, Table, Text, UniqueConstraint

from store.db.correction_tables import (
    correction,
    correction_event,
    correction_source,
    correction_waiver,
    fired_trigger,
    message,
    message_notice,
    message_record,
    plan_file,
    rehearsal,
    remedy,
    rendition,
)
from store.db.forgetting_tables import (
    backup_copy,
    deletion_receipt,
    deletion_request,
    deletion_surface,
    deletion_target,
    export_copy,
    proof,
    redaction,
)
from store.db.log_tables import (
    APPEND_ONLY,
    conflict,
    conflict_side,
    counter,
    event,
    event_note,
    history,
    notice,
    operation,
    owner_counter,
    preview,
    question,
    read_log,
    read_log_record,
    refusal,
)
from store.db.schema import metadata, number_key, tenant_key, word_key

__all__ = [
    "APPEND_ONLY",
    "artifact",
    "backup_copy",
    "binding",
    "claim",
    "claim_key",
    "conflict",
    "conflict_side",
    "contributor",
    "correction",
    "correction_event",
    "correction_source",
    "correction_waiver",
    "counter",
    "decision",
    "deletion_receipt",
    "deletion_request",
    "deletion_surface",
    "deletion_target",
    "delivery",
    "dependency",
    "dependency_review",
    "event",
    "event_note",
    "evidence",
    "evidence_content",
    "export_copy",
    "fired_trigger",
    "history",
    "message",
    "message_notice",
    "message_record",
    "metadata",
    "notice",
    "operation",
    "owner_counter",
    "party",
    "person",
    "plan_file",
    "policy",
    "predicate",
    "preview",
    "proof",
    "question",
    "read_log",
    "read_log_record",
    "record",
    "record_state",
    "redaction",
    "refusal",
    "rehearsal",
    "remedy",
    "rendition",
    "replaced_content",
    "role",
    "scope",
    "source",
    "store",
    "succession",
    "tenant",
]

# --- the store, its tenants, its people ---------------------------------------------------------------------------

store = Table("store", metadata, word_key("name"), Column("value", Text, nullable=False))

tenant = Table(
    "tenant",
    metadata,
    tenant_key(),
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
    tenant_key(),
    number_key("person"),
    Column("id", Text, nullable=False),
    Column("name", Text, nullable=False),
    #: Where notices for this person go.
    Column("email", Text),
    UniqueConstraint("tenant", "id"),
)

role = Table("role", metadata, tenant_key(), number_key("person"), word_key("role"), word_key("scope"), sqlite_with_rowid=False)

scope = Table(
    "scope",
    metadata,
    tenant_key(),
    number_key("scope"),
    Column("path", Text, nullable=False),
    UniqueConstraint("tenant", "path"),
)

#: Names of owners and proposers, who need not be people of the store.
party = Table(
    "party",
    metadata,
    tenant_key(),
    number_key("party"),
    Column("name", Text, nullable=False),
    UniqueConstraint("tenant", "name"),
)

predicate = Table(
    "predicate",
    metadata,
    tenant_key(),
    word_key("scope"),
    word_key("name"),
    Column("many", Boolean, nullable=False),
    Column("value_type", Text, nullable=False),
    Column("order", Text, nullable=False),
    Column("series", Boolean, nullable=False),
    Column("compare", Text, nullable=False),
    Column("about", Text, nullable=False),
    #: JSON: {"absolute": x} or {"relative": x}; numbers that near are one value.
    Column("tolerance", Text),
    #: JSON: the numbers at which a value means another decision.
    Column("thresholds", Text),
)

policy = Table("policy", metadata, tenant_key(), word_key("scope"), Column("settings", Text, nullable=False))

# --- records ------------------------------------------------------------------------------------------------------

source = Table(
    "source",
    metadata,
    tenant_key(),
    number_key("source"),
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
    tenant_key(),
    number_key("key"),
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
    # By bytes on both databases, so that subjects with one beginning stand together.
    Index("ix_claim_key_subject", "tenant", "subject", postgresql_ops={"subject": "text_pattern_ops"}),
)

#: A record's index card: what it is, and the figures that walks, conflicts and reads need.
record = Table(
    "record",
    metadata,
    tenant_key(),
    number_key("record"),
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
    tenant_key(),
    number_key("record"),
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
    tenant_key(),
    number_key("record"),
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
    tenant_key(),
    number_key("record"),
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
    tenant_key(),
    number_key("record"),
    Column("version", Integer, nullable=False),
    Column("captured_at", BigInteger),
    Column("media_type", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("assumed_utc", Text),
)

evidence_content = Table("evidence_content", metadata, tenant_key(), number_key("record"), Column("content", LargeBinary, nullable=False))

binding = Table(
    "binding",
    metadata,
    tenant_key(),
    number_key("record"),
    number_key("n"),
    Column("evidence", Integer, nullable=False),
    Column("span", Text),
    Column("quote", Text),
    Index(None, "tenant", "evidence"),
)

dependency = Table(
    "dependency",
    metadata,
    tenant_key(),
    number_key("parent"),
    number_key("child"),
    #: Bits: 1 bound passage, 2 declared, 4 observed.
    Column("origin", SmallInteger, nullable=False),
    Index("ix_dependency_child", "tenant", "child", "parent", "origin"),
    sqlite_with_rowid=False,
)

delivery = Table(
    "delivery",
    metadata,
    tenant_key(),
    number_key("record"),
    number_key("n"),
    Column("recipient", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("delivered_at", BigInteger),
    Column("operation_id", Text),
    Column("assumed_utc", Boolean, nullable=False),
)

succession = Table("succession", metadata, tenant_key(), number_key("record"), Column("successor", Integer, nullable=False))

#: Whoever amended a record or bound its evidence, beside importer and proposer.
contributor = Table("contributor", metadata, tenant_key(), number_key("record"), word_key("name"))

decision = Table(
    "decision",
    metadata,
    tenant_key(),
    number_key("record"),
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
    tenant_key(),
    number_key("record"),
    number_key("read_record"),
    Column("used", Boolean, nullable=False),
    Column("seq", BigInteger, nullable=False),
)

#: Content that was replaced, by the last version that had it.
replaced_content = Table(
    "replaced_content",
    metadata,
    tenant_key(),
    number_key("record"),
    number_key("version"),
    Column("seq", BigInteger, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("line", Text, nullable=False),
)
