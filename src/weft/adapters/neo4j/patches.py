"""A patch as rows for the queries that write it into the graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from weft.adapters.neo4j.rows import (
    Properties,
    chunk_properties,
    claim_properties,
    document_properties,
    entity_key,
    evidence_properties,
    mention_properties,
    stamp,
)
from weft.adapters.neo4j.vocabulary import Vocabulary
from weft.domain.acl import AclClass, acl_class
from weft.domain.claim import Claim, Mention
from weft.domain.evidence import evidence_name
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId
from weft.domain.patch import Patch
from weft.stores.values import texts

Rows = list[Properties]
Named = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchRows:
    """What a document is made of in the graph, ordered as it is written.

    Each has the stamp of its document but for the number of the change, which is known last.
    """

    readers: AclClass
    stamped: Properties
    document: Properties
    chunks: Rows
    entities: Rows
    mentions: Rows
    sightings: Rows
    claims: Rows
    literals: Rows
    names: Rows

    @property
    def keys(self) -> set[str]:
        """Return the keys of the entities that the document touches."""
        return {str(row["key"]) for row in self.entities}

    @property
    def handles(self) -> set[str]:
        """Return the handles that the document has or names."""
        return {*texts(self.document["handles"]), *(str(row["handle"]) for row in self.names)}


def patch_rows(patch: Patch, words: Vocabulary) -> PatchRows:
    """Return a patch's parts, facts and vectors packed: work for a thread."""
    document = patch.document.id
    chosen = acl_class(patch.document.acl)
    stamped = stamp(document, chosen)
    mentions = _mentions(patch.mentions)
    stated = {claim.id: claim for claim in reversed(patch.claims)}
    claimed = [stated[key] for key in sorted(stated)]
    touched = _touched(mentions, claimed)
    claims = [_claim(each, words, stamped) for each in claimed if each.object_name is not None]
    # By the counts a reader tells a whole document from a half.
    counts = {
        "chunks": len(patch.passages),
        "mentions": len(mentions),
        "claims": len(claimed),
        "relations": sorted({str(row["type"]) for row in claims}),
    }
    return PatchRows(
        readers=chosen,
        stamped=stamped,
        document={**document_properties(patch, chosen), **counts},
        chunks=[
            {
                "chunk": chunk_properties(passage, stamped),
                "evidence": evidence_properties(passage.chunk.id, stamped),
            }
            for passage in patch.passages
        ],
        entities=_entities((name for _, name in touched), words),
        mentions=[
            {
                "chunk_id": each.chunk_id,
                "key": entity_key(each.entity_class, each.name),
                "properties": mention_properties(each, stamped),
            }
            for each in mentions
        ],
        sightings=[
            {
                "evidence": evidence_name(document, chunk),
                "key": entity_key(*named),
                "properties": {**stamped, "chunk_id": chunk},
            }
            for chunk, named in sorted(touched)
        ],
        claims=claims,
        literals=[_literal(each, stamped) for each in claimed if each.object_name is None],
        names=_names(patch),
    )


def _mentions(mentions: Iterable[Mention]) -> list[Mention]:
    """Return mentions without repetitions; the first of each stays."""
    found: dict[tuple[object, ...], Mention] = {}
    for each in mentions:
        place = (each.chunk_id, each.start, each.end, each.entity_class, each.name)
        found.setdefault(place, each)
    return list(found.values())


def _touched(mentions: Iterable[Mention], claims: Iterable[Claim]) -> set[tuple[ChunkId, Named]]:
    """Return each chunk with the class and name of what it mentions or claims."""
    touched = {(each.chunk_id, (each.entity_class, each.name)) for each in mentions}
    for claim in claims:
        touched.add((claim.chunk_id, (claim.subject_class, claim.subject_name)))
        if claim.object_name is not None:
            touched.add((claim.chunk_id, (claim.object_class or "", claim.object_name)))
    return touched


def _entities(named: Iterable[Named], words: Vocabulary) -> Rows:
    return [
        {
            "key": entity_key(entity_class, name),
            "name": name,
            "class": entity_class,
            "label": words.label(entity_class),
        }
        for entity_class, name in sorted(set(named))
    ]


def _claim(claim: Claim, words: Vocabulary, stamped: Properties) -> Properties:
    return {
        "subject": entity_key(claim.subject_class, claim.subject_name),
        "object": entity_key(claim.object_class or "", claim.object_name or ""),
        "type": words.type(claim.predicate),
        "properties": claim_properties(claim, stamped),
    }


def _literal(claim: Claim, stamped: Properties) -> Properties:
    said = {**claim_properties(claim, stamped), "object_class": claim.object_class}
    return {
        "subject": entity_key(claim.subject_class, claim.subject_name),
        "evidence": evidence_name(str(stamped["doc_id"]), claim.chunk_id),
        "properties": said,
    }


def _names(patch: Patch) -> Rows:
    kinds: defaultdict[str, set[str]] = defaultdict(set)
    for each in patch.references:
        kinds[each.handle].add(each.kind)
    return [{"handle": handle, "kinds": sorted(kinds[handle])} for handle in sorted(kinds)]
