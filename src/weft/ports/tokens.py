"""Signed tokens of an identity provider, as programs send them."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from weft.domain.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerClaims:
    """What a checked token vouches for; it decides no right."""

    issuer: str
    subject: str
    tenant: str
    groups: frozenset[str]
    expires: datetime
    name: str = ""
    email: str = ""


class BearerTokens(Protocol):
    """Checks tokens."""

    async def claims(self, token: str) -> BearerClaims:
        """Return what a token vouches for, or raise `Unauthenticated`."""
        ...
