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
    gathered,
    references_of,
)
from weft.adapters.neo4j.vocabulary import Vocabulary
from weft.domain.claim import Mention
from weft.domain.ids import DocumentId
from weft.domain.patch import Patch
from weft.domain.pattern import LocalClaim
from weft.stores.export import Export
from weft.stores.missing import no_document
from weft.stores.packing import unpacked
from weft.stores.rows import to_document, to_mention, to_passage
from weft.stores.values import texts

_DOCUMENTS = 200
_TEXT, _REFERENCES, _HANDLES, _RELATIONS = 10, 11, 12, 13


async def whole_patch(
    transaction: Transaction, asked: Properties, *, words: Vocabulary, dimensions: int
) -> Patch:
    """Return the patch of the one document of `asked`, or raise `NotFound`."""
    rows = await collected(transaction, "whole_documents", given=asked)
    if not rows:
        raise no_document()
    row = rows[0]
    chunks = await collected(transaction, "whole_chunks", given=asked)
    mentions = await collected(transaction, "whole_mentions", given=asked)
    claims = await claims_of(transaction, asked, types=texts(row[_RELATIONS]), words=words)
    return Patch(
        document=to_document(row[:_TEXT]),
        text=str(row[_TEXT]),
        passages=tuple(unpacked(to_passage(each), dimensions) for each in chunks),
        mentions=tuple(mention for _, mention in _mentions(mentions)),
        claims=tuple(each.claim for each in claims),
        references=tuple(references_of(row[_REFERENCES])),
        handles=tuple(sorted(texts(row[_HANDLES]))),
    )


async def export_lines(
    transaction: Transaction, under: Properties, *, made_with: dict[str, str]
) -> list[str]:
    """Return the canonical lines of all that the caller may read."""
    export = Export(made_with)
    for ids in await _pages(transaction, under):
        asked = {**under, "ids": ids}
        for row in await collected(transaction, "whole_documents", given=asked):
            document = to_document(row[:_TEXT])
            export.add_document(document, str(row[_TEXT]))
            for reference in references_of(row[_REFERENCES]):
                export.add_reference(document.id, reference)
            for handle in sorted(texts(row[_HANDLES])):
                export.add_handle(document.id, handle)
        for row in await collected(transaction, "whole_chunks", given=asked):
            export.add_chunk(row)
        for found in _mentions(await collected(transaction, "whole_mentions", given=asked)):
            export.add_mention(*found)
    for claim in _claims(await collected(transaction, "all_claims", given=under)):
        export.add_claim(claim)
    return list(export.lines(await readable_links(transaction, under)))


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
