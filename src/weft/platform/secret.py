"""A secret of this machine's own, kept in a file."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path


def secret_in(path: Path) -> bytes:
    """Return the secret kept in a file, made at first start and readable by its owner alone."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        draft.touch(mode=0o600)
        draft.write_bytes(secrets.token_bytes(32))
        with suppress(FileExistsError):  # another process may have been first
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_bytes()
