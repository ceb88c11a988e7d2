"""`weft.links.jsonl`: which entities of the documents beside it a curator says are one, or not."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from weft.domain.claim import Link, LinkKind, LocalEntity
from weft.domain.entity import PERSON_METHOD
from weft.domain.errors import BadInput, NotFound
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ingest.sources.document_ids import document_key
from weft.ingest.sources.folder import LINKS_FILE, FoundFile
from weft.ingest.sources.plan import Source
from weft.language.names import normalise
from weft.ports.knowledge import Knowledge
from weft.ports.links import Links

_FIELDS = {"kind", "left", "right", "reason"}
_END_FIELDS = {"document", "name", "class"}
_MOST_NAMESAKES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkEnd:
    """A name in a document: its path below the root, with `#` and an id for a record of a file.

    Without `entity_class` it is meant whatever class the document's reader gave the name.
    """

    path: str
    fragment: str
    name: str
    entity_class: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What one line says; `place` is its file and line, `author` what its links are kept under."""

    kind: LinkKind
    left: LinkEnd
    right: LinkEnd
    reason: str
    place: str
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPorts:
    """The ports of the knowledge base that links are kept in."""

    knowledge: Knowledge
    links: Links


def read_statements(source: Source, found: Iterable[FoundFile]) -> tuple[Statement, ...]:
    """Return what the links files among `found` say; raise `BadInput` naming a wrong line.

    A source that is one file has no links: they would speak of files that are not in it.
    """
    if source.root.is_file():
        return ()
    said: list[Statement] = []
    for file in found:
        folder, _, name = file.relative.rpartition("/")
        if name == LINKS_FILE:
            author = f"{_author(source)}{file.relative}"
            for place, line in _lines(file.path, file.relative):
                said.append(_statement(line, place, folder=folder, author=author))
    return tuple(said)


async def keep_links(
    scope: Scope, ports: LinkPorts, *, source: Source, statements: Sequence[Statement]
) -> tuple[str, ...]:
    """Bring the links of a source's files in step with what they say, and return what waits.

    A statement waits, told by its place, while one of its names does not stand in its document;
    the next call looks again. Links that somebody else made are left alone.
    """
    every = await ports.links.touching(scope, frozenset())
    others = {link.key for link in every if not link.author.startswith(_author(source))}
    held = {link.key: link for link in every if link.key not in others}
    finder, waiting = _Finder(scope, ports.knowledge, source), list[str]()
    wanted: dict[str, Link] = {}
    for statement in statements:
        left, right = [await finder.entities(end) for end in (statement.left, statement.right)]
        for end, members in ((statement.left, left), (statement.right, right)):
            if not members:
                waiting.append(f"{statement.place}: no '{end.name}' in {_shown(end)}")
        made = [_link(statement, one, other) for one in left for other in right if one != other]
        wanted |= {link.key: link for link in made if link.key not in others}
    for key in held.keys() - wanted.keys():
        await ports.links.retract(scope, key)
    for key, link in wanted.items():
        if held.get(key) != link and not await _added(scope, ports.links, link):
            waiting.append(f"{link.left.name} and {link.right.name}: changed while it was linked")
    return tuple(waiting)


class _Finder:
    """The local entities that an end means, each name looked up once."""

    def __init__(self, scope: Scope, knowledge: Knowledge, source: Source) -> None:
        self._scope = scope
        self._knowledge = knowledge
        self._source = source
        self._known: dict[str, list[LocalEntity]] = {}

    async def entities(self, end: LinkEnd) -> list[LocalEntity]:
        """Return the readable local entities of that document, name and class, ordered."""
        document = document_key(self._source, end.path, fragment=end.fragment)
        if end.entity_class:
            named = [_local(document, end)]
            return named if named[0] in await self._namesakes(end.name) else []
        return [each for each in await self._namesakes(end.name) if each.document_id == document]

    async def _namesakes(self, name: str) -> list[LocalEntity]:
        wanted = normalise(name)
        if wanted not in self._known:
            found = await self._knowledge.entities(self._scope, wanted, _MOST_NAMESAKES)
            self._known[wanted] = [each for each in found if each.name == wanted]
        return self._known[wanted]


async def _added(scope: Scope, links: Links, link: Link) -> bool:
    try:
        await links.add(scope, link)
    except NotFound:  # its document was replaced after we looked
        return False
    return True


def _author(source: Source) -> str:
    return f"links:{source.name}/"


def _local(document: DocumentId, end: LinkEnd) -> LocalEntity:
    return LocalEntity(
        document_id=document, name=normalise(end.name), entity_class=end.entity_class
    )


def _link(statement: Statement, left: LocalEntity, right: LocalEntity) -> Link:
    return Link(
        left=left,
        right=right,
        kind=statement.kind,
        method=PERSON_METHOD,
        score=1.0,
        reason=statement.reason,
        author=statement.author,
    )


def _shown(end: LinkEnd) -> str:
    return f"{end.path}#{end.fragment}" if end.fragment else end.path


def _lines(path: Path, name: str) -> Iterable[tuple[str, object]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise BadInput(f"{name} cannot be read: {wrong}") from wrong
    for number, line in enumerate(text.split("\n"), 1):
        place = f"{name} line {number}"
        if line.strip():
            try:
                yield place, json.loads(line)
            except (ValueError, RecursionError) as wrong:
                raise BadInput(f"{place}: not JSON") from wrong


def _statement(line: object, place: str, *, folder: str, author: str) -> Statement:
    said = _fields(line, place, _FIELDS)
    kind = said.get("kind")
    if kind not in {each.value for each in LinkKind}:
        raise BadInput(f"{place}: kind is not same_as or not_same_as")
    left = _end(said.get("left"), f"{place}: left", folder=folder)
    right = _end(said.get("right"), f"{place}: right", folder=folder)
    if left == right:
        raise BadInput(f"{place}: left and right are the same")
    return Statement(
        kind=LinkKind(str(kind)),
        left=left,
        right=right,
        reason=_text(said, "reason", place),
        place=place,
        author=author,
    )


def _end(said: object, place: str, *, folder: str) -> LinkEnd:
    fields = _fields(said, place, _END_FIELDS)
    document, name = _text(fields, "document", place), _text(fields, "name", place)
    path, _, fragment = document.partition("#")
    path = posixpath.normpath(posixpath.join(folder, path))
    if not path.strip("./") or path.startswith(("../", "/")):
        raise BadInput(f"{place}: document '{document}' leads out of the folder")
    if not normalise(name):
        raise BadInput(f"{place}: '{name}' names nothing")
    wanted = _text(fields, "class", place) if "class" in fields else ""
    return LinkEnd(path=path, fragment=fragment, name=name, entity_class=wanted)


def _fields(said: object, place: str, known: set[str]) -> Mapping[str, object]:
    if not isinstance(said, dict):
        raise BadInput(f"{place}: not an object")
    if unknown := sorted(set(said) - known):
        raise BadInput(f"{place}: '{unknown[0]}' is not one of {', '.join(sorted(known))}")
    return said


def _text(fields: Mapping[str, object], name: str, place: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{place}: {name} is not a text")
    return value.strip()
