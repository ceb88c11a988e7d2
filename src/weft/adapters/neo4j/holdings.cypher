// What a knowledge base holds, for those who keep it.

// name: counts
// How much the caller may read.
RETURN COUNT { MATCH (d:Document) WHERE d.acl_class IN $classes },
    COUNT { MATCH (c:Chunk) WHERE c.acl_class IN $classes },
    COUNT {
        MATCH (c:Chunk)-[m:MENTIONS]->(:Entity)
        WHERE m.acl_class IN $classes AND c.acl_class IN $classes
    },
    COUNT {
        MATCH (:Entity)-[r]->(o)
        WHERE r.claim_id IS NOT NULL AND r.acl_class IN $classes
            AND (o:Entity OR o.acl_class IN $classes)
    },
    COUNT {
        MATCH (s:Document)-[r:REFERENCES]->(t:Document)
        WHERE r.acl_class IN $classes AND s.acl_class IN $classes AND t.acl_class IN $classes
    }

// name: outcomes
// How many readable chunks ended in each outcome.
MATCH (c:Chunk) WHERE c.acl_class IN $classes
WITH c.outcome AS outcome, count(*) AS chunks ORDER BY outcome
RETURN collect([outcome, chunks])

// name: versions
// The versions of documents, of a source or of all, for writers.
MATCH (k:Kb {id: 1, tenant: $tenant})
MATCH (d:Document) WHERE $source IS NULL OR d.source = $source
WITH d ORDER BY d.id
RETURN collect([d.id, d.version])

// name: chunk_counts
// The number of chunks of a source's documents, for writers.
MATCH (k:Kb {id: 1, tenant: $tenant})
MATCH (d:Document {source: $source})
RETURN collect([d.id, d.chunks])

// name: settings
// What the index was made with.
MATCH (k:Kb {id: 1, tenant: $tenant}) RETURN k.settings

// name: readable_ids
// Readable documents past an id, a page of them.
MATCH (d:Document) WHERE d.id > $after AND d.acl_class IN $classes
WITH d.id AS id ORDER BY id LIMIT $limit
RETURN collect(id)

// name: whole_documents
// Readable documents with their text and the strings in and for them.
MATCH (d:Document) WHERE d.id IN $ids AND d.acl_class IN $classes
WITH d ORDER BY d.id
RETURN collect([d.id, d.source, d.type, d.title, d.uri, d.version, d.acl, d.metadata, d.created,
    d.updated, d.text, d.references, d.handles, d.relations])

// name: whole_chunks
// Readable chunks of documents with all that was derived from them.
MATCH (c:Chunk) WHERE c.doc_id IN $ids AND c.acl_class IN $classes
WITH c ORDER BY c.doc_id, c.chunk_index
RETURN collect([c.id, c.doc_id, c.chunk_index, c.text, c.start, c.end, c.page, c.section, c.tokens,
    c.sentences, c.outcome, c.reason, c.terms, c.facts, c.vector, c.sentence_vectors])

// name: whole_mentions
// Readable mentions of documents.
MATCH (c:Chunk)-[m:MENTIONS]->(e:Entity)
WHERE c.doc_id IN $ids AND c.acl_class IN $classes AND m.acl_class IN $classes
RETURN collect([m.doc_id, m.chunk_id, m.start, m.end, m.surface, e.name, e.class, m.method])

// name: typed_claims
// Readable claims of documents, of one relationship type.
MATCH (e:Entity)-[r:{identifier}]->(o:Entity)
WHERE r.doc_id IN $ids AND r.acl_class IN $classes
RETURN collect([r.doc_id, r.claim_id, r.chunk_id, e.name, e.class, r.predicate, o.name, o.class,
    r.value, r.start, r.end, r.method, r.confidence])

// name: other_claims
// Readable claims of documents, of any type: for those that the vocabulary has no more.
MATCH (e:Entity)-[r]->(o:Entity)
WHERE r.doc_id IN $ids AND r.claim_id IS NOT NULL AND r.acl_class IN $classes
RETURN collect([r.doc_id, r.claim_id, r.chunk_id, e.name, e.class, r.predicate, o.name, o.class,
    r.value, r.start, r.end, r.method, r.confidence])

// name: literal_claims
// Readable claims of documents whose object is a value.
MATCH (c:Chunk)<-[:OF]-(v:Evidence)<-[r:STATES]-(e:Entity)
WHERE c.doc_id IN $ids AND c.acl_class IN $classes AND v.acl_class IN $classes
    AND r.acl_class IN $classes
RETURN collect([r.doc_id, r.claim_id, r.chunk_id, e.name, e.class, r.predicate, null,
    r.object_class, r.value, r.start, r.end, r.method, r.confidence])

// name: begin_clearing
// Take the lock and the next number, and give the knowledge base another identity.
MATCH (k:Kb {id: 1, tenant: $tenant})
SET k.version = k.version + 1
SET k.cleared = k.version, k.identity = $identity, k.settings = $settings
RETURN k.version

// name: clear_documents
// Take out all that came from documents, and the ledger; sources and links stay.
MATCH (n:Chunk|Evidence|Document|Entity|Handle|File|AclClass|Deleted) DETACH DELETE n

// name: drop_base
// Remove the knowledge base's own node: nothing can be read from then on.
MATCH (k:Kb {id: 1, tenant: $tenant}) DELETE k RETURN 1

// name: drop_some
// Remove some of what is left of a knowledge base, and tell how many.
MATCH (n:Chunk|Evidence|Document|Entity|Handle|File|AclClass|Deleted|Link|Source|Fence)
WITH n LIMIT 5000
DETACH DELETE n
RETURN count(*)

// name: all_claims
// Every readable claim.
MATCH (e:Entity)-[r]->(o)
WHERE r.claim_id IS NOT NULL AND r.acl_class IN $classes
    AND (o:Entity OR o.acl_class IN $classes)
RETURN collect([r.doc_id, r.claim_id, r.chunk_id, e.name, e.class, r.predicate,
    CASE WHEN o:Entity THEN o.name END, CASE WHEN o:Entity THEN o.class ELSE r.object_class END,
    r.value, r.start, r.end, r.method, r.confidence])
