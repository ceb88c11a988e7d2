"""The files of a folder, in a fixed order; what is left out is named too."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.ingest.sources.content_hashes import FileState, state_of
from weft.ingest.sources.path_patterns import IgnoreRules, Patterns
from weft.platform.workspace import is_own, is_within_own

ACL_FILE = "weft.acl.yaml"
COLUMNS_FILE = "weft.columns.yaml"
LINKS_FILE = "weft.links.jsonl"
IGNORE_FILES = (".weftignore",)
GITIGNORE = ".gitignore"
IGNORED = (".*", "__pycache__/", "node_modules/", "*.pyc", ACL_FILE, COLUMNS_FILE, LINKS_FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file below a root: `relative` is its path there, with `/`; `size` in bytes.

    `skipped` says why the file is not to be read: a pattern, a link that leads out of the root, no
    regular file. A folder that cannot be listed is found as itself, its path ending in `/`; what
    cannot be listed or looked at is `unreadable`, all else that is skipped `unsupported`. Of a file
    in an archive or mail, `place` is that of the outermost file, and `within` leads on. `state` is
    what its content is known by, where the walk has looked at it.
    """

    # Text, for all files of a folder are looked at in every run, and most need no more than that.
    place: str
    relative: str
    size: int = 0
    skipped: str = ""
    status: FileStatus = FileStatus.UNSUPPORTED
    within: str = ""
    state: FileState | None = field(default=None, compare=False, repr=False)

    @property
    def path(self) -> Path:
        """Return the place as a path."""
        return Path(self.place)

    @property
    def suffix(self) -> str:
        """Return the ending of its name with the dot, in lower case."""
        return os.path.splitext(self.place)[1].lower()


def is_acl_file(name: str) -> bool:
    """Tell whether a file of that name rules over its folder, however it is written.

    Where a disk ignores case, one file has all of these names.
    """
    return name.casefold() == ACL_FILE


def walk(
    root: Path,
    ignore: Sequence[str] = (),
    *,
    ignore_files: Sequence[str] = IGNORE_FILES,
    workspace: Path | None = None,
) -> Iterator[FoundFile]:
    """Yield every file below `root`: a folder's own by name, then those of its folders by name.

    `ignore` and the lines of each folder's `ignore_files` are patterns as in a .gitignore, those of
    a folder for what is below it; ignored folders and links to folders are not entered, and of the
    real path `workspace` nothing is read that is Weft's own. A root that is a file is yielded
    alone, whatever its name. Raises `BadInput` if there is nothing at `root`.
    """
    if root.is_file():
        yield FoundFile(place=str(root), relative=_shown(root.name), size=root.stat().st_size)
    elif root.is_dir():
        rules = IgnoreRules((("", Patterns((*IGNORED, *ignore))),))
        real = os.path.realpath(root)
        names = frozenset(ignore_files)
        yield from _Walk(root=root, real=real, names=names, workspace=workspace).files(rules)
    elif root.exists():  # a pipe, a device
        raise BadInput(f"'{root}' is neither a file nor a folder", path=str(root))
    else:
        raise BadInput(f"there is no file or folder '{root}'", path=str(root))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    root: Path
    real: str
    names: frozenset[str]
    workspace: Path | None

    def files(self, rules: IgnoreRules) -> Iterator[FoundFile]:
        """Yield a folder's files, then those of its folders, one after the other."""
        waiting = [(self.root, "", rules)]
        while waiting:
            folder, prefix, outer = waiting.pop()
            try:
                with os.scandir(folder) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError as wrong:
                reason = f"cannot be listed: {wrong.strerror}"
                shown = _shown(prefix) or "/"
                status = FileStatus.UNREADABLE
                yield FoundFile(place=str(folder), relative=shown, skipped=reason, status=status)
                continue
            if self._is_workspace(folder):
                listed = [entry for entry in listed if not is_own(entry.name)]
            rules = self._with_own(outer, prefix, listed)
            folders = [entry for entry in listed if entry.is_dir(follow_symlinks=False)]
            for entry in reversed(folders):
                inner = prefix + entry.name
                if not rules.match(inner, folder=True):
                    waiting.append((Path(entry.path), f"{inner}/", rules))
            entered = {entry.name for entry in folders}
            for entry in listed:
                if entry.name not in entered:
                    yield self._file(entry, prefix + entry.name, rules)

    def _is_workspace(self, folder: Path) -> bool:
        if self.workspace is None or folder.name != self.workspace.name:
            return False
        return os.path.realpath(folder) == str(self.workspace)

    def _with_own(
        self, outer: IgnoreRules, prefix: str, listed: Iterable[os.DirEntry[str]]
    ) -> IgnoreRules:
        """Return the rules that hold in a folder: those around it and those of its own files."""
        lines: list[str] = []
        for entry in listed:
            # No link: what is read decides what is left out, and a link may lead anywhere.
            if entry.name in self.names and entry.is_file(follow_symlinks=False):
                lines += _lines(Path(entry.path))
        return outer.within(prefix, Patterns(lines)) if lines else outer

    def _file(self, entry: os.DirEntry[str], relative: str, rules: IgnoreRules) -> FoundFile:
        reason = self._reason(entry, relative, rules)
        size, status, state = 0, FileStatus.UNSUPPORTED, None
        if not reason:
            try:
                seen = entry.stat()
                size, state = seen.st_size, state_of(seen)
            except OSError as wrong:
                reason, status = f"cannot be read: {wrong.strerror}", FileStatus.UNREADABLE
        shown = _shown(relative)
        return FoundFile(
            place=entry.path, relative=shown, size=size, skipped=reason, status=status, state=state
        )

    def _reason(self, entry: os.DirEntry[str], relative: str, rules: IgnoreRules) -> str:
        """Return why an entry is not to be read, empty if it is."""
        if is_acl_file(entry.name):
            return f"ignored by pattern {ACL_FILE}"
        if pattern := rules.match(relative, folder=False):
            return f"ignored by pattern {pattern}"
        if entry.is_symlink() and (reason := self._refused_link(entry)):
            return reason
        return "" if entry.is_file() else "not a regular file"

    def _refused_link(self, entry: os.DirEntry[str]) -> str:
        """Return why what a link leads to is not to be read, empty if it is."""
        target = os.path.realpath(entry.path)
        if target == self.real:
            return "a link to a folder"
        if not target.startswith(self.real.rstrip(os.sep) + os.sep):
            return "a link that leads out of the folder"
        if os.path.isdir(target):
            return "a link to a folder"
        if not os.path.exists(target):
            return "a link to nothing"
        if self.workspace is not None and is_within_own(Path(target), self.workspace):
            return "a link to what is Weft's own"
        return ""


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []  # it is a file of the folder as well, and what is wrong with it is said there


def _shown(relative: str) -> str:
    """Return a path that any store can hold: bytes that are no UTF-8 are spelt out."""
    if relative.isascii():
        return relative
    return os.fsencode(relative).decode("utf-8", "backslashreplace")
