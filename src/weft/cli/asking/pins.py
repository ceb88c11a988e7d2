"""What `--pin` says is meant: by a name of the question, or by the question."""

from __future__ import annotations

from collections.abc import Sequence

from weft.domain.errors import BadInput
from weft.language.patterns import pattern

_MEANING = pattern(r"[0-9a-f]{8}")


def pins_of(pins: Sequence[str]) -> dict[str, str]:
    """Return which node each name means, or raise `BadInput` for a pin without a node."""
    found: dict[str, str] = {}
    for one in pins:
        if _MEANING.fullmatch(one):
            continue
        name, _, node = (part.strip() for part in one.partition("="))
        if not name or not node:
            raise BadInput(
                "A pin is NAME=NODE, such as those that --json shows, or the id of a meaning "
                f"that a refusal offers; this is '{one}'."
            )
        found[name] = node
    return found


def meaning_of(pins: Sequence[str]) -> str:
    """Return the id of what the question means; empty where none is pinned."""
    ids = [one for one in pins if _MEANING.fullmatch(one)]
    if len(ids) > 1:
        raise BadInput(f"A question has one meaning; these are {len(ids)}: {', '.join(ids)}.")
    return ids[0] if ids else ""
