"""How often one may ask: by tenant, by user, by key, and how often one may try a password."""

from __future__ import annotations

from weft.domain.acl import principal_key
from weft.domain.errors import TooManyRequests
from weft.domain.frozen import dataclass
from weft.platform.identity import LOCAL_TENANT, OWNER
from weft.platform.people.principals import Caller
from weft.ports.rates import Allowance, Rates

_MINUTE = 60
_PASSWORDS = 10
_PASSWORDS_OF_TENANT = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class RateSettings:
    """Requests a minute; 0 is no limit."""

    tenant: int
    user: int
    key: int


class RequestRates:
    """Counts requests of those who were let in."""

    def __init__(self, rates: Rates, settings: RateSettings) -> None:
        """Take what counts, and how much may be."""
        self._rates = rates
        self._settings = settings

    async def check(self, caller: Caller) -> None:
        """Count a request, or raise `TooManyRequests` with the seconds to wait.

        The owner of the machine is not counted: whoever has the token has the machine.
        """
        scope = caller.scope
        if (scope.tenant, scope.actor) == (LOCAL_TENANT, OWNER):
            return
        counted = (
            (("tenant", scope.tenant), self._settings.tenant),
            (("user", scope.tenant, scope.actor), self._settings.user),
            (("key", scope.key_id), self._settings.key if scope.key_id else 0),
        )
        rates = [Allowance(key=key, times=most, seconds=_MINUTE) for key, most in counted if most]
        wait = await self._rates.take(rates)
        if wait is not None:
            raise TooManyRequests(
                f"Too many requests; try again in {wait:.0f} s.", retry_after=wait
            )

    async def sign_in(self, tenant: str, name: str) -> None:
        """Count an attempt to sign in, or raise `TooManyRequests`."""
        who = principal_key(name)
        rates = (
            Allowance(key=("password", tenant, who), times=_PASSWORDS, seconds=_MINUTE),
            Allowance(key=("passwords", tenant), times=_PASSWORDS_OF_TENANT, seconds=_MINUTE),
        )
        wait = await self._rates.take(rates)
        if wait is not None:
            raise TooManyRequests(
                f"Too many attempts to sign in; try again in {wait:.0f} s.", retry_after=wait
            )
