"""Walking a folder: fixed order, every file named, no way out."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.domain.errors import BadInput
from weft.ingest.sources.folder import GITIGNORE, FoundFile, walk


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
    assert first == FoundFile(place=str(tmp_path / "A.txt"), relative="A.txt", size=4)


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


def test_each_folder_may_hold_patterns_for_what_is_below_it(tmp_path: Path) -> None:
    make(tmp_path, "a.log", "deep/a.log", "deep/b.txt", "deep/er/b.txt", "other/b.txt")
    (tmp_path / ".weftignore").write_text("*.log\n")
    (tmp_path / "deep" / ".weftignore").write_text("!a.log\n/b.txt\n")
    assert read(tmp_path) == ["deep/a.log", "deep/er/b.txt", "other/b.txt"]


NAMES = ("a", "b.txt", "c.md", "doc", "x[1]", "#n", "!n", "한글", "a b")
PATTERNS = st.lists(
    st.sampled_from(
        ["*", "*.txt", "a", "a/", "/a", "doc/", "/doc/*", "doc/**", "**/b.txt", "a/**/c.md", "?",
         "[ab]", "[!a]*", "[a-c].md", "\\#n", "\\!n", "x\\[1\\]", "x[[]1]", "#n", "!a", "!*.md",
         "!doc/", "!/a/b.txt", "한*", "a b", " a", "**", "doc/a/", "*/a", "/*/a", ""]
    ),
    max_size=4,
)  # fmt: skip
PLACES = st.lists(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join), max_size=6, unique=True
)


@settings(max_examples=40, deadline=None)
@given(places=PLACES, outer=PATTERNS, inner=PATTERNS)
def test_a_gitignore_leaves_out_what_git_leaves_out(
    places: list[str], outer: list[str], inner: list[str]
) -> None:
    if shutil.which("git") is None:
        pytest.skip("no git on this machine")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "doc").mkdir()
        for place in places:
            path = root / place
            if not any(each.is_file() for each in path.parents) and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("text")
        (root / ".gitignore").write_text("\n".join(outer))
        (root / "doc" / ".gitignore").write_text("\n".join(inner))
        # By its own command, so that no setting of this machine has a say.
        subprocess.run(["git", "init", "-q", name], check=True)
        said = subprocess.run(
            ["git", "-C", name, "ls-files", "-oz", "--exclude-per-directory=.gitignore"],
            check=True,
            capture_output=True,
        )
        kept = {each for each in said.stdout.decode().split("\0") if each}
        ours = {file.relative for file in walk(root, ignore_files=(GITIGNORE,)) if not file.skipped}
        hidden = {each for each in kept if each.rpartition("/")[2].startswith(".")}
        assert ours == kept - hidden


def test_of_a_workspace_only_what_is_not_wefts_own_is_read(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make(tmp_path, "a.md", "home/token", "home/kb/b.md", "home/records.db-wal", "home/notes/c.md")
    make(tmp_path, "other/home/token", "home/notes/kb/d.md")
    (tmp_path / "b.md").symlink_to(home / "token")
    found = [one.relative for one in walk(tmp_path, workspace=home) if not one.skipped]
    assert found == ["a.md", "home/notes/c.md", "home/notes/kb/d.md", "other/home/token"]


def test_a_link_to_the_folder_around_a_workspace_shows_nothing_more(tmp_path: Path) -> None:
    make(tmp_path / "real", "home/token", "home/notes.md")
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    found = walk(tmp_path / "link", workspace=tmp_path / "real" / "home")
    assert [one.relative for one in found] == ["home/notes.md"]
