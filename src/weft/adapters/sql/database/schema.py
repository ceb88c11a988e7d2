"""The tables of the platform's records; the tenant is part of every key."""

from __future__ import annotations

import json
from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    text,
)

from weft.adapters.sql.database.columns import as_json, microseconds, moment


class Instant(TypeDecorator[datetime]):
    """An aware time in a column of whole numbers."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Return the number for a time."""
        return None if value is None else microseconds(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Return the time for a number."""
        return None if value is None else moment(value)


class Json(TypeDecorator[object]):
    """Any JSON value in a column of text; None is the value `null`, so the column is never NULL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str:
        """Return the text for a value."""
        return as_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> object:
        """Return the value for a text."""
        return None if value is None else json.loads(value)


METADATA = MetaData()

runs = Table(
    "runs",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    Column("actor", String, nullable=False),
    Column("agent", String, nullable=False),
    Column("flow", String, nullable=False),
    Column("question_hash", String, nullable=False),
    Column("preview", Text, nullable=False),
    Column("kb_refs", Json, nullable=False),
    Column("status", String, nullable=False),
    Column("started", Instant, nullable=False),
    Column("finished", Instant),
    Column("summary", Json, nullable=False),
    Column("frontier", Json, nullable=False),
    Column("source_deleted", Boolean, nullable=False),
    Index("ix_runs_newest", "tenant", "started", "run_id"),
)


def _of_a_run() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["tenant", "run_id"], ["runs.tenant", "runs.run_id"])


run_events = Table(
    "run_events",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("ts", Instant, nullable=False),
    Column("type", String, nullable=False),
    Column("node", String, nullable=False),
    Column("parent", String, nullable=False),
    Column("sources", Json, nullable=False),
    Column("data", Json, nullable=False),
    _of_a_run(),
)

run_tape = Table(
    "run_tape",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("request_hash", String, nullable=False),
    Column("reply", Json, nullable=False),
    Column("sources", Json, nullable=False),
    _of_a_run(),
)

run_sources = Table(
    "run_sources",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    Column("knowledge_base", String, primary_key=True),
    Column("document", String, primary_key=True),
    Index("ix_run_sources_document", "tenant", "knowledge_base", "document"),
    _of_a_run(),
)

tool_runs = Table(
    "tool_runs",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    Column("action_id", String, primary_key=True),
    Column("tool", String, nullable=False),
    Column("args", Json, nullable=False),
    Column("status", String, nullable=False),
    Column("output", Json, nullable=False),
    Column("latency_ms", Float, nullable=False),
    Column("started", Instant, nullable=False),
    _of_a_run(),
)

