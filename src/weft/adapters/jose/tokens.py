"""The port `BearerTokens` by joserfc: signed by the issuer, for us, valid now."""

from __future__ import annotations

from weft.adapters.jose.claim_reading import TokenRules, read_claims
from weft.adapters.jose.compact import header_of, json_object
from weft.adapters.jose.key_ring import KeyRing, KeySource
from weft.adapters.jose.refusals import TokenFault, refused
from weft.adapters.jose.signing_keys import payload_of
from weft.ports.clock import Clock
from weft.ports.tokens import BearerClaims


class SignedTokens:
    """Checks tokens of one issuer; they decide no right."""

    def __init__(self, rules: TokenRules, source: KeySource, *, clock: Clock) -> None:
        """Take what a token must say, where its issuer's keys are, and the time."""
        self._rules = rules
        self._keys = KeyRing(source, clock)
        self._clock = clock

    async def claims(self, token: str) -> BearerClaims:
        """Return what a token vouches for, or raise `Unauthenticated` with a `reason`."""
        header = header_of(token)
        for key in await self._keys.find(header):
            if (payload := payload_of(token, key)) is not None:
                break
        else:
            raise refused(TokenFault.SIGNATURE)
        try:
            said = json_object(payload)
        except ValueError as error:
            raise refused(TokenFault.CLAIMS) from error
        return read_claims(said, self._rules, now=self._clock.now())
