// A task's webhooks as part of its envelope: what may happen to them, and what each event makes of them. Pure.
import type { PushConfig } from '../a2a-model.js';
import type { DeadLetter, PushEvent, PushRegistration, TaskEnvelope } from './records.js';

const MAX_PUSH_CONFIGS = 10;

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
  const { acknowledged, dead = [], disabled } = known;
  const isAgain = (seq: number): boolean => dead.some((letter) => letter.seq === seq && letter.again);
  switch (event.type) {
    case 'push-config-deleted':
      return undefined;
    case 'push-acknowledged':
      return event.upTo > acknowledged || isAgain(event.upTo) ? undefined : 'it is acknowledged';
    case 'push-dead':
      return event.seq > acknowledged || isAgain(event.seq) ? undefined : 'it is not owed';
    case 'push-redriven':
      return dead.some(({ seq, again }) => !again && event.seqs.includes(seq)) ? undefined : 'nothing of it is dead';
    case 'push-disabled':
      return disabled ? 'it is disabled' : undefined;
    case 'push-enabled':
      return disabled ? undefined : 'it is not disabled';
    default:
      return event satisfies never;
  }
}

/**
 * The webhooks after an accepted event; undefined when none is left. A new one is owed what comes after the envelope's
 * position; one that replaces another is owed what that one was, and keeps its dead letters.
 */
export function withPushEvent(
  { pushConfigs = [], seq }: Held & Pick<TaskEnvelope, 'seq'>,
  event: PushEvent,
  at: number,
): PushRegistration[] | undefined {
  if (event.type === 'push-config') {
    const place = pushConfigs.findIndex(({ id }) => id === event.config.id);
    const { acknowledged = seq, dead } = pushConfigs[place] ?? {};
    const registration = { ...event.config, acknowledged, createdAt: at, ...(dead && { dead }) };
    return place < 0 ? [...pushConfigs, registration] : pushConfigs.with(place, registration);
  }
  if (event.type === 'push-config-deleted') {
    const left = pushConfigs.filter(({ id }) => id !== event.id);
    return left.length > 0 ? left : undefined;
  }
  return pushConfigs.map((config) => (config.id === event.id ? changed(config, event, at) : config));
}

type Change = Exclude<PushEvent, { type: 'push-config' | 'push-config-deleted' }>;

function changed(config: PushRegistration, event: Change, at: number): PushRegistration {
  const { dead = [], acknowledged } = config;
  switch (event.type) {
    case 'push-acknowledged': {
      const left = dead.filter(({ seq }) => seq !== event.upTo);
      return withDead({ ...config, acknowledged: Math.max(acknowledged, event.upTo) }, left);
    }
    case 'push-dead': {
      const { type: _type, id: _id, ...failure } = event;
      const others = dead.filter(({ seq }) => seq !== event.seq);
      const letters = [...others, { ...failure, at }].sort((a, b) => a.seq - b.seq);
      return withDead({ ...config, acknowledged: Math.max(acknowledged, event.seq) }, letters);
    }
    case 'push-redriven':
      return withDead(
        config,
        dead.map((letter) => (event.seqs.includes(letter.seq) ? { ...letter, again: true } : letter)),
      );
    case 'push-disabled':
      return { ...config, disabled: { at, by: event.by } };
    case 'push-enabled': {
      const { disabled: _disabled, ...enabled } = config;
      return enabled;
    }
    default:
      return event satisfies never;
  }
}

function withDead({ dead: _dead, ...config }: PushRegistration, letters: DeadLetter[]): PushRegistration {
  return letters.length > 0 ? { ...config, dead: letters } : config;
}
