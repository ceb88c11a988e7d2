"""The ports of people on a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, select

from weft.adapters.sql.database.columns import clean
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.people_schema import tenants
from weft.adapters.sql.people import groups, keys, users
from weft.adapters.sql.people.names import checked_name, move
from weft.domain.errors import VersionConflict
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.people import (
    ApiKey,
    Group,
    NewGroup,
    NewKey,
    NewUser,
    OwnRole,
    People,
    User,
    UserChange,
)
from weft.ports.records.standings import KeptKey, Standing, Tenant

T = TypeVar("T")


def people_in(database: SqlDatabase, clock: Clock) -> People:
    """Return what is kept of people in a database."""
    return People(
        tenants=SqlTenants(database, clock),
        users=SqlUsers(database, clock),
        groups=SqlGroups(database, clock),
        roles=SqlOwnRoles(database, clock),
        keys=SqlApiKeys(database, clock),
        standings=SqlStandings(database),
    )


class _OnDatabase:
    """Reads and changes; every change moves the tenant's stamp in its own transaction."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def _changed(self, scope: Scope, work: Callable[[Connection], T]) -> T:
        def with_stamp(connection: Connection) -> T:
            move(connection, scope.tenant, clock=self._clock)
            return work(connection)

        return await self._database.write(with_stamp)


class SqlUsers(_OnDatabase):
    """The port `Users`."""

    async def add(self, scope: Scope, user: NewUser) -> User:
        """Add a user to groups that are there."""
        named = replace(user, name=checked_name(user.name, of="user"))
        return await self._changed(
            scope,
            lambda connection: users.add(connection, scope.tenant, user=named, clock=self._clock),
        )

    async def named(self, scope: Scope, name: str) -> User:
        """Return a user, or raise `NotFound`."""
        return await self._database.read(
            lambda connection: users.find(connection, scope.tenant, name=name)
        )

    async def listed(self, scope: Scope) -> list[User]:
        """Return the tenant's users, ordered by name."""
        return await self._database.read(lambda connection: users.every(connection, scope.tenant))

    async def change(self, scope: Scope, name: str, change: UserChange) -> User:
        """Change a user, or raise `NotFound`."""
        return await self._changed(
            scope,
            lambda connection: users.change(connection, scope.tenant, name=name, wanted=change),
        )

    async def remove(self, scope: Scope, name: str) -> None:
        """Remove a user and its keys, or raise `NotFound`."""
        await self._changed(
            scope, lambda connection: users.remove(connection, scope.tenant, name=name)
        )


class SqlGroups(_OnDatabase):
    """The port `Groups`."""

    async def add(self, scope: Scope, group: NewGroup) -> Group:
        """Add a group."""
        named = replace(group, name=checked_name(group.name, of="group"))
        return await self._changed(
            scope,
            lambda connection: groups.add(connection, scope.tenant, group=named, clock=self._clock),
        )

    async def listed(self, scope: Scope) -> list[Group]:
        """Return the tenant's groups, ordered by name."""
        return await self._database.read(lambda connection: groups.every(connection, scope.tenant))

    async def change(
        self,
        scope: Scope,
        name: str,
        *,
        within: str | None = None,
        roles: Iterable[str] | None = None,
    ) -> Group:
        """Change within what a group lies, or its roles."""
        given = None if roles is None else list(roles)
        return await self._changed(
            scope,
            lambda connection: groups.change(
                connection, scope.tenant, name=name, within=within, given=given
            ),
        )

    async def remove(self, scope: Scope, name: str) -> None:
        """Remove a group, or raise `NotFound`."""
        await self._changed(
            scope, lambda connection: groups.remove(connection, scope.tenant, name=name)
        )


class SqlOwnRoles(_OnDatabase):
    """The port `OwnRoles`."""

    async def keep(self, scope: Scope, role: OwnRole, *, is_new: bool) -> None:
        """Add a role, or change one."""
        named = replace(role, name=checked_name(role.name, of="role"))
        await self._changed(
            scope,
            lambda connection: groups.keep_role(
                connection, scope.tenant, role=named, is_new=is_new, clock=self._clock
            ),
        )

    async def listed(self, scope: Scope) -> list[OwnRole]:
        """Return the tenant's own roles, ordered by name."""
        return await self._database.read(
            lambda connection: groups.own_roles(connection, scope.tenant)
        )

    async def remove(self, scope: Scope, name: str) -> None:
        """Remove a role, or raise `NotFound`."""
        await self._changed(
            scope, lambda connection: groups.remove_role(connection, scope.tenant, name=name)
        )


class SqlApiKeys(_OnDatabase):
    """The port `ApiKeys`."""

    async def add(self, scope: Scope, key: NewKey) -> ApiKey:
        """Keep a key."""
        return await self._changed(
            scope, lambda connection: keys.add(connection, scope.tenant, key=key, clock=self._clock)
        )

    async def listed(self, scope: Scope, *, user: str = "") -> list[ApiKey]:
        """Return keys, those of a user or all, the newest first."""
        return await self._database.read(
            lambda connection: keys.every(connection, scope.tenant, user=user)
        )

    async def revoke(self, scope: Scope, key_id: str) -> ApiKey:
        """Revoke a key, or raise `NotFound`."""
        return await self._changed(
            scope,
            lambda connection: keys.revoke(
                connection, scope.tenant, key_id=key_id, clock=self._clock
            ),
        )


class SqlTenants:
    """The port `Tenants`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def add(self, name: str, *, title: str) -> Tenant:
        """Add a tenant, or raise `VersionConflict`."""
        named = checked_name(name, of="tenant").casefold()
        made = Tenant(name=named, title=clean(title), created=self._clock.now())

        def work(connection: Connection) -> Tenant:
            if connection.execute(select(tenants.c.tenant).where(_of(named))).first():
                raise VersionConflict(f"There is a tenant {named} already.", name=named)
            row = {"tenant": named, "title": made.title, "stamp": 1, "created": made.created}
            connection.execute(tenants.insert(), row)
            return made

        return await self._database.write(work)

    async def listed(self) -> list[Tenant]:
        """Return all tenants, ordered by name."""
        query = select(tenants).order_by(tenants.c.tenant)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [Tenant(name=row.tenant, title=row.title, created=row.created) for row in rows]


class SqlStandings:
    """The port `Standings`."""

    def __init__(self, database: SqlDatabase) -> None:
        """Take the database."""
        self._database = database

    async def stamp(self, tenant: str) -> int:
        """Return what a tenant's changes have come to; 0 before the first."""
        return await self._database.read(lambda connection: _stamp(connection, tenant))

    async def of_user(self, tenant: str, name: str) -> Standing | None:
        """Return what is known of a user; None for nobody."""
        return await self._database.read(
            lambda connection: users.standing(
                connection, tenant, name=name, stamp=_stamp(connection, tenant)
            )
        )

    async def of_key(self, key_id: str) -> KeptKey | None:
        """Return the key of an id, of whichever tenant."""
        return await self._database.read(lambda connection: keys.kept(connection, key_id))


def _of(tenant: str) -> ColumnElement[bool]:
    return tenants.c.tenant == tenant


def _stamp(connection: Connection, tenant: str) -> int:
    return connection.execute(select(tenants.c.stamp).where(_of(tenant))).scalar() or 0
