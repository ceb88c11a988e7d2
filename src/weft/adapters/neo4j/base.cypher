// The knowledge base's own node and its indexes.

// name: base
// The knowledge base's own node, if there is one, and whether anything else is there.
OPTIONAL MATCH (k:Kb {id: 1})
RETURN k.schema, k.identity, k.tenant, k.settings, k.types, EXISTS { MATCH (n) }, k.name

// name: make_base
// Make the knowledge base's node, unless it is there; the name is the one that it was made under.
MERGE (k:Kb {id: 1})
ON CREATE SET k.version = 0, k.cleared = 0, k.identity = $identity, k.tenant = $tenant,
    k.schema = $schema, k.settings = $settings, k.types = $types, k.name = $name

// name: keep_types
// Note which relations have an index.
MATCH (k:Kb {id: 1}) SET k.types = $types

// name: version
// The number of the last change.
MATCH (k:Kb {id: 1}) RETURN k.version

// name: indexes
// The names of the indexes that are there; a constraint has one of its own name.
SHOW INDEXES YIELD name RETURN collect(name)

// name: await_indexes
// Wait until every index can be used.
CALL db.awaitIndexes(60)

// name: claim_index
// Index the claims of one relation by their document.
CREATE INDEX {identifier} IF NOT EXISTS FOR ()-[r:{identifier}]-() ON (r.doc_id)
