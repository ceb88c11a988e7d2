"""When jobs ended; of those that have ended before it is not known."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the time."""
    op.add_column("jobs", sa.Column("finished", sa.BigInteger()))
