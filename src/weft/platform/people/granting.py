"""Nobody grants what they may not do themselves: not by a role, a group, a key or a password."""

from __future__ import annotations

from collections.abc import Iterable

from weft.domain.acl import principal_key
from weft.domain.errors import BadInput, Forbidden
from weft.domain.scope import Scope
from weft.platform.access import allows
from weft.platform.audit import AuditedAct, audited
from weft.platform.identity import LOCAL_TENANT, OPERATOR, OWNER
from weft.platform.people.roles import BUILT_IN, permissions_of
from weft.ports.records.audit import Audit, Deed
from weft.ports.records.people import People, User


class Granting:
    """Says what somebody may grant, and writes what is done into the log."""

    def __init__(self, people: People, audit: Audit) -> None:
        """Take the records and the log."""
        self._people = people
        self._audit = audit

    @property
    def people(self) -> People:
        """Return the records."""
        return self._people

    def act(self, scope: Scope, action: str, target: str) -> AuditedAct:
        """Return the act of `async with`, which is a row before and one after it."""
        return audited(self._audit, scope, Deed(action=action, target=target))

    async def may_manage(self, scope: Scope, user: User) -> None:
        """Refuse to change somebody who may do more: it would be a way to their rights."""
        await self.may_grant(scope, roles=user.roles, groups=user.groups)

    async def may_grant(self, scope: Scope, *, roles: Iterable[str], groups: Iterable[str]) -> None:
        """Refuse roles that there are not, and those that may do more than who grants them."""
        wanted = set(roles)
        own = {role.name: role.permissions for role in await self._people.roles.listed(scope)}
        for name in sorted(wanted - set(BUILT_IN) - set(own)):
            known = ", ".join(sorted(BUILT_IN))
            raise BadInput(
                f"There is no role {name[:100]}; those of every workspace are {known}.",
                role=name[:100],
            )
        if named := {principal_key(group) for group in groups}:
            every = await self._people.groups.listed(scope)
            inside = [group for group in every if principal_key(group.name) in named]
            around = {group.within for group in inside}
            wanted |= {
                role
                for group in every
                if group in inside or group.name in around
                for role in group.roles
            }
        codes = [code for name in wanted for code in own.get(name, ())]
        refuse_more(scope, permissions_of(wanted, codes))


def refuse_more(scope: Scope, codes: Iterable[str]) -> None:
    """Refuse what goes beyond the caller's own rights; the owner of the machine may grant all."""
    if scope.actor == OPERATOR or (scope.tenant, scope.actor) == (LOCAL_TENANT, OWNER):
        return
    for code in sorted(codes):
        if code not in scope.permissions and not allows(scope.permissions, code):
            raise Forbidden(
                f"You may not grant {code}, which you may not do yourself.",
                reason=f"lacks {code}",
            )
