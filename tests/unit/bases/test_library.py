"""Knowledge bases by name and by folder, and whether an index fits what this process makes."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from fault.workshop import OWNER
from patience import SOON
from rag_world import MemoryAudit
from weft.bases import readiness as readiness_module
from weft.bases.finding import find
from weft.bases.library import Library
from weft.bases.naming import folder_name
from weft.bases.readiness import readiness
from weft.domain.acl import EVERYONE, Guarded
from weft.domain.errors import (
    BadInput,
    IndexMismatch,
    KnowledgeBaseExists,
    NotFound,
    StoreUnavailable,
    UnknownKnowledgeBase,
)
from weft.domain.ids import is_knowledge_base_name
from weft.domain.readiness import State
from weft.domain.scope import Scope
from weft.domain.target import EMBEDDED
from weft.ports.records.bases import NewBase, RegisteredBase
from weft.ports.store import Recipe, Store

pytestmark = pytest.mark.anyio
RECIPE = Recipe(settings={"embedder": "mini", "terms": "1"}, dimensions=4)


@dataclass
class Register:
    """A register in memory; `late` is registered by someone else at the first `create`."""

    held: dict[str, NewBase] = field(default_factory=dict)
    late: bool = False

    async def create(self, scope: Scope, base: NewBase) -> RegisteredBase:
        if self.late:
            self.held.setdefault(base.name, base)
        if base.name in self.held:
            raise KnowledgeBaseExists
        self.held[base.name] = base
        return await self.named(scope, base.name)

    async def named(self, scope: Scope, name: str) -> RegisteredBase:
        if name not in self.held:
            raise UnknownKnowledgeBase
        base = self.held[name]
        return RegisteredBase(
            name=name,
            target=base.target,
            title=base.title or base.folder or name,
            folder_key=base.folder_key,
            folder=base.folder,
            created=datetime.now(UTC),
            guard=Guarded(
                name=name,
                readers=frozenset({EVERYONE}),
                writers=frozenset(),
                admins=frozenset({scope.actor}),
            ),
        )

    async def of_folder(self, scope: Scope, folder_key: str) -> RegisteredBase:
        for name, base in self.held.items():
            if base.folder_key == folder_key:
                return await self.named(scope, name)
        raise UnknownKnowledgeBase

    async def listed(self, scope: Scope) -> list[RegisteredBase]:
        return [await self.named(scope, name) for name in sorted(self.held)]

    async def drop(self, scope: Scope, name: str) -> None:
        del self.held[name]


@dataclass
class FakeStores:
    """Opens stores that are nothing; `calls` names what was done with each."""

    made_with: Mapping[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    seconds: float = 0.0

    async def place(self, scope: Scope, name: str, *, target: str) -> str:
        self.calls.append(f"place {name} {target}")
        return target if target.endswith("/docs") else f"{target}/docs"

    async def is_there(self, scope: Scope, target: str) -> bool:
        return True

    async def remove(self, scope: Scope, target: str) -> None:
        self.calls.append(f"remove {target}")

    async def open(
        self,
        scope: Scope,
        name: str,
        *,
        target: str,
        recipe: Recipe | None,
        is_new: bool = False,
    ) -> Store:
        self.calls.append(f"{'make' if is_new else 'open'} {target}")
        await anyio.sleep(self.seconds)
        if name in self.gone:
            raise StoreUnavailable(f"the server of {name} is gone")
        nothing = cast(Any, None)
        return Store(
            name=name,
            knowledge=nothing,
            publishing=nothing,
            holdings=cast(Any, _Acts(name, self.calls)),
            ledger=nothing,
            links=nothing,
            documents=nothing,
            made_with=self.made_with,
            lifetime=cast(Any, _Acts(name, self.calls)),
        )


@dataclass
class _Acts:
    name: str
    calls: list[str]

    async def settings(self, scope: Scope) -> Mapping[str, str]:
        return {}

    async def drop(self, scope: Scope) -> None:
        self.calls.append(f"drop {self.name}")

    async def clear(self, scope: Scope, *, settings: Mapping[str, str], dimensions: int) -> None:
        self.calls.append(f"clear {self.name} {settings['embedder']} {dimensions}")

    async def close(self) -> None:
        self.calls.append(f"close {self.name}")


def library(register: Register, stores: FakeStores, recipe: Recipe | None = RECIPE) -> Library:
    return Library(
        cast(Any, register), cast(Any, stores), recipe=recipe, audit=cast(Any, MemoryAudit())
    )


async def test_a_knowledge_base_is_opened_once_and_closed() -> None:
    stores = FakeStores()
    books = library(Register(), stores)
    made = await books.ensured(OWNER, "Docs")
    assert await books.named(OWNER, "Docs") is made
    await books.close()
    assert stores.calls == ["open sqlite:kb/Docs.db", "close Docs"]


async def test_a_folder_has_one_knowledge_base_by_its_path(tmp_path: Path) -> None:
    books = library(Register(), FakeStores())
    with pytest.raises(UnknownKnowledgeBase):
        await books.of_folder(OWNER, tmp_path)
    made = await books.for_folder(OWNER, tmp_path)
    assert await books.of_folder(OWNER, tmp_path / "x" / "..") is made
    assert is_knowledge_base_name(made.name)


@pytest.mark.parametrize("name", ["my notes", "2024", "문서", "_", "a-b.c"])
def test_every_folder_has_a_valid_name(name: str) -> None:
    made = folder_name(Path("/nowhere") / name)
    assert is_knowledge_base_name(made)
    assert made != folder_name(Path("/elsewhere") / name)


async def test_a_title_may_be_anything_and_every_way_to_say_it_finds_it() -> None:
    register = Register()
    books = library(register, FakeStores())
    made = await books.create(OWNER, "  Handbuch  für Köche ")
    assert is_knowledge_base_name(made.name)
    assert made.title == register.held[made.name].title == "Handbuch für Köche"
    decomposed = unicodedata.normalize("NFD", "HANDBUCH FÜR KÖCHE")
    for given in (made.name, made.title, decomposed):
        assert await books.ensured(OWNER, given) is made
    with pytest.raises(KnowledgeBaseExists, match="of that title already: Handbuch für Köche"):
        await books.create(OWNER, "handbuch für köche")
    assert (await books.ensured(OWNER, "사내 위키")).title == "사내 위키"
    assert (await books.ensured(OWNER, "사내 위키")).name in register.held
    assert len(register.held) == 2


async def test_a_title_that_several_have_asks_for_the_name() -> None:
    register = Register()
    books = library(register, FakeStores())
    for name in ("One", "Two"):
        await books.create(OWNER, name, title="The wiki")
    with pytest.raises(BadInput, match="'The wiki': One, Two"):
        await find(cast(Any, register), OWNER, "The wiki")


async def test_a_name_is_meant_before_a_title() -> None:
    books = library(Register(), FakeStores())
    await books.create(OWNER, "One", title="Two")
    two = await books.create(OWNER, "Two")
    assert await books.ensured(OWNER, "Two") is two


async def test_the_base_of_a_folder_is_called_by_its_path(tmp_path: Path) -> None:
    register = Register()
    books = library(register, FakeStores({"embedder": "other"}))
    made = await books.for_folder(OWNER, tmp_path)
    assert made.title == str(tmp_path)
    assert (await find(cast(Any, register), OWNER, str(tmp_path / "x" / ".."))).name == made.name
    with pytest.raises(IndexMismatch) as refused:
        books.check(made, writing=False)
    assert f"weft kb reindex {tmp_path}" in refused.value.message
    assert made.name not in refused.value.message
    (found,) = await readiness(books, OWNER)
    assert made.name not in f"{found.title} {found.mend}"


async def test_one_made_by_another_process_in_between_is_opened(tmp_path: Path) -> None:
    books = library(Register(late=True), FakeStores())
    assert (await books.ensured(OWNER, "Docs")).name == "Docs"
    assert (await books.for_folder(OWNER, tmp_path)).name == folder_name(tmp_path)
    with pytest.raises(KnowledgeBaseExists):
        await books.create(OWNER, "Docs")
    with pytest.raises(BadInput):
        await books.create(OWNER, "no/name")


async def test_what_is_dropped_is_emptied_before_its_name_goes() -> None:
    register, stores = Register(), FakeStores()
    books = library(register, stores)
    store = await books.create(OWNER, "Docs")
    await books.drop(OWNER, store)
    assert (register.held, stores.calls[-1]) == ({}, "drop Docs")
    await books.close()
    assert "close Docs" not in stores.calls
    again = await books.create(OWNER, "Docs")
    assert await books.emptied(OWNER, again) is not again
    assert stores.calls[-3:] == ["clear Docs mini 4", "close Docs", "open sqlite:kb/Docs.db"]


MINI, OTHER, NONE = "mini", "other", "none"


@pytest.mark.parametrize(
    ("ours", "theirs", "reading", "writing"),
    [
        (MINI, MINI, True, True),
        (MINI, OTHER, False, False),
        (NONE, MINI, True, False),
        (MINI, NONE, True, False),
        (NONE, NONE, True, True),
    ],
)
async def test_an_index_fits_or_says_what_to_do(
    ours: str, theirs: str, reading: bool, writing: bool
) -> None:
    recipe = Recipe(settings={"embedder": ours, "terms": "1"}, dimensions=4)
    books = library(Register(), FakeStores({"embedder": theirs, "terms": "1"}), recipe)
    store = await books.ensured(OWNER, "Docs")
    for how, fits in ((False, reading), (True, writing)):
        if fits:
            books.check(store, writing=how)
            continue
        with pytest.raises(IndexMismatch, match="weft kb reindex Docs"):
            books.check(store, writing=how)


async def test_other_terms_fit_nobody_and_without_a_recipe_all_fits() -> None:
    stores = FakeStores({"embedder": MINI, "terms": "0"})
    books = library(Register(), stores)
    store = await books.ensured(OWNER, "Docs")
    with pytest.raises(IndexMismatch, match="terms"):
        books.check(store, writing=False)
    library(Register(), stores, None).check(store, writing=False)


SERVER = "neo4j://127.0.0.1:7687"


async def test_one_on_a_server_is_placed_opened_and_registered() -> None:
    register, stores = Register(), FakeStores()
    books = library(register, stores)
    made = await books.create(OWNER, "Docs", store=SERVER)
    assert stores.calls == [f"place Docs {SERVER}", f"make {SERVER}/docs"]
    assert register.held["Docs"].target == f"{SERVER}/docs"
    assert await books.named(OWNER, "Docs") is made


async def test_a_second_name_for_a_database_is_refused_naming_the_first() -> None:
    register = Register()
    books = library(register, FakeStores())
    await books.create(OWNER, "Docs", store=SERVER)
    with pytest.raises(KnowledgeBaseExists, match="'Docs'"):
        await books.create(OWNER, "Other", store=f"bolt://ann@127.0.0.1/docs?password=env:{MINI}")
    with pytest.raises(KnowledgeBaseExists, match="of that name already: Docs"):
        await books.create(OWNER, "docs", store="neo4j://elsewhere")
    assert list(register.held) == ["Docs"]


@pytest.mark.parametrize("store", [SERVER, EMBEDDED])
async def test_where_nothing_can_be_made_no_name_stays(store: str) -> None:
    register, stores = Register(), FakeStores(gone={"Docs"})
    with pytest.raises(StoreUnavailable):
        await library(register, stores).create(OWNER, "Docs", store=store)
    assert not register.held


async def test_where_no_name_can_be_kept_no_base_stays() -> None:
    class Full(Register):
        async def create(self, scope: Scope, base: NewBase) -> RegisteredBase:
            raise KnowledgeBaseExists

    stores = FakeStores()
    with pytest.raises(KnowledgeBaseExists):
        await library(Full(), stores).create(OWNER, "Docs", store=SERVER)
    assert stores.calls[-2:] == ["drop Docs", "close Docs"]


async def test_one_that_is_there_is_attached_and_never_made() -> None:
    register, stores = Register(), FakeStores({"embedder": MINI})
    books = library(register, stores)
    with pytest.raises(BadInput):
        await books.create(OWNER, "Docs", store=EMBEDDED, attach=True)
    held = await books.create(OWNER, "Docs", store=SERVER, attach=True)
    assert stores.calls == [f"place Docs {SERVER}", f"open {SERVER}/docs"]
    assert await books.named(OWNER, "Docs") is held


async def test_nothing_or_another_tenants_is_not_attached() -> None:
    register, stores = Register(), FakeStores()
    with pytest.raises(NotFound):
        await library(register, stores).create(OWNER, "Docs", store=SERVER, attach=True)
    assert not register.held
    assert stores.calls[-1] == "close Docs"


async def test_one_that_is_gone_is_blocked_and_the_others_are_ready() -> None:
    register, stores = Register(), FakeStores({"embedder": MINI, "terms": "1"})
    books = library(register, stores)
    await books.create(OWNER, "Docs", store=SERVER)
    await books.create(OWNER, "Plain")
    await books.close()
    stores.gone.add("Docs")
    docs, plain = await readiness(books, OWNER)
    assert (docs.name, docs.state, docs.codes) == ("Docs", State.BLOCKED, ("store_unavailable",))
    assert docs.reasons == ("the server of Docs is gone",)
    assert SERVER in docs.mend
    assert (plain.name, plain.state, plain.reasons) == ("Plain", State.READY, ())
    stores.gone.clear()
    assert [each.state for each in await readiness(books, OWNER)] == [State.READY, State.READY]


async def test_one_that_hangs_is_blocked_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness_module, "LOOK_SECONDS", 0.05)
    register, stores = Register(), FakeStores()
    await library(register, stores).create(OWNER, "Docs", store=SERVER)
    stores.seconds = 2 * SOON
    with anyio.fail_after(SOON):
        (docs,) = await readiness(library(register, stores), OWNER)
    assert (docs.state, docs.reasons) == (State.BLOCKED, ("It did not answer within 0.05 s.",))


async def test_a_file_is_given_longer_than_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where much is done at once a file opens late, and it is no reason to be without it."""
    monkeypatch.setattr(readiness_module, "LOOK_SECONDS", 0.05)
    register, stores = Register(), FakeStores({"embedder": MINI, "terms": "1"})
    books = library(register, stores)
    await books.create(OWNER, "Remote", store=SERVER)
    await books.create(OWNER, "Plain")
    stores.seconds = 0.3
    plain, remote = await readiness(library(register, stores), OWNER)
    assert (plain.name, plain.state, plain.reasons) == ("Plain", State.READY, ())
    assert (remote.name, remote.state) == ("Remote", State.BLOCKED)


@pytest.mark.parametrize(
    ("ours", "theirs", "state"),
    [
        (MINI, MINI, State.READY),
        (NONE, MINI, State.DEGRADED),
        (MINI, NONE, State.DEGRADED),
        (MINI, OTHER, State.BLOCKED),
    ],
)
async def test_an_index_of_other_settings_is_degraded_or_blocked(
    ours: str, theirs: str, state: State
) -> None:
    recipe = Recipe(settings={"embedder": ours, "terms": "1"}, dimensions=4)
    books = library(Register(), FakeStores({"embedder": theirs, "terms": "1"}), recipe)
    await books.create(OWNER, "Docs")
    (docs,) = await readiness(books, OWNER)
    assert docs.state is state
    assert docs.mend == ("" if state is State.READY else "weft kb reindex Docs")


async def test_what_is_forgotten_keeps_its_content() -> None:
    register, stores = Register(), FakeStores()
    books = library(register, stores)
    await books.create(OWNER, "Docs", store=SERVER)
    await books.drop(OWNER, "Docs")
    assert not register.held
    assert stores.calls[-1] == "close Docs"
    assert "drop Docs" not in stores.calls
    with pytest.raises(UnknownKnowledgeBase):
        await books.named(OWNER, "Docs")
