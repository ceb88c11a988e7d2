"""A secret of this machine's own, kept in a file."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from weft.platform.workspace import unusable


def random_hex(size: int) -> str:
    """Return `size` random bytes that nobody can guess, as hexadecimal digits.

    As `secrets.token_hex` does, which loads much that it does not need.
    """
    return os.urandom(size).hex()


def secret_in(path: Path) -> bytes:
    """Return the secret kept in a file, made at first start and readable by its owner alone.

    Raises `StoreUnavailable` where the file's folder, a workspace, cannot be used for that.
    """
    try:
        return _kept_in(path)
    except OSError as error:
        raise unusable(path.parent, error) from error


def _kept_in(path: Path) -> bytes:
    if not path.exists():
        draft = path.with_name(f"{path.name}.{random_hex(4)}")
        draft.touch(mode=0o600)
        draft.write_bytes(os.urandom(32))
        with suppress(FileExistsError):  # another process may have been first
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_bytes()
