"""A token's text taken apart, before anything in it is believed."""

from __future__ import annotations

import json
from typing import Any

from joserfc.util import urlsafe_b64decode

from weft.adapters.jose.refusals import TokenFault, refused
from weft.domain.frozen import dataclass

# Fixed here: no setting and no header of a token chooses among more. The last is the name that
# RFC 9864 gives to EdDSA with this curve.
ALGORITHMS = frozenset({"RS256", "ES256", "EdDSA", "Ed25519"})
LONGEST = 16_384
_LONGEST_KEY_ID = 255
_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
# By these a token would bring its own key or change how it is to be read.
_TRICKS = frozenset({"jku", "jwk", "x5u", "x5c", "crit", "b64", "enc", "zip"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenHeader:
    """What a token says of its own signature; `key_id` is empty where it names no key."""

    algorithm: str
    key_id: str


def header_of(token: str) -> TokenHeader:
    """Return the header of a token, or raise `Unauthenticated` for one that is not taken."""
    if len(token) > LONGEST or not token.isascii() or token.count(".") != 2:
        raise refused(TokenFault.MALFORMED)
    try:
        said = json_object(urlsafe_b64decode(token.partition(".")[0].encode()))
    except ValueError as error:
        raise refused(TokenFault.MALFORMED) from error
    kind, key_id = said.get("typ", "JWT"), said.get("kid", "")
    is_known = isinstance(kind, str) and kind.lower() in _TYPES
    if not is_known or said.keys() & _TRICKS:
        raise refused(TokenFault.HEADER)
    if not isinstance(key_id, str) or len(key_id) > _LONGEST_KEY_ID:
        raise refused(TokenFault.HEADER)
    algorithm = said.get("alg")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise refused(TokenFault.ALGORITHM)
    return TokenHeader(algorithm=algorithm, key_id=key_id)


def json_object(data: bytes) -> dict[str, Any]:
    """Return an object of JSON; raises `ValueError` for all else and for a name that is twice."""
    try:
        found = json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("too deep") from error
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is no number")
