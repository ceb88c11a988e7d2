"""The port `People` on a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, select

from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.people_schema import tenants
from weft.adapters.sql.database.schema import clean
from weft.adapters.sql.people import groups, keys, users
from weft.adapters.sql.people.names import checked_name, move
from weft.domain.errors import VersionConflict
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.people import (
    ApiKey,
    Group,
    KeptKey,
    NewGroup,
    NewKey,
    NewUser,
    OwnRole,
    Standing,
    Tenant,
    User,
    UserChange,
)

T = TypeVar("T")


class SqlPeople:
    """Keeps who may ask; every change moves the tenant's stamp in its own transaction."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def add_tenant(self, name: str, *, title: str) -> Tenant:
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

    async def tenants(self) -> list[Tenant]:
        """Return all tenants that were added, ordered by name."""
        query = select(tenants).order_by(tenants.c.tenant)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [Tenant(name=row.tenant, title=row.title, created=row.created) for row in rows]

    async def add_user(self, scope: Scope, user: NewUser) -> User:
        """Add a user to groups that are there."""
        named = replace(user, name=checked_name(user.name, of="user"))
        return await self._changed(
            scope, lambda connection: users.add(connection, scope.tenant, named, self._clock)
        )

    async def user(self, scope: Scope, name: str) -> User:
        """Return a user, or raise `NotFound`."""
        return await self._database.read(
            lambda connection: users.find(connection, scope.tenant, name)
        )

    async def users(self, scope: Scope) -> list[User]:
        """Return the tenant's users, ordered by name."""
        return await self._database.read(lambda connection: users.every(connection, scope.tenant))

    async def change_user(self, scope: Scope, name: str, change: UserChange) -> User:
        """Change a user, or raise `NotFound`."""
        return await self._changed(
            scope, lambda connection: users.change(connection, scope.tenant, name, change)
        )

    async def remove_user(self, scope: Scope, name: str) -> None:
        """Remove a user and its keys, or raise `NotFound`."""
        await self._changed(scope, lambda connection: users.remove(connection, scope.tenant, name))

    async def add_group(self, scope: Scope, group: NewGroup) -> Group:
        """Add a group."""
        named = replace(group, name=checked_name(group.name, of="group"))
        return await self._changed(
            scope, lambda connection: groups.add(connection, scope.tenant, named, self._clock)
        )

    async def groups(self, scope: Scope) -> list[Group]:
        """Return the tenant's groups, ordered by name."""
        return await self._database.read(lambda connection: groups.every(connection, scope.tenant))

    async def change_group(
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
                connection, scope.tenant, name, within=within, given=given
            ),
        )

    async def remove_group(self, scope: Scope, name: str) -> None:
        """Remove a group, or raise `NotFound`."""
        await self._changed(scope, lambda connection: groups.remove(connection, scope.tenant, name))

    async def keep_role(self, scope: Scope, role: OwnRole, *, is_new: bool) -> None:
        """Add a role, or change one."""
        named = replace(role, name=checked_name(role.name, of="role"))
        await self._changed(
            scope,
            lambda connection: groups.keep_role(
                connection, scope.tenant, named, is_new=is_new, clock=self._clock
            ),
        )

    async def roles(self, scope: Scope) -> list[OwnRole]:
        """Return the tenant's own roles, ordered by name."""
        return await self._database.read(
            lambda connection: groups.own_roles(connection, scope.tenant)
        )

    async def remove_role(self, scope: Scope, name: str) -> None:
        """Remove a role, or raise `NotFound`."""
        await self._changed(
            scope, lambda connection: groups.remove_role(connection, scope.tenant, name)
        )

    async def add_key(self, scope: Scope, key: NewKey) -> ApiKey:
        """Keep a key."""
        return await self._changed(
            scope, lambda connection: keys.add(connection, scope.tenant, key, self._clock)
        )

    async def keys(self, scope: Scope, *, user: str = "") -> list[ApiKey]:
        """Return keys, those of a user or all, the newest first."""
        return await self._database.read(
            lambda connection: keys.every(connection, scope.tenant, user=user)
        )

    async def revoke_key(self, scope: Scope, key_id: str) -> ApiKey:
        """Revoke a key, or raise `NotFound`."""
        return await self._changed(
            scope, lambda connection: keys.revoke(connection, scope.tenant, key_id, self._clock)
        )

    async def stamp(self, tenant: str) -> int:
        """Return what a tenant's changes have come to; 0 before the first."""
        return await self._database.read(lambda connection: _stamp(connection, tenant))

    async def move_stamp(self, tenant: str) -> None:
        """Say that somebody's rights in a tenant have changed."""
        await self._database.write(lambda connection: move(connection, tenant, self._clock))

    async def standing(self, tenant: str, name: str) -> Standing | None:
        """Return what is known of a user; None for nobody."""
        return await self._database.read(
            lambda connection: users.standing(
                connection, tenant, name, stamp=_stamp(connection, tenant)
            )
        )

    async def key(self, key_id: str) -> KeptKey | None:
        """Return the key of an id, of whichever tenant."""
        return await self._database.read(lambda connection: keys.kept(connection, key_id))

    async def _changed(self, scope: Scope, work: Callable[[Connection], T]) -> T:
        def with_stamp(connection: Connection) -> T:
            move(connection, scope.tenant, self._clock)
            return work(connection)

        return await self._database.write(with_stamp)


def _of(tenant: str) -> ColumnElement[bool]:
    return tenants.c.tenant == tenant


def _stamp(connection: Connection, tenant: str) -> int:
    return connection.execute(select(tenants.c.stamp).where(_of(tenant))).scalar() or 0
