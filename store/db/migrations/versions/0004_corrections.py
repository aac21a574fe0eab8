"""Corrections: renditions, cases, triggers, rehearsals, editions and messages; where notices for a person go."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables of corrections, and give people an address."""
    op.create_table(
        "correction",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("correction", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("scope", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("opened_by", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("opened_seq", sa.BigInteger(), nullable=False),
        sa.Column("closed_by", sa.Text(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_seq", sa.BigInteger(), nullable=True),
        sa.Column("closing_note", sa.Text(), nullable=True),
        sa.Column("carried", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "correction", name=op.f("pk_correction")),
        sa.UniqueConstraint("tenant", "id", name=op.f("uq_correction_tenant_id")),
    )
    op.create_index(
        "ix_correction_open",
        "correction",
        ["tenant", "correction"],
        unique=False,
        sqlite_where=sa.text("closed_at IS NULL"),
        postgresql_where=sa.text("closed_at IS NULL"),
    )
    op.create_table(
        "correction_event",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("correction", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "correction", "seq", name=op.f("pk_correction_event")),
    )
    op.create_index(op.f("ix_correction_event_tenant_seq"), "correction_event", ["tenant", "seq"], unique=False)
    op.create_table(
        "correction_source",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("correction", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("source", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "correction", "source", name=op.f("pk_correction_source")),
    )
    op.create_index(op.f("ix_correction_source_tenant_source"), "correction_source", ["tenant", "source"], unique=False)
    op.create_table(
        "correction_waiver",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("correction", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("waived_by", sa.Text(), nullable=False),
        sa.Column("waived_at", sa.BigInteger(), nullable=False),
        sa.Column("waived_seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "correction", "kind", "about", name=op.f("pk_correction_waiver")),
    )
    op.create_table(
        "message",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("message", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("correction", sa.Integer(), nullable=True),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("drafted_by", sa.Text(), nullable=False),
        sa.Column("drafted_at", sa.BigInteger(), nullable=False),
        sa.Column("approved_by", sa.Text(), nullable=True),
        sa.Column("approved_at", sa.BigInteger(), nullable=True),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("seen_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("attempted_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "message", name=op.f("pk_message")),
        sa.UniqueConstraint("tenant", "id", name=op.f("uq_message_tenant_id")),
    )
    op.create_index(
        "ix_message_unsent",
        "message",
        ["tenant", "state", "message"],
        unique=False,
        sqlite_where=sa.text("state IN (0, 1, 3, 6)"),
        postgresql_where=sa.text("state IN (0, 1, 3, 6)"),
    )
    op.create_table(
        "message_notice",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("message", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "message", "seq", "n", name=op.f("pk_message_notice")),
    )
    op.create_index(op.f("ix_message_notice_tenant_seq_n"), "message_notice", ["tenant", "seq", "n"], unique=False)
    op.create_table(
        "message_record",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("message", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "message", "record", name=op.f("pk_message_record")),
    )
    op.create_table(
        "plan_file",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "sha256", name=op.f("pk_plan_file")),
    )
    op.create_table(
        "rehearsal",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rehearsal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("correction", sa.Integer(), nullable=True),
        sa.Column("saved_by", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("rows", sa.LargeBinary(), nullable=False),
        sa.Column("seen", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("handed_to", sa.Text(), nullable=True),
        sa.Column("handed_by", sa.Text(), nullable=True),
        sa.Column("handed_why", sa.Text(), nullable=True),
        sa.Column("handed_at", sa.BigInteger(), nullable=True),
        sa.Column("committed_seq", sa.BigInteger(), nullable=True),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "rehearsal", name=op.f("pk_rehearsal")),
        sa.UniqueConstraint("tenant", "id", name=op.f("uq_rehearsal_tenant_id")),
    )
    op.create_table(
        "remedy",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "record", "seq", name=op.f("pk_remedy")),
    )
    op.create_table(
        "rendition",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("extractor", sa.Text(), nullable=False),
        sa.Column("extractor_version", sa.Text(), nullable=False),
        sa.Column("text", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("pages", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "record", name=op.f("pk_rendition")),
    )
    op.create_table(
        "fired_trigger",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("fired_by", sa.Text(), nullable=True),
        sa.Column("fired_at", sa.BigInteger(), nullable=False),
        sa.Column("fired_seq", sa.BigInteger(), nullable=False),
        sa.Column("dismissed_by", sa.Text(), nullable=True),
        sa.Column("dismissed_at", sa.BigInteger(), nullable=True),
        sa.Column("dismissed_seq", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "record", "n", name=op.f("pk_fired_trigger")),
    )
    op.create_index(
        "ix_fired_trigger_open",
        "fired_trigger",
        ["tenant", "record"],
        unique=False,
        sqlite_where=sa.text("dismissed_at IS NULL"),
        postgresql_where=sa.text("dismissed_at IS NULL"),
    )
    op.add_column("person", sa.Column("email", sa.Text(), nullable=True))
