"""The blocks of a manual in reStructuredText: what is described and how far, what is code."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.adapters.reader.outline import Style, blocks
from weft.domain.record import BlockKind, Record
from weft.ingest.splitting.blocks import units

MANUAL = """\
Fields
======

.. setting:: TEXTS

``TEXTS``
---------

.. class:: Text(most=None)

    A text of any length.

    .. attribute:: most

        At most so many, as in::

            Text(most=80)

            Text()

        Else there is no limit.

    Texts are compared without regard to case.

.. code-block:: python

    Text("a")

Words again.
"""


def paths(text: str) -> dict[str, tuple[str, ...]]:
    found = blocks(text, style=Style.RESTRUCTURED)
    record = Record(content=text, title="", blocks=tuple(found))
    return {text[one.start : one.end]: one.path for one in units(record)}


def test_a_description_goes_as_far_as_it_is_indented() -> None:
    found = paths(MANUAL)
    texts = ("Fields", "TEXTS")
    assert found["A text of any length."] == (*texts, "Text(most=None)")
    assert found["Else there is no limit."] == (*texts, "Text(most=None)", "most")
    assert found["Texts are compared without regard to case."] == (*texts, "Text(most=None)")
    assert found["Words again."] == texts


def test_what_is_shown_as_it_stands_is_code() -> None:
    kinds = {
        MANUAL[one.start : one.end]: one.kind for one in blocks(MANUAL, style=Style.RESTRUCTURED)
    }
    for said in ("Text(most=80)", "Text()", 'Text("a")'):
        assert kinds[said] is BlockKind.CODE
    assert kinds["Else there is no limit."] is BlockKind.PARAGRAPH
    assert kinds["A text of any length."] is BlockKind.PARAGRAPH


LINES = st.sampled_from([*MANUAL.splitlines(), "", "::", "~~~~", ".. note:: x", "    a", "\t- b"])


@given(st.lists(LINES, max_size=25))
def test_between_blocks_is_only_white_space(lines: list[str]) -> None:
    text, at = "\n".join(lines), 0
    for one in blocks(text, style=Style.RESTRUCTURED):
        assert one.end > one.start >= at
        assert not text[at : one.start].strip()
        at = one.end
    assert not text[at:].strip()
