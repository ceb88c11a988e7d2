"""Room for a knowledge base on a server: made where the server can, found where it cannot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from unit.adapters.neo4j.bolt_server import BoltServer
from weft.adapters.neo4j import servers
from weft.adapters.neo4j.database import Address, Neo4jDatabase
from weft.adapters.neo4j.servers import Credentials, Neo4jServers
from weft.domain.errors import BadInput, StoreUnavailable
from weft.domain.target import ServerTarget
from weft.platform.identity import local_owner

pytestmark = pytest.mark.anyio
OWNER = local_owner()
HOST = "neo4j://127.0.0.1:7687"
CREDENTIALS = Credentials(user="neo4j", password="plain", secret="the one at {}".format)


@dataclass
class System:
    """A server's own database: its edition, the others' names, and how long one takes to come."""

    edition: str = "enterprise"
    version: str = "5.26.30"
    names: list[str] = field(default_factory=lambda: ["neo4j", "system"])
    looks: int = 0
    made: list[str] = field(default_factory=list)
    opened: list[Address] = field(default_factory=list)
    closed: int = 0

    def __call__(self, address: Address, *, noticed: object) -> System:
        self.opened.append(address)
        return self

    async def reading(self, work: Callable[[Any], Awaitable[Any]], *, seconds: float) -> Any:
        return await work(self)

    async def write(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
        return await work(self)

    async def run(self, name: str, parameters: dict[str, str] | None = None) -> list[list[object]]:
        if name == "components":
            return [["Cypher", ["5"], ""], ["Neo4j Kernel", [self.version], self.edition]]
        if name == "make_database":
            assert parameters is not None
            self.made.append(parameters["name"])
            return []
        self.looks -= 1
        online: list[list[object]] = [[each, "online"] for each in self.names]
        return online + [[each, "online" if self.looks < 0 else "starting"] for each in self.made]

    async def close(self) -> None:
        self.closed += 1


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    made = System()
    monkeypatch.setattr(servers, "Neo4jDatabase", made)
    monkeypatch.setattr(servers, "_LOOK_SECONDS", 0.0)
    return made


async def test_a_database_is_made_where_the_server_can(system: System) -> None:
    system.looks = 3
    placed = await Neo4jServers(CREDENTIALS).place(OWNER, "Payroll", target=HOST)
    assert (placed, system.made) == (f"{HOST}/payroll", ["payroll"])
    assert (system.opened[0].name, system.closed) == ("system", 1)


async def test_one_that_is_named_and_there_is_taken(system: System) -> None:
    system.names.append("docs")
    target = "neo4j://ann@127.0.0.1:7687/Docs?password=env:SECRET"
    placed = await Neo4jServers(CREDENTIALS).place(OWNER, "Any", target=target)
    assert (placed, system.made) == ("neo4j://ann@127.0.0.1:7687/docs?password=env:SECRET", [])
    assert (system.opened[0].user, system.opened[0].password) == ("ann", "the one at env:SECRET")


async def test_the_first_database_of_a_server_that_can_make_others_is_not_taken(
    system: System,
) -> None:
    with pytest.raises(BadInput, match="name one"):
        await Neo4jServers(CREDENTIALS).place(OWNER, "Any", target=f"{HOST}/neo4j")
    assert (system.made, system.closed) == ([], 1)


async def test_a_database_that_never_comes_is_an_error(system: System) -> None:
    system.looks = 10_000
    with pytest.raises(StoreUnavailable, match="does not come online"):
        await Neo4jServers(CREDENTIALS).place(OWNER, "Payroll", target=HOST)


@pytest.mark.parametrize("database", ["", "/neo4j"])
async def test_the_sole_database_of_other_servers_is_taken(system: System, database: str) -> None:
    system.edition = "community"
    placed = await Neo4jServers(CREDENTIALS).place(OWNER, "Docs", target=HOST + database)
    assert (placed, system.made) == (f"{HOST}/neo4j", [])


async def test_another_database_of_such_a_server_is_refused_with_what_to_do(
    system: System,
) -> None:
    system.edition = "community"
    with pytest.raises(BadInput, match="a server for each knowledge base"):
        await Neo4jServers(CREDENTIALS).place(OWNER, "Docs", target=f"{HOST}/docs")
    assert not system.made


@pytest.mark.parametrize("edition", ["enterprise", "community"])
@pytest.mark.parametrize("version", ["5.17.0", "5.25.1", "4.4.38", "3.5.0", "5.9-aura"])
async def test_a_server_that_is_too_old_is_named_before_anything_is_made(
    system: System, version: str, edition: str
) -> None:
    system.version, system.edition = version, edition
    with pytest.raises(BadInput) as refused:
        await Neo4jServers(CREDENTIALS).place(OWNER, "Payroll", target=HOST)
    said = f"Neo4j {version} at {HOST} is too old: Weft needs 5.26 or newer."
    assert refused.value.message == said
    assert (system.made, system.closed) == ([], 1)


@pytest.mark.parametrize("version", ["5.26.0", "5.26.3.0", "5.27", "2025.01.0", "2026.08.1", "dev"])
async def test_a_server_that_is_new_enough_is_taken(system: System, version: str) -> None:
    system.version = version
    await Neo4jServers(CREDENTIALS).place(OWNER, "Payroll", target=HOST)
    assert system.made == ["payroll"]


@pytest.mark.parametrize(("protocol", "version"), [((4, 4), "4.4.38"), ((5, 1), "5.6.0")])
async def test_an_old_server_can_say_how_old_it_is(protocol: tuple[int, int], version: str) -> None:
    async with BoltServer(protocol, version=version) as old:
        with pytest.raises(BadInput, match=f"Neo4j {version} at .* needs 5.26 or newer"):
            await Neo4jServers(CREDENTIALS).place(OWNER, "Payroll", target=old.address)
    assert old.queries
    assert not [query for query in old.queries if "CREATE" in query]


@pytest.mark.parametrize("protocol", [(0, 0), (4, 4)])
async def test_whoever_opens_an_old_server_is_told_so(protocol: tuple[int, int]) -> None:
    async with BoltServer(protocol, version="4.4.38") as old:
        opened = Neo4jDatabase(CREDENTIALS.address(ServerTarget.parse(old.address)))
        with pytest.raises(StoreUnavailable, match=r"is too old, or no Neo4j: .* 5.26 or newer"):
            await opened.read("components")
        await opened.close()


async def test_what_the_server_keeps_for_itself_is_not_listed(system: System) -> None:
    seen = await Neo4jServers(CREDENTIALS).databases(OWNER, HOST)
    assert (seen.databases, seen.version, seen.can_make) == (("neo4j",), "5.26.30", True)
    assert seen.address == HOST


def test_an_address_takes_what_the_target_does_not_say_from_the_settings() -> None:
    address = CREDENTIALS.address(ServerTarget.parse("neo4j+s://db"))
    assert (address.uri, address.user, address.password) == ("neo4j+s://db:7687", "neo4j", "plain")
    assert address.name is None
