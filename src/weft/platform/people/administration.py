"""Changes of who may do what: permitted, audited, and never beyond the rights of who makes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from weft.domain.errors import BadInput, Forbidden
from weft.domain.scope import Scope
from weft.platform.access import allows, require
from weft.platform.audit import AuditedAct, audited
from weft.platform.identity import LOCAL_TENANT, OPERATOR, OWNER, OWNER_NAME, operator
from weft.platform.people.api_keys import IssuedKey, issue
from weft.platform.people.roles import BUILT_IN, USUAL, checked_permissions, permissions_of
from weft.ports.passwords import Passwords
from weft.ports.records.audit import Audit, Deed
from weft.ports.records.people import (
    ApiKey,
    Group,
    NewGroup,
    NewKey,
    NewUser,
    OwnRole,
    People,
    Tenant,
    User,
    UserChange,
    UserKind,
)

_RESERVED = frozenset({OWNER_NAME})


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownKey:
    """A key as it was kept, and its text, which is shown this once."""

    kept: ApiKey
    text: str


class Administration:
    """Adds, changes and removes tenants, users, groups, roles and keys.

    Nobody grants what they may not do themselves: not by a role, a group's role, a key, or the
    password of somebody who may do more. `Forbidden` says so.
    """

    def __init__(
        self, people: People, *, audit: Audit, passwords: Passwords, secret: bytes
    ) -> None:
        """Take the records, the log, and what passwords and keys are sealed with."""
        self._people = people
        self._audit = audit
        self._passwords = passwords
        self._secret = secret

    async def add_tenant(self, scope: Scope, name: str, *, title: str = "") -> Tenant:
        """Add a tenant; its first administrator is a user to be added there."""
        require(scope, "platform.tenants", "tenant:*")
        async with self._act(scope, "admin.tenant.add", f"tenant:{name}"):
            return await self._people.add_tenant(name, title=title or name)

    async def tenants(self, scope: Scope) -> list[Tenant]:
        """Return all tenants."""
        require(scope, "platform.tenants", "tenant:*")
        return await self._people.tenants()

    async def in_tenant(self, scope: Scope, tenant: str) -> Scope:
        """Return the scope in which the owner of the machine manages a tenant, its own or another.

        Raises `BadInput` for one that there is not.
        """
        if tenant in {"", scope.tenant}:
            return scope
        known = {each.name for each in await self.tenants(scope)}
        if tenant not in known or tenant == LOCAL_TENANT:
            raise BadInput(f"There is no tenant {tenant[:100]}.", tenant=tenant[:100])
        return operator(tenant)

    async def add_user(self, scope: Scope, user: NewUser, *, password: str = "") -> User:
        """Add a user; one who is given no role is a `user`."""
        require(scope, "admin.users", f"user:{user.name}")
        if user.name.casefold() in _RESERVED:
            raise BadInput(f"The name {user.name} is taken.", name=user.name)
        _refuse_password(user.kind, password)
        roles = user.roles or frozenset({USUAL})
        await self._may_grant(scope, roles=roles, groups=user.groups)
        async with self._act(scope, "admin.user.add", f"user:{user.name}") as act:
            act.note(kind=str(user.kind), roles=sorted(roles), groups=sorted(user.groups))
            hashed = await self._passwords.hashed(password) if password else ""
            return await self._people.add_user(
                scope,
                NewUser(
                    name=user.name,
                    kind=user.kind,
                    groups=user.groups,
                    roles=roles,
                    password=hashed,
                ),
            )

    async def users(self, scope: Scope) -> list[User]:
        """Return the users of the tenant."""
        require(scope, "admin.users", "user:*")
        return await self._people.users(scope)

    async def user(self, scope: Scope, name: str) -> User:
        """Return a user, or raise `NotFound`."""
        require(scope, "admin.users", f"user:{name}")
        return await self._people.user(scope, name)

    async def change_user(
        self, scope: Scope, name: str, change: UserChange, *, password: str | None = None
    ) -> User:
        """Change a user; an empty `password` takes the old one away."""
        require(scope, "admin.users", f"user:{name}")
        known = await self._people.user(scope, name)
        _refuse_password(known.kind, password or "")
        await self._may_manage(scope, known)
        await self._may_grant(scope, roles=change.roles or (), groups=change.groups or ())
        async with self._act(scope, "admin.user.change", f"user:{known.name}") as act:
            act.note(
                roles=None if change.roles is None else sorted(change.roles),
                groups=None if change.groups is None else sorted(change.groups),
                disabled=change.is_disabled,
                password=password is not None,
            )
            hashed = await self._passwords.hashed(password) if password else password
            return await self._people.change_user(
                scope,
                name,
                UserChange(
                    groups=change.groups,
                    roles=change.roles,
                    is_disabled=change.is_disabled,
                    password=hashed,
                ),
            )

    async def remove_user(self, scope: Scope, name: str) -> None:
        """Remove a user and its keys."""
        require(scope, "admin.users", f"user:{name}")
        await self._may_manage(scope, await self._people.user(scope, name))
        async with self._act(scope, "admin.user.remove", f"user:{name}"):
            await self._people.remove_user(scope, name)

    async def add_group(self, scope: Scope, group: NewGroup) -> Group:
        """Add a group."""
        require(scope, "admin.groups", f"group:{group.name}")
        await self._may_grant(
            scope, roles=group.roles, groups=[group.within] if group.within else []
        )
        async with self._act(scope, "admin.group.add", f"group:{group.name}") as act:
            act.note(within=group.within, roles=sorted(group.roles))
            return await self._people.add_group(scope, group)

    async def groups(self, scope: Scope) -> list[Group]:
        """Return the groups of the tenant."""
        require(scope, "admin.groups", "group:*")
        return await self._people.groups(scope)

    async def change_group(
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
        await self._may_grant(
            scope, roles=given or (), groups=[name, *([within] if within else [])]
        )
        async with self._act(scope, "admin.group.change", f"group:{name}") as act:
            act.note(within=within, roles=given)
            return await self._people.change_group(scope, name, within=within, roles=given)

    async def remove_group(self, scope: Scope, name: str) -> None:
        """Remove a group."""
        require(scope, "admin.groups", f"group:{name}")
        await self._may_grant(scope, roles=(), groups=[name])
        async with self._act(scope, "admin.group.remove", f"group:{name}"):
            await self._people.remove_group(scope, name)

    async def keep_role(self, scope: Scope, role: OwnRole, *, is_new: bool) -> OwnRole:
        """Add a role of the tenant's own, or change one."""
        require(scope, "admin.roles", f"role:{role.name}")
        if role.name in BUILT_IN:
            raise BadInput(f"The role {role.name} is built in.", name=role.name)
        codes = checked_permissions(role.permissions)
        _refuse_more(scope, codes)
        if not is_new:
            await self._may_grant(scope, roles=[role.name], groups=())
        async with self._act(scope, "admin.role.keep", f"role:{role.name}") as act:
            act.note(permissions=sorted(codes))
            await self._people.keep_role(scope, role, is_new=is_new)
        return role

    async def roles(self, scope: Scope) -> list[OwnRole]:
        """Return the built-in roles, then the tenant's own, each ordered by name."""
        require(scope, "admin.roles", "role:*")
        built_in = [OwnRole(name=name, permissions=BUILT_IN[name]) for name in sorted(BUILT_IN)]
        return [*built_in, *await self._people.roles(scope)]

    async def remove_role(self, scope: Scope, name: str) -> None:
        """Remove a role of the tenant's own."""
        require(scope, "admin.roles", f"role:{name}")
        await self._may_grant(scope, roles=[name], groups=())
        async with self._act(scope, "admin.role.remove", f"role:{name}"):
            await self._people.remove_role(scope, name)

    async def add_key(
        self, scope: Scope, user: str, *, scopes: Iterable[str], expires: datetime | None
    ) -> ShownKey:
        """Make a key of a user, within its rights and those of who makes it."""
        require(scope, "admin.keys", f"user:{user}")
        codes = checked_permissions(scopes)
        owner = await self._people.user(scope, user)
        await self._may_manage(scope, owner)
        made: IssuedKey = issue(self._secret)
        async with self._act(scope, "admin.key.add", f"key:{made.id}") as act:
            act.note(user=owner.name, scopes=sorted(codes))
            new = NewKey(id=made.id, user=owner.name, mac=made.mac, scopes=codes, expires=expires)
            return ShownKey(kept=await self._people.add_key(scope, new), text=made.text)

    async def keys(self, scope: Scope, *, user: str = "") -> list[ApiKey]:
        """Return keys, those of a user or all."""
        require(scope, "admin.keys", "key:*")
        return await self._people.keys(scope, user=user)

    async def revoke_key(self, scope: Scope, key_id: str) -> ApiKey:
        """Revoke a key; it opens nothing from then on."""
        require(scope, "admin.keys", f"key:{key_id}")
        async with self._act(scope, "admin.key.revoke", f"key:{key_id}"):
            return await self._people.revoke_key(scope, key_id)

    async def _may_manage(self, scope: Scope, user: User) -> None:
        """Refuse to change somebody who may do more: it would be a way to their rights."""
        await self._may_grant(scope, roles=user.roles, groups=user.groups)

    async def _may_grant(
        self, scope: Scope, *, roles: Iterable[str], groups: Iterable[str]
    ) -> None:
        """Refuse roles that there are not, and those that may do more than who grants them."""
        wanted = set(roles)
        own = {role.name: role.permissions for role in await self._people.roles(scope)}
        for name in sorted(wanted - set(BUILT_IN) - set(own)):
            raise BadInput(f"There is no role {name[:100]}.", role=name[:100])
        if named := {group.casefold() for group in groups}:
            every = await self._people.groups(scope)
            inside = [group for group in every if group.name.casefold() in named]
            around = {group.within for group in inside}
            wanted |= {
                role
                for group in every
                if group in inside or group.name in around
                for role in group.roles
            }
        codes = [code for name in wanted for code in own.get(name, ())]
        _refuse_more(scope, permissions_of(wanted, codes))

    def _act(self, scope: Scope, action: str, target: str) -> AuditedAct:
        return audited(self._audit, scope, Deed(action=action, target=target))


def _refuse_more(scope: Scope, codes: Iterable[str]) -> None:
    """Refuse what goes beyond the caller's own rights; the owner of the machine may grant all."""
    if scope.actor == OPERATOR or (scope.tenant, scope.actor) == (LOCAL_TENANT, OWNER):
        return
    for code in sorted(codes):
        if code not in scope.permissions and not allows(scope.permissions, code):
            raise Forbidden(
                f"You may not grant {code}, which you may not do yourself.",
                reason=f"lacks {code}",
            )


def _refuse_password(kind: UserKind, password: str) -> None:
    if password and kind is UserKind.SERVICE:
        raise BadInput("A service account has keys, not a password.")
