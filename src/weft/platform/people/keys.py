"""Keys of programs: made, listed, revoked; permitted and audited."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.people.api_keys import IssuedKey, issue
from weft.platform.people.granting import Granting
from weft.platform.people.roles import checked_permissions
from weft.ports.records.people import ApiKey, NewKey


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownKey:
    """A key as it was kept, and its text, which is shown this once."""

    kept: ApiKey
    text: str


class KeyAdministration:
    """Manages the keys of a tenant's users."""

    def __init__(self, granting: Granting, secret: bytes) -> None:
        """Take what may be granted, and what keys are sealed with."""
        self._granting = granting
        self._kept = granting.people.keys
        self._users = granting.people.users
        self._secret = secret

    async def add(
        self, scope: Scope, user: str, *, scopes: Iterable[str], expires: datetime | None
    ) -> ShownKey:
        """Make a key of a user, within its rights and those of who makes it."""
        require(scope, "admin.keys", f"user:{user}")
        codes = checked_permissions(scopes)
        owner = await self._users.named(scope, user)
        await self._granting.may_manage(scope, owner)
        made: IssuedKey = issue(self._secret)
        async with self._granting.act(scope, "admin.key.add", f"key:{made.id}") as act:
            act.note(user=owner.name, scopes=sorted(codes))
            new = NewKey(id=made.id, user=owner.name, mac=made.mac, scopes=codes, expires=expires)
            return ShownKey(kept=await self._kept.add(scope, new), text=made.text)

    async def listed(self, scope: Scope, *, user: str = "") -> list[ApiKey]:
        """Return keys, those of a user or all."""
        require(scope, "admin.keys", "key:*")
        return await self._kept.listed(scope, user=user)

    async def revoke(self, scope: Scope, key_id: str) -> ApiKey:
        """Revoke a key; it opens nothing from then on."""
        require(scope, "admin.keys", f"key:{key_id}")
        async with self._granting.act(scope, "admin.key.revoke", f"key:{key_id}"):
            return await self._kept.revoke(scope, key_id)
