"""Articles as a stranger's folder: documents by title, some paragraphs and articles left out.

Both sets of questions on documents make one base. A share of the paragraphs that hold answers, and
of whole articles, is never written into the folder: their questions have no answer there.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from retrieval_bases import cache_folder

from weft.domain.ids import digest
from weft.sdk.weft import Weft

STRANGERS = ("squad2", "selqa")
SEED = 20_261
# Of the split's articles so many are left out, and of the paragraphs of the others.
ARTICLES_OUT = 0.1
PARAGRAPHS_OUT = 0.12


@dataclass(frozen=True, slots=True, kw_only=True)
class StrangerQuestion:
    """A question on one paragraph: what answers it, and whether the paragraph was left out.

    `gone` is "paragraph" or "article" where it was, else empty; `answerable` is what the set says.
    """

    id: str
    dataset: str
    text: str
    answers: tuple[str, ...]
    paragraph: str
    article: str
    answerable: bool
    gone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Strangers:
    """The folder with its workspace, the questions, and the text of every paragraph by id."""

    folder: Path
    home: Path
    questions: tuple[StrangerQuestion, ...]
    texts: Mapping[str, str]


def strangers(data: Path, split: str) -> Strangers:
    """Return the folder of a split's documents, written and read in if it is not there yet."""
    found = {name: _rows(data / name / "corpus.jsonl.gz") for name in STRANGERS}
    asked = {name: _asked(data / name / f"{split}.jsonl") for name in STRANGERS}
    gone = {name: _left_out(found[name], asked[name]) for name in STRANGERS}
    key = digest(split, *(f"{name}{sorted(gone[name])}" for name in STRANGERS))[:10]
    home = cache_folder() / f"strangers-{key}"
    folder = home / "documents"
    made = Strangers(
        folder=folder,
        home=home,
        questions=tuple(one for name in STRANGERS for one in _read(name, asked[name], gone[name])),
        texts={row["id"]: row["text"] for rows in found.values() for row in rows},
    )
    if not (home / "complete").exists():
        for name in STRANGERS:
            _write(folder / name, found[name], gone[name])
        with Weft.open(folder, home=home) as opened:
            print(opened.sync())
        (home / "complete").touch()
    return made


def _rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _asked(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _left_out(rows: Iterable[dict[str, str]], asked: Sequence[dict[str, object]]) -> dict[str, str]:
    """Return the ids of the paragraphs that are left out: alone, or with their whole article."""
    rng = Random(SEED)
    gold = {str(one) for row in asked if row["answerable"] for one in _gold(row)}
    articles = sorted({str(row["article"]) for row in asked})
    whole = frozenset(rng.sample(articles, round(ARTICLES_OUT * len(articles))))
    out: dict[str, str] = {}
    for row in rows:
        chance = rng.random()
        if row["title"] in whole:
            out[row["id"]] = "article"
        elif row["id"] in gold and chance < PARAGRAPHS_OUT:
            out[row["id"]] = "paragraph"
    return out


def _gold(row: Mapping[str, object]) -> list[str]:
    held = row["supporting_ids"]
    return [str(one) for one in held] if isinstance(held, list) else []


def _read(
    name: str, asked: Iterable[Mapping[str, object]], gone: Mapping[str, str]
) -> Iterable[StrangerQuestion]:
    for row in asked:
        answers = row["answers"]
        paragraph = _gold(row)[0]
        yield StrangerQuestion(
            id=str(row["id"]),
            dataset=name,
            text=str(row["question"]),
            answers=tuple(map(str, answers)) if isinstance(answers, list) else (),
            paragraph=paragraph,
            article=str(row["article"]),
            answerable=bool(row["answerable"]),
            gone=gone.get(paragraph, ""),
        )


def _write(folder: Path, rows: Iterable[dict[str, str]], gone: Mapping[str, str]) -> None:
    """Write a file a title, its paragraphs in order of id, with the headings that they have."""
    folder.mkdir(parents=True, exist_ok=True)
    by_title: dict[str, list[dict[str, str]]] = {}
    for row in sorted(rows, key=lambda row: row["id"]):
        if row["id"] not in gone:
            by_title.setdefault(row["title"], []).append(row)
    for title, held in by_title.items():
        parts = [f"# {title}"]
        for row in held:
            section = row.get("section", "")
            parts += [f"## {section}"] if section and section != "Abstract" else []
            parts.append(row["text"].strip())
        name = re.sub(r"\W+", "-", title.casefold()).strip("-")
        (folder / f"{name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
