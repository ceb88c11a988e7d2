"""Who somebody is, looked up before there is a scope to look under; and the tenants there are."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Protocol

from weft.domain.frozen import dataclass


class UserKind(StrEnum):
    """Whether a user is a person, who may sign in, or a service account, which has keys only."""

    PERSON = "person"
    SERVICE = "service"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """An organisation whose people, documents and records no other one sees."""

    name: str
    title: str
    created: datetime


class Standings(Protocol):
    """Tells what is known of whoever knocks."""

    async def stamp(self, tenant: str) -> int:
        """Return what a tenant's changes have come to; 0 before the first."""
        ...

    async def of_user(self, tenant: str, name: str) -> Standing | None:
        """Return what is known of a user; None for nobody, and for one that was removed."""
        ...

    async def of_key(self, key_id: str) -> KeptKey | None:
        """Return the key of an id, of whichever tenant."""
        ...


class Tenants(Protocol):
    """Keeps tenants, for the owner of the machine."""

    async def add(self, name: str, *, title: str) -> Tenant:
        """Add a tenant; raises `VersionConflict` for a name that is taken, `BadInput`."""
        ...

    async def listed(self) -> list[Tenant]:
        """Return all tenants, ordered by name."""
        ...
