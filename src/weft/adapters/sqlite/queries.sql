-- name: readable
-- The classes that the caller may read; stands in other queries as {readable}.
SELECT p.number FROM acl_principal p JOIN json_each(:principals) w ON p.principal = w.value
WHERE EXISTS (SELECT 1 FROM setting WHERE key = 'tenant' AND value = :tenant)

-- name: version
-- The number of the last change.
SELECT CAST(value AS INTEGER) FROM setting WHERE key = 'version'

-- name: bump
-- Take the next number.
UPDATE setting SET value = CAST(value AS INTEGER) + 1 WHERE key = 'version'

-- name: put_mark
-- Give the last change its mark, which tells it from the same number in another history.
INSERT INTO change (v, mark)
SELECT CAST(value AS INTEGER), (random() & 0x3fffffffffffffff) + 1 FROM setting WHERE key = 'version'

-- name: mark
-- The mark of a change.
SELECT mark FROM change WHERE v = :v

-- name: put_untidy
-- Note that a document is removed, of which its parts of the index for substrings keep traces.
INSERT OR IGNORE INTO untidy (part)
SELECT rowid >> {bits} FROM chunk WHERE doc_id = :id UNION SELECT -1

-- name: put_untidy_all
-- Note that all is removed.
INSERT OR IGNORE INTO untidy (part) SELECT rowid >> {bits} FROM chunk UNION SELECT -1

-- name: untidy
-- What has traces of what was removed?
SELECT part FROM untidy ORDER BY part

-- name: drop_untidy
-- Nothing has.
DELETE FROM untidy

-- name: last_chunk
-- Where the last chunk lies.
SELECT coalesce(max(rowid), 0) FROM chunk

-- name: holds_chunks
-- Are there chunks between two places?
SELECT 1 FROM chunk WHERE rowid BETWEEN :first AND :last LIMIT 1

-- name: text_parts
-- The parts of the index for substrings.
SELECT CAST(substr(name, 12) AS INTEGER) FROM sqlite_master
WHERE type = 'table' AND name GLOB 'chunk_text_[0-9]*' AND sql LIKE 'CREATE VIRTUAL%'

-- name: tidy_text_part
-- Write a part as if what was removed had never been in it.
INSERT INTO chunk_text_{part} (chunk_text_{part}) VALUES ('optimize')

-- name: drop_text_part
-- Remove a part that holds nothing.
DROP TABLE chunk_text_{part}

-- name: drop_text_added
-- Let a part that is not there take in no chunks.
DROP TRIGGER chunk_added_{part}

-- name: drop_text_removed
-- Let a part that is not there take out no chunks.
DROP TRIGGER chunk_removed_{part}

-- name: drop_text_whole
-- Remove the index for substrings of the first schema, which had no parts.
DROP TABLE chunk_text

-- name: drop_text_whole_added
-- Let it take in no chunks.
DROP TRIGGER chunk_added

-- name: drop_text_whole_removed
-- Let it take out no chunks.
DROP TRIGGER chunk_removed

-- name: was_untidy
-- Had that index traces of what was removed?
SELECT 1 FROM setting WHERE key = 'untidy'

-- name: drop_was_untidy
-- It is gone, and they are.
DELETE FROM setting WHERE key = 'untidy'

-- name: settings
-- What the index was made with.
SELECT key, value FROM setting
WHERE EXISTS (SELECT 1 FROM setting t WHERE t.key = 'tenant' AND t.value = :tenant)

-- name: next_fence
-- Give out the next fence of a piece of work.
INSERT INTO fence (key, number) VALUES (:key, 1)
ON CONFLICT (key) DO UPDATE SET number = number + 1 RETURNING number

-- name: current_fence
-- The last fence given for a piece of work.
SELECT number FROM fence WHERE key = :key

-- name: stored
-- A document's version and class, whoever may read it: for writers.
SELECT version, acl_class FROM document WHERE id = :id

-- name: source_versions
-- The versions of a source's documents, for writers.
SELECT id, version FROM document WHERE source = :source
AND EXISTS (SELECT 1 FROM setting WHERE key = 'tenant' AND value = :tenant) ORDER BY id

-- name: all_versions
-- The versions of all documents, for writers.
SELECT id, version FROM document
WHERE EXISTS (SELECT 1 FROM setting WHERE key = 'tenant' AND value = :tenant) ORDER BY id

