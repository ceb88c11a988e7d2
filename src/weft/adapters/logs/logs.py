"""Log lines: JSON where a program reads them, words at a terminal; names and numbers alone.

A line says what happened, never what was answered or read, and no secret: only the fields named
here go out, whoever writes the line. What was asked is in it only where a preview is wanted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any, TextIO

import structlog

from weft.platform.audit import current_occasion

# Everything that a line may hold.
FIELDS = frozenset(
    """event level timestamp request_id run_id trace_id method route status ms flow kind node tool
    job_id attempt code count version host port tenant preview""".split()
)
# A preview has a bound of its own.
_BOUNDED = FIELDS - {"preview"}
_LONGEST = 200


class LogLines:
    """Writes lines to a stream, each with the ids of its request and its run.

    `preview_max` is how many characters of a tool's arguments a line may hold (0: none): they say
    what is searched for, and so what was asked.
    """

    def __init__(
        self, stream: TextIO | None = None, *, as_json: bool | None = None, preview_max: int = 0
    ) -> None:
        """Take the stream, standard error if none is given, and whether programs read it."""
        target = stream or sys.stderr
        plain = not target.isatty() if as_json is None else as_json
        self._preview_max = preview_max
        end = (
            structlog.processors.JSONRenderer(sort_keys=True)
            if plain
            else structlog.dev.ConsoleRenderer(colors=False)
        )
        self._log = structlog.wrap_logger(
            structlog.PrintLogger(target),
            processors=[
                self._narrowed,
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                end,
            ],
        )

    def tell(self, event: str, **fields: object) -> None:
        """Write a line."""
        self._log.info(event, **fields)

    def warn(self, event: str, **fields: object) -> None:
        """Write a line about something that somebody should look at."""
        self._log.warning(event, **fields)

    def _narrowed(self, _: object, __: str, fields: MutableMapping[str, Any]) -> Mapping[str, Any]:
        occasion = current_occasion()
        ids = {"request_id": occasion.request_id, "run_id": occasion.run_id}
        told: dict[str, Any] = {name: value for name, value in ids.items() if value}
        told |= {name: _bounded(value) for name, value in fields.items() if name in _BOUNDED}
        if self._preview_max and "preview" in fields:
            told["preview"] = _written(fields["preview"])[: self._preview_max]
        return told


def _bounded(value: object) -> object:
    return value if isinstance(value, int | float | bool) else str(value)[:_LONGEST]


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
