"""A chat completion as a server sent it, made fit to be read: what no reader bears is taken out."""

from __future__ import annotations

import json
from collections.abc import Mapping

# The last second that a datetime holds; a reply is of now, so what is beyond is no time.
_LAST_SECOND = 253_402_300_799
# No reply takes more tokens, and every database counts as far.
_MOST_TOKENS = 10**9
_COUNTED = ("prompt_tokens", "completion_tokens")


def completion(body: bytes) -> bytes | None:
    """Return the body of a chat completion that any reader bears; None where it is none.

    Half characters and zero bytes are replaced. A time that is no time becomes 0, and a count of
    tokens that is none is taken out: so it is known to be missing.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not _has_message(value.get("choices")):
        return None
    read = {name: _legible(one) for name, one in value.items()}
    if not _is_count(read.get("created"), _LAST_SECOND):
        read["created"] = 0
    if not _is_usage(read.get("usage")):
        read.pop("usage", None)
    return body if read == value else json.dumps(read).encode()


def _has_message(choices: object) -> bool:
    return (
        isinstance(choices, list)
        and bool(choices)
        and all(isinstance(one, dict) and isinstance(one.get("message"), dict) for one in choices)
    )


def _is_usage(usage: object) -> bool:
    return isinstance(usage, Mapping) and all(
        _is_count(usage.get(name), _MOST_TOKENS) for name in _COUNTED
    )


def _is_count(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _legible(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {str(_legible(name)): _legible(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_legible(one) for one in value]
    return value
