"""People: who they are, who changes that, how they sign in, how often they may ask."""

from __future__ import annotations

from weft.adapters.argon2.passwords import ArgonPasswords
from weft.adapters.limits.rates import MemoryRates
from weft.adapters.sql.records import Records
from weft.bootstrap.fetching import fetcher_of
from weft.bootstrap.tokens import tokens_of
from weft.config import Settings
from weft.domain.frozen import dataclass
from weft.platform.people.administration import Administration, administration_of
from weft.platform.people.principals import Principals
from weft.platform.people.signing_in import SigningIn
from weft.platform.secret import secret_in
from weft.platform.time import SystemClock
from weft.ports.tokens import BearerTokens

# The service counts requests with it.
__all__ = ["MemoryRates", "PeopleServices", "people_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleServices:
    """The services of whoever knows people by name."""

    principals: Principals
    administration: Administration
    signing_in: SigningIn
    tokens: BearerTokens | None


def people_of(settings: Settings, records: Records, *, clock: SystemClock) -> PeopleServices:
    """Build them on the records; their secret is made when it is first needed."""
    keys, passwords = secret_in(settings.home / "keys.secret"), ArgonPasswords()
    principals = Principals(records.people.standings, secret=keys, clock=clock)
    return PeopleServices(
        principals=principals,
        administration=administration_of(
            records.people, audit=records.audit, passwords=passwords, secret=keys
        ),
        signing_in=SigningIn(principals, passwords=passwords, audit=records.audit),
        tokens=tokens_of(settings, clock, fetcher=lambda: fetcher_of(settings, records.audit)),
    )
