"""`weft.links.jsonl`: what a curator says is kept, follows its file, and a wrong line is named."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from fault.workshop import OWNER
from weft.domain.claim import Link, LinkKind, LocalEntity
from weft.domain.errors import BadInput, NotFound
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ingest.sources.folder import walk
from weft.ingest.sources.links_file import LinkPorts, Statement, keep_links, read_statements
from weft.ingest.sources.plan import Source

pytestmark = pytest.mark.anyio
ANN = {"document": "a.md", "name": "Ann Lee"}
BEE = {"document": "sub/b.csv#7", "name": "Ann Lee"}


@dataclass
class Kept:
    """The entities and links of a knowledge base, in memory."""

    known: list[LocalEntity]
    held: dict[str, Link] = field(default_factory=dict)
    added: int = 0

    async def entities(self, scope: Scope, name: str, limit: int) -> list[LocalEntity]:
        return [each for each in self.known if name in each.name][:limit]

    async def touching(self, scope: Scope, entities: frozenset[LocalEntity]) -> list[Link]:
        return list(self.held.values())

    async def add(self, scope: Scope, link: Link) -> None:
        if not {link.left, link.right} <= set(self.known):
            raise NotFound("One end of the link is not there.")
        self.held[link.key] = link
        self.added += 1

    async def retract(self, scope: Scope, key: str) -> bool:
        return self.held.pop(key, None) is not None


def entity(document: str, name: str = "ann lee", kind: str = "person") -> LocalEntity:
    return LocalEntity(document_id=DocumentId(document), name=name, entity_class=kind)


def everyone() -> list[LocalEntity]:
    return [entity("file:docs/a.md"), entity("record:docs/sub/b.csv#7")]


def source(root: Path) -> Source:
    return Source(name="docs", root=root, acl=frozenset())


def write(root: Path, *rows: object, name: str = "weft.links.jsonl") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (root / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def row(kind: str = "not_same_as", left: object = ANN, right: object = BEE) -> dict[str, object]:
    return {"kind": kind, "left": left, "right": right, "reason": "two people"}


def statements(root: Path) -> tuple[Statement, ...]:
    return read_statements(source(root), walk(root))


async def keep(root: Path, kept: Kept) -> tuple[str, ...]:
    ports = LinkPorts(knowledge=cast(Any, kept), links=kept)
    return await keep_links(OWNER, ports, source=source(root), statements=statements(root))


async def test_a_line_becomes_a_link_by_a_person(tmp_path: Path) -> None:
    write(tmp_path, row())
    kept = Kept(everyone())
    assert await keep(tmp_path, kept) == ()
    [link] = kept.held.values()
    assert (link.left, link.right) == (everyone()[0], everyone()[1])
    assert (link.kind, link.method, link.score) == (LinkKind.NOT_SAME_AS, "person", 1.0)
    assert (link.reason, link.author) == ("two people", "links:docs/weft.links.jsonl")


async def test_the_same_again_writes_nothing(tmp_path: Path) -> None:
    write(tmp_path, row())
    kept = Kept(everyone())
    await keep(tmp_path, kept)
    await keep(tmp_path, kept)
    assert kept.added == 1


async def test_a_line_that_goes_takes_its_link_along(tmp_path: Path) -> None:
    write(tmp_path, row(), row("same_as"))
    kept = Kept(everyone())
    await keep(tmp_path, kept)
    assert len(kept.held) == 2
    write(tmp_path, row("same_as"))
    await keep(tmp_path, kept)
    assert [link.kind for link in kept.held.values()] == [LinkKind.SAME_AS]
    (tmp_path / "weft.links.jsonl").unlink()
    await keep(tmp_path, kept)
    assert not kept.held


async def test_a_link_by_somebody_else_is_left_alone(tmp_path: Path) -> None:
    left, right = everyone()
    other = Link(
        left=left,
        right=right,
        kind=LinkKind.NOT_SAME_AS,
        method="person",
        score=0.9,
        reason="seen",
        author="user:ann",
    )
    kept = Kept(everyone(), held={other.key: other})
    write(tmp_path, row())
    await keep(tmp_path, kept)
    write(tmp_path)
    await keep(tmp_path, kept)
    assert kept.held == {other.key: other}


async def test_an_end_that_is_not_there_waits_and_is_named(tmp_path: Path) -> None:
    write(tmp_path, "", row())
    kept = Kept(everyone()[:1])
    assert await keep(tmp_path, kept) == ("weft.links.jsonl line 2: no 'Ann Lee' in sub/b.csv#7",)
    kept.known = everyone()
    assert await keep(tmp_path, kept) == ()
    assert len(kept.held) == 1


async def test_a_name_without_a_class_means_every_class(tmp_path: Path) -> None:
    write(tmp_path, row())
    kept = Kept([*everyone(), entity("file:docs/a.md", kind="place")])
    await keep(tmp_path, kept)
    assert {link.left.entity_class for link in kept.held.values()} == {"person", "place"}
    write(tmp_path, row(left={**ANN, "class": "place"}))
    await keep(tmp_path, kept)
    assert {link.left.entity_class for link in kept.held.values()} == {"place"}


async def test_a_longer_name_is_another_name(tmp_path: Path) -> None:
    write(tmp_path, row())
    kept = Kept([everyone()[0], entity("record:docs/sub/b.csv#7", "ann leeds")])
    assert len(await keep(tmp_path, kept)) == 1


async def test_what_is_replaced_meanwhile_waits(tmp_path: Path) -> None:
    write(tmp_path, row())
    kept = Kept(everyone())

    async def gone(scope: Scope, link: Link) -> None:
        raise NotFound("One end of the link is not there.")

    kept.add = gone  # type: ignore[method-assign]  # a publish came in between
    assert await keep(tmp_path, kept) == ("ann lee and ann lee: changed while it was linked",)


def test_paths_are_those_beside_the_file(tmp_path: Path) -> None:
    write(tmp_path, row(right={"document": "../a.md", "name": "Bo"}), name="sub/weft.links.jsonl")
    [said] = statements(tmp_path)
    assert (said.left.path, said.right.path) == ("sub/a.md", "a.md")
    assert said.place == "sub/weft.links.jsonl line 1"


def test_a_links_file_is_no_document(tmp_path: Path) -> None:
    write(tmp_path, row())
    [found] = walk(tmp_path)
    assert found.skipped


def test_a_source_of_one_file_has_no_links(tmp_path: Path) -> None:
    write(tmp_path, row())
    assert read_statements(source(tmp_path / "weft.links.jsonl"), ()) == ()


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("{", "not JSON"),
        ("[1]", "not an object"),
        (row("like"), "kind is not same_as or not_same_as"),
        ({**row(), "who": "me"}, "'who' is not one of kind, left, reason, right"),
        ({**row(), "reason": " "}, "reason is not a text"),
        (row(left="a.md"), "left: not an object"),
        (row(right={"document": "a.md"}), "right: name is not a text"),
        (row(right={**ANN, "class": 3}), "right: class is not a text"),
        (row(right={"document": "../../x", "name": "Bo"}), "leads out of the folder"),
        (row(right={"document": "a.md", "name": "--"}), "'--' names nothing"),
        (row(right=ANN), "left and right are the same"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: object, wrong: str) -> None:
    write(tmp_path, row(), line)
    with pytest.raises(BadInput, match=r"weft\.links\.jsonl line 2: ") as raised:
        statements(tmp_path)
    assert wrong in raised.value.message


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "weft.links.jsonl").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(BadInput, match=r"weft\.links\.jsonl cannot be read"):
        statements(tmp_path)
