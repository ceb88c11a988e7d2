"""Arrays and strings as files: mapped into memory when they are read, on the disk once written."""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from weft.index.strings.texts import Texts, joined_texts

# What is raised where a file is not there, not whole or not one of these.
UNUSABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError)

# Bytes.
_READ_WHOLE = 65_536


def read_array(folder: Path, name: str) -> npt.NDArray[Any]:  # its type is in the file
    """Return an array as it lies in its file; raise one of `UNUSABLE` if it does not.

    As `np.load` maps it, but without looking up the path's every folder and without a class of its
    own for the array: with so many small ones the two take longer than all the rest.
    """
    with open(folder / f"{name}.npy", "rb") as file:
        if npy.read_magic(file) != (1, 0):
            raise ValueError(f"'{name}' is of an unknown version")
        shape, is_fortran, kind = npy.read_array_header_1_0(file)
        if not math.prod(shape):  # nothing of size 0 can be mapped
            return np.empty(shape, kind)
        held, begin = _held(file)
    values: npt.NDArray[Any] = np.frombuffer(held, kind, math.prod(shape), begin)
    return values.reshape(shape, order="F" if is_fortran else "C")


def read_texts(folder: Path, name: str) -> Texts:
    """Return strings as they lie in their file; raise `OSError` if they do not."""
    with open(folder / f"{name}.txt", "rb") as file:
        held, _ = _held(file)
    return Texts(held)


def _held(file: BinaryIO) -> tuple[bytes | mmap.mmap, int]:
    """Return what follows where a file stands, and where in that it begins.

    A small one is read: each that is mapped holds a descriptor for as long as anyone looks at it,
    and with a hundred small knowledge bases a process would have none left.
    """
    if os.fstat(file.fileno()).st_size <= _READ_WHOLE:
        return file.read(), 0
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), file.tell()


def write_array(path: Path, values: npt.NDArray[Any]) -> None:
    """Write an array as `read_array` reads it."""
    with open(path, "wb") as file:
        np.save(file, values, allow_pickle=False)


def write_texts(path: Path, texts: Iterable[str]) -> None:
    """Write strings as `read_texts` reads them."""
    path.write_bytes(joined_texts(texts))


def put_in_place(draft: Path, place: Path) -> None:
    """Give a file or a folder of files its name once the disk has all of it.

    Asked for one by one as they are written, seventy files would take the disk as many rounds;
    written all before, they take little more than one.
    """
    for path in draft.iterdir() if draft.is_dir() else (draft,):
        held = os.open(path, os.O_RDONLY)
        try:
            os.fsync(held)
        finally:
            os.close(held)
    os.replace(draft, place)
