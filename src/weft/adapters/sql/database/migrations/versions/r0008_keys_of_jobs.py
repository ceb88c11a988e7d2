"""A job knows the key by which it was asked for, and ends with it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make room for the id of the key; jobs from before were asked for by none that is known."""
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(sa.Column("key_id", sa.String(), nullable=False, server_default=""))
