"""Users: added, changed, shut out, removed; permitted and audited."""

from __future__ import annotations

from weft.domain.acl import principal_key
from weft.domain.errors import BadInput
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.identity import OWNER_NAME
from weft.platform.people.granting import Granting
from weft.platform.people.roles import USUAL
from weft.ports.passwords import Passwords
from weft.ports.records.people import NewUser, User, UserChange
from weft.ports.records.standings import UserKind

_RESERVED = frozenset({principal_key(OWNER_NAME)})


class UserAdministration:
    """Manages the users of a tenant."""

    def __init__(self, granting: Granting, passwords: Passwords) -> None:
        """Take what may be granted, and how passwords are kept."""
        self._granting = granting
        self._kept = granting.people.users
        self._passwords = passwords

    async def add(self, scope: Scope, user: NewUser, *, password: str = "") -> User:
        """Add a user; one who is given no role is a `user`."""
        require(scope, "admin.users", f"user:{user.name}")
        if principal_key(user.name) in _RESERVED:
            raise BadInput(f"The name {user.name} is taken.", name=user.name)
        _refuse_password(user.kind, password)
        roles = user.roles or frozenset({USUAL})
        await self._granting.may_grant(scope, roles=roles, groups=user.groups)
        async with self._granting.act(scope, "admin.user.add", f"user:{user.name}") as act:
            act.note(kind=str(user.kind), roles=sorted(roles), groups=sorted(user.groups))
            hashed = await self._passwords.hashed(password) if password else ""
            return await self._kept.add(
                scope,
                NewUser(
                    name=user.name,
                    kind=user.kind,
                    groups=user.groups,
                    roles=roles,
                    password=hashed,
                ),
            )

    async def listed(self, scope: Scope) -> list[User]:
        """Return the users of the tenant."""
        require(scope, "admin.users", "user:*")
        return await self._kept.listed(scope)

    async def named(self, scope: Scope, name: str) -> User:
        """Return a user, or raise `NotFound`."""
        require(scope, "admin.users", f"user:{name}")
        return await self._kept.named(scope, name)

    async def change(
        self, scope: Scope, name: str, change: UserChange, *, password: str | None = None
    ) -> User:
        """Change a user; an empty `password` takes the old one away."""
        require(scope, "admin.users", f"user:{name}")
        known = await self._kept.named(scope, name)
        _refuse_password(known.kind, password or "")
        await self._granting.may_manage(scope, known)
        await self._granting.may_grant(scope, roles=change.roles or (), groups=change.groups or ())
        async with self._granting.act(scope, "admin.user.change", f"user:{known.name}") as act:
            act.note(
                roles=None if change.roles is None else sorted(change.roles),
                groups=None if change.groups is None else sorted(change.groups),
                disabled=change.is_disabled,
                password=password is not None,
            )
            hashed = await self._passwords.hashed(password) if password else password
            return await self._kept.change(
                scope,
                name,
                UserChange(
                    groups=change.groups,
                    roles=change.roles,
                    is_disabled=change.is_disabled,
                    password=hashed,
                ),
            )

    async def remove(self, scope: Scope, name: str) -> None:
        """Remove a user and its keys."""
        require(scope, "admin.users", f"user:{name}")
        await self._granting.may_manage(scope, await self._kept.named(scope, name))
        async with self._granting.act(scope, "admin.user.remove", f"user:{name}"):
            await self._kept.remove(scope, name)


def _refuse_password(kind: UserKind, password: str) -> None:
    if password and kind is UserKind.SERVICE:
        raise BadInput("A service account has keys, not a password.")
