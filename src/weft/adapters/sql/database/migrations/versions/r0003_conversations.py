"""Sessions, conversations, their messages and their runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables of conversations."""
    _make_sessions()
    _make_conversations()
    _make_messages()
    _make_conversation_runs()


def _of_a_conversation() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["tenant", "conversation"], ["conversations.tenant", "conversations.id"]
    )


def _make_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_sessions_expires", "sessions", ["expires"])


def _make_conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("session", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("retained", sa.Text(), nullable=False),
        sa.Column("started", sa.BigInteger(), nullable=False),
        sa.Column("updated", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["tenant", "session"], ["sessions.tenant", "sessions.id"]),
    )
    op.create_index("ix_conversations_session", "conversations", ["tenant", "session", "updated"])


def _make_messages() -> None:
    op.create_table(
        "messages",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("conversation", sa.String(), primary_key=True),
        sa.Column("seq", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("ts", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("source_deleted", sa.Boolean(), nullable=False),
        _of_a_conversation(),
    )
    op.create_index("ix_messages_run", "messages", ["tenant", "run_id"])


def _make_conversation_runs() -> None:
    op.create_table(
        "conversation_runs",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("conversation", sa.String(), primary_key=True),
        sa.Column("run_id", sa.String(), primary_key=True),
        _of_a_conversation(),
    )
