// A task's webhooks as part of its envelope: what may happen to them and what each is still owed. Pure.
import type { PushConfig } from '../a2a-model.js';
import type { PushEvent, PushRegistration, TaskEnvelope, Transition } from './records.js';

export const MAX_PUSH_CONFIGS = 10;

type Held = Pick<TaskEnvelope, 'pushConfigs'>;

export const isPushEvent = (event: { type: string }): event is PushEvent => event.type.startsWith('push-');

/** Why a webhook can't be added; undefined when it can. */
export function configRefusal({ pushConfigs = [] }: Held, config: PushConfig | undefined): string | undefined {
  if (!config || pushConfigs.length < MAX_PUSH_CONFIGS || pushConfigs.some(({ id }) => id === config.id)) {
    return undefined;
  }
  return `a task has at most ${MAX_PUSH_CONFIGS} push notification configs`;
}

export function pushRefusal(envelope: Held, event: PushEvent): string | undefined {
  if (event.type === 'push-config') return configRefusal(envelope, event.config);
  const known = envelope.pushConfigs?.find(({ id }) => id === event.id);
  if (!known) return 'there is no such push notification config';
  return event.type === 'push-acknowledged' && event.upTo <= known.acknowledged ? 'it is acknowledged' : undefined;
}

/**
 * The webhooks after an accepted event; undefined when none is left. A new one is owed what comes after the envelope's
 * position; one that replaces another is owed what that one was.
 */
export function withPushEvent(
  { pushConfigs = [], seq }: Held & Pick<TaskEnvelope, 'seq'>,
  event: PushEvent,
  at: number,
): PushRegistration[] | undefined {
  switch (event.type) {
    case 'push-config': {
      const place = pushConfigs.findIndex(({ id }) => id === event.config.id);
      const acknowledged = pushConfigs[place]?.acknowledged ?? seq;
      const registration = { ...event.config, acknowledged, createdAt: at };
      return place < 0 ? [...pushConfigs, registration] : pushConfigs.with(place, registration);
    }
    case 'push-config-deleted': {
      const left = pushConfigs.filter(({ id }) => id !== event.id);
      return left.length > 0 ? left : undefined;
    }
    case 'push-acknowledged':
      return pushConfigs.map((config) => (config.id === event.id ? { ...config, acknowledged: event.upTo } : config));
    default:
      return event satisfies never;
  }
}

/** The changes of state that this webhook has not been told of, oldest first. */
export const owedTransitions = (
  { transitions }: Pick<TaskEnvelope, 'transitions'>,
  { acknowledged }: Pick<PushRegistration, 'acknowledged'>,
): Transition[] => transitions.filter(({ seq }) => seq > acknowledged);
