"""Keys of programs: 256 random bits, of which only an HMAC is kept."""

from __future__ import annotations

import hmac
import re
import secrets
from hashlib import sha256

from weft.domain.frozen import dataclass

_KEY = re.compile(r"weft_([0-9a-f]{16})_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedKey:
    """A key as it is shown once: `text` is the whole, `mac` what is kept of it."""

    id: str
    text: str
    mac: str


def issue(secret: bytes) -> IssuedKey:
    """Return a new key, sealed with the secret of the workspace."""
    key_id = secrets.token_hex(8)
    text = f"weft_{key_id}_{secrets.token_urlsafe(32)}"
    return IssuedKey(id=key_id, text=text, mac=mac_of(secret, text))


def id_of(text: str) -> str:
    """Return the public part of a key, empty for what is none."""
    found = _KEY.fullmatch(text)
    return found[1] if found else ""


def mac_of(secret: bytes, text: str) -> str:
    """Return what is kept of a key."""
    return hmac.new(secret, text.encode(), sha256).hexdigest()


def is_sealed(secret: bytes, text: str, *, mac: str) -> bool:
    """Tell whether a key is the one of which a MAC was kept."""
    return hmac.compare_digest(mac_of(secret, text), mac)
