// Every way in which a guard stops a prompt, as data: what docs/refusals.md is printed from. A test holds it against the
// guards.
import type { ErrorCode } from '../../src/errors.js';

interface GuardRefusal {
  /** The guard's name, which is also the refusal's `rule`. */
  guard: string;
  when: string;
  /** `none`: an error, and nothing exists; `rejected`: a new prompt becomes a rejected task, a follow-up is an error. */
  task: 'none' | 'rejected';
  code: ErrorCode;
}

/** In the order in which the guards run. */
export const GUARD_REFUSALS: readonly GuardRefusal[] = [
  {
    guard: 'target',
    when: 'no such agent, or not exposed, or none named and no default',
    task: 'none',
    code: 'agent-not-found',
  },
  {
    guard: 'target',
    when: "the task's agent is not here any more, or another kind of agent has its name",
    task: 'none',
    code: 'agent-not-found',
  },
  { guard: 'target', when: 'the agent does not offer the named skill', task: 'none', code: 'invalid-params' },
  {
    guard: 'target',
    when: "no such task, or somebody else's, or another agent's",
    task: 'none',
    code: 'task-not-found',
  },
  { guard: 'target', when: 'the task belongs to another context', task: 'none', code: 'invalid-params' },
  { guard: 'permission', when: 'the caller may not use the agent', task: 'none', code: 'agent-not-found' },
  {
    guard: 'permission',
    when: 'the caller may not use the skill, or has to name one',
    task: 'none',
    code: 'forbidden',
  },
  {
    guard: 'duplicate',
    when: 'the messageId came with other content within a day',
    task: 'none',
    code: 'invalid-params',
  },
  { guard: 'loop', when: 'too many hops, or back at the same agent', task: 'rejected', code: 'loop' },
  { guard: 'storage', when: 'the workspace keeps as many tasks or bytes as it may', task: 'none', code: 'quota' },
  { guard: 'quota', when: 'too many unfinished tasks, or turns of the agent', task: 'rejected', code: 'quota' },
  {
    guard: 'busy',
    when: 'the task has ended, or waits for no decision',
    task: 'none',
    code: 'unsupported-operation',
  },
  { guard: 'busy', when: 'the context has a running turn, and no room to wait', task: 'none', code: 'busy' },
  { guard: 'cooldown', when: 'the same work was taken up a moment ago', task: 'none', code: 'cooldown' },
  {
    guard: 'added',
    when: "a plugin's guard refuses, or fails; the code may be another",
    task: 'none',
    code: 'forbidden',
  },
];
