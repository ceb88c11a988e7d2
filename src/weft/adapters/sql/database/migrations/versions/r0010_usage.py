"""What runs took, in numbers; of runs from before nothing is counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the table of what was used."""
    op.create_table(
        "usage",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("run_id", sa.String(), primary_key=True),
        sa.Column("place", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("ts", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("flow", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("money", sa.BigInteger()),
        sa.Column("ms", sa.Float(), nullable=False),
        sa.Column("citations", sa.Integer(), nullable=False),
    )
    op.create_index("ix_usage_time", "usage", ["tenant", "kind", "ts"])
