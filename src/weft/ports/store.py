"""One knowledge base opened: all that works on it, and how to open it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.ports.browsing import Browsing
from weft.ports.documents import Documents
from weft.ports.holdings import Holdings
from weft.ports.knowledge import Knowledge
from weft.ports.ledger import Ledger
from weft.ports.lifetime import Lifetime
from weft.ports.links import Links
from weft.ports.publishing import Publishing


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """The ports of one knowledge base, and the settings that its index was made with.

    Without `browsing` no other tool can look into it. `is_on_server` tells whether others may reach
    it too. `title` is what people call it; one that was opened by its target alone has its name.
    """

    name: str
    knowledge: Knowledge
    publishing: Publishing
    holdings: Holdings
    ledger: Ledger
    links: Links
    documents: Documents
    made_with: Mapping[str, str]
    lifetime: Lifetime
    browsing: Browsing | None = None
    is_on_server: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A knowledge base that takes part in a search, by its name.

    With `links`, what curators say of names counts when one is looked up. Notes call it by its
    `title`, where it has one.
    """

    name: str
    knowledge: Knowledge
    links: Links | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What an index is made with; a new knowledge base keeps it, an old one is compared with it."""

    settings: Mapping[str, str]
    dimensions: int


class Stores(Protocol):
    """Opens knowledge bases by their target (`sqlite:` and a path in the workspace)."""

    async def open(
        self,
        scope: Scope,
        name: str,
        *,
        target: str,
        recipe: Recipe | None,
        is_new: bool = False,
    ) -> Store:
        """Open the knowledge base at a target, making it by the recipe where it is not there.

        Without a recipe nothing is made: raises `NotFound` instead. One that `is_new` is only made:
        raises `KnowledgeBaseExists` naming what is there already, if anything is.
        """
        ...


class Places(Stores, Protocol):
    """Opens knowledge bases, and finds a place for new ones."""

    async def place(self, scope: Scope, name: str, *, target: str) -> str:
        """Return the whole target of a new knowledge base, which opening it makes.

        `target` says only where it is wanted: `sqlite:`, or a server (`neo4j://HOST:PORT`) with
        or without a database. Raises `BadInput` where there is no place for it.
        """
        ...

    async def is_there(self, scope: Scope, target: str) -> bool:
        """Tell whether what a target names is there still; servers tell when they are opened."""
        ...

    async def remove(self, scope: Scope, target: str) -> None:
        """Remove the files of a knowledge base that is too damaged to be opened and emptied.

        Raises `BadInput` for what is no file: a server looks after its own.
        """
        ...