-- name: put_class
-- Table a class of principals.
INSERT OR IGNORE INTO acl_class (number, principals) VALUES (:number, :principals)

-- name: put_principal
-- Table one principal of a class.
INSERT OR IGNORE INTO acl_principal (principal, number) VALUES (:principal, :number)

-- name: drop_classes
-- Forget the classes that nothing has any more.
DELETE FROM acl_class WHERE number NOT IN (SELECT acl_class FROM document)
AND number NOT IN (SELECT acl_class FROM file)

-- name: drop_principals
-- Forget the principals of classes that are gone.
DELETE FROM acl_principal WHERE number NOT IN (SELECT number FROM acl_class)

-- name: put_document
-- Write a document's own row.
INSERT INTO document (id, v, version, fence, acl_class, source, type, title, uri, metadata,
    created, updated)
VALUES (:id, :v, :version, :fence, :acl_class, :source, :type, :title, :uri, :metadata,
    :created, :updated)

-- name: put_text
-- Write a document's text.
INSERT INTO document_text (doc_id, acl_class, text) VALUES (:id, :acl_class, :text)

-- name: put_chunk
-- Write a chunk with its facts.
INSERT INTO chunk (id, doc_id, chunk_index, acl_class, text, start, "end", page, section, tokens,
    outcome, reason, sentences, terms, facts, vector, sentence_vectors)
VALUES (:id, :doc_id, :chunk_index, :acl_class, :text, :start, :end, :page, :section, :tokens,
    :outcome, :reason, :sentences, :terms, :facts, :vector, :sentence_vectors)

-- name: put_mention
-- Write a mention.
INSERT OR IGNORE INTO mention (doc_id, chunk_id, acl_class, start, "end", surface, name, class,
    method)
VALUES (:doc_id, :chunk_id, :acl_class, :start, :end, :surface, :name, :class, :method)

-- name: put_claim
-- Write a claim.
INSERT OR IGNORE INTO claim (id, doc_id, chunk_id, acl_class, subject_name, subject_class,
    predicate, object_name, object_class, value, start, "end", method, confidence)
VALUES (:id, :doc_id, :chunk_id, :acl_class, :subject_name, :subject_class, :predicate,
    :object_name, :object_class, :value, :start, :end, :method, :confidence)

-- name: put_reference
-- Write a string that may refer to another document.
INSERT OR IGNORE INTO reference (doc_id, kind, handle, raw, acl_class)
VALUES (:doc_id, :kind, :handle, :raw, :acl_class)

-- name: put_handle
-- Write a string by which others may refer to this document.
INSERT OR IGNORE INTO handle (handle, doc_id, acl_class) VALUES (:handle, :doc_id, :acl_class)

-- name: drop_document
-- Remove a document's own row.
DELETE FROM document WHERE id = :id

-- name: drop_text
-- Remove a document's text.
DELETE FROM document_text WHERE doc_id = :id

-- name: drop_chunks
-- Remove a document's chunks.
DELETE FROM chunk WHERE doc_id = :id

-- name: drop_mentions
-- Remove a document's mentions.
DELETE FROM mention WHERE doc_id = :id

-- name: drop_claims
-- Remove a document's claims.
DELETE FROM claim WHERE doc_id = :id

-- name: drop_references
-- Remove a document's references.
DELETE FROM reference WHERE doc_id = :id

-- name: drop_handles
-- Remove a document's handles.
DELETE FROM handle WHERE doc_id = :id

-- name: drop_links
-- Remove the links that have lost an end for good.
DELETE FROM link WHERE (left_doc = :id OR right_doc = :id) AND NOT (
    EXISTS (SELECT 1 FROM mention m WHERE m.doc_id = left_doc AND m.name = left_name
        AND m.class = left_class)
    AND EXISTS (SELECT 1 FROM mention m WHERE m.doc_id = right_doc AND m.name = right_name
        AND m.class = right_class))

-- name: mark_deleted
-- Leave the hash of a deleted document for snapshots.
INSERT INTO deleted (hash, v) VALUES (:hash, :v) ON CONFLICT (hash) DO UPDATE SET v = :v

