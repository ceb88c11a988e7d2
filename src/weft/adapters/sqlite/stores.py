"""Opening knowledge bases by their `sqlite:` target."""

from __future__ import annotations

import asyncio
from pathlib import Path

from weft.adapters.sqlite.holdings import remove_files
from weft.adapters.sqlite.store import arrays_of, open_store
from weft.domain.errors import BadInput, KnowledgeBaseExists, NotFound
from weft.domain.scope import Scope
from weft.ports.store import Recipe, Store

PREFIX = "sqlite:"


class SqliteStores:
    """Implements `ports/store.py: Places` in one workspace folder."""

    def __init__(self, home: Path) -> None:
        """Take the folder that relative targets are in."""
        self._home = home

    async def place(self, scope: Scope, name: str, *, target: str) -> str:
        """Return the target of a new file of the workspace."""
        if target != PREFIX:
            raise BadInput(f"'{target}' is not where this workspace keeps files.", target=target)
        return f"{PREFIX}kb/{name}.db"

    async def open(
        self,
        scope: Scope,
        name: str,
        *,
        target: str,
        recipe: Recipe | None,
        is_new: bool = False,
    ) -> Store:
        """Open the file that a target names, inside the workspace; make it by the recipe."""
        path = self._path(target)
        is_there = await asyncio.to_thread(path.exists)
        if recipe is None and not is_there:
            raise NotFound(f"Nothing was ever put into '{name}'.")
        if is_new and is_there:
            raise KnowledgeBaseExists(f"There is a knowledge base at '{target}' already.")
        opened = await open_store(
            path,
            tenant=scope.tenant,
            settings=None if recipe is None else recipe.settings,
            dimensions=0 if recipe is None else recipe.dimensions,
        )
        return Store(
            name=name,
            knowledge=opened.knowledge,
            publishing=opened.publishing,
            holdings=opened.holdings,
            ledger=opened.ledger,
            links=opened.links,
            documents=opened.documents,
            made_with=await opened.holdings.settings(scope),
            lifetime=opened,
        )

    async def is_there(self, scope: Scope, target: str) -> bool:
        """Tell whether the file that a target names is there."""
        del scope
        return await asyncio.to_thread(self._path(target).exists)

    async def remove(self, scope: Scope, target: str) -> None:
        """Remove the file that a target names, and the arrays beside it."""
        del scope
        self._path(target)
        # Not what a link leads to, which may be another's.
        path = self._home / target.removeprefix(PREFIX)
        await asyncio.to_thread(remove_files, path, arrays_of(path))

    def _path(self, target: str) -> Path:
        path = (self._home / target.removeprefix(PREFIX)).resolve()
        if not target.startswith(PREFIX) or not path.is_relative_to(self._home):
            raise BadInput(f"'{target}' is not a target inside this workspace.", target=target)
        return path
