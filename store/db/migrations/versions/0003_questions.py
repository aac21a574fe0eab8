"""Questions people ask each other; tolerance and thresholds of predicates; claims found by their subject."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table of questions, and give predicates a tolerance and thresholds, and index the subjects."""
    op.create_table(
        "question",
        sa.Column("tenant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("question", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("asked_by", sa.Text(), nullable=False),
        sa.Column("asked_of", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("asked_seq", sa.BigInteger(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("answered_by", sa.Text(), nullable=True),
        sa.Column("answered_at", sa.BigInteger(), nullable=True),
        sa.Column("answered_seq", sa.BigInteger(), nullable=True),
        sa.Column("seen_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "question", name=op.f("pk_question")),
    )
    op.create_index(op.f("ix_question_tenant_about"), "question", ["tenant", "about"], unique=False)
    op.create_index(
        "ix_question_open", "question", ["tenant", "asked_of"], unique=False,
        sqlite_where=sa.text("answered_at IS NULL"), postgresql_where=sa.text("answered_at IS NULL"),
    )  # fmt: skip
    op.create_index(
        "ix_question_mine", "question", ["tenant", "asked_by"], unique=False,
        sqlite_where=sa.text("seen_at IS NULL"), postgresql_where=sa.text("seen_at IS NULL"),
    )  # fmt: skip
    op.add_column("predicate", sa.Column("tolerance", sa.Text(), nullable=True))
    op.add_column("predicate", sa.Column("thresholds", sa.Text(), nullable=True))
    op.create_index("ix_claim_key_subject", "claim_key", ["tenant", "subject"], unique=False, postgresql_ops={"subject": "text_pattern_ops"})
