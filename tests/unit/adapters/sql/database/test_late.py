"""What is loaded of an object, and when."""

from __future__ import annotations

import pytest

from weft.adapters.sql.database.late import Late


class _Quick:
    def near(self) -> str:
        return "quick"


class _Whole(_Quick):
    def far(self) -> str:
        return "whole"


def test_the_whole_is_made_once_and_only_for_what_the_quick_part_lacks() -> None:
    made: list[_Whole] = []

    def whole() -> _Whole:
        made.append(_Whole())
        return made[-1]

    late = Late(whole, quick=_Quick())
    assert late.near() == "quick"  # type: ignore[operator]  # stands for any object
    assert not made
    assert late.far() == "whole"  # type: ignore[operator]
    assert late.far() == "whole"  # type: ignore[operator]
    assert len(made) == 1
    with pytest.raises(AttributeError):
        late.nowhere  # noqa: B018  # asked for, not used
