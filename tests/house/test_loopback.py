"""No test reaches past this machine, whatever it calls."""

from __future__ import annotations

import asyncio
import socket

import pytest


async def test_a_connection_to_another_machine_is_refused() -> None:
    with pytest.raises(PermissionError, match="loopback"):
        await asyncio.open_connection("192.0.2.1", 80)
    with pytest.raises(PermissionError, match="loopback"):
        socket.create_connection(("example.org", 80))


def test_a_datagram_to_another_machine_is_refused() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        pytest.raises(PermissionError, match="loopback"),
    ):
        sender.sendto(b"", ("192.0.2.1", 53))


def test_loopback_is_open() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        assert client.getpeername() == server.getsockname()
