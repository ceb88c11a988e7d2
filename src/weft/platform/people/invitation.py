"""Invitations: one-time keys by which the owner of a workspace opens the page in a browser."""

from __future__ import annotations

import secrets
import time
from pathlib import Path

from weft.domain.ids import digest

LIFETIME_SECONDS = 12 * 3600
_FOLDER = "invitations"


def invite(home: Path) -> str:
    """Return a key that opens the page once, within twelve hours; only its hash is kept."""
    folder = home / _FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for old in folder.iterdir():
        if _is_over(old):
            old.unlink(missing_ok=True)
    key = secrets.token_urlsafe(24)
    (folder / digest(key)).touch(mode=0o600)
    return key


def redeem(home: Path, key: str) -> bool:
    """Tell whether a key is valid, and use it up; of two who come at once one is let in."""
    place = home / _FOLDER / digest(key)
    try:
        over = _is_over(place)
        place.unlink()
    except OSError:
        return False
    return not over


def _is_over(place: Path) -> bool:
    return time.time() - place.stat().st_mtime > LIFETIME_SECONDS
