"""Notes of a sentence or a few, each a small folder of its own, with questions on them.

Articles and folders have much to find. In a base of two lines the same words score otherwise, and
who asks it what stands there in its own words is to be told: without these, near misses of large
folders teach that nothing is sure where little is found. The sentences and the questions are those
of a public set; every note is read by the product, with vectors and without.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from answers_scoring import contains
from folder_search import searching
from strangers_base import SEED, StrangerQuestion, Strangers

from weft.language.sentences import sentences
from weft.retrieval.hits import Found
from weft.sdk.weft import Weft

NOTES = "notes"
# A sentence that leans on the one before is no note: what it is about stands elsewhere.
_LEANING = frozenset(
    ("he she it they this that these those his her its their such there however but and also "
     "as while although in addition moreover another other both each").split()
)  # fmt: skip
_MOST_LINES, _LEAST_SIGNS, _MOST_SIGNS = 4, 30, 240
_DRAWN = 8
_ALONE, _TITLED = 0.4, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteQuestion:
    """A question, the sentence that answers it, whether that stands in the note, what was found."""

    question: StrangerQuestion
    line: str
    is_there: bool
    found: Found
    has_vectors: bool


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    asked: tuple[StrangerQuestion, ...]


async def note_questions(made: Strangers, count: int) -> list[NoteQuestion]:
    """Return what is found for the questions of `count` notes, from the file where it is known."""
    kept = made.home / f"notes-{count}.pickle"
    if kept.exists():
        found: list[NoteQuestion] = pickle.loads(kept.read_bytes())
        return found
    found = []
    rng = Random(SEED)
    articles = _articles(made)
    for number in range(count):
        lines = articles[number % len(articles)]
        found += await _asked(rng.sample(lines, min(len(lines), _DRAWN)), rng, number)
    kept.write_bytes(pickle.dumps(found))
    return found


def _articles(made: Strangers) -> list[list[_Line]]:
    """Return the sentences that stand alone and are asked about, by article."""
    by_paragraph: dict[str, list[StrangerQuestion]] = {}
    for one in made.questions:
        if one.dataset == "squad2" and one.answerable:
            by_paragraph.setdefault(one.paragraph, []).append(one)
    articles: dict[str, list[_Line]] = {}
    for paragraph, asked in by_paragraph.items():
        text = made.texts[paragraph]
        for span in sentences(text):
            said = " ".join(text[span.start : span.end].split())
            own = tuple(one for one in asked if any(contains(said, a) for a in one.answers))
            if own and _stands_alone(said):
                articles.setdefault(asked[0].article, []).append(_Line(said, own))
    return [lines for lines in articles.values() if len(lines) > 2]


def _stands_alone(said: str) -> bool:
    first = said.split()[0].casefold().strip(",")
    return _LEAST_SIGNS <= len(said) <= _MOST_SIGNS and first not in _LEANING


async def _asked(lines: Sequence[_Line], rng: Random, number: int) -> list[NoteQuestion]:
    """Make a note of some lines, and ask it about these and about the rest."""
    count = rng.randint(1, min(_MOST_LINES, len(lines) - 1))
    own, others = lines[:count], lines[count:]
    # The set has whole paragraphs; what these say of another line is not in the note.
    said = " ".join(one.text for one in own)
    asked = [(one, line, True) for line in own for one in line.asked[:2]]
    away = [(one, line, False) for line in others for one in line.asked[:1]]
    away = [each for each in away if not any(contains(said, a) for a in each[0].answers)]
    with_vectors = number % 2 == 0
    with TemporaryDirectory() as home:
        folder = Path(home) / "notes"
        folder.mkdir()
        for name, text in _files(own, rng):
            (folder / name).write_text(text + "\n", encoding="utf-8")
        (Path(home) / "weft.yaml").write_text("" if with_vectors else "embedder: none\n")
        with Weft.open(folder, home=Path(home)) as opened:
            opened.sync()
        chosen = [*asked, *away[:3]]
        found = await _searched(Path(home), folder, [one.text for one, _, _ in chosen])
    return [
        NoteQuestion(
            question=question, line=line.text, is_there=is_there, found=hits,
            has_vectors=with_vectors,
        )
        for (question, line, is_there), hits in zip(chosen, found, strict=True)
    ]  # fmt: skip


async def _searched(home: Path, folder: Path, asked: Sequence[str]) -> list[Found]:
    async with searching(home, folder) as search:
        return [await search(one) for one in asked]


def _files(lines: Sequence[_Line], rng: Random) -> Iterator[tuple[str, str]]:
    """Yield the files of a note: one a line, or one of all, with a title or without."""
    if rng.random() < _ALONE:
        for at, line in enumerate(lines):
            yield f"{at}.md", line.text
    else:
        title = "# Notes\n\n" if rng.random() < _TITLED else ""
        yield "notes.md", title + "\n\n".join(line.text for line in lines)
