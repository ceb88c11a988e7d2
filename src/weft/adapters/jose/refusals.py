"""Why a token is refused, as a code and in words."""

from __future__ import annotations

from enum import StrEnum

from weft.domain.errors import Unauthenticated


class TokenFault(StrEnum):
    """What is wrong with a token; the value is the code."""

    MALFORMED = "malformed"
    HEADER = "header"
    ALGORITHM = "algorithm"
    KEY = "unknown_key"
    KEYS_AWAY = "keys_away"
    SIGNATURE = "signature"
    CLAIMS = "claims"
    EXPIRED = "expired"
    EARLY = "not_yet_valid"
    ISSUER = "issuer"
    AUDIENCE = "audience"
    SUBJECT = "subject"
    TENANT = "tenant"
    GROUPS = "groups"


_SAID = {
    TokenFault.MALFORMED: "It is no signed token.",
    TokenFault.HEADER: "Its header says what is not taken.",
    TokenFault.ALGORITHM: "It is signed by an algorithm that is not taken.",
    TokenFault.KEY: "It is signed by a key that its issuer does not have.",
    TokenFault.KEYS_AWAY: "The keys of its issuer cannot be had at the moment.",
    TokenFault.SIGNATURE: "Its signature is wrong.",
    TokenFault.CLAIMS: "Its claims are not what claims must be.",
    TokenFault.EXPIRED: "It has expired.",
    TokenFault.EARLY: "It is not valid yet.",
    TokenFault.ISSUER: "It is from another issuer.",
    TokenFault.AUDIENCE: "It is for somebody else.",
    TokenFault.SUBJECT: "It names nobody who can be known by it.",
    TokenFault.TENANT: "It names no tenant.",
    TokenFault.GROUPS: "Its groups are not what groups must be.",
}


def refused(fault: TokenFault) -> Unauthenticated:
    """Return the error for a token; `reason` is the code."""
    return Unauthenticated(f"The token is not accepted. {_SAID[fault]}", reason=fault.value)
