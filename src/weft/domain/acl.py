"""Access control classes: a set of principals as one number."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.ids import number

EVERYONE = "tenant:*"
# Why a record is left out whose readers nobody can tell, without what it says: others are shown it.
NO_PRINCIPAL = f"its acl has what is not a principal; write user:NAME, group:NAME or {EVERYONE}"
# What one must be of a knowledge base for these, besides having the permission.
WRITING = frozenset({"kb.write"})
MANAGING = frozenset({"kb.admin", "kb.drop"})
_KINDS = ("user:", "group:", "tenant:")


@dataclass(frozen=True, slots=True, kw_only=True)
class AclClass:
    """A set of principals and its 63-bit number, made from their hash: no registry gives it out."""

    number: int
    principals: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A knowledge base with those who may read, fill and manage it; each may do the less too."""

    name: str
    readers: frozenset[str]
    writers: frozenset[str]
    admins: frozenset[str]

    def admitted(self, action: str) -> frozenset[str]:
        """Return the principals to whom an action is open."""
        if action in MANAGING:
            return self.admins
        if action in WRITING:
            return self.admins | self.writers
        return self.admins | self.writers | self.readers

    def admits(self, action: str, principals: frozenset[str]) -> bool:
        """Tell whether an action is open to somebody who answers to some principals."""
        if not principals.isdisjoint(self.admins):
            return True
        if action in MANAGING:
            return False
        if not principals.isdisjoint(self.writers):
            return True
        return action not in WRITING and not principals.isdisjoint(self.readers)


def acl_class(principals: Iterable[str]) -> AclClass:
    """Return the class of a set of principals; an empty set is readable by nobody."""
    chosen = frozenset(checked(principal) for principal in principals)
    return AclClass(number=number("\n".join(sorted(chosen))), principals=chosen)


def principal_key(name: str) -> str:
    """Return what two names of users or groups have in common that differ by case and by form.

    Unicode's own rule for identifiers (toNFKC_Casefold): what it gives, it gives unchanged again.
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", folded).casefold()


def checked(principal: str) -> str:
    """Return the principal as it was given, or raise `BadInput` naming what is wrong with it."""
    named = principal.startswith(_KINDS) and not principal.endswith(":")
    if named and not any(char.isspace() for char in principal):
        return principal
    raise BadInput(
        f"'{principal}' is not a principal; write user:NAME, group:NAME or {EVERYONE}",
        principal=principal,
    )
