"""Suggested questions: answered by what the caller may read, and made of nothing else."""

from __future__ import annotations

from pathlib import Path

from flow.http_world import served
from weft.sdk.weft import Weft

ZETA = """# Zeta

Zeta is a printing press in Bergen.

## Owner

The owner of the press is Ada Blom.
"""
HIDDEN = "# Canary\n\nCanary is a secret printing press.\n\nOwner: Nobody Atall\n"
KOREAN = """# 하늘호 점검 기록

참석: 김민준, 박서연

## 원인

고장의 원인은 냉각수 펌프이다.
"""


def home_with(folder: Path) -> Path:
    """Return a workspace whose base has documents for the owner, and one that is for others."""
    (folder / "weft.yaml").write_text("embedder: none\n")
    notes = folder / "notes"
    notes.mkdir()
    for name, text in {"zeta.md": ZETA, "하늘호.md": KOREAN, "canary.md": HIDDEN}.items():
        (notes / name).write_text(text, encoding="utf-8")
    rules = "default: ['tenant:*']\npaths:\n  canary.md: ['group:others']\n"
    (notes / "weft.acl.yaml").write_text(rules)
    with Weft.open(notes, home=folder) as weft:
        weft.sync()
    return folder


def test_suggestions_are_answered_and_in_the_language_of_the_documents(tmp_path: Path) -> None:
    with served(home_with(tmp_path)) as client:
        found = client.get("/v1/suggestions", params={"limit": 6}).json()["items"]
        assert {each["title"] for each in found} == {"Zeta", "하늘호 점검 기록"}
        for each in found:
            answer = client.post("/ask", json={"question": each["question"]}).json()
            assert answer["outcome"] == "answered", each
            is_korean = any("가" <= char <= "힣" for char in each["question"])
            assert is_korean == (each["title"] != "Zeta")
        assert len(client.get("/v1/suggestions", params={"limit": 1}).json()["items"]) == 1


def test_what_may_not_be_read_has_no_part_in_them(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("with", "without")]
    told = []
    for folder in folders:
        folder.mkdir()
        home = home_with(folder)
        if folder.name == "without":
            (folder / "notes" / "canary.md").unlink()
            with Weft.open(folder / "notes", home=home) as weft:
                weft.sync()
        with served(home) as client:
            found = client.get("/v1/suggestions", params={"limit": 6}).json()["items"]
            # A folder's base is named after its path, which differs here.
            told.append([{**each, "kb": ""} for each in found])
    assert told[0]
    assert "anary" not in str(told[0])
    assert told[0] == told[1]


def test_a_base_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    with served(home_with(tmp_path)) as client:
        assert client.get("/v1/suggestions", params={"kb": "Nowhere"}).status_code == 404
        assert client.get("/v1/suggestions", params={"limit": 0}).status_code == 422
