-- One row for each webhook that is owed something, is disabled or has dead letters: what its task says, and beside it
-- when it is tried next. Only the tries and the time of the next one can't be told from the task; losing them costs
-- nothing but a try that comes early.
CREATE TABLE push_schedule (
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL,
  task_id TEXT NOT NULL,
  config_id TEXT NOT NULL,
  caller TEXT NOT NULL,
  host TEXT NOT NULL,
  registered_at INTEGER NOT NULL,
  -- The first change it is to be told of, the failed tries of that, and the time of the next; all 0 or null when it is
  -- owed nothing.
  seq INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_at INTEGER,
  disabled INTEGER NOT NULL,
  dead INTEGER NOT NULL,
  -- When the latest of its dead letters was given up.
  dead_at INTEGER
) STRICT;
CREATE INDEX push_schedule_by_key ON push_schedule (key);
CREATE INDEX push_schedule_by_host ON push_schedule (caller, host, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX push_schedule_by_time ON push_schedule (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX push_schedule_by_death ON push_schedule (dead_at) WHERE dead_at IS NOT NULL;

-- The latest tries, for the operator to look at. Nothing depends on them.
CREATE TABLE push_attempts (
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL,
  task_id TEXT NOT NULL,
  config_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  state INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  status INTEGER,
  reason TEXT
) STRICT;
CREATE INDEX push_attempts_by_key ON push_attempts (key);

-- Only the task files know what webhooks are owed, so a mirror from before this table reads all of them again: files
-- without rows are read at the start.
DELETE FROM folders;
DELETE FROM messages;
DELETE FROM watches;
DELETE FROM blob_uses;
DELETE FROM tasks;
