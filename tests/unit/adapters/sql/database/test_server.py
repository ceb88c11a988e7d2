"""A server that hangs is told from one that is at work, and from one that is not there."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from weft.adapters.sql.database.server import Liveness, ServerPlace, answers

_SECONDS = 0.3


@contextmanager
def _listening(*, speaks: bool) -> Iterator[ServerPlace]:
    """Yield where something listens that answers the first question with a letter, or never."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                taken.append(client)
                if speaks:
                    client.recv(8)
                    client.sendall(b"N")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield ServerPlace(host="127.0.0.1", port=server.getsockname()[1])
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for client in taken:
                client.close()


def test_a_server_that_speaks_is_there() -> None:
    with _listening(speaks=True) as place:
        assert answers(place, _SECONDS) is True


def test_a_server_that_takes_connections_and_says_nothing_does_not_answer() -> None:
    with _listening(speaks=False) as place:
        began = time.monotonic()
        assert answers(place, _SECONDS) is False
        assert time.monotonic() - began < 10 * _SECONDS


def test_where_nobody_listens_nobody_answers() -> None:
    with _listening(speaks=True) as place:
        pass
    assert answers(place, _SECONDS) is None
    assert answers(ServerPlace(host="/nowhere", port=5432), _SECONDS) is None


def test_who_waits_behind_a_call_that_failed_is_told_at_once() -> None:
    liveness = Liveness()
    with _listening(speaks=False) as place:
        liveness.met(place)
        with pytest.raises(psycopg.OperationalError, match="in time"):
            liveness.check_before_connecting()
        began = time.monotonic()
        with pytest.raises(psycopg.OperationalError, match="in time"):
            liveness.check_before_connecting()
        assert time.monotonic() - began < 0.1


def test_one_that_refuses_is_left_to_the_driver_to_tell_of() -> None:
    liveness = Liveness()
    liveness.met(ServerPlace(host="/nowhere", port=5432))
    liveness.check_before_connecting()
