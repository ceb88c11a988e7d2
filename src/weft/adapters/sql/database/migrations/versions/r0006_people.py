"""Tenants, users, groups, roles and keys; who may read, fill and manage a knowledge base."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables of people; bases that are there stay the owner's, read by their tenant."""
    _make_people()
    _make_memberships()
    with op.batch_alter_table("knowledge_bases") as bases:
        for name, default in (
            ("readers", "'[\"tenant:*\"]'"),
            ("writers", "'[]'"),
            ("admins", "'[\"user:owner\"]'"),
            ("default_acl", "'[\"tenant:*\"]'"),
        ):
            bases.add_column(
                sa.Column(name, sa.Text(), nullable=False, server_default=sa.text(default))
            )


def _make_people() -> None:
    op.create_table(
        "tenants",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("stamp", sa.BigInteger(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "users",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("name_key", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("is_disabled", sa.Boolean(), nullable=False),
        sa.Column("is_removed", sa.Boolean(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "groups",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("name_key", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("within", sa.String(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "roles",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("permissions", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
    )


def _make_memberships() -> None:
    op.create_table(
        "user_groups",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("user", sa.String(), primary_key=True),
        sa.Column("group", sa.String(), primary_key=True),
        sa.ForeignKeyConstraint(["tenant", "user"], ["users.tenant", "users.name_key"]),
        sa.ForeignKeyConstraint(["tenant", "group"], ["groups.tenant", "groups.name_key"]),
    )
    op.create_index("ix_user_groups_group", "user_groups", ["tenant", "group"])
    op.create_table(
        "user_roles",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("user", sa.String(), primary_key=True),
        sa.Column("role", sa.String(), primary_key=True),
        sa.ForeignKeyConstraint(["tenant", "user"], ["users.tenant", "users.name_key"]),
    )
    op.create_table(
        "group_roles",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("group", sa.String(), primary_key=True),
        sa.Column("role", sa.String(), primary_key=True),
        sa.ForeignKeyConstraint(["tenant", "group"], ["groups.tenant", "groups.name_key"]),
    )
    op.create_table(
        "api_keys",
        sa.Column("tenant", sa.String(), primary_key=True),
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("user", sa.String(), nullable=False),
        sa.Column("mac", sa.String(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger()),
        sa.Column("revoked", sa.BigInteger()),
        sa.ForeignKeyConstraint(["tenant", "user"], ["users.tenant", "users.name_key"]),
    )
    op.create_index("ix_api_keys_id", "api_keys", ["id"])
