// What a task still owes to its webhooks: follows from the task alone, whatever any queue or database says. Pure.
import type { PushRegistration, TaskEnvelope, Transition } from './records.js';

type Told = Pick<PushRegistration, 'acknowledged' | 'dead' | 'disabled'>;

/**
 * The changes of state that this webhook is to be told of, oldest first: those above what it acknowledged, and the dead
 * letters that are to be tried again. One that is disabled is owed nothing while it is.
 */
export function owedTransitions({ transitions }: Pick<TaskEnvelope, 'transitions'>, config: Told): Transition[] {
  const { acknowledged, dead = [], disabled } = config;
  if (disabled) return [];
  const again = new Set(dead.filter((letter) => letter.again).map(({ seq }) => seq));
  return transitions.filter(({ seq }) => seq > acknowledged || again.has(seq));
}

/** True while some webhook of the task is to be told of something: until then the task must stay. */
export const owesWebhooks = (envelope: Pick<TaskEnvelope, 'transitions' | 'pushConfigs'>): boolean =>
  (envelope.pushConfigs ?? []).some((config) => owedTransitions(envelope, config).length > 0);
