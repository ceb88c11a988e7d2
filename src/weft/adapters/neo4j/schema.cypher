// One knowledge base: what each document teaches by itself. Everything else is a view.
//
// (:Kb {id: 1, version, identity, tenant, cleared, schema, settings, types, name})
//     settings: JSON text; cleared: the version at which all was taken out, with a new identity
//     name: the one that it was made under, told to whoever wants to make another one here
// (:Document {id, v, version, fence, acl_class, acl, source, type, title, uri, metadata, created,
//     updated, text, chunks, mentions, claims, references, handles, relations})
//     acl: sorted principals; metadata: JSON text; chunks, mentions, claims: counts;
//     references: JSON texts [kind, handle, raw], sorted; handles: sorted;
//     relations: the relationship types that its claims have
// (:Chunk {id, doc_id, chunk_index, v, acl_class, text, start, end, page, section, tokens, outcome,
//     reason, sentences, terms, facts, vector, sentence_vectors})-[:PART_OF {chunk_index}]->(:Document)
//     the last five are bytes, as `index/packing.py` packs them
// (:Evidence {name, doc_id, chunk_id, acl_class, v})-[:OF]->(:Chunk)
// (:Entity:Class {key, name, class}), key: class:name; one node for all documents, to browse
// (:Chunk)-[:MENTIONS {doc_id, chunk_id, acl_class, v, start, end, surface, method}]->(:Entity)
// (:Evidence)-[:MENTIONS {doc_id, chunk_id, acl_class, v}]->(:Entity)
// (:Entity)-[:WORKS_FOR {claim_id, doc_id, chunk_id, acl_class, v, predicate, value, start, end,
//     method, confidence}]->(:Entity), one type for each relation, RELATED_TO for one unknown to the
//     vocabulary; value: JSON text
// (:Entity)-[:STATES {the same, object_class}]->(:Evidence), a claim with a literal object
// (:Document)-[:HAS {doc_id, acl_class, v}]->(:Handle {name})
// (:Document)-[:NAMES {doc_id, acl_class, v, kinds}]->(:Handle)
// (:Document)-[:REFERENCES {doc_id, acl_class, v, kinds}]->(:Document), doc_id: the one that names
// (:AclClass {number, principals}), (:Fence {key, number}), (:Deleted {hash, v})
// (:Link {id, kind, left_doc, left_name, left_class, right_doc, right_name, right_class, method,
//     score, reason, author})
// (:Source {name, root, acl})
// (:File {source, path, status, version, acl_class, acl, reason, documents, chunks, characters,
//     skipped})
CREATE CONSTRAINT kb_id IF NOT EXISTS FOR (k:Kb) REQUIRE k.id IS UNIQUE;
CREATE CONSTRAINT document_id IF NOT EXISTS FOR (d:Document) REQUIRE d.id IS UNIQUE;
CREATE INDEX document_v IF NOT EXISTS FOR (d:Document) ON (d.v);
CREATE INDEX document_source IF NOT EXISTS FOR (d:Document) ON (d.source);
CREATE INDEX document_class IF NOT EXISTS FOR (d:Document) ON (d.acl_class);
CREATE CONSTRAINT chunk_id IF NOT EXISTS FOR (c:Chunk) REQUIRE c.id IS UNIQUE;
CREATE INDEX chunk_doc IF NOT EXISTS FOR (c:Chunk) ON (c.doc_id);
CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (e:Entity) REQUIRE e.key IS UNIQUE;
CREATE INDEX entity_name IF NOT EXISTS FOR (e:Entity) ON (e.name);
CREATE INDEX entity_class IF NOT EXISTS FOR (e:Entity) ON (e.class);
CREATE CONSTRAINT evidence_name IF NOT EXISTS FOR (e:Evidence) REQUIRE e.name IS UNIQUE;
CREATE CONSTRAINT handle_name IF NOT EXISTS FOR (h:Handle) REQUIRE h.name IS UNIQUE;
CREATE CONSTRAINT acl_class IF NOT EXISTS FOR (a:AclClass) REQUIRE a.number IS UNIQUE;
CREATE CONSTRAINT fence_key IF NOT EXISTS FOR (f:Fence) REQUIRE f.key IS UNIQUE;
CREATE CONSTRAINT deleted_hash IF NOT EXISTS FOR (x:Deleted) REQUIRE x.hash IS UNIQUE;
CREATE INDEX deleted_v IF NOT EXISTS FOR (x:Deleted) ON (x.v);
CREATE CONSTRAINT link_id IF NOT EXISTS FOR (l:Link) REQUIRE l.id IS UNIQUE;
CREATE INDEX link_left IF NOT EXISTS FOR (l:Link) ON (l.left_doc);
CREATE INDEX link_right IF NOT EXISTS FOR (l:Link) ON (l.right_doc);
CREATE CONSTRAINT source_name IF NOT EXISTS FOR (s:Source) REQUIRE s.name IS UNIQUE;
CREATE CONSTRAINT source_root IF NOT EXISTS FOR (s:Source) REQUIRE s.root IS UNIQUE;
CREATE CONSTRAINT file_path IF NOT EXISTS FOR (f:File) REQUIRE (f.source, f.path) IS UNIQUE;
CREATE INDEX file_class IF NOT EXISTS FOR (f:File) ON (f.acl_class);
