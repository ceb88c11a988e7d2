"""People of two tenants at one service, each with a key, and how they ask it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from flow.http_world import served
from weft.api.dependencies import Dependencies
from weft.domain.scope import Scope
from weft.platform.identity import LOCAL_TENANT, local_owner, operator
from weft.platform.people.administration import Administration
from weft.ports.records.people import NewGroup, NewUser, OwnRole


def dependencies(client: TestClient) -> Dependencies:
    """Return the parts of the service that a client talks to."""
    return cast(Dependencies, cast("FastAPI", client.app).state.dependencies)


@dataclass(frozen=True, kw_only=True)
class PeopleWorld:
    """A service, and the keys of those who ask it by `tenant/name`."""

    client: TestClient
    keys: dict[str, str]

    @property
    def administration(self) -> Administration:
        """Return what adds and changes people."""
        return dependencies(self.client).host.app.administration

    def run(self, work: Any, *args: Any, **options: Any) -> Any:
        """Return what an asynchronous call gives, on the service's own loop."""
        assert self.client.portal is not None

        async def call() -> Any:
            return await work(*args, **options)

        return self.client.portal.call(call)

    def add_tenant(self, name: str) -> None:
        """Add a tenant."""
        self.run(self.administration.tenants.add, local_owner(), name)

    def add_group(self, name: str, *, tenant: str = LOCAL_TENANT) -> None:
        """Add a group."""
        self.run(self.administration.groups.add, self.manager(tenant), NewGroup(name=name))

    def add_role(self, name: str, *permissions: str, tenant: str = LOCAL_TENANT) -> None:
        """Add a role of a tenant's own."""
        role = OwnRole(name=name, permissions=frozenset(permissions))
        self.run(self.administration.roles.keep, self.manager(tenant), role, is_new=True)

    def add(
        self,
        name: str,
        *,
        tenant: str = LOCAL_TENANT,
        roles: tuple[str, ...] = ("user",),
        groups: tuple[str, ...] = (),
        scopes: tuple[str, ...] = (),
    ) -> None:
        """Add a user with a key."""
        manager = self.manager(tenant)
        user = NewUser(name=name, roles=frozenset(roles), groups=frozenset(groups))
        self.run(self.administration.users.add, manager, user)
        self.add_key(name, tenant=tenant, scopes=scopes)

    def add_key(
        self,
        name: str,
        *,
        tenant: str = LOCAL_TENANT,
        scopes: tuple[str, ...] = (),
        called: str = "",
    ) -> str:
        """Make a key of a user and keep it by name; return its id."""
        made = self.run(
            self.administration.keys.add, self.manager(tenant), name, scopes=scopes, expires=None
        )
        self.keys[called or f"{tenant}/{name}"] = made.text
        return str(made.kept.id)

    def manager(self, tenant: str) -> Scope:
        """Return the scope of who manages a tenant."""
        return local_owner() if tenant == LOCAL_TENANT else operator(tenant)

    def ask(self, who: str, method: str, path: str, **options: Any) -> Response:
        """Send a request as somebody; an empty name sends no token."""
        headers: Mapping[str, str] = options.pop("headers", {})
        known = {"Authorization": f"Bearer {self.keys[who]}"} if who else {}
        # The client's own header is the owner's token.
        kept = self.client.headers.pop("Authorization", None)
        try:
            return self.client.request(method, path, headers={**known, **headers}, **options)
        finally:
            if kept is not None:
                self.client.headers["Authorization"] = kept


def base_of(world: PeopleWorld) -> str:
    """Return the id of the knowledge base of a folder."""
    found = world.client.get("/v1/kb").json()["items"]
    return next(str(each["id"]) for each in found if each["folder"])


@contextmanager
def peopled(home: Path, people: Mapping[str, str]) -> Iterator[PeopleWorld]:
    """Serve a workspace with people: by `name` or `tenant/name`, their roles and their @groups.

    Tenants and groups are made where they are named.
    """
    with served(home) as client:
        world = PeopleWorld(client=client, keys={})
        there = {LOCAL_TENANT}
        for who, belongings in people.items():
            tenant, name = who.split("/") if "/" in who else (LOCAL_TENANT, who)
            if tenant not in there:
                world.add_tenant(tenant)
            groups = tuple(one[1:] for one in belongings.split() if one[0] == "@")
            for group in groups:
                if f"{tenant}/{group}" not in there:
                    world.add_group(group, tenant=tenant)
            there |= {tenant, *(f"{tenant}/{group}" for group in groups)}
            roles = tuple(one for one in belongings.split() if one[0] != "@")
            world.add(name, tenant=tenant, roles=roles, groups=groups)
        yield world
