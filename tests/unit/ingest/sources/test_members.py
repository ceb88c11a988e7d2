"""Files within files: rows of the ledger and documents of their own, that come and go with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unit.ingest.memory_store import Bench
from weft.domain.ledger import FileStatus
from weft.ingest.sources import members
from weft.ingest.sources.members import by_holder, holder

pytestmark = pytest.mark.anyio


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "docs")


def pack(bench: Bench, **held: object) -> None:
    bench.root.mkdir(exist_ok=True)
    (bench.root / "a.pack").write_text(json.dumps(held))


def texts(bench: Bench) -> dict[str, str]:
    return {str(key): patch.text for key, patch in sorted(bench.store.documents.items())}


async def test_members_are_documents_at_every_depth(bench: Bench) -> None:
    bench.write(b_txt="Grace lives in Oslo.")
    pack(bench, one="Ada lives in London.", more={"two": "Li leads.", "!": "!no"}, __MACOSX={})
    done = await bench.run()
    assert texts(bench) == {
        "file:docs/a.pack/more/two": "Li leads.",
        "file:docs/a.pack/one": "Ada lives in London.",
        "file:docs/b.txt": "Grace lives in Oslo.",
    }
    rows = bench.store.rows
    assert {path: (row.status.value, row.documents) for path, row in rows.items()} == {
        "a.pack": ("read", 0),
        "a.pack/__MACOSX": ("read", 0),
        "a.pack/more": ("read", 0),
        "a.pack/more/!": ("corrupt", 0),
        "a.pack/more/two": ("read", 1),
        "a.pack/one": ("read", 1),
        "b.txt": ("read", 1),
    }
    assert (done.files, done.files_done, done.failed) == (7, 7, 1)
    assert sum(row.characters for row in rows.values()) == sum(map(len, texts(bench).values()))
    again = await bench.run()
    assert (again.files, again.files_done, again.unchanged, again.documents) == (7, 7, 7, 0)
    assert bench.reader.read_paths == []


async def test_a_member_that_is_gone_goes_and_the_others_are_left_alone(bench: Bench) -> None:
    pack(bench, one="Ada lives in London.", two="Grace lives in Oslo.", three={"x": "Li leads."})
    await bench.run()
    pack(bench, one="Ada lives in London.", two="Grace lives in Rome.")
    await bench.run()
    assert texts(bench) == {
        "file:docs/a.pack/one": "Ada lives in London.",
        "file:docs/a.pack/two": "Grace lives in Rome.",
    }
    assert bench.embedder.embedded == ["Grace lives in Rome."]
    assert sorted(bench.store.rows) == ["a.pack", "a.pack/one", "a.pack/two"]
    assert set(bench.forgotten) == {"file:docs/a.pack/three/x"}


async def test_what_held_them_takes_all_of_them_along(bench: Bench) -> None:
    pack(bench, one="Ada lives in London.", more={"two": "Li leads."})
    await bench.run()
    (bench.root / "a.pack").unlink()
    await bench.run(prune=True)
    assert (texts(bench), bench.store.rows) == ({}, {})


async def test_members_have_the_readers_of_what_holds_them(bench: Bench) -> None:
    pack(bench, one="Ada lives in London.", more={"two": "Li leads."})
    await bench.run("user:ann")
    await bench.run("user:bob")
    assert bench.acls() == {"a.pack/one": {"user:bob"}, "a.pack/more/two": {"user:bob"}}
    assert bench.embedder.embedded == []
    assert all(row.acl == {"user:bob"} for row in bench.store.rows.values())


@pytest.mark.parametrize(
    ("most", "value", "reason"),
    [("MOST_MEMBERS", 3, "more than 3 files"), ("MOST_BYTES", 12, "more than 12 bytes")],
)
async def test_of_what_holds_too_much_nothing_is_kept(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, most: str, value: int, reason: str
) -> None:
    pack(bench, one="Ada one.")
    await bench.run()
    monkeypatch.setattr(members, most, value)
    pack(bench, one="Ada one.", more={"two": "Li", "three": "Bo", "four": "Ed"})
    await bench.run()
    assert texts(bench) == {}
    (row,) = bench.store.rows.values()
    assert row.status is FileStatus.HOSTILE
    assert reason in row.reason


def test_the_outermost_file_of_a_path_is_found() -> None:
    files = frozenset({"x/a.zip", "b"})
    assert holder("x/a.zip/in/b", files) == "x/a.zip"
    assert holder("x/a.zipped", files) == ""
    assert by_holder(["b/1", "x/a.zip/z/y", "c/d"], files) == {
        "b": ["b/1"],
        "x/a.zip": ["x/a.zip/z/y"],
    }
