"""Versions of installed packages, read from their metadata and nothing else.

The standard library's way loads what reads letters and archives, which takes longer than to look at
a folder whose files are as they were. What is not plainly there is left to it.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache

_PARTS = re.compile(r"[-_.]+")
_INFO = ".dist-info"
_STATED = "Version: "


def version_of(package: str) -> str | None:
    """Return the version of an installed package, None where there is none of that name."""
    wanted = _PARTS.sub("-", package).lower()
    for entry in sys.path:
        found = _infos(entry).get(wanted, ())
        if found:
            stated = _stated(os.path.join(found[0], "METADATA")) if len(found) == 1 else None
            return stated or _asked(package)
    return _asked(package)


@cache
def _infos(entry: str) -> dict[str, tuple[str, ...]]:
    """Return the folders of metadata in one place of packages, by the packages' names."""
    try:
        names = os.listdir(entry or ".")
    except OSError:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        if name.endswith(_INFO):
            package = _PARTS.sub("-", name.partition("-")[0]).lower()
            found[package] = (*found.get(package, ()), os.path.join(entry, name))
    return found


def _stated(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith(_STATED):
                    return line.removeprefix(_STATED).strip()
                if not line.strip():  # here the description begins
                    return None
    except (OSError, UnicodeDecodeError):
        pass
    return None


def _asked(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None
