"""Walking a folder: fixed order, every file named, no way out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from weft.domain.errors import BadInput
from weft.ingest.sources.folder import FoundFile, walk


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")


def read(root: Path, *ignore: str) -> list[str]:
    return [file.relative for file in walk(root, ignore) if not file.skipped]


def skipped(root: Path, *ignore: str) -> dict[str, str]:
    return {file.relative: file.skipped for file in walk(root, ignore) if file.skipped}


def test_files_come_in_a_fixed_order_with_their_size(tmp_path: Path) -> None:
    make(tmp_path, "b.txt", "a/z.txt", "a/b/c.md", "A.txt", "a.txt")
    assert read(tmp_path) == ["A.txt", "a.txt", "b.txt", "a/z.txt", "a/b/c.md"]
    first = next(walk(tmp_path))
    assert first == FoundFile(path=tmp_path / "A.txt", relative="A.txt", size=4)


def test_what_a_pattern_leaves_out_is_named(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", ".env", "m.pyc", "weft.acl.yaml", ".git/config", "x/__pycache__/m.pyc")
    make(tmp_path, "node_modules/p/index.js", "drafts/a.txt", "x/b.tmp")
    assert read(tmp_path, "drafts/", "*.tmp") == ["a.txt"]
    assert skipped(tmp_path, "drafts/", "*.tmp") == {
        ".env": "ignored by pattern .*",
        "m.pyc": "ignored by pattern *.pyc",
        "weft.acl.yaml": "ignored by pattern weft.acl.yaml",
        "x/b.tmp": "ignored by pattern *.tmp",
    }


def test_the_root_may_hold_patterns_of_its_own(tmp_path: Path) -> None:
    make(tmp_path, "a.log", "keep.log", "docs/a.txt", "docs/deep/b.txt", "other/docs/a.txt")
    (tmp_path / ".weftignore").write_text("# logs\n*.log\n!keep.log\n\n/docs/**/b.txt\n")
    assert read(tmp_path) == ["keep.log", "docs/a.txt", "other/docs/a.txt"]
    assert skipped(tmp_path)["docs/deep/b.txt"] == "ignored by pattern /docs/**/b.txt"


def test_links_lead_neither_out_nor_round(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make(tmp_path, "secret.txt", "root/a.txt", "root/sub/b.txt", "beside/c.txt")
    (root / "loop").symlink_to(root)
    (root / "sub" / "up").symlink_to("..")
    (root / "out.txt").symlink_to(tmp_path / "secret.txt")
    (root / "out").symlink_to(tmp_path / "beside")
    (root / "gone.txt").symlink_to(root / "nothing")
    (root / "inside.txt").symlink_to(root / "sub" / "b.txt")
    assert read(root) == ["a.txt", "inside.txt", "sub/b.txt"]
    assert skipped(root) == {
        "gone.txt": "a link to nothing",
        "loop": "a link to a folder",
        "out": "a link that leads out of the folder",
        "out.txt": "a link that leads out of the folder",
        "sub/up": "a link to a folder",
    }


def test_what_is_no_regular_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert skipped(tmp_path) == {"pipe": "not a regular file"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list every folder")
def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "closed/b.txt")
    (tmp_path / "closed").chmod(0)
    try:
        assert read(tmp_path) == ["a.txt"]
        assert skipped(tmp_path) == {"closed/": "cannot be listed: Permission denied"}
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_a_folder_that_goes_away_is_named(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "sub/b.txt")
    files = walk(tmp_path)
    assert next(files).relative == "a.txt"
    (tmp_path / "sub" / "b.txt").unlink()
    (tmp_path / "sub").rmdir()
    (last,) = files
    assert (last.relative, last.skipped) == ("sub/", "cannot be listed: No such file or directory")


def test_a_name_that_is_no_utf8_can_be_stored(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (tmp_path / name).write_text("text")
    (file,) = walk(tmp_path)
    assert file.relative == "caf\\xe9.txt"
    assert file.path.read_text() == "text"


def test_a_file_is_a_root_too(tmp_path: Path) -> None:
    make(tmp_path, ".notes.txt")
    (file,) = walk(tmp_path / ".notes.txt")
    assert (file.relative, file.size, file.skipped) == (".notes.txt", 4, "")


def test_nothing_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no file or folder"):
        list(walk(tmp_path / "nothing"))
