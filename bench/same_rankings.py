"""Whether two versions of the code rank alike, to the last bit of every score.

`same_rankings.py ONE TWO`: two files as `bench_retrieval.py --first N` writes them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> int:
    """Compare, print a line for each set, method and title condition, and fail on a difference."""
    one, two = (json.loads(Path(given).read_text(encoding="utf-8")) for given in sys.argv[1:3])
    differing = 0
    for key in sorted({*one, *two}):
        left, right = one.get(key, {}), two.get(key, {})
        asked = sorted({*left, *right})
        other = [name for name in asked if left.get(name) != right.get(name)]
        found = sum(len(ranking) for ranking in left.values())
        said = "equal" if not other else f"{len(other)} differ, first {other[0]}"
        print(f"{key:36}{len(asked):>5} questions{found:>7} found  {said}")
        differing += len(other)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
