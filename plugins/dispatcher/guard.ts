// What a guard is: one named rule over one request. Guards decide and change nothing; the first verdict counts.
import type { PromptRequest, Refusal } from '../../src/bus/topics.js';
import type { ErrorCode, ErrorDetails } from '../../src/errors.js';
import type { ResolvedAgent } from '../../src/executors/registry-port.js';
import type { TaskRecord } from '../../src/ledger/records.js';
import type { Core } from '../../src/plugin.js';
import type { AddedGuard } from './added-guards.js';
import type { Contexts } from './contexts.js';
import type { Cooldowns } from './cooldowns.js';

export interface Candidate {
  request: PromptRequest;
  /** The task that is continued; undefined for a new one. */
  record: TaskRecord | undefined;
  /** Set by the target guard. */
  target?: ResolvedAgent & { reason: 'named' | 'skill' | 'default' };
  /** Set by the permission guard when the caller's rights select one. */
  skill?: string;
  /** Set by the busy guard, and by the quota's for deliveries: the message waits until there is room. */
  queue?: boolean;
  /** Set by the approval guard: the task begins once the operator says so. */
  approval?: boolean;
}

export interface GuardPorts {
  core: Pick<Core, 'ledger' | 'registry' | 'callers' | 'workspaces' | 'config' | 'hops' | 'clock'>;
  contexts: Contexts;
  cooldowns: Cooldowns;
  /** Guards that plugins added, in the order in which they came. */
  added: readonly AddedGuard[];
}

/** Undefined: the guard has nothing against it. */
export type Verdict =
  | undefined
  /** `asTask`: a new request is kept as a rejected task instead of an error. `until`: when it may pass, if known. `rule`: the guard's name otherwise. */
  | { refusal: Omit<Refusal, 'rule'>; rule?: string; asTask?: boolean; until?: number }
  | { duplicateOf: string }
  /** The agent that asked is gone: the operator's decline ends the task at once. */
  | { declineAtOnce: true };

export interface Guard {
  name: string;
  check(candidate: Candidate, ports: GuardPorts): Verdict;
}

export const refuse = (
  code: ErrorCode,
  message: string,
  details?: ErrorDetails,
): { refusal: Omit<Refusal, 'rule'> } => ({
  refusal: { code, message, ...(details && { details }) },
});

/** The agent that a checked candidate goes to. */
export function targetOf(candidate: Candidate): NonNullable<Candidate['target']> {
  if (!candidate.target) throw new Error('the target guard comes first');
  return candidate.target;
}
