from __future__ import annotations

import socket

import pytest

from weft.cli.serving.server import bound
from weft.domain.errors import BadInput


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput) as raised:
            bound("127.0.0.1", port)
    assert f"Port {port} of 127.0.0.1 cannot be listened on" in raised.value.message
    assert "--port" in raised.value.message


def test_an_address_that_is_not_here_is_named() -> None:
    with pytest.raises(BadInput) as raised:
        bound("192.0.2.7", 0)
    assert raised.value.fields["host"] == "192.0.2.7"


def test_a_free_port_is_bound() -> None:
    with bound("127.0.0.1", 0) as listening:
        assert listening.getsockname()[1] > 0
