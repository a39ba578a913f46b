// The ways in which a watch ends. Exactly one of them does.
import type { WatchSettled } from '../../../src/bus/topics.js';
import type { RemoteError } from '../../../src/remote/remote-error.js';
import type { RemoteOutcome } from '../../../src/remote/remote-outcome.js';

export interface End {
  end: WatchSettled['end'];
  /** How the turn here ends; absent when it has ended already. */
  outcome?: RemoteOutcome;
}

export const ended = (end: WatchSettled['end'], text: string): End => ({
  end,
  outcome: { kind: 'failed', code: `watch-${end}`, text },
});

/** What no further look would change. */
const FOR_GOOD: ReadonlySet<string | undefined> = new Set(['TOO_MUCH', 'TOO_LARGE']);

/** Undefined when the refusal changes nothing. */
export function endBy({ fault, code, message }: RemoteError): End | undefined {
  if (fault === 'task-not-found') return ended('lost', message);
  return fault === 'unknown-agent' || FOR_GOOD.has(code) ? ended('stopped', message) : undefined;
}

export const endOf = (outcome: RemoteOutcome): WatchSettled['end'] =>
  outcome.kind === 'question' ? 'question' : 'result';
