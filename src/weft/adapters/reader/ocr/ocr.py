"""Text recognition by tesseract; poppler draws the pages of PDFs for it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING

from weft.adapters.reader.ocr.programs import ProgramFailed, Programs
from weft.platform.threads import opened_file
from weft.ports.files.ocr import PictureText

if TYPE_CHECKING:
    from weft.adapters.reader.ocr.process import ConfinedPrograms

# Raised whenever a change here reads a picture differently.
_OWN_VERSION = "1"
# So many pixels on the longer side: 300 a inch of an A4 page, whatever the page says of its size.
_PIXELS = "3508"
_MOST_PICTURE = 64 * 2**20
_MOST_TEXT = 4 * 2**20
_SECONDS_A_FILE = 1800.0
# Columns found by tesseract; one column. It takes Korean, Chinese and Japanese lines apart where it
# looks for columns, so of their pages the reading counts that is sure of more.
_COLUMNS, _ONE_COLUMN = "3", "4"
_WITHOUT_SPACES = ("kor", "jpn", "chi_")
# A word in the table that comes with the text: what is in its cells, and how many it has.
_CONFIDENCE, _WORD, _CELLS = 10, 11, 12
_SPACES = re.compile(r"[ \t]+")


class TesseractOcr:
    """Implements `ports/files/ocr.py`, one picture at a time."""

    def __init__(
        self,
        programs: Programs,
        confined: ConfinedPrograms | None = None,
        *,
        languages: str,
        pages: int,
    ) -> None:
        """Recognise these languages (`eng+kor`) on at most so many pages of a file.

        `confined` is what starts the programs, by default for what these read.
        """
        self._programs = programs
        self._given = confined
        self._languages = languages
        self._most_pages = pages
        self._turn = asyncio.Semaphore(1)

    @cached_property
    def _confined(self) -> ConfinedPrograms:
        # Here, because what confines a program is not needed before there is a picture.
        from weft.adapters.reader.ocr.process import ConfinedPrograms

        return self._given or ConfinedPrograms(self._programs.readable)

    @cached_property
    def name(self) -> str:
        """Return the program, its version and the languages."""
        return f"tesseract {self._programs.version} ({self._languages})"

    @cached_property
    def version(self) -> str:
        """Return the name, or what is not installed; the most pages, and how they are read."""
        return f"{_OWN_VERSION} {self.missing or self.name} {self._most_pages}"

    @cached_property
    def missing(self) -> str:
        """Return what is not installed."""
        return self._programs.missing(self._languages)

    async def breaches(self) -> tuple[str, ...]:
        """Return the names of what the programs could do although they should not."""
        return await self._confined.breaches()

    async def read(self, path: Path, *, pages: int) -> PictureText:
        """Draw and read page after page; one that fails is named, and the others are kept."""
        async with self._turn:
            with await opened_file(lambda: path.open("rb")) as file:
                if not pages:
                    return await self._picture(file)
                return await self._pages(file, pages)

    async def _picture(self, file: IO[bytes]) -> PictureText:
        try:
            text = await self._recognised(file)
        except ProgramFailed as failed:
            return PictureText(pages=(), skipped=(failed.message,))
        return PictureText(pages=tuple(text.split("\f")))

    async def _pages(self, file: IO[bytes], pages: int) -> PictureText:
        texts, skipped = list[str](), list[str]()
        deadline = time.monotonic() + _SECONDS_A_FILE
        for page in range(1, min(pages, self._most_pages) + 1):
            if time.monotonic() > deadline:
                skipped.append(f"pages {page} to {pages}: reading took {_SECONDS_A_FILE:g} s")
                break
            try:
                texts.append(await self._page(file, page))
            except ProgramFailed as failed:
                texts.append("")
                skipped.append(f"page {page}: {failed.message}")
        else:
            if pages > self._most_pages:
                skipped.append(
                    f"pages {self._most_pages + 1} to {pages}: too many (WEFT_OCR_PAGES)"
                )
        return PictureText(pages=tuple(texts), skipped=tuple(skipped))

    async def _page(self, file: IO[bytes], page: int) -> str:
        """Return the text of one page; its picture is never a file with a name."""
        from tempfile import TemporaryFile  # here, because most files have a text

        file.seek(0)
        drawn = await self._confined.run(
            [
                *(self._programs.pdftoppm, "-gray", "-scale-to", _PIXELS),
                *("-f", str(page), "-l", str(page), "-"),
            ],
            given=file,
            most_bytes=_MOST_PICTURE,
        )
        if not drawn:
            raise ProgramFailed("nothing was drawn")
        with TemporaryFile() as picture:
            await asyncio.to_thread(picture.write, drawn)
            picture.flush()
            return (await self._recognised(picture)).replace("\f", "\n\n")

    async def _recognised(self, picture: IO[bytes]) -> str:
        found = [await self._layout(picture, _COLUMNS)]
        if any(each.startswith(_WITHOUT_SPACES) for each in self._languages.split("+")):
            found.append(await self._layout(picture, _ONE_COLUMN))
        return max(found, key=lambda each: each[0])[1]

    async def _layout(self, picture: IO[bytes], layout: str) -> tuple[float, str]:
        """Return a picture's text, and how many letters it has, each as far as it is sure."""
        picture.seek(0)
        written = await self._confined.run(
            [
                *(self._programs.tesseract, "stdin", "stdout", "-l", self._languages),
                *("--psm", layout, "-c", "preserve_interword_spaces=1", "txt", "tsv"),
            ],
            given=picture,
            most_bytes=_MOST_TEXT,
        )
        lines = written.decode("utf-8", "replace").split("\n")
        words = [cells for line in lines if len(cells := line.split("\t")) == _CELLS]
        text = "\n".join(line for line in lines if line.count("\t") != _CELLS - 1)
        return _sure(words), _SPACES.sub(" ", text).strip("\f\n ")


def _sure(words: Sequence[Sequence[str]]) -> float:
    return sum(max(_number(row[_CONFIDENCE]), 0.0) * len(row[_WORD].strip()) for row in words)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
