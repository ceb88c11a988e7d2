"""From a host's name to its addresses, once for each connection."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

Resolve = Callable[[str, int], Awaitable[list[str]]]
# A look-up that hangs keeps its thread until the system gives it up: it must be none of those
# that the rest of the house waits for.
_AT_ONCE = 8


class SystemResolver:
    """Asks the system, in threads of its own."""

    def __init__(self) -> None:
        """Start no thread before the first question."""
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="resolve")

    async def __call__(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host, in the order in which they are to be tried."""
        running = asyncio.get_running_loop().run_in_executor(
            self._threads, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        )
        found = await running
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))

    def close(self) -> None:
        """Let go of the threads; those that are at work end by themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)
