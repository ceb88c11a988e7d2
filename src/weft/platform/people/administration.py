"""Changes of who may do what, by what is changed."""

from __future__ import annotations

from weft.domain.frozen import dataclass
from weft.platform.people.granting import Granting
from weft.platform.people.groups import GroupAdministration
from weft.platform.people.keys import KeyAdministration
from weft.platform.people.own_roles import RoleAdministration
from weft.platform.people.tenants import TenantAdministration
from weft.platform.people.users import UserAdministration
from weft.ports.passwords import Passwords
from weft.ports.records.audit import Audit
from weft.ports.records.people import People


@dataclass(frozen=True, slots=True, kw_only=True)
class Administration:
    """Adds, changes and removes, each permitted, audited, and within the rights of who does it."""

    tenants: TenantAdministration
    users: UserAdministration
    groups: GroupAdministration
    roles: RoleAdministration
    keys: KeyAdministration


def administration_of(
    people: People, *, audit: Audit, passwords: Passwords, secret: bytes
) -> Administration:
    """Return the administration of some records; `secret` is what keys are sealed with."""
    granting = Granting(people, audit)
    return Administration(
        tenants=TenantAdministration(granting),
        users=UserAdministration(granting, passwords),
        groups=GroupAdministration(granting),
        roles=RoleAdministration(granting),
        keys=KeyAdministration(granting, secret),
    )
