"""BearerTokens of an identity provider, as the settings name it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from weft.config import Settings
from weft.domain.errors import ConfigurationError
from weft.platform.identity import LOCAL_TENANT, operator
from weft.ports.clock import Clock
from weft.ports.fetching import Fetching
from weft.ports.tokens import BearerTokens

_TOGETHER = ("jwt_issuer", "jwt_audience", "jwt_jwks")


def tokens_of(
    settings: Settings, clock: Clock, *, fetcher: Callable[[], Fetching]
) -> BearerTokens | None:
    """Return what checks tokens, None where the settings name no issuer.

    The fetcher is asked for only where keys are on a server. Raises `ConfigurationError` naming
    what is missing or cannot be used.
    """
    values = settings.values
    given = [name for name in _TOGETHER if getattr(values, name)]
    if not given:
        return None
    if missing := [name for name in _TOGETHER if name not in given]:
        names = " and ".join(f"'{name}' (WEFT_{name.upper()})" for name in missing)
        raise ConfigurationError(f"BearerTokens need the setting {names} too.", setting=missing[0])
    # Here, because most processes see no token.
    from weft.adapters.jose.claim_reading import TokenRules
    from weft.adapters.jose.key_sources import FetchedKeys, FileKeys
    from weft.adapters.jose.tokens import SignedTokens

    where = values.jwt_jwks
    source: FetchedKeys | FileKeys
    if "://" in where:
        # The service itself asks, not one of its users.
        source = FetchedKeys(fetcher(), operator(LOCAL_TENANT), where)
    else:
        source = FileKeys(Path(where).expanduser())
    rules = TokenRules(
        issuer=values.jwt_issuer,
        audience=values.jwt_audience,
        tenant=values.jwt_tenant,
        tenant_claim=values.jwt_tenant_claim,
        groups_claim=values.jwt_groups_claim,
    )
    return SignedTokens(rules, source, clock=clock)
