"""The service's server: it tells where it is once it can be reached there, and not before."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from weft.cli.serving.connections import PatientConnection
from weft.domain.errors import BadInput

_GRACE_SECONDS = 5


class Server(uvicorn.Server):
    """A server that calls `ready` as soon as it listens."""

    def __init__(self, *, host: str, port: int, ready: Callable[[], None]) -> None:
        """Make nothing yet; the service is found by its name."""
        # By name, because the service and the command line do not know each other.
        config = uvicorn.Config(
            "weft.api.app:create",
            factory=True,
            host=host,
            port=port,
            http=PatientConnection,
            log_level="warning",
            timeout_graceful_shutdown=_GRACE_SECONDS,
            server_header=False,
        )
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the service and listen, then tell."""
        await super().startup(sockets=sockets)
        if self.started:
            self._ready()


def bound(host: str, port: int) -> socket.socket:
    """Return a socket of an address, or raise `BadInput` where it cannot be listened on."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        said = error.strerror or str(error)
        raise BadInput(
            f"Port {port} of {host} cannot be listened on: {said}; --port takes another.",
            host=host,
            port=port,
        ) from error
    return made
