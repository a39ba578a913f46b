// Posts notices to the operator's webhook, one after the other, each tried a few times. Callers decide how many there are,
// so only so many wait.
import pRetry, { AbortError } from 'p-retry';
import type { OwnerNotified } from '../../../src/bus/topics.js';
import type { Logger } from '../../../src/log.js';
import type { GuardedFetch } from '../../../src/net/guarded-fetch.js';

/** The body of a post. */
interface Notice extends OwnerNotified {
  /** ISO 8601, UTC. */
  at: string;
}

interface NoticeWebhookDeps {
  url: string;
  net: Pick<GuardedFetch, 'request'>;
  log: Logger;
  /** Milliseconds before the first retry, doubled each time. */
  pauseMs?: number;
}

const MAX_WAITING = 100;
const RETRIES = 4;
const TRY_MS = 10_000;

export class NoticeWebhook {
  private readonly waiting: Notice[] = [];
  private readonly controller = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly deps: NoticeWebhookDeps) {}

  /** Returns at once. One too many is told to the log and forgotten. */
  send(notice: Notice): void {
    if (this.controller.signal.aborted) return;
    if (this.waiting.length >= MAX_WAITING) {
      this.deps.log.warn({ workspace: notice.workspace }, 'a notice was dropped: too many wait for the webhook');
      return;
    }
    this.waiting.push(notice);
    this.running ??= this.work().finally(() => (this.running = undefined));
  }

  /** Breaks off what is on its way. */
  async stop(): Promise<void> {
    this.waiting.length = 0;
    this.controller.abort();
    await this.running;
  }

  private async work(): Promise<void> {
    const { signal } = this.controller;
    for (let notice = this.waiting.shift(); notice && !signal.aborted; notice = this.waiting.shift()) {
      const body = JSON.stringify(notice);
      try {
        await pRetry(() => this.post(body), { retries: RETRIES, minTimeout: this.deps.pauseMs ?? 1_000, signal });
      } catch (error) {
        if (!signal.aborted)
          this.deps.log.warn({ err: error, workspace: notice.workspace }, 'a notice was not delivered');
      }
    }
  }

  private async post(body: string): Promise<void> {
    const { net, url } = this.deps;
    const headers = { 'content-type': 'application/json' };
    const answer = await net.request({ purpose: 'notifier', trusted: true }, url, {
      method: 'POST',
      headers,
      body,
      signal: this.controller.signal,
      timeoutMs: TRY_MS,
    });
    await answer.discard();
    const { status } = answer;
    if (status < 300) return;
    const failure = new Error(`the webhook answered with status ${status}`);
    // Nothing gets better by itself where the request is wrong.
    throw status < 500 && status !== 408 && status !== 429 ? new AbortError(failure) : failure;
  }
}
