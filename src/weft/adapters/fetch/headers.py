"""Headers: which a caller may send, and which of them go on to another server."""

from __future__ import annotations

import re
from collections.abc import Mapping

from weft.adapters.fetch.destination import Destination
from weft.domain.errors import BadInput

Headers = tuple[tuple[str, str], ...]

_NAME = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE = re.compile(r"[\x20-\x7e\t]{0,8000}")
_MOST = 50
# What this house says itself, or what is between two machines and not for a caller to say.
_OURS = frozenset(
    {"host", "connection", "keep-alive", "upgrade", "te", "trailer", "transfer-encoding", "expect"}
    | {"content-length", "accept-encoding", "http2-settings"}
)
# All else may hold a secret: it goes only to the server that the caller named.
_HARMLESS = frozenset(
    {"accept", "accept-language", "user-agent", "if-none-match", "if-modified-since", "range"}
)
_DEFAULTS = {"accept": "*/*", "user-agent": "weft"}


def checked_headers(given: Mapping[str, str]) -> Headers:
    """Return a caller's headers with lower-case names, or raise `BadInput` naming the wrong one."""
    if len(given) > _MOST:
        raise BadInput(f"A request has at most {_MOST} headers.")
    kept: dict[str, str] = dict(_DEFAULTS)
    for name, value in given.items():
        lower = name.lower()
        if not _NAME.fullmatch(lower) or lower in _OURS or lower.startswith("proxy-"):
            raise BadInput(f"The header '{name[:100]}' cannot be sent.")
        if not _VALUE.fullmatch(value):
            raise BadInput(f"The value of the header '{name[:100]}' cannot be sent.")
        kept[lower] = value
    return tuple(kept.items())


def carried_on(headers: Headers, *, here: Destination, there: Destination) -> Headers:
    """Return the headers that go with a redirect: to another origin only what is harmless."""
    if here.origin == there.origin:
        return headers
    return tuple(pair for pair in headers if pair[0] in _HARMLESS)


def on_the_wire(headers: Headers, here: Destination) -> list[tuple[str, str]]:
    """Return all headers of a request."""
    own = [("host", here.authority), ("accept-encoding", "gzip"), ("connection", "close")]
    return [*own, *headers]