-- name: unmark_deleted
-- A document that is back is not deleted.
DELETE FROM deleted WHERE hash = :hash

-- name: reclassify_document
-- Give a document another class.
UPDATE document SET acl_class = :acl_class, version = :version, v = :v, fence = :fence
WHERE id = :id

-- name: reclassify_text
-- Give a document's text another class.
UPDATE document_text SET acl_class = :acl_class WHERE doc_id = :id

-- name: reclassify_chunks
-- Give a document's chunks another class.
UPDATE chunk SET acl_class = :acl_class WHERE doc_id = :id

-- name: reclassify_mentions
-- Give a document's mentions another class.
UPDATE mention SET acl_class = :acl_class WHERE doc_id = :id

-- name: reclassify_claims
-- Give a document's claims another class.
UPDATE claim SET acl_class = :acl_class WHERE doc_id = :id

-- name: reclassify_references
-- Give a document's references another class.
UPDATE reference SET acl_class = :acl_class WHERE doc_id = :id

-- name: reclassify_handles
-- Give a document's handles another class.
UPDATE handle SET acl_class = :acl_class WHERE doc_id = :id

-- name: changed_documents
-- Documents published since a version, up to another: for the snapshot alone.
SELECT id, source, type FROM document WHERE v > :have AND v <= :upto ORDER BY id

-- name: next_version
-- The version up to which so many documents were published since another; none where fewer were.
SELECT v FROM document WHERE v > :have ORDER BY v LIMIT 1 OFFSET :many

-- name: waiting
-- The same, as far as needed to tell whether a question can wait for them: for the snapshot alone.
SELECT d.id, d.acl_class, (SELECT count(*) FROM chunk c WHERE c.doc_id = d.id)
FROM document d WHERE d.v > :have ORDER BY d.id

-- name: changed_chunks
-- Their chunks, in order.
SELECT c.doc_id, c.id, c.chunk_index, c.acl_class, c.terms, c.facts, c.vector, c.sentence_vectors
FROM chunk c JOIN document d ON d.id = c.doc_id WHERE d.v > :have AND d.v <= :upto
ORDER BY c.doc_id, c.chunk_index

-- name: changed_deleted
-- Documents deleted since a version.
SELECT hash FROM deleted WHERE v > :have

-- name: chunks
-- Readable chunks by id, with their documents.
SELECT c.id, c.doc_id, c.chunk_index, c.text, c.start, c."end", c.page, c.section, c.tokens,
    c.sentences, d.source, d.type, d.title, d.uri, d.version, a.principals, d.metadata, d.created,
    d.updated
FROM chunk c JOIN document d ON d.id = c.doc_id JOIN acl_class a ON a.number = d.acl_class
WHERE c.id IN (SELECT value FROM json_each(:ids)) AND c.acl_class IN ({readable})
    AND d.acl_class IN ({readable})

-- name: text
-- A readable document's text.
SELECT text FROM document_text WHERE doc_id = :id AND acl_class IN ({readable})

-- name: documents
-- Readable documents that meet every given condition, in order of id.
SELECT d.id, d.source, d.type, d.title, d.uri, d.version, a.principals, d.metadata, d.created,
    d.updated
FROM document d JOIN acl_class a ON a.number = d.acl_class
WHERE d.acl_class IN ({readable})
    AND (:sources IS NULL OR fold(d.source) IN (SELECT value FROM json_each(:sources))
        OR fold(d.type) IN (SELECT value FROM json_each(:sources)))
    AND (:documents IS NULL OR d.id IN (SELECT value FROM json_each(:documents)))
    AND (:types IS NULL OR fold(d.type) IN (SELECT value FROM json_each(:types)))
    AND (:origins IS NULL OR fold(d.source) IN (SELECT value FROM json_each(:origins)))
    AND (:since IS NULL OR d.updated >= :since) AND (:until IS NULL OR d.updated <= :until)
    AND NOT EXISTS (SELECT 1 FROM json_each(:exact) w WHERE NOT EXISTS (
        SELECT 1 FROM json_each(d.metadata) m WHERE m.key = w.key AND m.value = w.value))
    AND NOT EXISTS (SELECT 1 FROM json_each(:contains) w WHERE NOT (
        (w.key = 'title' AND instr(fold(d.title), fold(w.value)) > 0)
        OR (w.key = 'uri' AND instr(fold(CASE WHEN :places OR substr(d.uri, 1, 7) <> 'file://'
            THEN d.uri ELSE 'file:' || substr(d.id, instr(d.id, ':') + 1) END), fold(w.value)) > 0)
        OR EXISTS (SELECT 1 FROM json_each(d.metadata) m
            WHERE m.key = w.key AND instr(fold(m.value), fold(w.value)) > 0)))
