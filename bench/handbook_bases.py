"""Folders as people keep them, with questions in their own words: `folders/` and `manuals/`.

Each folder of `folders/` is a base of its own; the manuals of each half are one base. What of the
half `teach` may be learnt from, what of `keep` is only measured.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml
from answers_scoring import normalised
from retrieval_bases import cache_folder

from weft.domain.ids import digest
from weft.sdk.weft import Weft

HERE = Path(__file__).parent
FOLDERS, MANUALS = HERE / "folders", HERE / "manuals"
# Where Python packages are looked for that the environment lacks (`manuals/README.md`).
PACKAGES = HERE / "out" / "packages"
HANDBOOKS = "handbooks"
HALVES = ("teach", "keep")
# A text without the words of an expected answer is still it with so much of the unit.
_MOST_OF_IT = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A passage that answers: the document's name without its ending, and its text."""

    document: str
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandbookQuestion:
    """A question, where it is answered, and by which words; no place where the folder is silent.

    `document` is the one that answers it or comes close.
    """

    id: str
    text: str
    document: str
    places: tuple[Place, ...]
    answers: tuple[str, ...]

    @property
    def is_answered(self) -> bool:
        """Tell whether the folder answers it."""
        return bool(self.places)

    def holds(self, text: str, uri: str) -> bool:
        """Tell whether a text of a document is what answers, or enough of it."""
        return any(
            _stem(uri) == one.document and _is_of(text, one.unit, self.answers)
            for one in self.places
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Handbook:
    """A folder with its workspace and its questions."""

    name: str
    half: str
    folder: Path
    home: Path
    questions: tuple[HandbookQuestion, ...]


def handbooks(half: str) -> Iterator[Handbook]:
    """Yield the folders of a half, read in where they are not yet."""
    halves = yaml.safe_load((FOLDERS / "folders.yaml").read_text(encoding="utf-8"))
    for name in sorted(one for one, own in halves.items() if own == half):
        yield _opened(name, half, _documents(name), _of_folder(name))
    folder = _manuals(half)
    if any(folder.iterdir()):
        yield _opened(f"manuals-{half}", half, folder, _of_manuals(half, folder))


def _documents(name: str) -> Path:
    """Return a copy of a folder's documents without what is asked of them."""
    folder = cache_folder() / f"folder-{name}"
    shutil.copytree(
        FOLDERS / name, folder, ignore=lambda *_: ["questions.jsonl"], dirs_exist_ok=True
    )
    return folder


def _opened(
    name: str, half: str, folder: Path, questions: tuple[HandbookQuestion, ...]
) -> Handbook:
    texts = [one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()]
    key = digest(*(text.decode("utf-8", "replace") for text in texts))[:10]
    home = cache_folder() / f"handbook-{name}-{key}"
    if not (home / "complete").exists():
        with Weft.open(folder, home=home) as opened:
            opened.sync()
        (home / "complete").touch()
    return Handbook(name=name, half=half, folder=folder, home=home, questions=questions)


def _of_folder(name: str) -> tuple[HandbookQuestion, ...]:
    return tuple(
        HandbookQuestion(
            id=row["id"],
            text=row["question"],
            document=row["file"] or row["near"],
            places=tuple(
                Place(document=Path(one["file"]).stem, unit=one["unit"])
                for one in (row, *row.get("also", ()))
                if one["unit"]
            ),
            answers=tuple(row["answers"]),
        )
        for row in _rows(FOLDERS / name / "questions.jsonl")
    )


def _manuals(half: str) -> Path:
    """Return the folder of a half's manuals, gathered from the packages that are here."""
    every, folder = cache_folder() / "manuals", cache_folder() / f"manuals-{half}"
    if not folder.exists():
        sites = [*(one for one in sys.path if one.endswith("site-packages")), str(PACKAGES)]
        asked = [str(every), *(word for one in sites for word in ("--site", one))]
        subprocess.run([sys.executable, str(MANUALS / "gather.py"), *asked], check=True)
        folder.mkdir(parents=True)
        for one in sorted(every.iterdir()):
            if _halves_of_manuals()[one.stem] == half:
                (folder / one.name).write_bytes(one.read_bytes())
    return folder


def _halves_of_manuals() -> dict[str, str]:
    rows = yaml.safe_load((MANUALS / "manuals.yaml").read_text(encoding="utf-8"))
    return {row["id"]: row["part"] for row in rows}


def _of_manuals(half: str, folder: Path) -> tuple[HandbookQuestion, ...]:
    here = {one.stem for one in folder.iterdir()}
    halves = _halves_of_manuals()
    return tuple(
        HandbookQuestion(
            id=row["id"],
            text=row["question"],
            document=about,
            places=(Place(document=row["document"], unit=row["unit"]),) if row["unit"] else (),
            answers=tuple(row["answers"]),
        )
        for row in _rows(MANUALS / "questions.jsonl")
        if (about := row["document"] or row["near"]) in here and halves[about] == half
    )


def _stem(uri: str) -> str:
    return Path(unquote(uri)).stem


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _is_of(text: str, unit: str, answers: tuple[str, ...]) -> bool:
    said, whole = _plain(text), _plain(unit)
    if unit.startswith("|"):  # a row may be told cell by cell, each under its head
        return all(_plain(cell) in said for cell in unit.split("|"))
    if not said or (said not in whole and whole not in said):
        return False
    return any(_plain(one) in said for one in answers) or len(said) >= _MOST_OF_IT * len(whole)


def _plain(text: str) -> str:
    return normalised(text.replace("|", " ").replace("*", "").replace("`", ""))
