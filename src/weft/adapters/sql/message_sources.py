"""A message's sources as JSON: the document, then its cited spans if there are any."""

from __future__ import annotations

from collections.abc import Sequence

from weft.adapters.sql.database.columns import clean
from weft.domain.ids import ChunkId, DocumentId
from weft.ports.records.conversations import CitedSpan, MessageSource

_OLDER = 4  # values of a source before spans were kept


def plain(source: MessageSource) -> list[object]:
    """Return a source as a list of JSON values."""
    values = (source.knowledge_base, source.document, source.title, source.uri)
    written: list[object] = [clean(value) for value in values]
    return [*written, [_written(span) for span in source.spans]] if source.spans else written


def source(values: Sequence[object]) -> MessageSource:
    """Return the source that `plain` wrote, also that of an older version."""
    base, document, title, uri = map(str, values[:_OLDER])
    spans = values[_OLDER] if len(values) > _OLDER else []
    assert isinstance(spans, list)
    return MessageSource(
        knowledge_base=base,
        document=DocumentId(document),
        title=title,
        uri=uri,
        spans=tuple(_span(span) for span in spans),
    )


def _written(span: CitedSpan) -> list[object]:
    section = None if span.section is None else clean(span.section)
    place = [span.n, clean(span.chunk_id), span.start, span.end]
    return [*place, clean(span.snippet), span.page, section]


def _span(values: Sequence[object]) -> CitedSpan:
    n, chunk, start, end, snippet, page, section = values
    assert isinstance(n, int)
    assert isinstance(start, int)
    assert isinstance(end, int)
    assert isinstance(page, int | None)
    return CitedSpan(
        n=n,
        chunk_id=ChunkId(str(chunk)),
        start=start,
        end=end,
        snippet=str(snippet),
        page=page,
        section=None if section is None else str(section),
    )
