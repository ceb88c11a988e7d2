"""A renamed file: what it gave is taken from where it was, and is what reading it would give."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest

from unit.adapters.reader.samples import pdf
from unit.ingest.memory_store import Bench
from weft.adapters.reader.reader import ChildReader
from weft.domain.errors import StoreUnavailable
from weft.ports.reader import FileReading, Reader

pytestmark = pytest.mark.anyio
SAMPLES = Path(__file__).parents[2] / "samples"
# Of these the file's name is in the title, or links stand beside the text, or nothing was read.
READ_AGAIN = """
    budget.libreoffice.ods budget.libreoffice.xls budget.libreoffice.xlsx crew.rapper.nt
    crew.rapper.rdf crew.turtle.ttl report-en.libreoffice.doc review.libreoffice.odt
    review.pandoc.docx
"""


class CountingReader:
    """The real reader; `paths` are what it was asked for, by their names."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.paths: list[str] = []

    @property
    def version(self) -> str:
        return self._reader.version

    async def read(
        self,
        path: Path,
        inside: Sequence[str] = (),
        *,
        columns: Mapping[str, str] | None = None,
    ) -> FileReading:
        self.paths.append(path.name)
        return await self._reader.read(path, inside, columns=columns)

    async def close(self) -> None:
        await self._reader.close()


@pytest.fixture
async def reader() -> AsyncIterator[CountingReader]:
    made = CountingReader(ChildReader())
    yield made
    await made.close()


@pytest.fixture
def bench(tmp_path: Path, reader: CountingReader) -> Bench:
    made = Bench(tmp_path / "docs", parser=reader)
    made.write(
        a_md="# Apollo\n\nApollo was founded by Li Wei. See [b](b.md) and PROJ-12.\n",
        b_md="# Borealis\n\nBorealis is part of [Apollo](a.md).\n",
        c_csv="id,title,content,team,acl\nr1,Owl,Owl lives in Oslo.,west,\n"
        "r2,Lark,Lark lives in Bergen.,east,user:ann\n",
        d_txt="A note without a heading, by Ada Lovelace.\n",
    )
    (made.root / "e.pdf").write_bytes(pdf(["Page one by Ada Lovelace.", "Page two."], "The engine"))
    return made


def held(bench: Bench) -> dict[str, object]:
    """Return all that stands in the store, vectors to the bit."""
    return {
        key: (
            *(patch.document, patch.text, patch.mentions, patch.claims),
            *(patch.references, patch.handles),
            [(each.chunk, each.facts, each.outcome, each.reason) for each in patch.passages],
            [each.vectors and each.vectors.passage.tobytes() for each in patch.passages],
        )
        for key, patch in bench.store.documents.items()
    }


async def as_fresh(bench: Bench) -> None:
    """Check that a base that never knew the old names would hold the same, rows included."""
    fresh = Bench(bench.root, parser=bench.parser)
    await fresh.run()
    assert held(bench) == held(fresh)
    assert bench.store.rows == fresh.store.rows


async def test_what_was_renamed_is_not_parsed_again(bench: Bench, reader: CountingReader) -> None:
    await bench.run()
    (bench.root / "old").mkdir()
    for name in ("a.md", "c.csv", "e.pdf"):
        (bench.root / name).rename(bench.root / "old" / f"new-{name}")
    reader.paths.clear()
    done = await bench.run(prune=True)
    assert reader.paths == []
    assert (done.documents, done.removed, bench.embedder.embedded) == (4, 3, [])
    assert bench.kept["old/new-e.pdf"] == bench.kept["e.pdf"]
    await as_fresh(bench)


async def test_a_copy_is_not_parsed_and_the_first_one_stays(
    bench: Bench, reader: CountingReader
) -> None:
    await bench.run()
    shutil.copy(bench.root / "a.md", bench.root / "z.md")
    reader.paths.clear()
    await bench.run(prune=True)
    assert reader.paths == []
    await as_fresh(bench)


