"""The knowledge bases of a workspace, by name, title or folder."""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path

from weft.bases.finding import find, titled
from weft.bases.naming import (
    as_argument,
    folder_key,
    folder_name,
    name_of_title,
)
from weft.domain.errors import (
    BadInput,
    Forbidden,
    IndexMismatch,
    KnowledgeBaseExists,
    NotFound,
    StoreCorrupt,
    StoreUnavailable,
    UnknownKnowledgeBase,
    WeftError,
)
from weft.domain.ids import digest, is_knowledge_base_name
from weft.domain.scope import Scope
from weft.domain.target import EMBEDDED, ServerTarget, is_server_target
from weft.ontology.collection import SETTING, Ontologies, name_of
from weft.platform.access import reads, require
from weft.platform.audit import AuditedAct, audited
from weft.platform.identity import LOCAL_TENANT
from weft.ports.records.audit import Audit, Deed
from weft.ports.records.bases import Bases, NewBase, RegisteredBase
from weft.ports.store import Places, Recipe, Store

DEFAULT = "Main"
# What an index says of its embedder that was made without one.
NO_EMBEDDER = "none"


class Library:
    """Finds, makes and opens knowledge bases; an opened one stays open until `close`."""

    def __init__(
        self,
        bases: Bases,
        stores: Places,
        *,
        recipe: Recipe | None,
        audit: Audit,
        ontologies: Ontologies | None = None,
    ) -> None:
        """Open nothing yet; without `recipe` nothing is made, only what is there is opened.

        `ontologies` are those that knowledge bases are read by; the shipped ones by default.
        """
        self._ontologies = ontologies or Ontologies()
        self._bases = bases
        self._audit = audit
        self._stores = stores
        self._recipe = recipe
        self._open: dict[tuple[str, str], Store] = {}

    async def named(self, scope: Scope, name: str, *, to_fill: bool = False) -> Store:
        """Return the knowledge base of that name, or raise `UnknownKnowledgeBase`.

        One that is wanted `to_fill` must be open to the caller for that: `Forbidden`. One whose
        file is gone is not made anew: `StoreUnavailable`.
        """
        registered = await self._bases.named(scope, name)
        if to_fill:
            require(scope, "kb.write", registered.guard)
        await self._check_there(scope, registered)
        return await self._opened(scope, registered)

    async def of_folder(self, scope: Scope, folder: Path) -> Store:
        """Return the knowledge base of a folder, or raise `UnknownKnowledgeBase`."""
        return await self._opened(scope, await self._bases.of_folder(scope, folder_key(folder)))

    async def for_folder(self, scope: Scope, folder: Path) -> Store:
        """Return the knowledge base of a folder, making it if there is none."""
        try:
            return await self.of_folder(scope, folder)
        except UnknownKnowledgeBase:
            return await self._opened(scope, await self._made(scope, _base_of(scope, folder)))

    async def create(
        self,
        scope: Scope,
        name: str,
        *,
        title: str = "",
        store: str = EMBEDDED,
        recipe: Recipe | None = None,
        attach: bool = False,
    ) -> Store:
        """Make a knowledge base, by a recipe of its own if one is given.

        A `name` that is none is the title, and a name is made from it. Raises
        `KnowledgeBaseExists`; where it fails, neither a name nor a base stays behind.

        `store` says where: in the workspace, or on a server (`neo4j://HOST:PORT[/DATABASE]`), one
        database of which holds one knowledge base. To `attach` is to register the one that is
        there already; raises `NotFound` where there is none, or another tenant's.
        """
        if not is_knowledge_base_name(name):
            name, title = await self._called(scope, name)
        async with self._creating(scope, name):
            if attach:
                return await self._attach(scope, name, store=store, title=title)
            return await self._create(scope, name, title=title, store=store, recipe=recipe)

    async def _create(
        self, scope: Scope, name: str, *, title: str, store: str, recipe: Recipe | None
    ) -> Store:
        if store == EMBEDDED:
            made = await self._bases.create(scope, _new(name, _target(scope, name), title))
            async with AsyncExitStack() as undo:
                undo.push_async_callback(self._bases.drop, scope, name)
                try:
                    opened = await self._opened(scope, made, recipe=recipe)
                except StoreCorrupt as error:
                    raise _left_behind(made) from error
                undo.pop_all()
            return opened
        target = await self._place(scope, name, store=store)
        by = recipe or self._recipe
        # Opened before it is registered: a server that takes nothing leaves no name behind.
        opened = await self._stores.open(scope, name, target=target, recipe=by, is_new=True)
        async with AsyncExitStack() as undo:
            undo.push_async_callback(opened.lifetime.close)
            undo.push_async_callback(_emptied, scope, opened)
            made = await self._bases.create(scope, _new(name, target, title))
            undo.pop_all()
        return self._kept(scope, opened, made)

    async def _attach(self, scope: Scope, name: str, *, store: str, title: str) -> Store:
        if store == EMBEDDED:
            raise BadInput("Only a knowledge base on a server can be attached: --store neo4j://….")
        target = await self._place(scope, name, store=store)
        opened = await self._stores.open(scope, name, target=target, recipe=None)
        async with AsyncExitStack() as undo:
            undo.push_async_callback(opened.lifetime.close)
            if not opened.made_with:
                raise NotFound("There is no knowledge base of yours to attach.")
            made = await self._bases.create(scope, _new(name, target, title))
            undo.pop_all()
        return self._kept(scope, opened, made)

    async def ensured(self, scope: Scope, given: str) -> Store:
        """Return the knowledge base of that name or title, making it if there is none."""
        try:
            return await self._opened(scope, await find(self._bases, scope, given))
        except UnknownKnowledgeBase:
            try:
                return await self.create(scope, given)
            except KnowledgeBaseExists:  # made by another process in between
                return await self._opened(scope, await find(self._bases, scope, given))

    async def listed(self, scope: Scope) -> list[RegisteredBase]:
        """Return what is registered, ordered by name."""
        return await self._bases.listed(scope)

    async def drop(self, scope: Scope, store: Store | str, *, is_damaged: bool = False) -> None:
        """Remove a knowledge base: its content first, then its name.

        Of one that is given by name, which may be out of reach, only the name goes, and its files
        if it `is_damaged`. With it goes what the caller may not read: `Forbidden` without the right
        over all of it.
        """
        name = store if isinstance(store, str) else store.name
        base = await self._bases.named(scope, name)
        require(scope, "kb.drop", base.guard)
        if isinstance(store, Store):
            try:
                await store.holdings.drop(scope)
            except StoreCorrupt:  # found only now, as one opens whose later pages are damaged
                is_damaged = True
        held = self._open.pop((scope.tenant, name), None)
        if held is not None and (is_damaged or held is not store):
            await held.lifetime.close()
        if is_damaged:
            await self._stores.remove(scope, base.target)
        await self._bases.drop(scope, name)

    async def emptied(self, scope: Scope, store: Store, *, ontology: str = "") -> Store:
        """Return the knowledge base without content, to be filled by this process's recipe.

        It keeps its ontology, in the version of now, where no other is named.
        """
        registered = await self._bases.named(scope, store.name)
        assert self._recipe is not None
        reference = self._ontologies.reference(ontology or name_of(store.made_with))
        recipe = with_ontology(self._recipe, reference)
        await store.holdings.clear(scope, settings=recipe.settings, dimensions=recipe.dimensions)
        await store.lifetime.close()
        self._open.pop((scope.tenant, store.name), None)
        return await self._opened(scope, registered)

    async def close(self) -> None:
        """Let go of every open knowledge base."""
        for store in self._open.values():
            await store.lifetime.close()
        self._open.clear()

    async def _called(self, scope: Scope, title: str) -> tuple[str, str]:
        """Return the name and the title of a knowledge base that is to be called so."""
        name, title = name_of_title(title)
        for base in await titled(self._bases, scope, title):
            raise KnowledgeBaseExists(
                f"There is a knowledge base of that title already: {base.title}.", name=base.name
            )
        return name, title

    async def _place(self, scope: Scope, name: str, *, store: str) -> str:
        """Return the target on a server, where neither it nor the name is registered."""
        await self._refuse_twin(scope, name)
        target = await self._stores.place(scope, name, target=store)
        await self._refuse_shared(scope, target)
        return target

    async def _refuse_twin(self, scope: Scope, name: str) -> None:
        for base in await self._bases.listed(scope):
            if base.name.casefold() == name.casefold():
                raise KnowledgeBaseExists(
                    f"There is a knowledge base of that name already: {base.name}.", name=base.name
                )

    async def _refuse_shared(self, scope: Scope, target: str) -> None:
        wanted = ServerTarget.parse(target)
        for base in await self._bases.listed(scope):
            if not is_server_target(base.target):
                continue
            if ServerTarget.parse(base.target).place == wanted.place:
                raise KnowledgeBaseExists(
                    f"The database '{wanted.database}' of {wanted.address} holds the knowledge "
                    f"base '{base.title}', and one database holds one.",
                    name=base.name,
                )

    async def _made(self, scope: Scope, base: NewBase) -> RegisteredBase:
        try:
            async with self._creating(scope, base.name):
                return await self._bases.create(scope, base)
        except KnowledgeBaseExists:  # made by another process in between
            return await self._bases.named(scope, base.name)

    def _creating(self, scope: Scope, name: str) -> AuditedAct:
        return audited(self._audit, scope, Deed(action="kb.create", target=f"kb:{name}"))

    async def _opened(
        self, scope: Scope, base: RegisteredBase, *, recipe: Recipe | None = None
    ) -> Store:
        if not reads(scope, base.guard):
            raise Forbidden("You may manage that knowledge base, not read it.", reason="kb.read")
        held = self._open.get((scope.tenant, base.name))
        if held is None:
            by = recipe or self._recipe
            held = await self._stores.open(scope, base.name, target=base.target, recipe=by)
            held = self._kept(scope, held, base)
        return held

    async def _check_there(self, scope: Scope, base: RegisteredBase) -> None:
        """Raise `StoreUnavailable` for a base whose file is gone, and let go of what is open."""
        if self._recipe is None or await self._stores.is_there(scope, base.target):
            return
        held = self._open.pop((scope.tenant, base.name), None)
        if held is not None:
            await held.lifetime.close()
        raise StoreUnavailable(f"The file of '{base.title}' is gone.", knowledge_base=base.name)

    def _kept(self, scope: Scope, opened: Store, base: RegisteredBase) -> Store:
        """Keep an opened knowledge base, called as people call it."""
        self._open[scope.tenant, base.name] = store = replace(opened, title=base.title)
        return store

    def _reference(self, ontology: str) -> str:
        """Return an ontology in its version of now; one that is gone or broken has none."""
        try:
            return self._ontologies.reference(ontology)
        except BadInput:
            return "none"

    def check(self, store: Store, *, writing: bool) -> None:
        """Raise `IndexMismatch` where the index was made with settings that do not fit ours.

        A reader without an embedder may still use the full text of any index.
        """
        wanted = {} if self._recipe is None else dict(self._recipe.settings)
        wanted.pop(SETTING, None)
        if writing and store.made_with.get(SETTING):
            # Each has one of its own; what was read by another version of it may still be asked.
            wanted[SETTING] = self._reference(name_of(store.made_with))
        for key, ours in wanted.items():
            theirs = store.made_with.get(key, "")
            optional = key == "embedder" and not writing and NO_EMBEDDER in (ours, theirs)
            if ours != theirs and not optional:
                raise IndexMismatch(
                    f"'{store.title}' was indexed with {key} '{theirs}', not '{ours}'; "
                    f"run: weft kb reindex {as_argument(store.title)}",
                    knowledge_base=store.name,
                    setting=key,
                )


