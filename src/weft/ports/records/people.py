"""Who may ask: tenants, their users and groups, the roles these have, and keys of programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from weft.domain.scope import Scope


class UserKind(StrEnum):
    """Whether a user is a person, who may sign in, or a service account, which has keys only."""

    PERSON = "person"
    SERVICE = "service"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """An organisation whose people, documents and records no other one sees."""

    name: str
    title: str
    created: datetime


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the records know of a user at one `stamp` of its tenant.

    `groups` holds those within which they lie too, `roles` those of the groups; `permissions` those
    of the tenant's own roles among them. `password` is a hash.
    """

    name: str
    kind: UserKind
    is_disabled: bool
    password: str
    groups: frozenset[str]
    roles: frozenset[str]
    permissions: frozenset[str]
    stamp: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptKey:
    """A key as a request is checked against it."""

    tenant: str
    user: str
    mac: str
    scopes: frozenset[str]
    expires: datetime | None
    is_revoked: bool


class People(Protocol):
    """Keeps who may ask; names that differ by case alone are the same name.

    It decides no right: `platform/people/administration.py` is who may change what. Every change
    moves the tenant's stamp. Raises `NotFound` for a user, group, role or key that is not there,
    `VersionConflict` for a name that is taken, `BadInput` for one that may not be.
    """

    async def add_tenant(self, name: str, *, title: str) -> Tenant:
        """Add a tenant."""
        ...

    async def tenants(self) -> list[Tenant]:
        """Return all tenants that were added, ordered by name."""
        ...

    async def add_user(self, scope: Scope, user: NewUser) -> User:
        """Add a user to groups that are there; the name of one that was removed stays taken."""
        ...

    async def user(self, scope: Scope, name: str) -> User:
        """Return a user."""
        ...

    async def users(self, scope: Scope) -> list[User]:
        """Return the tenant's users, ordered by name."""
        ...

    async def change_user(self, scope: Scope, name: str, change: UserChange) -> User:
        """Change a user."""
        ...

    async def remove_user(self, scope: Scope, name: str) -> None:
        """Remove a user and its keys."""
        ...

    async def add_group(self, scope: Scope, group: NewGroup) -> Group:
        """Add a group; groups lie within others no deeper than one."""
        ...

    async def groups(self, scope: Scope) -> list[Group]:
        """Return the tenant's groups, ordered by name."""
        ...

    async def change_group(
        self,
        scope: Scope,
        name: str,
        *,
        within: str | None = None,
        roles: Iterable[str] | None = None,
    ) -> Group:
        """Change within what a group lies, or its roles."""
        ...

    async def remove_group(self, scope: Scope, name: str) -> None:
        """Remove a group; those that lay within it lie in none."""
        ...

    async def keep_role(self, scope: Scope, role: OwnRole, *, is_new: bool) -> None:
        """Add a role, or change one."""
        ...

    async def roles(self, scope: Scope) -> list[OwnRole]:
        """Return the tenant's own roles, ordered by name."""
        ...

    async def remove_role(self, scope: Scope, name: str) -> None:
        """Remove a role of the tenant's own, and take it from all who have it."""
        ...

    async def add_key(self, scope: Scope, key: NewKey) -> ApiKey:
        """Keep a key."""
        ...

    async def keys(self, scope: Scope, *, user: str = "") -> list[ApiKey]:
        """Return keys, those of a user or all, the newest first."""
        ...

    async def revoke_key(self, scope: Scope, key_id: str) -> ApiKey:
        """Revoke a key; one that was revoked before stays as it is."""
        ...

    async def stamp(self, tenant: str) -> int:
        """Return what a tenant's changes have come to; 0 before the first."""
        ...

    async def move_stamp(self, tenant: str) -> None:
        """Say that somebody's rights in a tenant have changed."""
        ...

    async def standing(self, tenant: str, name: str) -> Standing | None:
        """Return what is known of a user; None for nobody, and for one that was removed."""
        ...

    async def key(self, key_id: str) -> KeptKey | None:
        """Return the key of an id, of whichever tenant: who asks is not known yet."""
        ...
