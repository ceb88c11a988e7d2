"""What is to be done for a source: its files as they are now beside what the ledger says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.domain.ledger import FileEntry, FileStatus, content_of, file_version
from weft.ingest.sources.content_hashes import FileState, content_hash
from weft.ingest.sources.folder import FoundFile
from weft.ingest.sources.labels import FolderLabels, Label
from weft.ingest.sources.members import by_holder, holder


class FileNeed(StrEnum):
    """What a file needs."""

    NOTHING = "nothing"
    READING = "reading"
    ACL = "acl"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A folder or file that documents come from: its unique name and who may read them.

    `only` are the relative paths that are looked at now; None means all. Of an inbox, where the
    files lie is the service's own affair. Of the `workspace` nothing is read that is
    Weft's own.
    """

    name: str
    root: Path
    acl: frozenset[str]
    prune: bool = False
    only: frozenset[str] | None = None
    is_inbox: bool = False
    workspace: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTask:
    """One file and what it needs; `version` is that of its bytes, its label and the tools.

    `alike` is the path of a file that the ledger has in the very same version, empty if there is
    none: the file was renamed, or is a copy. `twin` is that file's row where it holds no others.
    `inner` are the paths that the ledger has of files within it, `columns` what columns mean in it.
    """

    file: FoundFile
    need: FileNeed
    version: str
    acl: frozenset[str]
    former: FileEntry | None
    label: Label | None = None
    alike: str = ""
    twin: FileEntry | None = None
    inner: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> str:
        """Return the hash of the file's bytes; empty if they could not be read."""
        return content_of(self.version)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlan:
    """All tasks of a source in order, and the ledger's paths whose files are gone.

    Of a folder that cannot be listed it is not known, so nothing below it is gone. Where removals
    do not count, the paths of files that are gone are `kept`.
    """

    tasks: tuple[FileTask, ...]
    gone: tuple[str, ...]
    kept: tuple[str, ...] = ()

    @property
    def is_idle(self) -> bool:
        """Tell whether nothing has changed."""
        return not self.gone and all(task.need is FileNeed.NOTHING for task in self.tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """What tells how a file stands, each by its path.

    `tools` gives the version of all that reads it, `acl_of` who may read it, `hash_of` what stands
    for its bytes, `columns_of` what columns mean in it.
    """

    tools: Callable[[str], str]
    acl_of: Callable[[str], frozenset[str]]
    hash_of: Callable[[str, FileState | None], str] = lambda path, _: content_hash(path)
    columns_of: Callable[[str], Mapping[str, str]] = lambda _: {}


def plan(
    found: Iterable[FoundFile], entries: Iterable[FileEntry], *, facts: FileFacts
) -> SourcePlan:
    """Compare files with the ledger."""
    former = {entry.path: entry for entry in entries}
    labels = FolderLabels()
    tasks = [_task(file, former, facts, labels) for file in found]
    tasks = _likened(tasks, former)
    here = frozenset(task.file.relative for task in tasks)
    inner = by_holder(set(former) - here, here)
    if inner:
        tasks = [replace(task, inner=tuple(inner.get(task.file.relative, ()))) for task in tasks]
    unlisted = tuple(path.lstrip("/") for path in here if path.endswith("/"))
    lost = set(former).difference(here, *inner.values())
    gone = [path for path in lost if not path.startswith(unlisted)]
    return SourcePlan(tasks=tuple(tasks), gone=tuple(sorted(gone)))


def _likened(tasks: list[FileTask], former: Mapping[str, FileEntry]) -> list[FileTask]:
    """Return the tasks, those to be read beside the files that are known in their version."""
    # What lies within a file has its version: the shortest path is that of the file itself.
    held = {former[path].version: path for path in sorted(former, key=len, reverse=True)}
    alike = {
        task.file.relative: held[task.version]
        for task in tasks
        if task.need is FileNeed.READING and task.version in held
    }
    if not alike:
        return tasks
    packed = {holder(path, former) for path in former}
    twins = {path: former[path] for path in alike.values() if path not in packed}
    return [
        replace(task, alike=path, twin=twins.get(path))
        if (path := alike.get(task.file.relative, ""))
        else task
        for task in tasks
    ]


def _task(
    file: FoundFile, former: Mapping[str, FileEntry], facts: FileFacts, labels: FolderLabels
) -> FileTask:
    entry = former.get(file.relative)
    label = None if file.skipped else labels.of(file.place)
    columns = facts.columns_of(file.relative)
    acl = facts.acl_of(file.relative)
    if label is not None and label.acl is not None:
        acl = label.acl
    if file.skipped:
        version = _skipped(file.skipped, file.status)
        need = FileNeed.NOTE
    else:
        said = () if label is None else (label.said,)
        if columns:
            said = (*said, f"columns {sorted(columns.items())}")
        version = file_version(
            facts.hash_of(file.place, file.state), _read_with(facts.tools(file.relative), said)
        )
        need = FileNeed.READING
    if entry is not None and entry.version == version:
        need = FileNeed.NOTHING if entry.acl == acl else FileNeed.ACL
    return FileTask(
        file=file,
        need=need,
        version=version,
        acl=acl,
        former=entry,
        label=label,
        columns=columns,
    )


@lru_cache(maxsize=64)
def _read_with(tools: str, said: tuple[str, ...]) -> str:
    """Return what stands for the tools that read a file and what is said of it: mostly the same."""
    return digest(tools, *said)


def _skipped(reason: str, status: FileStatus) -> str:
    return digest("unreadable" if status is FileStatus.UNREADABLE else "skipped", reason)


def is_left_out(entry: FileEntry) -> bool:
    """Tell whether a file was not to be read at all: a pattern or the kind of its entry said so."""
    return entry.version == _skipped(entry.reason, FileStatus.UNSUPPORTED)
