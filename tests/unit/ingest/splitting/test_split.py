"""Chunks: exact spans, all of the text, structure before size."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from weft.domain.record import Block, BlockKind, Record
from weft.ingest.splitting.settings import SplitSettings
from weft.ingest.splitting.split import ChunkDraft, split, word_ends

SMALL = SplitSettings(chunk_tokens=24, overlap=6)


def ends(text: str) -> list[int]:
    """Count as a tokenizer does that knows pieces of five letters."""
    return [found.end() for found in re.finditer(r"[^\W_]{1,5}|[^\w\s]|_", text)]


def record(*parts: tuple[BlockKind, str], page: int | None = None) -> Record:
    blocks, at = [], 0
    for kind, text in parts:
        level = len(text) - len(text.lstrip("#"))
        end = at + len(text)
        blocks.append(Block(start=at, end=end, kind=kind, level=level, page=page))
        at = end + 2
    content = "\n\n".join(text for _, text in parts)
    return Record(content=content, title="", blocks=tuple(blocks))


def chunks(of: Record, settings: SplitSettings = SMALL, title: str = "") -> list[ChunkDraft]:
    return split(of, title, token_ends=ends, settings=settings)


H, P, C, F = BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.CODE, BlockKind.FIELD


def test_small_neighbours_share_a_chunk_and_bear_its_section() -> None:
    (only,) = chunks(record((H, "# Top"), (H, "## Sub"), (P, "One thing."), (P, "Two things.")))
    assert only.text == "# Top\n\n## Sub\n\nOne thing.\n\nTwo things."
    assert only.section == "Top > Sub"
    held = [only.text[span.start : span.end] for span in only.sentences]
    assert held == ["# Top", "## Sub", "One thing.", "Two things."]


def test_small_sections_share_a_chunk_that_names_what_they_have_in_common() -> None:
    parts = [(H, "# A"), (H, "## B"), (P, "One."), (H, "## C"), (P, "Two.")]
    (only,) = chunks(record(*parts))
    assert only.section == "A"


def test_a_heading_stays_with_what_follows() -> None:
    body = "word " * 17 + "end."
    found = chunks(record((P, body), (H, "# Next"), (P, body)))
    assert [chunk.text.split()[0] for chunk in found] == ["word", "#"]
    assert [chunk.section for chunk in found] == [None, "Next"]


def test_a_long_paragraph_is_cut_between_sentences_and_its_pieces_overlap() -> None:
    text = " ".join(f"Number {n} is here now." for n in range(30))
    found = chunks(record((P, text)), SplitSettings(chunk_tokens=24, overlap=8))
    assert len(found) > 3
    for before, after in pairwise(found):
        assert before.text.endswith("now.")
        assert after.text.startswith("Number")
        assert 0 < before.end - after.start < len("Number 10 is here now.") + 1


def test_a_sentence_too_long_is_cut_between_words() -> None:
    text = " ".join(f"w{n}" for n in range(100))
    found = chunks(record((P, text)))
    words = set(text.split())
    assert all(set(chunk.text.split()) <= words for chunk in found)
    assert all(after.start < before.end for before, after in pairwise(found))


def test_a_word_too_long_is_cut_all_the_same() -> None:
    found = chunks(record((P, "x" * 1000)))
    assert (
        "".join(
            chunk.text
            for chunk in chunks(record((P, "x" * 1000)), SplitSettings(chunk_tokens=24, overlap=0))
        )
        == "x" * 1000
    )
    assert all(chunk.tokens <= 24 for chunk in found)
    one_token = split(record((P, "y" * 100_000)), "", token_ends=lambda text: [len(text)])
    assert max(len(chunk.text) for chunk in one_token) < 5000


def test_pages_do_not_mix() -> None:
    blocks = tuple(Block(start=n * 5, end=n * 5 + 4, kind=P, page=n + 1) for n in range(3))
    found = chunks(Record(content="aaa.\nbbb.\nccc.", title="", blocks=blocks))
    assert [(chunk.text, chunk.page) for chunk in found] == [("aaa.", 1), ("bbb.", 2), ("ccc.", 3)]


def test_code_is_cut_between_lines_without_overlap() -> None:
    code = "\n".join(f"    value_{n} = {n} + {n}" for n in range(20)).strip()
    found = chunks(record((C, code)))
    assert len(found) > 2
    assert all(chunk.text.startswith("value_") for chunk in found)
    assert all(before.end < after.start for before, after in pairwise(found))


def test_the_title_counts() -> None:
    text = " ".join(f"Number {n} is here now." for n in range(30))
    with_title = chunks(record((P, text)), title="a title of some length")
    assert len(with_title) > len(chunks(record((P, text))))
    assert max(chunk.tokens for chunk in with_title) <= 24


def test_an_endless_title_leaves_room_for_text() -> None:
    found = chunks(record((P, "One two three. " * 20)), title="long " * 500)
    assert 1 < len(found) < 20


def test_text_that_no_block_covers_is_split_too() -> None:
    plain = Record(content="\n One.\n\nTwo.\n", title="")
    assert [chunk.text for chunk in chunks(plain)] == ["One.\n\nTwo."]
    partly = Record(
        content="before # mid after", title="", blocks=(Block(start=7, end=12, kind=C),)
    )
    assert chunks(partly)[0].text == "before # mid after"


def test_nothing_to_split() -> None:
    assert chunks(Record(content=" \n ", title="")) == []


def test_words_count_where_there_is_no_tokenizer() -> None:
    assert len(word_ends("one two three four five six seven eight nine ten")) == 13
    assert len(word_ends("東京は日本の首都")) == 10
    assert word_ends("") == []
    text = "one two three four. " * 100
    found = split(Record(content=text, title=""), "", token_ends=word_ends)
    assert 2 <= len(found) <= 4


kinds = st.sampled_from(list(BlockKind))
texts = st.one_of(
    st.text(max_size=120),
    st.lists(
        st.sampled_from(["word ", "End. ", "\n", "x" * 60, "다. ", "文。", " ", "# ", "1", "\t"]),
        max_size=80,
    ).map("".join),
)


@st.composite
def records(draw: st.DrawFn) -> Record:
    content, blocks = "", []
    for kind, text, gap in draw(st.lists(st.tuples(kinds, texts, texts), max_size=6)):
        if text:
            page = draw(st.sampled_from([None, 1, 2]))
            end = len(content) + len(text)
            level = draw(st.integers(1, 3))
            blocks.append(Block(start=len(content), end=end, kind=kind, level=level, page=page))
        content += text + (gap if draw(st.booleans()) else "\n")
    return Record(content=content, title="", blocks=tuple(blocks))


@given(records(), st.integers(4, 60), st.integers(0, 40), st.sampled_from([ends, word_ends]))
def test_chunks_hold_all_the_text(of: Record, size: int, overlap: int, count: object) -> None:
    token_ends = ends if count is ends else word_ends
    settings = SplitSettings(chunk_tokens=size, overlap=overlap)
    found = split(of, "t", token_ends=token_ends, settings=settings)
    covered = 0
    for chunk in found:
        assert of.content[chunk.start : chunk.end] == chunk.text == chunk.text.strip() != ""
        assert not of.content[covered : chunk.start].strip()
        covered = max(covered, chunk.end)
        at = 0
        for span in chunk.sentences:
            assert not chunk.text[at : span.start].strip()
            at = span.end
        assert not chunk.text[at:].strip()
    assert not of.content[covered:].strip()
    assert [c.start for c in found] == sorted({c.start for c in found})
    assert [c.end for c in found] == sorted({c.end for c in found})
    assert split(of, "t", token_ends=token_ends, settings=settings) == found


@given(
    st.lists(st.text("ab.", min_size=1, max_size=12), min_size=1, max_size=200),
    st.integers(20, 40),
    st.integers(0, 40),
)
def test_no_cut_is_inside_a_word(words: list[str], size: int, overlap: int) -> None:
    settings = SplitSettings(chunk_tokens=size + 8, overlap=overlap)
    of = record((H, "# " + words[0]), (P, " ".join(words)))
    text = of.content
    bounds = {0, len(text), *(n for n, char in enumerate(text) if char.isspace())}
    for chunk in chunks(of, settings):
        assert chunk.start in bounds or chunk.start - 1 in bounds
        assert chunk.end in bounds
