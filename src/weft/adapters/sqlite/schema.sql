-- One knowledge base: what each document teaches by itself. Everything else is a view.
CREATE TABLE IF NOT EXISTS setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS change (v INTEGER PRIMARY KEY, mark INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS fence (key TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS acl_class (number INTEGER PRIMARY KEY, principals TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS acl_principal (
    principal TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (principal, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS document (
    id TEXT PRIMARY KEY, v INTEGER NOT NULL, version TEXT NOT NULL, fence INTEGER NOT NULL,
    acl_class INTEGER NOT NULL, source TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL,
    uri TEXT NOT NULL, metadata TEXT NOT NULL, created TEXT, updated TEXT
);
CREATE INDEX IF NOT EXISTS document_v ON document (v);
CREATE INDEX IF NOT EXISTS document_source ON document (source, id);
CREATE INDEX IF NOT EXISTS document_class ON document (acl_class);
CREATE TABLE IF NOT EXISTS document_text (
    doc_id TEXT PRIMARY KEY, acl_class INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS chunk (
    id TEXT NOT NULL UNIQUE, doc_id TEXT NOT NULL, chunk_index INTEGER NOT NULL,
    acl_class INTEGER NOT NULL, text TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    page INTEGER, section TEXT, tokens INTEGER NOT NULL, outcome TEXT NOT NULL,
    reason TEXT NOT NULL, sentences BLOB NOT NULL, terms BLOB NOT NULL, facts BLOB NOT NULL,
    vector BLOB, sentence_vectors BLOB
);
CREATE INDEX IF NOT EXISTS chunk_document ON chunk (doc_id, chunk_index);
CREATE TABLE IF NOT EXISTS mention (
    doc_id TEXT NOT NULL, chunk_id TEXT NOT NULL, acl_class INTEGER NOT NULL,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, surface TEXT NOT NULL, name TEXT NOT NULL,
    class TEXT NOT NULL, method TEXT NOT NULL,
    PRIMARY KEY (doc_id, chunk_id, start, "end", class, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS mention_name ON mention (name, class);
CREATE TABLE IF NOT EXISTS claim (
    id TEXT NOT NULL, doc_id TEXT NOT NULL, chunk_id TEXT NOT NULL, acl_class INTEGER NOT NULL,
    subject_name TEXT NOT NULL, subject_class TEXT NOT NULL, predicate TEXT NOT NULL,
    object_name TEXT, object_class TEXT, value TEXT NOT NULL,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, method TEXT NOT NULL, confidence REAL NOT NULL,
    PRIMARY KEY (doc_id, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claim_subject ON claim (subject_name, subject_class);
CREATE INDEX IF NOT EXISTS claim_object ON claim (object_name, object_class);
CREATE TABLE IF NOT EXISTS reference (
    doc_id TEXT NOT NULL, kind TEXT NOT NULL, handle TEXT NOT NULL, raw TEXT NOT NULL,
    acl_class INTEGER NOT NULL, PRIMARY KEY (doc_id, kind, handle, raw)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS reference_handle ON reference (handle);
CREATE TABLE IF NOT EXISTS handle (
    handle TEXT NOT NULL, doc_id TEXT NOT NULL, acl_class INTEGER NOT NULL,
    PRIMARY KEY (handle, doc_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS handle_document ON handle (doc_id);
CREATE TABLE IF NOT EXISTS link (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL,
    left_doc TEXT NOT NULL, left_name TEXT NOT NULL, left_class TEXT NOT NULL,
    right_doc TEXT NOT NULL, right_name TEXT NOT NULL, right_class TEXT NOT NULL,
    method TEXT NOT NULL, score REAL NOT NULL, reason TEXT NOT NULL, author TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS link_left ON link (left_doc);
CREATE INDEX IF NOT EXISTS link_right ON link (right_doc);
-- All that a deleted document leaves, so that snapshots learn of it; nothing shows it.
CREATE TABLE IF NOT EXISTS deleted (hash TEXT PRIMARY KEY, v INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deleted_v ON deleted (v);
CREATE TABLE IF NOT EXISTS source (name TEXT PRIMARY KEY, root TEXT NOT NULL UNIQUE, acl TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS file (
    source TEXT NOT NULL, path TEXT NOT NULL, status TEXT NOT NULL, version TEXT NOT NULL,
    acl_class INTEGER NOT NULL, reason TEXT NOT NULL, documents INTEGER NOT NULL,
    chunks INTEGER NOT NULL, characters INTEGER NOT NULL, skipped INTEGER NOT NULL,
    PRIMARY KEY (source, path)
) WITHOUT ROWID;
-- Parts of the index for substrings that have traces of what was removed; -1 is the file itself.
CREATE TABLE IF NOT EXISTS untidy (part INTEGER PRIMARY KEY);
