"""Arrays and strings as files: as they were written, and no more open than must be."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from weft.adapters.sqlite.array_files import read_array, read_texts, write_array, write_texts

OPEN = Path("/proc/self/fd")


def open_files() -> int:
    return len(os.listdir(OPEN))


@pytest.mark.parametrize("rows", [0, 1, 1000, 8191, 100_000])
@pytest.mark.parametrize("kind", [np.int64, np.float32, np.uint8])
def test_what_is_read_is_what_was_written_and_cannot_be_changed(
    tmp_path: Path, rows: int, kind: type
) -> None:
    for shape in ((rows,), (rows, 2)):
        values: npt.NDArray[Any] = np.arange(rows * len(shape)).astype(kind).reshape(shape)
        write_array(tmp_path / "a.npy", values)
        read = read_array(tmp_path, "a")
        assert read.dtype == kind
        assert np.array_equal(read, values)
        assert not rows or not read.flags.writeable


@pytest.mark.parametrize("count", [0, 1, 3, 20_000])
def test_strings_are_read_as_they_were_written(tmp_path: Path, count: int) -> None:
    texts = [f"{number} 다리" for number in range(count)]
    write_texts(tmp_path / "t.txt", texts)
    assert list(read_texts(tmp_path, "t")) == texts


@pytest.mark.skipif(not OPEN.is_dir(), reason="this system does not tell what is open")
def test_small_ones_hold_nothing_open_and_a_large_one_is_mapped(tmp_path: Path) -> None:
    before = open_files()
    write_array(tmp_path / "small.npy", np.arange(1000))
    write_texts(tmp_path / "small.txt", ["one", "two"])
    small = read_array(tmp_path, "small"), read_texts(tmp_path, "small")
    assert open_files() == before
    write_array(tmp_path / "large.npy", np.arange(100_000))
    large = read_array(tmp_path, "large")
    assert open_files() == before + 1
    del large, small
    assert open_files() == before
