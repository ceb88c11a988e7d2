"""The one gate: what a caller may do, denied unless a permission says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from weft.domain.acl import MANAGING, Guarded
from weft.domain.errors import Forbidden
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope

# Every permission there is. A code that ends in `*` covers those that begin as it does.
PERMISSIONS: Mapping[str, str] = {
    "ask": "ask questions and run agents",
    "kb.read": "search and read knowledge bases, as far as each document allows",
    "kb.write": "add, change and delete documents and links",
    "kb.admin": "create, rename, share and reindex knowledge bases",
    "kb.drop": "drop a knowledge base with all that is in it, whoever may read it",
    "kb.source": "bring in folders of the machine that the service runs on",
    "run.read": "see one's own runs",
    "run.read.all": "see the runs of everyone in the tenant",
    "job.manage": "see and cancel the jobs of everyone in the tenant",
    "tool.run:*": "run every tool; `tool.run:NAME` is the permission for one",
    "audit.read": "read, export and verify the audit log",
    "usage.read": "see what the tenant used: questions, tokens, money, tools, by person too",
    "admin.*": "manage users, groups, roles and keys, and share every knowledge base",
    "platform.tenants": "add and list tenants; nobody but the owner of the machine has it",
}
_FAMILIES = tuple(code.removesuffix("*") for code in PERMISSIONS if code.endswith("*"))
# A decision is made on every request, often several: what depends on the action alone is kept.
_REMEMBERED = 1024


# Whoever manages a tenant may see and share each of its knowledge bases, not what is in it.
_EVERY_BASE = "admin.bases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether something is allowed, and why; the reason tells nothing of what exists."""

    allowed: bool
    reason: str


def authorize(scope: Scope, action: str, target: str | Guarded) -> Decision:
    """Decide whether the caller may do `action` to `target` (`kb:docs`, `tool:search` ...).

    A scope without tenant or actor, an unknown action and an unnamed target are a "no". Of a
    knowledge base the permission is not enough: it must be open to the caller too.
    """
    if not scope.tenant or not scope.actor:
        return Decision(allowed=False, reason="the caller is not known")
    if not is_permission(action):
        return Decision(allowed=False, reason=f"there is no permission {action}")
    if not (target if isinstance(target, str) else target.name):
        return Decision(allowed=False, reason=f"{action} of what is not said")
    granted = _granting(scope.permissions, action)
    if not granted:
        return Decision(allowed=False, reason=f"needs the permission {action}")
    if isinstance(target, Guarded) and not _is_open(scope, action, target):
        return Decision(allowed=False, reason=f"{action} is not open to the caller there")
    return _granted_by(granted)


def require(scope: Scope, action: str, target: str | Guarded) -> Decision:
    """Return the decision when it is a "yes", else raise `Forbidden` with its reason."""
    decision = authorize(scope, action, target)
    if not decision.allowed:
        raise Forbidden(
            f"You may not do that: {decision.reason}.", action=action, reason=decision.reason
        )
    return decision


def sees(scope: Scope, target: Guarded) -> bool:
    """Tell whether a caller may know that a knowledge base is there."""
    return reads(scope, target) or _is_open(scope, "kb.admin", target)


def reads(scope: Scope, target: Guarded) -> bool:
    """Tell whether a knowledge base is open to a caller, as far as its documents are."""
    return _is_open(scope, "kb.read", target)


def allows(permissions: frozenset[str], action: str) -> bool:
    """Tell whether some permissions cover an action."""
    return bool(_granting(permissions, action))


@lru_cache(maxsize=_REMEMBERED)
def is_permission(action: str) -> bool:
    """Tell whether an action is one that can be permitted."""
    if action.endswith("*"):
        return False
    return action in PERMISSIONS or any(_covering(action))


def _is_open(scope: Scope, action: str, target: Guarded) -> bool:
    if target.admits(action, scope.principals):
        return True
    return action in MANAGING and allows(scope.permissions, _EVERY_BASE)


def _granting(permissions: frozenset[str], action: str) -> str:
    """Return the permission that covers an action, empty where none does."""
    if action in permissions:
        return action
    for one in _covering(action):
        if one in permissions:
            return one
    return ""


@lru_cache(maxsize=_REMEMBERED)
def _covering(action: str) -> tuple[str, ...]:
    of_action = (one for one in _FAMILIES if action.startswith(one) and action != one)
    return tuple(f"{family}*" for family in of_action)


@lru_cache(maxsize=_REMEMBERED)
def _granted_by(granted: str) -> Decision:
    return Decision(allowed=True, reason=f"granted by {granted}")
