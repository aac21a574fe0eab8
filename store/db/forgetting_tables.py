"""Tables of forgetting: requests, what they reach, surfaces and receipts; where copies went; proofs that nothing comes back.

None of them holds a forgotten value or an unkeyed hash of one. What people typed about a request (`reason`, `requester`,
`refusal`) is emptied when the request is finished; what has to stay is words of fixed lists, numbers and dates.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, SmallInteger, Table, Text, UniqueConstraint

from store.db.schema import metadata, number_key, tenant_key, word_key

# --- requests -----------------------------------------------------------------------------------------------------

_open = Column("state") == 0

deletion_request = Table(
    "deletion_request",
    metadata,
    tenant_key(),
    number_key("request"),
    Column("id", Text, nullable=False),
    #: 0 open (blocked, not yet erased everywhere), 1 complete, 2 refused.
    Column("state", SmallInteger, nullable=False),
    #: How the records were found: `record`, `subject`, `source` or `search`.
    Column("found_by", Text, nullable=False),
    #: Why, a word of `store.domain.forgetting.GROUNDS`.
    Column("ground", Text, nullable=False),
    #: Who asked, and in what words; emptied when the request is finished.
    Column("requester", Text),
    Column("reason", Text),
    Column("due_at", BigInteger),
    #: The person who entered it.
    Column("entered_by", Text, nullable=False),
    Column("entered_at", BigInteger, nullable=False),
    Column("entered_seq", BigInteger, nullable=False),
    Column("owner", Text),
    #: When erasing began, and when no surface was open any more.
    Column("begun_at", BigInteger),
    Column("finished_at", BigInteger),
    Column("finished_seq", BigInteger),
    Column("refused_by", Text),
    Column("refused_at", BigInteger),
    Column("refused_seq", BigInteger),
    Column("refusal", Text),
    #: It came from the ledger, after a restored backup did not know of it.
    Column("from_ledger", Boolean, nullable=False),
    UniqueConstraint("tenant", "id"),
    Index("ix_deletion_request_open", "tenant", "request", sqlite_where=_open, postgresql_where=_open),
)

#: The records a request asks to forget, each with the status it had, which it gets back if the request is refused.
deletion_target = Table(
    "deletion_target",
    metadata,
    tenant_key(),
    number_key("request"),
    number_key("record"),
    Column("was", SmallInteger, nullable=False),
    Column("version", Integer, nullable=False),
    #: HMACs under the tenant's key in the ledger: over the id, and over key and value.
    Column("id_mac", Text, nullable=False),
    Column("value_mac", Text),
    Column("erased_at", BigInteger),
    Index(None, "tenant", "record"),
)

#: Passages of shared evidence that are blotted out, in code points of its text or rendition.
redaction = Table(
    "redaction",
    metadata,
    tenant_key(),
    number_key("request"),
    number_key("record"),
    number_key("start"),
    Column("end", Integer, nullable=False),
    #: Until then the passage is hidden when the text is shown, and still stands in the bytes.
    Column("done_at", BigInteger),
    #: HMAC of the words that stood there, under the tenant's key in the ledger, where they say much: by it they are known again.
    Column("words_mac", Text),
    Index(None, "tenant", "record"),
)

#: Every place a request has to reach; `n` counts single copies below a surface (an export, a backup, a replica), 0 is the surface itself.
deletion_surface = Table(
    "deletion_surface",
    metadata,
    tenant_key(),
    number_key("request"),
    word_key("surface"),
    number_key("n"),
    #: 0 open, 1 done, 2 kept, 3 failed, 4 unsupported, 5 being worked on.
    Column("state", SmallInteger, nullable=False),
    #: For what is kept: the rule's name and the date it lapses; for what a worker could not clear: why, a word of `Failure`.
    Column("rule", Text),
    Column("until", BigInteger),
    #: Who answers for it, who settled it (a person's id, or `claimdesk` for a worker) and when.
    Column("owner", Text),
    Column("by", Text),
    Column("at", BigInteger),
    #: How many places were found and cleared.
    Column("found", Integer),
    #: The export or backup meant, by its number; a replica or another log, by its name.
    Column("about", Integer),
    Column("place", Text),
    #: What somebody wrote when settling it by hand; emptied where it holds something of what was forgotten.
    Column("note", Text),
)

#: What a finished (or refused) request leaves: the receipt as JSON, without anything of what was forgotten.
deletion_receipt = Table(
    "deletion_receipt",
    metadata,
    tenant_key(),
    number_key("request"),
    number_key("n"),
    Column("seq", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("content", Text, nullable=False),
)

# --- copies outside ------------------------------------------------------------------------------------------------

#: Every export ever made: what, when, by whom, who holds it, and which records it carried.
export_copy = Table(
    "export_copy",
    metadata,
    tenant_key(),
    number_key("export"),
    Column("at", BigInteger, nullable=False),
    Column("person", Text, nullable=False),
    #: `bundle`, `csv`, `prov-json`, or the screen's word for what was downloaded.
    Column("format", Text, nullable=False),
    Column("scope", Text),
    Column("lines", Integer, nullable=False),
    #: The file's name, and who holds it if not the person who made it.
    Column("name", Text),
    Column("holder", Text),
    Column("revision", BigInteger, nullable=False),
    #: Record numbers, 32-bit little-endian, compressed.
    Column("records", LargeBinary, nullable=False),
    #: When its holder said it is destroyed, and who recorded that.
    Column("gone_at", BigInteger),
    Column("gone_by", Text),
)

#: Every backup made of the whole store (tenant 0).
backup_copy = Table(
    "backup_copy",
    metadata,
    tenant_key(),
    number_key("backup"),
    Column("at", BigInteger, nullable=False),
    Column("person", Text, nullable=False),
    Column("name", Text, nullable=False),
    #: JSON: tenant -> the revision it stands at.
    Column("revisions", Text, nullable=False),
    Column("ledger_seq", BigInteger, nullable=False),
    #: When it is destroyed by rule, and when it was.
    Column("until", BigInteger, nullable=False),
    Column("gone_at", BigInteger),
    Column("gone_by", Text),
)

# --- proofs -------------------------------------------------------------------------------------------------------

#: What tests of forgetting found: a restore drill, the memory gate, the verification of a request.
proof = Table(
    "proof",
    metadata,
    tenant_key(),
    number_key("proof"),
    #: `drill`, `gate` or `verification`.
    Column("kind", Text, nullable=False),
    Column("request", Integer),
    Column("at", BigInteger, nullable=False),
    Column("person", Text, nullable=False),
    Column("ok", Boolean, nullable=False),
    Column("found", Text, nullable=False),
    Index(None, "tenant", "kind", "proof"),
)
