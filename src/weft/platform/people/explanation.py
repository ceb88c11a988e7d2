"""Why somebody may do something, or not: which role, group or key, which line of an ACL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from weft.domain.acl import MANAGING, WRITING, Guarded
from weft.domain.errors import BadInput, NotFound
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.platform.access import allows, authorize, is_permission, require
from weft.platform.identity import LOCAL_TENANT, OWNER_NAME, within
from weft.platform.people.principals import Principals
from weft.platform.people.roles import permissions_of
from weft.ports.clock import Clock
from weft.ports.records.people import People
from weft.ports.records.standings import KeptKey

_KEY = "key:"
_NOBODY = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedRight:
    """Whether somebody may do something, and the grounds of that, a sentence each."""

    allowed: bool
    reason: str
    grounds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAbout:
    """Somebody whose rights are explained: `scope` is None where every door is shut."""

    name: str
    scope: Scope | None
    grounds: tuple[str, ...] = ()
    key: KeptKey | None = None


class Explaining:
    """Explains the rights of users and keys to those who manage users."""

    def __init__(self, people: People, principals: Principals, *, clock: Clock) -> None:
        """Take the records, what makes scopes of them, and the time."""
        self._people = people
        self._principals = principals
        self._clock = clock

    async def who(self, scope: Scope, said: str) -> AskedAbout:
        """Return whom `NAME`, `user:NAME` or `key:ID` means, or raise `NotFound`."""
        require(scope, "admin.users", f"user:{said}")
        if not said.startswith(_KEY):
            return await self._user(scope, said.removeprefix("user:"))
        key_id = said.removeprefix(_KEY)
        kept = await self._people.standings.of_key(key_id)
        if kept is None or kept.tenant != scope.tenant:
            raise NotFound("There is no such key.", key=key_id[:40])
        owner = await self._user(scope, kept.user)
        if kept.is_revoked:
            return _shut(owner, f"The key {key_id} was revoked.")
        if kept.expires is not None and kept.expires <= self._clock.now():
            return _shut(owner, f"The key {key_id} expired on {kept.expires:%Y-%m-%d %H:%M} UTC.")
        narrowed = None if owner.scope is None else within(owner.scope, kept.scopes)
        return replace(owner, scope=narrowed, key=kept)

    async def may(
        self, scope: Scope, about: AskedAbout, action: str, *, target: str | Guarded
    ) -> ExplainedRight:
        """Explain whether somebody may do something to a target, as the one gate decides it."""
        if not is_permission(action):
            raise BadInput(
                f"There is no permission {action[:100]}; weft admin permissions lists them.",
                action=action[:100],
            )
        if about.scope is None:
            return ExplainedRight(allowed=False, reason=about.grounds[-1], grounds=about.grounds)
        decision = authorize(about.scope, action, target)
        grounds = [*about.grounds, *await self._rights(scope, about, action)]
        if isinstance(target, Guarded):
            grounds += _of_base(about.scope, action, target)
        return ExplainedRight(
            allowed=decision.allowed, reason=decision.reason, grounds=tuple(grounds)
        )

    async def _user(self, scope: Scope, name: str) -> AskedAbout:
        found = await self._principals.of_user(scope.tenant, name)
        if (scope.tenant, name) == (LOCAL_TENANT, OWNER_NAME):
            return AskedAbout(name=name, scope=found)
        known = await self._people.users.named(scope, name)
        about = AskedAbout(name=known.name, scope=found)
        return about if found else _shut(about, f"{known.name} is disabled.")

    async def _rights(self, scope: Scope, about: AskedAbout, action: str) -> list[str]:
        """Return which roles permit something, or which there are that do not, and the key."""
        if (scope.tenant, about.name) == (LOCAL_TENANT, OWNER_NAME):
            return ["The owner of the machine has every permission."]
        given = await self._given(scope, about.name)
        own = {role.name: role.permissions for role in await self._people.roles.listed(scope)}
        grounds = [
            f"The role {role}, {how}, permits {action}."
            for role, how in given
            if allows(permissions_of([role], own.get(role, ())), action)
        ]
        if not grounds:
            held = _listed(f"{role} ({how})" for role, how in given)
            grounds = [f"No role of {about.name} permits {action}; the roles are: {held}."]
        if about.key is not None and about.key.scopes:
            says = "includes" if allows(about.key.scopes, action) else "does not include"
            grounds.append(
                f"The key is limited to {_listed(about.key.scopes)}, which {says} {action}."
            )
        return grounds

    async def _given(self, scope: Scope, name: str) -> list[tuple[str, str]]:
        """Return each role that somebody has, and by what."""
        user = await self._people.users.named(scope, name)
        standing = await self._principals.standing(scope.tenant, name)
        inside = frozenset() if standing is None else standing.groups
        given = [(role, f"given to {user.name}") for role in user.roles]
        for group in await self._people.groups.listed(scope):
            if group.name in inside:
                given += [(role, f"of the group {group.name}") for role in group.roles]
        return given


def of_document(
    about: AskedAbout, before: ExplainedRight, *, acl: frozenset[str]
) -> ExplainedRight:
    """Return the explanation for a document of a knowledge base, whose own readers count too."""
    if about.scope is None:
        return before
    own = about.scope.principals
    is_reader = not own.isdisjoint(acl)
    readers = f"The readers of the document are {_listed(acl)}; {_matched(own, acl)}."
    reason = before.reason if is_reader else "the document is not open to the caller"
    return ExplainedRight(
        allowed=before.allowed and is_reader,
        reason=before.reason if not before.allowed else reason,
        grounds=(*before.grounds, readers),
    )


def _of_base(caller: Scope, action: str, base: Guarded) -> list[str]:
    lists = {"readers": base.readers, "writers": base.writers, "admins": base.admins}
    if action in MANAGING:
        counted = ["admins"]
    else:
        counted = ["writers", "admins"] if action in WRITING else ["readers", "writers", "admins"]
    said = "; ".join(f"{name}: {_listed(lists[name])}" for name in counted)
    found = _matched(caller.principals, base.admitted(action))
    grounds = [f"What counts of kb:{base.name} is {said}; {found}."]
    if action not in WRITING and allows(caller.permissions, "admin.bases"):
        grounds.append("Who has admin.bases may list and share every knowledge base.")
    return grounds


def _matched(own: frozenset[str], named: frozenset[str]) -> str:
    """Return in words by which principal somebody is among those who are named."""
    both = own & named
    return f"the caller is {_listed(both)}" if both else f"none of {_listed(own)} is among them"


def _shut(about: AskedAbout, why: str) -> AskedAbout:
    return replace(about, scope=None, grounds=(*about.grounds, why))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or _NOBODY
