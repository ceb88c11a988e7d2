"""Connections to PostgreSQL that never hang: one that is quiet is asked whether it is there."""

from __future__ import annotations

import logging
import selectors
import time
from collections.abc import Generator
from contextlib import suppress
from typing import Any, Self, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, PollingStatus
from sqlalchemy import Engine, event

from weft.domain.frozen import dataclass

# What the driver warns of is raised too; without a handler Python would write it to the terminal.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

T = TypeVar("T")

# A server that hangs takes connections and keeps them: nothing else notices it. Together these
# stay below two seconds, within which a call answers or fails: one that is only slow to greet, on
# a busy machine, is asked twice.
QUIET_SECONDS = 0.7
PROBE_SECONDS = 0.55
# Once it is known to be at work: how often it is asked again, and what no statement takes.
_AGAIN_SECONDS = 5.0
_LONGEST_SECONDS = 300.0
# Whoever waits in line behind a call that failed is told at once, and does not wait as long again.
_DOWN_SECONDS = 1.0
_CONNECT_SECONDS = 2  # the least that libpq takes
# As long as a writer of a file is waited for; a process that hangs holds its locks no longer.
_SETTINGS = ("SET lock_timeout = '10s'", "SET idle_in_transaction_session_timeout = '60s'")
_SILENT = "nothing came back in time"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPlace:
    """Where a server listens: a host or the folder of its socket, and the port."""

    host: str
    port: int


class Liveness:
    """What the connections of one engine know of their server."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._place: ServerPlace | None = None
        self._down_until = 0.0

    def met(self, place: ServerPlace | None) -> None:
        """Take where a connection was made to."""
        self._place = place

    def check_before_connecting(self) -> None:
        """Raise `psycopg.OperationalError` where a server that was there does not answer now."""
        if time.monotonic() < self._down_until:
            raise psycopg.OperationalError(_SILENT)
        # One that refuses is told of by the driver, in the system's words.
        if self._place is not None and _greets(self._place) is False:
            self.fail()

    def check(self, place: ServerPlace) -> None:
        """Raise `psycopg.OperationalError` where the server does not answer."""
        if not _greets(place):
            self.fail()

    def fail(self) -> None:
        """Raise `psycopg.OperationalError`, and for a moment for all that wait to connect."""
        self._down_until = time.monotonic() + _DOWN_SECONDS
        raise psycopg.OperationalError(_SILENT)


def answers(place: ServerPlace, seconds: float = PROBE_SECONDS) -> bool | None:
    """Tell whether a server says anything to the driver's greeting; None where nobody listens."""
    end = time.monotonic() + seconds
    asked = make_conninfo(host=place.host, port=place.port, user="weft", gssencmode="disable")
    client = PGconn.connect_start(asked.encode())
    try:
        # The driver in C gives plain numbers.
        while (status := client.connect_poll()) == PollingStatus.WRITING:
            if not _is_ready(client.socket, selectors.EVENT_WRITE, end):
                return False
        if status == PollingStatus.READING:
            return _is_ready(client.socket, selectors.EVENT_READ, end)
        return None
    except psycopg.Error:
        return None
    finally:
        client.finish()


def _greets(place: ServerPlace) -> bool | None:
    """Tell the same, asked once more where nothing came in time."""
    found = answers(place)
    return answers(place) if found is False else found


def _is_ready(number: int, event: int, end: float) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(number, event)
        return bool(selector.select(max(0.0, end - time.monotonic())))


class WatchedConnection(psycopg.Connection[Any]):
    """A connection that is closed, with an error, where its server says nothing any more."""

    liveness: Liveness

    @classmethod
    def made(cls, liveness: Liveness, *arguments: Any, **named: Any) -> Self:
        """Connect as the driver does; raises `psycopg.OperationalError` within two seconds."""
        liveness.check_before_connecting()
        made = cls.connect(*arguments, **{"connect_timeout": _CONNECT_SECONDS, **named})
        made.liveness = liveness
        liveness.met(made.place())
        made.autocommit = True
        for setting in _SETTINGS:
            made.execute(setting.encode())
        made.autocommit = False
        return made

    def place(self) -> ServerPlace | None:
        """Return where its server listens; None once it is closed."""
        with suppress(psycopg.Error, ValueError):
            host = self.pgconn.hostaddr or self.pgconn.host
            return ServerPlace(host=host.decode(), port=int(self.pgconn.port or b"5432"))
        return None

    def wait(self, gen: PQGen[T], *arguments: Any, **named: Any) -> T:
        """Consume a generator of the driver's; see its own `wait`."""
        return super().wait(self._watched(gen), *arguments, **named)

    def _watched(self, gen: PQGen[T]) -> Generator[Any, Any, T]:
        """Hand on what the driver waits for, looking after the server where nothing comes."""
        began = heard = time.monotonic()
        patience = QUIET_SECONDS
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                now = time.monotonic()
                if ready:
                    heard, patience = now, QUIET_SECONDS
                elif now - heard >= patience:
                    self._look_after(now - began)
                    heard, patience = time.monotonic(), _AGAIN_SECONDS
                wanted = gen.send(ready)
        except StopIteration as stop:
            result: T = stop.value
            return result

    def _look_after(self, waited: float) -> None:
        place = self.place()
        try:
            if place is None or waited >= _LONGEST_SECONDS:
                raise psycopg.OperationalError(_SILENT)
            self.liveness.check(place)
        except psycopg.OperationalError:
            # What comes later would be taken for the answer to what is asked next.
            self.pgconn.finish()
            raise


def watch(engine: Engine) -> Engine:
    """Let an engine for psycopg make such connections."""
    liveness = Liveness()

    def connect(*given: Any) -> Any:
        _dialect, _record, arguments, named = given
        return WatchedConnection.made(liveness, *arguments, **named)

    event.listen(engine, "do_connect", connect)
    return engine
