"""Roles: names for permissions. These are there everywhere; a tenant may make more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from weft.domain.errors import BadInput
from weft.platform.access import PERMISSIONS, is_permission

_ASKING = frozenset({"ask", "kb.read", "run.read", "tool.run:*"})

BUILT_IN: Mapping[str, frozenset[str]] = {
    "admin": _ASKING
    | {"kb.write", "kb.admin", "kb.drop", "job.manage"}
    | {"audit.read", "usage.read", "admin.*"},
    "curator": _ASKING | {"kb.write", "kb.admin"},
    "developer": _ASKING | {"kb.write"},
    "user": _ASKING,
    "auditor": frozenset({"audit.read", "usage.read"}),
}
# Nobody can be given this.
_OWNERS = "platform.tenants"
# What a user is who was given none.
USUAL = "user"


def permissions_of(roles: Iterable[str], own: Iterable[str]) -> frozenset[str]:
    """Return what roles permit: the built-in ones by name, and `own`, those of own roles."""
    return frozenset(own).union(*(BUILT_IN.get(role, frozenset()) for role in roles))


def checked_permissions(codes: Iterable[str]) -> frozenset[str]:
    """Return permission codes, or raise `BadInput` naming one that there is not."""
    found = frozenset(codes)
    for code in sorted(found):
        if code == _OWNERS or not (code in PERMISSIONS or is_permission(code)):
            raise BadInput(f"There is no permission {code[:100]}.", permission=code[:100])
    return found
