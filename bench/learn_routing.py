"""Learn the router's weights from shapes of questions and from questions with what is accepted.

`python bench/learn_routing.py [FOLDER]`: FOLDER holds `phrases.yaml`, `router.jsonl` and
`semantic.jsonl`, where an id is who asked and a number. Prints how many of each person's questions
are right by weights learned without that person, and writes
`src/weft/offline/routing/weights.json`, learned on all of them. Each question is learned twice,
with its vector by the shipped embedder and without one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import yaml

from weft.adapters.onnx.encoder import MiniLm, open_embedder
from weft.agents.routing import GraphSide, Specialist
from weft.offline.routing.router import softmax
from weft.offline.routing.signs import names, signs_of
from weft.offline.routing.words import words_of

Floats = npt.NDArray[np.float32]
HERE = Path(__file__).parent / "routing"
OUT = Path(__file__).parents[1] / "src/weft/offline/routing/weights.json"
CACHE = Path(__file__).parent / "out/cache/model"
SETS = {
    "specialists": ("router", tuple(map(str, Specialist))),
    "sides": ("semantic", tuple(map(str, GraphSide))),
}
_FOLDS, _STEPS, _RATE, _HOLD = 5, 400, 2.0, 1e-5
# Signs are on or off, words share a length of one: at these scales both are learned alike fast.
_SIGNS = 0.3
_FILLED, _SHAPES = 5, 3
DIMENSIONS = 384
_TYPO, _REAL = 0.3, 3.0


@dataclass(frozen=True, slots=True)
class Example:
    """A question, who may answer it, how much it counts, the shape it came from, and who asked."""

    question: str
    accept: tuple[str, ...]
    weight: float
    shape: str
    person: str = ""


def filled(shape: str, fills: Mapping[str, Sequence[object]], chance: random.Random) -> list[str]:
    """Return up to `_FILLED` questions of a shape."""
    found = {
        re.sub(r"\{([^}]+)\}", lambda hole: str(chance.choice(fills[hole[1]])), shape)
        for _ in range(3 * _FILLED)
    }
    return sorted(found)[:_FILLED]


def misspelt(question: str, chance: random.Random) -> str:
    """Return a question with two letters swapped, one lost or one doubled."""
    at = chance.randrange(max(len(question) - 1, 1))
    pair = question[at : at + 2]
    return (
        question[:at] + chance.choice((pair[::-1], pair[:1], pair[:1] + pair)) + question[at + 2 :]
    )


def shaped(name: str, choices: Sequence[str], folder: Path) -> list[Example]:
    """Return the questions that the shapes give."""
    sheet = yaml.safe_load((folder / "phrases.yaml").read_text(encoding="utf-8"))
    chance = random.Random(5)
    found = []
    for choice in choices:
        for shape in sheet[name][choice]:
            questions = filled(shape, sheet["fills"], chance)
            found += [
                Example(question, (choice,), 1 / len(questions), shape) for question in questions
            ]
            found.append(Example(misspelt(questions[0], chance), (choice,), _TYPO, shape))
    return found


def asked(name: str, folder: Path) -> list[Example]:
    """Return the questions that somebody wrote."""
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    bodies = [json.loads(line) for line in lines if line]
    return [
        Example(
            body["question"],
            tuple(body["accept"]),
            _REAL,
            body["question"],
            body["id"].rstrip("0123456789"),
        )
        for body in bodies
    ]


def vocabulary(examples: Sequence[Example]) -> dict[str, int]:
    """Return the words that stand in `_SHAPES` shapes at least, with their columns."""
    shapes = defaultdict(set)
    for example in examples:
        for word in words_of(example.question):
            shapes[word].add(example.shape)
    kept = sorted(word for word, seen in shapes.items() if len(seen) >= _SHAPES)
    return {word: at for at, word in enumerate(kept)}


def features(examples: Sequence[Example], columns: Mapping[str, int], vectors: Floats) -> Floats:
    """Return float32[examples, words + signs + dimensions]."""
    width = len(columns) + len(names())
    rows = np.zeros((len(examples), width + vectors.shape[1]), np.float32)
    for row, example in zip(rows, examples, strict=True):
        known = [columns[word] for word in words_of(example.question) if word in columns]
        row[known] = 1 / np.sqrt(max(len(known), 1))
        row[len(columns) : width] = _SIGNS * signs_of(example.question)
    rows[:, width:] = vectors
    return rows


def read_by(embedder: MiniLm, examples: Sequence[Example]) -> Floats:
    """Return float32[examples, dimensions]."""
    vectors = asyncio.run(embedder.queries([one.question for one in examples]))
    return np.asarray(vectors, dtype=np.float32)


def shares(examples: Sequence[Example], choices: Sequence[str]) -> Floats:
    """Return float32[examples, choices]: what share each choice is to have."""
    wanted = np.array([[one in each.accept for one in choices] for each in examples], np.float32)
    return wanted / wanted.sum(axis=1, keepdims=True)


def learn(rows: Floats, wanted: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return weights float32[choices, features] and intercepts that fit shares of each choice."""
    weights = np.zeros((wanted.shape[1], rows.shape[1]), np.float32)
    intercepts = np.zeros(wanted.shape[1], np.float32)
    speed, speed0 = np.zeros_like(weights), np.zeros_like(intercepts)
    part = (counts / counts.sum())[:, None]
    for _ in range(_STEPS):
        off = (softmax(rows @ weights.T + intercepts) - wanted) * part
        speed = 0.9 * speed - _RATE * (off.T @ rows + _HOLD * weights)
        speed0 = 0.9 * speed0 - _RATE * off.sum(axis=0)
        weights, intercepts = weights + speed, intercepts + speed0
    return weights.astype(np.float32), intercepts.astype(np.float32)


