"""What a file needs, by its bytes and by what the ledger says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.ingest.memory_store import Bench
from weft.domain.ledger import FileEntry, FileStatus
from weft.ingest.sources.content_hashes import content_hash
from weft.ingest.sources.folder import FoundFile
from weft.ingest.sources.plan import FileFacts, FileNeed, SourcePlan, plan

OPEN = frozenset({"tenant:*"})
FACTS = FileFacts(tools=lambda _: "1", acl_of=lambda _: OPEN)


def needs(made: SourcePlan) -> dict[str, FileNeed]:
    return {task.file.relative: task.need for task in made.tasks}


def row(path: str) -> FileEntry:
    return FileEntry(source="docs", path=path, status=FileStatus.READ, version="1", acl=OPEN)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path / "docs")
    made.write(a_txt="Ada", b_txt="Grace", c_pyc="ignored")
    return made


@pytest.mark.anyio
async def test_what_is_in_the_ledger_needs_nothing(bench: Bench) -> None:
    assert needs(bench.plan()) == {
        "a.txt": FileNeed.READING,
        "b.txt": FileNeed.READING,
        "c.pyc": FileNeed.NOTE,
    }
    assert not bench.plan().is_idle
    await bench.run()
    assert set(needs(bench.plan()).values()) == {FileNeed.NOTHING}
    assert bench.plan().is_idle


@pytest.mark.anyio
async def test_bytes_acl_tools_and_absence_are_told_apart(bench: Bench) -> None:
    await bench.run()
    bench.write(a_txt="Ada Lovelace", weft_acl_yaml="")
    (bench.root / "weft.acl.yaml").write_text("paths:\n  b.txt: ['user:ann']\n")
    assert needs(bench.plan())["a.txt"] is FileNeed.READING
    assert needs(bench.plan())["b.txt"] is FileNeed.ACL
    bench.reader.version = "lines-2"
    assert needs(bench.plan())["b.txt"] is FileNeed.READING
    (bench.root / "b.txt").unlink()
    assert bench.plan().gone == ("b.txt",)


def test_of_a_folder_that_cannot_be_listed_nothing_is_gone(tmp_path: Path) -> None:
    rows = [row("a/b.txt"), row("a/c/d.txt"), row("ab.txt")]
    unlisted = FoundFile(place=str(tmp_path), relative="a/", skipped="cannot be listed")
    made = plan([unlisted], rows, facts=FACTS)
    assert made.gone == ("ab.txt",)
    whole = FoundFile(place=str(tmp_path), relative="/", skipped="cannot be listed")
    assert plan([whole], rows, facts=FACTS).gone == ()


def test_a_file_that_cannot_be_opened_has_a_version_too(tmp_path: Path) -> None:
    assert content_hash(tmp_path).startswith("cannot be opened: ")
    assert content_hash(tmp_path / "none").startswith("cannot be opened: ")
