"""The files of a folder, in a fixed order; what is left out is named too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.domain.errors import BadInput
from weft.ingest.sources.path_patterns import Patterns

ACL_FILE = "weft.acl.yaml"
LINKS_FILE = "weft.links.jsonl"
IGNORE_FILE = ".weftignore"
IGNORED = (".*", "__pycache__/", "node_modules/", "*.pyc", ACL_FILE, LINKS_FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file below a root: `relative` is its path there, with `/`; `size` in bytes.

    `skipped` says why the file is not to be read: a pattern, a link that leads out of the root, no
    regular file. A folder that cannot be listed is found as itself, its path ending in `/`.
    """

    path: Path
    relative: str
    size: int = 0
    skipped: str = ""


def walk(root: Path, ignore: Sequence[str] = ()) -> Iterator[FoundFile]:
    """Yield every file below `root`: a folder's own by name, then those of its folders by name.

    `ignore` and the lines of `.weftignore` in the root are patterns as in a .gitignore; ignored
    folders and links to folders are not entered. A root that is a file is yielded alone, whatever
    its name. Raises `BadInput` if there is nothing at `root`.
    """
    if root.is_file():
        yield FoundFile(path=root, relative=_shown(root.name), size=root.stat().st_size)
    elif root.is_dir():
        patterns = Patterns((*IGNORED, *ignore, *_own_patterns(root)))
        yield from _Walk(root=root, real=os.path.realpath(root), patterns=patterns).files()
    else:
        raise BadInput(f"there is no file or folder '{root}'", path=str(root))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    root: Path
    real: str
    patterns: Patterns

    def files(self) -> Iterator[FoundFile]:
        """Yield a folder's files, then those of its folders, one after the other."""
        waiting = [(self.root, "")]
        while waiting:
            folder, prefix = waiting.pop()
            try:
                with os.scandir(folder) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError as wrong:
                reason = f"cannot be listed: {wrong.strerror}"
                yield FoundFile(path=folder, relative=_shown(prefix) or "/", skipped=reason)
                continue
            inner = [entry for entry in listed if entry.is_dir(follow_symlinks=False)]
            waiting += [(Path(each.path), f"{prefix}{each.name}/") for each in self._kept(inner)]
            for entry in listed:
                if not entry.is_dir(follow_symlinks=False):
                    yield self._file(entry, prefix + entry.name)

    def _kept(self, folders: list[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
        """Yield the folders to be entered, last first."""
        for entry in reversed(folders):
            relative = Path(entry.path).relative_to(self.root).as_posix()
            if not self.patterns.match(relative, folder=True):
                yield entry

    def _file(self, entry: os.DirEntry[str], relative: str) -> FoundFile:
        path = Path(entry.path)
        reason = self._reason(entry, relative)
        size = 0
        if not reason:
            try:
                size = entry.stat().st_size
            except OSError as wrong:
                reason = f"cannot be read: {wrong.strerror}"
        return FoundFile(path=path, relative=_shown(relative), size=size, skipped=reason)

    def _reason(self, entry: os.DirEntry[str], relative: str) -> str:
        """Return why an entry is not to be read, empty if it is."""
        if pattern := self.patterns.match(relative, folder=False):
            return f"ignored by pattern {pattern}"
        if entry.is_symlink():
            target = os.path.realpath(entry.path)
            if target == self.real:
                return "a link to a folder"
            if not target.startswith(self.real.rstrip(os.sep) + os.sep):
                return "a link that leads out of the folder"
            if os.path.isdir(target):
                return "a link to a folder"
            if not os.path.exists(target):
                return "a link to nothing"
        return "" if entry.is_file() else "not a regular file"


def _own_patterns(root: Path) -> list[str]:
    try:
        text = (root / IGNORE_FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []  # nearly always because there is none
    return text.splitlines()


def _shown(relative: str) -> str:
    """Return a path that any store can hold: bytes that are no UTF-8 are spelt out."""
    return os.fsencode(relative).decode("utf-8", "backslashreplace")
