"""Who is asking: the only place where a scope is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from weft.domain.acl import EVERYONE, checked
from weft.domain.scope import SEES_PLACES, Scope
from weft.platform.access import allows
from weft.ports.records.jobs import JobOwner

LOCAL_TENANT = "local"
OWNER = "user:owner"
STRANGER = "stranger"
OWNER_NAME = "owner"
# Nobody's name: whoever works at the machine, in a tenant that is not its own.
OPERATOR = "machine:owner"
OWNER_PERMISSIONS = frozenset(
    {"ask", "run.read", "tool.run:*", "kb.read", "kb.write", "kb.admin", "kb.drop", "kb.source"}
    | {"audit.read", "usage.read", "admin.*", "platform.tenants"}
)


NOBODY = Scope(tenant="", actor="", principals=frozenset(), permissions=frozenset())


def local_owner() -> Scope:
    """Return the scope of the person at this machine: owner of the local tenant."""
    return Scope(
        tenant=LOCAL_TENANT,
        actor=OWNER,
        principals=frozenset({EVERYONE, OWNER}),
        permissions=OWNER_PERMISSIONS,
    )


def stranger() -> Scope:
    """Return the scope of whoever is not known: it may do nothing, and has a name in the log.

    Its rows are in the chain of the tenant that this machine's owner reads.
    """
    return Scope(
        tenant=LOCAL_TENANT, actor=STRANGER, principals=frozenset(), permissions=frozenset()
    )


def operator(tenant: str) -> Scope:
    """Return the scope of this machine's owner in another tenant: to manage, not to read."""
    return Scope(
        tenant=tenant,
        actor=OPERATOR,
        principals=frozenset(),
        permissions=frozenset({"admin.*", "kb.admin", "audit.read", "usage.read", "job.manage"}),
    )


def principal_scope(
    *, tenant: str, actor: str, groups: Iterable[str], permissions: Iterable[str]
) -> Scope:
    """Return the scope of a known user: itself, its groups and everyone of its tenant."""
    principals = {EVERYONE, checked(actor), *(checked(group) for group in groups)}
    return Scope(
        tenant=tenant,
        actor=actor,
        principals=frozenset(principals),
        permissions=frozenset(permissions),
    )


def narrow(scope: Scope, sources: Iterable[str]) -> Scope:
    """Return the scope with fewer allowed sources: they narrow candidates, never statistics."""
    wanted = frozenset(source.casefold() for source in sources)
    allowed = wanted if scope.sources is None else wanted & scope.sources
    return replace(scope, sources=allowed)


def replaying(scope: Scope, *, sees_places: bool) -> Scope:
    """Return the scope of whoever goes through a run again that was, or was not, told of places.

    Addresses come out as they had then; a plain replay tells only whether they are equal.
    """
    others = scope.permissions - {SEES_PLACES}
    return replace(scope, permissions=others | {SEES_PLACES} if sees_places else others)


def within(scope: Scope, wanted: frozenset[str]) -> Scope:
    """Return a scope that may do no more than some permissions; without any it stays as it is."""
    if not wanted:
        return scope
    return replace(scope, permissions=_shared(scope.permissions, wanted))


def by_key(scope: Scope, key_id: str, *, scopes: frozenset[str]) -> Scope:
    """Return the scope of a user who came by a key, within what the key is limited to."""
    return replace(within(scope, scopes), key_id=key_id)


def of_today(owner: JobOwner, today: Scope) -> Scope:
    """Return the scope of a job: of the rights its owner had when asking, those it still has."""
    return Scope(
        tenant=owner.tenant,
        actor=owner.actor,
        principals=owner.principals & today.principals,
        permissions=_shared(owner.permissions, today.permissions),
        sources=owner.sources,
        key_id=owner.key_id,
    )


def _shared(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Return what two sets of permissions both cover."""
    return frozenset(
        {code for code in one if allows(other, code)}
        | {code for code in other if allows(one, code)}
    )


def readers(principals: Iterable[str], owner: Scope) -> frozenset[str] | None:
    """Return who may read what the owner of this machine brings in: these and itself.

    None where nobody is named: then the readers stay who they were. Whoever brings a document in
    stays among its readers: nobody else could see or remove it.
    """
    named = frozenset(checked(principal) for principal in principals)
    return named | {owner.actor} if named else None


def readers_by_default(default_acl: frozenset[str], owner: Scope) -> frozenset[str]:
    """Return who may read what somebody brings in of which nobody said who may.

    Those whom the knowledge base names, and whoever brings it in: without a name nobody else.
    """
    return default_acl if EVERYONE in default_acl else default_acl | {owner.actor}
