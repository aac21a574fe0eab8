"""Tables of what happens after a source changed: renditions, corrections, triggers, rehearsals, editions and messages."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, SmallInteger, Table, Text, UniqueConstraint

from store.db.schema import metadata, number_key, tenant_key, word_key

# --- sources ------------------------------------------------------------------------------------------------------

#: Text taken out of a version that is no text itself (PDF, HTML); the spans of such versions refer to it.
rendition = Table(
    "rendition",
    metadata,
    tenant_key(),
    number_key("record"),
    #: What took the text out, and its version.
    Column("extractor", Text, nullable=False),
    Column("extractor_version", Text, nullable=False),
    Column("text", LargeBinary, nullable=False),
    Column("sha256", Text, nullable=False),
    #: JSON: the code point at which each page begins; null where there are no pages.
    Column("pages", Text),
)

#: Files a plan speaks of, by their hash, until the plan is committed or forgotten. They belong to no record.
plan_file = Table(
    "plan_file",
    metadata,
    tenant_key(),
    word_key("sha256"),
    Column("name", Text),
    Column("media_type", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("person", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

# --- corrections --------------------------------------------------------------------------------------------------

_open = Column("closed_at").is_(None)

correction = Table(
    "correction",
    metadata,
    tenant_key(),
    number_key("correction"),
    Column("id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("cause", Text),
    Column("scope", Integer, nullable=False),
    Column("owner", Text),
    Column("due_at", BigInteger),
    Column("opened_by", Text, nullable=False),
    Column("opened_at", BigInteger, nullable=False),
    Column("opened_seq", BigInteger, nullable=False),
    Column("closed_by", Text),
    Column("closed_at", BigInteger),
    Column("closed_seq", BigInteger),
    Column("closing_note", Text),
    #: JSON, for a case that came by an import, which brings no events: what happened in it, and what had fallen because of it.
    Column("carried", Text),
    UniqueConstraint("tenant", "id"),
    Index("ix_correction_open", "tenant", "correction", sqlite_where=_open, postgresql_where=_open),
)

#: The sources (by number) a correction is about; a file that arrives for one of them joins it.
correction_source = Table(
    "correction_source",
    metadata,
    tenant_key(),
    number_key("correction"),
    number_key("source"),
    Index(None, "tenant", "source"),
)

#: The events that belong to a correction: plans committed in it, files that joined it, decisions made for it.
correction_event = Table(
    "correction_event",
    metadata,
    tenant_key(),
    number_key("correction"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    #: `stop`, `compare`, `commit`, `settle` or `tell`; `case` for what concerns the case itself.
    Column("step", Text, nullable=False),
    Index(None, "tenant", "seq"),
)

#: What a correction leaves open on purpose, each with a reason. `kind` and `about` name the thing: a step, a record, a message.
correction_waiver = Table(
    "correction_waiver",
    metadata,
    tenant_key(),
    number_key("correction"),
    word_key("kind"),
    word_key("about"),
    Column("reason", Text, nullable=False),
    Column("waived_by", Text, nullable=False),
    Column("waived_at", BigInteger, nullable=False),
    Column("waived_seq", BigInteger, nullable=False),
)

# --- re-validation ------------------------------------------------------------------------------------------------

_undismissed = Column("dismissed_at").is_(None)

#: Causes of staleness that are no lost parents; each is kept until somebody dismisses it.
fired_trigger = Table(
    "fired_trigger",
    metadata,
    tenant_key(),
    number_key("record"),
    number_key("n"),
    #: `source_changed`, `newer_period_arrived`, `project_ended`, `role_changed`.
    Column("name", Text, nullable=False),
    #: What it was: the record that arrived, or what somebody said.
    Column("cause", Text),
    Column("fired_by", Text),
    Column("fired_at", BigInteger, nullable=False),
    Column("fired_seq", BigInteger, nullable=False),
    Column("dismissed_by", Text),
    Column("dismissed_at", BigInteger),
    Column("dismissed_seq", BigInteger),
    Column("reason", Text),
    Index("ix_fired_trigger_open", "tenant", "record", sqlite_where=_undismissed, postgresql_where=_undismissed),
)

# --- rehearsals ---------------------------------------------------------------------------------------------------

#: A plan saved under a name, with what it did when it was last looked at.
rehearsal = Table(
    "rehearsal",
    metadata,
    tenant_key(),
    number_key("rehearsal"),
    Column("id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("correction", Integer),
    Column("saved_by", Text, nullable=False),
    Column("saved_at", BigInteger, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("fingerprint", Text, nullable=False),
    #: What was seen: (record, version, now, then) per affected record, and the rest of the result as JSON.
    Column("rows", LargeBinary, nullable=False),
    Column("seen", Text, nullable=False),
    #: The numbers of it that lists show, and the scopes it concerns, as JSON.
    Column("summary", Text, nullable=False),
    Column("handed_to", Text),
    Column("handed_by", Text),
    Column("handed_why", Text),
    Column("handed_at", BigInteger),
    Column("committed_seq", BigInteger),
    Column("removed_at", BigInteger),
    UniqueConstraint("tenant", "id"),
)

# --- deliveries and messages --------------------------------------------------------------------------------------

#: What became of a delivered artifact that needed re-validation: `edition`, `annotation`, or `none` because.
remedy = Table(
    "remedy",
    metadata,
    tenant_key(),
    number_key("record"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("way", Text, nullable=False),
    #: The record number of the new edition.
    Column("edition", Integer),
    Column("text", Text),
    Column("person", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

_unsent = Column("state").in_([0, 1, 3, 6])

#: One message to one person about everything they hold; the outbox.
message = Table(
    "message",
    metadata,
    tenant_key(),
    number_key("message"),
    Column("id", Text, nullable=False),
    Column("correction", Integer),
    Column("recipient", Text, nullable=False),
    Column("address", Text),
    Column("channel", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    #: 0 drafted, 1 approved, 2 sent, 3 failed, 4 seen, 5 cancelled, 6 being sent.
    Column("state", SmallInteger, nullable=False),
    Column("drafted_by", Text, nullable=False),
    Column("drafted_at", BigInteger, nullable=False),
    Column("approved_by", Text),
    Column("approved_at", BigInteger),
    Column("sent_at", BigInteger),
    Column("seen_at", BigInteger),
    Column("attempts", Integer, nullable=False),
    Column("failure", Text),
    #: Kept from the first attempt on: the same for every retry, so that nobody receives a message twice.
    Column("message_id", Text),
    #: When it was last taken up to be sent.
    Column("attempted_at", BigInteger),
    #: The deletion request because of which its recipient is asked to destroy files they hold; such a message names no record.
    Column("request", Integer),
    UniqueConstraint("tenant", "id"),
    Index("ix_message_unsent", "tenant", "state", "message", sqlite_where=_unsent, postgresql_where=_unsent),
)

#: Every record a message names; who may not see them all does not see the message.
message_record = Table("message_record", metadata, tenant_key(), number_key("message"), number_key("record"))

#: The notices (`notice`) a message carries.
message_notice = Table(
    "message_notice",
    metadata,
    tenant_key(),
    number_key("message"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    number_key("n"),
    Index(None, "tenant", "seq", "n"),
)
