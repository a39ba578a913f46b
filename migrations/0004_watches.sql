-- Work at remote agents that is being followed; one row for each task that has some.
CREATE TABLE watches (
  task_id TEXT PRIMARY KEY,
  watch_id TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  agent TEXT NOT NULL,
  state TEXT NOT NULL,
  remote_task_id TEXT,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