# What runs took, in numbers: a row a run that ended (`place` is "run"), a model's call, a tool's.
# It stays when its run is erased. `money`: billionths of a dollar, NULL where no price is known.
usage = Table(
    "usage",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    Column("place", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("ts", Instant, nullable=False),
    Column("actor", String, nullable=False),
    Column("agent", String, nullable=False),
    Column("flow", String, nullable=False),
    Column("name", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("money", BigInteger),
    Column("ms", Float, nullable=False),
    Column("citations", Integer, nullable=False),
    Index("ix_usage_time", "tenant", "kind", "ts"),
)

# `live_key` is the job's key while it is unfinished, NULL afterwards: its uniqueness is the rule.
jobs = Table(
    "jobs",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("args", Json, nullable=False),
    Column("key", String, nullable=False),
    Column("live_key", String),
    Column("actor", String, nullable=False),
    Column("principals", Json, nullable=False),
    Column("permissions", Json, nullable=False),
    Column("sources", Json, nullable=False),
    Column("status", String, nullable=False),
    Column("worker", String, nullable=False),
    Column("lease_until", Instant),
    Column("attempt", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("max_attempts", Integer, nullable=False),
    Column("run_at", Instant, nullable=False),
    Column("created", Instant, nullable=False),
    Column("cancel_requested", Boolean, nullable=False),
    Column("progress", Json, nullable=False),
    Column("result", Json, nullable=False),
    Column("error", Text, nullable=False),
    Column("pause_requested", Boolean, nullable=False, server_default=false()),
    Column("key_id", String, nullable=False, server_default=""),
    Column("finished", Instant),
    UniqueConstraint("tenant", "live_key", name="uq_jobs_live_key"),
    Index("ix_jobs_claim", "status", "run_at"),
)

# What puts jobs in line again and again, with the rights of whoever made it.
schedules = Table(
    "schedules",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("cron", String, nullable=False),
    Column("zone", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("args", Json, nullable=False),
    Column("key", String, nullable=False),
    Column("max_attempts", Integer, nullable=False),
    Column("actor", String, nullable=False),
    Column("key_id", String, nullable=False),
    Column("principals", Json, nullable=False),
    Column("permissions", Json, nullable=False),
    Column("sources", Json, nullable=False),
    Column("is_paused", Boolean, nullable=False),
    Column("created", Instant, nullable=False),
    Column("next_at", Instant, nullable=False),
    Column("last_at", Instant),
    Column("last_job", String, nullable=False),
    Column("missed", Integer, nullable=False),
    Column("missed_at", Instant),
    Index("ix_schedules_due", "is_paused", "next_at"),
)

run_orders = Table(
    "run_orders",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String, nullable=False),
    Column("more", Json, nullable=False),
)

# Plain types only: verifying must see what stands in the file, not what could be made of it.
audit_logs = Table(
    "audit_logs",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("ts", BigInteger, nullable=False),
    Column("phase", String, nullable=False),
    Column("intent_id", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("action", String, nullable=False),
    Column("target", Text, nullable=False),
    Column("decision", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("run_id", String, nullable=False),
    Column("request_id", String, nullable=False),
    Column("meta", Text, nullable=False),
    Column("prev", String, nullable=False),
    Column("mac", String, nullable=False),
    UniqueConstraint("tenant", "intent_id", "phase", name="uq_audit_logs_intent"),
    *(
        Index(f"ix_audit_logs_{column}", "tenant", column, "seq")
        for column in ("actor", "action", "target", "decision", "run_id", "request_id", "ts")
    ),
)

audit_heads = Table(
    "audit_heads",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("mac", String, nullable=False),
    Column("seal", String, nullable=False),
)

knowledge_bases = Table(
    "knowledge_bases",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("name_key", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("target", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("folder_key", String),
    Column("folder", Text, nullable=False),
    Column("created", Instant, nullable=False),
    Column("readers", Json, nullable=False, server_default=text("'[\"tenant:*\"]'")),
    Column("writers", Json, nullable=False, server_default=text("'[]'")),
    Column("admins", Json, nullable=False, server_default=text("'[\"user:owner\"]'")),
    Column("default_acl", Json, nullable=False, server_default=text("'[\"tenant:*\"]'")),
    UniqueConstraint("tenant", "folder_key", name="uq_knowledge_bases_folder"),
)

# Replies to requests that made something, by the keys their senders gave.
replies = Table(
    "replies",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("actor", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("request_hash", String, nullable=False),
    Column("status", Integer, nullable=False),
    Column("body", Json, nullable=False),
    Column("created", Instant, nullable=False),
    Index("ix_replies_created", "created"),
)

sessions = Table(
    "sessions",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("actor", String, nullable=False),
    Column("created", Instant, nullable=False),
    Column("expires", Instant, nullable=False),
    Index("ix_sessions_expires", "expires"),
)

# `retained` is what the last turn left: its documents, and the sources that were allowed.
conversations = Table(
    "conversations",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("actor", String, nullable=False),
    Column("session", String, nullable=False),
    Column("title", Text, nullable=False),
    Column("retained", Json, nullable=False),
    Column("started", Instant, nullable=False),
    Column("updated", Instant, nullable=False),
    Index("ix_conversations_session", "tenant", "session", "updated"),
    ForeignKeyConstraint(["tenant", "session"], ["sessions.tenant", "sessions.id"]),
)


def _of_a_conversation() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["tenant", "conversation"], ["conversations.tenant", "conversations.id"]
    )


messages = Table(
    "messages",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("conversation", String, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("role", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("ts", Instant, nullable=False),
    Column("run_id", String, nullable=False),
    Column("sources", Json, nullable=False),
    Column("source_deleted", Boolean, nullable=False),
    Column("answer", Json, nullable=False, server_default=text("'null'")),
    Index("ix_messages_run", "tenant", "run_id"),
    _of_a_conversation(),
)

# The runs that answered in a conversation: they are erased with it.
conversation_runs = Table(
    "conversation_runs",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("conversation", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    _of_a_conversation(),
)

alembic_version = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), primary_key=True),
)
