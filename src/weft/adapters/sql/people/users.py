"""Users in tables, with their groups and roles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, delete, select, update

from weft.adapters.sql.database.people_schema import (
    api_keys,
    group_roles,
    groups,
    roles,
    user_groups,
    user_roles,
    users,
)
from weft.adapters.sql.people.names import name_key
from weft.domain.errors import NotFound, VersionConflict
from weft.ports.clock import Clock
from weft.ports.records.people import NewUser, User, UserChange
from weft.ports.records.standings import Standing, UserKind


def add(connection: Connection, tenant: str, *, user: NewUser, clock: Clock) -> User:
    """Add a user, or raise `VersionConflict` for a name that is or was in use."""
    if connection.execute(select(users.c.name).where(_named(tenant, user.name))).first():
        raise VersionConflict(f"The name {user.name} is taken, or was.", name=user.name)
    row = {
        "tenant": tenant,
        "name_key": name_key(user.name),
        "name": user.name,
        "kind": str(user.kind),
        "password": user.password,
        "is_disabled": False,
        "is_removed": False,
        "created": clock.now(),
    }
    connection.execute(users.insert(), row)
    _put_in_groups(connection, tenant, name=user.name, wanted=user.groups)
    replace_roles(
        connection,
        user_roles,
        holder={"tenant": tenant, "user": name_key(user.name)},
        roles=user.roles,
    )
    return find(connection, tenant, name=user.name)


def change(connection: Connection, tenant: str, *, name: str, wanted: UserChange) -> User:
    """Change a user, or raise `NotFound`."""
    find(connection, tenant, name=name)
    values: dict[str, object] = {}
    if wanted.is_disabled is not None:
        values["is_disabled"] = wanted.is_disabled
    if wanted.password is not None:
        values["password"] = wanted.password
    if values:
        connection.execute(update(users).where(_named(tenant, name)).values(values))
    if wanted.groups is not None:
        _put_in_groups(connection, tenant, name=name, wanted=wanted.groups)
    if wanted.roles is not None:
        holder = {"tenant": tenant, "user": name_key(name)}
        replace_roles(connection, user_roles, holder=holder, roles=wanted.roles)
    return find(connection, tenant, name=name)


def remove(connection: Connection, tenant: str, *, name: str) -> None:
    """Remove a user and its keys, or raise `NotFound`; the name stays taken."""
    find(connection, tenant, name=name)
    for table in (user_groups, user_roles, api_keys):
        connection.execute(delete(table).where(of(table, tenant, user=name_key(name))))
    gone = update(users).where(_named(tenant, name))
    connection.execute(gone.values(is_removed=True, is_disabled=True, password=""))


def find(connection: Connection, tenant: str, *, name: str) -> User:
    """Return a user, or raise `NotFound`."""
    wanted = and_(_named(tenant, name), users.c.is_removed.is_(False))
    row = connection.execute(select(users).where(wanted)).one_or_none()
    if row is None:
        raise NotFound(f"There is no user {name}.", name=name)
    return _user(connection, row)


def every(connection: Connection, tenant: str) -> list[User]:
    """Return the users of a tenant, ordered by name."""
    wanted = and_(users.c.tenant == tenant, users.c.is_removed.is_(False))
    rows = connection.execute(select(users).where(wanted).order_by(users.c.name_key)).all()
    return [_user(connection, row) for row in rows]


def standing(connection: Connection, tenant: str, *, name: str, stamp: int) -> Standing | None:
    """Return all that bears on a user's rights, None for nobody."""
    wanted = and_(_named(tenant, name), users.c.is_removed.is_(False))
    row = connection.execute(select(users).where(wanted)).one_or_none()
    if row is None:
        return None
    keys = _column(connection, user_groups, tenant=tenant, wanted="group", user=row.name_key)
    inside = select(groups).where(groups.c.tenant == tenant, groups.c.name_key.in_(keys))
    direct = connection.execute(inside).all()
    outer = {name_key(group.within) for group in direct if group.within}
    around = select(groups.c.name).where(groups.c.tenant == tenant, groups.c.name_key.in_(outer))
    names = {group.name for group in direct} | set(connection.execute(around).scalars())
    given = set(_column(connection, user_roles, tenant=tenant, wanted="role", user=row.name_key))
    of_groups = select(group_roles.c.role).where(
        group_roles.c.tenant == tenant, group_roles.c.group.in_({*keys, *outer})
    )
    given |= set(connection.execute(of_groups).scalars())
    own = select(roles.c.permissions).where(roles.c.tenant == tenant, roles.c.name.in_(given))
    return Standing(
        name=row.name,
        kind=UserKind(row.kind),
        is_disabled=row.is_disabled,
        password=row.password,
        groups=frozenset(names),
        roles=frozenset(given),
        permissions=frozenset(
            one for all_of in connection.execute(own).scalars() for one in all_of
        ),
        stamp=stamp,
    )


def replace_roles(
    connection: Connection, table: Table, *, holder: dict[str, str], roles: Iterable[str]
) -> None:
    """Give a user or a group (`holder`: its tenant and its key) these roles and no others."""
    connection.execute(
        delete(table).where(*(table.c[column] == value for column, value in holder.items()))
    )
    rows = [{**holder, "role": role} for role in sorted(set(roles))]
    if rows:
        connection.execute(table.insert(), rows)


def of(table: Table, tenant: str, **columns: str) -> ColumnElement[bool]:
    """Return the condition for the rows of a tenant in which columns have values."""
    return and_(
        table.c.tenant == tenant, *(table.c[name] == value for name, value in columns.items())
    )


def _put_in_groups(
    connection: Connection, tenant: str, *, name: str, wanted: Iterable[str]
) -> None:
    keys = {name_key(group): group for group in wanted}
    there = select(groups.c.name_key).where(
        groups.c.tenant == tenant, groups.c.name_key.in_(set(keys))
    )
    for missing in sorted(set(keys) - set(connection.execute(there).scalars())):
        raise NotFound(f"There is no group {keys[missing]}.", name=keys[missing])
    user = name_key(name)
    connection.execute(delete(user_groups).where(of(user_groups, tenant, user=user)))
    rows = [{"tenant": tenant, "user": user, "group": key} for key in sorted(keys)]
    if rows:
        connection.execute(user_groups.insert(), rows)


def _user(connection: Connection, row: Row[Any]) -> User:
    belongs = (
        select(groups.c.name)
        .join(
            user_groups,
            and_(user_groups.c.tenant == groups.c.tenant, user_groups.c.group == groups.c.name_key),
        )
        .where(of(user_groups, row.tenant, user=row.name_key))
        .order_by(groups.c.name_key)
    )
    return User(
        name=row.name,
        kind=UserKind(row.kind),
        groups=tuple(connection.execute(belongs).scalars()),
        roles=tuple(
            sorted(
                _column(connection, user_roles, tenant=row.tenant, wanted="role", user=row.name_key)
            )
        ),
        is_disabled=row.is_disabled,
        has_password=bool(row.password),
        created=row.created,
    )


def _column(
    connection: Connection, table: Table, *, tenant: str, wanted: str, user: str
) -> list[str]:
    query = select(table.c[wanted]).where(of(table, tenant, user=user))
    return list(connection.execute(query).scalars())


def _named(tenant: str, name: str) -> ColumnElement[bool]:
    return of(users, tenant, name_key=name_key(name))
