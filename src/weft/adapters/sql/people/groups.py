"""Groups and a tenant's own roles in tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, select, update

from weft.adapters.sql.database.people_schema import (
    group_roles,
    groups,
    roles,
    user_groups,
    user_roles,
)
from weft.adapters.sql.people.users import of, replace_roles
from weft.domain.acl import principal_key
from weft.domain.errors import BadInput, NotFound, VersionConflict
from weft.ports.clock import Clock
from weft.ports.records.people import Group, NewGroup, OwnRole


def add(connection: Connection, tenant: str, *, group: NewGroup, clock: Clock) -> Group:
    """Add a group, or raise `VersionConflict` for a name that is taken."""
    if connection.execute(select(groups.c.name).where(_named(tenant, group.name))).first():
        raise VersionConflict(f"There is a group {group.name} already.", name=group.name)
    row = {
        "tenant": tenant,
        "name_key": principal_key(group.name),
        "name": group.name,
        "within": _outer(connection, tenant, name=group.name, within=group.within),
        "created": clock.now(),
    }
    connection.execute(groups.insert(), row)
    replace_roles(
        connection,
        group_roles,
        holder={"tenant": tenant, "group": principal_key(group.name)},
        roles=group.roles,
    )
    return find(connection, tenant, name=group.name)


def change(
    connection: Connection,
    tenant: str,
    *,
    name: str,
    within: str | None,
    given: Iterable[str] | None,
) -> Group:
    """Change within what a group lies, or its roles; raises `NotFound`."""
    known = find(connection, tenant, name=name)
    if within is not None:
        outer = _outer(connection, tenant, name=known.name, within=within)
        connection.execute(update(groups).where(_named(tenant, name)).values(within=outer))
    if given is not None:
        holder = {"tenant": tenant, "group": principal_key(name)}
        replace_roles(connection, group_roles, holder=holder, roles=given)
    return find(connection, tenant, name=name)


def remove(connection: Connection, tenant: str, *, name: str) -> None:
    """Remove a group; those that lay within it lie in none."""
    found = find(connection, tenant, name=name)
    for table in (user_groups, group_roles):
        connection.execute(delete(table).where(of(table, tenant, group=principal_key(name))))
    inside = of(groups, tenant, within=found.name)
    connection.execute(update(groups).where(inside).values(within=""))
    connection.execute(delete(groups).where(_named(tenant, name)))


def find(connection: Connection, tenant: str, *, name: str) -> Group:
    """Return a group, or raise `NotFound`."""
    row = connection.execute(select(groups).where(_named(tenant, name))).one_or_none()
    if row is None:
        raise NotFound(f"There is no group {name}.", name=name)
    return _group(connection, row)


def every(connection: Connection, tenant: str) -> list[Group]:
    """Return the groups of a tenant, ordered by name."""
    query = select(groups).where(groups.c.tenant == tenant).order_by(groups.c.name_key)
    return [_group(connection, row) for row in connection.execute(query).all()]


def keep_role(
    connection: Connection, tenant: str, *, role: OwnRole, is_new: bool, clock: Clock
) -> None:
    """Add a role or change one; raises `VersionConflict` or `NotFound`."""
    known = of(roles, tenant, name=role.name)
    is_there = connection.execute(select(roles.c.name).where(known)).first() is not None
    if is_there and is_new:
        raise VersionConflict(f"There is a role {role.name} already.", name=role.name)
    if not is_there and not is_new:
        raise _no_role(role.name)
    permissions = sorted(role.permissions)
    if is_there:
        connection.execute(update(roles).where(known).values(permissions=permissions))
        return
    row = {
        "tenant": tenant,
        "name": role.name,
        "permissions": permissions,
        "created": clock.now(),
    }
    connection.execute(roles.insert(), row)


def own_roles(connection: Connection, tenant: str) -> list[OwnRole]:
    """Return a tenant's own roles, ordered by name."""
    query = select(roles).where(roles.c.tenant == tenant).order_by(roles.c.name)
    return [
        OwnRole(name=row.name, permissions=frozenset(row.permissions))
        for row in connection.execute(query).all()
    ]


def remove_role(connection: Connection, tenant: str, *, name: str) -> None:
    """Remove a role, and take it from all who have it; raises `NotFound`."""
    if not connection.execute(delete(roles).where(of(roles, tenant, name=name))).rowcount:
        raise _no_role(name)
    for table in (user_roles, group_roles):
        connection.execute(delete(table).where(of(table, tenant, role=name)))


def _no_role(name: str) -> NotFound:
    return NotFound(f"There is no role {name} of your own.", name=name)


def _outer(connection: Connection, tenant: str, *, name: str, within: str) -> str:
    """Return the name of the group within which another is to lie, if that may be."""
    if not within:
        return ""
    outer = find(connection, tenant, name=within)
    if principal_key(outer.name) == principal_key(name):
        raise BadInput("A group cannot lie within itself.", name=name)
    holds = select(groups.c.name).where(of(groups, tenant, within=name))
    if outer.within or connection.execute(holds).first():
        raise BadInput(
            "Groups lie within others no deeper than one: "
            f"{outer.name if outer.within else name} has a place already.",
            name=name,
        )
    return outer.name


def _group(connection: Connection, row: Row[Any]) -> Group:
    given = select(group_roles.c.role).where(of(group_roles, row.tenant, group=row.name_key))
    return Group(
        name=row.name,
        within=row.within,
        roles=tuple(sorted(connection.execute(given).scalars())),
        created=row.created,
    )


def _named(tenant: str, name: str) -> ColumnElement[bool]:
    return of(groups, tenant, name_key=principal_key(name))
