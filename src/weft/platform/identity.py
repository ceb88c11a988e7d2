"""Who is asking: the only place where a scope is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from weft.domain.acl import EVERYONE, checked
from weft.domain.scope import Scope
from weft.ports.records.jobs import JobOwner

LOCAL_TENANT = "local"
OWNER = "user:owner"
STRANGER = "stranger"
OWNER_PERMISSIONS = frozenset(
    {"kb.read", "kb.write", "kb.admin", "kb.drop", "run.read", "ask", "tool.run:*", "audit.read"}
)


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


def for_job(owner: JobOwner) -> Scope:
    """Return the scope of a job: of the rights its owner had when asking, those it still has.

    Whoever is known has rights of today: the owner of this machine. Of anybody else there is no
    other record than the job's own row.
    """
    asked = Scope(
        tenant=owner.tenant,
        actor=owner.actor,
        principals=owner.principals,
        permissions=owner.permissions,
        sources=owner.sources,
    )
    today = local_owner()
    if (owner.tenant, owner.actor) != (today.tenant, today.actor):
        return asked
    return replace(
        asked,
        principals=asked.principals & today.principals,
        permissions=asked.permissions & today.permissions,
    )


def readers(principals: Iterable[str], owner: Scope) -> frozenset[str] | None:
    """Return who may read what the owner of this machine brings in: these and itself.

    None where nobody is named: then the readers stay who they were. Whoever brings a document in
    stays among its readers: nobody else could see or remove it.
    """
    named = frozenset(checked(principal) for principal in principals)
    return named | {owner.actor} if named else None
