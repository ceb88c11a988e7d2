"""Answers as they leave over HTTP."""

from __future__ import annotations

import pytest

from weft.api.shapes.answers import answer_shape
from weft.domain.answer import Answer
from weft.domain.ids import RunId
from weft.domain.notes import note
from weft.platform.identity import local_owner


def answer(text: str, *, refused: bool, short: str = "") -> Answer:
    return Answer(
        answer=text,
        sentences=(),
        refused=refused,
        missing=(),
        offline=True,
        run_id=RunId("r1"),
        short=short,
    )


@pytest.mark.anyio
async def test_a_computed_answer_leaves_with_what_it_comes_to() -> None:
    said = answer("3", refused=False, short="3")
    shape = await answer_shape(said, local_owner(), stores=(), tool_runs=())
    assert (shape.short, shape.reason) == ("3", None)


@pytest.mark.anyio
async def test_a_refusal_that_found_a_part_of_the_way_says_so_by_a_code() -> None:
    for language in ("en", "ko"):
        text = note("hop_unsaid", language=language, name="Ada", role="mother")
        said = answer(text, refused=True)
        shape = await answer_shape(said, local_owner(), stores=(), tool_runs=())
        assert shape.reason is not None
        assert shape.reason.code == "hop_unsaid"
        assert shape.reason.values == {"name": "Ada", "role": "mother"}


@pytest.mark.anyio
async def test_any_other_refusal_has_no_reason_by_code() -> None:
    said = answer("I cannot answer this.", refused=True)
    shape = await answer_shape(said, local_owner(), stores=(), tool_runs=())
    assert shape.reason is None
