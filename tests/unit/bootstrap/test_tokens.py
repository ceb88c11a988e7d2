"""Tokens as the settings name their issuer: keys from a file, and from a server by the way out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml

from unit.adapters.fetch.raw_server import certificates, says, serving, sound
from unit.adapters.jose.issuer import StillClock, key_set, public, said, signed
from weft.adapters.sql.records import Records, open_records
from weft.bootstrap.fetching import fetcher_of
from weft.bootstrap.tokens import tokens_of
from weft.config import Settings, load_settings
from weft.domain.errors import ConfigurationError, Unauthenticated
from weft.platform.identity import local_owner
from weft.platform.time import SystemClock
from weft.ports.fetching import Fetching
from weft.ports.records.audit import AuditDecision
from weft.ports.tokens import BearerTokens

ISSUER = {"jwt_issuer": "https://id.example", "jwt_audience": "weft"}


def settings(home: Path, **values: object) -> Settings:
    (home / "weft.yaml").write_text(yaml.safe_dump(values))
    return load_settings(home)


def nothing_to_fetch() -> Fetching:
    raise AssertionError("nothing is to be fetched")


def tokens(home: Path, **values: object) -> BearerTokens | None:
    return tokens_of(settings(home, **values), StillClock(), fetcher=nothing_to_fetch)


def test_without_an_issuer_there_are_no_tokens(tmp_path: Path) -> None:
    assert tokens(tmp_path) is None


@pytest.mark.parametrize("missing", ["jwt_issuer", "jwt_audience", "jwt_jwks"])
def test_what_is_missing_is_named(tmp_path: Path, missing: str) -> None:
    given = {**ISSUER, "jwt_jwks": "keys.json"}
    del given[missing]
    with pytest.raises(ConfigurationError, match=f"'{missing}' \\(WEFT_{missing.upper()}\\)"):
        tokens(tmp_path, **given)


@pytest.mark.parametrize("jwks", ["http://id.example/keys", "file:///keys", "ftp://id.example/k"])
async def test_keys_come_from_a_file_or_over_https(tmp_path: Path, jwks: str) -> None:
    given = settings(tmp_path, **ISSUER, jwt_jwks=jwks)
    async with opened(tmp_path) as records:
        fetcher = fetcher_of(given, records.audit)
        with pytest.raises(ConfigurationError, match="https URL"):
            tokens_of(given, StillClock(), fetcher=lambda: fetcher)
        fetcher.close()


async def test_keys_in_a_file_are_read_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    with pytest.raises(ConfigurationError, match=r"keys\.json.*cannot be read"):
        tokens(tmp_path, **ISSUER, jwt_jwks=str(path))
    path.write_bytes(b"{}")
    with pytest.raises(ConfigurationError, match=r"WEFT_JWT_JWKS.*has a list 'keys'"):
        tokens(tmp_path, **ISSUER, jwt_jwks=str(path))
    path.write_bytes(key_set(public("ES256", "ES256")))
    checker = tokens(tmp_path, **ISSUER, jwt_jwks=str(path), jwt_tenant="acme")
    assert checker
    found = await checker.claims(signed(said(groups=["staff"]), "ES256"))
    assert (found.tenant, found.subject, found.groups) == ("acme", "ann", frozenset({"staff"}))


@asynccontextmanager
async def opened(home: Path) -> AsyncIterator[Records]:
    url = f"sqlite:///{home / 'a.db'}"
    records = open_records(url, audit_key=b"k" * 32, clock=SystemClock())
    yield records
    await records.close()


async def test_keys_on_a_server_come_by_the_way_out_and_are_audited(tmp_path: Path) -> None:
    shown = certificates(tmp_path, "localhost")
    old, new = (key_set(public("ES256", name)) for name in ("ES256", "new"))
    kind = "Content-Type: application/jwk-set+json"
    answers = [says(sound(keys, kind)) for keys in (old, new)]
    async with opened(tmp_path) as records, serving(*answers, tls=shown.server) as server:
        host = f"localhost:{server.port}"
        given = settings(
            tmp_path,
            **ISSUER,
            jwt_jwks=f"https://{host}/keys?x=secret",
            fetch_allow=host,
            fetch_ca_file=str(shown.authority),
        )
        fetcher, clock = fetcher_of(given, records.audit), StillClock()
        checker = tokens_of(given, clock, fetcher=lambda: fetcher)
        assert checker
        assert (await checker.claims(signed(said(), "ES256"))).tenant == "local"
        rotated = signed(said(), "ES256", header={"alg": "ES256", "kid": "new"})
        with pytest.raises(Unauthenticated):
            await checker.claims(rotated)
        clock.seconds += 60
        assert (await checker.claims(rotated)).subject == "ann"
        assert server.calls == 2
        fetcher.close()
        rows = [row for row in await records.audit.rows(local_owner()) if row.entry.deed.meta]
    assert {(row.actor, row.entry.deed.target) for row in rows} == {
        ("machine:owner", f"https://{host}")
    }
    decisions = [row.entry.decision for row in rows]
    assert decisions == [AuditDecision.PENDING, AuditDecision.OK] * 2


async def test_an_error_of_the_server_is_no_set_of_keys(tmp_path: Path) -> None:
    shown = certificates(tmp_path, "localhost")
    error = sound(key_set(public("ES256", "ES256")), status="500 Broken")
    async with opened(tmp_path) as records, serving(says(error), tls=shown.server) as server:
        host = f"localhost:{server.port}"
        given = settings(
            tmp_path,
            **ISSUER,
            jwt_jwks=f"https://{host}/keys",
            fetch_allow=host,
            fetch_ca_file=str(shown.authority),
        )
        fetcher = fetcher_of(given, records.audit)
        checker = tokens_of(given, StillClock(), fetcher=lambda: fetcher)
        assert checker
        with pytest.raises(Unauthenticated):
            await checker.claims(signed(said(), "ES256"))
        assert server.calls == 1
        fetcher.close()


async def test_a_server_of_the_inside_that_nobody_allowed_gives_no_keys(tmp_path: Path) -> None:
    async with opened(tmp_path) as records, serving(says(sound())) as server:
        given = settings(tmp_path, **ISSUER, jwt_jwks=f"https://localhost:{server.port}/keys")
        fetcher = fetcher_of(given, records.audit)
        checker = tokens_of(given, StillClock(), fetcher=lambda: fetcher)
        assert checker
        with pytest.raises(Unauthenticated) as caught:
            await checker.claims(signed(said(), "ES256"))
        assert caught.value.fields == {"reason": "keys_away"}
        assert server.calls == 0
        fetcher.close()


@pytest.mark.parametrize(
    ("name", "value"), [("fetch_allow", "10.0.0.0/1"), ("fetch_ca_file", "absent.pem")]
)
async def test_a_wrong_way_out_is_named_when_it_is_built(
    tmp_path: Path, name: str, value: str
) -> None:
    given = settings(tmp_path, **{name: value})
    async with opened(tmp_path) as records:
        with pytest.raises(ConfigurationError) as caught:
            fetcher_of(given, records.audit)
    assert caught.value.fields == {"setting": name}
