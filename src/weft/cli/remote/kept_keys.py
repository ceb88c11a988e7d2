"""Keys of services, kept in the workspace by address and readable by its owner alone."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from weft.domain.errors import BadInput, NotFound
from weft.domain.frozen import dataclass

_FILE = "services.json"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True, slots=True)
class KeptKeys:
    """The keys kept in a workspace; the service that was signed in to last comes last."""

    home: Path

    def keep(self, url: str, key: str) -> None:
        """Keep the key of a service in place of its former one."""
        self._write({**{one: held for one, held in self._read().items() if one != url}, url: key})

    def forget(self, url: str) -> None:
        """Forget the key of a service, or raise `NotFound`."""
        held = dict(self._read())
        if held.pop(url, None) is None:
            raise _unknown(url)
        self._write(held)

    def key(self, url: str) -> str:
        """Return the key of a service, or raise `NotFound`."""
        found = self._read().get(url)
        if found is None:
            raise _unknown(url)
        return found

    def last(self) -> str:
        """Return the address that was signed in to last, empty where there is none."""
        return next(reversed(list(self._read())), "")

    def _read(self) -> Mapping[str, str]:
        try:
            found = json.loads((self.home / _FILE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise BadInput(f"{_FILE} of the workspace cannot be read: {error}") from error
        if not isinstance(found, dict) or not all(isinstance(key, str) for key in found.values()):
            raise BadInput(f"{_FILE} of the workspace is not what weft login writes.")
        return found

    def _write(self, keys: Mapping[str, str]) -> None:
        draft = self.home / f"{_FILE}.{secrets.token_hex(4)}"
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(keys, indent=1), encoding="utf-8")
        draft.replace(self.home / _FILE)


def address_of(said: str) -> str:
    """Return a service's address in one way of writing it, or raise `BadInput`."""
    try:
        parts = urlsplit(said)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise _no_address(said) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _no_address(said)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadInput("The address of a service holds no name, no key and no question mark.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def is_readable_on_the_way(url: str) -> bool:
    """Tell whether what is sent to an address leaves this machine unencrypted."""
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname not in _LOOPBACK


def _no_address(said: str) -> BadInput:
    return BadInput(f"'{said[:200]}' is no address of a service; write https://HOST[:PORT].")


def _unknown(url: str) -> NotFound:
    return NotFound(f"No key of {url} is kept here; run: weft login {url}", url=url)
