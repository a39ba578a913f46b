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

export interface LocalHome {
  /** Problems of all files show in its `problems()`; nothing is logged. */
  workspaces: WorkspaceDirectory;
  callers: CallerDirectory;
  /** True for a workspace, and for an agent elsewhere that the workspace may name. Of plugins' agents only a server knows. */
  knows(agent: string, workspace: string): boolean;
}

export function localHome(home: string): LocalHome {
  const log = silentLogger();
  const problems = new FileProblems(log);
  const secrets = new Secrets();
  const workspaces = openWorkspaces({ home, log, secrets, problems });
  const callers = openCallers({ workspaces, clock: systemClock, log, secrets, problems });
  // Its reports show among the problems, too.
  const remotes = new RemoteAgentFiles({ home, workspaces, problems, secrets });
  const knows = (agent: string, workspace: string): boolean =>
    workspaces.has(agent) ||
    [workspace, 'operator'].some((scope) => remotes.of(scope).agents.some(({ name }) => name === agent));
  return { workspaces, callers, knows };
}
