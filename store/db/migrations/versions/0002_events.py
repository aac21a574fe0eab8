"""Conflicts, events, the read log, counts and the full-text index."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_APPEND_ONLY = ("event", "history", "read_log", "read_log_record")


def upgrade() -> None:
    """Make the tables of what happened, the triggers that keep three of them append-only, and the full-text index."""
    op.create_table(
        "conflict",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("conflict", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("opened_at", sa.BigInteger(), nullable=True),
        sa.Column("opened_seq", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_seq", sa.BigInteger(), nullable=True),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("question", sa.Text(), nullable=True),
        sa.Column("asked", sa.Text(), nullable=True),
        sa.Column("former", sa.Text(), nullable=True),
        sa.Column("signature", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "conflict", name=op.f("pk_conflict")),
        sa.UniqueConstraint("tenant", "id", name=op.f("uq_conflict_tenant_id")),
    )
    op.create_index("ix_conflict_key", "conflict", ["tenant", "key"], unique=False)
    op.create_index(
        "ix_conflict_open", "conflict", ["tenant", "key"], unique=True, sqlite_where=sa.text("state = 0"), postgresql_where=sa.text("state = 0")
    )
    op.create_table(
        "conflict_side",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("conflict", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "conflict", "record", name=op.f("pk_conflict_side")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_conflict_side_tenant_record"), "conflict_side", ["tenant", "record"], unique=False)
    op.create_table(
        "counter",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("status", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "scope", "status", "kind", name=op.f("pk_counter")),
    )
    op.create_table(
        "event",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("note_mac", sa.Text(), nullable=False),
        sa.Column("authenticated", sa.Boolean(), nullable=False),
        sa.Column("previous", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("touched", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "seq", name=op.f("pk_event")),
    )
    op.create_table(
        "event_note",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("mac_key", sa.LargeBinary(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "seq", name=op.f("pk_event_note")),
    )
    op.create_table(
        "history",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("old", sa.SmallInteger(), nullable=True),
        sa.Column("new", sa.SmallInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "record", "seq", name=op.f("pk_history")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "notice",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "seq", "n", name=op.f("pk_notice")),
    )
    op.create_index(op.f("ix_notice_tenant_record"), "notice", ["tenant", "record"], unique=False)
    op.create_table(
        "operation",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "operation", name=op.f("pk_operation")),
    )
    op.create_table(
        "owner_counter",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("owner", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("status", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "owner", "status", name=op.f("pk_owner_counter")),
    )
    op.create_table(
        "preview",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.LargeBinary(), nullable=False),
        sa.Column("committed_seq", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "fingerprint", name=op.f("pk_preview")),
    )
    op.create_table(
        "read_log",
        sa.Column("n", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("tenant", sa.Integer(), nullable=False),
        sa.Column("task", sa.Text(), nullable=True),
        sa.Column("by", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.Column("question", sa.Text(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("scope", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("n", name=op.f("pk_read_log")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_read_log_task",
        "read_log",
        ["tenant", "task"],
        unique=False,
        sqlite_where=sa.text("task IS NOT NULL"),
        postgresql_where=sa.text("task IS NOT NULL"),
    )
    op.create_table(
        "read_log_record",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "record", "n", name=op.f("pk_read_log_record")),
    )
    op.create_index("ix_read_log_record_n", "read_log_record", ["n"], unique=False)
    op.create_table(
        "refusal",
        sa.Column("n", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("tenant", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("n", name=op.f("pk_refusal")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_refusal_tenant_n"), "refusal", ["tenant", "n"], unique=False)
    if op.get_bind().dialect.name == "sqlite":
        _finish_sqlite()
    else:
        _finish_postgresql()


def _finish_sqlite() -> None:
    for table in _APPEND_ONLY:
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
    op.execute(
        "CREATE VIRTUAL TABLE search_text USING fts5(words, content='', contentless_delete=1, detail=none, tokenize=\"unicode61 tokenchars '_'\")"
    )


def _finish_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    for table in _APPEND_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
    op.execute("CREATE TABLE search_text (tenant integer NOT NULL, record integer NOT NULL, words tsvector NOT NULL, PRIMARY KEY (tenant, record))")
    op.execute("CREATE INDEX ix_search_text_words ON search_text USING gin (words)")
