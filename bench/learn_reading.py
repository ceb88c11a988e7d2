"""Learn what the reader's scores weigh, and from where on they answer, on what did not teach it.

`learn_reading.py [DATA] [--write]`: asks on the articles of the folds that `reader_pairs.py` leaves
out and on the folders of the half `keep`, and prints for each set what is answered, rightly and
falsely, by weights and points that all sets gave and by those that the other sets gave. With
`--write` it puts the former into `src/weft/offline/units/reading.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from answer_folds import fold_of
from handbook_bases import HandbookQuestion, handbooks
from handbook_searches import SearchedHandbook, searched_handbooks
from learn_answers import wanted
from listwise import Candidates, Recipe, learn_order
from reader_pairs import HELD
from regression import learn
from retrieval_bases import cache_folder
from stranger_labels import answers
from stranger_searches import Searched, searched
from strangers_base import STRANGERS, StrangerQuestion, Strangers, strangers

from weft.adapters.onnx.cross_reader import MiniLmReader
from weft.adapters.onnx.encoder import open_embedder
from weft.language.hangul import has_hangul
from weft.offline.question.question import goes_over_several
from weft.offline.units.order import weigh_units
from weft.offline.units.reading import shipped_reading, under
from weft.offline.units.unit_features import FoundUnit
from weft.ports.embedder import CrossReader
from weft.retrieval.hits import Found, Hit

WEIGHTS = Path(__file__).parents[1] / "src" / "weft" / "offline" / "units" / "reading.json"
FOLDERS, MANUALS = "folders", "manuals"
SETS = (*STRANGERS, FOLDERS, MANUALS)
STRENGTH, COUNTED = 0.001, 3000
FALSE = {"answering": 0.08, "cautious": 0.03}
NOTHING = {"answering": 0.02, "cautious": 0.05}

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A question's first units: float64[units] of the order, float64[units, 2] of the reader.

    `gone` says what is not there that would answer, `logit` the order's log-odds that the first
    units do, `right` which of them do.
    """

    name: str
    gone: str
    logit: float
    scores: Doubles
    read: Doubles
    right: tuple[bool, ...]


def row_of(
    name: str,
    text: str,
    found: Found,
    *,
    gone: str,
    holds: Callable[[FoundUnit], bool],
    by: CrossReader,
) -> Iterator[Row]:
    """Yield a question's row where it is one that the reader judges."""
    ranked = weigh_units(text, found.terms, entries=_entries(found.hits))
    first = ranked.units[: shipped_reading().most]
    if not first or has_hangul(text) or goes_over_several(text):
        return
    read = by.read(text, [under(one) for one in first])
    if read is None:
        raise SystemExit("The reader's network cannot be had.")
    yield Row(
        name=name,
        gone=gone,
        logit=ranked.logit,
        scores=np.array(ranked.scores[: len(first)]),
        read=read,
        right=tuple(map(holds, first)),
    )


def _entries(hits: Iterable[Hit]) -> list[tuple[str, Hit]]:
    return [(hit.evidence.id, hit) for hit in hits]


def of_articles(made: Strangers, found: Iterable[Searched], by: CrossReader) -> Iterator[Row]:
    """Yield questions on articles; those that their writer made unanswerable are left out."""
    for one in found:
        question = one.question
        holds = partial(_holds_answer, question, made.texts[question.paragraph])
        yield from row_of(
            question.dataset,
            question.text,
            one.found,
            gone=question.gone,
            holds=holds,
            by=by,
        )


def _holds_answer(question: StrangerQuestion, paragraph: str, unit: FoundUnit) -> bool:
    return answers(question, unit.text, paragraph=paragraph)


def of_folders(found: Iterable[SearchedHandbook], by: CrossReader) -> Iterator[Row]:
    """Yield questions on folders, some of which these answer nearly."""
    for one in found:
        question = one.question
        name = MANUALS if MANUALS in one.book.name else FOLDERS

        holds = partial(_answers, question)
        gone = "" if question.is_answered else "near"
        yield from row_of(name, question.text, one.found, gone=gone, holds=holds, by=by)


def _answers(question: HandbookQuestion, unit: FoundUnit) -> bool:
    return question.holds(unit.text, unit.hit.evidence.uri)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """All rows by one pair of weights: float64[rows] of log-odds, and where the first is right."""

    weight: float
    sure: float
    logits: Doubles
    right: npt.NDArray[np.bool_]


