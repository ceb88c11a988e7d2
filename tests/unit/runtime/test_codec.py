"""What came of child runs, saved and read back."""

from __future__ import annotations

from dataclasses import dataclass

from weft.runtime.codec import StateCodec
from weft.runtime.context import ChildResult, ChildStatus


@dataclass(frozen=True, slots=True)
class HeldWords:
    """A value in the state of a child run."""

    words: tuple[str, ...]


def test_what_a_child_run_held_is_read_back_as_it_was() -> None:
    # A flow's own state may name results of child runs in its hints: they keep their form.
    codec = StateCodec((ChildResult, HeldWords))
    result = ChildResult(
        key="s1", status=ChildStatus.FINISHED, state={"held": HeldWords(("a", "b")), "count": 2}
    )
    assert codec.decode(codec.encode((result,))) == (result,)
