"""Browser sessions: what a browser keeps after an invitation, for how long, and how it ends."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from weft.domain.ids import digest

# A browser that is not used for so long has to be invited again.
LIFE_SECONDS = 12 * 3600
LONGEST_SECONDS = 30 * 24 * 3600
_RENEWED_SECONDS = 3600
_EPOCH = "browser_epoch"
_ENDED = "signed_out"
_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSession:
    """One browser's session; `since` and `until` are seconds of the clock."""

    id: str
    since: int
    until: int


class BrowserSessions:
    """Signs and reads what browsers keep; a signature is good for one workspace and one port.

    Browsers send a cookie to every port of a host: the name is of this service's own, so that two
    services do not take each other's, and what another program is sent is good for hours only.
    """

    def __init__(self, home: Path, secret: str, *, now: Callable[[], float] = time.time) -> None:
        """Take the workspace, and the secret that is signed with."""
        self._home = home
        self._secret = secret.encode()
        self._now = now

    def name(self, port: int) -> str:
        """Return the name of the cookie of the service at a port."""
        return f"weft_key_{self._mac(f'name:{port}')[:12]}"

    def begin(self, port: int) -> str:
        """Return what a browser that was let in is to keep."""
        now = int(self._now())
        return self._signed(
            BrowserSession(id=secrets.token_hex(16), since=now, until=now + LIFE_SECONDS), port
        )

    def read(self, value: str, port: int) -> BrowserSession | None:
        """Return the session that a browser names; None where it is over, ended or forged."""
        said, _, mac = value.rpartition(".")
        parts = said.split(".")
        if len(parts) != 3 or not _equal(mac, self._sign(said, port)):
            return None
        if not all(one.isascii() and one.isdigit() and len(one) <= _DIGITS for one in parts[:2]):
            return None
        found = BrowserSession(id=parts[2], since=int(parts[1]), until=int(parts[0]))
        return found if found.until > self._now() and not self._ended(found).exists() else None

    def renewed(self, session: BrowserSession, port: int) -> str | None:
        """Return what a browser is to keep from now on; None where what it has will do.

        A session that is used goes on, for thirty days at most.
        """
        now = int(self._now())
        until = min(now + LIFE_SECONDS, session.since + LONGEST_SECONDS)
        if until - session.until < _RENEWED_SECONDS:
            return None
        return self._signed(BrowserSession(id=session.id, since=session.since, until=until), port)

    def end(self, session: BrowserSession) -> None:
        """End a session, wherever a copy of it is kept."""
        folder = self._home / _ENDED
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for old in folder.iterdir():
            if self._now() - old.stat().st_mtime > LONGEST_SECONDS:
                old.unlink(missing_ok=True)
        self._ended(session).touch(mode=0o600)

    def end_all(self) -> None:
        """End every session of the workspace."""
        end_all(self._home)

    def _ended(self, session: BrowserSession) -> Path:
        return self._home / _ENDED / digest(session.id)

    def _signed(self, session: BrowserSession, port: int) -> str:
        said = f"{session.until}.{session.since}.{session.id}"
        return f"{said}.{self._sign(said, port)}"

    def _sign(self, said: str, port: int) -> str:
        return self._mac(f"cookie:{port}:{_epoch(self._home)}:{said}")

    def _mac(self, said: str) -> str:
        return hmac.new(self._secret, said.encode(), sha256).hexdigest()


def end_all(home: Path) -> None:
    """End every browser's session of a workspace; a running service heeds it at once."""
    draft = home / f"{_EPOCH}.{secrets.token_hex(4)}"
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_hex(16), encoding="ascii")
    draft.replace(home / _EPOCH)


def _epoch(home: Path) -> str:
    """Return what all signatures of a workspace have in common since its sessions were ended."""
    try:
        return (home / _EPOCH).read_text(encoding="ascii")
    except FileNotFoundError:
        return ""


def _equal(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode(), known.encode())
