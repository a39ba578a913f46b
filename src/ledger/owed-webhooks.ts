// Whether a task still has to tell somebody of its changes: until it has, it must stay. Pure.
import { owedTransitions } from './push-configs.js';
import type { TaskEnvelope } from './records.js';

/** True while some webhook of the task is to be told of something: until then the task must stay. */
export const owesWebhooks = (envelope: Pick<TaskEnvelope, 'transitions' | 'pushConfigs'>): boolean =>
  (envelope.pushConfigs ?? []).some((config) => owedTransitions(envelope, config).length > 0);
