"""Weights that a question did not teach, in place of the shipped ones while it is asked."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from weft.domain.ids import digest
from weft.offline.units import order

FOLDS = 5

BY_FOLD = Path(__file__).parent / "out" / "folds"


def fold_of(key: str) -> int:
    """Return the fold of an article or a question."""
    return int(digest(key)[:8], 16) % FOLDS


def judge_by_fold(key: str) -> None:
    """Let weights that an article or a question did not teach put units in order from now on."""
    models = _models(fold_of(key))
    order.shipped = lambda: models  # type: ignore[assignment]


@cache
def _models(fold: int) -> order.UnitModels:
    path = BY_FOLD / f"{fold}.json"
    if not path.exists():
        raise SystemExit("There are no weights by fold: run bench/learn_answers.py first.")
    return order.models_of(path.read_text(encoding="utf-8"))
