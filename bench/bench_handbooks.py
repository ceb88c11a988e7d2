"""What answers are worth on folders as people keep them, asked in their own words.

`bench_handbooks.py [--half keep] [--details]`: asks every question of the folders of a half as
users ask, prints a line a folder and one of all, and writes `bench/out/handbooks.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from handbook_bases import HALVES, Handbook, HandbookQuestion, handbooks

from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.domain.answer import Answer
from weft.flows.asking import Asking
from weft.platform.identity import local_owner

OUT = Path(__file__).parent / "out" / "handbooks.json"
MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A folder's figures, shares in 0 to 1; `n` questions with an answer, `near` without one.

    `first`: the first unit, shown or nearest, is what answers; `right`: a shown one is; `found`: a
    shown one or one of the first three nearest; `nothing`: neither; `false`: answered of `near`.
    """

    name: str
    n: int
    near: int
    first: float
    right: float
    answered: float
    found: float
    nothing: float
    false: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A question, its answer, and which of the shown and the nearest units are what answers."""

    question: HandbookQuestion
    answer: Answer
    shown: tuple[bool, ...]
    nearest: tuple[bool, ...]


async def ask_all(book: Handbook) -> list[Outcome]:
    """Return what the product answers to a folder's questions."""
    app = await open_app(load_settings(book.home))
    try:
        owner, flows = local_owner(), build_flows(app)
        store = await app.library.of_folder(owner, book.folder)
        found: list[Outcome] = []
        for one in book.questions:
            asking = Asking(question=one.text, knowledge_bases=(store.name,))
            answer = (await flows.run(owner, asking)).answer
            shown = tuple(
                any(one.holds(said.text, cited.uri) for cited in said.citations)
                for said in answer.sentences
            )
            near = tuple(one.holds(c.snippet, c.uri) for c in answer.nearest[:MOST])
            found.append(Outcome(question=one, answer=answer, shown=shown, nearest=near))
        return found
    finally:
        await app.close()


def row_of(name: str, outcomes: Sequence[Outcome]) -> Row:
    """Return the figures of a folder."""
    there = [one for one in outcomes if one.question.is_answered]
    near = [one for one in outcomes if not one.question.is_answered]
    return Row(
        name=name,
        n=len(there),
        near=len(near),
        first=_share(any((*one.shown, *one.nearest)[:1]) for one in there),
        right=_share(any(one.shown) for one in there),
        answered=_share(not one.answer.refused for one in there),
        found=_share(any((*one.shown, *one.nearest)) for one in there),
        nothing=_share(not (one.shown or one.nearest) for one in there),
        false=_share(not one.answer.refused for one in near),
    )


def _share(values: Iterable[bool]) -> float:
    found = list(values)
    return round(sum(found) / len(found), 4) if found else 0.0


def show(row: Row) -> None:
    """Print a folder's figures, shares in percent."""
    names = ("first", "right", "answered", "found", "nothing", "false")
    figures = "  ".join(f"{name} {100 * getattr(row, name):.1f}" for name in names)
    print(f"{row.name:14} ({row.n} + {row.near}): {figures}", flush=True)


def _detail(one: Outcome) -> str:
    answer = one.answer
    line = {
        "id": one.question.id,
        "question": one.question.text,
        "unit": [place.unit for place in one.question.places],
        "shown": [sentence.text for sentence in answer.sentences],
        "nearest": [citation.snippet for citation in answer.nearest],
        "right": [list(one.shown), list(one.nearest)],
        "short": answer.short,
    }
    return json.dumps(line, ensure_ascii=False)


def main() -> None:
    """Ask, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES, default="keep")
    parser.add_argument("--details", action="store_true", help="write a line a question")
    wanted = parser.parse_args()
    rows, every = [], []
    for book in handbooks(wanted.half):
        outcomes = asyncio.run(ask_all(book))
        rows.append(row_of(book.name, outcomes))
        show(rows[-1])
        every += outcomes
    rows.append(row_of("all", every))
    show(rows[-1])
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    if wanted.details:
        OUT.with_suffix(".jsonl").write_text("\n".join(map(_detail, every)) + "\n")


if __name__ == "__main__":
    main()
