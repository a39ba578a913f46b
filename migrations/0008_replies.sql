-- Tasks that a conversation asked for and that have, or may have later, something to tell it.
CREATE TABLE replies (
  task_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
