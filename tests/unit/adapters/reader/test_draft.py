"""A document's text as it grows: rows are rows and items are items to whatever reads the text."""

from __future__ import annotations

from weft.adapters.reader.draft import TextDraft
from weft.domain.record import BlockKind
from weft.language.blocks.lines import LineKind, blocks_of
from weft.language.sentences import sentences


def test_a_row_is_one_sentence_whatever_its_cells_say() -> None:
    draft = TextDraft()
    draft.row(["Pile", "Remark", "Next"])
    draft.row(["E-07", "It is old. Nobody knows why.", "Replace it."])
    said = [draft.content[span.start : span.end] for span in sentences(draft.content)]
    assert said[-1] == "| E-07 | It is old. Nobody knows why. | Replace it. |"
    assert [block.kind for block in blocks_of(draft.content)] == [LineKind.HEADER, LineKind.ROW]


def test_only_what_is_said_to_be_one_is_the_header_of_two_columns() -> None:
    draft = TextDraft()
    draft.row(["Owner", "Mira"])
    assert draft.content == "| Owner | Mira |"
    draft.add("Text.", BlockKind.PARAGRAPH)
    draft.row(["Name", "a|b"], is_header=True)
    assert draft.content.endswith("| Name | a\\|b |\n|---|---|")


def test_items_are_told_apart_once() -> None:
    draft = TextDraft()
    for text in ("lamps,", "- ropes", "3. boats"):
        draft.add(text, BlockKind.ITEM)
    assert draft.content == "- lamps,\n- ropes\n3. boats"
    assert len(sentences(draft.content)) == 3


def test_a_row_of_days_or_years_is_no_header_by_itself() -> None:
    draft = TextDraft()
    draft.row(["Ida", "2024-01-02", "2024-02-03"])
    draft.row(["Ben", "2019", "2020"])
    assert "---" not in draft.content
