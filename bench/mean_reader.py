"""Write the mean of several teachings of a reader: `mean_reader.py OUT FILE...`.

Each file is one that `learn_reader.py --write` wrote, all of one reader. Prints the name that goes
into `reader_weights.py` where the mean is what ships.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from weft.adapters.onnx.reader_weights import packed, taught, unpacked
from weft.adapters.onnx.tensors import read
from weft.adapters.onnx.weights import find


def mean_of(files: list[Path]) -> dict[str, Any]:
    """Return the mean of some teachings by tensor, packed as they are."""
    whole = read(find(Path()).tensors)
    each = [unpacked(dict(np.load(file)), whole) for file in files]
    mean = {name: np.stack([one[name] for one in each]).mean(axis=0) for name in each[0]}
    return packed(mean, whole)


def main() -> None:
    """Write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    wanted = parser.parse_args()
    np.savez(wanted.out, **mean_of(wanted.files))
    print(taught(dict(np.load(wanted.out))))


if __name__ == "__main__":
    main()
