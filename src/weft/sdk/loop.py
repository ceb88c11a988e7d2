"""An event loop in a thread of its own, for callers that have none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for callers of any thread, until it is stopped."""

    def __init__(self) -> None:
        """Start the thread; it does not keep the process alive."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._turn, name="weft", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Tell whether coroutines may still be run."""
        return self._thread.is_alive()

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Return what a coroutine gives or raise what it raises; an interrupted caller cancels it.

        Raises `RuntimeError` after `stop`.
        """
        if not self.is_running:
            work.close()
            raise RuntimeError("This knowledge base is closed.")
        waited = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return waited.result()
        finally:
            waited.cancel()  # whoever waits no longer: nothing to do for work that is done

    def stop(self) -> None:
        """End the loop and wait for its thread; a second call does nothing."""
        if self.is_running:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _turn(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.get_loop().run_forever()
