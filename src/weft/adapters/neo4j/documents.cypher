// Documents one by one, for readers: the readable classes stand in every query, as in reading.cypher.

// name: page
// Readable documents past an id, in order; with a text, those whose id, title or uri has it. The
// index compares by code points, a plan without it by UTF-16.
MATCH (d:Document) USING INDEX d:Document(id)
WHERE d.id > $after AND d.acl_class IN $classes
    AND ($sources IS NULL OR toLower(d.source) IN $sources OR toLower(d.type) IN $sources)
    AND ($text = '' OR toLower(d.id) CONTAINS $text OR toLower(d.title) CONTAINS $text
        OR (($places OR NOT d.uri STARTS WITH 'file://') AND toLower(d.uri) CONTAINS $text))
WITH d ORDER BY d.id LIMIT $limit
RETURN collect([d.id, d.source, d.type, d.title, d.uri, d.version, d.acl, d.metadata, d.created,
    d.updated])

// name: chunk_counts_of
// How many readable chunks some documents have.
MATCH (c:Chunk) WHERE c.doc_id IN $ids AND c.acl_class IN $classes
WITH c.doc_id AS id, count(*) AS chunks
RETURN collect([id, chunks])

// name: one_document
// A readable document's own node.
MATCH (d:Document {id: $id})
WHERE d.acl_class IN $classes
    AND ($sources IS NULL OR toLower(d.source) IN $sources OR toLower(d.type) IN $sources)
RETURN collect([d.id, d.source, d.type, d.title, d.uri, d.version, d.acl, d.metadata, d.created,
    d.updated])

// name: opened_document
// The same with its text, and the relationship types that its claims have.
MATCH (d:Document {id: $id})
WHERE d.acl_class IN $classes
    AND ($sources IS NULL OR toLower(d.source) IN $sources OR toLower(d.type) IN $sources)
RETURN collect([d.id, d.source, d.type, d.title, d.uri, d.version, d.acl, d.metadata, d.created,
    d.updated, d.text, d.relations])

// name: document_chunks
// The chunks of a readable document, in order.
MATCH (c:Chunk {doc_id: $id}) WHERE c.acl_class IN $classes
WITH c ORDER BY c.chunk_index
RETURN collect([c.id, c.doc_id, c.chunk_index, c.text, c.start, c.end, c.page, c.section, c.tokens,
    c.sentences])
