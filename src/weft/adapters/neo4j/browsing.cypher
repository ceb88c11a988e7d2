// Indexes for other tools, made only where they are asked for. Ranking never uses them: what they
// cut off depends on what a caller may not read.

// name: make_vector_index
// Index the passage vectors, which are lists of numbers only for this.
CREATE VECTOR INDEX {identifier} IF NOT EXISTS FOR (c:Chunk) ON (c.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine'}}

// name: make_name_index
// Index the names of entities by their words.
CREATE FULLTEXT INDEX {identifier} IF NOT EXISTS FOR (e:Entity) ON EACH [e.name]

// name: name_index
// The full-text index of a name, else one under another name that covers the same: a server has no
// two of them.
SHOW FULLTEXT INDEXES YIELD name, state, labelsOrTypes, properties
WHERE name = $name OR (labelsOrTypes = ['Entity'] AND properties = ['name'])
RETURN name, state, labelsOrTypes, properties ORDER BY name <> $name LIMIT 1

// name: drop_index
// Remove an index.
DROP INDEX {identifier} IF EXISTS

// name: bare_chunks
// Some chunks that have a vector and no list of its numbers yet.
MATCH (c:Chunk) WHERE c.vector IS NOT NULL AND c.embedding IS NULL
WITH c LIMIT $limit
RETURN collect([c.id, c.v, c.vector])

// name: put_embeddings
// Keep vectors as lists, on chunks that were not replaced in between.
UNWIND $rows AS row
MATCH (c:Chunk {id: row.id}) WHERE c.v = row.v
SET c.embedding = row.embedding
RETURN count(c)

// name: drop_embeddings
// Remove some of the lists, and tell how many.
MATCH (c:Chunk) WHERE c.embedding IS NOT NULL
WITH c LIMIT $limit
REMOVE c.embedding
RETURN count(c)
