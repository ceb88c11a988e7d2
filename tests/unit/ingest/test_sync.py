"""Bringing a folder in step: no more work than the change, and a ledger that adds up."""

from __future__ import annotations

import errno
import gc
import os
from pathlib import Path

import pytest

from unit.ingest.memory_store import Bench
from weft.domain.errors import FenceRefused, StoreUnavailable
from weft.domain.ledger import FileStatus
from weft.domain.patch import Patch
from weft.ingest.sources.document_ids import document_key, file_of
from weft.ingest.sources.plan import Source, is_left_out
from weft.ingest.sync import Sync
from weft.ports.publishing import Fence

pytestmark = pytest.mark.anyio
ROWS = "r1||Ada wrote a program.\nr2||Grace built a compiler.\nr3|user:ann|Li Wei leads a team."


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path / "docs")
    made.write(a_txt="Ada lives in London.", b_txt="Grace lives in Oslo.", t_rows=ROWS)
    return made


def adds_up(bench: Bench) -> None:
    """Check that the ledger's sums are those of the store."""
    patches = bench.store.documents.values()
    rows = bench.store.rows.values()
    assert sum(row.documents for row in rows) == len(patches)
    assert sum(row.chunks for row in rows) == sum(len(patch.passages) for patch in patches)
    assert sum(row.characters for row in rows) == sum(len(patch.text) for patch in patches)


async def test_what_is_unchanged_is_left_alone(bench: Bench) -> None:
    first = await bench.run()
    assert (first.files, first.files_done, first.unchanged, first.documents) == (3, 3, 0, 5)
    assert len(bench.embedder.embedded) == 5
    adds_up(bench)
    again = await bench.run()
    assert (again.files_done, again.unchanged, again.documents) == (3, 3, 0)
    assert [*bench.store.calls, *bench.reader.read_paths, *bench.embedder.embedded] == []
    assert bench.seen[-1] == again


async def test_a_run_goes_when_it_is_done(bench: Bench) -> None:
    """Its plan names every file: it must not stay until somebody looks for rings of objects."""
    others = runs_in_memory()
    gc.disable()
    try:
        await bench.run()
        assert [one for one in runs_in_memory() if not any(one is other for other in others)] == []
    finally:
        gc.enable()


def runs_in_memory() -> list[Sync]:
    """Return all runs that were not let go, whosever they are."""
    return [one for one in gc.get_objects() if type(one) is Sync]


async def test_only_the_file_that_changed_is_read(bench: Bench) -> None:
    await bench.run()
    bench.write(a_txt="Ada lives in Quito.")
    await bench.run()
    assert bench.reader.read_paths == ["a.txt"]
    assert bench.store.calls == ["publish file:docs/a.txt"]
    adds_up(bench)


async def test_only_the_row_that_changed_is_embedded(bench: Bench) -> None:
    await bench.run()
    bench.write(t_rows=ROWS.replace("Grace", "Hopper"))
    await bench.run()
    assert bench.embedder.embedded == ["Hopper built a compiler."]
    assert bench.store.calls == ["publish record:docs/t.rows#r2"]
    bench.write(t_rows="\n".join(ROWS.splitlines()[:2]))
    await bench.run()
    assert bench.embedder.embedded == ["Grace built a compiler."]
    assert "delete record:docs/t.rows#r3" in bench.store.calls
    assert set(bench.forgotten) == {"record:docs/t.rows#r3"}
    adds_up(bench)


LONG = "\n\n".join(
    f"Ada wrote the {n}th of her programs in the year {1900 + n}." for n in range(20)
)


def held(bench: Bench) -> dict[str, object]:
    """Return what stands in the store, vectors to the bit."""
    return {
        key: (
            patch.document,
            patch.mentions,
            patch.claims,
            [(p.chunk, p.vectors and p.vectors.passage.tobytes()) for p in patch.passages],
            [p.vectors and p.vectors.sentences.tobytes() for p in patch.passages],
        )
        for key, patch in bench.store.documents.items()
    }


