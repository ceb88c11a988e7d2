// The ledger's rows, the sources, and the links by people and models.

// name: lock
// Take the knowledge base's lock; no row for another tenant.
MATCH (k:Kb {id: 1, tenant: $tenant}) SET k.version = k.version RETURN k.version

// name: sources
// Every source, for writers.
MATCH (k:Kb {id: 1, tenant: $tenant})
MATCH (s:Source)
WITH s ORDER BY s.name
RETURN collect([s.name, s.root, s.acl])

// name: put_source
// Keep a source.
MERGE (s:Source {name: $name}) SET s.root = $root, s.acl = $acl

// name: standing
// Every row of a source, for writers.
MATCH (k:Kb {id: 1, tenant: $tenant})
MATCH (f:File {source: $source})
WITH f ORDER BY f.path
RETURN collect([f.source, f.path, f.status, f.version, f.acl, f.reason, f.documents, f.chunks,
    f.characters, f.skipped])

// name: files
// Readable rows, of one source or of all, of some files or of all.
MATCH (f:File) WHERE f.acl_class IN $classes AND ($source IS NULL OR f.source = $source)
    AND ($paths IS NULL OR f.path IN $paths)
WITH f ORDER BY f.source, f.path
RETURN collect([f.source, f.path, f.status, f.version, f.acl, f.reason, f.documents, f.chunks,
    f.characters, f.skipped])

// name: put_file
// Write a file's row in place of its former one, and tell that one's class.
MERGE (f:File {source: $row.source, path: $row.path})
WITH f, f.acl_class AS former
SET f = $row
RETURN former

// name: drop_files
// Remove the rows of files, and tell their classes.
MATCH (f:File) WHERE f.source = $source AND f.path IN $paths
WITH f, f.acl_class AS former
DELETE f
RETURN collect(DISTINCT former)

// name: put_link
// Keep a link.
MERGE (l:Link {id: $row.id}) SET l = $row

// name: drop_link
// Remove one link.
MATCH (l:Link {id: $id}) DELETE l

// name: links
// Links of some documents, or all; they are shown only where both ends are among `seen_ends`.
MATCH (k:Kb {id: 1, tenant: $tenant})
MATCH (l:Link)
WHERE ($docs IS NULL OR l.left_doc IN $docs OR l.right_doc IN $docs) AND ($id IS NULL OR l.id = $id)
RETURN collect([l.id, l.kind, l.left_doc, l.left_name, l.left_class, l.right_doc, l.right_name,
    l.right_class, l.method, l.score, l.reason, l.author])

// name: seen_ends
// Which local entities have a readable mention; apart, because both ends in one query take the
// server the better part of a second to plan.
MATCH (c:Chunk)-[m:MENTIONS]->(e:Entity)
WHERE e.key IN $keys AND m.doc_id IN $docs AND m.acl_class IN $classes AND c.acl_class IN $classes
RETURN collect(DISTINCT [m.doc_id, e.name, e.class])
