"""Numbers as every store can hold them."""

from __future__ import annotations

import math

_BITS = 63


def storable(number: float) -> int | float | str:
    """Return a number as it is, or as text if 64 bits do not hold it (too large, infinite)."""
    if isinstance(number, int):
        return number if abs(number) < 2**_BITS else hex(number)
    return number if math.isfinite(number) else str(number)
