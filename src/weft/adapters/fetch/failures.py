"""What is said of a fetch that failed or was refused: the host by its name, never an address."""

from __future__ import annotations

from weft.adapters.fetch.destination import Destination
from weft.domain.errors import FetchFailed, FetchRefused

_FAILED = {
    "bad_reply": "gave a reply that breaks the rules of HTTP",
    "certificate": "has no certificate that is good for its name",
    "content_type": "gave a reply of a type that was not asked for",
    "redirects": "leads from redirect to redirect",
    "timeout": "gave no whole reply in time",
    "too_large": "gave a reply that is too large",
    "unreachable": "does not answer",
}
# One sentence for an unknown name and for one of the inside: who asks must not learn which.
_REFUSED = {
    "not_public": "is not known as a public host",
    "port": "may not be reached at that port",
    "downgrade": "leads from https to http",
    "redirect": "leads where nothing is fetched from",
    "redirected_change": "redirects a request that is not just for reading",
}


def failed(reason: str, there: Destination) -> FetchFailed:
    """Return the error for a fetch without a whole reply."""
    return FetchFailed(f"The host '{there.host}' {_FAILED[reason]}.", reason=reason)


def refused(reason: str, there: Destination) -> FetchRefused:
    """Return the error for a fetch that may not be."""
    return FetchRefused(f"The host '{there.host}' {_REFUSED[reason]}.", reason=reason)
