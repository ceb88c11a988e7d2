"""The first tables: runs, jobs, audit and the register of knowledge bases."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables in an empty database."""
    _make_runs()
    _make_run_events()
    _make_run_tape()
    _make_run_sources()
    _make_tool_runs()
    _make_jobs()
    _make_audit_logs()
    _make_audit_heads()
    _make_knowledge_bases()


def _of_a_run() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["tenant", "run_id"], ["runs.tenant", "runs.run_id"])


def _make_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("run_id", sa.String(), primary_key=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("flow", sa.String(), nullable=False),
        sa.Column("question_hash", sa.String(), nullable=False),
        sa.Column("preview", sa.Text(), nullable=False),
        sa.Column("kb_refs", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("started", sa.BigInteger(), nullable=False),
        sa.Column("finished", sa.BigInteger()),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("frontier", sa.Text(), nullable=False),
        sa.Column("source_deleted", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_runs_newest", "runs", ["tenant", "started", "run_id"])


def _make_run_events() -> None:
    op.create_table(
        "run_events",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("run_id", sa.String(), primary_key=True),
        sa.Column("seq", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("ts", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("node", sa.String(), nullable=False),
        sa.Column("parent", sa.String(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        _of_a_run(),
    )


def _make_run_tape() -> None:
    op.create_table(
        "run_tape",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("run_id", sa.String(), primary_key=True),
        sa.Column("key", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("request_hash", sa.String(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        _of_a_run(),
    )


def _make_run_sources() -> None:
    op.create_table(
        "run_sources",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("run_id", sa.String(), primary_key=True),
        sa.Column("knowledge_base", sa.String(), primary_key=True),
        sa.Column("document", sa.String(), primary_key=True),
        _of_a_run(),
    )
    op.create_index(
        "ix_run_sources_document", "run_sources", ["tenant", "knowledge_base", "document"]
    )


def _make_tool_runs() -> None:
    op.create_table(
        "tool_runs",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("run_id", sa.String(), primary_key=True),
        sa.Column("action_id", sa.String(), primary_key=True),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("args", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("output", sa.Text(), nullable=False),
        sa.Column("latency_ms", sa.Float(), nullable=False),
        sa.Column("started", sa.BigInteger(), nullable=False),
        _of_a_run(),
    )


def _make_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("args", sa.Text(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("live_key", sa.String()),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("principals", sa.Text(), nullable=False),
        sa.Column("permissions", sa.Text(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("run_at", sa.BigInteger(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("progress", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.UniqueConstraint("tenant", "live_key", name="uq_jobs_live_key"),
    )
    op.create_index("ix_jobs_claim", "jobs", ["status", "run_at"])


def _make_audit_logs() -> None:
    op.create_table(
        "audit_logs",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("seq", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("ts", sa.BigInteger(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("intent_id", sa.String(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("decision", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("meta", sa.Text(), nullable=False),
        sa.Column("prev", sa.String(), nullable=False),
        sa.Column("mac", sa.String(), nullable=False),
        sa.UniqueConstraint("tenant", "intent_id", "phase", name="uq_audit_logs_intent"),
    )


def _make_audit_heads() -> None:
    op.create_table(
        "audit_heads",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("mac", sa.String(), nullable=False),
        sa.Column("seal", sa.String(), nullable=False),
    )


def _make_knowledge_bases() -> None:
    op.create_table(
        "knowledge_bases",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("name_key", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("folder_key", sa.String()),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.UniqueConstraint("tenant", "folder_key", name="uq_knowledge_bases_folder"),
    )
