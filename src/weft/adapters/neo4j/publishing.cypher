// name: begin_change
// Take the knowledge base's lock and the next number, then look at the fence and the document.
MATCH (k:Kb {id: 1, tenant: $tenant}) SET k.version = k.version + 1
WITH k
OPTIONAL MATCH (f:Fence {key: $key})
OPTIONAL MATCH (d:Document {id: $doc})
RETURN k.version, f.number, d.version, d.acl_class, d.relations

// name: next_fence
// Take the knowledge base's lock and give out the next fence of a piece of work.
MATCH (k:Kb {id: 1, tenant: $tenant}) SET k.version = k.version
WITH k
MERGE (f:Fence {key: $key}) ON CREATE SET f.number = 1 ON MATCH SET f.number = f.number + 1
RETURN f.number

// name: former_keys
// The entities that a document's chunks and literal claims touch.
MATCH (c:Chunk {doc_id: $doc})
CALL (c) {
    MATCH (c)-[:MENTIONS]->(e:Entity) RETURN e.key AS key
    UNION
    MATCH (c)<-[:OF]-(:Evidence)<-[:STATES]-(e:Entity) RETURN e.key AS key
}
RETURN collect(DISTINCT key)

// name: drop_claims
// Remove a document's claims of one relation, and name the entities at their ends.
MATCH (a:Entity)-[r:{identifier} {doc_id: $doc}]->(b:Entity)
WITH r, a.key AS subject, b.key AS object
DELETE r
RETURN collect(DISTINCT subject) + collect(DISTINCT object)

// name: drop_other_claims
// The same for relations that the vocabulary has no more; it looks at all claims.
MATCH (a:Entity)-[r]->(b:Entity) WHERE r.doc_id = $doc
WITH r, a.key AS subject, b.key AS object
DELETE r
RETURN collect(DISTINCT subject) + collect(DISTINCT object)

// name: drop_chunks
// Remove a document's chunks with their evidence and all that these mention.
MATCH (c:Chunk {doc_id: $doc})
OPTIONAL MATCH (e:Evidence)-[:OF]->(c)
DETACH DELETE e, c

// name: drop_names
// Remove a document's references, either way, and its handles; name those it had or named.
MATCH (d:Document {id: $doc})
CALL (d) { MATCH (d)-[r:REFERENCES]-() DELETE r }
CALL (d) {
    MATCH (d)-[r:HAS|NAMES]->(h:Handle)
    WITH r, h.name AS name
    DELETE r
    RETURN collect(DISTINCT name) AS names
}
RETURN names

// name: drop_document
// Remove a document's own node.
MATCH (d:Document {id: $doc}) DETACH DELETE d

// name: mark_deleted
// Leave the hash of a deleted document for snapshots; it stays when the document comes back, since
// a snapshot may be read just then.
MERGE (x:Deleted {hash: $hash}) SET x.v = $v

// name: put_class
// Table a class of principals.
MERGE (a:AclClass {number: $number}) ON CREATE SET a.principals = $principals

// name: drop_class
// Forget a class that no document and no file has any more.
MATCH (a:AclClass {number: $number})
WHERE NOT EXISTS { MATCH (d:Document) WHERE d.acl_class = $number }
    AND NOT EXISTS { MATCH (f:File) WHERE f.acl_class = $number }
DELETE a

