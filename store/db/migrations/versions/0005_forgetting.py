"""Forgetting: requests, redactions, surfaces and receipts; exports and backups that were made; proofs.

The log of reads stays append-only but for one change: what was asked, in which task and by whom may be emptied, because it may have to be forgotten.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

#: A change of the log of reads that empties texts and changes nothing else.
_EMPTIES = (
    "NEW.n = OLD.n AND NEW.tenant = OLD.tenant AND NEW.at {same} OLD.at AND NEW.result {same} OLD.result AND NEW.scope {same} OLD.scope"
    " AND (NEW.question IS NULL OR NEW.question {same} OLD.question) AND (NEW.task IS NULL OR NEW.task {same} OLD.task)"
    " AND (NEW.by IS NULL OR NEW.by {same} OLD.by)"
)


def upgrade() -> None:
    """Make the tables of forgetting, and let the log of reads be emptied of texts."""
    op.create_table(
        "backup_copy",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("backup", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("revisions", sa.Text(), nullable=False),
        sa.Column("ledger_seq", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("gone_at", sa.BigInteger(), nullable=True),
        sa.Column("gone_by", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "backup", name=op.f("pk_backup_copy")),
    )
    op.create_table(
        "deletion_receipt",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("request", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "request", "n", name=op.f("pk_deletion_receipt")),
    )
    op.create_table(
        "deletion_request",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("request", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("found_by", sa.Text(), nullable=False),
        sa.Column("ground", sa.Text(), nullable=False),
        sa.Column("requester", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("entered_by", sa.Text(), nullable=False),
        sa.Column("entered_at", sa.BigInteger(), nullable=False),
        sa.Column("entered_seq", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("begun_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_seq", sa.BigInteger(), nullable=True),
        sa.Column("refused_by", sa.Text(), nullable=True),
        sa.Column("refused_at", sa.BigInteger(), nullable=True),
        sa.Column("refused_seq", sa.BigInteger(), nullable=True),
        sa.Column("refusal", sa.Text(), nullable=True),
        sa.Column("from_ledger", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "request", name=op.f("pk_deletion_request")),
        sa.UniqueConstraint("tenant", "id", name=op.f("uq_deletion_request_tenant_id")),
    )
    op.create_index(
        "ix_deletion_request_open",
        "deletion_request",
        ["tenant", "request"],
        unique=False,
        sqlite_where=sa.text("state = 0"),
        postgresql_where=sa.text("state = 0"),
    )
    op.create_table(
        "deletion_surface",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("request", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=True),
        sa.Column("until", sa.BigInteger(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("by", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.Column("found", sa.Integer(), nullable=True),
        sa.Column("about", sa.Integer(), nullable=True),
        sa.Column("place", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "request", "surface", "n", name=op.f("pk_deletion_surface")),
    )
    op.create_table(
        "deletion_target",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("request", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("was", sa.SmallInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id_mac", sa.Text(), nullable=False),
        sa.Column("value_mac", sa.Text(), nullable=True),
        sa.Column("erased_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "request", "record", name=op.f("pk_deletion_target")),
    )
    op.create_index(op.f("ix_deletion_target_tenant_record"), "deletion_target", ["tenant", "record"], unique=False)
    op.create_table(
        "export_copy",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("export", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=True),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("records", sa.LargeBinary(), nullable=False),
        sa.Column("gone_at", sa.BigInteger(), nullable=True),
        sa.Column("gone_by", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "export", name=op.f("pk_export_copy")),
    )
    op.create_table(
        "proof",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("proof", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("request", sa.Integer(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("ok", sa.Boolean(), nullable=False),
        sa.Column("found", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "proof", name=op.f("pk_proof")),
    )
    op.create_index(op.f("ix_proof_tenant_kind_proof"), "proof", ["tenant", "kind", "proof"], unique=False)
    op.create_table(
        "redaction",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("request", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("start", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.Column("words_mac", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "request", "record", "start", name=op.f("pk_redaction")),
    )
    op.create_index(op.f("ix_redaction_tenant_record"), "redaction", ["tenant", "record"], unique=False)

    op.add_column("message", sa.Column("request", sa.Integer(), nullable=True))

    if op.get_bind().dialect.name == "sqlite":
        _let_sqlite_empty()
    else:
        _let_postgresql_empty()


def _let_sqlite_empty() -> None:
    op.execute("DROP TRIGGER read_log_no_update")
    op.execute(
        "CREATE TRIGGER read_log_no_update BEFORE UPDATE ON read_log WHEN NOT ("
        + _EMPTIES.format(same="IS")
        + ") BEGIN SELECT RAISE(ABORT, 'read_log is append-only'); END"
    )


def _let_postgresql_empty() -> None:
    op.execute("DROP TRIGGER read_log_append_only ON read_log")
    op.execute("CREATE TRIGGER read_log_append_only BEFORE DELETE OR TRUNCATE ON read_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()")
    op.execute(
        "CREATE TRIGGER read_log_no_update BEFORE UPDATE ON read_log FOR EACH ROW WHEN (NOT ("
        + _EMPTIES.format(same="IS NOT DISTINCT FROM")
        + ")) EXECUTE FUNCTION refuse_change()"
    )
