"""A plain call that asks, read without the library that reads all others.

That library and what it loads take as long as a fifth of an answer. A call that holds anything but
words and the plainest options is left to it, so it alone says what is wrong with a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.cli.asking.call import AskCall

_SWITCHES = {"--json": "as_json", "--more": "more"}
_TEXTS = {"--kb": "kb", "--source": "source", "--flow": "flow"}


def quick_call(arguments: Sequence[str]) -> AskCall | None:
    """Return the call that the arguments of the process are, None where it is no plain question."""
    if not arguments or arguments[0] != "ask":
        return None
    words, said, left = list[str](), dict[str, str | bool](), list(arguments[1:])
    while left:
        one = left.pop(0)
        if not one.startswith("-"):
            words.append(one)
        elif one in _SWITCHES:
            said[_SWITCHES[one]] = True
        elif one in _TEXTS and left and not left[0].startswith("-"):
            said[_TEXTS[one]] = left.pop(0)
        else:
            return None
    if not words or not str(said.get("kb", "one")).strip(", \t\r\n"):
        return None
    from weft.cli.asking.call import AskCall

    return AskCall(words=words, **said)  # type: ignore[arg-type]  # each is of its option's kind
