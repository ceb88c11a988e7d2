"""Questions are made of headings, fields, tables, definitions and claims."""

from __future__ import annotations

import pytest

from weft.domain.document import Document
from weft.domain.ids import DocumentId
from weft.offline.suggestions import suggestions
from weft.ports.documents import OpenedDocument


def asked(title: str, text: str) -> list[str]:
    document = Document(
        id=DocumentId("file:a"),
        title=title,
        uri="",
        type="file",
        source="a",
        acl=frozenset({"tenant:*"}),
        version="1",
    )
    opened = OpenedDocument(document=document, text=text, chunks=(), claims=())
    return [one.question for one in suggestions(opened)]


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Heron", "# Heron\n\nA heron is a bird of long legs.\n", "What is heron?"),
        ("Keys", "# Keys\n\n## How do I open the vault?\n\nTurn.\n", "How do I open the vault?"),
        ("Vault", "# Vault\n\nOwner: Ada Blom\n", "What is given as “Owner” for Vault?"),
        (
            "Cranes",
            "# Cranes\n\n| Crane | Load |\n|---|---|\n| North | 120 tonnes |\n",
            "What is given as “Load” for North?",
        ),
        ("하늘호", "# 하늘호\n\n선장: 김민준 선장\n", "하늘호의 “선장” 항목은 무엇인가요?"),
        ("Rules", "# Rules\n\n## Hotels\n\nUp to 165.\n", "What does “Rules” say about hotels?"),
        ("a.csv p1", "id: beacon\ntier: first\nowner: Ada\n", " for beacon?"),
    ],
)
def test_each_shape_gives_its_question(title: str, text: str, expected: str) -> None:
    assert expected in " ".join(asked(title, text))


def test_what_only_points_is_not_asked_for() -> None:
    text = "# Notes\n\nThis is a draft.\n\nHeron is a bird.\n\n이것은 초안이다.\n"
    assert asked("Notes", text) == ["What is Heron?", "What is Notes?"]


def test_programs_and_nothing_give_none() -> None:
    assert asked("retry.py", "# Owner\nowner: Ada Blom\n\ndef retry():\n    pass\n") == []
    assert asked("", "") == []
