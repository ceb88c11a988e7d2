"""Room for whole answers beside the messages that tell them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Keep the answer of a message as it was given; older messages have none."""
    with op.batch_alter_table("messages") as messages:
        messages.add_column(
            sa.Column("answer", sa.Text(), nullable=False, server_default=sa.text("'null'"))
        )
