// How long a scope keeps its tasks and questions: what its workspace.json says, else what the home says. Pure.
import type { Config } from './config.js';
import { secondsOf } from './duration.js';
import type { TaskLimits } from './ledger/housekeeping.js';
import type { WorkspaceSettings } from './workspace/settings.js';

const DAY_MS = 86_400_000;

type HomeLimits = Pick<Config, 'expireQuestionsSeconds' | 'retention'>;
type OwnLimits = Pick<WorkspaceSettings, 'expireQuestions' | 'retention' | 'unknown'>;

/** `own` is absent for the operator's own scope. Undefined when the owner's wishes can't be read. */
export function taskLimits(home: HomeLimits, own?: OwnLimits): TaskLimits | undefined {
  if (own?.unknown) return undefined;
  const { days, maxTasks } = { ...home.retention, ...own?.retention };
  const seconds = own?.expireQuestions === undefined ? home.expireQuestionsSeconds : secondsOf(own.expireQuestions);
  return { questionMs: seconds * 1000, keepMs: days * DAY_MS, ...(maxTasks !== undefined && { maxTasks }) };
}
