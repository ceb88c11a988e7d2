"""Log lines for whoever runs the service."""

from __future__ import annotations

from typing import Protocol


class Logs(Protocol):
    """Writes lines of names and numbers: never a text, never a secret.

    Of `preview`, any value of JSON, it writes nothing unless whoever runs the service wants it.
    """

    def tell(self, event: str, **fields: object) -> None:
        """Write a line."""
        ...

    def warn(self, event: str, **fields: object) -> None:
        """Write a line about something that somebody should look at."""
        ...