def twice(rows: Floats, wanted: Floats, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return all examples, and again as they are read without an embedder."""
    bare = rows.copy()
    bare[:, -DIMENSIONS:] = 0
    return np.vstack([rows, bare]), np.vstack([wanted, wanted]), np.concatenate([counts, counts])


def main() -> None:
    """Learn both, print by folds, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=HERE)
    parser.add_argument("--details", action="store_true", help="Show what is wrong by folds.")
    parser.add_argument("--no-folds", action="store_true", help="Only learn and write.")
    told = parser.parse_args()
    body = {}
    embedder = open_embedder(CACHE)
    for kind, (name, choices) in SETS.items():
        examples = [*shaped(name, choices, told.folder), *asked(name, told.folder)]
        columns = vocabulary(examples)
        vectors = read_by(embedder, examples)
        rows, wanted = features(examples, columns, vectors), shares(examples, choices)
        counts = np.array([example.weight for example in examples], np.float32)
        if not told.no_folds:
            _by_people(kind, choices, examples, (rows, wanted, counts), told.details)
        weights, intercepts = learn(*twice(rows, wanted, counts))
        width = len(columns) + len(names())
        words = np.round(weights[:, : len(columns)], 2)
        body[kind] = {
            "choices": choices,
            "signs": {
                sign: [round(float(one), 3) for one in column]
                for sign, column in zip(
                    names(), _SIGNS * weights[:, len(columns) : width].T, strict=True
                )
            },
            "read_by": embedder.fingerprint,
            "meaning": [[round(float(one), 2) for one in row] for row in weights[:, width:]],
            "intercepts": [round(float(one), 3) for one in intercepts],
            "words": {
                word: [round(float(one), 2) for one in words[:, at]] for word, at in columns.items()
            },
        }
    OUT.write_text(
        json.dumps(body, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8"
    )


def _by_people(
    kind: str,
    choices: Sequence[str],
    examples: Sequence[Example],
    arrays: tuple[Floats, Floats, Floats],
    details: bool,
) -> None:
    """Print how many of each person's questions are right by weights learned without them."""
    rows, wanted, counts = arrays
    people = list(dict.fromkeys(example.person for example in examples if example.person))
    fold = np.array([people.index(one.person) % _FOLDS if one.person else -1 for one in examples])
    right, asked = Counter[str](), Counter(example.person for example in examples)
    for number in range(_FOLDS):
        others = fold != number
        weights, intercepts = learn(*twice(rows[others], wanted[others], counts[others]))
        for at in np.flatnonzero(fold == number):
            example, best = examples[at], choices[int(np.argmax(weights @ rows[at] + intercepts))]
            right[example.person] += best in example.accept
            if details and best not in example.accept:
                print(f"  {best:<8}{'|'.join(example.accept):<14}{example.question}")
    for person in people:
        print(f"  {person:<12}{100 * right[person] / asked[person]:5.1f} % of {asked[person]}")
    total = sum(asked[person] for person in people)
    print(f"{kind}: {100 * right.total() / total:.1f} % of {total} right, each person left out")


if __name__ == "__main__":
    main()
