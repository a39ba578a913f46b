-- One row per task, the ways to page through them, and counts that the database itself keeps.
--
-- A `key` column holds 48 bits of a hash of the id beside it. An index over keys is a quarter of the size of one over
-- ids, so far fewer pages are written for ids that arrive in random order. Keys need not be unique: who looks up a key
-- compares the id too, and the only writer looks before it inserts.

-- A lane is one caller's use of one agent. Rows and counts name it by number, so that indexes stay small.
CREATE TABLE lanes (
  id INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  caller TEXT NOT NULL,
  agent TEXT NOT NULL,
  UNIQUE (scope, caller, agent)
) STRICT;

-- A conversation in a lane. New ones get rising numbers, so the indexes that hold the number grow at one end.
CREATE TABLE contexts (
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  name TEXT NOT NULL
) STRICT;
CREATE INDEX contexts_by_key ON contexts (key);

CREATE TABLE tasks (
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL,
  task_id TEXT NOT NULL,
  lane INTEGER NOT NULL,
  context INTEGER NOT NULL,
  state INTEGER NOT NULL,
  status_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  head TEXT NOT NULL
) STRICT;
CREATE INDEX tasks_by_key ON tasks (key);

-- A list over several states or lanes merges several ranges of one of these; none of them needs a variant without state.
CREATE INDEX tasks_by_lane ON tasks (lane, state, status_at, task_id);
CREATE INDEX tasks_by_context ON tasks (context, state, status_at, task_id);
-- With the lane, so that all live tasks are read from the index alone.
CREATE INDEX tasks_by_state ON tasks (state, status_at, task_id, lane);

CREATE TABLE lane_counts (
  lane INTEGER NOT NULL,
  state INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (lane, state)
) STRICT, WITHOUT ROWID;

CREATE TABLE context_counts (
  context INTEGER NOT NULL,
  state INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (context, state)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER task_added AFTER INSERT ON tasks BEGIN
  INSERT INTO lane_counts VALUES (new.lane, new.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
  INSERT INTO context_counts VALUES (new.context, new.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- A count at zero is deleted, and a conversation without tasks with its last count.
CREATE TRIGGER task_moved AFTER UPDATE OF lane, context, state ON tasks
WHEN (old.lane, old.context, old.state) IS NOT (new.lane, new.context, new.state) BEGIN
  INSERT INTO lane_counts VALUES (new.lane, new.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
  INSERT INTO context_counts VALUES (new.context, new.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
  UPDATE lane_counts SET n = n - 1 WHERE lane = old.lane AND state = old.state;
  DELETE FROM lane_counts WHERE lane = old.lane AND state = old.state AND n = 0;
  UPDATE context_counts SET n = n - 1 WHERE context = old.context AND state = old.state;
  DELETE FROM context_counts WHERE context = old.context AND state = old.state AND n = 0;
  DELETE FROM contexts
    WHERE id = old.context AND NOT EXISTS (SELECT 1 FROM context_counts WHERE context = old.context);
END;

CREATE TRIGGER task_removed AFTER DELETE ON tasks BEGIN
  UPDATE lane_counts SET n = n - 1 WHERE lane = old.lane AND state = old.state;
  DELETE FROM lane_counts WHERE lane = old.lane AND state = old.state AND n = 0;
  UPDATE context_counts SET n = n - 1 WHERE context = old.context AND state = old.state;
  DELETE FROM context_counts WHERE context = old.context AND state = old.state AND n = 0;
  DELETE FROM contexts
    WHERE id = old.context AND NOT EXISTS (SELECT 1 FROM context_counts WHERE context = old.context);
END;
