"""Which claims go together: those whose pages name the same rare things are kept in one fold.

Claims of one article cite pages on one subject, and the data does not say which article a claim
came from, so the pages themselves must tell.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]

# Set by reading pairs: above it pages share a person, a band or a site, below hardly anything.
ALIKE = 0.08
# A name on more pages than this tells nothing of what a page is about.
_COMMON = 15
_RUN = re.compile(r"\b[A-Z][\w'’]+(?:\s+[A-Z][\w'’]+)+")


def groups_of(pages: Sequence[str], *, alike: float = ALIKE) -> Places:
    """Return int64[pages]: the same number for pages that are alike, by whatever chain."""
    counts = [_names(page) for page in pages]
    group = np.arange(len(pages))
    near = _cosines(counts) > alike
    for one, other in np.argwhere(np.triu(near, 1)):
        group[group == group[other]] = group[one]
    return group


def folds_of(groups: Places, *, folds: int, seed: int) -> Places:
    """Return int64[pages]: a fold each, of near equal sizes, no group in two of them."""
    drawn = np.random.default_rng(seed).permutation(np.unique(groups))
    size = Counter(groups.tolist())
    taken, place = np.zeros(folds, dtype=np.int64), dict[int, int]()
    for group in sorted(drawn.tolist(), key=lambda group: -size[group]):
        place[group] = int(taken.argmin())
        taken[place[group]] += size[group]
    return np.array([place[group] for group in groups.tolist()])


def _names(page: str) -> Counter[tuple[str, str]]:
    """Count the neighbours in runs of words with a capital."""
    runs = (match.group().casefold().split() for match in _RUN.finditer(page))
    return Counter(pair for run in runs for pair in pairwise(run))


def _cosines(counts: Sequence[Counter[tuple[str, str]]]) -> npt.NDArray[np.float64]:
    """Return float64[pages, pages] by names weighed by rarity; the most common link nothing."""
    spread = Counter(name for count in counts for name in count)
    rarity = {name: math.log(len(counts) / n) for name, n in spread.items()}
    shared = [name for name, n in spread.items() if 2 <= n <= _COMMON]
    column = {name: at for at, name in enumerate(shared)}
    table = np.zeros((len(counts), len(column)))
    for row, count in zip(table, counts, strict=True):
        weights = {name: (1 + math.log(n)) * rarity[name] for name, n in count.items()}
        length = math.sqrt(sum(weight**2 for weight in weights.values())) or 1.0
        for name in weights.keys() & column.keys():
            row[column[name]] = weights[name] / length
    return np.asarray(table @ table.T)
