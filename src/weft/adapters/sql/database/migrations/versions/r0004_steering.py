"""Orders for runs that go on, and jobs that stand still."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table of orders, and room for the wish that a job stand still."""
    op.create_table(
        "run_orders",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("run_id", sa.String(), primary_key=True),
        sa.Column("seq", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("more", sa.Text(), nullable=False),
    )
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(
            sa.Column("pause_requested", sa.Boolean(), nullable=False, server_default=sa.false())
        )
