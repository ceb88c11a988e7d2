"""Access control classes: a set of principals as one number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from weft.domain.errors import BadInput
from weft.domain.ids import number

EVERYONE = "tenant:*"
_KINDS = ("user:", "group:", "tenant:")


@dataclass(frozen=True, slots=True, kw_only=True)
class AclClass:
    """A set of principals and its 63-bit number, made from their hash: no registry gives it out."""

    number: int
    principals: frozenset[str]

    def readable_by(self, principals: frozenset[str]) -> bool:
        """Tell whether any of the caller's principals is among the class's own."""
        return not self.principals.isdisjoint(principals)


def acl_class(principals: Iterable[str]) -> AclClass:
    """Return the class of a set of principals; an empty set is readable by nobody."""
    chosen = frozenset(checked(principal) for principal in principals)
    return AclClass(number=number("\n".join(sorted(chosen))), principals=chosen)


def checked(principal: str) -> str:
    """Return the principal as it was given, or raise `BadInput` naming what is wrong with it."""
    named = principal.startswith(_KINDS) and not principal.endswith(":")
    if named and not any(char.isspace() for char in principal):
        return principal
    raise BadInput(
        f"'{principal}' is not a principal; write user:NAME, group:NAME or {EVERYONE}",
        principal=principal,
    )
