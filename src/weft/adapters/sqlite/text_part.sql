-- Substring search alone: ranking never reads it. {part} is chunk.rowid >> {bits}.
CREATE VIRTUAL TABLE chunk_text_{part} USING fts5 (
    text, content = 'chunk', content_rowid = 'rowid', tokenize = 'trigram', detail = 'none'
);
INSERT INTO chunk_text_{part} (rowid, text)
    -- A range, because a shift would read every chunk there is.
    SELECT rowid, text FROM chunk
    WHERE rowid >= ({part} << {bits}) AND rowid < (({part} + 1) << {bits});
CREATE TRIGGER chunk_added_{part} AFTER INSERT ON chunk WHEN new.rowid >> {bits} = {part} BEGIN
    INSERT INTO chunk_text_{part} (rowid, text) VALUES (new.rowid, new.text);
END;
CREATE TRIGGER chunk_removed_{part} AFTER DELETE ON chunk WHEN old.rowid >> {bits} = {part} BEGIN
    INSERT INTO chunk_text_{part} (chunk_text_{part}, rowid, text) VALUES ('delete', old.rowid, old.text);
END;