ORDER BY d.id LIMIT :limit

-- name: page
-- Readable documents past an id, in order; an address of this machine is no reason to find one for
-- whoever is not told it.
SELECT d.id, d.source, d.type, d.title, d.uri, d.version, a.principals, d.metadata, d.created,
    d.updated
FROM document d JOIN acl_class a ON a.number = d.acl_class
WHERE d.acl_class IN ({readable}) AND (:after IS NULL OR d.id > :after)
    AND (:sources IS NULL OR fold(d.source) IN (SELECT value FROM json_each(:sources))
        OR fold(d.type) IN (SELECT value FROM json_each(:sources)))
    AND (:text IS NULL OR instr(fold(d.id), :text) > 0 OR instr(fold(d.title), :text) > 0
        OR ((:places OR substr(d.uri, 1, 7) <> 'file://') AND instr(fold(d.uri), :text) > 0))
ORDER BY d.id LIMIT :limit

-- name: chunk_counts_of
-- How many readable chunks some documents have.
SELECT doc_id, count(*) FROM chunk
WHERE doc_id IN (SELECT value FROM json_each(:ids)) AND acl_class IN ({readable}) GROUP BY doc_id

-- name: one_document
-- A readable document's own row.
SELECT d.id, d.source, d.type, d.title, d.uri, d.version, a.principals, d.metadata, d.created,
    d.updated
FROM document d JOIN acl_class a ON a.number = d.acl_class
WHERE d.id = :id AND d.acl_class IN ({readable})
    AND (:sources IS NULL OR fold(d.source) IN (SELECT value FROM json_each(:sources))
        OR fold(d.type) IN (SELECT value FROM json_each(:sources)))

-- name: document_chunks
-- The chunks of a readable document, in order.
SELECT id, doc_id, chunk_index, text, start, "end", page, section, tokens, sentences FROM chunk
WHERE doc_id = :id AND acl_class IN ({readable}) ORDER BY chunk_index

-- name: document_claims
-- The claims of a readable document, in the order of its text.
SELECT id, chunk_id, subject_name, subject_class, predicate, object_name, object_class, value,
    start, "end", method, confidence
FROM claim WHERE doc_id = :id AND acl_class IN ({readable}) ORDER BY start, "end", id

-- name: edges
-- References between readable documents that touch some of them, in either direction.
SELECT DISTINCT r.doc_id, h.doc_id, r.kind FROM reference r JOIN handle h ON h.handle = r.handle
JOIN document s ON s.id = r.doc_id JOIN document t ON t.id = h.doc_id
WHERE r.doc_id <> h.doc_id AND r.acl_class IN ({readable}) AND h.acl_class IN ({readable})
    AND (r.doc_id IN (SELECT value FROM json_each(:ids))
        OR h.doc_id IN (SELECT value FROM json_each(:ids)))
    AND (:sources IS NULL
        OR ((fold(s.source) IN (SELECT value FROM json_each(:sources))
                OR fold(s.type) IN (SELECT value FROM json_each(:sources)))
            AND (fold(t.source) IN (SELECT value FROM json_each(:sources))
                OR fold(t.type) IN (SELECT value FROM json_each(:sources)))))
ORDER BY r.doc_id, h.doc_id, r.kind

-- name: entities
-- Readable local entities by a part of their name.
SELECT DISTINCT doc_id, name, class FROM mention
WHERE acl_class IN ({readable}) AND instr(name, :name) > 0 ORDER BY name, class, doc_id LIMIT :limit

