"""Targets lead to what keeps them; what servers need is brought in for servers alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from fault.workshop import OWNER
from weft.bases.backends import Backends, ServerBackend
from weft.domain.errors import BadInput
from weft.domain.scope import Scope
from weft.ports.servers import ServerDatabases
from weft.ports.store import Recipe, Store

pytestmark = pytest.mark.anyio


@dataclass
class Notes:
    """Stores and servers that only note what they were asked for."""

    asked: list[str] = field(default_factory=list)

    async def open(
        self,
        scope: Scope,
        name: str,
        *,
        target: str,
        recipe: Recipe | None,
        is_new: bool = False,
    ) -> Store:
        self.asked.append(f"open {target}")
        return cast(Store, None)

    async def place(self, scope: Scope, name: str, *, target: str) -> str:
        self.asked.append(f"place {name} {target}")
        return f"{target}/docs"

    async def is_there(self, scope: Scope, target: str) -> bool:
        return True

    async def remove(self, scope: Scope, target: str) -> None:
        self.asked.append(f"remove {target}")

    async def databases(self, scope: Scope, target: str) -> ServerDatabases:
        self.asked.append(f"databases {target}")
        return ServerDatabases(address=target, version="5", can_make=False, databases=("neo4j",))


async def test_a_file_brings_in_no_driver() -> None:
    embedded = Notes()

    def no_driver() -> ServerBackend:
        raise AssertionError("a driver was brought in")

    backends = Backends(embedded, no_driver)
    await backends.open(OWNER, "Docs", target="sqlite:kb/Docs.db", recipe=None)
    assert embedded.asked == ["open sqlite:kb/Docs.db"]


async def test_a_server_is_opened_by_what_is_brought_in_once() -> None:
    embedded, there, made = Notes(), Notes(), list[ServerBackend]()

    def bring_in() -> ServerBackend:
        made.append(ServerBackend(stores=there, servers=there))
        return made[0]

    backends = Backends(embedded, bring_in)
    target = await backends.place(OWNER, "Docs", target="neo4j://host:7687")
    await backends.open(OWNER, "Docs", target=target, recipe=None)
    assert (await backends.databases(OWNER, target)).databases == ("neo4j",)
    assert there.asked == [
        "place Docs neo4j://host:7687",
        "open neo4j://host:7687/docs",
        "databases neo4j://host:7687/docs",
    ]
    assert (len(made), embedded.asked) == (1, [])


async def test_another_technology_is_refused() -> None:
    with pytest.raises(BadInput, match="postgres://host"):
        await Backends(Notes(), cast(Any, None)).place(OWNER, "Docs", target="postgres://host")
