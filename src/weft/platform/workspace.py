"""The workspace on the disk: its owner's alone, whatever it was made with."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path

from weft.domain.errors import ConfigurationError, StoreUnavailable, StoreUnwritable

_OTHERS = 0o077
# What Weft writes at the top of a workspace and nobody else has to read.
OWN = (
    "token",
    "audit.key",
    "audit.heads",
    "browser_epoch",
    "records.db*",
    "weft.yaml",
    "services.json",
)
# What else it keeps there: documents of all, keys, what was handed over.
KEPT = (
    *("keys.secret", "browser_epochs", "signed_out", "invitations", "chat-session"),
    *("last-answer.json", "checkpoints.db*", "kb", "blobs", "inbox", "texts", "uploads", "cache"),
)


def is_own(name: str) -> bool:
    """Tell whether what has this name at the top of a workspace is Weft's own, and no document."""
    every = (*OWN, *KEPT)
    # A file that is being written has a name of its own, which begins with that of the file.
    return any(fnmatch(name, one) or fnmatch(name, f"{one}.*") for one in every)


def is_within_own(path: Path, home: Path) -> bool:
    """Tell whether a real path is, or lies within, what is Weft's own in a workspace."""
    parts = path.relative_to(home).parts if path.is_relative_to(home) else ()
    return bool(parts) and is_own(parts[0])


def workspace_at(given: Path) -> Path:
    """Return the whole path of a workspace that was named; raises `ConfigurationError`."""
    try:
        return given.expanduser().resolve()
    except RuntimeError as error:  # nobody's home, or links that lead in a ring
        raise ConfigurationError(f"The workspace (WEFT_HOME) cannot be found: {error}") from error


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that readers see the old content or the new, never a part."""
    draft = path.with_name(f".{os.urandom(8).hex()}")  # hidden: a walk passes it by
    draft.write_bytes(content)
    draft.replace(path)


def remove_folder(path: Path) -> None:
    """Remove a folder with all that is in it; what cannot be removed stays."""
    # Here, because it loads what packs and unpacks files, which a question does not.
    import shutil

    shutil.rmtree(path, ignore_errors=True)


def open_workspace(home: Path) -> bool:
    """Make a workspace, or mend one that others may enter; tell whether it was open to them.

    What cannot be changed stays: `is_private` tells. Raises `StoreUnavailable` where the workspace
    cannot be made.
    """
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        was_open = not is_private(home)
    except OSError as error:
        raise unusable(home, error) from error
    for path in (home, *(one for pattern in OWN for one in home.glob(pattern))):
        _close(path)
    return was_open


def unusable(home: Path, error: OSError) -> StoreUnavailable:
    """Return the error that a workspace cannot be used, with what the system says of it."""
    return StoreUnavailable(f"The workspace '{home}' cannot be used: {error.strerror or error}.")


@contextmanager
def keeping(what: str) -> Iterator[None]:
    """Raise `StoreUnwritable` where files cannot be written inside, with what the system says."""
    try:
        yield
    except OSError as error:
        said = error.strerror or type(error).__name__
        raise StoreUnwritable(f"{what} cannot be kept: {said}.") from error


def is_private(home: Path) -> bool:
    """Tell whether nobody but its owner gets into a workspace."""
    if os.name == "nt":  # rights are not in the mode there
        return True
    return not stat.S_IMODE(home.stat().st_mode) & _OTHERS


def _close(path: Path) -> None:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & _OTHERS and not path.is_symlink():
            path.chmod(mode & ~_OTHERS)
    except OSError:
        return  # somebody else's, or gone: the caller looks whether the workspace is private


def settings_in(path: Path) -> dict[str, object]:
    """Return what a settings file says, nothing where there is none.

    Raises `ConfigurationError` where it cannot be read, or holds no settings.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"'{path}' cannot be read: {error}") from error
    import yaml  # here, because most workspaces have no such file

    try:
        loaded = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        where = f" at line {mark.line + 1}" if mark else ""
        # The parser quotes the line, and a key may stand there.
        raise ConfigurationError(f"'{path}' is not valid YAML{where}.") from None
    if not isinstance(loaded, dict) or not all(isinstance(key, str) for key in loaded):
        raise ConfigurationError(f"'{path}' must hold settings as 'name: value' lines.")
    return loaded
