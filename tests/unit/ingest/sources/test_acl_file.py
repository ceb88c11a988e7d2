"""`weft.acl.yaml`: the nearest rules decide, and a wrong file names its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.domain.errors import BadInput
from weft.ingest.sources.acl_file import acl_of, read_rules
from weft.ingest.sources.folder import walk

EVERYONE = frozenset({"tenant:*"})
TEXT = """
default: [group:staff]
paths:
  hr/**: [group:hr, "user:ann"]
  "*.draft.md": []
  hr/handbook.md: ["tenant:*"]
"""


def test_the_last_pattern_that_matches_decides() -> None:
    rules = read_rules(TEXT)
    assert rules.principals("a/b.txt") == frozenset({"group:staff"})
    assert rules.principals("hr/deep/pay.csv") == frozenset({"group:hr", "user:ann"})
    assert rules.principals("hr/handbook.md") == EVERYONE
    assert rules.principals("deep/x.draft.md") == frozenset()
    assert read_rules("").principals("a") is None


def test_the_nearest_file_that_speaks_decides(tmp_path: Path) -> None:
    for folder in ("", "sub", "sub/deep"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "a.txt").write_text("text")
    (tmp_path / "weft.acl.yaml").write_text("default: [group:all]")
    (tmp_path / "sub" / "weft.acl.yaml").write_text("paths: {'deep/*': [user:ann]}")
    readers = acl_of(tmp_path, list(walk(tmp_path)), default=EVERYONE)
    assert readers("a.txt") == {"group:all"}
    assert readers("sub/a.txt") == {"group:all"}
    assert readers("sub/deep/a.txt") == {"user:ann"}


def test_without_a_file_the_default_holds(tmp_path: Path) -> None:
    assert acl_of(tmp_path, list(walk(tmp_path)), default=EVERYONE)("any/where") == EVERYONE


def test_a_file_alone_has_the_rules_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "weft.acl.yaml").write_text("default: [user:ann]")
    file = tmp_path / "a.txt"
    assert acl_of(file, list(walk(file)), default=EVERYONE)("a.txt") == {"user:ann"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("default: [ann]", "line 1: default: 'ann' is not a principal"),
        ("default: user:ann", "line 1: default: not a list"),
        ("\npaths:\n  a: [user:x]\n  b: [{}]", "line 4: paths: a principal must be"),
        ("paths: [a]", "line 1: not a mapping"),
        ("- a", "line 1: not a mapping"),
        ("readers: []", "line 1: 'readers' is not"),
        ("a: [\nb: {", "line .: not valid YAML"),
        ("{[a]: b}", "a key must be a plain text"),
    ],
)
def test_a_wrong_file_names_its_line(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=rf"weft.acl.yaml.*{message}"):
        read_rules(text)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "weft.acl.yaml").write_bytes(b"default: [\xff]")
    with pytest.raises(BadInput, match="cannot be read"):
        acl_of(tmp_path, list(walk(tmp_path)), default=EVERYONE)


def test_it_rules_however_its_name_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    (tmp_path / "WEFT.ACL.YAML").write_text('default: ["user:ann"]\n')
    found = list(walk(tmp_path))
    assert [one.relative for one in found if not one.skipped] == ["a.md"]
    assert acl_of(tmp_path, found, default=frozenset())("a.md") == {"user:ann"}
    alone = tmp_path / "a.md"
    assert acl_of(alone, walk(alone), default=frozenset())("a.md") == {"user:ann"}


def test_two_in_one_folder_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    for name in ("weft.acl.yaml", "Weft.ACL.yaml"):
        (tmp_path / name).write_text('default: ["user:ann"]\n')
    if len(list(tmp_path.iterdir())) == 2:
        pytest.skip("this disk ignores case")
    for root in (tmp_path, tmp_path / "a.md"):
        with pytest.raises(BadInput, match="one folder has one file"):
            acl_of(root, walk(root), default=frozenset())
