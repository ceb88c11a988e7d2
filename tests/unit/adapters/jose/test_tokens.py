"""Tokens: what a sound one vouches for, and that nothing else gets in."""

from __future__ import annotations

import hmac
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from joserfc.jwk import OctKey
from joserfc.util import urlsafe_b64decode, urlsafe_b64encode

from unit.adapters.jose.issuer import (
    NOON,
    RULES,
    Published,
    StillClock,
    key_for,
    key_set,
    public,
    said,
    signed,
)
from weft.adapters.jose.claim_reading import LEEWAY, TokenRules
from weft.adapters.jose.tokens import SignedTokens
from weft.domain.errors import Unauthenticated
from weft.ports.tokens import BearerClaims

ALGORITHMS = ("RS256", "ES256", "EdDSA")
SOUND = {algorithm: signed(said(), algorithm) for algorithm in ALGORITHMS}
NOW = int(NOON.timestamp())


def checker(rules: TokenRules = RULES, source: Published | None = None) -> SignedTokens:
    return SignedTokens(rules, source or Published(), clock=StillClock())


async def fault(token: str, rules: TokenRules = RULES, source: Published | None = None) -> str:
    with pytest.raises(Unauthenticated) as caught:
        await checker(rules, source).claims(token)
    return str(caught.value.fields["reason"])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
async def test_a_sound_token_vouches_for_what_it_says(algorithm: str) -> None:
    token = signed(
        said(groups=["staff", "/ops", "two words", "", "tab\there"], name="Ann", email="a@x.y"),
        algorithm,
    )
    assert await checker().claims(token) == BearerClaims(
        issuer="https://id.example",
        subject="ann",
        tenant="acme",
        groups=frozenset({"staff", "/ops"}),
        expires=NOON + timedelta(seconds=300),
        name="Ann",
        email="a@x.y",
    )


async def test_the_newer_name_of_an_algorithm_is_the_same() -> None:
    header = {"alg": "Ed25519", "kid": "EdDSA", "typ": "at+jwt"}
    assert (await checker().claims(signed(said(), "EdDSA", header=header))).subject == "ann"


@given(st.sampled_from(ALGORITHMS), st.integers(0, 10**6), st.integers(0, 6))
@settings(max_examples=300)
async def test_no_changed_bit_gets_in(algorithm: str, place: int, bit: int) -> None:
    token = SOUND[algorithm]
    place %= len(token)
    changed = token[:place] + chr(ord(token[place]) ^ (1 << bit)) + token[place + 1 :]
    await fault(changed)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
