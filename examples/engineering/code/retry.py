"""How ledgerline talks to the bank: tried again with the same key, never with a new one.

Maintained by Yusuf Demir. Introduced with LED-14.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ATTEMPTS = 4
FIRST_PAUSE_SECONDS = 2.0
LONGEST_PAUSE_SECONDS = 45.0


@dataclass(frozen=True)
class Debit:
    """One debit: the invoice is its key, so that the bank can refuse a second one."""

    invoice: str
    cents: int


def pauses() -> list[float]:
    """Return the seconds to wait before each further attempt; each is three times the last."""
    return [
        min(FIRST_PAUSE_SECONDS * 3**number, LONGEST_PAUSE_SECONDS)
        for number in range(ATTEMPTS - 1)
    ]


def send(debit: Debit, *, bank: Callable[[Debit], bool], wait: Callable[[float], None]) -> bool:
    """Send a debit until the bank has answered; False if it never did."""
    for pause in [0.0, *pauses()]:
        wait(pause)
        if bank(debit):
            return True
    return False
