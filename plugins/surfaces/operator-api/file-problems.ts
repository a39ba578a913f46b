// What lists say about the owners' files behind them: a list that left something out tells so.
import type { Core } from '../../../src/plugin.js';
import { problemText } from '../../../src/workspace/file-problems.js';

export const CALLER_FILES: readonly string[] = ['callers.json'];
/** The home's own list stands in its settings. */
export const AGENT_FILES: readonly string[] = ['agents.json', 'workspace.json', 'card.json', 'switchboard.json'];
/** Whose the home's own list is. */
const OPERATOR = 'operator';

/** Of one workspace and, where it counts, of the home; of all when none is named. A member `problems`, or none. */
export function problemsOf(
  { workspaces }: Pick<Core, 'workspaces'>,
  files: readonly string[],
  workspace?: string,
): { problems?: string[] } {
  const counts = [workspace, OPERATOR];
  const problems = workspaces
    .problems()
    .filter((found) => files.includes(found.file) && (workspace === undefined || counts.includes(found.workspace)))
    .map(problemText);
  return problems.length > 0 ? { problems } : {};
}