def with_ontology(recipe: Recipe, reference: str) -> Recipe:
    """Return a recipe with another ontology, named with its version."""
    return replace(recipe, settings={**recipe.settings, SETTING: reference})


def _base_of(scope: Scope, folder: Path) -> NewBase:
    name = folder_name(folder)
    return NewBase(
        name=name,
        target=_target(scope, name),
        folder_key=folder_key(folder),
        folder=str(folder.resolve()),
    )


def _new(name: str, target: str, title: str = "") -> NewBase:
    return NewBase(name=name, target=target, title=title)


def _left_behind(base: RegisteredBase) -> StoreCorrupt:
    """Return the error that a damaged file lies where a knowledge base was to be made."""
    file = base.target.removeprefix(EMBEDDED)
    return StoreCorrupt(
        f"A damaged file of before lies at '{file}' in the workspace: delete it, or take another "
        "name.",
        knowledge_base=base.name,
    )


async def _emptied(scope: Scope, opened: Store) -> None:
    with suppress(WeftError):  # what went wrong first is told
        await opened.holdings.drop(scope)


def _target(scope: Scope, name: str) -> str:
    """Return where a knowledge base of the workspace lies; other tenants have folders of theirs."""
    folder = "kb" if scope.tenant == LOCAL_TENANT else f"kb/{digest(scope.tenant)[:12]}"
    return f"{EMBEDDED}{folder}/{name}.db"
