"""A server on loopback that writes what bytes a test likes, and the certificates it shows."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class RawServer:
    """Where the server is, the heads and bodies of what was asked, and how often it was called."""

    port: int = 0
    calls: int = 0
    arrivals: asyncio.Queue[None] = field(default_factory=asyncio.Queue)
    heads: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)


def says(reply: bytes) -> Answer:
    """Return an answer of these bytes."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(reply)
        await writer.drain()

    return answer


def sound(body: bytes = b"hello", *more: str, status: str = "200 OK") -> bytes:
    """Return a reply by the rules."""
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *more]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def redirect(location: str, status: str = "302 Found") -> Answer:
    """Return an answer that leads elsewhere."""
    return says(sound(b"", f"Location: {location}", status=status))


@asynccontextmanager
async def serving(*answers: Answer, tls: ssl.SSLContext | None = None) -> AsyncIterator[RawServer]:
    """Run a server that gives its answers in turn, the last of them again and again."""
    server, busy = RawServer(), set[asyncio.Task[None]]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        busy.add(asyncio.current_task())  # type: ignore[arg-type]  # a server's callback is a task
        try:
            await reply(reader, writer)
        except asyncio.CancelledError:
            # The server is closed.
            writer.transport.abort()
        finally:
            writer.close()

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer = answers[min(server.calls, len(answers) - 1)]
        server.calls += 1
        server.arrivals.put_nowait(None)
        with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            server.heads.append(head)
            lengths = [h for h in head.splitlines() if h.lower().startswith("content-length:")]
            size = int(lengths[0].partition(":")[2]) if lengths else 0
            server.bodies.append(await reader.readexactly(size))
            await answer(writer)

    running = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    server.port = running.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        running.close()
        for task in busy:
            task.cancel()
        await asyncio.gather(*busy, return_exceptions=True)
        # What was aborted lets go of its socket at the next turn of the loop.
        await asyncio.sleep(0)


class Names:
    """Answers a resolver gives, in turn for each name; the last of them again and again."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        """Take the answers by name, an underscore for each dot."""
        self._answers = {name.replace("_", "."): list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        """Return the next answer for a name."""
        self.asked.append(host)
        given = self._answers.get(host)
        if given is None:
            raise OSError("no such name")
        return list(given.pop(0) if len(given) > 1 else given[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """What a client trusts, and what servers of these names show."""

    authority: Path
    server: ssl.SSLContext


def certificates(folder: Path, *names: str, days: int = 1) -> Certificates:
    """Make an authority and a certificate by it for some names."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
    now = datetime.now(UTC)
    start, end = sorted((now - timedelta(days=2), now + timedelta(days=days)))
    blank = x509.CertificateBuilder().issuer_name(name).not_valid_before(start)
    authority = (
        blank.not_valid_after(now + timedelta(days=9))
        .subject_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    own = ec.generate_private_key(ec.SECP256R1())
    shown = (
        blank.not_valid_after(end)
        .subject_name(x509.Name([]))
        .public_key(own.public_key())
        .serial_number(2)
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(each) for each in names]), critical=True
        )
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "authority.pem").write_bytes(authority.public_bytes(pem))
    (folder / "server.pem").write_bytes(shown.public_bytes(pem))
    (folder / "server.key").write_bytes(
        own.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "server.pem", folder / "server.key")
    return Certificates(authority=folder / "authority.pem", server=server)
