"""The programs that recognise text: where they are, which version, which languages."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from weft.domain.errors import WeftError
from weft.domain.frozen import dataclass

TESSERACT, PDFTOPPM = "tesseract", "pdftoppm"
_PACKAGES = {TESSERACT: "tesseract-ocr", PDFTOPPM: "poppler-utils"}
_SECONDS = 10
_ENVIRONMENT = {"OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"}
# What programs read beside themselves: libraries, fonts, the data of languages.
_SYSTEM = (
    *("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/fonts", "/var/cache/fontconfig"),
    *("/etc/alternatives", "/dev/null", "/dev/urandom", "/System/Library", "/Library/Fonts"),
)


class ProgramFailed(WeftError):
    """A program ended without a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """What was found; a path is empty where there is no such program."""

    tesseract: str = ""
    pdftoppm: str = ""
    version: str = ""
    languages: frozenset[str] = frozenset()

    @property
    def _paths(self) -> list[str]:
        return [each for each in (self.tesseract, self.pdftoppm) if each]

    @property
    def readable(self) -> list[str]:
        """Return the paths that the programs may read."""
        # One that stands elsewhere has its libraries and data beside it.
        own = {
            str(folder / part)
            for folder in (Path(each).resolve().parents[1] for each in self._paths)
            for part in ("bin", "lib", "lib64", "share", "etc")
            if str(folder) not in {"/", "/usr"}
        }
        found = [*_SYSTEM, *sorted(own)]
        return [path for path in found if Path(path).exists()]

    def missing(self, wanted: str) -> str:
        """Return what lacks for some languages (`eng+kor`) and how to mend it; else nothing."""
        absent = [name for name in (TESSERACT, PDFTOPPM) if not getattr(self, name)]
        names = [_PACKAGES[name] for name in absent]
        if self.tesseract:
            lacking = [each for each in wanted.split("+") if each not in self.languages]
            absent += [f"tesseract's language '{each}'" for each in lacking]
            names += [f"tesseract-ocr-{each.replace('_', '-')}" for each in lacking]
        if not absent:
            return ""
        return f"{' and '.join(absent)} not installed: apt install {' '.join(names)}"


def found_programs() -> Programs:
    """Look for the programs on the path of this process, and ask tesseract what it can do."""
    tesseract, pdftoppm = (shutil.which(name) or "" for name in (TESSERACT, PDFTOPPM))
    if not tesseract:
        return Programs(pdftoppm=pdftoppm)
    first = _said(tesseract, "--version").splitlines()[:1]
    listed = _said(tesseract, "--list-langs").splitlines()[1:]
    number = re.search(r"\d[\w.]*", first[0] if first else "")
    return Programs(
        tesseract=tesseract,
        pdftoppm=pdftoppm,
        version=number[0] if number else "unknown",
        languages=frozenset(line.strip() for line in listed),
    )


def environment() -> dict[str, str]:
    """Return the environment of a program: nothing of ours, one thread, UTF-8."""
    return dict(_ENVIRONMENT)


def _said(program: str, option: str) -> str:
    try:
        done = subprocess.run(
            [program, option],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SECONDS,
            env=_ENVIRONMENT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")
