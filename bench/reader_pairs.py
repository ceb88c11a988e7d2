"""Questions with units that answer them and units that do not, for `learn_reader.py`.

`reader_pairs.py [DATA]`: writes `bench/out/reader.jsonl`, a question a line, of the articles of the
folds that teach the reader and of the folders of the half `teach`. What weighs the reader's score
is found on the articles of the other folds.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from answer_folds import fold_of
from answers_scoring import contains
from handbook_bases import handbooks
from handbook_searches import SearchedHandbook, searched_handbooks
from stranger_labels import answers
from strangers_base import SEED, STRANGERS, StrangerQuestion

from weft.language.hangul import has_hangul
from weft.language.sentences import sentences
from weft.language.terms import terms
from weft.offline.units.order import rank_units
from weft.offline.units.reading import under

OUT = Path(__file__).parent / "out" / "reader.jsonl"
# The articles of these folds teach nothing.
HELD = (1, 4)
KEPT = 12
# Of an answer that stands far behind in the order so many places count.
_FARTHER = 2
# A sentence of the paragraph that was asked about is the likelier to be taken for the answer.
_NEAR, _SHORTER = 1.0, 0.25


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an article, with its paragraph, what it stands under, and its stems."""

    paragraph: str
    head: tuple[str, ...]
    text: str
    stems: frozenset[str]


def row_of(
    question: str, units: Iterable[tuple[Sequence[str], str]], *, right: Sequence[bool], **more: Any
) -> dict[str, Any]:
    """Return a question as a line; units that `says` marks hold the words of the answer."""
    told = [{"head": list(head), "text": text} for head, text in units]
    return {"question": question, "units": told, "right": list(map(bool, right)), **more}


def of_articles(data: Path) -> Iterator[dict[str, Any]]:
    """Yield the questions on articles that teach, beside the sentences that are like them."""
    for name in STRANGERS:
        texts: dict[str, str] = {}
        held: dict[str, list[Sentence]] = {}
        with gzip.open(data / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                texts[row["id"]] = row["text"]
                held.setdefault(row["title"], []).extend(_sentences(row))
        rng = Random(SEED)
        for line in (data / name / "dev.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if fold_of(row["article"]) not in HELD and row["article"] in held:
                question = _question(name, row)
                made = _against(question, held[row["article"]], texts[question.paragraph], rng)
                if made is not None:
                    yield made


def _sentences(row: Mapping[str, str]) -> Iterator[Sentence]:
    section = row.get("section") or ""
    head = (row["title"], section) if section not in ("", "Abstract") else (row["title"],)
    for span in sentences(row["text"]):
        said = row["text"][span.start : span.end].strip()
        yield Sentence(row["id"], head, said, frozenset(terms(said)))


def _question(name: str, row: Mapping[str, Any]) -> StrangerQuestion:
    return StrangerQuestion(
        id=row["id"],
        dataset=name,
        text=row["question"],
        answers=tuple(row["answers"]),
        paragraph=row["supporting_ids"][0],
        article=row["article"],
        answerable=row["answerable"],
        gone="",
    )


def _against(
    question: StrangerQuestion, every: Sequence[Sentence], paragraph: str, rng: Random
) -> dict[str, Any] | None:
    """Return a question beside the sentences of its article that share the rarest words with it."""
    df = Counter(stem for one in every for stem in one.stems)
    asked = set(terms(question.text))
    scores = [
        sum(math.log(1 + len(every) / df[stem]) for stem in asked & one.stems)
        / (3 + len(one.stems)) ** _SHORTER
        + _NEAR * (one.paragraph == question.paragraph)
        + rng.random()
        for one in every
    ]

    def holds(one: Sentence) -> bool:
        own = one.paragraph == question.paragraph
        return own and answers(question, one.text, paragraph=paragraph)

    chosen = [every[n] for n in np.argsort(-np.array(scores), kind="stable")[:KEPT]]
    chosen += [one for one in every if one not in chosen and holds(one)][:_FARTHER]
    right = [holds(one) for one in chosen]
    if question.answerable and not any(right):
        return None
    says = [any(contains(one.text, words) for words in question.answers) for one in chosen]
    return row_of(
        question.text,
        [(one.head, one.text) for one in chosen],
        right=right,
        says=says,
        there=question.answerable,
        book=False,
    )


def of_books(found: Iterable[SearchedHandbook]) -> Iterator[dict[str, Any]]:
    """Yield the questions of folders beside the units that stand first for them."""
    for one in found:
        question = one.question
        if has_hangul(question.text):  # the network reads no Korean
            continue
        entries = [(hit.evidence.id, hit) for hit in one.found.hits]
        units = rank_units(question.text, one.found.terms, entries=entries).units
        right = [question.holds(unit.text, unit.hit.evidence.uri) for unit in units]
        far = [n for n in range(KEPT, len(units)) if right[n]][:_FARTHER]
        chosen = [*range(min(KEPT, len(units))), *far]
        told = [under(units[n]) for n in chosen]
        yield row_of(
            question.text,
            [(unit.head, unit.text) for unit in told],
            right=[right[n] for n in chosen],
            says=[False] * len(chosen),
            there=question.is_answered,
            book=True,
        )


def main() -> None:
    """Write what teaches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    asked = parser.parse_args()
    rows = list(of_articles(asked.data))
    rows += of_books(asyncio.run(searched_handbooks(handbooks("teach"))))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} questions, {sum(row['there'] for row in rows)} of them answered")


if __name__ == "__main__":
    main()