class Judge:
    """What weights and points come to on some sets, each of which counts the same."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Take all rows."""
        self._rows = rows
        self._names = np.array([row.name for row in rows])
        self._gone = np.array([row.gone for row in rows])

    def learnt(self, names: Sequence[str]) -> Weighed:
        """Return the weights by which units that answer are the likeliest first, then to answer."""
        weight = self._weight(names)
        read, right = self._first(weight)
        taught = (right | (self._gone != "")) & np.isin(self._names, names)
        rows = np.stack([self._logits, read], axis=1)[taught]
        counts = np.round(self._counts(names)[taught]).astype(int)
        line = learn(
            np.repeat(rows, counts, axis=0),
            np.repeat(right[taught].astype(float), counts),
            strength=STRENGTH,
        )
        order, sure = line.weights / line.scale
        return self.weighed(weight, round(float(sure / order), 2))

    def weighed(self, weight: float, sure: float) -> Weighed:
        """Return the rows by a pair of weights."""
        read, right = self._first(weight)
        return Weighed(weight=weight, sure=sure, logits=self._logits + sure * read, right=right)

    @property
    def _logits(self) -> Doubles:
        return np.array([row.logit for row in self._rows])

    def _first(self, weight: float) -> tuple[Doubles, npt.NDArray[np.bool_]]:
        """Return what the reader says of each row's first unit, and which of them answer."""
        first = [int(np.argmax(row.scores + weight * row.read[:, 0])) for row in self._rows]
        both = list(zip(self._rows, first, strict=True))
        read = np.array([row.read[n, 1] for row, n in both])
        return read, np.array([row.right[n] and not row.gone for row, n in both])

    def _weight(self, names: Sequence[str]) -> float:
        """Return what the reader's order weighs beside the other, as an order of both is learnt."""
        counts = self._counts(names)
        line = learn_order(
            [
                Candidates(
                    rows=np.stack([row.scores, row.read[:, 0]], axis=1),
                    right=np.array(row.right),
                    weight=count,
                )
                for row, count in zip(self._rows, counts, strict=True)
                if count and not row.gone
            ],
            Recipe(),
        )
        order, read = line.weights / line.scale
        return round(float(read / order), 2)

    def _counts(self, names: Sequence[str]) -> Doubles:
        """Return how often each row counts: sets the same, and in each what is there and not."""
        counts = np.zeros(len(self._rows))
        for name in names:
            kinds = sorted(set(self._gone[self._names == name]))
            for kind in kinds:
                mine = (self._names == name) & (self._gone == kind)
                counts[mine] = COUNTED / mine.sum() / (len(kinds) - 1 if kind else 1)
        return counts

    def point(self, way: Weighed, names: Sequence[str], *, false: float) -> float:
        """Return the log-odds from which on so many of what is not there are answered."""
        counts = np.where(self._gone == "", 0.0, self._counts(names))
        order = np.argsort(-way.logits, kind="stable")
        over = np.cumsum(counts[order]) / counts.sum()
        return float(way.logits[order[min(int(np.searchsorted(over, false)), len(order) - 1)]])

    def nearest(self, way: Weighed, names: Sequence[str], *, nothing: float) -> float:
        """Return the log-odds below which no set gets nothing for more of what is there."""
        there = [way.logits[(self._names == name) & (self._gone == "")] for name in names]
        return min(float(np.quantile(own, nothing)) for own in there)

    def show(self, name: str, way: Weighed, point: float) -> None:
        """Print what comes of a set's questions."""
        over = way.logits > point

        def share(held: npt.NDArray[np.bool_], kind: str = "") -> float:
            return float(held[(self._names == name) & (self._gone == kind)].mean())

        figures = {"first": share(way.right), "answered": share(over)}
        figures["right"] = share(over & way.right)
        for kind in sorted(set(self._gone[self._names == name]) - {""}):
            figures[f"false ({kind})"] = share(over, kind)
        said = "  ".join(f"{what} {100 * figure:.1f}" for what, figure in figures.items())
        print(f"  {name:8} {said}")


def learnt(judge: Judge) -> dict[str, object]:
    """Print figures by what all sets gave and by what the others gave; return the former."""
    found = judge.learnt(SETS)
    for title, way in (("the order alone", judge.weighed(0.0, 0.0)), ("with the reader", found)):
        print(f"{title}: weight {way.weight}, sure {way.sure}")
        for name in SETS:
            judge.show(name, way, judge.point(way, SETS, false=FALSE["answering"]))
    print("by what the other sets gave")
    for name in SETS:
        others = [one for one in SETS if one != name]
        way = judge.learnt(others)
        judge.show(name, way, judge.point(way, others, false=FALSE["answering"]))
    points = {}
    for name, false in FALSE.items():
        answered = judge.point(found, SETS, false=false)
        nearest = judge.nearest(found, SETS, nothing=NOTHING[name])
        pair = np.array([answered, min(answered, nearest)])
        points[name] = np.round(1 / (1 + np.exp(-pair)), 4).tolist()
    return {"weight": found.weight, "sure": found.sure, "points": points}


async def rows_of(data: Path) -> list[Row]:
    """Return all questions that are judged, searched for where they were not yet."""
    folder = cache_folder() / "model"
    by = MiniLmReader(folder, open_embedder(folder))
    made = strangers(data, "dev")
    asked = [one for one in wanted(made, 1.0) if fold_of(one.article) in HELD and one.answerable]
    rows = list(of_articles(made, await searched(made, asked), by))
    return rows + list(of_folders(await searched_handbooks(handbooks("keep")), by))


def main() -> None:
    """Search, read, learn, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    found = learnt(Judge(asyncio.run(rows_of(asked.data))))
    body = {"most": shipped_reading().most, "within": shipped_reading().within, **found}
    print(json.dumps(body))
    if asked.write:
        WEIGHTS.write_text(json.dumps(body) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
