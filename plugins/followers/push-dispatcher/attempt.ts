// One try to tell a webhook of one change: builds what is sent, sends it, and says what came of it.
import type { PushRegistration, TaskRecord, Transition } from '../../../src/ledger/records.js';
import { FetchError } from '../../../src/net/fetch-error.js';
import type { Clock } from '../../../src/clock.js';
import type { Secrets } from '../../../src/secrets/secrets.js';
import type { Core } from '../../../src/plugin.js';
import { secretsOfConfig } from '../../../src/secrets/secret-values.js';
import { notification } from './notification.js';
import { retryAfterMs, TRY_MS, type Outcome } from './retry-schedule.js';

export interface AttemptPorts {
  blobs: Pick<Core['blobs'], 'read'>;
  callers: Pick<Core['callers'], 'webhookSecret'>;
  net: Pick<Core['net'], 'request'>;
  clock: Pick<Clock, 'now' | 'after'>;
  secrets: Pick<Secrets, 'addPassing'>;
}

export interface Due {
  record: TaskRecord;
  config: PushRegistration;
  transition: Transition;
}

/** Undefined when it was broken off because the server stops: no try then. Throws only what is a mistake here. */
export async function attempt(ports: AttemptPorts, due: Due, signal: AbortSignal): Promise<Outcome | undefined> {
  const { net, blobs, callers, secrets, clock } = ports;
  const { record, config, transition } = due;
  for (const secret of secretsOfConfig(config)) secrets.addPassing(secret);
  const { id: caller, scope } = record.envelope.caller;
  const { headers, body } = notification(record, config, transition, {
    read: (blob) => blobs.read(scope, blob),
    secret: callers.webhookSecret(caller),
    now: clock.now(),
  });
  try {
    const request = { method: 'POST', headers, body, signal, timeoutMs: TRY_MS } as const;
    const answer = await net.request({ purpose: 'webhook', trusted: false }, config.url, request);
    await answer.discard();
    const wait = retryAfterMs(answer.headers['retry-after'], clock.now());
    return { status: answer.status, ...(wait !== undefined && { retryAfterMs: wait }) };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    if (error.reason === 'aborted' && signal.aborted) return undefined;
    return { failure: error.reason, ...(error.status !== undefined && { status: error.status }) };
  }
}
