// Reading under a scope: the readable classes, found in the same transaction, stand on every node
// and every relationship that has one. Each query answers with one row that has collected all, which is quicker than many rows.

// name: state
// The number of the last change, and the classes that the caller may read.
MATCH (k:Kb {id: 1})
RETURN k.version, CASE WHEN k.tenant = $tenant THEN COLLECT {
    MATCH (a:AclClass) WHERE any(p IN a.principals WHERE p IN $principals) RETURN a.number
} ELSE [] END

// name: chunks
// Readable chunks by id, with their documents.
MATCH (c:Chunk)-[:PART_OF]->(d:Document)
WHERE c.id IN $ids AND c.acl_class IN $classes AND d.acl_class IN $classes
RETURN collect([c.id, c.doc_id, c.chunk_index, c.text, c.start, c.end, c.page, c.section, c.tokens,
    c.sentences, d.source, d.type, d.title, d.uri, d.version, d.acl, d.metadata, d.created,
    d.updated])

// name: text
// A readable document's text.
MATCH (d:Document {id: $id}) WHERE d.acl_class IN $classes
RETURN collect(d.text)

// name: documents
// Readable documents past an id that may meet every condition; those on metadata are looked at
// again by whoever asks, since a map is kept as JSON.
MATCH (d:Document)
WHERE d.id > $after AND d.acl_class IN $classes
    AND ($sources IS NULL OR toLower(d.source) IN $sources OR toLower(d.type) IN $sources)
    AND ($documents IS NULL OR d.id IN $documents)
    AND ($types IS NULL OR toLower(d.type) IN $types)
    AND ($origins IS NULL OR toLower(d.source) IN $origins)
    AND ($since IS NULL OR d.updated >= $since) AND ($until IS NULL OR d.updated <= $until)
    AND all(part IN $parts WHERE d.metadata CONTAINS part)
WITH d ORDER BY d.id LIMIT $limit
RETURN collect([d.id, d.source, d.type, d.title, d.uri, d.version, d.acl, d.metadata, d.created,
    d.updated])

// name: edges
// References between readable documents that touch some of them, in either direction.
MATCH (a:Document)-[r:REFERENCES]-(b:Document)
WHERE a.id IN $ids AND r.acl_class IN $classes AND a.acl_class IN $classes
    AND b.acl_class IN $classes
    AND ($sources IS NULL
        OR ((toLower(a.source) IN $sources OR toLower(a.type) IN $sources)
            AND (toLower(b.source) IN $sources OR toLower(b.type) IN $sources)))
WITH DISTINCT r, startNode(r) AS s, endNode(r) AS t
RETURN collect([s.id, t.id, r.kinds])

// name: entities
// Readable local entities by a part of their name.
MATCH (c:Chunk)-[m:MENTIONS]->(e:Entity)
WHERE e.name CONTAINS $name AND m.acl_class IN $classes AND c.acl_class IN $classes
WITH DISTINCT e.name AS name, e.class AS class, m.doc_id AS doc
ORDER BY name, class, doc LIMIT $limit
RETURN collect([doc, name, class])

// name: sightings
// Readable local entities under each surface; those that only a claim names, with a count of 0.
// Summed entity by entity in the order that is wanted, so that reading ends at the limit.
MATCH (e:Entity)
WHERE ($names IS NULL OR e.name IN $names) AND ($kinds IS NULL OR e.class IN $kinds)
WITH e ORDER BY e.name, e.class
CALL (e) {
    CALL (e) {
        MATCH (c:Chunk)-[m:MENTIONS]->(e)
        WHERE m.acl_class IN $classes AND c.acl_class IN $classes
        RETURN m.doc_id AS doc, m.surface AS surface, 1 AS seen
        UNION ALL
        MATCH (e)-[r]->(o)
        WHERE r.claim_id IS NOT NULL AND r.acl_class IN $classes
            AND (o:Entity OR o.acl_class IN $classes)
        RETURN r.doc_id AS doc, e.name AS surface, 0 AS seen
        UNION ALL
        MATCH (e)<-[r]-(:Entity) WHERE r.claim_id IS NOT NULL AND r.acl_class IN $classes
        RETURN r.doc_id AS doc, e.name AS surface, 0 AS seen
    }
    WITH doc, surface, sum(seen) AS count ORDER BY doc, surface
    RETURN collect([doc, e.name, e.class, surface, count]) AS rows
}
UNWIND rows AS row
WITH row LIMIT $limit
RETURN collect(row)

// name: claims
// Readable claims of some relations, of any entity.
MATCH (e:Entity)-[r]->(o)
WHERE r.claim_id IS NOT NULL AND ($relations IS NULL OR r.predicate IN $relations)
    AND r.acl_class IN $classes AND (o:Entity OR o.acl_class IN $classes)
WITH e, r, o ORDER BY r.doc_id, r.claim_id LIMIT $limit
RETURN collect([r.doc_id, r.claim_id, r.chunk_id, e.name, e.class, r.predicate,
    CASE WHEN o:Entity THEN o.name END, CASE WHEN o:Entity THEN o.class ELSE r.object_class END,
    r.value, r.start, r.end, r.method, r.confidence])

// name: claims_of_subjects
// Readable claims of some relations with one of these entities as subject, in some documents.
MATCH (e:Entity)-[r]->(o)
WHERE e.key IN $keys AND r.claim_id IS NOT NULL AND r.doc_id IN $docs
    AND ($relations IS NULL OR r.predicate IN $relations)
    AND r.acl_class IN $classes AND (o:Entity OR o.acl_class IN $classes)
RETURN collect([r.doc_id, r.claim_id, r.chunk_id, e.name, e.class, r.predicate,
    CASE WHEN o:Entity THEN o.name END, CASE WHEN o:Entity THEN o.class ELSE r.object_class END,
    r.value, r.start, r.end, r.method, r.confidence])

// name: claims_of_objects
// The same with one of these entities as object.
MATCH (e:Entity)-[r]->(o:Entity)
WHERE o.key IN $keys AND r.claim_id IS NOT NULL AND r.doc_id IN $docs
    AND ($relations IS NULL OR r.predicate IN $relations) AND r.acl_class IN $classes
RETURN collect([r.doc_id, r.claim_id, r.chunk_id, e.name, e.class, r.predicate, o.name, o.class,
    r.value, r.start, r.end, r.method, r.confidence])

// name: containing
// Readable chunks that contain a phrase, in lower case.
MATCH (c:Chunk) WHERE c.acl_class IN $classes AND toLower(c.text) CONTAINS $phrase
WITH c ORDER BY c.doc_id, c.chunk_index LIMIT $limit
RETURN collect(c.id)
