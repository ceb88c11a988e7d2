"""Invitations: one-time keys by which somebody opens the page in a browser."""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from pathlib import Path

from weft.domain.ids import digest
from weft.platform.identity import LOCAL_TENANT, OWNER_NAME

LIFETIME_SECONDS = 12 * 3600
_FOLDER = "invitations"


def invite(home: Path, *, tenant: str = LOCAL_TENANT, user: str = OWNER_NAME) -> str:
    """Return a key that lets somebody in once, within twelve hours; only its hash is kept."""
    folder = home / _FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for old in folder.iterdir():
        with suppress(FileNotFoundError):  # another removed it
            if _is_over(old):
                old.unlink()
    key = secrets.token_urlsafe(24)
    place = folder / digest(key)
    draft = place.with_suffix(".new")
    draft.touch(mode=0o600)
    draft.write_text(f"{tenant}\n{user}", encoding="utf-8")
    draft.replace(place)
    return key


def redeem(home: Path, key: str) -> tuple[str, str] | None:
    """Return whom a key lets in, its tenant and name, and use it up; of two at once one is."""
    place = home / _FOLDER / digest(key)
    try:
        over, said = _is_over(place), place.read_text(encoding="utf-8")
        place.unlink()
    except OSError:
        return None
    tenant, _, user = said.partition("\n")
    return None if over else (tenant or LOCAL_TENANT, user or OWNER_NAME)


def _is_over(place: Path) -> bool:
    return time.time() - place.stat().st_mtime > LIFETIME_SECONDS
