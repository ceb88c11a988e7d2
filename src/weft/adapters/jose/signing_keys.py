"""The public keys of an issuer (JWKS, RFC 7517), and whether one of them signed a token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry, deserialize_compact
from joserfc.util import urlsafe_b64decode

from weft.adapters.jose.compact import ALGORITHMS, TokenHeader, json_object
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass

MOST_BYTES = 256 * 1024
_MOST_KEYS = 100
_RSA_BITS = range(2048, 8193)
# By type and curve: the algorithms that a key can be used with, and its public parts.
_USES: Mapping[tuple[str, str], tuple[frozenset[str], tuple[str, ...]]] = {
    ("RSA", ""): (frozenset({"RS256"}), ("n", "e")),
    ("EC", "P-256"): (frozenset({"ES256"}), ("crv", "x", "y")),
    ("OKP", "Ed25519"): (frozenset({"EdDSA", "Ed25519"}), ("crv", "x")),
}
_KINDS: Mapping[str, type[RSAKey] | type[ECKey] | type[OKPKey]] = {
    "RSA": RSAKey,
    "EC": ECKey,
    "OKP": OKPKey,
}


class _Registry(JWSRegistry):
    """Knows our algorithms and no other; a header that was looked through already may say more."""

    max_header_length = 4096

    def get_alg(self, name: str) -> Any:
        """Return an algorithm by either of its names."""
        if name not in ALGORITHMS:
            raise ValueError(f"{name} is not taken")
        return self.algorithms["Ed25519" if name == "EdDSA" else name]


_REGISTRY = _Registry(strict_check_header=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """A public key, its id (empty: none), and the algorithms it may be used with."""

    key_id: str
    algorithms: frozenset[str]
    key: RSAKey | ECKey | OKPKey


def read_keys(data: bytes) -> tuple[SigningKey, ...]:
    """Return the keys of a set that can sign tokens; the others of it are passed over.

    Raises `BadInput` for what is no set of keys, and for one without a key of ours.
    """
    try:
        given = json_object(data[: MOST_BYTES + 1]).get("keys")
    except ValueError as error:
        raise BadInput(f"That is no set of keys (JWKS): {error}.") from error
    if not isinstance(given, list) or len(given) > _MOST_KEYS:
        raise BadInput(f"A set of keys (JWKS) has a list 'keys' of at most {_MOST_KEYS}.")
    found = tuple(key for each in given if isinstance(each, dict) and (key := _key(each)))
    if not found:
        raise BadInput("The set of keys (JWKS) has no public key for RS256, ES256 or EdDSA.")
    return found


def fitting(keys: tuple[SigningKey, ...], header: TokenHeader) -> list[SigningKey]:
    """Return the keys that may have signed a token.

    One that names no key may have been signed by the only one there is for its algorithm.
    """
    able = [key for key in keys if header.algorithm in key.algorithms]
    if header.key_id:
        return [key for key in able if key.key_id == header.key_id]
    return able if len(able) == 1 else []


def payload_of(token: str, key: SigningKey) -> bytes | None:
    """Return what a token says if this key signed it, else None."""
    try:
        return deserialize_compact(token, key.key, registry=_REGISTRY).payload
    except (JoseError, ValueError, TypeError):
        return None


def _key(given: dict[str, Any]) -> SigningKey | None:
    """Return one key of a set, None for one that signs no token of ours."""
    kind, key_id = given.get("kty"), given.get("kid", "")
    curve = "" if kind == "RSA" else given.get("crv")
    use = _USES.get((str(kind), str(curve)))
    if use is None or not isinstance(key_id, str) or not _may_verify(given):
        return None
    algorithms, names = use
    if "alg" in given:
        algorithms &= {str(given["alg"])}
    if not algorithms or (kind == "RSA" and _bits(given.get("n")) not in _RSA_BITS):
        return None
    public: dict[str, Any] = {"kty": kind, **{name: given.get(name) for name in names}}
    try:
        key = _KINDS[str(kind)].import_key(public)
        # The parts are looked at when the key is first used.
        key.get_op_key("verify")
    except (JoseError, ValueError, TypeError):
        return None
    return SigningKey(key_id=key_id, algorithms=algorithms, key=key)


def _may_verify(given: dict[str, Any]) -> bool:
    """Tell whether a key is one for signatures."""
    if given.get("use", "sig") != "sig":
        return False
    operations = given.get("key_ops", ["verify"])
    return isinstance(operations, list) and "verify" in operations


def _bits(modulus: object) -> int:
    try:
        return int.from_bytes(urlsafe_b64decode(str(modulus)[:2000].encode())).bit_length()
    except ValueError:
        return 0
