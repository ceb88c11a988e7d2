"""A budget as it is typed: `tokens=20000,money=0.10`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.domain.errors import BadInput

if TYPE_CHECKING:
    from weft.runtime.amounts import Limits


def parts_of(text: str) -> dict[str, object]:
    """Return the parts of a budget by name, or raise `BadInput`."""
    parts: dict[str, object] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, is_given, value = part.partition("=")
        if not is_given:
            raise BadInput(f"'{part}' is no part of a budget; write it as tokens=20000.")
        parts[name.strip()] = value.strip()
    return parts


def budget_of(text: str) -> Limits | None:
    """Return the limits that a text names, None for an empty one, or raise `BadInput`."""
    from weft.flows.asking import limits_of

    return limits_of(parts_of(text)) if text.strip() else None
