"""The example organisation is what its questions say of it, and every document of it is read."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from house.source import ROOT, lines
from weft.adapters.reader.parsed import RawFile
from weft.adapters.reader.parsing import parse_alone
from weft.domain.record import Record
from weft.ingest.sources.acl_file import acl_of
from weft.ingest.sources.folder import LINKS_FILE, FoundFile, walk

EXAMPLES = ROOT / "examples"
BASES = ("handbook", "engineering")
KINDS = {
    "who",
    "when",
    "where",
    "how_many",
    "yes_no",
    "list",
    "definition",
    "comparison",
    "multi_hop",
    "contradiction",
    "homonym",
}
LISTS = ("documents", "aliases", "evidence", "absent", "hidden")
EVERYONE = frozenset({"tenant:*"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One line of `questions.jsonl`; `absent` and `hidden` tell what must not be found."""

    id: str
    question: str
    language: str
    kind: str
    kb: str
    principals: frozenset[str]
    answer: str
    documents: tuple[str, ...]
    answerable: bool
    missing: str
    aliases: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def test_every_document_is_read() -> None:
    read = {(kb, file.relative) for kb in BASES for file in _files(kb)}
    assert len(read) >= 60
    assert {(kb, path) for kb in BASES for path in _texts(kb)} == read


def test_a_third_is_korean_and_the_formats_are_many() -> None:
    texts = [text for kb in BASES for text in _texts(kb).values()]
    korean = [text for text in texts if _is_korean(text)]
    assert 0.3 <= len(korean) / len(texts) <= 0.4
    formats = {file.path.suffix for kb in BASES for file in _files(kb)}
    assert {".md", ".txt", ".html", ".pdf", ".csv", ".tsv", ".json", ".jsonl", ".py"} <= formats


def test_an_office_document_is_what_its_script_makes() -> None:
    script = _script()
    made = {target: script.made(target) for target in script.DOCUMENTS}
    here = {
        path.relative_to(EXAMPLES).as_posix(): path.read_bytes() for path in EXAMPLES.rglob("*.pdf")
    }
    assert made == here


def test_there_are_enough_questions_of_every_kind() -> None:
    questions = _questions()
    assert len({question.id for question in questions}) == len(questions) >= 80
    assert {question.kind for question in questions} == KINDS
    open_to_all = [each for each in questions if not each.answerable and not each.hidden]
    assert len(open_to_all) >= 25
    assert sum(question.language == "ko" for question in questions) >= 15
    assert sum(bool(question.hidden) for question in questions) >= 5
    assert all(_is_korean(each.question) == (each.language == "ko") for each in questions)


def test_an_answer_stands_in_the_documents_that_are_named() -> None:
    wrong = []
    for each in _questions():
        said = [_plain(_texts(each.kb)[path]) for path in each.documents]
        named = [each.answer, *each.aliases]
        found = any(_plain(name) in text for name in named for text in said)
        if each.answerable and not each.evidence and not found:
            wrong.append(f"{each.id} {each.question} {each.answer}")
        wrong += [
            f"{each.id} {each.question} {part}"
            for part in each.evidence
            if not any(_plain(part) in text for text in said)
        ]
    assert not wrong, lines(wrong)


def test_what_is_missing_stands_nowhere() -> None:
    wrong = []
    for each in _questions():
        assert bool(each.missing) == (not each.answerable) == bool(each.absent or each.hidden)
        parts = [part.casefold() for part in each.absent]
        for path, text in _texts(each.kb).items():
            stretches = re.split(r"\n\s*\n|(?<=[.?!])\s", text.casefold())
            if parts and any(all(part in stretch for part in parts) for stretch in stretches):
                wrong.append(f"{each.id} {each.question} {path}")
    assert not wrong, lines(wrong)


def test_what_is_hidden_stands_only_where_the_asker_may_not_read() -> None:
    wrong = []
    for each in _questions():
        readers = _readers(each.kb)
        texts = {path: _plain(text) for path, text in _texts(each.kb).items()}
        for part in map(_plain, each.hidden):
            holding = [path for path, text in texts.items() if part in text]
            assert holding, f"{each.id}: {part} stands nowhere"
            wrong += [f"{each.id} {path}" for path in holding if readers[path] & each.principals]
        if each.answerable:
            wrong += [f"{each.id} {p}" for p in each.documents if not readers[p] & each.principals]
    assert not wrong, lines(wrong)


def test_a_link_joins_names_that_stand_in_its_documents() -> None:
    listed = []
    for kb in BASES:
        for row in _rows(EXAMPLES / kb / LINKS_FILE):
            ends = (row["left"], row["right"])
            for end in ends:
                path, _, fragment = end["document"].partition("#")
                [text] = [
                    record.content
                    for record in _parsed(EXAMPLES / kb / path)
                    if record.fragment == fragment
                ]
                assert end["name"] in text, end
            left, right = ({**end, "document": f"{kb}/{end['document']}"} for end in ends)
            listed.append({**row, "left": left, "right": right})
    assert {row["kind"] for row in listed} == {"same_as", "not_same_as"}
    assert listed == _rows(EXAMPLES / "links.jsonl")


def test_some_documents_are_restricted() -> None:
    restricted = Counter(
        kb for kb in BASES for readers in _readers(kb).values() if not readers & EVERYONE
    )
    assert restricted == {"handbook": 3, "engineering": 2}


def _files(kb: str) -> list[FoundFile]:
    return [file for file in walk(EXAMPLES / kb) if not file.skipped]


@cache
def _texts(kb: str) -> dict[str, str]:
    """Return the text of each document that the product's reader reads, by its path."""
    return {
        file.relative: "\n\n".join(
            f"{record.fragment}\n{record.title}\n{record.content}" for record in _parsed(file.path)
        )
        for file in _files(kb)
    }


def _readers(kb: str) -> dict[str, frozenset[str]]:
    readers = acl_of(EXAMPLES / kb, walk(EXAMPLES / kb), default=EVERYONE)
    return {file.relative: readers(file.relative) for file in _files(kb)}


@cache
def _questions() -> tuple[Question, ...]:
    return tuple(map(_question, _rows(EXAMPLES / "questions.jsonl")))


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _question(row: dict[str, Any]) -> Question:
    lists: dict[str, Any] = {name: tuple(row.pop(name, ())) for name in LISTS}
    return Question(principals=frozenset(row.pop("as")), **lists, **row)


def _parsed(path: Path) -> Iterator[Record]:
    page, again = 0, True
    while again:
        source = RawFile(data=path.read_bytes(), name=path.name)
        parsed = parse_alone(source, first_page=page)
        assert not parsed.skipped, f"{path.name}: {parsed.skipped}"
        yield from parsed.records
        page, again = parsed.next_page, bool(parsed.next_page)


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_office", EXAMPLES / "make_office.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def _is_korean(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    hangul = sum("\uac00" <= char <= "\ud7a3" for char in letters)
    return hangul > 0.3 * len(letters)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
