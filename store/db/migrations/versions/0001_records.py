"""Tenants, people, sources, keys and records."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables of what the store holds."""
    op.create_table(
        "artifact",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("artifact_type", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("edition_of", sa.Text(), nullable=True),
        sa.Column("assumed_utc", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "record", name=op.f("pk_artifact")),
    )
    op.create_table(
        "binding",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("evidence", sa.Integer(), nullable=False),
        sa.Column("span", sa.Text(), nullable=True),
        sa.Column("quote", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "record", "n", name=op.f("pk_binding")),
    )
    op.create_index(op.f("ix_binding_tenant_evidence"), "binding", ["tenant", "evidence"], unique=False)
    op.create_table(
        "claim",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("claim_type", sa.Text(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=True),
        sa.Column("observed_at", sa.BigInteger(), nullable=True),
        sa.Column("purposes", sa.Text(), nullable=False),
        sa.Column("conditions", sa.Text(), nullable=True),
        sa.Column("authority", sa.Text(), nullable=True),
        sa.Column("speaker", sa.Text(), nullable=True),
        sa.Column("confirmed_by", sa.Text(), nullable=True),
        sa.Column("sensitivity", sa.Text(), nullable=False),
        sa.Column("extraction", sa.Text(), nullable=True),
        sa.Column("entity_confidence", sa.Float(), nullable=True),
        sa.Column("on_conflict", sa.Text(), nullable=False),
        sa.Column("revalidate_on", sa.Text(), nullable=False),
        sa.Column("source_uri", sa.Text(), nullable=True),
        sa.Column("source_span", sa.Text(), nullable=True),
        sa.Column("assumed_utc", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "record", name=op.f("pk_claim")),
    )
    op.create_table(
        "claim_key",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("scope", sa.Integer(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("predicate", sa.Text(), nullable=False),
        sa.Column("qualifiers", sa.Text(), nullable=False),
        sa.Column("question", sa.BigInteger(), nullable=False),
        sa.Column("many", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "key", name=op.f("pk_claim_key")),
        sa.UniqueConstraint("tenant", "hash", name=op.f("uq_claim_key_tenant_hash")),
    )
    op.create_index(op.f("ix_claim_key_tenant_question"), "claim_key", ["tenant", "question"], unique=False)
    op.create_table(
        "contributor",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "record", "name", name=op.f("pk_contributor")),
    )
    op.create_table(
        "decision",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("route", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("terms", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "record", "seq", name=op.f("pk_decision")),
    )
    op.create_table(
        "delivery",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("delivered_at", sa.BigInteger(), nullable=True),
        sa.Column("operation_id", sa.Text(), nullable=True),
        sa.Column("assumed_utc", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "record", "n", name=op.f("pk_delivery")),
    )
    op.create_table(
        "dependency",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("parent", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("child", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("origin", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "parent", "child", name=op.f("pk_dependency")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_dependency_child", "dependency", ["tenant", "child", "parent", "origin"], unique=False)
    op.create_table(
        "dependency_review",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("read_record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("used", sa.Boolean(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "record", "read_record", name=op.f("pk_dependency_review")),
    )
    op.create_table(
        "evidence",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("captured_at", sa.BigInteger(), nullable=True),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("assumed_utc", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "record", name=op.f("pk_evidence")),
    )
    op.create_table(
        "evidence_content",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "record", name=op.f("pk_evidence_content")),
    )
    op.create_table(
        "party",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("party", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "party", name=op.f("pk_party")),
        sa.UniqueConstraint("tenant", "name", name=op.f("uq_party_tenant_name")),
    )
    op.create_table(
        "person",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "person", name=op.f("pk_person")),
        sa.UniqueConstraint("tenant", "id", name=op.f("uq_person_tenant_id")),
    )
    op.create_table(
        "policy",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "scope", name=op.f("pk_policy")),
    )
    op.create_table(
        "predicate",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("many", sa.Boolean(), nullable=False),
        sa.Column("value_type", sa.Text(), nullable=False),
        sa.Column("order", sa.Text(), nullable=False),
        sa.Column("series", sa.Boolean(), nullable=False),
        sa.Column("compare", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "scope", "name", name=op.f("pk_predicate")),
    )
    op.create_table(
        "record",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("flags", sa.SmallInteger(), nullable=False),
        sa.Column("key", sa.Integer(), nullable=True),
        sa.Column("value_code", sa.BigInteger(), nullable=True),
        sa.Column("valid_from", sa.BigInteger(), nullable=True),
        sa.Column("valid_to", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("review_at", sa.BigInteger(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("source", sa.Integer(), nullable=True),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("line_hash", sa.Text(), nullable=False),
        sa.Column("importer", sa.Integer(), nullable=False),
        sa.Column("proposed_by", sa.Integer(), nullable=True),
        sa.Column("task", sa.Text(), nullable=True),
        sa.Column("created_seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "record", name=op.f("pk_record")),
        sa.UniqueConstraint("tenant", "id", name=op.f("uq_record_tenant_id")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_record_due",
        "record",
        ["tenant", "due_at", "record"],
        unique=False,
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "ix_record_key",
        "record",
        ["tenant", "key"],
        unique=False,
        sqlite_where=sa.text("key IS NOT NULL"),
        postgresql_where=sa.text("key IS NOT NULL"),
    )
    op.create_index(
        "ix_record_source",
        "record",
        ["tenant", "source"],
        unique=False,
        sqlite_where=sa.text("source IS NOT NULL"),
        postgresql_where=sa.text("source IS NOT NULL"),
    )
    op.create_table(
        "record_state",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("scope", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Integer(), nullable=True),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "record", name=op.f("pk_record_state")),
        postgresql_with={"fillfactor": 45},
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_candidate_owner",
        "record_state",
        ["tenant", "owner", "record"],
        unique=False,
        sqlite_where=sa.text("status = 0"),
        postgresql_where=sa.text("status = 0"),
    )
    op.create_index(
        "ix_waiting",
        "record_state",
        ["tenant", "status", "record", "scope", "kind", "owner"],
        unique=False,
        sqlite_where=sa.text("status IN (0, 3)"),
        postgresql_where=sa.text("status IN (0, 3)"),
    )
    op.create_index(
        "ix_waiting_scope",
        "record_state",
        ["tenant", "status", "scope", "record"],
        unique=False,
        sqlite_where=sa.text("status IN (0, 3)"),
        postgresql_where=sa.text("status IN (0, 3)"),
    )
    op.create_table(
        "replaced_content",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "record", "version", name=op.f("pk_replaced_content")),
    )
    op.create_table(
        "role",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "person", "role", "scope", name=op.f("pk_role")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "scope",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "scope", name=op.f("pk_scope")),
        sa.UniqueConstraint("tenant", "path", name=op.f("uq_scope_tenant_path")),
    )
    op.create_table(
        "source",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("source", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("scope", sa.Integer(), nullable=False),
        sa.Column("uri", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("authority", sa.Text(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("family", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "source", name=op.f("pk_source")),
        sa.UniqueConstraint("tenant", "id", name=op.f("uq_source_tenant_id")),
    )
    op.create_table(
        "store",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_store")),
    )
    op.create_table(
        "succession",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("successor", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "record", name=op.f("pk_succession")),
    )
    op.create_table(
        "tenant",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("event_seq", sa.BigInteger(), nullable=False),
        sa.Column("next_record", sa.Integer(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("policy_version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", name=op.f("pk_tenant")),
        sa.UniqueConstraint("name", name=op.f("uq_tenant_name")),
    )
