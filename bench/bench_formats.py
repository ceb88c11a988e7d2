"""Measure reading: what is recovered of known texts, by format and by the program that wrote them.

python bench/bench_formats.py            # the documents under tests/samples
python bench/bench_formats.py FOLDER     # others: NAME.PROGRAM.EXTENSION beside known/NAME.txt
"""

from __future__ import annotations

import asyncio
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.table import Table

from weft.adapters.reader.reader import ChildReader
from weft.domain.record import BlockKind, Record
from weft.ingest.splitting.split import split, word_ends

_OURS = re.compile(r"^(?:\|[-|]+$|- )|\|", re.MULTILINE)
_WORD = re.compile(r"\w+|[^\w\s]")
DOCUMENTS = Path(__file__).resolve().parents[1] / "tests" / "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What came of one file: shares from 0 to 1, and how many of each structure."""

    file: str
    status: str
    text: float = 0.0
    order: float = 0.0
    headings: int = 0
    pages: int = 0
    items: int = 0
    rows: int = 0
    chunks: int = 0
    spans: int = 0


def words(text: str) -> list[str]:
    """Return a text's words and its other marks one by one; those of tables and items are ours."""
    return _WORD.findall(_OURS.sub(" ", unicodedata.normalize("NFC", text)))


def recovered(known: str, found: str) -> float:
    """Return the share of a known text's characters whose words were found, each counted once."""
    wanted, there = Counter(words(known)), Counter(words(found))
    total = sum(len(word) * count for word, count in wanted.items())
    kept = sum(len(word) * min(count, there[word]) for word, count in wanted.items())
    return kept / total if total else 1.0


def in_order(known: str, found: str) -> float:
    """Return the share of neighbouring words of a known text that are neighbours in what was found.

    A word of several characters that stands in one line with the next.
    """
    pairs = [pair for line in known.splitlines() for pair in _pairs(words(line))]
    there = Counter(_pairs(words(found)))
    wanted = Counter(pairs)
    kept = sum(min(count, there[pair]) for pair, count in wanted.items())
    return kept / len(pairs) if pairs else 1.0


def _pairs(said: Sequence[str]) -> list[tuple[str, str]]:
    return list(pairwise(said))


def valid_spans(records: Iterable[Record]) -> tuple[int, int]:
    """Return how many chunks the records give, and of how many the span is their text."""
    chunks = valid = 0
    for record in records:
        for chunk in split(record, record.title, token_ends=word_ends):
            chunks += 1
            valid += record.content[chunk.start : chunk.end] == chunk.text
    return chunks, valid


async def measure(reader: ChildReader, path: Path, known: str) -> Recovery:
    """Read a file as the product does and compare it with its known text."""
    reading = await reader.read(path)
    records = reading.records
    found = "\n".join(record.content for record in records)
    kinds = Counter(block.kind for record in records for block in record.blocks)
    pages = {block.page for record in records for block in record.blocks if block.page}
    chunks, valid = valid_spans(records)
    titles = "\n".join(record.title for record in records)
    return Recovery(
        file=path.name,
        status=reading.status.value,
        text=recovered(known, f"{titles}\n{found}"),
        order=in_order(known, f"{titles}\n{found}"),
        headings=kinds[BlockKind.HEADING],
        pages=len(pages),
        items=kinds[BlockKind.ITEM],
        rows=kinds[BlockKind.ROW] + sum(1 for record in records if "!" in record.fragment),
        chunks=chunks,
        spans=valid,
    )


def known_files(folder: Path) -> list[tuple[Path, str]]:
    """Return every file of a folder whose text is known, with that text."""
    found = []
    for path in sorted(folder.iterdir()):
        known = folder / "known" / f"{path.name.partition('.')[0]}.txt"
        if path.is_file() and known.exists():
            found.append((path, known.read_text(encoding="utf-8")))
    return found


async def main(files: Sequence[tuple[Path, str]]) -> list[Recovery]:
    """Measure every file."""
    reader = ChildReader()
    made = [await measure(reader, path, known) for path, known in files]
    await reader.close()
    return made


def shown(made: Iterable[Recovery]) -> Table:
    """Return the table that is printed."""
    table = Table()
    for name in "file status text pairs headings pages items rows spans".split():
        table.add_column(name, justify="left" if name in ("file", "status") else "right")
    for each in made:
        shares = [f"{each.text:.1%}", f"{each.order:.1%}"]
        counts = [each.headings, each.pages, each.items, each.rows]
        table.add_row(
            each.file, each.status, *shares, *map(str, counts), f"{each.spans}/{each.chunks}"
        )
    return table


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    Console(width=120).print(shown(asyncio.run(main(known_files(place)))))
