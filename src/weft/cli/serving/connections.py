"""Connections of the service: none is held open by sending a request slowly, or not at all."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from weft.domain.frozen import dataclass

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a request may take to arrive, in seconds, and how many connections there may be.

    `header_s` is for all of its header, `gap_s` between two parts of a body, `body_s` for a whole
    one. Past `most_open`, whoever has waited longest without having sent a request makes room;
    those at work are let be, so that `most_reserved` more can still look whether the service lives.
    """

    header_s: float = 15.0
    gap_s: float = 20.0
    body_s: float = 600.0
    most_open: int = 256
    most_reserved: int = 64
    look_s: float = 1.0


class PatientConnection(H11Protocol):
    """A connection that ends when its request does not arrive in time."""

    patience: ClassVar[Patience] = Patience()
    _look: asyncio.TimerHandle | None = None
    _idle_since = 0.0
    _heard = 0.0
    _asked = 0.0

    def connection_made(  # type: ignore[override]  # as the server's own has it
        self, transport: asyncio.Transport
    ) -> None:
        """Take a new connection, where there is room for it or can be made."""
        super().connection_made(transport)
        self._idle_since = self._heard = self.loop.time()
        self._make_room()
        self._look_again()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, and keep when that was."""
        self._heard = self.loop.time()
        was_idle = self.conn.their_state is h11.IDLE
        super().data_received(data)
        if was_idle and self.conn.their_state is not h11.IDLE:
            self._asked = self._heard

    def on_response_complete(self) -> None:
        """Wait for the next request from now on."""
        self._idle_since = self.loop.time()
        super().on_response_complete()

    @property
    def is_arriving(self) -> bool:
        """Tell whether a request is still to come, in whole or in part."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def end(self) -> None:
        """End the connection; who has had no answer is told why."""
        if self.conn.their_state is h11.IDLE or not self.cycle.response_started:
            self.transport.write(_TOO_SLOW)
        self.transport.close()

    def _look_again(self) -> None:
        if self.transport.is_closing():
            return
        if self._is_late(self.loop.time()):
            self.end()
            return
        self._look = self.loop.call_later(self.patience.look_s, self._look_again)

    def _is_late(self, now: float) -> bool:
        state = self.conn.their_state
        if state is h11.IDLE:
            return now - self._idle_since > self.patience.header_s
        if state is not h11.SEND_BODY:
            return False
        if self.flow.read_paused or self.cycle.waiting_for_100_continue:
            self._heard = now  # it is we who are not reading
        slow = now - self._heard > self.patience.gap_s
        return slow or now - self._asked > self.patience.body_s

    def _make_room(self) -> None:
        """End the connection that has waited longest where there are too many."""
        if len(self.connections) <= self.patience.most_open:
            return
        mine = [one for one in self.connections if isinstance(one, PatientConnection)]
        waiting = [one for one in mine if one is not self and one.is_arriving]
        if waiting:
            min(waiting, key=lambda one: max(one._idle_since, one._asked)).end()
        elif len(self.connections) > self.patience.most_open + self.patience.most_reserved:
            self.end()
