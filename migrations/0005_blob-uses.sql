-- Made from all files: a mirror from before this is made anew.
--
-- Who uses which stored file: a task by its id, a session's transcript as `<agent>/<session file>`. A file that nobody
-- uses any more may go.
CREATE TABLE blob_uses (
  scope TEXT NOT NULL,
  blob TEXT NOT NULL,
  holder TEXT NOT NULL,
  PRIMARY KEY (scope, blob, holder)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_uses_by_holder ON blob_uses (scope, holder);
