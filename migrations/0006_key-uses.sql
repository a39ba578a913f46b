-- When each key was last used and how often. Telemetry: it is written late, may be lost, and nothing depends on it.
-- A key is named by the first 16 hex digits of its SHA-256.
CREATE TABLE key_uses (
  key_id TEXT PRIMARY KEY,
  caller TEXT NOT NULL,
  last_used_at INTEGER NOT NULL,
  requests INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX key_uses_by_time ON key_uses (last_used_at);