-- name: sightings
-- Readable local entities under each surface; those that only a claim names, with a count of 0.
SELECT doc_id, name, class, surface, sum(count) FROM (
    SELECT doc_id, name, class, surface, 1 AS count FROM mention
    WHERE acl_class IN ({readable})
        AND (:names IS NULL OR name IN (SELECT value FROM json_each(:names)))
        AND (:classes IS NULL OR class IN (SELECT value FROM json_each(:classes)))
    UNION ALL
    SELECT doc_id, subject_name, subject_class, subject_name, 0 FROM claim
    WHERE acl_class IN ({readable})
        AND (:names IS NULL OR subject_name IN (SELECT value FROM json_each(:names)))
        AND (:classes IS NULL OR subject_class IN (SELECT value FROM json_each(:classes)))
    UNION ALL
    SELECT doc_id, object_name, coalesce(object_class, ''), object_name, 0 FROM claim
    WHERE acl_class IN ({readable}) AND object_name IS NOT NULL
        AND (:names IS NULL OR object_name IN (SELECT value FROM json_each(:names)))
        AND (:classes IS NULL
            OR coalesce(object_class, '') IN (SELECT value FROM json_each(:classes)))
)
GROUP BY name, class, doc_id, surface ORDER BY name, class, doc_id, surface LIMIT :limit

-- name: claims
-- Readable claims of some relations, of any entity.
SELECT doc_id, id, chunk_id, subject_name, subject_class, predicate, object_name, object_class,
    value, start, "end", method, confidence FROM claim
WHERE acl_class IN ({readable})
    AND (:relations IS NULL OR predicate IN (SELECT value FROM json_each(:relations)))
ORDER BY doc_id, id LIMIT :limit

-- name: claims_of
-- Readable claims of some relations that have one of the ends as subject, as object, or either.
SELECT doc_id, id, chunk_id, subject_name, subject_class, predicate, object_name, object_class,
    value, start, "end", method, confidence FROM claim
WHERE acl_class IN ({readable})
    AND (:relations IS NULL OR predicate IN (SELECT value FROM json_each(:relations)))
    AND (doc_id, id) IN (
        SELECT c.doc_id, c.id FROM json_each(:ends) w JOIN claim c
            ON c.doc_id = json_extract(w.value, '$[0]')
                AND c.subject_name = json_extract(w.value, '$[1]')
                AND c.subject_class = json_extract(w.value, '$[2]')
        WHERE :toward <> 'subject'
        UNION
        SELECT c.doc_id, c.id FROM json_each(:ends) w JOIN claim c
            ON c.doc_id = json_extract(w.value, '$[0]')
                AND c.object_name = json_extract(w.value, '$[1]')
                AND coalesce(c.object_class, '') = json_extract(w.value, '$[2]')
        WHERE :toward <> 'object')
ORDER BY doc_id, id LIMIT :limit

-- name: containing
-- Readable chunks that contain a phrase, of those in one part: with ESCAPE no index would be used.
SELECT c.doc_id, c.chunk_index, c.id FROM chunk_text_{part} t JOIN chunk c ON c.rowid = t.rowid
WHERE t.text LIKE :pattern AND c.rowid >> {bits} = {part} AND instr(fold(c.text), :phrase) > 0
    AND c.acl_class IN ({readable})
ORDER BY c.doc_id, c.chunk_index LIMIT :limit

-- name: containing_short
-- The same for a shorter phrase, without the index.
SELECT c.doc_id, c.chunk_index, c.id FROM chunk c
WHERE instr(fold(c.text), :phrase) > 0 AND c.acl_class IN ({readable})
ORDER BY c.doc_id, c.chunk_index LIMIT :limit

-- name: counts
-- How much the caller may read.
SELECT (SELECT count(*) FROM document WHERE acl_class IN ({readable})),
    (SELECT count(*) FROM chunk WHERE acl_class IN ({readable})),
    (SELECT count(*) FROM mention WHERE acl_class IN ({readable})),
    (SELECT count(*) FROM claim WHERE acl_class IN ({readable})),
    (SELECT count(*) FROM (SELECT DISTINCT r.doc_id, h.doc_id FROM reference r
        JOIN handle h ON h.handle = r.handle WHERE r.doc_id <> h.doc_id
        AND r.acl_class IN ({readable}) AND h.acl_class IN ({readable})))

-- name: outcomes
-- How many readable chunks ended in each outcome.
SELECT outcome, count(*) FROM chunk WHERE acl_class IN ({readable}) GROUP BY outcome
ORDER BY outcome

