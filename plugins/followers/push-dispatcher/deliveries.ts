// Tells webhooks what they are owed: one lane per webhook keeps the order, lanes never wait for each other. Each change is
// tried once while this process lives; what was not delivered stays owed in the task and is tried again by the next one.
import { isTerminal } from '../../../src/a2a-model.js';
import type { PushAttempt, PushFailed } from '../../../src/bus/topics.js';
import type { Clock } from '../../../src/clock.js';
import { errorText } from '../../../src/errors.js';
import { owedTransitions } from '../../../src/ledger/push-configs.js';
import type { PushRegistration, TaskRecord, Transition } from '../../../src/ledger/records.js';
import type { Logger, Secrets } from '../../../src/log.js';
import { FetchError } from '../../../src/net/fetch-error.js';
import type { Core } from '../../../src/plugin.js';
import { notification } from './notification.js';
import { Slots } from './slots.js';

const TRY_MS = 10_000;
const AT_ONCE = 128;
const AT_ONCE_PER_CALLER = 16;

export interface DeliveriesDeps {
  core: {
    ledger: Pick<Core['ledger'], 'get' | 'pushConfigs'>;
    blobs: Pick<Core['blobs'], 'read'>;
    net: Pick<Core['net'], 'request'>;
    clock: Pick<Clock, 'now'>;
    secrets: Pick<Secrets, 'addPassing'>;
  };
  log: Logger;
  delivered(attempt: PushAttempt): void;
  failed(attempt: PushFailed): void;
}

interface Lane {
  running: boolean;
  /** The last position that was tried. */
  tried: number;
  /** The first one that failed: nothing from here on is acknowledged, so that the next process tries again. */
  failedAt?: number;
}

export class Deliveries {
  /** By task and config. Kept as long as the task may change. */
  private readonly lanes = new Map<string, Map<string, Lane>>();
  private readonly running = new Set<Promise<void>>();
  private readonly slots = new Slots(AT_ONCE, AT_ONCE_PER_CALLER);
  private readonly controller = new AbortController();
  private stopping = false;

  constructor(private readonly deps: DeliveriesDeps) {}

  /** The task may have changed its state. Returns at once. */
  wake(taskId: string): void {
    const configs = this.deps.core.ledger.get(taskId)?.envelope.pushConfigs;
    if (!configs) this.lanes.delete(taskId);
    for (const { id } of configs ?? []) {
      const lane = this.lane(taskId, id);
      if (lane.running || this.stopping) continue;
      lane.running = true;
      const run: Promise<void> = this.run(taskId, id, lane).finally(() => void this.running.delete(run));
      this.running.add(run);
    }
  }

  /** Begins nothing new, and waits for what is on its way until `late` resolves; then that is broken off. */
  async stop(late: Promise<void>): Promise<void> {
    this.stopping = true;
    const settled = Promise.all(this.running);
    await Promise.race([settled, late]);
    this.controller.abort();
    await settled;
  }

  private lane(taskId: string, configId: string): Lane {
    const lanes = this.lanes.get(taskId) ?? new Map<string, Lane>();
    this.lanes.set(taskId, lanes);
    const lane = lanes.get(configId) ?? { running: false, tried: 0 };
    lanes.set(configId, lane);
    return lane;
  }

  /** Works off what one webhook is owed, as the task says after each step. Never rejects. */
  private async run(taskId: string, configId: string, lane: Lane): Promise<void> {
    try {
      for (let due = this.due(taskId, configId, lane); due; due = this.due(taskId, configId, lane)) {
        const { caller } = due.record.envelope;
        await this.slots.run(caller.id, () => this.tell(taskId, configId, lane));
      }
    } catch (error) {
      this.deps.log.error({ cid: taskId, configId, reason: errorText(error) }, 'telling a webhook failed');
    } finally {
      lane.running = false;
      this.tidy(taskId);
    }
  }

  /** The next change to tell; undefined when there is none, the webhook is gone, or the server stops. */
  private due(taskId: string, configId: string, lane: Lane): Due | undefined {
    const record = this.stopping ? undefined : this.deps.core.ledger.get(taskId);
    const config = record?.envelope.pushConfigs?.find(({ id }) => id === configId);
    if (!record || !config) return undefined;
    const transition = owedTransitions(record.envelope, config).find(({ seq }) => seq > lane.tried);
    return transition && { record, config, transition };
  }

  /** One try of what is due now: waiting for a slot took time. */
  private async tell(taskId: string, configId: string, lane: Lane): Promise<void> {
    const due = this.due(taskId, configId, lane);
    if (!due) return;
    const { ledger, clock } = this.deps.core;
    const { config, transition, record } = due;
    const { seq, state } = transition;
    const begun = clock.now();
    const result = await this.post(due);
    if (result.reason === 'aborted') return;
    lane.tried = seq;
    const { reason, status } = result;
    const attempt = {
      taskId,
      configId,
      caller: record.envelope.caller.id,
      seq,
      state,
      attempt: 1,
      durationMs: clock.now() - begun,
      ...(status !== undefined && { status }),
    };
    if (reason !== undefined) {
      if (lane.failedAt === undefined || lane.failedAt <= config.acknowledged) lane.failedAt = seq;
      this.deps.log.info({ cid: taskId, configId, seq, reason, status }, 'a webhook could not be told');
      this.deps.failed({ ...attempt, reason });
      return;
    }
    this.deps.delivered(attempt);
    // A failure below the acknowledged position was of a webhook that has been replaced.
    const inOrder = lane.failedAt === undefined || lane.failedAt <= config.acknowledged;
    if (inOrder) await ledger.pushConfigs.acknowledge(taskId, configId, seq);
  }

  private async post({ record, config, transition }: Due): Promise<{ status?: number; reason?: string }> {
    const { net, blobs, secrets } = this.deps.core;
    for (const secret of [config.token, config.authentication?.credentials]) {
      if (secret !== undefined) secrets.addPassing(secret);
    }
    const { scope } = record.envelope.caller;
    const { headers, body } = notification(record, config, transition, (blob) => blobs.read(scope, blob));
    const { signal } = this.controller;
    try {
      const request = { method: 'POST', headers, body, signal, timeoutMs: TRY_MS } as const;
      const answer = await net.request({ purpose: 'webhook', trusted: false }, config.url, request);
      await answer.discard();
      const { status } = answer;
      return status >= 200 && status < 300 ? { status } : { status, reason: 'status' };
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      const { reason, status } = error;
      return { reason, ...(status !== undefined && { status }) };
    }
  }

  /** A task that can't change any more needs no memory of what was tried. */
  private tidy(taskId: string): void {
    const lanes = [...(this.lanes.get(taskId)?.values() ?? [])];
    if (lanes.some(({ running }) => running)) return;
    const record = this.deps.core.ledger.get(taskId);
    if (!record?.envelope.pushConfigs || isTerminal(record.task.status.state)) this.lanes.delete(taskId);
  }
}

interface Due {
  record: TaskRecord;
  config: PushRegistration;
  transition: Transition;
}
