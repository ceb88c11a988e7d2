"""Groups: added, changed, removed; permitted and audited."""

from __future__ import annotations

from collections.abc import Iterable

from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.people.granting import Granting
from weft.ports.records.people import Group, NewGroup


class GroupAdministration:
    """Manages the groups of a tenant."""

    def __init__(self, granting: Granting) -> None:
        """Take what may be granted."""
        self._granting = granting
        self._kept = granting.people.groups

    async def add(self, scope: Scope, group: NewGroup) -> Group:
        """Add a group."""
        require(scope, "admin.groups", f"group:{group.name}")
        await self._granting.may_grant(
            scope, roles=group.roles, groups=[group.within] if group.within else []
        )
        async with self._granting.act(scope, "admin.group.add", f"group:{group.name}") as act:
            act.note(within=group.within, roles=sorted(group.roles))
            return await self._kept.add(scope, group)

    async def listed(self, scope: Scope) -> list[Group]:
        """Return the groups of the tenant."""
        require(scope, "admin.groups", "group:*")
        return await self._kept.listed(scope)

    async def change(
        self,
        scope: Scope,
        name: str,
        *,
        within: str | None = None,
        roles: Iterable[str] | None = None,
    ) -> Group:
        """Change within what a group lies, or its roles."""
        require(scope, "admin.groups", f"group:{name}")
        given = None if roles is None else sorted(roles)
        await self._granting.may_grant(
            scope, roles=given or (), groups=[name, *([within] if within else [])]
        )
        async with self._granting.act(scope, "admin.group.change", f"group:{name}") as act:
            act.note(within=within, roles=given)
            return await self._kept.change(scope, name, within=within, roles=given)

    async def remove(self, scope: Scope, name: str) -> None:
        """Remove a group."""
        require(scope, "admin.groups", f"group:{name}")
        await self._granting.may_grant(scope, roles=(), groups=[name])
        async with self._granting.act(scope, "admin.group.remove", f"group:{name}"):
            await self._kept.remove(scope, name)