async def test_the_new_place_says_who_reads(bench: Bench, reader: CountingReader) -> None:
    await bench.run()
    (bench.root / "board").mkdir()
    (bench.root / "board" / "weft.acl.yaml").write_text("default: [group:board]\n")
    for name in ("a.md", "c.csv"):
        (bench.root / name).rename(bench.root / "board" / name)
    reader.paths.clear()
    await bench.run(prune=True)
    assert reader.paths == []
    assert bench.acls()["board/a.md"] == {"group:board"}
    assert bench.acls()["board/c.csv#r1"] == {"group:board"}
    assert bench.acls()["board/c.csv#r2"] == {"user:ann"}
    await as_fresh(bench)


async def test_a_title_that_is_the_file_name_is_read_anew(
    bench: Bench, reader: CountingReader
) -> None:
    await bench.run()
    (bench.root / "d.txt").rename(bench.root / "f.txt")
    (bench.root / "b.md").rename(bench.root / "b.txt")
    reader.paths.clear()
    await bench.run(prune=True)
    assert sorted(reader.paths) == ["b.txt", "f.txt"]
    await as_fresh(bench)


async def test_a_former_file_that_changes_in_the_same_run_is_not_taken(
    bench: Bench, reader: CountingReader
) -> None:
    await bench.run()
    (bench.root / "a.md").rename(bench.root / "a2.md")
    bench.write(a_md="# Apollo\n\nApollo is another thing by now.\n")
    await bench.run(prune=True)
    assert "another" not in bench.store.documents["file:docs/a2.md"].text  # type: ignore[index]  # an id is a text
    await as_fresh(bench)


async def test_documents_of_a_run_that_was_killed_are_not_taken(
    bench: Bench, reader: CountingReader
) -> None:
    """Their row said what the file was before, and they are what it became."""
    await bench.run()
    before = (bench.root / "a.md").read_bytes()
    bench.write(a_md="# Apollo\n\nApollo is another thing by now.\n")
    record = bench.store.record

    async def killed(scope: object, entry: object) -> None:
        if getattr(entry, "version", ""):
            raise StoreUnavailable
        await record(scope, entry)  # type: ignore[arg-type]  # as it was called

    bench.store.record = killed  # type: ignore[method-assign]  # the process ends here
    with pytest.raises(StoreUnavailable):
        await bench.run(prune=True)
    bench.store.record = record  # type: ignore[method-assign]  # and another one begins
    (bench.root / "a2.md").write_bytes(before)
    await bench.run(prune=True)
    assert "another" not in bench.store.documents["file:docs/a2.md"].text  # type: ignore[index]  # an id is a text
    await as_fresh(bench)


async def test_files_of_every_format_may_move(tmp_path: Path, reader: CountingReader) -> None:
    bench = Bench(tmp_path / "docs", parser=reader)
    shutil.copytree(SAMPLES, bench.root, ignore=shutil.ignore_patterns("known"))
    await bench.run()
    (bench.root / "moved").mkdir()
    names = [path for path in sorted(bench.root.iterdir()) if path.is_file()]
    for path in names:
        path.rename(bench.root / "moved" / path.name.replace("_", "-"))
    reader.paths.clear()
    await bench.run(prune=True)
    assert sorted(reader.paths) == READ_AGAIN.split()
    assert len(names) > 2 * len(reader.paths)
    await as_fresh(bench)


async def test_what_reads_pictures_counts_for_files_that_may_hold_some(
    bench: Bench, reader: CountingReader
) -> None:
    await bench.run()
    reader.paths.clear()
    bench.pictures = "ocr 1"
    await bench.run()
    assert reader.paths == ["e.pdf"]
    assert bench.embedder.embedded == []
    assert bench.store.calls == []
    reader.paths.clear()
    await bench.run()
    assert reader.paths == []
