"""Documents read whole: one as its patch, all that are readable as canonical lines."""

from __future__ import annotations

from collections.abc import Sequence

from weft.adapters.neo4j.database import Transaction
from weft.adapters.neo4j.links import readable_links
from weft.adapters.neo4j.rows import (
    Collected,
    Properties,
    claim_of,
    collected,
    document_of,
    gathered,
    texts,
    to_references,
)
from weft.adapters.neo4j.vocabulary import Vocabulary
from weft.domain.canonical import (
    chunk_line,
    claim_line,
    document_line,
    evidence_line,
    handle_line,
    link_line,
    mention_line,
    reference_line,
    settings_line,
)
from weft.domain.claim import Mention
from weft.domain.errors import NotFound
from weft.domain.ids import DocumentId
from weft.domain.patch import Patch
from weft.domain.pattern import LocalClaim
from weft.stores.packing import unpacked
from weft.stores.rows import to_mention, to_passage

_DOCUMENTS = 200
_TEXT, _REFERENCES, _HANDLES, _RELATIONS = 10, 11, 12, 13


async def whole_patch(
    transaction: Transaction, asked: Properties, *, words: Vocabulary, dimensions: int
) -> Patch:
    """Return the patch of the one document of `asked`, or raise `NotFound`."""
    rows = await collected(transaction, "whole_documents", given=asked)
    if not rows:
        raise NotFound("There is no such document.")
    row = rows[0]
    chunks = await collected(transaction, "whole_chunks", given=asked)
    mentions = await collected(transaction, "whole_mentions", given=asked)
    claims = await claims_of(transaction, asked, types=texts(row[_RELATIONS]), words=words)
    return Patch(
        document=document_of(row[:_TEXT]),
        text=str(row[_TEXT]),
        passages=tuple(unpacked(to_passage(each), dimensions) for each in chunks),
        mentions=tuple(mention for _, mention in _mentions(mentions)),
        claims=tuple(each.claim for each in claims),
        references=tuple(to_references(row[_REFERENCES])),
        handles=tuple(sorted(texts(row[_HANDLES]))),
    )


async def export_lines(
    transaction: Transaction, under: Properties, *, made_with: dict[str, str]
) -> list[str]:
    """Return the canonical lines of all that the caller may read."""
    pages = await _pages(transaction, under)
    documents: list[str] = []
    chunks: list[str] = []
    mentions: list[str] = []
    references: list[str] = []
    handles: list[str] = []
    for ids in pages:
        asked = {**under, "ids": ids}
        for row in await collected(transaction, "whole_documents", given=asked):
            document = document_of(row[:_TEXT])
            documents.append(document_line(document, str(row[_TEXT])))
            references += [
                reference_line(document.id, each) for each in to_references(row[_REFERENCES])
            ]
            handles += [handle_line(document.id, each) for each in sorted(texts(row[_HANDLES]))]
        for row in await collected(transaction, "whole_chunks", given=asked):
            passage = to_passage(row)
            chunks += [chunk_line(passage), evidence_line(passage.chunk)]
        mentioned = _mentions(await collected(transaction, "whole_mentions", given=asked))
        mentions += [mention_line(document_id, mention) for document_id, mention in mentioned]
    stated = _claims(await collected(transaction, "all_claims", given=under))
    links = await readable_links(transaction, under)
    return [
        settings_line(made_with),
        *documents,
        *chunks,
        *mentions,
        *map(claim_line, stated),
        *references,
        *handles,
        *(link_line(link) for _, link in sorted(links.items())),
    ]


async def _pages(transaction: Transaction, under: Properties) -> list[list[str]]:
    """Return the ids of all readable documents, in order and in pages."""
    pages: list[list[str]] = []
    after = ""
    while True:
        asked = {**under, "after": after, "limit": _DOCUMENTS}
        ids = await gathered(transaction, "readable_ids", given=asked)
        if not ids:
            return pages
        pages.append(ids)
        after = ids[-1]


async def claims_of(
    transaction: Transaction, asked: Properties, *, types: Sequence[str], words: Vocabulary
) -> list[LocalClaim]:
    """Return the readable claims of the documents `ids`, whose relationships have these types.

    They are in order of document and id.
    """
    rows = await collected(transaction, "literal_claims", given=asked)
    known = set(words.all_types())
    if known.issuperset(types):
        for kind in types:
            rows += await collected(transaction, "typed_claims", given=asked, identifier=kind)
    else:
        rows += await collected(transaction, "other_claims", given=asked)
    return _claims(rows)


def _claims(rows: Collected) -> list[LocalClaim]:
    return sorted(map(claim_of, rows), key=lambda each: (each.document_id, each.claim.id))


def _mentions(rows: Collected) -> list[tuple[DocumentId, Mention]]:
    found = [(DocumentId(str(row[0])), to_mention(row[1:])) for row in rows]
    return sorted(found, key=lambda pair: (pair[0], *_place(pair[1])))


def _place(mention: Mention) -> tuple[str, int, int, str, str]:
    return mention.chunk_id, mention.start, mention.end, mention.entity_class, mention.name
