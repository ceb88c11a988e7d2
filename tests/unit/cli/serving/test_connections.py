"""Requests that arrive slowly, or never: they end, and others are served meanwhile."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from patience import SOON
from weft.cli.serving.connections import Patience, PatientConnection
from weft.cli.serving.server import Server

PATIENCE = Patience(header_s=0.6, gap_s=0.6, body_s=1.5, most_open=8, most_reserved=2, look_s=0.05)
POST = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n"


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Read a body to its end, then say how long it was; `/slow` takes its time first."""
    length, more = 0, True
    if scope["path"] == "/early":
        more = False
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length += len(message["body"])
        more = message["more_body"]
    headers = [(b"content-length", str(len(str(length))).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": str(length).encode()})


class _Connection(PatientConnection):
    patience = PATIENCE


@contextmanager
def serving() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(application, http=_Connection, lifespan="off", log_level="critical")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield int(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(10)


def ended_after(connection: socket.socket, *, part: bytes = b"") -> tuple[float, bytes]:
    """Return after how many seconds the service ends a connection, and what it said."""
    connection.settimeout(0.1)
    began, said = time.monotonic(), b""
    while time.monotonic() - began < SOON:
        with suppress(BrokenPipeError, ConnectionResetError):
            if part:
                connection.sendall(part)
        try:
            more = connection.recv(4096)
        except TimeoutError:
            continue
        except ConnectionResetError:
            more = b""
        if not more:
            return time.monotonic() - began, said
        said += more
    raise AssertionError("the connection is still open")


def asked(port: int, path: str = "/") -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=SOON) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
        return connection.recv(4096)


@pytest.mark.parametrize(
    ("first", "part", "least"),
    [
        (b"", b"", 0.5),  # nothing at all
        (b"GET / HTTP/1.1\r\n", b"x-a: b\r\n", 0.5),  # a header without end
        (POST, b"", 0.5),  # a body that never begins
        (POST, b"x", 1.3),  # one that comes byte by byte
    ],
)
def test_a_request_that_does_not_arrive_in_time_is_ended(
    first: bytes, part: bytes, *, least: float
) -> None:
    with serving() as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(first)
        seconds, said = ended_after(connection, part=part)
        assert seconds >= least
        assert said.startswith(b"HTTP/1.1 408 ")


def test_an_answer_before_the_body_came_holds_nothing_open() -> None:
    with serving() as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(POST.replace(b"POST /", b"POST /early"))
        _, said = ended_after(connection)
        assert said.startswith(b"HTTP/1.1 200 ")


def test_others_are_served_beside_more_connections_than_there_may_be() -> None:
    with serving() as port:
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
        try:
            for number, connection in enumerate(held):
                with suppress(OSError):
                    connection.sendall(POST if number % 2 else b"GET / HTTP/1.1\r\n")
            assert asked(port).startswith(b"HTTP/1.1 200 ")
        finally:
            for connection in held:
                connection.close()


def test_a_body_in_time_is_taken_whole_and_connections_are_kept() -> None:
    with serving() as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(SOON)
        for _ in range(2):
            connection.sendall(POST)
            for _ in range(4):
                time.sleep(0.1)
                connection.sendall(b"x" * 250)
            said = b""
            while not said.endswith(b"\r\n\r\n1000"):
                more = connection.recv(4096)
                assert more, said
                said += more


def test_the_service_is_served_by_such_connections() -> None:
    server = Server(host="127.0.0.1", port=0, ready=lambda: None)
    assert server.config.http is PatientConnection
