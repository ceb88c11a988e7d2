"""The contract of the register of knowledge bases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from contract.records_world import ANN, ANN_ELSEWHERE, BOB, NOON, each_database, world
from weft.domain.acl import EVERYONE, Guarded
from weft.domain.errors import BadInput, KnowledgeBaseExists, UnknownKnowledgeBase
from weft.ports.records.bases import NewBase, RegisteredBase

pytestmark = pytest.mark.anyio

DOCS = NewBase(
    name="Docs", target="sqlite:kb/Docs.db", title="Our docs", folder_key="ff", folder="/our docs"
)


@each_database
async def test_a_base_is_found_by_name_and_by_folder(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        made = await w.records.bases.create(ANN, DOCS)
        assert made == RegisteredBase(
            name="Docs",
            target="sqlite:kb/Docs.db",
            title="Our docs",
            folder_key="ff",
            folder="/our docs",
            created=NOON,
            guard=Guarded(
                name="Docs",
                readers=frozenset({"tenant:*"}),
                writers=frozenset(),
                admins=frozenset({ANN.actor}),
            ),
            default_acl=frozenset({EVERYONE}),
        )
        assert await w.records.bases.named(BOB, "docs") == made
        assert await w.records.bases.of_folder(BOB, "ff") == made


@each_database
async def test_names_and_folders_are_unique_in_a_tenant(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        bases = w.records.bases
        await bases.create(ANN, DOCS)
        for twin in (
            replace(DOCS, folder_key="00"),
            replace(DOCS, name="dOCS", folder_key=None),
            replace(DOCS, name="Other"),
        ):
            with pytest.raises(KnowledgeBaseExists):
                await bases.create(ANN, twin)
        await bases.create(ANN, NewBase(name="Zoo", target="sqlite:z.db"))
        await bases.create(ANN, NewBase(name="apes", target="sqlite:a.db"))
        await bases.create(ANN_ELSEWHERE, DOCS)
        assert [base.name for base in await bases.listed(ANN)] == ["apes", "Docs", "Zoo"]
        assert [base.name for base in await bases.listed(ANN_ELSEWHERE)] == ["Docs"]


@each_database
async def test_a_dropped_base_is_gone(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        bases = w.records.bases
        await bases.create(ANN, DOCS)
        with pytest.raises(UnknownKnowledgeBase):
            await bases.drop(ANN_ELSEWHERE, "Docs")
        await bases.drop(ANN, "Docs")
        for missing in (bases.named(ANN, "Docs"), bases.of_folder(ANN, "ff")):
            with pytest.raises(UnknownKnowledgeBase):
                await missing
        with pytest.raises(UnknownKnowledgeBase):
            await bases.drop(ANN, "Docs")
        await bases.create(ANN, DOCS)


@each_database
@pytest.mark.parametrize("name", ["", "1a", "a-b", "a b", "docs\n", "../x", "é"])
async def test_a_name_keeps_to_the_rule(database: str, name: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        with pytest.raises(BadInput):
            await w.records.bases.create(ANN, replace(DOCS, name=name))


@each_database
async def test_people_see_the_title_else_the_folder_else_the_name(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        bases = w.records.bases
        plain = await bases.create(ANN, NewBase(name="Plain", target="sqlite:p.db"))
        folder = await bases.create(ANN, replace(DOCS, title=""))
        titled = await bases.create(ANN, NewBase(name="Wiki1", target="sqlite:w.db", title="위키"))
        assert [each.title for each in (plain, folder, titled)] == ["Plain", "/our docs", "위키"]
        assert (await bases.retitle(ANN, "Docs", "The files")).title == "The files"