async def test_only_the_part_of_a_document_that_changed_is_embedded(bench: Bench) -> None:
    bench.write(a_txt=LONG)
    await bench.run()
    chunks = len(bench.embedder.embedded) - 4
    assert chunks > 4
    bench.write(a_txt=LONG.replace("19th of her", "last of her"))
    await bench.run()
    assert 0 < len(bench.embedder.embedded) < 3
    assert all("last of her" in text for text in bench.embedder.embedded)
    fresh = Bench(bench.root)
    await fresh.run()
    assert held(bench) == held(fresh)


@pytest.mark.parametrize("prune", [True, False])
async def test_a_renamed_file_is_not_embedded_again(bench: Bench, prune: bool) -> None:
    await bench.run()
    (bench.root / "t.rows").rename(bench.root / "people.rows")
    done = await bench.run(prune=prune)
    assert (done.documents, done.removed, bench.embedder.embedded) == (3, int(prune), [])
    if prune:
        fresh = Bench(bench.root)
        await fresh.run()
        assert held(bench) == held(fresh)
        adds_up(bench)


async def test_another_acl_costs_neither_parsing_nor_embedding(bench: Bench) -> None:
    await bench.run("user:ann")
    await bench.run("user:bob")
    assert bench.reader.read_paths == ["t.rows"]  # its rows may have ACLs of their own
    assert bench.embedder.embedded == []
    assert not [call for call in bench.store.calls if not call.startswith("reclassify")]
    assert bench.acls() == {
        "a.txt": {"user:bob"},
        "b.txt": {"user:bob"},
        "t.rows#r1": {"user:bob"},
        "t.rows#r2": {"user:bob"},
        "t.rows#r3": {"user:ann"},
    }
    assert (await bench.run("user:bob")).unchanged == 3
    adds_up(bench)


@pytest.mark.parametrize("own", ["user:ann", "user:cyd"])
async def test_a_whole_file_with_its_own_acl_keeps_it(bench: Bench, own: str) -> None:
    """Also where its own was the same as the default before."""
    bench.write(one_rows=f"|{own}|Only Ann may read this.")
    await bench.run("user:ann")
    assert bench.acls()["one.rows"] == {own}
    await bench.run("user:bob")
    assert bench.acls()["one.rows"] == {own}
    assert bench.embedder.embedded == []


async def test_an_acl_of_its_own_given_and_taken_embeds_nothing(bench: Bench) -> None:
    await bench.run()
    bench.write(t_rows=ROWS.replace("r1||", "r1|user:bob|"))
    await bench.run()
    assert (bench.acls()["t.rows#r1"], bench.embedder.embedded) == ({"user:bob"}, [])
    bench.write(t_rows=ROWS)
    await bench.run()
    assert (bench.acls()["t.rows#r1"], bench.embedder.embedded) == ({"tenant:*"}, [])


async def test_a_file_that_is_gone_stays_until_it_is_pruned(bench: Bench) -> None:
    await bench.run()
    (bench.root / "t.rows").unlink()
    await bench.run()
    assert len(bench.store.documents) == 5
    done = await bench.run(prune=True)
    assert done.removed == 1
    assert sorted(bench.acls()) == ["a.txt", "b.txt"]
    assert sorted(bench.store.rows) == ["a.txt", "b.txt"]
    assert len(set(bench.forgotten)) == 3
    adds_up(bench)


@pytest.mark.parametrize("how", ["broken", "ignored"])
async def test_a_file_that_can_no_longer_be_read_is_named(bench: Bench, how: str) -> None:
    await bench.run()
    if how == "broken":
        bench.write(a_txt="!")
    else:
        (bench.root / ".weftignore").write_text("a.txt\n")
    done = await bench.run()
    row = bench.store.rows["a.txt"]
    expected = {"broken": FileStatus.CORRUPT, "ignored": FileStatus.UNSUPPORTED}[how]
    assert (row.status, bool(row.reason), row.documents) == (expected, True, 0)
    assert done.failed == (how == "broken")  # what is left out on purpose is no failure
    assert "a.txt" not in bench.acls()
    assert set(bench.forgotten) == {"file:docs/a.txt"}
    adds_up(bench)


