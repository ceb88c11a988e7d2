"""Folders of any size: the evaluation sets' passages as Markdown files, and renamed copies of them.

In a copy every rare name has another spelling; frequent words stay, so that they grow with the
folder as they do in real ones.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

SETS = ("2wikimultihopqa", "musique", "hotpotqa", "squad2", "selqa")
SECTIONS = 10
_FILES = 100
_FREQUENT = 50
_SEED = 7
_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")


@dataclass(frozen=True, slots=True)
class Section:
    """A passage under its title."""

    title: str
    text: str


def write_folder(data: Path, folder: Path, *, sections: int) -> list[Path]:
    """Write so many passages, ten a file and a hundred files a folder; return the files."""
    written: list[Path] = []
    waiting = _sections(data, sections)
    while held := list(islice(waiting, SECTIONS)):
        number = len(written)
        path = folder / f"part{number // _FILES:03}" / f"article{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(map(_shown, held)), encoding="utf-8")
        written.append(path)
    return written


def _sections(data: Path, count: int) -> Iterator[Section]:
    passages = list(_passages(data))
    Random(_SEED).shuffle(passages)
    rare = _rare_names(passages)
    for number in range(count):
        copy, at = divmod(number, len(passages))
        yield _renamed(passages[at], copy, rare) if copy else passages[at]


def _passages(data: Path) -> Iterator[Section]:
    for name in SETS:
        with gzip.open(data / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield Section(row["title"], " ".join(row["text"].split()))


def _rare_names(passages: list[Section]) -> frozenset[str]:
    found = Counter(word for each in passages for word in set(_NAME.findall(each.text)))
    return frozenset(word for word, count in found.items() if count < _FREQUENT)


def _renamed(section: Section, copy: int, rare: frozenset[str]) -> Section:
    ending = "x" + chr(ord("a") + copy)

    def other(found: re.Match[str]) -> str:
        return found[0] + ending if found[0] in rare else found[0]

    return Section(f"{section.title} {copy}", _NAME.sub(other, section.text))


def _shown(section: Section) -> str:
    return f"## {section.title}\n\n{section.text}\n"
