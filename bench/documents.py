"""Real documents that are on every machine: what installed Python packages say of themselves."""

from __future__ import annotations

import re
import shutil
from importlib.metadata import distributions
from pathlib import Path

_WANTED = re.compile(r"(?i)(^|/)(METADATA|README[^/]*|(LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*)$")
_LARGEST = 40_000


def gather(folder: Path, count: int) -> int:
    """Copy at most `count` documents of the installed packages to a folder; return how many."""
    done = 0
    for found in sorted(distributions(), key=lambda one: one.name.lower()):
        for entry in found.files or []:
            path = Path(str(found.locate_file(entry)))
            if done == count or not _WANTED.search(entry.as_posix()) or not path.is_file():
                continue
            if 0 < path.stat().st_size <= _LARGEST:
                target = folder / found.name / f"{done}-{path.name}"
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
                done += 1
    return done
