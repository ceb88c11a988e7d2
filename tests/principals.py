"""People of this machine's tenant, for tests that ask no service."""

from __future__ import annotations

from weft.domain.scope import Scope
from weft.platform.identity import LOCAL_TENANT, OWNER_PERMISSIONS, principal_scope


def somebody(name: str, *principals: str) -> Scope:
    """Return a user who may do all that the owner may, where a document lets them.

    `principals` are those that they have besides `user:NAME`: `group:staff`, `tenant:*`.
    """
    return principal_scope(
        tenant=LOCAL_TENANT, actor=f"user:{name}", groups=principals, permissions=OWNER_PERMISSIONS
    )
