"""An identity provider of the tests: keys, key sets and tokens, sound and otherwise."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from joserfc.jwk import ECKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry
from joserfc.util import urlsafe_b64encode

from weft.adapters.jose.claim_reading import TokenRules
from weft.adapters.jose.signing_keys import read_keys
from weft.domain.errors import StoreUnavailable

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
RULES = TokenRules(
    issuer="https://id.example", audience="weft", tenant="acme", groups_claim="groups"
)
Key = RSAKey | ECKey | OKPKey


@cache
def key_for(algorithm: str, number: int = 0) -> Key:
    """Return one of the issuer's keys."""
    match algorithm:
        case "RS256":
            return RSAKey.generate_key(2048)
        case "ES256":
            return ECKey.generate_key("P-256")
    return OKPKey.generate_key("Ed25519")


def public(algorithm: str, key_id: str | None, number: int = 0) -> dict[str, Any]:
    """Return a key as it is published."""
    named = {} if key_id is None else {"kid": key_id}
    return {**key_for(algorithm, number).as_dict(private=False), "use": "sig", **named}


def key_set(*keys: dict[str, Any]) -> bytes:
    """Return a set of keys as it is published."""
    return json.dumps({"keys": keys}).encode()


def said(**claims: Any) -> dict[str, Any]:
    """Return claims that are in order but for those given; None leaves one out."""
    now = int(NOON.timestamp())
    sound = {"iss": RULES.issuer, "aud": "weft", "sub": "ann", "iat": now, "exp": now + 300}
    return {name: value for name, value in {**sound, **claims}.items() if value is not None}


def signed(
    claims: dict[str, Any] | bytes,
    algorithm: str = "RS256",
    *,
    header: dict[str, Any] | bytes | None = None,
    number: int = 0,
) -> str:
    """Return a token by one of the issuer's keys, whatever header and claims it has."""
    own: dict[str, Any] | bytes = {"alg": algorithm, "kid": algorithm} if header is None else header
    head, body = (
        urlsafe_b64encode(part if isinstance(part, bytes) else json.dumps(part).encode())
        for part in (own, claims)
    )
    by = "Ed25519" if algorithm == "EdDSA" else algorithm
    text = head + b"." + body
    signature = JWSRegistry.algorithms[by].sign(text, key_for(algorithm, number))
    return (text + b"." + urlsafe_b64encode(signature)).decode()


@dataclass(slots=True)
class StillClock:
    """A clock that a test moves."""

    seconds: float = 0.0

    def now(self) -> datetime:
        """Return noon, and what has passed since."""
        return NOON + timedelta(seconds=self.seconds)

    def elapsed(self) -> float:
        """Return what has passed."""
        return self.seconds


@dataclass(slots=True)
class Published:
    """Where the issuer publishes its keys; without any it is away."""

    keys: bytes = field(
        default_factory=lambda: key_set(
            *(public(algorithm, algorithm) for algorithm in ("RS256", "ES256", "EdDSA"))
        )
    )
    readings: int = 0

    async def read(self) -> bytes:
        """Return the keys, or raise as a server that is away does."""
        self.readings += 1
        if not self.keys:
            raise StoreUnavailable
        read_keys(self.keys)
        return self.keys
