"""Sets of keys: which of them are taken, and what is no set."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from unit.adapters.jose.issuer import key_for, key_set, public
from weft.adapters.jose.signing_keys import MOST_BYTES, read_keys
from weft.domain.errors import BadInput

OTHERS = {
    "a shared secret": OctKey.generate_key(256).as_dict(private=True),
    "another curve": ECKey.generate_key("P-384").as_dict(private=False),
    "another Edwards curve": OKPKey.generate_key("Ed448").as_dict(private=False),
    "a key for agreements": OKPKey.generate_key("X25519").as_dict(private=False),
    "for encryption": {**public("RS256", "a"), "use": "enc"},
    "for other work": {**public("RS256", "a"), "key_ops": ["encrypt"]},
    "for another algorithm": {**public("RS256", "a"), "alg": "RS512"},
    "for a secret's algorithm": {**public("RS256", "a"), "alg": "HS256"},
    "a name that is none": {**public("RS256", "a"), "kid": 5},
    "without a part": {"kty": "RSA", "e": "AQAB"},
    "no point of the curve": {"kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"},
    "too short a point": {"kty": "OKP", "crv": "Ed25519", "x": "AAAA"},
    "parts of another kind": {"kty": "RSA", "n": 5, "e": []},
    "no kind": {"n": "AAAA"},
    "a kind of no name": {"kty": ["RSA"]},
}


def short_key() -> dict[str, Any]:
    with pytest.warns(UserWarning, match="2048"):
        return RSAKey.generate_key(1024).as_dict(private=False)


@pytest.mark.parametrize("name", OTHERS)
def test_a_key_that_signs_no_token_is_passed_over(name: str) -> None:
    found = read_keys(key_set(OTHERS[name], public("ES256", "good")))
    assert [key.key_id for key in found] == ["good"]
    with pytest.raises(BadInput, match="no public key"):
        read_keys(key_set(OTHERS[name]))


def test_a_key_that_is_too_short_is_passed_over() -> None:
    with pytest.raises(BadInput, match="no public key"):
        read_keys(key_set(short_key()))


def test_private_parts_are_left_where_they_are() -> None:
    given = {**key_for("RS256").as_dict(private=True), "kid": "a", "alg": "RS256"}
    [found] = read_keys(key_set(given))
    assert not found.key.is_private
    assert found.algorithms == {"RS256"}


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"[]", b"{}", b'{"keys": {}}', b'{"keys": []}', b'{"keys": [1, null]}', b"\xff"),
        *(b'{"keys": [], "keys": []}', b'{"keys": ' + b"[" * 9000),
        json.dumps({"keys": [public("ES256", None)] * 101}).encode(),
        key_set(public("ES256", "a")) + b" " * MOST_BYTES + b"{",
    ],
)
def test_what_is_no_set_of_keys_is_said(data: bytes) -> None:
    if data.endswith(b" {"):
        data = data.replace(b'{"keys"', b'{"x": "' + b"y" * MOST_BYTES + b'", "keys"')
    with pytest.raises(BadInput):
        read_keys(data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)
PARTS = st.sampled_from(["kty", "crv", "n", "e", "x", "y", "kid", "use", "key_ops", "alg"])


@given(
    st.sampled_from(["RS256", "ES256", "EdDSA"]),
    st.dictionaries(PARTS, VALUES, max_size=4),
)
def test_whatever_a_key_holds_it_is_taken_or_passed_over(
    algorithm: str, parts: dict[str, Any]
) -> None:
    changed = {**public(algorithm, "a"), **parts}
    found = read_keys(key_set(changed, public("ES256", "good")))
    assert found[-1].key_id == "good"
