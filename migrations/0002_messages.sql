-- Which task took which message, so that a resend within a day finds it. Rows are in order of arrival: the oldest are
-- pruned from the front.
CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  caller TEXT NOT NULL,
  task_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_by_key ON messages (key);
