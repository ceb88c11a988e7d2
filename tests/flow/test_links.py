"""Links beside the files: loaded with the documents, and the example organisation's all hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weft import Weft
from weft.domain.errors import BadInput

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LINKS = "weft.links.jsonl"


@pytest.fixture(autouse=True)
def _without_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links are no matter of vectors, which take most of the time."""
    monkeypatch.setenv("WEFT_EMBEDDER", "none")


@pytest.mark.parametrize("name", ["handbook", "engineering"])
def test_the_example_is_read_whole_and_its_links_find_their_ends(name: str, home: Path) -> None:
    with Weft.open(EXAMPLES / name, home=home) as opened:
        done = opened.sync()
        again = opened.sync()
    assert (done.failed, done.unlinked) == (0, ())
    assert again.unchanged == again.files == done.files
    assert again.unlinked == ()


def test_a_links_file_alone_is_followed(tmp_path: Path, home: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.md").write_text("Mr Karel Novotny was born in Brno in 1950.\n")
    ends = [{"document": f"{name}.md", "name": "Karel Novotny"} for name in ("one", "two")]
    row = {"kind": "not_same_as", "left": ends[0], "right": ends[1], "reason": "two people"}
    with Weft.open(tmp_path, home=home) as opened:
        assert opened.sync().unlinked == ()
        (tmp_path / LINKS).write_text(json.dumps(row))
        assert opened.sync().unlinked == ()
        (tmp_path / LINKS).write_text(json.dumps(row).replace("one.md", "three.md"))
        assert opened.sync().unlinked == (f"{LINKS} line 1: no 'Karel Novotny' in three.md",)
        (tmp_path / LINKS).write_text("same")
        with pytest.raises(BadInput, match=f"{LINKS} line 1: not JSON"):
            opened.sync()
