"""An object of which only a part is loaded until more of it is asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Late:
    """Stands for a whole object: what its quick part has is the part's, anything else the whole's.

    A question needs a few methods of the records, and the framework behind the others takes longer
    to load than the answer.
    """

    def __init__(self, whole: Callable[[], object], *, quick: object = None) -> None:
        """Take what builds the whole, once it is needed, and the part that is there already."""
        self._make = whole
        self._quick = quick
        self._turn = threading.Lock()
        self._made: object = None

    def __getattr__(self, name: str) -> object:
        """Return what the part or the whole has under a name."""
        if name.startswith("__"):  # what Python itself looks for
            raise AttributeError(name)
        if hasattr(self._quick, name):
            return getattr(self._quick, name)
        with self._turn:
            self._made = self._made or self._make()
        return getattr(self._made, name)
