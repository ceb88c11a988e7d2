"""Whose key a service was asked with, and what that may do there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.domain.errors import StoreUnavailable
from weft.domain.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteIdentity:
    """Who one is at a service; `key_id` is the public part of the key, empty for other tokens."""

    tenant: str
    actor: str
    name: str
    kind: str
    groups: tuple[str, ...]
    roles: tuple[str, ...]
    permissions: tuple[str, ...]
    key_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteBase:
    """A knowledge base that is open to the caller."""

    name: str
    title: str
    documents: int
    chunks: int
    readiness: str


class RemoteAccount:
    """Tells who one is at a service, and what is open to one there."""

    def __init__(self, sent: Callable[..., Any]) -> None:
        """Take what sends a request."""
        self._sent = sent

    def me(self) -> RemoteIdentity:
        """Return who one is; raises `Unauthenticated` where the service does not know the key."""
        said = self._sent("GET", "/v1/me")
        try:
            return RemoteIdentity(
                tenant=str(said["tenant"]),
                actor=str(said["actor"]),
                name=str(said["name"]),
                kind=str(said["kind"]),
                groups=tuple(map(str, said["groups"])),
                roles=tuple(map(str, said["roles"])),
                permissions=tuple(map(str, said["permissions"])),
                key_id=str(said.get("key_id") or ""),
            )
        except (KeyError, TypeError) as error:
            raise StoreUnavailable("What answers there is no Weft service.") from error

    def bases(self) -> tuple[RemoteBase, ...]:
        """Return the knowledge bases that are open to the caller."""
        found: list[RemoteBase] = []
        cursor = ""
        while True:
            page = self._sent("GET", "/v1/kb", params={"limit": 200, "cursor": cursor})
            keys = ("name", "title", "documents", "chunks", "readiness")
            found += [RemoteBase(**{key: each[key] for key in keys}) for each in page["items"]]
            cursor = page["next"]
            if not cursor:
                return tuple(found)
