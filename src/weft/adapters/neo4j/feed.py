"""What changed since a version, read so that of each document it is the old patch or the new one.

A reading transaction sees what others commit meanwhile. So whoever reads asks first what changed,
and takes a document only if the number of its passages is right and all of them carry the stamp
and the class that were announced; what does not is asked for again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

from weft.adapters.neo4j.database import Parameters, Row
from weft.domain.acl import acl_class
from weft.domain.errors import StoreUnavailable
from weft.domain.frozen import dataclass
from weft.index.segment import DocumentRow
from weft.stores.missing import no_base
from weft.stores.rows import to_passage_row
from weft.stores.values import listed, texts, whole

# So many documents are announced at once: a page of names alone stays within the time of a call.
ANNOUNCED = 10_000
PAGE_DOCUMENTS = 200
PAGE_PASSAGES = 1000
ATTEMPTS = 8
_END = 2**62
Read = Callable[[str, Parameters], Awaitable[list[Row]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncedDocument:
    """A document that was published or given to other readers: what its passages must show."""

    id: str
    v: int
    number: int
    passages: int
    source: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesSince:
    """What happened after version `since` of one history up to `version`, without any of it.

    `latest` is the knowledge base's own version; it is later where more is to be asked for.
    `deleted` leads from hashes to when; `readers` from the classes of what was published to their
    principals. The version may have moved on since: what is listed then is listed again.
    """

    since: int
    version: int
    latest: int
    identity: str
    tenant: str
    published: Sequence[AnnouncedDocument]
    deleted: Mapping[str, int]
    readers: Mapping[int, frozenset[str]]


class Feed:
    """Reads one knowledge base's changes for the snapshot."""

    def __init__(self, read: Read, dimensions: int) -> None:
        """Take what runs a named query in a reading transaction, and the size of the vectors."""
        self._read = read
        self._dimensions = dimensions

    async def changed(self, identity: str, *, since: int) -> ChangesSince:
        """Return what happened since a version of the history `identity`, or ever in another.

        Raises `NotFound` where there is no knowledge base any more.
        """
        for _ in range(ATTEMPTS):
            asked: Parameters = {"identity": identity, "since": since, "limit": ANNOUNCED}
            rows = await self._read("changed", asked)
            if not rows:
                raise no_base()
            found = _changed(rows[0])
            if found is not None:
                return found
        raise _restless()

    async def take(self, wanted: ChangesSince) -> tuple[ChangesSince, list[DocumentRow]]:
        """Return the documents that were announced, each whole, and what is then announced.

        Raises `StoreUnavailable` where others change these again and again meanwhile.
        """
        held: dict[str, tuple[int, DocumentRow]] = {}
        for attempt in range(ATTEMPTS):
            if attempt:
                wanted = await self.changed(wanted.identity, since=wanted.since)
            missing = [each for each in wanted.published if held.get(each.id, (0,))[0] != each.v]
            held |= await self._pages(missing)
            if all(held.get(each.id, (0,))[0] == each.v for each in wanted.published):
                return wanted, [held[each.id][1] for each in wanted.published]
        raise _restless()

    async def _pages(
        self, missing: Sequence[AnnouncedDocument]
    ) -> dict[str, tuple[int, DocumentRow]]:
        """Return those documents that are whole, with their versions.

        One page is unpacked while the server makes the next one ready.
        """
        unpacked: list[asyncio.Task[dict[str, tuple[int, DocumentRow]]]] = []
        try:
            for page in _pages(missing):
                rows = await self._rows(page)
                if unpacked:
                    await unpacked[-1]
                unpacking = asyncio.to_thread(_whole, page, rows, self._dimensions)
                unpacked.append(asyncio.create_task(unpacking))
            return {key: row for task in unpacked for key, row in (await task).items()}
        finally:
            await asyncio.gather(*unpacked, return_exceptions=True)

    async def _rows(self, page: Sequence[AnnouncedDocument]) -> list[Sequence[object]]:
        """Return the passages of a page's documents as they are there."""
        rows: list[Sequence[object]] = []
        for pieces in _pieces(page):
            ((chunks,),) = await self._read("changed_chunks", {"pieces": pieces})
            rows += map(listed, listed(chunks))
        return rows


