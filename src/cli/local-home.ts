// A home's own files, for commands that work without a server. Owners' files may be edited at any time: each rewrite
// takes the file's own lock, so the home's lock is not needed for them.
import { systemClock } from '../clock.js';
import { silentLogger } from '../log.js';
import { Secrets } from '../secrets/secrets.js';
import type { CallerDirectory } from '../workspace/callers.js';
import type { WorkspaceDirectory } from '../workspace/directory.js';
import { FileProblems } from '../workspace/file-problems.js';
import { openCallers } from '../workspace/open-callers.js';
import { openWorkspaces } from '../workspace/open-workspaces.js';
import { RemoteAgentFiles } from '../workspace/remote-agent-files.js';

/** Problems of all files show in `workspaces.problems()`; nothing is logged. */
export function localHome(home: string): { workspaces: WorkspaceDirectory; callers: CallerDirectory } {
  const log = silentLogger();
  const problems = new FileProblems(log);
  const secrets = new Secrets();
  const workspaces = openWorkspaces({ home, log, secrets, problems });
  const callers = openCallers({ workspaces, clock: systemClock, log, secrets, problems });
  // Only for what it reports about the files it reads.
  new RemoteAgentFiles({ home, workspaces, problems, secrets });
  return { workspaces, callers };
}
