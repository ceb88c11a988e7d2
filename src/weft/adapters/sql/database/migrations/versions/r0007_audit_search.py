"""The audit log is searched by who, what, when, run and request, without looking through it."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"

_SOUGHT = ("actor", "action", "target", "decision", "run_id", "request_id", "ts")


def upgrade() -> None:
    """Make an index for each column that rows are looked for by."""
    for column in _SOUGHT:
        op.create_index(f"ix_audit_logs_{column}", "audit_logs", ["tenant", column, "seq"])
