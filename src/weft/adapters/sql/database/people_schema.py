"""The tables of who may ask: tenants, users, groups, roles, keys."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKeyConstraint,
    Index,
    String,
    Table,
    Text,
)

from weft.adapters.sql.database.schema import METADATA, Instant, Json

# `stamp` grows with every change of who may do what in a tenant: what was looked up before is
# looked up again once it has moved.
tenants = Table(
    "tenants",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("title", Text, nullable=False),
    Column("stamp", BigInteger, nullable=False),
    Column("created", Instant, nullable=False),
)

# One that was removed keeps its row: nobody else may come to its rights by taking its name.
users = Table(
    "users",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("name_key", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("password", Text, nullable=False),
    Column("is_disabled", Boolean, nullable=False),
    Column("is_removed", Boolean, nullable=False),
    Column("created", Instant, nullable=False),
)

groups = Table(
    "groups",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("name_key", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("within", String, nullable=False),
    Column("created", Instant, nullable=False),
)

roles = Table(
    "roles",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("name", String, primary_key=True),
    Column("permissions", Json, nullable=False),
    Column("created", Instant, nullable=False),
)


def _of_a_user() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["tenant", "user"], ["users.tenant", "users.name_key"])


user_groups = Table(
    "user_groups",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("user", String, primary_key=True),
    Column("group", String, primary_key=True),
    _of_a_user(),
    ForeignKeyConstraint(["tenant", "group"], ["groups.tenant", "groups.name_key"]),
    Index("ix_user_groups_group", "tenant", "group"),
)

# Roles by name: a built-in one has no row of its own.
user_roles = Table(
    "user_roles",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("user", String, primary_key=True),
    Column("role", String, primary_key=True),
    _of_a_user(),
)

group_roles = Table(
    "group_roles",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("group", String, primary_key=True),
    Column("role", String, primary_key=True),
    ForeignKeyConstraint(["tenant", "group"], ["groups.tenant", "groups.name_key"]),
)

# `mac` is the HMAC of the whole key, which nobody keeps; `expires` and `revoked` may be NULL.
api_keys = Table(
    "api_keys",
    METADATA,
    Column("tenant", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("user", String, nullable=False),
    Column("mac", String, nullable=False),
    Column("scopes", Json, nullable=False),
    Column("created", Instant, nullable=False),
    Column("expires", Instant),
    Column("revoked", Instant),
    _of_a_user(),
    Index("ix_api_keys_id", "id"),
)
