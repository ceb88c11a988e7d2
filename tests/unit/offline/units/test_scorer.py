from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from weft.domain.errors import BadInput
from weft.offline.units.order import models_of, shown_of
from weft.offline.units.scorer import columns, scorer_of

LINE = {"features": ["a", "b"], "mean": [1, 0], "scale": [2, 1], "weights": [3, -1], "intercept": 1}


def test_a_line_is_the_sum_of_what_is_standardised() -> None:
    scorer = scorer_of(LINE, ("a", "b"), name="order")
    assert scorer.scores(np.array([[3.0, 2.0], [1.0, 0.0]])).tolist() == [2.0, 1.0]
    assert scorer.chances(np.array([[1.0, 1.0]])).tolist() == [0.5]


def test_what_lies_far_outside_counts_as_far_as_it_was_taught() -> None:
    scorer = scorer_of(LINE, ("a", "b"), name="order")
    near, far = scorer.scores(np.array([[13.0, 0.0], [1e9, 0.0]]))
    assert near == far


def test_weights_of_other_features_are_refused_by_name() -> None:
    with pytest.raises(BadInput, match="'order' are for other features: b, c"):
        scorer_of(LINE, ("a", "c"), name="order")
    with pytest.raises(BadInput, match="'outcome' are for other features: their order"):
        scorer_of(LINE, ("b", "a"), name="outcome")


def test_the_shipped_model_is_refused_where_it_lacks_a_feature() -> None:
    held = files("weft.offline.units").joinpath("weights.json").read_text(encoding="utf-8")
    body = json.loads(held)
    body["several"]["outcome"]["features"][0] = "phase_of_the_moon"
    with pytest.raises(BadInput, match="phase_of_the_moon"):
        models_of(json.dumps(body))


def test_columns_are_in_the_order_of_their_names() -> None:
    found = {"b": np.array([1.0]), "a": np.array([2.0])}
    assert columns(found, ("a", "b")).tolist() == [[2.0, 1.0]]


@pytest.mark.parametrize(
    ("chances", "count"),
    [([0.8], 1), ([0.8, 0.3, 0.29], 3), ([0.8, 0.2, 0.7], 1), ([0.3, 0.14, 0.2], 1)],
)
def test_further_units_are_shown_while_they_are_likely(chances: list[float], count: int) -> None:
    assert shown_of(np.array(chances), part=0.35, least=0.15) == count
