"""The one gate: what a caller may do, denied unless a permission says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from weft.domain.errors import Forbidden
from weft.domain.scope import Scope

# Every permission there is. A code that ends in `*` covers those that begin as it does.
PERMISSIONS: Mapping[str, str] = {
    "ask": "ask questions and run agents",
    "kb.read": "search and read knowledge bases, as far as each document allows",
    "kb.write": "add, change and delete documents and links",
    "kb.admin": "create and reindex knowledge bases",
    "kb.drop": "drop a knowledge base with all that is in it, whoever may read it",
    "run.read": "see one's own runs",
    "run.read.all": "see the runs of everyone in the tenant",
    "job.manage": "see and cancel the jobs of everyone in the tenant",
    "tool.run:*": "run every tool; `tool.run:NAME` is the permission for one",
    "audit.read": "read, export and verify the audit log",
    "admin.*": "manage users, groups, roles, keys and policies",
}
_FAMILIES = tuple(code.removesuffix("*") for code in PERMISSIONS if code.endswith("*"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether something is allowed, and why; the reason tells nothing of what exists."""

    allowed: bool
    reason: str


def authorize(scope: Scope, action: str, target: str) -> Decision:
    """Decide whether the caller may do `action` to `target` (`kb:docs`, `tool:search` ...).

    A scope without tenant or actor, an unknown action and an unnamed target are a "no".
    """
    if not scope.tenant or not scope.actor:
        return Decision(allowed=False, reason="the caller is not known")
    if not _is_known(action):
        return Decision(allowed=False, reason=f"there is no permission {action}")
    if not target:
        return Decision(allowed=False, reason=f"{action} of what is not said")
    for granted in (action, *_covering(action)):
        if granted in scope.permissions:
            return Decision(allowed=True, reason=f"granted by {granted}")
    return Decision(allowed=False, reason=f"needs the permission {action}")


def require(scope: Scope, action: str, target: str) -> Decision:
    """Return the decision when it is a "yes", else raise `Forbidden` with its reason."""
    decision = authorize(scope, action, target)
    if not decision.allowed:
        raise Forbidden(
            f"You may not do that: {decision.reason}.", action=action, reason=decision.reason
        )
    return decision


def _is_known(action: str) -> bool:
    if action.endswith("*"):
        return False
    return action in PERMISSIONS or any(_covering(action))


def _covering(action: str) -> list[str]:
    return [f"{family}*" for family in _FAMILIES if action.startswith(family) and action != family]
