-- What an answer reads and writes, for SQLite and PostgreSQL alike: each statement named, and
-- described by a comment. `{held}` is where a server is told to hold the rows for this writer.

-- name: revision_table
-- Whether there is a table that tells the revision; SQLite alone.
SELECT 1 AS is_there FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'

-- name: revision
-- The revision of the tables.
SELECT version_num FROM alembic_version

-- name: base_of_name
-- A knowledge base of a tenant by its name.
SELECT name, target, title, folder_key, folder, created, readers, writers, admins, default_acl
FROM knowledge_bases WHERE tenant = :tenant AND name_key = :name_key

-- name: base_of_folder
-- The knowledge base of a folder.
SELECT name, target, title, folder_key, folder, created, readers, writers, admins, default_acl
FROM knowledge_bases WHERE tenant = :tenant AND folder_key = :folder_key

-- name: any_job
-- Whether any job waits or is being done.
SELECT 1 AS is_there FROM jobs WHERE status IN ('queued', 'running') LIMIT 1

-- name: own_run
-- What must be known of the caller's own run before something is written to it.
SELECT source_deleted, status FROM runs
WHERE tenant = :tenant AND run_id = :run_id AND actor = :actor {held}

-- name: actor_of_run
-- Whose a run is.
SELECT actor FROM runs WHERE tenant = :tenant AND run_id = :run_id

-- name: head_of_run
-- What every entry of usage says of its run.
SELECT actor, agent, flow, started FROM runs WHERE tenant = :tenant AND run_id = :run_id

-- name: add_run
-- A run that begins.
INSERT INTO runs (tenant, run_id, actor, agent, flow, question_hash, preview, kb_refs, status,
    started, summary, frontier, source_deleted)
VALUES (:tenant, :run_id, :actor, :agent, :flow, :question_hash, :preview, :kb_refs, :status,
    :started, :summary, :frontier, :source_deleted)

-- name: save_frontier
-- Where a run stands.
UPDATE runs SET status = :status, frontier = :frontier
WHERE tenant = :tenant AND run_id = :run_id

-- name: end_run
-- A run that ends.
UPDATE runs SET status = :status, finished = :finished, summary = :summary, frontier = :frontier
WHERE tenant = :tenant AND run_id = :run_id

-- name: add_event
-- An event of a run; one that is there stays as it is.
INSERT INTO run_events (tenant, run_id, seq, ts, type, node, parent, sources, data)
VALUES (:tenant, :run_id, :seq, :ts, :type, :node, :parent, :sources, :data)
ON CONFLICT DO NOTHING

-- name: drop_reply
-- An earlier reply of the same key goes.
DELETE FROM run_tape WHERE tenant = :tenant AND run_id = :run_id AND "key" = :key

-- name: add_reply
-- A reply on the tape.
INSERT INTO run_tape (tenant, run_id, "key", kind, request_hash, reply, sources)
VALUES (:tenant, :run_id, :key, :kind, :request_hash, :reply, :sources)

-- name: add_source
-- A document that a run read.
INSERT INTO run_sources (tenant, run_id, knowledge_base, document)
VALUES (:tenant, :run_id, :knowledge_base, :document)
ON CONFLICT DO NOTHING

-- name: action
-- A tool's call as it is kept.
SELECT tool, args, status, output, latency_ms, started FROM tool_runs
WHERE tenant = :tenant AND run_id = :run_id AND action_id = :action_id

-- name: begin_action
-- A tool's call that begins.
INSERT INTO tool_runs (tenant, run_id, action_id, tool, args, status, output, latency_ms, started)
VALUES (:tenant, :run_id, :action_id, :tool, :args, :status, :output, :latency_ms, :started)

-- name: end_action
-- A tool's call that ends.
UPDATE tool_runs SET status = :status, output = :output, latency_ms = :latency_ms
WHERE tenant = :tenant AND run_id = :run_id AND action_id = :action_id

-- name: any_order
-- Whether a run was ordered anything.
SELECT 1 AS is_there FROM run_orders WHERE tenant = :tenant AND run_id = :run_id LIMIT 1

-- name: models_of_run
-- The models that replied in a run.
SELECT DISTINCT name FROM usage
WHERE tenant = :tenant AND run_id = :run_id AND kind = :kind AND outcome = :outcome
ORDER BY name

-- name: add_usage
-- An entry of usage; one of the same place stays as it is.
INSERT INTO usage (tenant, run_id, place, kind, ts, actor, agent, flow, name, outcome,
    input_tokens, output_tokens, money, ms, citations)
VALUES (:tenant, :run_id, :place, :kind, :ts, :actor, :agent, :flow, :name, :outcome,
    :input_tokens, :output_tokens, :money, :ms, :citations)
ON CONFLICT DO NOTHING

-- name: audit_head
-- The head of a tenant's audit chain.
SELECT seq, mac, seal FROM audit_heads WHERE tenant = :tenant

-- name: any_audit_row
-- Whether a tenant's audit chain has a row.
SELECT seq FROM audit_logs WHERE tenant = :tenant LIMIT 1

-- name: add_audit_row
-- A row of the audit log, sealed.
INSERT INTO audit_logs (tenant, seq, ts, phase, intent_id, actor, action, target, decision, reason,
    run_id, request_id, meta, prev, mac)
VALUES (:tenant, :seq, :ts, :phase, :intent_id, :actor, :action, :target, :decision, :reason,
    :run_id, :request_id, :meta, :prev, :mac)

-- name: add_audit_head
-- The first head of a chain.
INSERT INTO audit_heads (tenant, seq, mac, seal) VALUES (:tenant, :seq, :mac, :seal)

-- name: move_audit_head
-- The head moved on, from the one that was just read and no other.
UPDATE audit_heads SET seq = :seq, mac = :mac, seal = :seal
WHERE tenant = :whose AND seq = :former
