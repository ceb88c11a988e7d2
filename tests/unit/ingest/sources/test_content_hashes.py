"""A hash that is remembered is that of the bytes that are there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.ingest.sources import content_hashes
from weft.ingest.sources.content_hashes import ContentHashes, content_hash

OLD = 1_600_000_000
STEPS = st.lists(
    st.sampled_from(["write", "same size", "keep time", "replace", "remove", "look"]), max_size=12
)


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every change count as long ago."""
    monkeypatch.setattr(content_hashes, "_TICK_NS", -60_000_000_000)


def let_time_pass(path: Path, before: int) -> None:
    """Describe a file anew until that shows: a clock of files may stand still for a while."""
    while path.exists() and path.stat().st_ctime_ns == before:
        os.chmod(path, 0o600)


def changed_at(path: Path) -> int:
    return path.stat().st_ctime_ns if path.exists() else 0


def count_reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    read: list[str] = []

    def counted(path: str) -> str:
        read.append(path)
        return content_hash(path)

    monkeypatch.setattr(content_hashes, "content_hash", counted)
    return read


def test_a_file_that_stays_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch)
    read, hashes = count_reads(monkeypatch), ContentHashes()
    path = tmp_path / "a.txt"
    path.write_text("Ada")
    assert [hashes.of(str(path)) for _ in range(3)] == [content_hash(path)] * 3
    assert len(read) == 1


def test_what_changed_a_moment_ago_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, hashes = count_reads(monkeypatch), ContentHashes()
    path = tmp_path / "a.txt"
    path.write_text("Ada")
    hashes.of(str(path))
    hashes.of(str(path))
    assert len(read) == 2


def test_another_content_of_the_same_size_and_time_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    hashes, path = ContentHashes(), tmp_path / "a.txt"
    path.write_text("Ada")
    os.utime(path, (OLD, OLD))
    before = hashes.of(str(path))
    last = changed_at(path)
    path.write_text("Bob")
    os.utime(path, (OLD, OLD))
    let_time_pass(path, last)
    assert hashes.of(str(path)) == content_hash(path) != before


def test_only_so_many_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch)
    monkeypatch.setattr(content_hashes, "_MOST", 3)
    hashes = ContentHashes()
    for number in range(8):
        path = tmp_path / f"{number}.txt"
        path.write_text(str(number))
        assert hashes.of(str(path)) == content_hash(path)
        assert len(hashes._known) <= 3


def test_what_cannot_be_read_says_so_each_time(tmp_path: Path) -> None:
    hashes = ContentHashes()
    for path in (tmp_path, tmp_path / "none"):
        assert hashes.of(str(path)) == content_hash(path)
    assert not hashes._known


@given(STEPS)
def test_whatever_happens_to_a_file_its_hash_is_that_of_its_bytes(steps: list[str]) -> None:
    hashes = ContentHashes()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        settle(patch)
        path, other = Path(folder) / "a.txt", Path(folder) / "b.txt"
        path.write_text("0")
        for number, step in enumerate(steps):
            last = changed_at(path)
            if step == "remove":
                path.unlink(missing_ok=True)
            elif step == "replace":
                other.write_text(f"other {number}")
                other.replace(path)
            elif step != "look":
                path.write_text(f"{number % 10}" if step == "same size" else f"text {number}")
            if step == "keep time":
                os.utime(path, (OLD, OLD))
            if step != "look":
                let_time_pass(path, last)
            assert hashes.of(str(path)) == content_hash(path)
