"""The model's tensors, memory-mapped from a safetensors file, and the shape of the network."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt

from weft.domain.errors import WeightsMissing
from weft.domain.frozen import dataclass

LAYERS = 6
# So many layers are the lower half of the network, which what reads a question and a text together
# reads on from.
LOWER_LAYERS = 3
HEADS = 12
WIDTH = 384
EPSILON = 1e-12

Array = npt.NDArray[np.float32]

_HEADER_LIMIT = 1 << 20
_SIZE_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One tensor's line in the header: its type, its shape, and its bytes after the header."""

    dtype: str
    shape: tuple[int, ...]
    first: int
    last: int


def read(path: Path) -> dict[str, Array]:
    """Return the float32 tensors of a safetensors file by name; pages are read when touched.

    Raises `WeightsMissing` when the file cannot be read or its header does not fit its length.
    """
    try:
        data: npt.NDArray[np.uint8] = np.asarray(np.memmap(path, mode="r", dtype=np.uint8))
        entries, begin = _header(data)
    except (OSError, ValueError) as error:
        raise WeightsMissing(f"{path} is damaged; run `weft model install`") from error
    body = data[begin:]
    return {
        name: body[entry.first : entry.last].view("<f4").reshape(entry.shape)
        for name, entry in entries.items()
        if entry.dtype == "F32"
    }


def _header(data: npt.NDArray[np.uint8]) -> tuple[dict[str, _Entry], int]:
    """Return the entries and where the tensors begin, or raise `ValueError`."""
    size = int.from_bytes(data[:_SIZE_BYTES].tobytes(), "little")
    begin = _SIZE_BYTES + size
    if size > _HEADER_LIMIT or begin > len(data):
        raise ValueError("the header is longer than the file")
    raw = json.loads(data[_SIZE_BYTES:begin].tobytes())
    if not isinstance(raw, dict):
        raise ValueError("the header is no object")
    entries = {name: _entry(line) for name, line in raw.items() if name != "__metadata__"}
    for name, entry in entries.items():
        fits = 0 <= entry.first <= entry.last <= len(data) - begin
        numbers = 4 * math.prod(entry.shape)
        if not fits or (entry.dtype == "F32" and entry.last - entry.first != numbers):
            raise ValueError(f"{name} does not fit the file")
    return entries, begin


def _entry(line: object) -> _Entry:
    match line:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [int(first), int(last)]}:
            if all(isinstance(length, int) and length >= 0 for length in shape):
                return _Entry(dtype=dtype, shape=tuple(shape), first=first, last=last)
    raise ValueError("the header has a line of another form")
