"""Signed tokens of an identity provider at the service's door."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from flow.http_world import workspace
from flow.people_world import PeopleWorld, peopled
from unit.adapters.jose.issuer import key_set, public, signed


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PeopleWorld]:
    folder = tmp_path_factory.mktemp("tokens")
    (folder / "keys.json").write_bytes(key_set(public("ES256", "ES256")))
    settings = (
        "embedder: none\njwt_issuer: https://id.example\njwt_audience: weft\n"
        f"jwt_jwks: {folder / 'keys.json'}\n"
    )
    with peopled(workspace(folder, settings), {"ann": "user"}) as made:
        yield made


def token(**claims: Any) -> str:
    now = int(time.time())
    sound = {"iss": "https://id.example", "aud": "weft", "sub": "ann", "exp": now + 300}
    return signed({**sound, **claims}, "ES256")


def status(world: PeopleWorld, text: str) -> int:
    world.keys["token"] = text
    return world.ask("token", "GET", "/v1/me").status_code


def test_a_token_lets_in_whom_it_names(world: PeopleWorld) -> None:
    world.keys["token"] = token(groups=["staff"])
    me = world.ask("token", "GET", "/v1/me").json()
    assert (me["name"], me["groups"], me["roles"]) == ("ann", ["staff"], ["user"])


def test_a_token_of_anything_else_lets_nobody_in(world: PeopleWorld) -> None:
    assert status(world, token()) == 200
    wrong = (
        token(sub="nobody"),
        token(sub="owner"),
        token(exp=1),
        token(aud="other"),
        token(iss="https://other.example"),
        token()[:-4] + "AAAA",
        signed({"sub": "ann"}, "RS256"),
        "a.b.c",
    )
    assert {status(world, text) for text in wrong} == {401}


def test_who_was_shut_out_is_shut_out_with_a_token_too(world: PeopleWorld) -> None:
    world.add("bob")
    assert status(world, token(sub="bob")) == 200
    world.client.patch("/v1/admin/users/bob", json={"disabled": True})
    assert status(world, token(sub="bob")) == 401
