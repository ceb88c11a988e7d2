"""Roles of a tenant's own: added, changed, removed; permitted and audited."""

from __future__ import annotations

from weft.domain.errors import BadInput, NotFound
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.people.granting import Granting, refuse_more
from weft.platform.people.roles import BUILT_IN, checked_permissions
from weft.ports.records.people import OwnRole


class RoleAdministration:
    """Manages the roles of a tenant's own."""

    def __init__(self, granting: Granting) -> None:
        """Take what may be granted."""
        self._granting = granting
        self._kept = granting.people.roles

    async def keep(self, scope: Scope, role: OwnRole, *, is_new: bool) -> OwnRole:
        """Add a role of the tenant's own, or change one."""
        require(scope, "admin.roles", f"role:{role.name}")
        if role.name in BUILT_IN:
            raise BadInput(f"The role {role.name} is built in.", name=role.name)
        codes = checked_permissions(role.permissions)
        refuse_more(scope, codes)
        if not is_new:
            await self._may_change(scope, role.name)
        async with self._granting.act(scope, "admin.role.keep", f"role:{role.name}") as act:
            act.note(permissions=sorted(codes))
            await self._kept.keep(scope, role, is_new=is_new)
        return role

    async def listed(self, scope: Scope) -> list[OwnRole]:
        """Return the built-in roles, then the tenant's own, each ordered by name."""
        require(scope, "admin.roles", "role:*")
        built_in = [OwnRole(name=name, permissions=BUILT_IN[name]) for name in sorted(BUILT_IN)]
        return [*built_in, *await self._kept.listed(scope)]

    async def remove(self, scope: Scope, name: str) -> None:
        """Remove a role of the tenant's own."""
        require(scope, "admin.roles", f"role:{name}")
        await self._may_change(scope, name)
        async with self._granting.act(scope, "admin.role.remove", f"role:{name}"):
            await self._kept.remove(scope, name)

    async def _may_change(self, scope: Scope, name: str) -> None:
        """Refuse to change a role that there is not, and one that may do more than the caller."""
        if name not in {role.name for role in await self.listed(scope)}:
            raise NotFound(f"There is no role {name[:100]}.", name=name[:100])
        await self._granting.may_grant(scope, roles=[name], groups=())