def _whole(
    announced: Sequence[AnnouncedDocument], rows: Sequence[Sequence[object]], dimensions: int
) -> dict[str, tuple[int, DocumentRow]]:
    """Unpack the documents that are whole."""
    by_document: dict[object, list[Sequence[object]]] = {each.id: [] for each in announced}
    for row in rows:
        by_document[row[0]].append(row)
    found = {}
    for each in announced:
        ordered = sorted(by_document[each.id], key=lambda row: whole(row[3]))
        if is_whole(each, ordered):
            passages = [to_passage_row(row[2:], dimensions) for row in ordered]
            document = DocumentRow(
                id=each.id, source=each.source, type=each.type, passages=passages
            )
            found[each.id] = (each.v, document)
    return found


def is_whole(announced: AnnouncedDocument, rows: Sequence[Sequence[object]]) -> bool:
    """Tell whether these are all passages of what was announced, and of nothing before or after.

    A row is (document, version, id, index, class, ...).
    """
    stamps = {(row[1], row[4]) for row in rows}
    return len(rows) == announced.passages and stamps <= {(announced.v, announced.number)}


def _changed(row: Sequence[object]) -> ChangesSince | None:
    """Return what a row announces; None where it was read while something changed."""
    since, latest, identity, tenant, cleared, documents, deleted = row
    rows = [listed(each) for each in listed(documents)]
    if any(value is None for each in rows for value in each):  # it was deleted meanwhile
        return None
    announced = sorted(map(_announced, rows), key=lambda each: each.v)
    gone = {str(hashed): whole(v) for hashed, v in map(listed, listed(deleted))}
    readers = _readers(rows)
    versions = [whole(since), *(each.v for each in announced)]
    if len(rows) == ANNOUNCED:
        # What was replaced since the list was begun is later than the version that it began with.
        version = max(v for v in versions if v <= whole(latest))
    else:
        version = whole(latest)
        versions += [whole(cleared), *gone.values()]
    if readers is None or max(versions) < version or whole(since) == version < whole(latest):
        return None  # the change that made this version is not among them
    return ChangesSince(
        since=whole(since),
        version=version,
        latest=whole(latest),
        identity=str(identity),
        tenant=str(tenant),
        published=sorted({each.id: each for each in announced}.values(), key=lambda each: each.id),
        deleted=gone,
        readers=readers,
    )


def _readers(rows: Sequence[Sequence[object]]) -> dict[int, frozenset[str]] | None:
    """Return the principals of each class; None where a class was read with others' principals."""
    readers: dict[int, frozenset[str]] = {}
    for _, _, number, acl, *_ in rows:
        if whole(number) not in readers:
            principals = frozenset(texts(acl))
            if acl_class(principals).number != number:
                return None
            readers[whole(number)] = principals
    return readers


def _announced(found: Sequence[object]) -> AnnouncedDocument:
    key, v, number, _, passages, source, kind = found
    return AnnouncedDocument(
        id=str(key),
        v=whole(v),
        number=whole(number),
        passages=whole(passages),
        source=str(source),
        type=str(kind),
    )


def _pages(announced: Sequence[AnnouncedDocument]) -> Iterator[list[AnnouncedDocument]]:
    """Yield pages of at most so many documents and, but for large documents, so many passages."""
    page: list[AnnouncedDocument] = []
    passages = 0
    for each in announced:
        full = len(page) == PAGE_DOCUMENTS or passages + each.passages > PAGE_PASSAGES
        if page and full:
            yield page
            page, passages = [], 0
        page.append(each)
        passages += each.passages
    if page:
        yield page


def _pieces(page: Sequence[AnnouncedDocument]) -> Iterator[list[dict[str, object]]]:
    """Yield what to ask for: all of a page at once, or a large document piece by piece."""
    if len(page) > 1 or page[0].passages <= PAGE_PASSAGES:
        yield [{"doc": each.id, "first": 0, "last": _END} for each in page]
        return
    for first in range(0, page[0].passages, PAGE_PASSAGES):
        last = first + PAGE_PASSAGES
        end = _END if last >= page[0].passages else last
        yield [{"doc": page[0].id, "first": first, "last": end}]


def _restless() -> StoreUnavailable:
    return StoreUnavailable(
        "The knowledge base changed again and again while it was read; try again.", reason="busy"
    )
