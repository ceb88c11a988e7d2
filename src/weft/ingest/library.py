"""The knowledge bases of a workspace, by name or by folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from weft.domain.errors import (
    BadInput,
    IndexMismatch,
    KnowledgeBaseExists,
    UnknownKnowledgeBase,
)
from weft.domain.ids import digest, is_knowledge_base_name
from weft.domain.scope import Scope
from weft.ports.bases import Bases, NewBase, RegisteredBase
from weft.ports.store import Recipe, Store, Stores

DEFAULT = "Main"
_NO_EMBEDDER = "none"


class Library:
    """Finds, makes and opens knowledge bases; an opened one stays open until `close`."""

    def __init__(self, bases: Bases, stores: Stores, *, recipe: Recipe | None) -> None:
        """Open nothing yet; without `recipe` nothing is made, only what is there is opened."""
        self._bases = bases
        self._stores = stores
        self._recipe = recipe
        self._open: dict[str, Store] = {}

    async def named(self, scope: Scope, name: str) -> Store:
        """Return the knowledge base of that name, or raise `UnknownKnowledgeBase`."""
        return await self._opened(scope, await self._bases.named(scope, name))

    async def of_folder(self, scope: Scope, folder: Path) -> Store:
        """Return the knowledge base of a folder, or raise `UnknownKnowledgeBase`."""
        return await self._opened(scope, await self._bases.of_folder(scope, folder_key(folder)))

    async def for_folder(self, scope: Scope, folder: Path) -> Store:
        """Return the knowledge base of a folder, making it if there is none."""
        try:
            return await self.of_folder(scope, folder)
        except UnknownKnowledgeBase:
            return await self._opened(scope, await self._made(scope, _base_of(folder)))

    async def create(self, scope: Scope, name: str, title: str = "") -> Store:
        """Make a knowledge base, or raise `KnowledgeBaseExists`."""
        if not is_knowledge_base_name(name):
            raise BadInput(
                f"'{name}' cannot name a knowledge base: a letter, then letters and digits.",
                name=name,
            )
        made = await self._bases.create(
            scope, NewBase(name=name, target=_target(name), title=title or name)
        )
        return await self._opened(scope, made)

    async def ensured(self, scope: Scope, name: str) -> Store:
        """Return the knowledge base of that name, making it if there is none."""
        try:
            return await self.named(scope, name)
        except UnknownKnowledgeBase:
            try:
                return await self.create(scope, name)
            except KnowledgeBaseExists:  # made by another process in between
                return await self.named(scope, name)

    async def listed(self, scope: Scope) -> list[RegisteredBase]:
        """Return what is registered, ordered by name."""
        return await self._bases.listed(scope)

    async def drop(self, scope: Scope, store: Store) -> None:
        """Remove a knowledge base: its content first, then its name."""
        await store.holdings.drop(scope)
        self._open.pop(store.name, None)
        await self._bases.drop(scope, store.name)

    async def emptied(self, scope: Scope, store: Store) -> Store:
        """Return the knowledge base without content, to be filled by this process's recipe."""
        assert self._recipe is not None
        registered = await self._bases.named(scope, store.name)
        recipe = self._recipe
        await store.holdings.clear(scope, settings=recipe.settings, dimensions=recipe.dimensions)
        await store.lifetime.close()
        self._open.pop(store.name, None)
        return await self._opened(scope, registered)

    async def close(self) -> None:
        """Let go of every open knowledge base."""
        for store in self._open.values():
            await store.lifetime.close()
        self._open.clear()

    async def _made(self, scope: Scope, base: NewBase) -> RegisteredBase:
        try:
            return await self._bases.create(scope, base)
        except KnowledgeBaseExists:  # made by another process in between
            return await self._bases.named(scope, base.name)

    async def _opened(self, scope: Scope, base: RegisteredBase) -> Store:
        held = self._open.get(base.name)
        if held is None:
            held = await self._stores.open(
                scope, base.name, target=base.target, recipe=self._recipe
            )
            self._open[base.name] = held
        return held

    def check(self, store: Store, *, writing: bool) -> None:
        """Raise `IndexMismatch` where the index was made with settings that do not fit ours.

        A reader without an embedder may still use the full text of any index.
        """
        for key, ours in ({} if self._recipe is None else self._recipe.settings).items():
            theirs = store.made_with.get(key, "")
            optional = key == "embedder" and not writing and _NO_EMBEDDER in (ours, theirs)
            if ours != theirs and not optional:
                raise IndexMismatch(
                    f"'{store.name}' was indexed with {key} '{theirs}', not '{ours}'; "
                    f"run: weft kb reindex {store.name}",
                    knowledge_base=store.name,
                    setting=key,
                )


def folder_key(folder: Path) -> str:
    """Return the key of a folder: the hash of its resolved path."""
    return digest(str(folder.resolve()))


def folder_name(folder: Path) -> str:
    """Return a valid name for the knowledge base of a folder, unique by its path."""
    words: Iterable[str] = re.findall(r"[A-Za-z0-9]+", folder.resolve().name)
    plain = "".join(word[:1].upper() + word[1:] for word in words)[:24]
    if not plain[:1].isalpha():
        plain = f"Folder{plain}"
    return f"{plain}{folder_key(folder)[:6]}"


def _base_of(folder: Path) -> NewBase:
    name = folder_name(folder)
    return NewBase(
        name=name,
        target=_target(name),
        title=folder.name,
        folder_key=folder_key(folder),
        folder=str(folder.resolve()),
    )


def _target(name: str) -> str:
    return f"sqlite:kb/{name}.db"