-- name: put_file
-- Write a file's row in the ledger.
INSERT OR REPLACE INTO file (source, path, status, version, acl_class, reason, documents, chunks,
    characters, skipped)
VALUES (:source, :path, :status, :version, :acl_class, :reason, :documents, :chunks, :characters,
    :skipped)

-- name: drop_file
-- Remove a file's row from the ledger.
DELETE FROM file WHERE source = :source AND path = :path

-- name: files
-- Readable rows of the ledger.
SELECT f.source, f.path, f.status, f.version, a.principals, f.reason, f.documents, f.chunks,
    f.characters, f.skipped
FROM file f JOIN acl_class a ON a.number = f.acl_class
WHERE f.acl_class IN ({readable}) AND (:source IS NULL OR f.source = :source)
ORDER BY f.source, f.path

-- name: files_at
-- Readable rows of the ledger of some files of a source: these are looked up, not all gone through.
SELECT f.source, f.path, f.status, f.version, a.principals, f.reason, f.documents, f.chunks,
    f.characters, f.skipped
FROM json_each(:paths) p CROSS JOIN file f ON f.source = :source AND f.path = p.value
    JOIN acl_class a ON a.number = f.acl_class
WHERE f.acl_class IN ({readable})
ORDER BY f.source, f.path

-- name: put_link
-- Keep a link.
INSERT OR REPLACE INTO link (id, kind, left_doc, left_name, left_class, right_doc, right_name,
    right_class, method, score, reason, author)
VALUES (:id, :kind, :left_doc, :left_name, :left_class, :right_doc, :right_name, :right_class,
    :method, :score, :reason, :author)

-- name: links
-- Links with both ends readable.
SELECT l.id, l.kind, l.left_doc, l.left_name, l.left_class, l.right_doc, l.right_name,
    l.right_class, l.method, l.score, l.reason, l.author FROM link l
WHERE EXISTS (SELECT 1 FROM mention m WHERE m.doc_id = l.left_doc AND m.name = l.left_name
        AND m.class = l.left_class AND m.acl_class IN ({readable}))
    AND EXISTS (SELECT 1 FROM mention m WHERE m.doc_id = l.right_doc AND m.name = l.right_name
        AND m.class = l.right_class AND m.acl_class IN ({readable}))
ORDER BY l.id

-- name: drop_link
-- Remove one link.
DELETE FROM link WHERE id = :id

-- name: export_documents
-- Readable documents with their text.
SELECT d.id, d.source, d.type, d.title, d.uri, d.version, a.principals, d.metadata, d.created,
    d.updated, t.text
FROM document d JOIN acl_class a ON a.number = d.acl_class
    JOIN document_text t ON t.doc_id = d.id
WHERE d.acl_class IN ({readable}) ORDER BY d.id

-- name: export_chunks
-- Readable chunks with all that was derived from them.
SELECT id, doc_id, chunk_index, text, start, "end", page, section, tokens, sentences, outcome,
    reason, terms, facts, vector, sentence_vectors
FROM chunk WHERE acl_class IN ({readable}) ORDER BY doc_id, chunk_index

-- name: export_mentions
-- Readable mentions.
SELECT doc_id, chunk_id, start, "end", surface, name, class, method FROM mention
WHERE acl_class IN ({readable}) ORDER BY doc_id, chunk_id, start, "end", class, name

-- name: export_claims
-- Readable claims.
SELECT doc_id, id, chunk_id, subject_name, subject_class, predicate, object_name, object_class,
    value, start, "end", method, confidence FROM claim
WHERE acl_class IN ({readable}) ORDER BY doc_id, id

-- name: export_references
-- Readable reference strings.
SELECT doc_id, kind, handle, raw FROM reference
WHERE acl_class IN ({readable}) ORDER BY doc_id, kind, handle, raw

-- name: export_handles
-- Readable handles.
SELECT doc_id, handle FROM handle WHERE acl_class IN ({readable}) ORDER BY doc_id, handle

-- name: put_setting
-- Keep a setting unless it is there.
INSERT OR IGNORE INTO setting (key, value) VALUES (:key, :value)

-- name: all_settings
-- Every setting, for whoever opens the file.
SELECT key, value FROM setting

-- name: has_table
-- Is there a table of that name?
SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :name

