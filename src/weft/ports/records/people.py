"""Who may ask: users and groups, the roles these have, and keys of programs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.ports.records.standings import Standings, Tenants, UserKind


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user by name, with the groups and roles that were given directly, ordered."""

    name: str
    kind: UserKind = UserKind.PERSON
    groups: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    is_disabled: bool = False
    has_password: bool = False
    created: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUser:
    """A user to be added; `password` is a hash, empty for none."""

    name: str
    kind: UserKind = UserKind.PERSON
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    password: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserChange:
    """What changes of a user; None leaves it as it is."""

    groups: frozenset[str] | None = None
    roles: frozenset[str] | None = None
    is_disabled: bool | None = None
    password: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group; whoever is in it is in the one `within` which it lies too (empty: none)."""

    name: str
    within: str = ""
    roles: tuple[str, ...] = ()
    created: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGroup:
    """A group to be added."""

    name: str
    within: str = ""
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRole:
    """A role that a tenant made for itself: a name for permissions."""

    name: str
    permissions: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key of a user; without `scopes` it may do what its owner may."""

    id: str
    user: str
    scopes: frozenset[str]
    created: datetime
    expires: datetime | None = None
    revoked: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key to be kept: its public id and the HMAC of the whole."""

    id: str
    user: str
    mac: str
    scopes: frozenset[str] = frozenset()
    expires: datetime | None = None


class Users(Protocol):
    """Keeps users; names that differ by case alone are the same name.

    Like what keeps groups, roles and keys it decides no right, and every change moves the tenant's
    stamp. Raises `NotFound` for what is not there, `VersionConflict` for a name that is taken,
    `BadInput` for one that may not be.
    """

    async def add(self, scope: Scope, user: NewUser) -> User:
        """Add a user to groups that are there; the name of one that was removed stays taken."""
        ...

    async def named(self, scope: Scope, name: str) -> User:
        """Return a user."""
        ...

    async def listed(self, scope: Scope) -> list[User]:
        """Return the tenant's users, ordered by name."""
        ...

    async def change(self, scope: Scope, name: str, change: UserChange) -> User:
        """Change a user."""
        ...

    async def remove(self, scope: Scope, name: str) -> None:
        """Remove a user and its keys."""
        ...


class Groups(Protocol):
    """Keeps groups; they lie within others no deeper than one."""

    async def add(self, scope: Scope, group: NewGroup) -> Group:
        """Add a group."""
        ...

    async def listed(self, scope: Scope) -> list[Group]:
        """Return the tenant's groups, ordered by name."""
        ...

    async def change(
        self,
        scope: Scope,
        name: str,
        *,
        within: str | None = None,
        roles: Iterable[str] | None = None,
    ) -> Group:
        """Change within what a group lies, or its roles."""
        ...

    async def remove(self, scope: Scope, name: str) -> None:
        """Remove a group; those that lay within it lie in none."""
        ...


class OwnRoles(Protocol):
    """Keeps the roles that tenants make for themselves."""

    async def keep(self, scope: Scope, role: OwnRole, *, is_new: bool) -> None:
        """Add a role, or change one."""
        ...

    async def listed(self, scope: Scope) -> list[OwnRole]:
        """Return the tenant's own roles, ordered by name."""
        ...

    async def remove(self, scope: Scope, name: str) -> None:
        """Remove a role, and take it from all who have it."""
        ...


class ApiKeys(Protocol):
    """Keeps keys, without their texts."""

    async def add(self, scope: Scope, key: NewKey) -> ApiKey:
        """Keep a key of a user."""
        ...

    async def listed(self, scope: Scope, *, user: str = "") -> list[ApiKey]:
        """Return keys, those of a user or all, the newest first."""
        ...

    async def revoke(self, scope: Scope, key_id: str) -> ApiKey:
        """Revoke a key; one that was revoked before stays as it is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """All that is kept of people."""

    tenants: Tenants
    users: Users
    groups: Groups
    roles: OwnRoles
    keys: ApiKeys
    standings: Standings
