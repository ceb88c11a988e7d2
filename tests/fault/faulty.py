"""A wrapper round any port that fails where it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from weft.domain.errors import StoreUnavailable, WeftError

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What goes wrong at the n-th call of a method.

    `fail`: nothing is done; `lose`: it is done, but the caller hears of an error; `hang`: nothing
    is done, and the caller hears of an error after a while; `stall`: the call never ends.
    `befell` is set once it has gone wrong, or begun to.
    """

    method: str
    how: str = "fail"
    nth: int = 1
    error: type[WeftError] = StoreUnavailable
    befell: asyncio.Event = field(default_factory=asyncio.Event, compare=False)


class _Faulty:
    def __init__(self, port: object, fault: Fault) -> None:
        self._port = port
        self._fault = fault
        self._calls = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        return self._wrapped(found) if name == self._fault.method else found

    def _wrapped(self, method: Callable[..., Any]) -> Callable[..., Any]:
        async def called(*arguments: Any, **named: Any) -> Any:
            self._calls += 1
            if self._calls != self._fault.nth:
                return await method(*arguments, **named)
            self._fault.befell.set()
            if self._fault.how == "lose":
                await method(*arguments, **named)
            elif self._fault.how == "stall":
                await asyncio.Event().wait()
            elif self._fault.how == "hang":
                await asyncio.sleep(0.2)
            raise self._fault.error(f"{self._fault.method}: {self._fault.how}")

        return called


def faulty(port: T, fault: Fault) -> T:
    """Return a port that does all that `port` does, but for one call."""
    return cast(T, _Faulty(port, fault))
