"""Tenants: added and listed by the owner of the machine, who manages them from outside."""

from __future__ import annotations

from weft.domain.errors import BadInput
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.identity import LOCAL_TENANT, operator
from weft.platform.people.granting import Granting
from weft.ports.records.standings import Tenant


class TenantAdministration:
    """Manages tenants."""

    def __init__(self, granting: Granting) -> None:
        """Take the records and the log."""
        self._granting = granting
        self._kept = granting.people.tenants

    async def add(self, scope: Scope, name: str, *, title: str = "") -> Tenant:
        """Add a tenant; its first administrator is a user to be added there."""
        require(scope, "platform.tenants", "tenant:*")
        async with self._granting.act(scope, "admin.tenant.add", f"tenant:{name}"):
            return await self._kept.add(name, title=title or name)

    async def listed(self, scope: Scope) -> list[Tenant]:
        """Return all tenants."""
        require(scope, "platform.tenants", "tenant:*")
        return await self._kept.listed()

    async def scope_in(self, scope: Scope, tenant: str) -> Scope:
        """Return the scope in which the owner of the machine manages a tenant, its own or another.

        Raises `BadInput` for one that there is not.
        """
        if tenant in {"", scope.tenant}:
            return scope
        known = {each.name for each in await self.listed(scope)}
        if tenant not in known or tenant == LOCAL_TENANT:
            raise BadInput(f"There is no tenant {tenant[:100]}.", tenant=tenant[:100])
        return operator(tenant)