async def test_the_same_passage_is_embedded_once(bench: Bench) -> None:
    bench.embedder.seconds = 0.02  # long enough for all three to be under way
    text = "The same words in many files."
    for folder in ("x", "y", "z"):
        (bench.root / folder).mkdir()
        (bench.root / folder / "same.txt").write_text(text)
    await bench.run()
    assert bench.embedder.embedded.count(text) == 1
    vectors = [p.passages[0].vectors for p in bench.store.documents.values() if p.text == text]
    assert len(vectors) == 3
    adds_up(bench)


async def test_a_name_with_a_hash_is_no_fragment(bench: Bench) -> None:
    for name in ("t.rows#old.rows", "50%23.rows", "t.rows#r1"):
        (bench.root / name).write_text("r1||Ada lives in Lima.")
    await bench.run()
    assert len(bench.store.documents) == 2 + 3 + 2 + 1
    bench.write(t_rows="r9||Only one row is left.")
    await bench.run()
    assert len(bench.store.documents) == 2 + 1 + 2 + 1
    adds_up(bench)


@pytest.mark.parametrize("path", ["a.csv", "x/a#b.csv", "50%25.csv", "#a%23#.csv", "ü/가.csv"])
@pytest.mark.parametrize("fragment", ["", "1", "a#b", "x/y"])
def test_a_documents_file_is_known_from_its_id(path: str, fragment: str) -> None:
    source = Source(name="docs", root=Path("/docs"), acl=frozenset())
    assert file_of(document_key(source, path, fragment=fragment), source.name) == path


@pytest.mark.parametrize("error", [FenceRefused, StoreUnavailable])
async def test_what_goes_wrong_in_a_file_is_told_as_itself(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    async def refuse(*_: object, **__: object) -> int:
        raise error

    monkeypatch.setattr(bench.store, "publish", refuse)
    with pytest.raises(error):
        await bench.run()
    monkeypatch.undo()
    await bench.run()
    adds_up(bench)


async def test_a_run_that_ended_between_document_and_ledger_does_no_work_twice(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise StoreUnavailable

    monkeypatch.setattr(bench.store, "record", refuse)
    with pytest.raises(StoreUnavailable):
        await bench.run()
    published = set(bench.store.documents)
    monkeypatch.undo()
    await bench.run()
    assert not {f"publish {key}" for key in published} & set(bench.store.calls)
    assert len(bench.store.documents) == 5
    adds_up(bench)


async def test_a_run_takes_the_source_from_an_older_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = bench.store.publish

    async def overtaken(
        scope: object, patch: Patch, *, expected_version: str | None, fence: Fence
    ) -> int:
        bench.store.fence += 1
        return await publish(
            None,  # type: ignore[arg-type]  # it asks for no rights
            patch,
            expected_version=expected_version,
            fence=fence,
        )

    monkeypatch.setattr(bench.store, "publish", overtaken)
    with pytest.raises(FenceRefused):
        await bench.run()
    assert bench.store.documents == {}


async def test_a_folder_that_cannot_be_listed_gives_no_text_and_is_told(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.root / "closed").mkdir()
    (bench.root / "closed" / "d.txt").write_text("Lin lives in Lima.")
    bench.write(c_pyc="not meant to be read")
    first = await bench.run()
    assert (first.failed, bench.store.rows["closed/d.txt"].status) == (0, FileStatus.READ)
    listed = os.scandir

    def refusing(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(errno.EACCES, "Permission denied")
        return listed(path)

    # Not by its mode: whoever is root may list every folder.
    monkeypatch.setattr("weft.ingest.sources.folder.os.scandir", refusing)
    assert (await bench.run()).failed == 1
    row = bench.store.rows["closed/"]
    assert row.status is FileStatus.UNREADABLE
    assert row.reason == "cannot be listed: Permission denied"
    assert "closed/d.txt" in bench.store.rows  # of what is in there nothing is known
    unread = [one.path for one in bench.store.rows.values() if one.status is not FileStatus.READ]
    assert sorted(unread) == ["c.pyc", "closed/"]
    assert [path for path in unread if not is_left_out(bench.store.rows[path])] == ["closed/"]
