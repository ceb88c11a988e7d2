"""A plan beside what it was made of, so that what was made a moment ago can be held to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.domain.frozen import dataclass
from weft.domain.ledger import FileEntry
from weft.ingest.sources.acl_file import acl_of
from weft.ingest.sources.columns_file import columns_of
from weft.ingest.sources.content_hashes import ContentHashes
from weft.ingest.sources.folder import walk
from weft.ingest.sources.members import holder
from weft.ingest.sources.plan import FileFacts, Source, SourcePlan, plan
from weft.ingest.tools import Tools


@dataclass(frozen=True, slots=True, kw_only=True)
class MadePlan:
    """What a source needs, by its files and by these rows of the ledger."""

    source: Source
    entries: list[FileEntry]
    plan: SourcePlan


def made_plan(
    source: Source,
    entries: list[FileEntry],
    *,
    ignore_files: Sequence[str],
    tools: Tools,
    hashes: ContentHashes,
) -> MadePlan:
    """Compare the files of a source with the ledger's rows; nothing is gone but where it counts."""
    found = list(walk(source.root, ignore_files=ignore_files, workspace=source.workspace))
    readers = acl_of(source.root, found, default=source.acl)
    columns = columns_of(source.root, found)
    rows = entries
    if source.only is not None:
        only = source.only
        found = [file for file in found if file.relative in only or file.relative.endswith("/")]
        rows = [entry for entry in rows if entry.path in only or holder(entry.path, only)]
    facts = FileFacts(tools=tools.versions(), acl_of=readers, hash_of=hashes.of, columns_of=columns)
    made = plan(found, rows, facts=facts)
    if not source.prune:
        # Files within a file went with it: whoever counts counts files of the folder.
        lost = frozenset(made.gone)
        kept = tuple(path for path in made.gone if not holder(path, lost))
        made = replace(made, gone=(), kept=kept)
    return MadePlan(source=source, entries=entries, plan=made)
