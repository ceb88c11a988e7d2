"""Browser sessions: what a browser keeps after an invitation, for how long, and how it ends."""

from __future__ import annotations

import base64
import hmac
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from weft.domain.acl import principal_key
from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.platform.identity import LOCAL_TENANT, OWNER_NAME

# A browser that is not used for so long has to be invited again.
LIFE_SECONDS = 12 * 3600
LONGEST_SECONDS = 30 * 24 * 3600
_RENEWED_SECONDS = 3600
_EPOCH = "browser_epoch"
_EPOCHS = "browser_epochs"
_ENDED = "signed_out"
_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSession:
    """One browser's session of a person; `since` and `until` are seconds of the clock."""

    id: str
    tenant: str
    user: str
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

    def begin(self, port: int, *, tenant: str = LOCAL_TENANT, user: str = OWNER_NAME) -> str:
        """Return what the browser of somebody who was let in is to keep."""
        now = int(self._now())
        made = BrowserSession(
            id=secrets.token_hex(16),
            tenant=tenant,
            user=user,
            since=now,
            until=now + LIFE_SECONDS,
        )
        return self._signed(made, port)

    def read(self, value: str, port: int) -> BrowserSession | None:
        """Return the session that a browser names; None where it is over, ended or forged."""
        said, _, mac = value.rpartition(".")
        found = _parsed(said)
        if found is None or not _equal(mac, self._sign(found, port)):
            return None
        return found if found.until > self._now() and not self._ended(found).exists() else None

    def renewed(self, session: BrowserSession, port: int) -> str | None:
        """Return what a browser is to keep from now on; None where what it has will do.

        A session that is used goes on, for thirty days at most.
        """
        now = int(self._now())
        until = min(now + LIFE_SECONDS, session.since + LONGEST_SECONDS)
        if until - session.until < _RENEWED_SECONDS:
            return None
        return self._signed(replace(session, until=until), port)

    def end(self, session: BrowserSession) -> None:
        """End a session, wherever a copy of it is kept."""
        folder = self._home / _ENDED
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for old in folder.iterdir():
            with suppress(FileNotFoundError):  # another removed it
                if self._now() - old.stat().st_mtime > LONGEST_SECONDS:
                    old.unlink()
        self._ended(session).touch(mode=0o600)

    def end_all_of(self, tenant: str, user: str) -> None:
        """End every session of one person."""
        folder = self._home / _EPOCHS
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _renew(folder / _epoch_name(tenant, user))

    def _ended(self, session: BrowserSession) -> Path:
        return self._home / _ENDED / digest(session.id)

    def _signed(self, session: BrowserSession, port: int) -> str:
        return f"{_said(session)}.{self._sign(session, port)}"

    def _sign(self, session: BrowserSession, port: int) -> str:
        everyone = _text(self._home / _EPOCH)
        own = _text(self._home / _EPOCHS / _epoch_name(session.tenant, session.user))
        return self._mac(f"cookie:{port}:{everyone}:{own}:{_said(session)}")

    def _mac(self, said: str) -> str:
        return hmac.new(self._secret, said.encode(), sha256).hexdigest()


def end_all(home: Path) -> None:
    """End every browser's session of a workspace; a running service heeds it at once."""
    _renew(home / _EPOCH)


def _epoch_name(tenant: str, user: str) -> str:
    """Return the name under which all sessions of a person end, however the name was written."""
    return digest(tenant, principal_key(user))


def _renew(path: Path) -> None:
    """Change what all signatures of somebody's sessions have in common."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_hex(16), encoding="ascii")
    draft.replace(path)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        return ""


def _said(session: BrowserSession) -> str:
    who = base64.urlsafe_b64encode(f"{session.tenant}\0{session.user}".encode()).decode()
    return f"{session.until}.{session.since}.{session.id}.{who.rstrip('=')}"


def _parsed(said: str) -> BrowserSession | None:
    """Return what a cookie says, before it is known whether that is true; None for nonsense."""
    parts = said.split(".")
    if len(parts) != 4 or not said.isascii():
        return None
    if not all(one.isdigit() and len(one) <= _DIGITS for one in parts[:2]):
        return None
    try:
        padded = parts[3] + "=" * (-len(parts[3]) % 4)
        tenant, _, user = base64.urlsafe_b64decode(padded).decode().partition("\0")
    except ValueError:
        return None
    found = BrowserSession(
        id=parts[2], tenant=tenant, user=user, since=int(parts[1]), until=int(parts[0])
    )
    # One way to write it: what differs in padding or leading zeros is no cookie of ours.
    return found if _said(found) == said else None


def _equal(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode(), known.encode())