-- name: put_source
-- Keep a source.
INSERT OR REPLACE INTO source (name, root, acl) VALUES (:name, :root, :acl)

-- name: sources
-- Every source, for writers.
SELECT name, root, acl FROM source
WHERE EXISTS (SELECT 1 FROM setting WHERE key = 'tenant' AND value = :tenant) ORDER BY name

-- name: source_chunks
-- The number of chunks of a source's documents, for writers.
SELECT d.id, count(c.id) FROM document d LEFT JOIN chunk c ON c.doc_id = d.id
WHERE d.source = :source AND EXISTS (SELECT 1 FROM setting WHERE key = 'tenant' AND value = :tenant)
GROUP BY d.id

-- name: standing
-- Every row of a source in the ledger, for writers.
SELECT f.source, f.path, f.status, f.version, a.principals, f.reason, f.documents, f.chunks,
    f.characters, f.skipped
FROM file f JOIN acl_class a ON a.number = f.acl_class
WHERE f.source = :source AND EXISTS (SELECT 1 FROM setting WHERE key = 'tenant' AND value = :tenant)
ORDER BY f.path

-- name: clear_document
-- Take all rows of `document` out.
DELETE FROM document

-- name: clear_text
-- Take all rows of `document_text` out.
DELETE FROM document_text

-- name: clear_chunk
-- Take all rows of `chunk` out.
DELETE FROM chunk

-- name: clear_mention
-- Take all rows of `mention` out.
DELETE FROM mention

-- name: clear_claim
-- Take all rows of `claim` out.
DELETE FROM claim

-- name: clear_reference
-- Take all rows of `reference` out.
DELETE FROM reference

-- name: clear_handle
-- Take all rows of `handle` out.
DELETE FROM handle

-- name: clear_file
-- Take all rows of `file` out.
DELETE FROM file

-- name: clear_class
-- Take all rows of `acl_class` out.
DELETE FROM acl_class

-- name: clear_principal
-- Take all rows of `acl_principal` out.
DELETE FROM acl_principal

-- name: replace_setting
-- Keep a setting in place of its former value.
INSERT OR REPLACE INTO setting (key, value) VALUES (:key, :value)

-- name: all_documents
-- The ids of all documents, for whoever clears them.
SELECT id FROM document

-- name: patch_document
-- A readable document with its text, whole.
SELECT d.id, d.source, d.type, d.title, d.uri, d.version, a.principals, d.metadata, d.created,
    d.updated, t.text
FROM document d JOIN acl_class a ON a.number = d.acl_class
    JOIN document_text t ON t.doc_id = d.id
WHERE d.id = :id AND d.acl_class IN ({readable})

-- name: title
-- A readable document's title.
SELECT title FROM document WHERE id = :id AND acl_class IN ({readable})

-- name: embedded_chunks
-- Its chunks with their vectors.
SELECT id, doc_id, chunk_index, text, start, "end", page, section, tokens, sentences, vector,
    sentence_vectors
FROM chunk WHERE doc_id = :id AND acl_class IN ({readable}) ORDER BY chunk_index

-- name: patch_chunks
-- Its chunks, whole.
SELECT id, doc_id, chunk_index, text, start, "end", page, section, tokens, sentences, outcome,
    reason, terms, facts, vector, sentence_vectors
FROM chunk WHERE doc_id = :id AND acl_class IN ({readable}) ORDER BY chunk_index

-- name: patch_mentions
-- Its mentions.
SELECT chunk_id, start, "end", surface, name, class, method FROM mention
WHERE doc_id = :id AND acl_class IN ({readable}) ORDER BY chunk_id, start, "end", class, name

-- name: patch_claims
-- Its claims.
SELECT doc_id, id, chunk_id, subject_name, subject_class, predicate, object_name, object_class,
    value, start, "end", method, confidence FROM claim
WHERE doc_id = :id AND acl_class IN ({readable}) ORDER BY id

-- name: patch_references
-- The strings in it that may refer to others.
SELECT kind, handle, raw FROM reference
WHERE doc_id = :id AND acl_class IN ({readable}) ORDER BY kind, handle, raw

-- name: patch_handles
-- The strings by which others may refer to it.
SELECT handle FROM handle WHERE doc_id = :id AND acl_class IN ({readable}) ORDER BY handle
