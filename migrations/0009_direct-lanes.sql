-- Made from all files: a mirror from before this is made anew.
--
-- Tasks of an agent that answers with messages are internal. They have a lane of their own, so that a caller's list leaves
-- them out without a look at any of them, also when the agent has changed how it answers.
DROP TABLE lanes;
CREATE TABLE lanes (
  id INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  caller TEXT NOT NULL,
  agent TEXT NOT NULL,
  direct INTEGER NOT NULL,
  UNIQUE (scope, caller, agent, direct)
) STRICT;
