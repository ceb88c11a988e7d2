"""The one way out, as the settings set it up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weft.config import Settings
from weft.platform.identity import LOCAL_TENANT
from weft.ports.records.audit import Audit

if TYPE_CHECKING:
    from weft.adapters.fetch.fetching import SafeFetcher
    from weft.ports.fetching import WebSearch


def fetcher_of(settings: Settings, audit: Audit) -> SafeFetcher:
    """Return the fetcher; raises `ConfigurationError` naming the setting that cannot be used."""
    # Here, because most calls fetch nothing and need no client.
    from weft.adapters.fetch.allow_list import read_allow_list
    from weft.adapters.fetch.exchange import FetchLimits
    from weft.adapters.fetch.fetching import SafeFetcher, trusted

    values = settings.values
    ca_file = Path(values.fetch_ca_file).expanduser() if values.fetch_ca_file else None
    return SafeFetcher(
        audit,
        read_allow_list(values.fetch_allow, own_tenant=LOCAL_TENANT),
        limits=FetchLimits(
            body_bytes=values.fetch_max_mb * 1024 * 1024, total_s=values.fetch_seconds
        ),
        tls=trusted(ca_file),
    )


def web_search_of(settings: Settings, audit: Audit) -> WebSearch | None:
    """Return the configured web search; None where nobody configured one."""
    values = settings.values
    if not values.web_search:
        return None
    from weft.adapters.fetch.web_search import JsonWebSearch

    return JsonWebSearch(
        fetcher_of(settings, audit), values.web_search, header=values.web_search_header
    )
