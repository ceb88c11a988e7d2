// name: changed
// What happened since a version of one history, or ever if that is not this base's: for the
// snapshot alone. Documents are looked at before those deleted, so that none is in neither.
MATCH (k:Kb {id: 1})
WITH k.version AS version, k.identity AS identity, k.tenant AS tenant, k.cleared AS cleared,
    CASE WHEN k.identity = $identity AND k.version >= $since THEN $since ELSE 0 END AS since
CALL (since) {
    MATCH (d:Document) WHERE d.v > since
    WITH d ORDER BY d.v LIMIT $limit
    RETURN collect([d.id, d.v, d.acl_class, d.acl, d.chunks, d.source, d.type]) AS documents
}
CALL (since) {
    MATCH (x:Deleted) WHERE x.v > since
    RETURN collect([x.hash, x.v]) AS deleted
}
RETURN since, version, identity, tenant, cleared, documents, deleted

// name: changed_chunks
// The chunks of some documents, those of large ones in pieces.
UNWIND $pieces AS piece
MATCH (c:Chunk {doc_id: piece.doc})
WHERE c.chunk_index >= piece.first AND c.chunk_index < piece.last
RETURN collect([c.doc_id, c.v, c.id, c.chunk_index, c.acl_class, c.terms, c.facts, c.vector,
    c.sentence_vectors]) AS chunks
