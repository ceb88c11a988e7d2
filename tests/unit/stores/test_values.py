"""A column that does not hold what it must is refused, not guessed at."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from weft.stores.values import Misshapen, binary, listed, texts, whole


@pytest.mark.parametrize(
    ("read", "value"), [(whole, "1"), (binary, "b"), (listed, "ab"), (texts, None), (texts, "{}")]
)
def test_what_has_another_form_is_refused(read: Callable[[object], object], value: object) -> None:
    with pytest.raises(Misshapen):
        read(value)


def test_texts_are_a_list_or_the_json_of_one() -> None:
    assert texts(["a", "나"]) == texts('["a", "나"]') == ["a", "나"]
