"""A server that speaks as much of the Bolt protocol as tells what it is, and keeps nothing."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

_GOODBYE = 0x02
_HELLO, _RUN, _PULL = 0x01, 0x10, 0x3F
_SUCCESS, _RECORD = 0x70, 0x71
_QUERY_LETTERS = 400


class BoltServer:
    """Answers on loopback in one version of the protocol; `queries` are those it was sent.

    Version (0, 0) takes no protocol at all, as a server does that is none of ours.
    """

    def __init__(self, protocol: tuple[int, int], *, version: str) -> None:
        """Take the protocol, and the version of the server that is told when asked."""
        self._protocol = protocol
        self._version = version
        self.queries: list[str] = []
        self.address = ""

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"bolt://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Listen no more."""
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(20)  # what the other side is and which protocols it speaks
        major, minor = self._protocol
        writer.write(bytes([0, 0, minor, major]))
        try:
            while body := await _message(reader):
                if body[1] == _GOODBYE:
                    break
                writer.writelines(_chunk(reply) for reply in self._replies(body))
                await writer.drain()
        finally:
            writer.close()

    def _replies(self, body: bytes) -> list[bytes]:
        if body[1] == _HELLO:
            return [_told(server=f"Neo4j/{self._version}", connection_id="bolt-1")]
        if body[1] == _RUN:
            self.queries.append(body[2:_QUERY_LETTERS].decode("utf-8", "replace"))
            return [_told(fields=self._fields)]
        return [*(map(_record, self._rows) if body[1] == _PULL else ()), _told()]

    @property
    def _asks_components(self) -> bool:
        return "dbms.components" in self.queries[-1]

    @property
    def _fields(self) -> list[str]:
        if self._asks_components:
            return ["name", "versions", "edition"]
        return ["name", "currentStatus"]

    @property
    def _rows(self) -> list[list[object]]:
        if self._asks_components:
            return [["Neo4j Kernel", [self._version], "enterprise"]]
        return [["neo4j", "online"], ["system", "online"]]


async def _message(reader: asyncio.StreamReader) -> bytes:
    """Return the next message, joined of its chunks; empty at the end."""
    body = b""
    try:
        while size := int.from_bytes(await reader.readexactly(2), "big"):
            body += await reader.readexactly(size)
    except asyncio.IncompleteReadError:
        return b""
    return body


def _chunk(body: bytes) -> bytes:
    return len(body).to_bytes(2, "big") + body + b"\0\0"


def _told(**fields: object) -> bytes:
    return bytes([0xB1, _SUCCESS]) + _packed(fields)


def _record(row: list[object]) -> bytes:
    return bytes([0xB1, _RECORD]) + _packed(row)


def _packed(value: object) -> bytes:
    """Return a text, a list or a mapping of fewer than 16 parts as the protocol packs it."""
    if isinstance(value, dict):
        parts = (_packed(key) + _packed(each) for key, each in value.items())
        return bytes([0xA0 + len(value)]) + b"".join(parts)
    if isinstance(value, list):
        return bytes([0x90 + len(value)]) + b"".join(map(_packed, value))
    data = str(value).encode()
    return bytes([0xD0, len(data)]) + data
