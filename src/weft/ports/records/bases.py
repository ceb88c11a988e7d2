"""The registry of a tenant's knowledge bases: their names and where each one is."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from weft.domain.acl import Guarded
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBase:
    """A knowledge base to be registered.

    `target` says where it is (`sqlite:` and a path relative to the workspace, later a server's
    address); one made from a folder has the hash of the folder's resolved path as `folder_key`.
    Without a `title` people see the folder's path, and without a folder the name.
    """

    name: str
    target: str
    title: str = ""
    folder_key: str | None = None
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredBase:
    """A knowledge base as it was registered, and when; `title` is never empty."""

    name: str
    target: str
    title: str
    folder_key: str | None
    folder: str
    created: datetime
    guard: Guarded
    default_acl: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """To whom a knowledge base is open; None leaves it as it is.

    `default_acl` is who may read documents of which nothing else is said.
    """

    readers: frozenset[str] | None = None
    writers: frozenset[str] | None = None
    admins: frozenset[str] | None = None
    default_acl: frozenset[str] | None = None


class Bases(Protocol):
    """Keeps the names; two that differ by case alone are the same name.

    One that is not open to the caller is not there for it. A new one is read by its tenant, its
    documents too where nothing else is said of them, and managed by who makes it.
    """

    async def create(self, scope: Scope, base: NewBase) -> RegisteredBase:
        """Register a knowledge base.

        Raises `BadInput` for a name that `domain.ids` does not allow, `KnowledgeBaseExists` when
        the tenant has that name or that folder already.
        """
        ...

    async def named(self, scope: Scope, name: str) -> RegisteredBase:
        """Return the knowledge base of that name, or raise `UnknownKnowledgeBase`."""
        ...

    async def of_folder(self, scope: Scope, folder_key: str) -> RegisteredBase:
        """Return the knowledge base of that folder, or raise `UnknownKnowledgeBase`."""
        ...

    async def listed(self, scope: Scope) -> list[RegisteredBase]:
        """Return the knowledge bases that are open to the caller, ordered by name."""
        ...

    async def retitle(self, scope: Scope, name: str, title: str) -> RegisteredBase:
        """Give a knowledge base another title, or raise `UnknownKnowledgeBase`."""
        ...

    async def share(self, scope: Scope, name: str, sharing: Sharing) -> RegisteredBase:
        """Open a knowledge base to others, or raise `UnknownKnowledgeBase`, or `Forbidden`."""
        ...

    async def drop(self, scope: Scope, name: str) -> None:
        """Take a knowledge base off the register, or raise `UnknownKnowledgeBase`."""
        ...
