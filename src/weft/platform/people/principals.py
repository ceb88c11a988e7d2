"""Principals: from a name, a key or a job to the rights of this moment."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from datetime import datetime

from weft.domain.acl import checked, principal_key
from weft.domain.errors import Forbidden
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.platform.identity import (
    LOCAL_TENANT,
    OPERATOR,
    OWNER_NAME,
    by_key,
    local_owner,
    of_today,
    operator,
    principal_scope,
    within,
)
from weft.platform.people.api_keys import id_of, is_sealed
from weft.platform.people.roles import permissions_of
from weft.ports.clock import Clock
from weft.ports.records.jobs import JobOwner
from weft.ports.records.standings import KeptKey, Standing, Standings

_REMEMBERED = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks: its scope, and what a token vouched for until when."""

    scope: Scope
    groups: frozenset[str] = frozenset()
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _KnownKey:
    """A key and what it opens at one stamp of its tenant; no scope: its user may do nothing."""

    kept: KeptKey
    scope: Scope | None
    stamp: int


class Principals:
    """Looks up who somebody is and may do.

    What was looked up is remembered for as long as its tenant's stamp stands still, which is one
    small reading for each request.
    """

    def __init__(self, standings: Standings, *, secret: bytes, clock: Clock) -> None:
        """Take the records, the secret that keys are sealed with, and the time."""
        self._known = standings
        self._secret = secret
        self._clock = clock
        self._standings: OrderedDict[tuple[str, str], Standing] = OrderedDict()
        self._keys: OrderedDict[str, _KnownKey] = OrderedDict()

    async def of_user(self, tenant: str, name: str, *, groups: Iterable[str] = ()) -> Scope | None:
        """Return the scope of a user, None for nobody and for one that is disabled.

        `groups` are those that a token vouches for beside the user's own.
        """
        if (tenant, name) == (LOCAL_TENANT, OWNER_NAME):
            return local_owner()
        found = await self.standing(tenant, name)
        if found is None or found.is_disabled:
            return None
        return principal_scope(
            tenant=tenant,
            actor=f"user:{found.name}",
            groups=[f"group:{group}" for group in {*found.groups, *groups}],
            permissions=permissions_of(found.roles, found.permissions),
        )

    async def of_token(self, tenant: str, name: str, *, groups: Iterable[str] = ()) -> Scope | None:
        """Return the scope of a user whom a signed token names: never the owner of the machine.

        Whoever signs tokens knows people; that the machine is theirs is not for it to say.
        """
        if principal_key(name) == principal_key(OWNER_NAME):
            return None
        return await self.of_user(tenant, name, groups=groups)

    async def of_key(self, text: str) -> Caller | None:
        """Return who holds a key, None for one that is unknown, revoked or over."""
        key_id = id_of(text)
        known = await self._of_key_id(key_id) if key_id else None
        if known is None or not is_sealed(self._secret, text, mac=known.kept.mac):
            return None
        scope = self._opened(known)
        return None if scope is None else Caller(scope=scope)

    async def of_job(self, owner: JobOwner) -> Scope:
        """Return the scope of a job under the rights of this moment.

        Raises `Forbidden` where whoever asked for it is known no more, or the key is none any more.
        """
        today = await self._today(owner.tenant, owner.actor, key_id=owner.key_id)
        if today is None:
            raise Forbidden("Whoever asked for this may ask no more.", reason="the right is gone")
        return of_today(owner, today)

    async def of_actor(self, tenant: str, actor: str) -> Scope | None:
        """Return the scope of who did something, by the name under which it is recorded."""
        if actor == OPERATOR:
            return operator(tenant)
        kind, _, name = checked(actor).partition(":")
        return await self.of_user(tenant, name) if kind == "user" else None

    async def still(self, caller: Caller) -> bool:
        """Tell whether a caller still has all the rights it came with."""
        scope = caller.scope
        if caller.until is not None and caller.until <= self._clock.now():
            return False
        if caller.groups:
            name = scope.actor.removeprefix("user:")
            today = await self.of_user(scope.tenant, name, groups=caller.groups)
        else:
            today = await self._today(scope.tenant, scope.actor, key_id=scope.key_id)
        return (
            today is not None
            and scope.principals <= today.principals
            and scope.permissions <= within(today, scope.permissions).permissions
        )

    async def standing(self, tenant: str, name: str) -> Standing | None:
        """Return what is known of a user, as of this moment; None for nobody."""
        known = self._standings.get((tenant, name))
        if known is not None and known.stamp == await self._known.stamp(tenant):
            self._standings.move_to_end((tenant, name))
            return known
        found = await self._known.of_user(tenant, name)
        if found is None:
            self._standings.pop((tenant, name), None)
            return None
        self._standings[tenant, name] = found
        if len(self._standings) > _REMEMBERED:
            self._standings.popitem(last=False)
        return found

    async def _today(self, tenant: str, actor: str, *, key_id: str) -> Scope | None:
        """Return what somebody may do now who came by a key, or (an empty `key_id`) by none."""
        if not key_id:
            return await self.of_actor(tenant, actor)
        known = await self._of_key_id(key_id)
        return None if known is None else self._opened(known)

    def _opened(self, known: _KnownKey) -> Scope | None:
        """Return what a key opens, None for one that is revoked or over."""
        expires = known.kept.expires
        if known.kept.is_revoked or (expires is not None and expires <= self._clock.now()):
            return None
        return known.scope

    async def _of_key_id(self, key_id: str) -> _KnownKey | None:
        known = self._keys.get(key_id)
        if known is not None and known.stamp == await self._known.stamp(known.kept.tenant):
            self._keys.move_to_end(key_id)
            return known
        self._keys.pop(key_id, None)
        found = await self._known.of_key(key_id)
        if found is None:
            return None
        # What is remembered under a stamp must have stood so as long as the stamp did.
        stamp = await self._known.stamp(found.tenant)
        kept = await self._known.of_key(key_id)
        if kept is None:
            return None
        scope = await self.of_user(kept.tenant, kept.user)
        if scope is not None:
            scope = by_key(scope, key_id, scopes=kept.scopes)
        known = _KnownKey(kept=kept, scope=scope, stamp=stamp)
        if stamp == await self._known.stamp(kept.tenant):
            self._keys[key_id] = known
            if len(self._keys) > _REMEMBERED:
                self._keys.popitem(last=False)
        return known