async def test_no_other_character_at_the_end_of_a_part_gets_in(algorithm: str) -> None:
    """The last character has bits that decode to nothing: they must be as they were signed."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_="
    token = SOUND[algorithm]
    ends = [place - 1 for place, char in enumerate(token + ".") if char == "."]
    for end in ends:
        for char in set(alphabet) - {token[end]}:
            await fault(token[:end] + char + token[end + 1 :])
    for more in ("=", "A", ".", " ", "\n"):
        await fault(token + more)
        await fault(more + token)


@given(st.text(max_size=80) | st.from_regex(r"[A-Za-z0-9_.-]{0,200}", fullmatch=True))
@example("..")
@example("e30.e30.")
@example("a" * 20_000)
async def test_any_other_text_is_refused(text: str) -> None:
    await fault(text)
    await fault(f"{text}.{text}.{text}")


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=5,
    )
)
async def test_claims_and_headers_of_any_kind_are_refused(value: Any) -> None:
    await fault(signed(json.dumps(value).encode()))
    await fault(signed(said(), header=json.dumps(value).encode()))


async def test_no_algorithm_is_no_signature() -> None:
    body = SOUND["RS256"].split(".")[1]
    names: tuple[Any, ...] = ("none", "None", "NONE", "", None, 0, [], {"a": 1})
    for name in names:
        head = urlsafe_b64encode(json.dumps({"alg": name, "kid": "RS256"}).encode()).decode()
        assert await fault(f"{head}.{body}.") == "algorithm"
        assert await fault(f"{head}.{body}.AAAA") == "algorithm"


async def test_a_public_key_is_no_secret() -> None:
    """Who takes an algorithm from the header would check by the public key as a shared secret."""
    published = key_set(public("RS256", "RS256"))
    secrets = [key_for("RS256").as_pem(private=False), published, b""]
    for name, digest in (("HS256", "sha256"), ("HS384", "sha384"), ("HS512", "sha512")):
        head = urlsafe_b64encode(json.dumps({"alg": name, "kid": "RS256"}).encode())
        text = head + b"." + SOUND["RS256"].split(".")[1].encode()
        for secret in secrets:
            made = urlsafe_b64encode(hmac.digest(secret, text, digest))
            assert await fault((text + b"." + made).decode()) == "algorithm"


async def test_a_shared_secret_among_the_keys_checks_nothing() -> None:
    secret = OctKey.generate_key(256)
    given = {**secret.as_dict(private=True), "kid": "RS256", "alg": "RS256"}
    source = Published(key_set(given, public("ES256", "ES256")))
    assert await fault(SOUND["RS256"], source=source) == "unknown_key"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("other", ALGORITHMS)
async def test_a_key_is_good_for_its_own_algorithm_alone(algorithm: str, other: str) -> None:
    header = {"alg": other, "kid": algorithm}
    token = signed(said(), algorithm, header=header)
    if algorithm == other:
        assert (await checker().claims(token)).subject == "ann"
    else:
        assert await fault(token) == "unknown_key"


@pytest.mark.parametrize("name", ["RS384", "RS512", "PS256", "ES384", "ES256K", "Ed448", "rs256"])
async def test_other_algorithms_are_not_taken(name: str) -> None:
    assert await fault(signed(said(), header={"alg": name, "kid": "RS256"})) == "algorithm"


TRICKS: dict[str, Any] = {
    "jku": "https://evil.example/keys",
    "x5u": "https://evil.example/chain",
    "jwk": {"kty": "OKP", "crv": "Ed25519", "x": "AAAA"},
    "x5c": ["AAAA"],
    "crit": ["exp"],
    "b64": False,
    "zip": "DEF",
    "enc": "A128GCM",
    "typ": "logout+jwt",
    "kid": 5,
}


@pytest.mark.parametrize("name", TRICKS)
async def test_a_header_that_asks_for_more_is_refused(name: str) -> None:
    header = {"alg": "RS256", "kid": "RS256", name: TRICKS[name]}
    assert await fault(signed(said(), header=header)) == "header"


async def test_what_stands_twice_is_refused() -> None:
    body = json.dumps(said()).encode()
    twice = body[:-1] + b', "sub": "owner"}'
    assert await fault(signed(twice)) == "claims"
    assert await fault(signed(body[:-1] + b', "x": {"a": 1, "a": 2}}')) == "claims"
    head = b'{"alg": "none", "alg": "RS256", "kid": "RS256"}'
    assert await fault(signed(said(), header=head)) == "malformed"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "claims"),
        (b"[]", "claims"),
        (b"{", "claims"),
        (b"\xff\xfe", "claims"),
        (b'{"iss": NaN}', "claims"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, "malformed"),
        (b"[" * 3000 + b"]" * 3000, "claims"),
        (b'{"exp": ' + b"9" * 5000 + b"}", "claims"),
    ],
)
async def test_a_body_that_is_no_object_is_refused(body: bytes, reason: str) -> None:
    assert await fault(signed(body)) == reason


def each(name: str, reason: str, *values: object) -> list[tuple[dict[str, object], str]]:
    return [({name: value}, reason) for value in values]


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        *each("iss", "issuer", None, "", "https://id.example/", ["x"], 1),
        *each("aud", "audience", None, "", "Weft", [], ["x"], {"weft": 1}, 1, "weft weft"),
        *each("exp", "claims", None, "1", True, [], 10**400, 10**12),
        *each("nbf", "claims", "1", False, {}),
        *each("iat", "claims", "1", False, {}),
        *each("exp", "expired", -1, NOW - 9999, NOW - LEEWAY - 0.001, NOW - LEEWAY),
        *each("nbf", "not_yet_valid", NOW + LEEWAY + 1),
        *each("iat", "not_yet_valid", NOW + LEEWAY + 1),
        *each("sub", "subject", None, "", 5, ["a"], "a\nb", " a", "a\0", "x" * 256),
        *each("sub", "subject", "\ud800", "a\u202eb"),
        *each("groups", "groups", "staff", [1], {"a": 1}, ["g"] * 1001),
    ],
)
async def test_claims_that_are_not_in_order_are_refused(
    claims: dict[str, Any], reason: str
) -> None:
    assert await fault(signed(said(**claims))) == reason


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": ["other", "weft"]},
        {"exp": NOW - LEEWAY + 1},
        {"nbf": NOW + LEEWAY, "iat": NOW + LEEWAY},
        {"iat": None},
        {"exp": NOW + 0.5},
        {"groups": None},
        {"name": 5, "email": ["x"]},
    ],
)
async def test_claims_that_are_just_in_order_are_taken(claims: dict[str, Any]) -> None:
    found = await checker().claims(signed(said(**claims)))
    assert (found.subject, found.name, found.email) == ("ann", "", "")


async def test_a_claim_names_the_tenant_where_the_settings_say_so() -> None:
    rules = replace(RULES, tenant_claim="org")
    found = await checker(rules).claims(signed(said(org="umbrella")))
    assert found.tenant == "umbrella"
    for wrong in (None, "", 7, ["umbrella"], " x"):
        # It does not fall back to the tenant of those whose tokens name none.
        assert await fault(signed(said(org=wrong)), rules) == "tenant"
    assert (await checker().claims(signed(said(org="umbrella")))).tenant == "acme"


async def test_groups_are_read_where_the_settings_say_so() -> None:
    token = signed(said(groups=["a"], roles=["b"]))
    for claim, groups in (("", set[str]()), ("roles", {"b"}), ("groups", {"a"})):
        found = await checker(replace(RULES, groups_claim=claim)).claims(token)
        assert found.groups == groups


async def test_no_token_makes_the_owner_of_the_machine() -> None:
    local = replace(RULES, tenant="local")
    assert await fault(signed(said(sub="owner")), local) == "subject"
    named = replace(RULES, tenant_claim="org")
    assert await fault(signed(said(sub="owner", org="local")), named) == "subject"
    assert (await checker().claims(signed(said(sub="owner")))).subject == "owner"


async def test_a_token_that_names_no_key_is_for_the_only_one() -> None:
    token = signed(said(), header={"alg": "RS256"})
    assert (await checker().claims(token)).subject == "ann"
    two = Published(key_set(public("RS256", "a"), public("RS256", "b", 1)))
    assert await fault(token, source=two) == "unknown_key"


async def test_keys_of_one_name_are_tried_in_turn() -> None:
    source = Published(key_set(public("RS256", "x", 1), public("RS256", "x")))
    token = signed(said(), header={"alg": "RS256", "kid": "x"})
    assert (await checker(source=source).claims(token)).subject == "ann"
    other = signed(said(), header={"alg": "RS256", "kid": "x"}, number=2)
    assert await fault(other, source=source) == "signature"


async def test_a_signature_is_over_what_stands_there() -> None:
    head, body, signature = SOUND["ES256"].split(".")
    changed = json.loads(urlsafe_b64decode(body.encode())) | {"sub": "bob"}
    forged = urlsafe_b64encode(json.dumps(changed).encode()).decode()
    assert await fault(f"{head}.{forged}.{signature}") == "signature"
    assert await fault(f"{head}.{body}.") == "signature"