// name: put_document
// Write a document's own node with parts of it, in the order in which these lead to one another:
// chunks with their evidence; entities that are not there yet, each with the label of its class;
// what chunks mention; the evidence joined to the entities that it touches; claims between entities,
// of one of the vocabulary's types; claims whose object is a value; the strings by which others may
// refer to it, and those who do; the strings by which it refers to others with their kinds, and these.
// All in one, because each query by itself is another way to the server and back under the lock.
MERGE (a:AclClass {number: $row.acl_class}) ON CREATE SET a.principals = $row.acl
MERGE (d:Document {id: $doc}) SET d = $row
WITH d
CALL (d) {
    UNWIND $chunks AS row
    CREATE (c:Chunk)-[:PART_OF {chunk_index: row.chunk.chunk_index}]->(d)
    SET c = row.chunk, c.v = $v
    CREATE (e:Evidence)-[:OF]->(c) SET e = row.evidence, e.v = $v
}
CALL () {
    UNWIND $entities AS row
    MERGE (e:Entity {key: row.key})
    ON CREATE SET e.name = row.name, e.class = row.class, e:$(row.label)
}
CALL () {
    UNWIND $mentions AS row
    MATCH (c:Chunk {id: row.chunk_id})
    MATCH (e:Entity {key: row.key})
    CREATE (c)-[r:MENTIONS]->(e) SET r = row.properties, r.v = $v
}
CALL () {
    UNWIND $sightings AS row
    MATCH (v:Evidence {name: row.evidence})
    MATCH (e:Entity {key: row.key})
    CREATE (v)-[r:MENTIONS]->(e) SET r = row.properties, r.v = $v
}
CALL () {
    UNWIND $claims AS row
    MATCH (a:Entity {key: row.subject})
    MATCH (b:Entity {key: row.object})
    CREATE (a)-[r:$(row.type)]->(b) SET r = row.properties, r.v = $v
}
CALL () {
    UNWIND $literals AS row
    MATCH (a:Entity {key: row.subject})
    MATCH (v:Evidence {name: row.evidence})
    CREATE (a)-[r:STATES]->(v) SET r = row.properties, r.v = $v
}
CALL (d) {
    UNWIND $handles AS name
    MERGE (h:Handle {name: name})
    CREATE (d)-[r:HAS]->(h) SET r = $properties
}
CALL (d) {
    MATCH (d)-[:HAS]->(:Handle)<-[n:NAMES]-(s:Document) WHERE s <> d
    UNWIND n.kinds AS kind
    WITH d, s, kind ORDER BY kind
    WITH d, s, collect(DISTINCT kind) AS kinds
    CREATE (s)-[r:REFERENCES]->(d)
    SET r = {doc_id: s.id, acl_class: s.acl_class, v: s.v, kinds: kinds}
}
CALL (d) {
    UNWIND $names AS row
    MERGE (h:Handle {name: row.handle})
    CREATE (d)-[r:NAMES]->(h) SET r = $properties, r.kinds = row.kinds
}
CALL (d) {
    MATCH (d)-[n:NAMES]->(:Handle)<-[:HAS]-(t:Document) WHERE t <> d
    UNWIND n.kinds AS kind
    WITH d, t, kind ORDER BY kind
    WITH d, t, collect(DISTINCT kind) AS kinds
    CREATE (d)-[r:REFERENCES]->(t)
    SET r = {doc_id: d.id, acl_class: d.acl_class, v: d.v, kinds: kinds}
}

// name: drop_orphans
// Remove the entities and handles among these that nothing touches any more.
CALL () {
    UNWIND $keys AS key
    MATCH (e:Entity {key: key}) WHERE NOT EXISTS { (e)--() }
    DELETE e
}
CALL () {
    UNWIND $names AS name
    MATCH (h:Handle {name: name}) WHERE NOT EXISTS { (h)--() }
    DELETE h
}

// name: drop_links
// Remove the links that have lost an end for good.
MATCH (l:Link) WHERE (l.left_doc = $doc OR l.right_doc = $doc) AND NOT (
    EXISTS {
        MATCH (c:Chunk)-[:MENTIONS]->(:Entity {key: l.left_class + ':' + l.left_name})
        WHERE c.doc_id = l.left_doc
    } AND EXISTS {
        MATCH (c:Chunk)-[:MENTIONS]->(:Entity {key: l.right_class + ':' + l.right_name})
        WHERE c.doc_id = l.right_doc
    })
DELETE l

// name: reclassify_document
// Give a document another class, with all that leads from it to others.
MATCH (d:Document {id: $doc}) SET d += $row
WITH d
MATCH (d)-[r:HAS|NAMES|REFERENCES]->() SET r.acl_class = d.acl_class, r.v = d.v

// name: reclassify_chunks
// Give a document's chunks another class, with what they mention.
MATCH (c:Chunk {doc_id: $doc}) SET c.acl_class = $acl_class, c.v = $v
WITH c
MATCH (c)-[m:MENTIONS]->() SET m.acl_class = $acl_class, m.v = $v

// name: reclassify_evidence
// Give the evidence of a document's chunks another class, with what it mentions and what is stated.
MATCH (:Chunk {doc_id: $doc})<-[:OF]-(e:Evidence) SET e.acl_class = $acl_class, e.v = $v
WITH e
MATCH (e)-[r:MENTIONS|STATES]-(:Entity) SET r.acl_class = $acl_class, r.v = $v

// name: reclassify_claims
// Give a document's claims of one relation another class.
MATCH (:Entity)-[r:{identifier} {doc_id: $doc}]->(:Entity) SET r.acl_class = $acl_class, r.v = $v

// name: reclassify_other_claims
// The same for relations that the vocabulary has no more; it looks at all claims.
MATCH (:Entity)-[r]->(:Entity) WHERE r.doc_id = $doc SET r.acl_class = $acl_class, r.v = $v
