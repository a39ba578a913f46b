-- What a scope's folder of task files looked like when mirror and files last agreed. While it still looks like that, no
-- file has come or gone, and a start need not compare their names.
CREATE TABLE folders (
  scope TEXT PRIMARY KEY,
  stamp TEXT NOT NULL
) STRICT, WITHOUT ROWID;
