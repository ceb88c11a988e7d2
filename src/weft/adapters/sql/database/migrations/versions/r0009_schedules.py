"""Jobs that are put in line again and again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the table of schedules."""
    op.create_table(
        "schedules",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("cron", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("args", sa.Text(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("key_id", sa.String(), nullable=False),
        sa.Column("principals", sa.Text(), nullable=False),
        sa.Column("permissions", sa.Text(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("is_paused", sa.Boolean(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger()),
        sa.Column("last_job", sa.String(), nullable=False),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.Column("missed_at", sa.BigInteger()),
    )
    op.create_index("ix_schedules_due", "schedules", ["is_paused", "next_at"])
